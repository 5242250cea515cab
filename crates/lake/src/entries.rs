//! The entries table: sealed audit entries in Parquet segments, searched together with the ledger's
//! unsealed tail.
//!
//! [`EntrySegments`] writes and reads segments; [`EntrySearch`] finds entries in them. The meaning
//! of a query is decided by `reeve_audit::query` alone: columns only answer faster. A segment that
//! is missing or is not what was written makes a search fail, naming the file; it never makes the
//! answer smaller. Format: `docs/formats/segment.md`.
//!
//! The path of a search, from the top down. A file imports only files below it:
//!
//! ```text
//! search.rs                  request → Job, Matches → EntryPage     read_on.rs and lookup.rs make jobs of their own
//!   search/log_parts.rs      the job over the tail and the segments, nearest first, until the page is full
//!     search/tail.rs         unsealed entries: by the index of a piece (tail/pieces.rs), or one by one
//!     search/segment.rs      one sealed segment: by_index, or by_scan where it has no sound index
//!       segment/by_index.rs  rows that surely match; those that may match are read (UUIDs: uuid_words.rs)
//!       segment/by_scan.rs   rows that meet the whole predicate
//!         segment/rows.rs    a scan of the segment's rows, in turns with other searches
//!     search/fetch.rs        the entries of the page, read by row and restored against the tree
//!       search/job.rs        Job, Found and Matches; workers.rs runs parts side by side
//! predicate.rs  tally.rs  budget.rs            the query, the counts and the time of one search
//! index.rs  segments.rs  scan.rs  rows.rs      files: the index, the segment, its scan, single rows of it
//! tiers.rs  fetched.rs                         segments of the farther tiers, and local copies of them
//! ```

mod archived;
mod budget;
mod columns;
mod content;
mod cut;
mod decode;
mod encode;
mod export;
mod faults;
mod fetched;
mod functions;
mod index;
mod mend;
mod predicate;
mod rows;
mod scan;
mod schema;
mod search;
mod segments;
mod tally;
mod tiers;
mod translate;
mod values;
mod views;

pub use export::EntryFile;
pub(crate) use schema::{SEQUENCE_ID, TIMESTAMP_ID, numbered_columns};
pub use search::EntrySearch;
pub use segments::EntrySegments;
pub use tiers::TierPlaces;
pub use views::{SealedPlace, Views};
