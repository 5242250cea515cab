//! Comparing text case-blind, without allocating where both sides are ASCII.

use std::borrow::Cow;

/// Lower case as Unicode defines it.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
    {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.to_lowercase())
    }
}

/// Returns `true` if two texts are equal, ignoring case.
pub fn equals(value: &str, wanted: &str) -> bool {
    if value.is_ascii() && wanted.is_ascii() {
        value.eq_ignore_ascii_case(wanted)
    } else {
        fold(value) == fold(wanted)
    }
}

/// Returns `true` if `value` begins with `wanted`, ignoring case.
pub fn starts_with(value: &str, wanted: &str) -> bool {
    if value.is_ascii() && wanted.is_ascii() {
        value
            .get(..wanted.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(wanted))
    } else {
        fold(value).starts_with(fold(wanted).as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_blind() {
        assert!(equals("Straße", "sTRAßE") && !equals("a", "ab"));
        assert!(
            starts_with("ÉCOLE normale", "école")
                && starts_with("Abc", "aB")
                && !starts_with("a", "ab")
        );
    }
}
