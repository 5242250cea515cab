//! AWS CloudTrail records as audit entries, losing nothing.
//!
//! [`RecordReader`] splits a file of any size and shape into records, one at a time; [`map_record`]
//! turns a record into an entry; [`restore`] turns the entry back into the record. What has no
//! field of its own in an entry stands under `metadata.cloudtrail` by its own name.
//! `docs/formats/entry.md` has the table.

mod event_type;
mod files;
mod identity;
mod map;
mod read;
mod record;
mod resource;
mod split;
mod texts;

pub use event_type::event_type;
pub use files::{log_files, open};
pub use map::{map_record, restore, with_distinct_id};
pub use read::{CloudtrailReadError, RecordReader};
pub use record::{CloudtrailRecord, MapError};
pub use split::{MAX_RECORD_BYTES, SplitError, SplitPiece, Splitter};
pub use texts::Texts;
