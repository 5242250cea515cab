//! Severities as their names, in stored documents.

use reeve_audit::Severity;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};

#[allow(clippy::trivially_copy_pass_by_ref)] // The form that serde asks for.
pub(crate) fn serialize<S: Serializer>(severity: &Severity, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(severity.as_str())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Severity, D::Error> {
    let name = String::deserialize(from)?;
    name.parse()
        .map_err(|error| D::Error::custom(format!("severity {error}")))
}
