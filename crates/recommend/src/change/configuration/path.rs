//! Paths into configuration documents (`PublicAccessBlock.BlockPublicAcls`,
//! `Attributes[Key=deletion_protection.enabled].Value`), and values of settings.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

/// Step of a path: a member, or the item of a list that has a member of this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment<'p> {
    name: &'p str,
    /// Member and value by which an item of the list is known.
    item: Option<(&'p str, &'p str)>,
}

/// Returns the segments of a path; `None` for a path with an empty or an unfinished one.
fn segments(path: &str) -> Option<Vec<Segment<'_>>> {
    let mut found = Vec::new();
    let mut rest = path;

    loop {
        let end = rest.find(['.', '['])?;
        let (name, after) = rest.split_at(end);
        let (item, after) = match after.strip_prefix('[') {
            Some(inner) => {
                let (inner, after) = inner.split_once(']')?;
                (Some(inner.split_once('=')?), after)
            }
            None => (None, after),
        };
        if name.is_empty() {
            return None;
        }
        found.push(Segment { name, item });

        match after.strip_prefix('.') {
            Some(next) if !next.is_empty() => rest = next,
            _ if after.is_empty() => return Some(found),
            _ => return None,
        }

        if !rest.contains(['.', '[']) {
            found.push(Segment {
                name: rest,
                item: None,
            });
            return Some(found);
        }
    }
}

fn parsed(path: &str) -> Option<Vec<Segment<'_>>> {
    if path.is_empty() {
        return None;
    }
    if path.contains(['.', '[']) {
        segments(path)
    } else {
        Some(vec![Segment {
            name: path,
            item: None,
        }])
    }
}

/// Returns `true` if a path can be followed.
pub(super) fn is_valid(path: &str) -> bool {
    parsed(path).is_some()
}

/// Returns the top-level member that a path begins with.
pub(super) fn top(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// Returns the value at a path; `None` where there is none.
pub(super) fn get<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut found = value;
    for segment in parsed(path)? {
        found = found.get(segment.name)?;
        if let Some((key, wanted)) = segment.item {
            let is_wanted = |item: &&Value| item.get(key).and_then(Value::as_str) == Some(wanted);
            found = found.as_array()?.iter().find(is_wanted)?;
        }
    }
    Some(found)
}

/// Sets the value at a path of a document, and makes the objects and items on the way; `None`
/// removes it.
pub fn set(document: &mut Value, path: &str, value: Option<Value>) {
    let Some(segments) = parsed(path) else {
        return;
    };
    set_in(document, &segments, value);
}

fn set_in(document: &mut Value, segments: &[Segment<'_>], value: Option<Value>) {
    let Some((segment, rest)) = segments.split_first() else {
        return;
    };
    if !document.is_object() {
        *document = Value::Object(Map::new());
    }
    let Value::Object(members) = document else {
        return;
    };

    let Some((key, wanted)) = segment.item else {
        if rest.is_empty() {
            match value {
                Some(value) => _ = members.insert(segment.name.to_owned(), value),
                None => _ = members.remove(segment.name),
            }
            return;
        }
        if value.is_none() && !members.contains_key(segment.name) {
            return;
        }
        let inner = members
            .entry(segment.name.to_owned())
            .or_insert(Value::Null);
        return set_in(inner, rest, value);
    };

    let list = members
        .entry(segment.name.to_owned())
        .or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(items) = list else {
        return;
    };
    let is_wanted = |item: &Value| item.get(key).and_then(Value::as_str) == Some(wanted);
    let found = items.iter().position(is_wanted);
    if value.is_none() {
        let Some(at) = found else { return };
        set_in(&mut items[at], rest, None);
        // An item of which only its name is left is no item: what it held was removed.
        if items[at].as_object().is_some_and(|item| item.len() == 1) {
            items.remove(at);
        }
        return;
    }

    let at = found.unwrap_or_else(|| {
        items.push(serde_json::json!({ key: wanted }));
        items.len() - 1
    });
    if let Some(item) = items.get_mut(at) {
        set_in(item, rest, value);
    }
}

/// Value of a setting as a document shows it. Two are equal if they mean the same: the clouds write
/// `7` and `"7"`, order lists anew, and leave out what is off.
#[derive(Debug, Clone)]
pub(super) struct PathSetting(pub(super) Value);

impl PartialEq for PathSetting {
    fn eq(&self, other: &PathSetting) -> bool {
        is_same(&self.0, &other.0)
    }
}

impl fmt::Display for PathSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Value::Null => f.write_str("not set"),
            Value::String(text) if text.is_empty() => f.write_str("not set"),
            Value::String(text) => f.write_str(text),
            Value::Bool(true) => f.write_str("on"),
            Value::Bool(false) => f.write_str("off"),
            other => write!(f, "{other}"),
        }
    }
}

/// Returns `true` if two values of a setting mean the same.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            let mut taken = BTreeSet::new();
            one.len() == other.len()
                && one.iter().all(|item| {
                    let found = other
                        .iter()
                        .enumerate()
                        .position(|(at, else_)| !taken.contains(&at) && is_same(item, else_));
                    found.is_some_and(|at| taken.insert(at))
                })
        }
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            let of = |members: &Map<String, Value>, name: &String| {
                members.get(name).cloned().unwrap_or(Value::Null)
            };
            names
                .into_iter()
                .all(|name| is_same(&of(one, name), &of(other, name)))
        }
        (one, other) => word(one) == word(other),
    }
}

/// A scalar as one word; what is off, empty or missing has none.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some("true".to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if text.is_empty() || text == "false" => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(items) if items.is_empty() => None,
        Value::Object(members) if members.is_empty() => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_members_and_to_items_of_lists() {
        let mut document = json!({
            "a": { "b": 1 },
            "Attributes": [{ "Key": "x.y", "Value": "false" }, { "Key": "z", "Value": "1" }],
        });
        assert_eq!(get(&document, "a.b"), Some(&json!(1)));
        assert_eq!(
            get(&document, "Attributes[Key=x.y].Value"),
            Some(&json!("false"))
        );
        assert_eq!(get(&document, "a.c"), None);
        assert_eq!(
            (top("a.b"), top("Attributes[Key=z].Value")),
            ("a", "Attributes")
        );
        for wrong in ["", ".", "a.", "a[", "a[b]", "a..b"] {
            assert!(!is_valid(wrong), "{wrong}");
        }

        set(
            &mut document,
            "Attributes[Key=x.y].Value",
            Some(json!("true")),
        );
        set(&mut document, "Attributes[Key=new].Value", Some(json!("2")));
        set(&mut document, "c.d", Some(json!(true)));
        set(&mut document, "a.b", None);
        set(&mut document, "nothing.there", None);
        assert_eq!(
            document,
            json!({
                "a": {}, "c": { "d": true },
                "Attributes": [
                    { "Key": "x.y", "Value": "true" }, { "Key": "z", "Value": "1" }, { "Key": "new", "Value": "2" }
                ],
            })
        );
    }

    #[test]
    fn settings_are_the_same_in_each_spelling_of_the_clouds() {
        for (one, other) in [
            (json!("7"), json!(7)),
            (json!("true"), json!(true)),
            (json!(false), Value::Null),
            (json!([{ "a": "1" }, "b"]), json!(["b", { "a": 1 }])),
            (json!({ "a": 1, "off": false }), json!({ "a": "1" })),
        ] {
            assert!(is_same(&one, &other), "{one} {other}");
        }
        for (one, other) in [
            (json!("0"), json!("7")),
            (json!(["a", "a"]), json!(["a", "b"])),
            (json!({ "a": 1 }), json!({ "a": 2 })),
            (json!(true), Value::Null),
        ] {
            assert!(!is_same(&one, &other), "{one} {other}");
        }
    }
}
