//! Forms that all bodies share: lists, enumerations, names, quantities, objects.

pub mod enumeration;
pub mod list;
pub mod name;
pub mod object;
pub mod quantity;
