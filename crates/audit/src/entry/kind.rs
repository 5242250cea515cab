//! The two names every entry has: its id and its type.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Reason why a text is not an id or an event type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Text that breaks the rules of [`EventType`].
    #[error(
        "must be a lower-case dotted name such as authentication.login, of a-z, 0-9 and _, at most 128 bytes"
    )]
    EventType,
    /// Text that breaks the rules of [`EventId`].
    #[error("must have 1 to 256 bytes, no control characters and no space at either end")]
    EventId,
}

/// Prefix of the identifiers that Reeve derives for its own entries. No other submitter may use it:
/// Reeve takes an entry under such an identifier as proof that it has recorded the event, so a
/// foreign entry there would silence an alert.
pub const OWN_ID_PREFIX: &str = "reeve:";

/// Prefix of the identifiers of entries from sources, followed by the source's name. No other
/// submitter may use it: a foreign entry there would keep the source's own out of the log.
pub const SOURCE_ID_PREFIX: &str = "source/";

/// Unique id of an entry: 1 to 256 bytes, no control characters, no space at either end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(String);

impl EventId {
    /// A random UUIDv7, for entries whose source chose no identifier.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::now_v7().to_string())
    }

    /// Takes an id as it is.
    pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        let sound = plain || !text.chars().any(char::is_control) && text.trim() == text;

        if sound && (1..=256).contains(&text.len()) {
            Ok(Self(text))
        } else {
            Err(NameError::EventId)
        }
    }

    /// Returns the identifier of an entry of Reeve that follows from what the entry is about, in
    /// the reserved namespace.
    pub fn derived(from: &str) -> Result<Self, NameError> {
        Self::new(format!("{OWN_ID_PREFIX}{from}"))
    }

    /// Returns `true` if only Reeve may submit an entry with the identifier.
    pub fn is_reserved(&self) -> bool {
        self.0.starts_with(OWN_ID_PREFIX)
    }

    /// The identifier as its source wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EventId {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::new(text)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Event type: `category.operation`, lower case, two or more parts of `a-z`, `0-9` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventType(Cow<'static, str>);

impl EventType {
    /// A type known when the program is written.
    ///
    /// # Panics
    /// The name is malformed; in a `const` that is a compile error.
    pub const fn from_static(name: &'static str) -> Self {
        assert!(sound(name.as_bytes()), "malformed event type");
        Self(Cow::Borrowed(name))
    }

    /// Takes a type as it is.
    pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
        let name = name.into();
        if sound(name.as_bytes()) {
            Ok(Self(Cow::Owned(name)))
        } else {
            Err(NameError::EventType)
        }
    }

    /// The complete name, as `category.operation`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the first dot.
    pub fn category(&self) -> &str {
        self.0
            .split_once('.')
            .map_or(self.as_str(), |(category, _)| category)
    }
}

const fn sound(name: &[u8]) -> bool {
    let (mut at, mut dots, mut part) = (0, 0, 0);
    while at < name.len() {
        match name[at] {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => part += 1,
            b'.' if part > 0 => (dots, part) = (dots + 1, 0),
            _ => return false,
        }
        at += 1;
    }

    dots > 0 && part > 0 && name.len() <= 128
}

impl FromStr for EventType {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::new(text)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_types() {
        for good in [
            "authentication.login",
            "resource.modify",
            "a.b.c",
            "x1_.y_2",
        ] {
            assert_eq!(
                EventType::new(good).map(|t| t.as_str().to_owned()),
                Ok(good.to_owned())
            );
        }

        let long = format!("a.{}", "b".repeat(127));
        for bad in [
            "", "login", "a.", ".a", "a..b", "A.b", "a.b ", "a-b.c", "a.é", &long,
        ] {
            assert_eq!(EventType::new(bad), Err(NameError::EventType), "{bad}");
        }

        const LOGIN: EventType = EventType::from_static("authentication.login");

        assert_eq!(LOGIN.category(), "authentication");
    }

    #[test]
    fn ids() {
        let long = "x".repeat(257);
        for bad in ["", " a", "a\n", "a\u{85}b", &long] {
            assert_eq!(EventId::new(bad), Err(NameError::EventId), "{bad:?}");
        }
        assert!(EventId::new("evt:2026/11 ü").is_ok());
        assert_ne!(EventId::fresh(), EventId::fresh());
    }
}
