//! Error of reading a body or a query into its type. The kind of the error is a value, so that no
//! answer depends on serde's sentences.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// Kind of a [`Mismatch`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MismatchKind {
    /// The type has no field of this name.
    UnknownField(String),
    /// A field without a default is absent.
    MissingField(&'static str),
    /// A field is given twice.
    DuplicateField(&'static str),
    /// The value has another JSON type.
    WrongType,
    /// The value has the right type and is not permitted.
    InvalidValue,
}

/// Input that does not fit its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) kind: MismatchKind,
    pub(super) message: String,
}

impl Mismatch {
    fn new(kind: MismatchKind, message: impl fmt::Display) -> Self {
        Mismatch {
            kind,
            message: message.to_string(),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Mismatch::new(MismatchKind::InvalidValue, message)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let message = match found {
            Unexpected::Unit => format!("invalid type: null, expected {expected}"),
            found => format!("invalid type: {found}, expected {expected}"),
        };
        Mismatch::new(MismatchKind::WrongType, message)
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Mismatch::new(
            MismatchKind::UnknownField(field.to_owned()),
            "the field does not exist",
        )
    }

    fn missing_field(field: &'static str) -> Self {
        Mismatch::new(MismatchKind::MissingField(field), "is needed")
    }

    fn duplicate_field(field: &'static str) -> Self {
        Mismatch::new(MismatchKind::DuplicateField(field), "is given twice")
    }
}
