//! Numbers that JSON can hold.

use serde::Serializer;

/// Writes a number, and refuses one that JSON has no form for: it would read back as nothing.
///
/// # Errors
/// The number is infinite or none.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
pub fn finite<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        to.serialize_f64(*value)
    } else {
        Err(serde::ser::Error::custom("a number is not finite"))
    }
}
