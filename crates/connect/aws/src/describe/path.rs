//! Paths in answers: `Listeners.Certificates.CertificateArn`, through lists without saying so.
//!
//! `Statement[Effect=Allow].Principal` goes through those elements alone whose member has that text;
//! `[default=true].vpcId` starts at the value itself.

use serde_json::Value;

/// Returns the values at a path; lists on the way and at its end are flattened. The empty path is
/// the value itself.
pub(super) fn at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut found = vec![value];
    for segment in path.split('.').filter(|segment| !segment.is_empty()) {
        let (name, wanted) = match segment.split_once('[') {
            Some((name, wanted)) => (name, wanted.trim_end_matches(']').split_once('=')),
            None => (segment, None),
        };
        found = found.into_iter().flat_map(flat).collect();
        if !name.is_empty() {
            found = found
                .into_iter()
                .filter_map(|value| value.get(name))
                .flat_map(flat)
                .collect();
        }
        if let Some((member, text)) = wanted {
            let has = |value: &&Value| value.get(member).and_then(plain).as_deref() == Some(text);
            found.retain(has);
        }
    }

    if path.is_empty() {
        found
    } else {
        found.into_iter().flat_map(flat).collect()
    }
}

fn flat(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        other => vec![other],
    }
}

/// Returns the first text at a path; numbers and booleans by their JSON text.
pub(super) fn text(value: &Value, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    at(value, path)
        .into_iter()
        .find_map(plain)
        .filter(|text| !text.is_empty())
}

/// Returns all texts at a path.
pub(super) fn texts(value: &Value, path: &str) -> Vec<String> {
    at(value, path)
        .into_iter()
        .filter_map(plain)
        .filter(|text| !text.is_empty())
        .collect()
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Replaces `{path}` in a template by the text at that path; `None` if there is none.
pub(super) fn filled(template: &str, item: &Value) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;

    while let Some((before, after)) = rest.split_once('{') {
        let (name, left) = after.split_once('}')?;
        out.push_str(before);
        out.push_str(&text(item, name)?);
        rest = left;
    }

    out.push_str(rest);
    Some(out)
}

/// Removes the member at a path.
pub(super) fn remove(value: &mut Value, path: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| remove(item, path)),
        Value::Object(members) => match path.split_once('.') {
            Some((first, rest)) => members
                .get_mut(first)
                .into_iter()
                .for_each(|inner| remove(inner, rest)),
            None => _ = members.remove(path),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_go_through_lists() {
        let value =
            json!({ "a": [{ "b": [{ "c": 1 }, { "c": "x" }] }, { "b": { "c": true } }], "d": "e" });
        assert_eq!(texts(&value, "a.b.c"), ["1", "x", "true"]);
        assert_eq!(
            (
                text(&value, "d").as_deref(),
                text(&value, "a.z"),
                text(&value, "")
            ),
            (Some("e"), None, None)
        );

        let policy = json!({ "Statement": [
            { "Effect": "Allow", "Principal": { "AWS": ["a", "b"] } },
            { "Effect": "Deny", "Principal": { "AWS": "c" } },
            { "Effect": "Allow", "Principal": "*" },
        ], "default": true });
        assert_eq!(
            texts(&policy, "Statement[Effect=Allow].Principal.AWS"),
            ["a", "b"]
        );
        assert_eq!(
            texts(&policy, "[default=true].Statement[Effect=Deny].Effect"),
            ["Deny"]
        );
        assert!(texts(&policy, "[default=false].Statement.Effect").is_empty());

        assert_eq!(filled("/{d}/policy", &value).as_deref(), Some("/e/policy"));
        assert_eq!(filled("/{z}", &value), None);

        let mut value = value;
        remove(&mut value, "a.b.c");
        assert_eq!(
            value,
            json!({ "a": [{ "b": [{}, {}] }, { "b": {} }], "d": "e" })
        );
    }
}
