//! Grouping: the fields whose values keep the counts of a rule apart.

use std::borrow::Cow;

use reeve_audit::json::Object;
use reeve_audit::query::{FieldPath, QueryColumn, column_text, fold};
use reeve_audit::{Entry, FieldCode, FieldError, Json, Obstacle};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::settings::MAX_GROUP_FIELDS;

/// Longest value that is kept as it is, bytes. A longer one is kept as its beginning and its
/// digest, so that the memory of a rule does not depend on what sources send.
const LONGEST_VALUE: usize = 256;

/// Fields that a rule groups by, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupBy {
    fields: Vec<(String, FieldPath)>,
}

/// Values of the fields, spelled as a JSON array of texts and nulls.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GroupKey(pub String);

impl GroupBy {
    /// Reads names of fields as the query language has them.
    ///
    /// # Errors
    /// Names the fields that are unknown, repeated, or have no single value.
    pub fn read(names: &[String]) -> Result<GroupBy, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut fields: Vec<(String, FieldPath)> = Vec::new();
        if names.len() > MAX_GROUP_FIELDS {
            let message = format!("may name at most {MAX_GROUP_FIELDS} fields");
            errors.push(FieldError::new(
                "group_by",
                FieldCode::InvalidValue,
                message,
            ));
        }

        for (at, name) in names.iter().enumerate() {
            match field(name) {
                Ok(field) if fields.iter().any(|(_, known)| *known == field) => {
                    errors.push(FieldError::new(
                        format!("group_by[{at}]"),
                        FieldCode::InvalidValue,
                        "is named twice",
                    ));
                }
                Ok(field) => fields.push((name.clone(), field)),
                Err(message) => errors.push(FieldError::new(
                    format!("group_by[{at}]"),
                    FieldCode::InvalidValue,
                    message,
                )),
            }
        }

        if errors.is_empty() {
            Ok(GroupBy { fields })
        } else {
            Err(errors)
        }
    }

    /// Names of the fields, as the rule's author wrote them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the group of an entry.
    #[must_use]
    pub fn key(&self, entry: &Entry) -> GroupKey {
        let values: Vec<_> = self
            .fields
            .iter()
            .map(|(_, field)| value(entry, field).map(bounded))
            .collect();
        // Texts and nulls: nothing in it can fail to be JSON.
        GroupKey(serde_json::to_string(&values).unwrap_or_default())
    }

    /// Returns the group with one value for all fields.
    #[must_use]
    pub fn key_of_all(&self, value: &str) -> GroupKey {
        let values = vec![value; self.fields.len()];
        GroupKey(serde_json::to_string(&values).unwrap_or_default())
    }

    /// Returns a digest of the values of an entry, never 0; `None` for an entry without any of
    /// them.
    #[must_use]
    pub fn digest(&self, entry: &Entry) -> Option<u64> {
        let mut values = self
            .fields
            .iter()
            .map(|(_, field)| value(entry, field))
            .peekable();
        values.peek()?;
        let mut digest = Sha256::new();
        let mut is_empty = true;

        for value in values {
            is_empty &= value.is_none();
            let value = value.unwrap_or_default();
            digest.update(u64::try_from(value.len()).unwrap_or(u64::MAX).to_be_bytes());
            digest.update(value.as_bytes());
        }

        let bytes: [u8; 8] = digest.finalize()[..8].try_into().ok()?;
        (!is_empty).then(|| u64::from_be_bytes(bytes).max(1))
    }
}

impl GroupKey {
    /// Returns the values, in the order of the fields.
    #[must_use]
    pub fn values(&self) -> Vec<Option<String>> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

fn field(name: &str) -> Result<FieldPath, Obstacle> {
    let field: FieldPath =
        name.parse()
            .map_err(|error: reeve_audit::query::QueryError| match error.hint {
                Some(hint) => format!("{}: {hint}", error.message),
                None => error.message,
            })?;
    match &field {
        FieldPath::Column(column) if column.is_time() => {
            Err("is a time; group by a field with recurring values".into())
        }
        FieldPath::Tags
        | FieldPath::MetadataTags
        | FieldPath::ResourceTags
        | FieldPath::Changes => {
            Err("has no single value; name one of its members, such as resource.tags.env".into())
        }
        FieldPath::Before(path) | FieldPath::After(path) if path.is_empty() => {
            Err("has no single value; name one of its members".into())
        }
        _ => Ok(field),
    }
}

/// Value of a field; `None` when the entry has none, or a list or object.
fn value<'e>(entry: &'e Entry, field: &FieldPath) -> Option<Cow<'e, str>> {
    match field {
        FieldPath::Column(column) => column_text(entry, *column),
        FieldPath::User => column_text(entry, QueryColumn::ActorEmail)
            .or_else(|| column_text(entry, QueryColumn::ActorId)),
        FieldPath::Submitter(field) => entry
            .submitted_by
            .as_ref()
            .and_then(|submitter| submitter.text(*field)),
        FieldPath::ApiVersion => Some(Cow::Borrowed(&entry.metadata.api_version)),
        FieldPath::ResourceTag(name) => entry
            .resource
            .tags
            .iter()
            .find(|(tag, _)| fold::equals(tag, name))
            .map(|(_, value)| Cow::Borrowed(value)),
        FieldPath::Before(path) => entry
            .changes
            .before
            .as_ref()
            .and_then(|state| inside(state, path)),
        FieldPath::After(path) => entry
            .changes
            .after
            .as_ref()
            .and_then(|state| inside(state, path)),
        FieldPath::Metadata(path) => {
            let (first, rest) = path.split_first()?;
            inside(member(&entry.metadata.extra, first)?, rest)
        }
        FieldPath::Tags
        | FieldPath::MetadataTags
        | FieldPath::ResourceTags
        | FieldPath::Changes => None,
    }
}

fn member<'j>(object: &'j Object, wanted: &str) -> Option<&'j Json> {
    object
        .iter()
        .find(|(name, _)| fold::equals(name, wanted))
        .map(|(_, value)| value)
}

fn inside<'j>(value: &'j Json, path: &[String]) -> Option<Cow<'j, str>> {
    match (value, path.split_first()) {
        (Json::Object(object), Some((first, rest))) => inside(member(object, first)?, rest),
        (Json::String(text), None) => Some(Cow::Borrowed(text)),
        (Json::Number(_) | Json::Bool(_), None) => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

fn bounded(value: Cow<'_, str>) -> Cow<'_, str> {
    if value.len() <= LONGEST_VALUE {
        return value;
    }

    let end = (0..=LONGEST_VALUE / 2)
        .rev()
        .find(|at| value.is_char_boundary(*at))
        .unwrap_or_default();
    let digest = hex::encode(&Sha256::digest(value.as_bytes())[..16]);
    Cow::Owned(format!("{}... (SHA-256 {digest})", &value[..end]))
}

#[cfg(test)]
mod tests {
    use reeve_audit::{Actor, EventType, ResourceRef};

    use super::*;

    fn keys(names: &[&str], entry: &Entry) -> Vec<Option<String>> {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        GroupBy::read(&names)
            .map(|by| by.key(entry).values())
            .unwrap_or_default()
    }

    #[test]
    fn values_by_field() {
        let entry = Entry::new(EventType::from_static("resource.modify"))
            .by(Actor::user("u-1").with_email("Ann@acme.example"))
            .on(ResourceRef::new("bucket", "b\"1").with_tag("Env", "prod"))
            .with_metadata(
                "source",
                Json::object([("zone", Json::from(7.0)), ("list", Json::Array(Vec::new()))]),
            )
            .after(Json::object([("size", "large")]));

        assert_eq!(
            keys(&["actor.email", "resource"], &entry),
            [Some("Ann@acme.example".into()), Some("b\"1".into())]
        );
        assert_eq!(
            keys(
                &[
                    "user",
                    "resource.tags.env",
                    "metadata.source.zone",
                    "changes.after.size"
                ],
                &entry
            ),
            ["Ann@acme.example", "prod", "7", "large"].map(|text| Some(text.to_owned()))
        );

        assert_eq!(
            keys(&["metadata.source.list", "ip", "metadata.other"], &entry),
            [None, None, None]
        );
        assert_eq!(GroupBy::default().key(&entry), GroupKey("[]".into()));
    }

    #[test]
    fn fields_without_a_single_value_are_refused() {
        for name in [
            "timestamp",
            "recorded_at",
            "tags",
            "metadata.tags",
            "resource.tags",
            "changes.after",
            "actor.emial",
            "",
        ] {
            assert!(GroupBy::read(&[name.to_owned()]).is_err(), "{name}");
        }

        assert!(
            GroupBy::read(&["ip".into(), "actor.ip_address".into()]).is_err(),
            "one field, two names"
        );

        let five: Vec<_> = ["ip", "user", "region", "account", "resource"]
            .map(str::to_owned)
            .into();
        assert!(GroupBy::read(&five).is_err());
    }

    #[test]
    fn long_values_are_bounded_and_stay_apart() {
        let with = |end: &str| {
            let user = format!("{}{end}", "é".repeat(4000));
            keys(
                &["actor.id"],
                &Entry::new(EventType::from_static("a.b")).by(Actor::user(user)),
            )
        };
        assert_ne!(with("1"), with("2"));

        assert!(
            with("1")[0]
                .as_ref()
                .is_some_and(|text| text.len() < LONGEST_VALUE)
        );
    }
}
