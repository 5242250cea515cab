//! Identifiers cut out of canonical bytes: `event_id` and `metadata.request_id` are random, stand in columns of their own, and
//! cost as much as a third of a segment when they are kept a second time inside the payload. `docs/formats/segment.md`, "cut".
//!
//! What is cut is found again by text alone: the first empty member of that name. Where that would not give the same bytes,
//! nothing is cut.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The value of `event_id` was cut out.
pub(super) const EVENT_ID: u8 = 1;
/// The value of `request_id` was cut out, after that of `event_id`.
pub(super) const REQUEST_ID: u8 = 2;

static EVENT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"event_id\":\""));
static REQUEST: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"request_id\":\""));

/// Where a member's value stands in bytes, if it can be put back there after being cut out.
fn place(member: &Finder<'_>, text: &str, bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let value = from + member.find(rest)? + member.needle().len();
        let after = bytes.get(value..)?;
        if after.strip_prefix(text.as_bytes()).is_some_and(|after| after.first() == Some(&b'"')) {
            return Some(value);
        }
        if after.first() == Some(&b'"') {
            // An empty one before it would be taken for it.
            return None;
        }
        from = value;
    }
}

/// Appends canonical bytes without the values of these columns; says what was cut out.
pub(super) fn shorten(canonical: &[u8], event_id: &str, request_id: Option<&str>, into: &mut Vec<u8>) -> u8 {
    let start = into.len();
    into.extend_from_slice(canonical);
    let mut cut = 0;
    for (bit, member, text) in [(EVENT_ID, &EVENT, Some(event_id)), (REQUEST_ID, &REQUEST, request_id)] {
        if let Some(text) = text.filter(|text| !text.is_empty())
            && let Some(at) = into.get(start..).and_then(|bytes| place(member, text, bytes))
        {
            into.drain(start + at..start + at + text.len());
            cut |= bit;
        }
    }
    cut
}

/// The canonical bytes again. `scratch` is used when something was cut out. Bytes that [`shorten`] did not make give any
/// bytes; what is shown of them is compared with the log.
pub(super) fn whole<'a>(
    stored: &'a [u8],
    cut: u8,
    event_id: Option<&str>,
    request_id: Option<&str>,
    scratch: &'a mut Vec<u8>,
) -> &'a [u8] {
    if cut == 0 {
        return stored;
    }
    scratch.clear();
    scratch.extend_from_slice(stored);
    for (bit, member, text) in [(REQUEST_ID, &REQUEST, request_id), (EVENT_ID, &EVENT, event_id)] {
        if let Some(text) = text.filter(|_| cut & bit != 0)
            && let Some(at) = place(member, "", scratch)
        {
            let end = scratch.len();
            scratch.extend_from_slice(text.as_bytes());
            scratch.copy_within(at..end, at + text.len());
            scratch[at..at + text.len()].copy_from_slice(text.as_bytes());
        }
    }
    scratch
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn round(canonical: &str, event_id: &str, request_id: Option<&str>) -> (u8, String) {
        let mut stored = b"before".to_vec();
        let cut = shorten(canonical.as_bytes(), event_id, request_id, &mut stored);
        let stored = stored.split_off(6);
        let mut scratch = Vec::new();
        let back = whole(&stored, cut, Some(event_id), request_id, &mut scratch);
        assert_eq!(std::str::from_utf8(back).unwrap(), canonical);
        (cut, String::from_utf8(stored).unwrap())
    }

    #[test]
    fn identifiers_are_cut_and_put_back() {
        let plain = r#"{"event_id":"e-1","metadata":{"request_id":"r-1"}}"#;
        let cases = [
            (plain, "e-1", Some("r-1"), 3),
            (plain, "e-1", None, 1),
            (plain, "e-2", Some("r-1"), 2),
            (r#"{"event_id":"e","metadata":{"request_id":"\"event_id\":\"\""}}"#, "e", Some("\"event_id\":\"\""), 1),
            (r#"{"changes":{"after":{"event_id":""}},"event_id":"e"}"#, "e", None, 0),
            (r#"{"changes":{"after":{"event_id":"e"}},"event_id":"e"}"#, "e", None, 1),
            (
                r#"{"changes":{"after":{"request_id":""}},"event_id":"e","metadata":{"request_id":"r"}}"#,
                "e",
                Some("r"),
                1,
            ),
            (r#"{"event_id":"a\"b"}"#, "a\"b", None, 0),
            (r#"{"event_id":"request_id"}"#, "request_id", Some(""), 1),
        ];
        for (canonical, event_id, request_id, expect) in cases {
            assert_eq!(round(canonical, event_id, request_id).0, expect, "{canonical}");
        }
        assert_eq!(round(plain, "e-1", Some("r-1")).1, r#"{"event_id":"","metadata":{"request_id":""}}"#);
    }

    proptest! {
        /// Whatever the bytes and the values are.
        #[test]
        fn what_is_cut_is_put_back(
            parts in proptest::collection::vec(prop_oneof![
                Just(r#""event_id":""#), Just(r#""request_id":""#), Just(r#"""#), Just("a"), Just("ab"), Just(r#""""#), Just("e"),
            ], 0..24),
            event_id in r#"[ab"]{0,3}"#,
            request_id in proptest::option::of(r#"[ab"e]{0,3}"#),
        ) {
            round(&parts.concat(), &event_id, request_id.as_deref());
        }
    }
}
