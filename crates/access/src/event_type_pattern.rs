//! Event types that a token may write.

use reeve_audit::{EventType, FieldCode, FieldError};

/// Most patterns of a token.
const MAX_PATTERNS: usize = 50;

/// An event type (`authentication.login`), or all whose names begin with its parts
/// (`authentication.*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTypePattern(String);

impl EventTypePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// `event_types`: it is neither an event type nor parts of one and `.*`, or only Reeve writes
    /// what it includes.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        let refused = |code, message: String| FieldError::new("event_types", code, message);
        // A prefix is well-formed if an event type can begin with it.
        let example = text
            .strip_suffix(".*")
            .map_or_else(|| text.to_owned(), |parts| format!("{parts}.x"));
        let event_type = EventType::new(example).map_err(|_| {
            refused(
                FieldCode::InvalidValue,
                format!("{text} is neither an event type such as authentication.login nor authentication.*"),
            )
        })?;

        if event_type.is_reserved() {
            return Err(refused(
                FieldCode::Reserved,
                format!("{text}: such entries are written by Reeve alone"),
            ));
        }

        Ok(EventTypePattern(text.to_owned()))
    }

    /// Reads a list of patterns.
    ///
    /// # Errors
    /// As [`EventTypePattern::parse`], or there are too many.
    pub fn parse_all<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Self>, FieldError> {
        if texts.len() > MAX_PATTERNS {
            let message = format!("must have at most {MAX_PATTERNS} event types");
            return Err(FieldError::new("event_types", FieldCode::TooMany, message));
        }
        texts
            .iter()
            .map(|text| Self::parse(text.as_ref()))
            .collect()
    }

    /// Returns the pattern as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if an event type fits the pattern.
    #[must_use]
    pub fn matches(&self, event_type: &EventType) -> bool {
        self.includes(event_type.as_str())
    }

    /// Returns `true` if everything that another pattern includes is included in this one.
    #[must_use]
    pub fn covers(&self, other: &EventTypePattern) -> bool {
        self.includes(&other.0)
    }

    fn includes(&self, name: &str) -> bool {
        match self.0.strip_suffix('*') {
            // The prefix ends with its dot, so that `resource.*` does not include
            // `resources.delete`.
            Some(prefix) => name.starts_with(prefix),
            None => name == self.0,
        }
    }
}

/// Returns `true` if an event type may be written under a list of patterns. An empty list allows
/// every type.
#[must_use]
pub fn allows(patterns: &[EventTypePattern], event_type: &EventType) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(event_type))
}

/// Returns `true` if a list of patterns allows nothing that another list does not allow.
#[must_use]
pub fn is_within(patterns: &[EventTypePattern], outer: &[EventTypePattern]) -> bool {
    outer.is_empty()
        || !patterns.is_empty()
            && patterns
                .iter()
                .all(|pattern| outer.iter().any(|other| other.covers(pattern)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn patterns_include_their_types() {
        let event_type = |name: &str| EventType::new(name).unwrap();
        for (pattern, name, expected) in [
            ("authentication.login", "authentication.login", true),
            ("authentication.login", "authentication.logout", false),
            ("resource.*", "resource.create", true),
            ("resource.*", "resource.network.create", true),
            ("resource.*", "resources.create", false),
            ("resource.network.*", "resource.create", false),
        ] {
            let parsed = EventTypePattern::parse(pattern).unwrap();
            assert_eq!(
                parsed.matches(&event_type(name)),
                expected,
                "{pattern} {name}"
            );
        }

        assert!(allows(&[], &event_type("a.b")));
    }

    #[test]
    fn malformed_and_reserved_patterns_are_refused() {
        for (text, code) in [
            ("*", "invalid_value"),
            ("login", "invalid_value"),
            ("a.*.b", "invalid_value"),
            ("audit.*", "reserved"),
            ("audit.view", "reserved"),
        ] {
            let error = EventTypePattern::parse(text).unwrap_err();
            assert_eq!(
                (error.path.as_str(), error.code.as_str()),
                ("event_types", code),
                "{text}"
            );
        }
        assert_eq!(
            EventTypePattern::parse_all(&["a.b"; 51]).unwrap_err().code,
            "too_many"
        );
    }

    #[test]
    fn narrower_lists_are_within_wider_ones() {
        let list = |texts: &[&str]| EventTypePattern::parse_all(texts).unwrap();
        assert!(is_within(&list(&["a.b"]), &[]));
        assert!(is_within(&list(&["a.b", "c.*"]), &list(&["a.*", "c.*"])));
        assert!(!is_within(&list(&["c.*"]), &list(&["c.d"])));
        assert!(!is_within(&[], &list(&["c.d"])));
    }
}
