//! The lake: Parquet tables on an object store, with DataFusion as the one engine over them. One
//! room a table.
//!
//! [`entries`] keeps sealed audit entries and searches them together with the ledger's unsealed
//! tail; [`samples`] keeps metric samples; [`read_bill`] reads FOCUS files that clouds export,
//! and [`read_flow_records`] flow logs.
//! Nothing outside this crate sees Arrow, Parquet or DataFusion. Formats: `docs/formats/segment.md`
//! and `docs/formats/samples.md`.

mod archive;
mod bills;
pub mod entries;
mod flow_records;
mod iceberg;
mod ocsf_file;
mod place;
pub mod samples;
mod text_table;

pub use archive::{ArchivePlace, FolderPlace};
pub use bills::{BillError, read_bill};
pub use entries::{EntryFile, EntrySearch, EntrySegments, SealedPlace, TierPlaces, Views};
pub use flow_records::{FlowFileError, read_flow_records};
pub use iceberg::{IcebergTable, IcebergTables, PublishedTable};
pub use ocsf_file::{OcsfFileError, write_ocsf_file};
pub use place::PlaceError;
pub use samples::SampleLake;
