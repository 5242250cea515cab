//! Exports: jobs that write a part of the log into files, and what becomes of the files.
//!
//! An export is bound to the user who requested it, belongs to the state of the log at its start,
//! and can be gone on with after a crash: [`ExportProgress`] says where whole records end on disk.
//! Formats are those of `reeve_audit::format`, and Parquet, which the lake writes. Nothing here
//! reads the log, SQL or a network. `docs/formats/export.md` describes every byte.
//!
//! | concern | items |
//! |---|---|
//! | what is requested | [`Draft`], [`Selection`], [`ExportFormat`], [`FormatOptions`] |
//! | jobs | [`Export`], [`ExportState`], [`ExportProgress`], [`ExportFailure`] |
//! | the 10 GB limit | [`Estimate`], [`narrower`] |
//! | files | [`TextFile`], [`LeafFile`], [`ExportFile`], [`manifest`] |
//! | places | [`ExportDestination`], [`DestinationSettings`], [`Carrier`] |
//! | recurring exports | [`ScheduledExport`] |

mod destination;
mod draft;
mod estimate;
mod file;
mod format;
mod job;
mod leaves;
pub mod manifest;
mod name;
mod port;
mod recurring;

pub use destination::{
    Carrier, CarryError, DestinationDraft, DestinationId, DestinationKind, DestinationSecret,
    DestinationSettings, ExportDestination,
};
pub use draft::{Draft, Selection};
pub use estimate::{Estimate, EstimateFit, EstimateSpan, LIMIT_BYTES, narrower};
pub use file::{Finished, TextFile, digest};
pub use format::{ExportFormat, FormatOptions};
pub use job::{
    Export, ExportFailure, ExportFile, ExportId, ExportProgress, ExportState, FailureCode,
    FileRole, Requester,
};
pub use leaves::{LeafFile, LeafReader};
pub use port::{ExportFilter, ExportStore};
pub use recurring::{ScheduleId, ScheduledExport};
