//! The audit entry and everything that can be said about it without storing it: its canonical
//! bytes, the door that refuses what is not an entry, the query language, the formats other
//! programs read, and which entries are kept how long.
//!
//! Pure: no input or output, no other crate of Reeve's.

pub mod entry;
pub mod events;
pub mod format;
pub mod instant;
pub mod json;
pub mod query;
pub mod retention;

mod address;
mod batch;
mod door;
mod draft;
mod field_error;
mod obstacle;
mod suggest;

pub use address::parse_address;
pub use batch::{BatchContent, BatchError, MAX_BATCH, parse_batch};
pub use draft::{Draft, MAX_ENTRY_BYTES, ReadBackError, claim_digest};
pub use entry::{
    Action, ActionMethod, ActionStatus, Actor, ActorType, Entry, EntryChanges, EventId, EventType,
    Metadata, ResourceRef, Severity, Submitter, SubmitterField, SubmitterType, Tags,
    is_email_address,
};
pub use events::EventKind;
pub use field_error::{FieldCode, FieldError};
pub use instant::{format_instant, parse_instant};
pub use json::Json;
pub use obstacle::Obstacle;
pub use retention::{RetentionClass, Tier};
