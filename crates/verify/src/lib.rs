//! The auditor of Reeve's log: re-reads a data directory, a proof file or a running service with
//! readers of its own, written from `docs/formats/`, and says what holds, what does not, and what
//! it did not look at.
//!
//! It shares the hashes (`reeve-tlog`) and the reader of entries (`reeve-audit`) with the service,
//! and nothing that the service writes its files with. It only reads.
//!
//! | concern | items |
//! |---|---|
//! | a data directory | [`verify_directory`] |
//! | a proof file | [`verify_proof`] |
//! | an export, by its manifest | [`verify_export`] |
//! | a report, by its manifest, or its JSON alone | [`verify_report_files`], [`verify_report`] |
//! | a running service | [`verify_remote`] |
//! | what was found | [`Report`], [`Finding`] |
//! | why nothing was found out | [`CannotVerify`] |

mod anchor;
mod attested;
mod audit;
mod claim;
pub mod cli;
mod cpu;
mod deletions;
mod derived;
mod directory;
mod error;
mod evidence;
mod expiry;
mod export;
mod finding;
mod kept;
mod key;
mod manifest;
mod missing;
mod progress;
mod proof;
mod records;
mod remote;
mod report;
mod sealed;
mod segment;
mod sequence;
mod snapshot;
mod submitters;
mod tier_folder;
mod wal;
mod walk;

pub use attested::ManifestReport;
pub use claim::EntryFault;
pub use directory::{DirectoryOptions, verify_directory};
pub use error::CannotVerify;
pub use evidence::{ProvenReport, ReportFault, verify_report, verify_report_files};
pub use expiry::{ErasedRange, ExpiredRange};
pub use export::verify_export;
pub use finding::{Finding, MAX_FINDINGS};
pub use kept::{KeptCheckpoint, TooFewWitnesses, Witnesses};
pub use key::{Key, KeySource};
pub use missing::Missing;
pub use progress::Progress;
pub use proof::{ProofFault, Proven, verify_proof};
pub use remote::{Remote, verify_remote};
pub use report::{Report, VerifiedCounts};
pub use submitters::Submitters;
pub use tier_folder::{TierFolder, TierFolderError};
