//! The entries table: sealed audit entries in Parquet segments, searched together with the ledger's unsealed tail.
//!
//! [`EntrySegments`] writes and reads segments; [`EntrySearch`] finds entries in them. What a query means is decided by
//! `reeve_audit::query` alone: columns only answer faster. A segment that is missing or is not what was written makes a
//! search fail, naming the file; it never makes the answer smaller. Format: `docs/formats/segment.md`.

mod budget;
mod columns;
mod cut;
mod decode;
mod encode;
mod export;
mod functions;
mod index;
mod lookup;
mod mend;
mod onwards;
mod parts;
mod predicate;
mod rows;
mod scan;
mod schema;
mod search;
mod segments;
mod tail;
mod tally;
mod translate;
mod uuids;
mod values;
mod views;
mod windows;

pub use export::EntryFile;
pub use search::EntrySearch;
pub use segments::EntrySegments;
pub use views::Views;
