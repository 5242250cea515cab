//! Reviews of exceptions: a person looked at the entries of an exception and said what they are.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::definition::ReportId;
use crate::run::{ReportRun, RunId};

/// Longest comment that is accepted, in characters.
pub const LONGEST_COMMENT: usize = 2_000;

/// Review of an exception of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub id: String,
    /// Report whose later runs show it.
    pub report: ReportId,
    /// Run whose entries were looked at.
    pub run: RunId,
    /// Question, such as `CC6.1.exception.1`.
    pub question: String,
    /// Entries that the run found.
    pub entries: u64,
    /// Sequence from which on entries are newer than the review.
    pub up_to: u64,
    /// Result, in the reviewer's words.
    pub comment: String,
    /// Identifier of the reviewer.
    pub user: String,
    /// E-mail address of that user.
    pub user_email: String,
    pub created_at: Timestamp,
}

impl Review {
    /// Returns what the entry about the review says.
    #[must_use]
    pub fn metadata(&self, run: &ReportRun) -> Value {
        json!({
            "id": self.id,
            "run_id": self.run.0,
            "report_id": self.report.0,
            "report": run.report_name,
            "question": self.question,
            "entries": self.entries,
            "up_to": self.up_to,
            "comment": self.comment,
        })
    }
}
