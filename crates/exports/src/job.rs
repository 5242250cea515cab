//! An export as a job: states, progress, outcome.

use jiff::Timestamp;
use reeve_access::UserId;
use serde::{Deserialize, Serialize};

use crate::destination::DestinationId;
use crate::draft::Selection;
use crate::estimate::Estimate;
use crate::name::names;
use crate::recurring::ScheduleId;

/// Identifier of an export, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ExportId(pub String);

names!(
    /// State of an export.
    ExportState {
        /// Waits for the exports before it.
        Queued => "queued",
        /// Files are being written.
        Running => "running",
        /// All files are complete.
        Succeeded => "succeeded",
        /// Ended without a result; the failure says why.
        Failed => "failed",
        /// Was cancelled by a person.
        Cancelled => "cancelled",
    }
);

impl ExportState {
    /// Returns `true` for states that an export never leaves.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            ExportState::Succeeded | ExportState::Failed | ExportState::Cancelled
        )
    }
}

names!(
    /// Kind of failure, by the name that people and programs see.
    FailureCode {
        /// More bytes than one export may have.
        TooLarge => "export_too_large",
        /// The requester may no longer export, or is no longer active.
        PermissionMissing => "permission_missing",
        /// The destination does not exist, refuses, or does not answer. The files can still be
        /// downloaded.
        DestinationUnreachable => "destination_unreachable",
        /// A part of the log is damaged.
        LogDamaged => "log_damaged",
        /// A part of the log lies in a tier that does not answer, or that was not restored.
        LogAway => "log_away",
        /// The disk for the files is full.
        DiskFull => "disk_full",
        /// A search took too long.
        QueryTooCostly => "query_too_costly",
        /// Any other failure; the service's own log has the cause.
        Internal => "internal",
    }
);

/// Reason why an export failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(FailureCode, String)", into = "(FailureCode, String)")]
pub struct ExportFailure {
    /// Kind of the failure.
    pub code: FailureCode,
    /// Sentence for people: what happened and what to do.
    pub message: String,
}

/// Stored as its code and its message.
impl From<ExportFailure> for (FailureCode, String) {
    fn from(failure: ExportFailure) -> Self {
        (failure.code, failure.message)
    }
}

impl From<(FailureCode, String)> for ExportFailure {
    fn from((code, message): (FailureCode, String)) -> Self {
        ExportFailure { code, message }
    }
}

/// Person an export is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requester {
    /// User who requested the export.
    pub user: UserId,
    /// E-mail address at the time of the request.
    pub email: String,
    /// Token that the request came with, or that its session began with: its end and roles bound
    /// the export.
    pub token: Option<String>,
    /// Address of the request.
    pub ip_address: Option<String>,
    /// User agent of the request.
    pub user_agent: Option<String>,
}

/// Place up to which an export is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExportProgress {
    /// Next sequence to look at.
    pub position: u64,
    /// Size of the log at the start: entries from there on are left out. 0 before the start.
    pub end: u64,
    /// Number of entries that were written.
    pub entries: u64,
    /// Bytes written, all files together.
    pub bytes: u64,
    /// Files that are complete.
    pub complete_files: u64,
    /// Entries of the complete files.
    pub complete_entries: u64,
    /// Bytes of the complete files.
    pub complete_bytes: u64,
    /// Next sequence behind those: where formats continue from that cannot be cut within a file.
    pub complete_position: u64,
    /// Records that leave out a part of their entry for their length, and say so.
    pub reduced: u64,
    /// Entries that were left out for their length.
    pub skipped: u64,
    /// Sequences of the first and the last entry written.
    pub span: Option<(u64, u64)>,
}

names!(
    /// Purpose of a file.
    FileRole {
        Entries => "entries",
        /// Multi-proof of every entry.
        Proof => "proof",
        /// Manifest of the export.
        Manifest => "manifest",
    }
);

/// File that is complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportFile {
    /// Name, without a folder.
    pub name: String,
    /// Role of the file.
    pub role: FileRole,
    pub bytes: u64,
    /// SHA-256 of the file, in lower-case hex.
    pub sha256: String,
    /// Entries in it; 0 unless its purpose is entries.
    pub entries: u64,
}

/// An export: a job, its progress and its files.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Identifier of the export.
    pub id: ExportId,
    /// Name of its files without suffix.
    pub name: String,
    /// Selected entries and the format of their files.
    pub selection: Selection,
    /// Destination of the files; `None` to keep them for download only.
    pub destination: Option<DestinationId>,
    /// Scheduled export that it is a run of.
    pub schedule: Option<ScheduleId>,
    /// First sequence that it may hold; above 0 for runs of a scheduled export.
    pub from_sequence: u64,
    /// Person it is bound to.
    pub requester: Requester,
    /// Request that began it, for the log.
    pub request_id: String,
    /// State of the export.
    pub state: ExportState,
    /// Estimate at the time of the request.
    pub estimate: Estimate,
    /// Place up to which it is on disk.
    pub progress: ExportProgress,
    /// Reason, once it failed.
    pub failure: Option<ExportFailure>,
    /// Files, once they are complete.
    pub files: Vec<ExportFile>,
    /// Address of the files at the destination, once they are there.
    pub delivered_to: Option<String>,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Start of the run.
    pub started_at: Option<Timestamp>,
    /// End of the run.
    pub finished_at: Option<Timestamp>,
    /// Time from which the files may be removed; `None` before the end and once they are.
    pub expires_at: Option<Timestamp>,
    /// Grows by one with each change.
    pub version: u64,
}

impl Export {
    /// Returns the name of files for an identifier and a time of request.
    #[must_use]
    pub fn name_of(id: &ExportId, created_at: Timestamp) -> String {
        let tail: String =
            id.0.chars()
                .rev()
                .filter(char::is_ascii_alphanumeric)
                .take(8)
                .collect();
        let tail: String = tail.chars().rev().collect();

        format!(
            "audit-logs-{}-{tail}",
            created_at.strftime("%Y%m%dT%H%M%SZ")
        )
    }

    /// Returns the name of a file of entries; formats with several files number them from 1.
    #[must_use]
    pub fn file_name(&self, number: u64) -> String {
        let suffix = self.selection.format.suffix();
        match self.selection.format {
            crate::ExportFormat::Parquet => format!("{}-{number:05}.{suffix}", self.name),
            _ => format!("{}.{suffix}", self.name),
        }
    }

    /// Returns the share that is done, percent, by the part of the log that was looked at.
    #[must_use]
    pub fn percent(&self) -> f64 {
        match (self.state, self.progress.end) {
            (ExportState::Succeeded, _) => 100.0,
            (_, 0) => 0.0,
            (_, end) => {
                let looked = self.progress.position.saturating_sub(self.from_sequence) as f64
                    / end.saturating_sub(self.from_sequence).max(1) as f64;
                let counted = self.progress.entries as f64 / self.estimate.entries.max(1) as f64;
                // Matches may all lie at one end of the log, so the better of both measures counts;
                // files are hashed after that.
                (looked.max(counted) * 100.0).clamp(0.0, 99.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_of_files_tell_the_time_and_differ() {
        let at: Timestamp = "2026-11-22T10:11:12Z".parse().unwrap();
        let name = Export::name_of(&ExportId("0193a5b0-7a1c-7000-8000-0123456789ab".into()), at);
        assert_eq!(name, "audit-logs-20261122T101112Z-456789ab");
    }
}
