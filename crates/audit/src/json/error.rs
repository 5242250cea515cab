//! Errors of parsing JSON, with a dotted path and a byte offset.

use std::fmt;

use crate::field_error::FieldCode;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonStep {
    /// Into the member of this name.
    Key(String),
    /// Into the element at this place, counted from 0.
    Index(usize),
}

/// A place inside a JSON value, outermost step first. Displayed as `actor.tags[3]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path(pub Vec<JsonStep>);

impl Path {
    /// Returns the path as an RFC 6901 pointer, such as `/actor/tags/3`.
    pub fn to_pointer(&self) -> String {
        let mut out = String::new();
        for step in &self.0 {
            out.push('/');
            match step {
                JsonStep::Key(key) => out.push_str(&key.replace('~', "~0").replace('/', "~1")),
                JsonStep::Index(index) => out.push_str(&index.to_string()),
            }
        }
        out
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                JsonStep::Key(key) if at == 0 => f.write_str(key)?,
                JsonStep::Key(key) => write!(f, ".{key}")?,
                JsonStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Fault in a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonFault {
    /// The text does not follow the JSON grammar; says what was expected.
    #[error("expected {0}")]
    Syntax(&'static str),
    /// The text ends inside a value.
    #[error("the text ends too early")]
    UnexpectedEnd,
    /// A member name occurs twice in one object.
    #[error("this key occurs twice in its object")]
    DuplicateKey,
    /// An escape names half of a surrogate pair.
    #[error("the escape is half of a surrogate pair")]
    LoneSurrogate,
    /// The bytes are not UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// An integer that a double cannot hold exactly.
    #[error("the integer is beyond 2^53; send it as a string")]
    IntegerTooLarge,
    /// A number that overflows a double.
    #[error("the number is too large for a double")]
    NumberTooLarge,
    /// Arrays and objects inside each other beyond the limit.
    #[error("arrays and objects are nested too deep")]
    TooDeep,
    /// Text after the value.
    #[error("there are bytes after the value")]
    TrailingBytes,
}

impl JsonFault {
    /// A stable name for programs.
    pub fn code(self) -> FieldCode {
        match self {
            Self::Syntax(_) | Self::UnexpectedEnd => FieldCode::InvalidJson,
            Self::DuplicateKey => FieldCode::DuplicateKey,
            Self::LoneSurrogate => FieldCode::LoneSurrogate,
            Self::InvalidUtf8 => FieldCode::InvalidUtf8,
            Self::IntegerTooLarge => FieldCode::IntegerTooLarge,
            Self::NumberTooLarge => FieldCode::NumberTooLarge,
            Self::TooDeep => FieldCode::TooDeep,
            Self::TrailingBytes => FieldCode::TrailingBytes,
        }
    }
}

/// A refused JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// Fault that stopped the reader.
    pub fault: JsonFault,
    /// The value it was in.
    pub path: Path,
    /// The byte it was found at, counted from 0.
    pub offset: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.0.is_empty() {
            write!(f, "{} (byte {})", self.fault, self.offset)
        } else {
            write!(f, "{}: {} (byte {})", self.path, self.fault, self.offset)
        }
    }
}

impl std::error::Error for JsonError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_well() {
        let path = Path(vec![
            JsonStep::Index(2),
            JsonStep::Key("a/b~c".into()),
            JsonStep::Index(0),
            JsonStep::Key("d".into()),
        ]);
        assert_eq!(path.to_string(), "[2].a/b~c[0].d");

        assert_eq!(path.to_pointer(), "/2/a~1b~0c/0/d");
        assert_eq!(Path::default().to_string(), "");
    }
}
