//! Members of configuration documents. Numbers are text in documents that were XML, and numbers in
//! those that were JSON; lists of one element may be the element.

use reeve_estate::document::NOT_READ;
use serde_json::Value;

/// Returns the value at a path of members, `Endpoint.Port`.
pub(crate) fn at<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.')
        .try_fold(document, |value, member| value.get(member))
        .filter(|value| !value.is_null())
}

/// Returns the text at a path; `None` for empty text.
pub(crate) fn text<'v>(document: &'v Value, path: &str) -> Option<&'v str> {
    at(document, path)?.as_str().filter(|text| !text.is_empty())
}

/// Returns the elements of the list at a path; none if there is no list.
pub(crate) fn list<'v>(document: &'v Value, path: &str) -> &'v [Value] {
    match at(document, path) {
        Some(Value::Array(values)) => values,
        Some(one @ Value::Object(_)) => std::slice::from_ref(one),
        _ => &[],
    }
}

/// Returns the texts of a list of texts, or the one text in its place.
pub(crate) fn texts<'v>(document: &'v Value, path: &str) -> Vec<&'v str> {
    match at(document, path) {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) if text != NOT_READ => vec![text],
        _ => Vec::new(),
    }
}

/// Returns the text of a member of each element of a list.
pub(crate) fn each<'v>(document: &'v Value, path: &str, member: &str) -> Vec<&'v str> {
    let elements = list(document, path).iter();
    elements.filter_map(|one| text(one, member)).collect()
}

/// Returns `true` if the value at a path is true, as a boolean or as text.
pub(crate) fn is_true(document: &Value, path: &str) -> bool {
    match at(document, path) {
        Some(Value::Bool(value)) => *value,
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Returns the number at a path, written as a number or as text.
pub(crate) fn number(document: &Value, path: &str) -> Option<i64> {
    match at(document, path)? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Returns the port at a path.
pub(crate) fn port(document: &Value, path: &str) -> Option<u16> {
    number(document, path).and_then(|port| u16::try_from(port).ok())
}

/// Returns `true` if permissions hid the member at a path, or one on the way to it.
pub(crate) fn is_hidden(document: &Value, path: &str) -> bool {
    let ends = path.match_indices('.').map(|(at, _)| at);
    ends.chain([path.len()])
        .any(|end| at(document, &path[..end]).and_then(Value::as_str) == Some(NOT_READ))
}
