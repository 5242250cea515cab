//! The values that an entry has for an open member, as they are counted: the paths of
//! `reeve_audit::query`, walked for what is there instead of for what is asked.

use std::collections::BTreeSet;

use reeve_audit::query::{FieldPath, column_text, fold};
use reeve_audit::{Entry, Json};

/// Every distinct value that an entry has for a field.
pub(super) fn values(entry: &Entry, field: &FieldPath) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |value: &str| {
        found.insert(value.to_owned());
    };

    match field {
        FieldPath::Column(column) => column_text(entry, *column)
            .iter()
            .for_each(|value| add(value)),
        FieldPath::User => entry
            .actor
            .email
            .iter()
            .chain(&entry.actor.id)
            .take(1)
            .for_each(|value| add(value)),
        FieldPath::Tags => {
            entry.metadata.tags.iter().for_each(|tag| add(tag));
            entry
                .resource
                .tags
                .iter()
                .for_each(|(name, value)| add(&format!("{name}={value}")));
        }
        FieldPath::MetadataTags => entry.metadata.tags.iter().for_each(|tag| add(tag)),
        FieldPath::ApiVersion => add(&entry.metadata.api_version),
        FieldPath::ResourceTags => entry.resource.tags.values().for_each(&mut add),
        FieldPath::ResourceTag(name) => {
            entry
                .resource
                .tags
                .iter()
                .filter(|(tag, _)| fold::equals(tag, name))
                .for_each(|(_, value)| add(value));
        }
        FieldPath::Changes => {}
        FieldPath::Before(path) => entry
            .changes
            .before
            .iter()
            .for_each(|state| inside(state, path, &mut add)),
        FieldPath::After(path) => entry
            .changes
            .after
            .iter()
            .for_each(|state| inside(state, path, &mut add)),
        FieldPath::Metadata(path) => {
            if let Some((first, rest)) = path.split_first() {
                let named = entry
                    .metadata
                    .extra
                    .iter()
                    .filter(|(name, _)| fold::equals(name, first));
                named.for_each(|(_, value)| inside(value, rest, &mut add));
            }
        }
        FieldPath::Submitter(field) => {
            let value = entry
                .submitted_by
                .as_ref()
                .and_then(|submitter| submitter.text(*field));
            value.iter().for_each(|value| add(value));
        }
    }

    found
}

/// A list stands for each of its elements; where the path goes on, a number in it names one.
fn inside(value: &Json, path: &[String], add: &mut impl FnMut(&str)) {
    match (value, path.split_first()) {
        (Json::Object(object), Some((first, rest))) => {
            object
                .iter()
                .filter(|(name, _)| fold::equals(name, first))
                .for_each(|(_, value)| inside(value, rest, add));
        }
        (Json::Array(items), at) => {
            items.iter().for_each(|item| inside(item, path, add));
            let named =
                at.and_then(|(first, rest)| Some((items.get(first.parse::<usize>().ok()?)?, rest)));
            if let Some((item, rest)) = named {
                inside(item, rest, add);
            }
        }
        (_, Some(_)) | (Json::Object(_) | Json::Null, None) => {}
        (Json::String(text), None) => add(text),
        (Json::Number(_) | Json::Bool(_), None) => add(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use reeve_audit::EventType;

    #[test]
    fn values_are_found_along_the_paths_of_queries() {
        let mut entry = Entry::new(EventType::from_static("a.b"));
        entry.actor.id = Some("u1".into());
        entry.resource = entry
            .resource
            .with_tag("Env", "prod")
            .with_tag("team", "prod");
        entry.metadata.tags = vec!["x".into(), "x".into()];
        let state = r#"{"a":[{"b":1},{"B":"two"},[{"b":null}]],"c":true,"d":{}}"#;
        entry.changes.after = Some(reeve_audit::json::parse(state.as_bytes()).unwrap());
        let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();

        for (field, expect) in [
            (FieldPath::User, &["u1"][..]),
            (FieldPath::Tags, &["Env=prod", "team=prod", "x"]),
            (FieldPath::ResourceTags, &["prod"]),
            (FieldPath::ResourceTag("ENV".into()), &["prod"]),
            (FieldPath::After(path("a.b")), &["1", "two"]),
            (FieldPath::After(path("a.1.b")), &["two"]),
            (FieldPath::After(path("c")), &["true"]),
            (FieldPath::After(path("d")), &[]),
            (FieldPath::Before(path("c")), &[]),
        ] {
            let found = values(&entry, &field);
            assert_eq!(
                found.iter().map(String::as_str).collect::<Vec<_>>(),
                expect,
                "{field:?}"
            );
        }
    }
}
