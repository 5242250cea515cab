//! Errors of fields, in entries and in all other requests: the field, a stable code, a sentence.

use std::fmt;

use crate::json::JsonError;

/// Declares the codes with their names.
macro_rules! codes {
    ($($(#[$doc:meta])+ $code:ident => $name:literal,)+) => {
        /// Stable names of the faults that a field can have, for programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FieldCode {
            $($(#[$doc])+ $code,)+
        }

        impl FieldCode {
            /// Every code, in the order of the page `docs/errors/invalid_fields.md`.
            pub const ALL: &'static [FieldCode] = &[$(FieldCode::$code),+];

            /// Returns the name that is sent.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(FieldCode::$code => $name,)+
                }
            }
        }
    };
}

codes! {
    /// A value that cannot be taken, for a reason that has no code of its own.
    InvalidValue => "invalid_value",
    /// A field that is needed and absent, `null` or empty.
    MissingField => "missing_field",
    /// A field that there is not.
    UnknownField => "unknown_field",
    /// A value of another JSON type.
    WrongType => "wrong_type",
    /// A number, time or length outside its bounds.
    OutOfRange => "out_of_range",
    /// More members than are taken.
    TooMany => "too_many",
    /// A text that is longer than is taken.
    TooLong => "too_long",
    /// Two fields that exclude each other.
    Conflicting => "conflicting",
    /// A value that stands twice.
    Duplicate => "duplicate",
    /// A query that cannot be read.
    InvalidQuery => "invalid_query",
    /// A time or time span that cannot be read.
    InvalidTime => "invalid_time",
    /// A price file that cannot be read.
    InvalidPriceFile => "invalid_price_file",
    /// A name that stands for nothing that exists.
    Unknown => "unknown",
    /// An identifier of nothing that exists.
    NotFound => "not_found",
    /// A value that this release does not serve yet.
    NotAvailable => "not_available",
    /// A value that the caller may not use.
    NotAllowed => "not_allowed",
    /// A permission that the caller does not hold and therefore cannot give.
    NotHeld => "not_held",
    /// A name that Reeve keeps for itself.
    Reserved => "reserved",
    /// A combination that is not served.
    Unsupported => "unsupported",
    /// A time that lies in the past.
    InThePast => "in_the_past",
    /// A time that lies too far ahead.
    TooLate => "too_late",
    /// A password that is wrong.
    Wrong => "wrong",
    /// A new password that equals the old one.
    Unchanged => "unchanged",
    /// A password that is guessed too easily.
    TooWeak => "too_weak",
    /// A query parameter that there is not.
    UnknownParameter => "unknown_parameter",
    /// A query parameter that stands twice.
    DuplicateParameter => "duplicate_parameter",
    /// An aggregation that there is not.
    UnknownAggregation => "unknown_aggregation",
    /// A column that there is not.
    UnknownColumn => "unknown_column",
    /// A rule that names a channel, and none exists.
    NoChannel => "no_channel",
    /// An identifier that an entry with another content has.
    EventIdConflict => "event_id_conflict",
    /// An entry that was not written, since another one of its batch could not be.
    NotWritten => "not_written",
    /// A batch without entries.
    EmptyBatch => "empty_batch",
    /// A batch of more entries or bytes than is taken.
    BatchTooLarge => "batch_too_large",
    /// An entry of more bytes than is taken.
    EntryTooLarge => "entry_too_large",
    /// An object with a member twice.
    DuplicateKey => "duplicate_key",
    /// Half of a surrogate pair in a text.
    LoneSurrogate => "lone_surrogate",
    /// Bytes that are not UTF-8.
    InvalidUtf8 => "invalid_utf8",
    /// An integer beyond 2^53.
    IntegerTooLarge => "integer_too_large",
    /// A number that no double holds.
    NumberTooLarge => "number_too_large",
    /// Members nested deeper than is taken.
    TooDeep => "too_deep",
    /// Bytes after the end of the value.
    TrailingBytes => "trailing_bytes",
    /// Text that is not JSON.
    InvalidJson => "invalid_json",
}

impl fmt::Display for FieldCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq<&str> for FieldCode {
    fn eq(&self, name: &&str) -> bool {
        self.as_str() == *name
    }
}

/// One failing field of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Dotted path, such as `actor.emial` or `metadata.tags[2]`; empty for the entry as a whole.
    pub path: String,
    pub code: FieldCode,
    /// A sentence for people that follows the path.
    pub message: String,
    /// Byte offset of the fault in the submitted text, from 0; `None` if the text is well-formed
    /// JSON and a value is wrong.
    pub offset: Option<usize>,
}

impl FieldError {
    /// An error about the field at `path`.
    pub fn new(path: impl Into<String>, code: FieldCode, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            code,
            message: message.into(),
            offset: None,
        }
    }
}

impl From<JsonError> for FieldError {
    fn from(e: JsonError) -> Self {
        Self {
            path: e.path.to_string(),
            code: e.fault.code(),
            message: format!("{} (byte {})", e.fault, e.offset),
            offset: Some(e.offset),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for FieldError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_about_wrong_fields_explains_every_code() {
        let page = include_str!("../../../docs/errors/invalid_fields.md");
        for code in FieldCode::ALL {
            assert!(page.contains(&format!("| `{code}` |")), "{code}");
        }
    }
}
