//! Field names of queries over resources: `type:security_group
//! configuration.ipPermissions.fromPort:22 -tags.owner:*`.

use super::column::{FieldPath, QueryColumn};
use super::error::Problem;
use super::fold;
use crate::suggest;

/// Attributes that a resource has beside those of an entry's resource; they are read as metadata.
const ATTRIBUTES: [&str; 7] = [
    "name",
    "service",
    "state",
    "connection",
    "monthly_cost",
    "created_at",
    "workload",
];

/// Names of fields that a resource shares with the `resource` of an entry.
const COLUMNS: [(&str, QueryColumn); 5] = [
    ("id", QueryColumn::ResourceId),
    ("type", QueryColumn::ResourceType),
    ("provider", QueryColumn::ResourceCloudProvider),
    ("account", QueryColumn::ResourceAccountId),
    ("region", QueryColumn::ResourceRegion),
];

/// Returns the field that dotted segments name. Names compare case-blind; members of a
/// configuration too.
pub(super) fn resolve(segments: &[String]) -> Result<FieldPath, Problem> {
    let (first, rest) = match segments.split_first() {
        Some((first, rest)) => (first.as_str(), rest),
        None => ("", segments),
    };
    let is = |name: &str| fold::equals(first, name);
    if is("configuration") {
        return Ok(FieldPath::After(rest.to_vec()));
    }

    if is("tags") {
        return Ok(if rest.is_empty() {
            FieldPath::ResourceTags
        } else {
            FieldPath::ResourceTag(rest.join("."))
        });
    }

    if is("relations") {
        let path = std::iter::once("relations".to_owned()).chain(rest.iter().cloned());
        return Ok(FieldPath::Metadata(path.collect()));
    }

    let column = COLUMNS
        .iter()
        .find(|(name, _)| is(name))
        .map(|(_, column)| FieldPath::Column(*column));
    let attribute = || {
        ATTRIBUTES
            .iter()
            .find(|name| is(name))
            .map(|name| FieldPath::Metadata(vec![(*name).to_owned()]))
    };
    let found = column.or_else(attribute).filter(|_| rest.is_empty());

    found.ok_or_else(|| unknown(&segments.join(".")))
}

fn unknown(name: &str) -> Problem {
    let problem = Problem::new(format!("resources have no field `{name}`"));
    let names = COLUMNS
        .iter()
        .map(|(name, _)| *name)
        .chain(ATTRIBUTES)
        .chain(["configuration", "tags", "relations"]);

    match suggest::closest(name, names) {
        Some(meant) => problem.hint(format!("did you mean {meant}?")),
        None => problem.hint(format!(
            "a member of the configuration is written configuration.{name}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    #[test]
    fn fields_of_resources_resolve() {
        let of = |name: &str| resolve(&name.split('.').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("Type"), Ok(QueryColumn::ResourceType.into()));
        assert_eq!(
            of("configuration.State.Name"),
            Ok(FieldPath::After(vec!["State".into(), "Name".into()]))
        );
        assert_eq!(
            of("tags.k8s.io"),
            Ok(FieldPath::ResourceTag("k8s.io".into()))
        );
        assert_eq!(
            of("relations.protected_by"),
            Ok(FieldPath::Metadata(vec![
                "relations".into(),
                "protected_by".into()
            ]))
        );

        let hint = |name: &str| of(name).map_err(|problem| problem.hint);
        assert_eq!(hint("stat"), Err(Some("did you mean state?".into())));
        assert_eq!(
            hint("IpPermissions"),
            Err(Some(
                "a member of the configuration is written configuration.IpPermissions".into()
            ))
        );
    }

    #[test]
    fn the_syntax_is_that_of_entries() {
        for text in [
            "type:(volume OR snapshot) -tags.owner:*",
            "configuration.Size:>=100 name:web*",
            "\"10.0.0.0\"",
            "configuration.PrivateIpAddress:@known_addresses",
        ] {
            assert!(Query::parse_over_resources(text).is_ok(), "{text}");
        }
        assert!(Query::parse_over_resources("severity:high").is_err());
    }
}
