//! From a written field name to the field, short forms and slips included.

use super::column::{FieldPath, QueryColumn};
use super::error::Problem;
use super::fold;
use super::value::{closed, holds_address};
use crate::entry::SubmitterField;
use crate::suggest;

/// Short forms of field names.
const SHORT: [(&str, FieldPath); 19] = [
    ("user", FieldPath::User),
    ("actor", FieldPath::User),
    ("tags", FieldPath::Tags),
    ("changes", FieldPath::Changes),
    ("metadata.tags", FieldPath::MetadataTags),
    ("metadata.api_version", FieldPath::ApiVersion),
    ("resource.tags", FieldPath::ResourceTags),
    ("submitted_by", FieldPath::Submitter(SubmitterField::Type)),
    ("status", FieldPath::Column(QueryColumn::ActionStatus)),
    ("operation", FieldPath::Column(QueryColumn::ActionOperation)),
    ("action", FieldPath::Column(QueryColumn::ActionOperation)),
    ("method", FieldPath::Column(QueryColumn::ActionMethod)),
    ("resource", FieldPath::Column(QueryColumn::ResourceId)),
    ("region", FieldPath::Column(QueryColumn::ResourceRegion)),
    ("account", FieldPath::Column(QueryColumn::ResourceAccountId)),
    (
        "provider",
        FieldPath::Column(QueryColumn::ResourceCloudProvider),
    ),
    ("email", FieldPath::Column(QueryColumn::ActorEmail)),
    ("ip", FieldPath::Column(QueryColumn::ActorIpAddress)),
    ("session", FieldPath::Column(QueryColumn::ActorSessionId)),
];

/// The field that dotted segments name. Names compare case-blind.
pub(super) fn resolve(segments: &[String]) -> Result<FieldPath, Problem> {
    let name = segments.join(".");
    if let Some(field) = named(&name) {
        return Ok(field);
    }

    let starts = |prefix: &[&str]| {
        segments.len() > prefix.len()
            && prefix.iter().zip(segments).all(|(p, s)| fold::equals(s, p))
    };

    let rest = |skip: usize| segments[skip..].to_vec();
    if starts(&["resource", "tags"]) {
        Ok(FieldPath::ResourceTag(rest(2).join(".")))
    } else if starts(&["tags"]) {
        Ok(FieldPath::ResourceTag(rest(1).join(".")))
    } else if fold::equals(&name, "changes.before") || starts(&["changes", "before"]) {
        Ok(FieldPath::Before(rest(2)))
    } else if fold::equals(&name, "changes.after") || starts(&["changes", "after"]) {
        Ok(FieldPath::After(rest(2)))
    } else if starts(&["metadata"]) {
        Ok(FieldPath::Metadata(rest(1)))
    } else {
        Err(unknown(&name))
    }
}

fn named(name: &str) -> Option<FieldPath> {
    let column = QueryColumn::ALL
        .into_iter()
        .find(|c| fold::equals(name, c.field_name()) || fold::equals(name, c.segment_name()));
    let submitter = || {
        SubmitterField::ALL
            .into_iter()
            .find(|field| fold::equals(name, field.field_name()))
    };

    column
        .map(FieldPath::Column)
        .or_else(|| submitter().map(FieldPath::Submitter))
        .or_else(|| {
            SHORT
                .iter()
                .find(|(short, _)| fold::equals(name, short))
                .map(|(_, field)| field.clone())
        })
}

/// Every name without open members, for suggestions and completion.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    let open = ["changes.before", "changes.after"];
    let submitter = SubmitterField::ALL
        .into_iter()
        .map(SubmitterField::field_name);
    let fields = QueryColumn::ALL
        .into_iter()
        .map(QueryColumn::field_name)
        .chain(submitter);

    fields
        .chain(SHORT.iter().map(|(short, _)| *short))
        .chain(open)
}

/// Kind of the values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Text without a fixed form.
    Text,
    /// A point in time.
    Time,
    Address,
    /// One of a closed list of names.
    Name,
    /// Members with values of any kind, named after a dot.
    Open,
}

impl FieldKind {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Time => "time",
            Self::Address => "address",
            Self::Name => "name",
            Self::Open => "open",
        }
    }
}

/// A field as a form may offer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryField {
    /// Name in a query.
    pub name: &'static str,
    /// Kind of its values.
    pub kind: FieldKind,
    /// The names it can hold, if that is a closed list.
    pub values: &'static [&'static str],
    /// `true` if entries can be sorted by it.
    pub sortable: bool,
}

/// Every field that has a fixed name, for completion.
pub fn fields() -> impl Iterator<Item = QueryField> {
    field_names().filter_map(|name| {
        let field = named(name).or(match name {
            "changes.before" => Some(FieldPath::Before(Vec::new())),
            _ => Some(FieldPath::After(Vec::new())).filter(|_| name == "changes.after"),
        })?;
        let values = closed(&field).unwrap_or_default();
        let kind = match &field {
            FieldPath::Column(column) if column.is_time() => FieldKind::Time,
            field if holds_address(field) => FieldKind::Address,
            FieldPath::Before(_) | FieldPath::After(_) | FieldPath::Changes => FieldKind::Open,
            _ if !values.is_empty() => FieldKind::Name,
            _ => FieldKind::Text,
        };
        Some(QueryField {
            name,
            kind,
            values,
            sortable: matches!(field, FieldPath::Column(_)),
        })
    })
}

fn unknown(name: &str) -> Problem {
    let problem = Problem::new(format!("there is no field `{name}`"));
    let (top, rest) = name.split_once('.').unwrap_or((name, ""));
    if fold::equals(top, "metadata") {
        return problem.hint("name a member, such as metadata.request_id");
    }

    if fold::equals(top, "changes") {
        return problem.hint(format!(
            "write changes.before.{rest} or changes.after.{rest}"
        ));
    }

    match suggest::closest(name, field_names()) {
        Some(meant) => problem.hint(format!("did you mean {meant}?")),
        None => {
            match suggest::closest(
                rest,
                field_names().filter_map(|name| name.strip_prefix(top)?.strip_prefix('.')),
            ) {
                Some(meant) => problem.hint(format!("did you mean {top}.{meant}?")),
                None => problem.hint("to search for the text itself, put it in double quotes"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str) -> Result<FieldPath, Problem> {
        resolve(&name.split('.').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn every_name_resolves() {
        for name in field_names() {
            assert!(resolved(name).is_ok(), "{name}");
            assert_eq!(resolved(name), resolved(&name.to_uppercase()));
        }

        assert_eq!(
            resolved("resource_type"),
            Ok(QueryColumn::ResourceType.into())
        );
        assert_eq!(
            resolved("resource.tags.k8s.io"),
            Ok(FieldPath::ResourceTag("k8s.io".into()))
        );
        assert_eq!(
            resolved("changes.after.a.b"),
            Ok(FieldPath::After(vec!["a".into(), "b".into()]))
        );
        assert_eq!(
            resolved("metadata.request_id"),
            Ok(QueryColumn::RequestId.into())
        );
        assert_eq!(
            resolved("metadata.x"),
            Ok(FieldPath::Metadata(vec!["x".into()]))
        );
        assert_eq!(resolved("submitted_by"), resolved("submitted_by.type"));
    }

    #[test]
    fn forms_get_every_name_with_its_kind() {
        assert_eq!(fields().count(), field_names().count());

        let of = |name: &str| {
            fields()
                .find(|field| field.name == name)
                .map(|field| (field.kind, field.sortable))
        };

        for (name, kind, sortable) in [
            ("timestamp", FieldKind::Time, true),
            ("ip", FieldKind::Address, true),
            ("status", FieldKind::Name, true),
            ("user", FieldKind::Text, false),
            ("changes.after", FieldKind::Open, false),
        ] {
            assert_eq!(of(name), Some((kind, sortable)), "{name}");
        }
    }

    #[test]
    fn slips_get_a_hint() {
        for (name, hint) in [
            ("actor.emial", "did you mean actor.email?"),
            (
                "actor.adress",
                "to search for the text itself, put it in double quotes",
            ),
            ("sevrity", "did you mean severity?"),
            (
                "submitted_by.tokenid",
                "did you mean submitted_by.token_id?",
            ),
            ("usr", "did you mean user?"),
            ("metadata", "name a member, such as metadata.request_id"),
            (
                "changes.size",
                "write changes.before.size or changes.after.size",
            ),
            (
                "arn",
                "to search for the text itself, put it in double quotes",
            ),
        ] {
            assert_eq!(
                resolved(name).map_err(|p| p.hint),
                Err(Some(hint.to_owned())),
                "{name}"
            );
        }
    }
}
