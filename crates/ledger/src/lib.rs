//! The ledger: append, sequence, commit, publish.
//!
//! Handlers prepare drafts in parallel; one sequencer numbers them, appends one frame to the write-ahead log, syncs it,
//! signs the new tree head and acknowledges. What was acknowledged survives `kill -9` and power loss. Sealed entries go to
//! segments through the [`SegmentStore`] port; readers see both through [`Trail`]. Formats: `docs/formats/`.

pub mod entry;
pub mod segment;
pub mod tail;
pub mod trail;

pub use entry::{Receipt, SealedEntry, StoredEntry};
pub use segment::{SegmentError, SegmentMeta, SegmentStore};
pub use tail::{Tail, View};
pub use trail::{Page, SearchRequest, Trail, TrailError};
