//! Item: one event of a source on its way to an entry.
//!
//! A member that a field of the entry holds exactly is moved there. Everything else stays, and
//! becomes a member of `metadata` under the name of the format, so that nothing is lost.

use jiff::Timestamp;
use reeve_audit::json::{self, MAX_DEPTH, Numbers, Object, ParseOptions, Path};
use reeve_audit::{Json, format_instant, is_email_address, parse_address, parse_instant};

use crate::rejection::Rejection;

/// An event of a source, with the members of the entry that it has become so far.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    claim: Object,
    rest: Json,
    numbers_as_text: Vec<String>,
}

/// A claim of an entry without its identifier, and the source's own identifier of the event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemClaim {
    pub(crate) members: Object,
    pub(crate) native_id: Option<String>,
}

impl Item {
    /// Reads a JSON object. Numbers whose digits a double would change are kept as text, and their
    /// places noted.
    pub(crate) fn read(text: &[u8]) -> Result<Item, Rejection> {
        // Two levels are kept for the member of `metadata` in which the item will stand.
        let options = ParseOptions {
            max_depth: MAX_DEPTH - 2,
            numbers: Numbers::KeepAsText,
        };
        let parsed = json::parse_with(text, &options).map_err(|error| {
            let path = error.path.to_string();
            Rejection::new(&path, error.to_string())
        })?;
        if parsed.value.as_object().is_none() {
            let message = format!("an event must be an object, not {}", parsed.value.kind());
            return Err(Rejection::new("", message));
        }
        Ok(Item {
            claim: Object::new(),
            numbers_as_text: parsed.kept_as_text.iter().map(Path::to_pointer).collect(),
            rest: parsed.value,
        })
    }

    /// Takes members that are read already.
    pub(crate) fn of(members: Object) -> Item {
        Item {
            claim: Object::new(),
            rest: Json::Object(members),
            numbers_as_text: Vec::new(),
        }
    }

    /// Returns the value at a path. A path names members with dots between them; a member's own
    /// name may contain dots, and a number counts the elements of a list from 0.
    pub(crate) fn at(&self, path: &str) -> Option<&Json> {
        find(&self.rest, path)
    }

    /// Returns the text at a path, if there is one with something in it.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.at(path)?.as_str().filter(|text| !text.is_empty())
    }

    /// Returns the text at the first of the paths that has one.
    pub(crate) fn first_text(&self, paths: &[&str]) -> Option<&str> {
        paths.iter().find_map(|path| self.text(path))
    }

    /// Returns the whole number at a path, also when it is written as text.
    pub(crate) fn number(&self, path: &str) -> Option<i64> {
        match self.at(path)? {
            Json::Number(number) if number.fract() == 0.0 => Some(*number as i64),
            Json::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns `true` if a member of the entry is set.
    pub(crate) fn has(&self, field: &str) -> bool {
        find_claim(&self.claim, field).is_some()
    }

    /// Sets a member of the entry, such as `actor.id`. What it follows from stays.
    pub(crate) fn set(&mut self, field: &str, value: impl Into<Json>) {
        let (value, mut members) = (value.into(), &mut self.claim);
        let mut parts = field.splitn(2, '.');
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        let Some(second) = second else {
            members.insert(first, value);
            return;
        };
        if members.get(first).and_then(Json::as_object).is_none() {
            members.insert(first, Json::Object(Object::new()));
        }
        if let Some(Json::Object(inner)) = members.get_mut(first) {
            members = inner;
            members.insert(second, value);
        }
    }

    /// Sets a member of the entry to a text, if there is one.
    pub(crate) fn set_text(&mut self, field: &str, text: Option<impl Into<String>>) {
        if let Some(text) = text {
            self.set(field, text.into());
        }
    }

    /// Copies a text to a member of the entry, from the first of the paths that has one.
    pub(crate) fn copy(&mut self, field: &str, paths: &[&str]) {
        let text = self.first_text(paths).map(str::to_owned);
        self.set_text(field, text);
    }

    /// Moves a text to a member of the entry.
    pub(crate) fn take(&mut self, field: &str, path: &str) {
        if let Some(text) = self.text(path).map(str::to_owned) {
            self.set(field, text);
            remove(&mut self.rest, path);
        }
    }

    /// Moves an object to a member of the entry, `changes.after` or `changes.before`.
    pub(crate) fn take_object(&mut self, field: &str, path: &str) {
        if let Some(value @ Json::Object(_)) = self.at(path).cloned() {
            self.set(field, value);
            remove(&mut self.rest, path);
        }
    }

    /// Sets `actor.ip_address` from a text that is an address, which moves when it is spelled as the
    /// entry spells it.
    pub(crate) fn take_address(&mut self, path: &str) {
        let Some(text) = self.text(path) else { return };
        let Some(address) = parse_address(text) else {
            return;
        };
        let spelled = address.to_string();
        let is_same = spelled == text;
        self.set("actor.ip_address", spelled);
        if is_same {
            remove(&mut self.rest, path);
        }
    }

    /// Sets `timestamp` from a time, which moves when it is spelled as the entry spells it.
    pub(crate) fn take_time(&mut self, path: &str) {
        let Some(instant) = self.at(path).and_then(read_time) else {
            return;
        };
        let spelled = format_instant(instant);
        let is_same = self.text(path) == Some(spelled.as_str());
        self.set("timestamp", spelled);
        if is_same {
            remove(&mut self.rest, path);
        }
    }

    /// Copies a text that is an e-mail address to `actor.email`.
    pub(crate) fn copy_email(&mut self, paths: &[&str]) {
        let email = self.first_text(paths).filter(|text| is_email_address(text));
        let email = email.map(str::to_owned);
        self.set_text("actor.email", email);
    }

    /// Removes a member that a field of the entry holds exactly, for rules that compute.
    pub(crate) fn drop_if_held(&mut self, field: &str, path: &str) {
        let held = find_claim(&self.claim, field);
        if held.is_some() && held == self.at(path) {
            remove(&mut self.rest, path);
        }
    }

    /// Puts what is left over under `metadata`, by the name of the format.
    pub(crate) fn finish(mut self, kept: &str, native_id: Option<String>) -> ItemClaim {
        let rest = std::mem::replace(&mut self.rest, Json::Null);
        if !rest.is_empty() {
            self.set(&format!("metadata.{kept}"), rest);
        }
        if !self.numbers_as_text.is_empty() {
            let numbers = std::mem::take(&mut self.numbers_as_text);
            self.set(&format!("metadata.{kept}_numbers_as_text"), numbers);
        }
        ItemClaim {
            members: self.claim,
            native_id,
        }
    }
}

fn find_claim<'j>(claim: &'j Object, field: &str) -> Option<&'j Json> {
    match field.split_once('.') {
        Some((first, second)) => claim.get(first)?.get(second),
        None => claim.get(field),
    }
}

/// Returns the value at a path. A member whose whole name is the path comes first; else the
/// shortest beginning of the path that is a member's name is entered.
pub(crate) fn find<'j>(value: &'j Json, path: &str) -> Option<&'j Json> {
    let (mut value, mut path) = (value, path);
    loop {
        match step(value, path)? {
            (inner, None) => return Some(inner),
            (inner, Some(rest)) => (value, path) = (inner, rest),
        }
    }
}

type Step<'j, 'p> = (&'j Json, Option<&'p str>);

fn step<'j, 'p>(value: &'j Json, path: &'p str) -> Option<Step<'j, 'p>> {
    match value {
        Json::Object(members) => {
            if let Some(inner) = members.get(path) {
                return Some((inner, None));
            }
            path.match_indices('.')
                .find_map(|(at, _)| Some((members.get(&path[..at])?, Some(&path[at + 1..]))))
        }
        Json::Array(items) => {
            let (index, rest) = match path.split_once('.') {
                Some((index, rest)) => (index, Some(rest)),
                None => (path, None),
            };
            Some((items.get(index.parse::<usize>().ok()?)?, rest))
        }
        _ => None,
    }
}

/// Removes a member by the same path. Elements of lists stay, since the place of the others would
/// change.
fn remove(value: &mut Json, path: &str) {
    let (mut value, mut path) = (value, path);
    loop {
        let Json::Object(members) = value else { return };
        if members.contains_key(path) {
            members.remove(path);
            return;
        }
        let head = path
            .match_indices('.')
            .map(|(at, _)| at)
            .find(|at| members.contains_key(&path[..*at]));
        let Some(at) = head else { return };
        let Some(inner) = members.get_mut(&path[..at]) else {
            return;
        };
        (value, path) = (inner, &path[at + 1..]);
    }
}

/// Largest magnitude of a number that is taken for seconds, milliseconds or microseconds since
/// 1970; a larger one is the next finer unit. 10^11 seconds is the year 5138.
const UNITS: [f64; 3] = [1e11, 1e14, 1e17];

/// Reads a time: RFC 3339, or a number since 1970 in seconds, milliseconds, microseconds or
/// nanoseconds.
pub(crate) fn read_time(value: &Json) -> Option<Timestamp> {
    match value {
        Json::String(text) => match parse_instant(text) {
            Ok(instant) => Some(instant),
            Err(_) => of_digits(text),
        },
        Json::Number(number) => of_number(*number),
        _ => None,
    }
}

fn of_digits(text: &str) -> Option<Timestamp> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    is_number
        .then(|| text.parse().ok())
        .flatten()
        .and_then(of_number)
}

fn of_number(number: f64) -> Option<Timestamp> {
    let size = number.abs();
    let millis = match UNITS.iter().position(|limit| size < *limit) {
        Some(0) => number * 1e3,
        Some(1) => number,
        Some(2) => number / 1e3,
        _ => number / 1e6,
    };
    if !millis.is_finite() || millis.abs() > 2.5e14 {
        return None;
    }
    Timestamp::from_millisecond(millis.round() as i64).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_name_members_with_dots_and_elements() {
        let item = Item::read(br#"{"a":{"b.c":[{"d":"x"}]},"a.b":"y"}"#).unwrap();
        assert_eq!(item.text("a.b.c.0.d"), Some("x"));
        assert_eq!(item.text("a.b"), Some("y"));
        assert_eq!(item.text("a.b.c.1.d"), None);
    }

    #[test]
    fn what_moves_leaves_and_the_rest_stays() {
        let mut item =
            Item::read(br#"{"user":{"id":"ann","n":12345678901234567890},"ip":"010.0.0.1"}"#)
                .unwrap();
        item.take("actor.id", "user.id");
        item.take_address("ip");
        let claim = item.finish("item", None);
        assert_eq!(
            Json::Object(claim.members).to_string(),
            r#"{"actor":{"id":"ann","ip_address":"10.0.0.1"},"metadata":{"item":{"ip":"010.0.0.1","user":{"n":"12345678901234567890"}},"item_numbers_as_text":["/user/n"]}}"#
        );
    }

    #[test]
    fn times_are_read_in_each_unit() {
        let expected = "2026-11-28T10:00:00.000Z";
        for text in [
            "\"2026-11-28T11:00:00+01:00\"",
            "1795860000",
            "1795860000000",
            "1795860000000000",
            "\"1795860000000000000\"",
        ] {
            let value = json::parse_with(
                text.as_bytes(),
                &ParseOptions {
                    numbers: Numbers::KeepAsText,
                    ..ParseOptions::default()
                },
            );
            let read = read_time(&value.unwrap().value).unwrap();
            assert_eq!(format_instant(read), expected, "{text}");
        }
        assert_eq!(read_time(&Json::from("soon")), None);
    }
}
