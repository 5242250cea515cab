//! Mapping that people write for JSON of any form: a rule for each member of the entry.

use std::collections::BTreeMap;

use reeve_audit::{FieldCode, FieldError, Json};
use serde::{Deserialize, Serialize};

use crate::item::{Item, ItemClaim, read_time};
use crate::rejection::Rejection;
use crate::words;

/// Member of `metadata` with what is left over.
const KEPT: &str = "item";
/// Rules of a mapping at most.
const MAX_RULES: usize = 100;
/// Longest path, template or value, in characters.
const MAX_TEXT: usize = 500;
/// Rows of a table at most.
const MAX_ROWS: usize = 200;
/// Members of the entry that a rule may set, beside `metadata.<name>`.
const FIELDS: [&str; 22] = [
    "event_id",
    "timestamp",
    "event_type",
    "severity",
    "actor.type",
    "actor.id",
    "actor.email",
    "actor.ip_address",
    "actor.user_agent",
    "actor.session_id",
    "resource.type",
    "resource.id",
    "resource.cloud_provider",
    "resource.account_id",
    "resource.region",
    "resource.tags",
    "action.operation",
    "action.status",
    "action.method",
    "changes.before",
    "changes.after",
    "metadata.request_id",
];

/// Rules by member of the entry, such as `actor.id`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mapping {
    /// Member of the body that holds the list of events; without it the body is the event, a list of
    /// events, or one event a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    pub fields: BTreeMap<String, FieldRule>,
}

/// Rule for one member: the first that gives a value among `paths`, `template`, `value` counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldRule {
    /// Paths of members of the event; the first that has a value is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Text with paths in braces, as `{category}.{action}`; every path must have a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Values by the text that was read. A text that is not in the table stays as it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub table: BTreeMap<String, String>,
}

impl Mapping {
    /// Checks a mapping that a person gives.
    ///
    /// # Errors
    /// Too many rules, a member that no rule may set, a rule without a value, a text that is too
    /// long, or no rule for the event type.
    pub fn check(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut wrong = |field: String, code, message: String| {
            errors.push(FieldError::new(field, code, message));
        };
        if self.fields.len() > MAX_RULES {
            let message = format!("must have at most {MAX_RULES} rules");
            wrong("mapping.fields".to_owned(), FieldCode::TooMany, message);
        }
        if !self.fields.contains_key("event_type") {
            let message = "must have a rule: every entry has an event type".to_owned();
            wrong(
                "mapping.fields.event_type".to_owned(),
                FieldCode::MissingField,
                message,
            );
        }
        let is_long = |text: &String| text.is_empty() || text.chars().count() > MAX_TEXT;
        if self.items.as_ref().is_some_and(is_long) {
            let message = format!("must have 1 to {MAX_TEXT} characters");
            wrong("mapping.items".to_owned(), FieldCode::InvalidValue, message);
        }

        for (field, rule) in &self.fields {
            let place = format!("mapping.fields.{field}");
            let is_metadata = field.strip_prefix("metadata.").is_some_and(|name| {
                (1..=100).contains(&name.len()) && !["tags", "api_version", KEPT].contains(&name)
            });
            if !FIELDS.contains(&field.as_str()) && !is_metadata {
                let message = format!("is not one of {}, metadata.<name>", FIELDS.join(", "));
                wrong(place.clone(), FieldCode::UnknownField, message);
            }
            if rule.paths.is_empty() && rule.template.is_none() && rule.value.is_none() {
                let message = "must have paths, a template or a value".to_owned();
                wrong(place.clone(), FieldCode::MissingField, message);
            }
            let texts = rule.paths.iter().chain(&rule.template).chain(&rule.value);
            if texts
                .chain(rule.table.keys())
                .chain(rule.table.values())
                .any(is_long)
                || rule.paths.len() > MAX_ROWS
                || rule.table.len() > MAX_ROWS
            {
                let message = format!(
                    "paths, templates and values must have 1 to {MAX_TEXT} characters, lists and tables at most {MAX_ROWS} rows"
                );
                wrong(place, FieldCode::InvalidValue, message);
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// Maps an event.
    pub(crate) fn map(&self, mut item: Item) -> Result<ItemClaim, Rejection> {
        let mut native = None;
        let mut found = Vec::new();
        for (field, rule) in &self.fields {
            if let Some((value, path)) = rule.value_of(&item) {
                found.push((field.as_str(), value, path));
            }
        }
        for (field, value, path) in found {
            if field == "event_id" {
                native = plain_text(&value);
                continue;
            }
            item.set(field, fitted(field, value)?);
            if let Some(path) = path {
                item.drop_if_held(field, path);
            }
        }
        if !item.has("event_type") {
            let message = "the rule gives no value for this event";
            return Err(Rejection::new("event_type", message));
        }
        Ok(item.finish(KEPT, native))
    }

    /// Returns the members of an event that no rule reads: the left over.
    pub(crate) fn left_over(&self, claim: &ItemClaim) -> Vec<String> {
        let kept = claim
            .members
            .get("metadata")
            .and_then(|metadata| metadata.get(KEPT));
        let mut paths = Vec::new();
        if let Some(kept) = kept {
            walk(kept, "", &mut paths);
        }
        paths.retain(|path| !self.reads(path));
        paths
    }

    fn reads(&self, path: &str) -> bool {
        let covers = |read: &str| {
            path == read
                || path
                    .strip_prefix(read)
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        self.fields.values().any(|rule| {
            rule.paths.iter().any(|read| covers(read))
                || rule
                    .template
                    .as_deref()
                    .is_some_and(|text| parts(text).any(|part| part.is_path && covers(part.text)))
        })
    }
}

fn walk(value: &Json, path: &str, paths: &mut Vec<String>) {
    let join = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    match value {
        Json::Object(members) if !members.is_empty() => {
            members
                .iter()
                .for_each(|(name, inner)| walk(inner, &join(name), paths));
        }
        Json::Array(items) if !items.is_empty() => {
            for (index, inner) in items.iter().enumerate() {
                walk(inner, &join(&index.to_string()), paths);
            }
        }
        _ => paths.push(path.to_owned()),
    }
}

impl FieldRule {
    /// Returns the value, and the path that it stands at if it was read as it is.
    fn value_of<'r>(&'r self, item: &Item) -> Option<(Json, Option<&'r str>)> {
        let read = self.paths.iter().find_map(|path| {
            let value = item.at(path)?;
            (!matches!(value, Json::Null) && value.as_str() != Some("")).then_some((value, path))
        });
        if let Some((value, path)) = read {
            return Some(
                match plain_text(value).and_then(|text| self.table.get(&text)) {
                    Some(mapped) => (Json::from(mapped.as_str()), None),
                    None => (value.clone(), Some(path)),
                },
            );
        }
        let text = self
            .template
            .as_deref()
            .and_then(|template| filled(template, item));
        let text = text.or_else(|| self.value.clone())?;
        let text = self.table.get(&text).cloned().unwrap_or(text);
        Some((Json::from(text), None))
    }
}

struct Part<'t> {
    text: &'t str,
    is_path: bool,
}

/// The parts of a template; a brace without its counterpart is text.
fn parts(template: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((path, after)) = rest
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'))
        {
            rest = after;
            return Some(Part {
                text: path,
                is_path: true,
            });
        }
        let next = rest.char_indices().skip(1).find(|(_, one)| *one == '{');
        let end = next.map_or(rest.len(), |(at, _)| at);
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Part {
            text,
            is_path: false,
        })
    })
}

fn filled(template: &str, item: &Item) -> Option<String> {
    let mut out = String::new();
    for part in parts(template) {
        match part.is_path {
            true => out.push_str(&plain_text(item.at(part.text)?)?),
            false => out.push_str(part.text),
        }
    }
    Some(out)
}

/// Returns a value as text, if it is one piece.
fn plain_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Json::Number(_) | Json::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns a value in the form that its member has.
fn fitted(field: &str, value: Json) -> Result<Json, Rejection> {
    let wrong = |message: &str| Err(Rejection::new(field, message));
    if field.starts_with("changes.") || field == "resource.tags" {
        return match value {
            Json::Object(_) => Ok(value),
            _ => wrong("the rule must give an object"),
        };
    }
    if field.starts_with("metadata.") && field != "metadata.request_id" {
        return Ok(value);
    }
    if field == "timestamp" {
        return match read_time(&value) {
            Some(time) => Ok(reeve_audit::format_instant(time).into()),
            None => wrong("is neither a time of RFC 3339 nor a number since 1970"),
        };
    }
    let Some(text) = plain_text(&value) else {
        return wrong("the rule must give a text");
    };
    let word = match field {
        "severity" => words::severity(&text).map(|severity| severity.as_str().to_owned()),
        "action.status" => words::status(&text).map(|status| status.as_str().to_owned()),
        "event_type" => words::event_type("event", &text),
        _ => None,
    };
    Ok(word.unwrap_or(text).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rule(paths: &[&str]) -> FieldRule {
        FieldRule {
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            ..FieldRule::default()
        }
    }

    fn sample() -> Mapping {
        Mapping {
            items: None,
            fields: [
                ("event_id", rule(&["id"])),
                (
                    "event_type",
                    FieldRule {
                        template: Some("{area}.{what}".to_owned()),
                        ..FieldRule::default()
                    },
                ),
                ("actor.id", rule(&["who", "user.name"])),
                ("timestamp", rule(&["at"])),
                (
                    "action.status",
                    FieldRule {
                        table: [("2".to_owned(), "denied".to_owned())].into(),
                        ..rule(&["code"])
                    },
                ),
                (
                    "severity",
                    FieldRule {
                        value: Some("high".to_owned()),
                        ..FieldRule::default()
                    },
                ),
            ]
            .map(|(field, rule)| (field.to_owned(), rule))
            .into(),
        }
    }

    #[test]
    fn rules_read_paths_templates_constants_and_tables() {
        let text = r#"{"id":7,"area":"Door","what":"Open It","user":{"name":"ann","age":3},"at":1795860000,"code":2}"#;
        let mapping = sample();
        mapping.check().unwrap();
        let claim = mapping.map(Item::read(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(claim.native_id.as_deref(), Some("7"));
        assert_eq!(mapping.left_over(&claim), ["user.age"]);
        assert_eq!(
            Json::Object(claim.members).to_string(),
            r#"{"action":{"status":"denied"},"actor":{"id":"ann"},"event_type":"door.open_it","metadata":{"item":{"area":"Door","at":1795860000,"code":2,"id":7,"user":{"age":3},"what":"Open It"}},"severity":"high","timestamp":"2026-11-28T10:00:00.000Z"}"#
        );
    }

    #[test]
    fn an_event_without_its_type_names_the_rule() {
        let error = sample()
            .map(Item::read(br#"{"area":"door"}"#).unwrap())
            .unwrap_err();
        assert_eq!(error.field, "event_type");
    }

    #[test]
    fn wrong_mappings_name_the_rule() {
        let mut mapping = sample();
        mapping
            .fields
            .insert("actor.emial".to_owned(), rule(&["x"]));
        mapping
            .fields
            .insert("resource.id".to_owned(), FieldRule::default());
        mapping.fields.remove("event_type");
        let fields: Vec<String> = mapping
            .check()
            .unwrap_err()
            .into_iter()
            .map(|error| error.path)
            .collect();
        assert_eq!(
            fields,
            [
                "mapping.fields.event_type",
                "mapping.fields.actor.emial",
                "mapping.fields.resource.id"
            ]
        );
    }

    #[test]
    fn braces_without_counterparts_are_text() {
        let item = Item::read(br#"{"a":"x"}"#).unwrap();
        for (template, expected) in [
            ("{a}-{a}", Some("x-x")),
            ("é{a", Some("é{a")),
            ("{b}", None),
            ("}{", Some("}{")),
        ] {
            assert_eq!(filled(template, &item).as_deref(), expected, "{template}");
        }
    }
}
