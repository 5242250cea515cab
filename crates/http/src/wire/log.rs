//! The audit log on the wire: entries, searches, and what is defined over both.

pub mod entry;
pub mod erasure;
pub mod event_type;
pub mod iceberg;
pub mod restore;
pub mod retention;
pub mod saved_search;
pub mod search;
pub mod value_list;
pub mod verification;
