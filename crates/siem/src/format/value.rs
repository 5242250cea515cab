//! Reading values out of a record: by dotted path, as texts, times and addresses.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// Returns every value at a path. Members may be nested or have dots in their names, as Elastic
/// writes both; of an array every member is looked at.
pub(super) fn at_path<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    match value {
        Value::Array(members) => members
            .iter()
            .flat_map(|member| at_path(member, path))
            .collect(),
        Value::Object(members) => at_member(members, path),
        _ => Vec::new(),
    }
}

fn at_member<'v>(members: &'v Map<String, Value>, path: &str) -> Vec<&'v Value> {
    if let Some(value) = members.get(path) {
        return match value {
            Value::Array(values) => values.iter().collect(),
            value => vec![value],
        };
    }

    let dots = path.match_indices('.').map(|(at, _)| at).rev();
    for at in dots {
        if let Some(inner) = members.get(&path[..at]) {
            let found = at_path(inner, &path[at + 1..]);
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

/// Returns a value as text; `None` for objects, arrays, `null` and empty texts.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(bool) => Some(bool.to_string()),
        _ => None,
    }
}

/// Returns the leaves of a record by their dotted path. Arrays are leaves.
pub(super) fn leaves(record: Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    collect(String::new(), record, &mut found);
    found
}

fn collect(path: String, value: Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let inner = if path.is_empty() {
                    name
                } else {
                    format!("{path}.{name}")
                };
                collect(inner, member, found);
            }
        }
        Value::Null => {}
        other => {
            found.insert(path, other);
        }
    }
}

/// Returns the time of a value: RFC 3339, seconds or milliseconds since 1970, or the form of CEF
/// (`Nov 28 2026 10:00:00`, UTC).
pub(super) fn time(value: &Value) -> Option<Timestamp> {
    let words = match value {
        Value::Number(number) => return epoch(number.as_f64()?),
        Value::String(text) => text.trim(),
        _ => return None,
    };
    if let Ok(number) = words.parse::<f64>() {
        return epoch(number);
    }
    if let Ok(instant) = reeve_audit::parse_instant(words) {
        return Some(instant);
    }

    let civil = ["%b %d %Y %H:%M:%S", "%Y-%m-%d %H:%M:%S"]
        .iter()
        .find_map(|format| DateTime::strptime(format, words).ok())?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Numbers beyond 10^11 are milliseconds: as seconds they would lie in the year 5138.
#[allow(clippy::cast_possible_truncation)] // The range is checked by the timestamp.
fn epoch(number: f64) -> Option<Timestamp> {
    if !number.is_finite() || number <= 0.0 {
        return None;
    }
    let milliseconds = if number > 1e11 {
        number
    } else {
        number * 1000.0
    };
    Timestamp::from_millisecond(milliseconds as i64).ok()
}

/// Returns `true` for an ATT&CK technique: `T1078`, `T1078.004`.
pub(super) fn is_technique(text: &str) -> bool {
    let (main, sub) = text
        .split_once('.')
        .map_or((text, None), |(main, sub)| (main, Some(sub)));
    let digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    main.strip_prefix('T').is_some_and(|main| digits(main, 4))
        && sub.is_none_or(|sub| digits(sub, 3))
}
