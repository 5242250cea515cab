//! JSON as the log needs it: a strict reader, a tree, and the one canonical spelling.
//!
//! The reader accepts I-JSON (RFC 7493) and refuses everything two programs could read differently:
//! duplicate keys, lone surrogates, broken UTF-8, integers that a double cannot hold, numbers that
//! overflow, deep nesting, bytes after the value. The writer spells a tree as RFC 8785 (JCS) says.
//! Noncharacters such as U+FFFF are kept: an odd byte in an audit entry is evidence, not an error.

mod canonical;
mod error;
mod number;
mod object;
mod parse;
mod plain;
mod serde_bridge;
mod text;

pub use canonical::{write_canonical, write_string};
pub use error::{JsonError, JsonFault, JsonStep, Path};
pub(crate) use number::{finite, scan as scan_number, value as strict_number};
pub use object::{Object, utf16_order};
pub use parse::{MAX_DEPTH, Numbers, ParseOptions, Parsed, parse, parse_with};
pub(crate) use plain::end_of_run;
pub(crate) use text::read as read_text;

/// The largest integer magnitude that every JSON reader agrees on: 2^53.
pub const MAX_INTEGER: u64 = 1 << 53;

/// A JSON value, strictly read (RFC 8259).
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// A finite double. The canonical writer spells a non-finite one, which no reader produces, as
    /// `null`.
    Number(f64),
    /// A string of Unicode scalar values.
    String(String),
    Array(Vec<Json>),
    /// Members with distinct names.
    Object(Object),
}

impl Json {
    /// An object of these members; a later member replaces an earlier one of the same name.
    pub fn object<K: Into<String>, V: Into<Json>>(
        members: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
        )
    }

    /// The text of a string value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The member `key` when this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// `null`, an empty array or an empty object.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Array(items) => items.is_empty(),
            Self::Object(object) => object.is_empty(),
            _ => false,
        }
    }

    /// Returns the value's type for error messages, with its article.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The RFC 8785 spelling.
    pub fn to_canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_canonical(self, &mut out);
        out
    }
}

impl std::fmt::Display for Json {
    /// The RFC 8785 spelling.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_canonical()))
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Json {
    /// A value that is not finite becomes `null`.
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::Number(number)
        } else {
            Self::Null
        }
    }
}

impl From<i32> for Json {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<i64> for Json {
    /// Beyond 2^53 the number becomes a string of its digits, which loses nothing.
    fn from(number: i64) -> Self {
        if number.unsigned_abs() <= MAX_INTEGER {
            Self::Number(number as f64)
        } else {
            Self::String(number.to_string())
        }
    }
}

impl From<u64> for Json {
    /// Beyond 2^53 the number becomes a string of its digits, which loses nothing.
    fn from(number: u64) -> Self {
        if number <= MAX_INTEGER {
            Self::Number(number as f64)
        } else {
            Self::String(number.to_string())
        }
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
