//! Comparing text case-blind, without allocating where both sides are ASCII.

use std::borrow::Cow;

/// Lower case as Unicode defines it.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.to_lowercase())
    }
}

/// Returns `true` if two texts are equal, ignoring case.
pub fn equals(value: &str, wanted: &str) -> bool {
    if value.is_ascii() && wanted.is_ascii() { value.eq_ignore_ascii_case(wanted) } else { fold(value) == fold(wanted) }
}

/// Returns `true` if `value` begins with `wanted`, ignoring case.
pub fn starts_with(value: &str, wanted: &str) -> bool {
    if value.is_ascii() && wanted.is_ascii() {
        value.get(..wanted.len()).is_some_and(|start| start.eq_ignore_ascii_case(wanted))
    } else {
        fold(value).starts_with(fold(wanted).as_ref())
    }
}

/// [`starts_with`] or [`equals`].
pub(super) fn starts_or_equals(value: &str, wanted: &str, goes_on: bool) -> bool {
    if goes_on { starts_with(value, wanted) } else { equals(value, wanted) }
}

/// Returns `true` if `value` contains `pieces` in order with anything between, the first at its start and the last at
/// its end, ignoring case.
pub fn globs(value: &str, pieces: &[String]) -> bool {
    let [first, middle @ .., last] = pieces else { return false };
    let value = fold(value);
    let Some(mut rest) = value.strip_prefix(fold(first).as_ref()) else { return false };
    for piece in middle {
        let piece = fold(piece);
        match rest.find(piece.as_ref()) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(fold(last).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_blind() {
        assert!(equals("Straße", "sTRAßE") && !equals("a", "ab"));
        assert!(starts_with("ÉCOLE normale", "école") && starts_with("Abc", "aB") && !starts_with("a", "ab"));
        let glob =
            |value: &str, pattern: &str| globs(value, &pattern.split('*').map(str::to_owned).collect::<Vec<_>>());
        for (value, pattern, expect) in [
            ("prod-db-1", "prod*1", true),
            ("prod-db-1", "*DB*", true),
            ("prod-db-1", "prod*2", false),
            ("aba", "ab*ba", false),
            ("abba", "ab*ba", true),
            ("abc", "*", true),
            ("a.b.c", "a*b*c", true),
            ("a.c.b", "a*b*c", false),
        ] {
            assert_eq!(glob(value, pattern), expect, "{value} {pattern}");
        }
    }
}
