//! Forms that all bodies share: lists, enumerations, names, quantities, objects.

pub mod enumeration;
pub mod list;
pub mod name;
pub mod object;
pub mod quantity;

use serde::{Deserialize, Deserializer};

/// Reads a field that is given, `null` included: only an absent one is `None`.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}
