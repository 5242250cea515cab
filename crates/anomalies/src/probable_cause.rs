//! Probable cause of an anomaly: the resources around it that deviate or were changed, ranked, with
//! what was ruled out.
//!
//! A grade says how far the evidence goes; there is no percentage, because none was measured on
//! this estate. It is judged while the anomaly is young and stays as it was then. Entries of the log
//! may tell more than every reader may see: the judgement that uses them is kept beside the other one,
//! for readers who may see each of them.

mod judge;
mod season;
mod step;

use jiff::Timestamp;
pub use reeve_learn::causes::CauseGrade;
use serde::{Deserialize, Serialize};

use super::investigation::InvestigationLink;
use super::related_entry::RelatedEntry;
pub(crate) use judge::{CauseFacts, NEEDED, judge};

/// A change of a resource shortly before an anomaly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseChange {
    /// Time of the change, or of the reading that showed it.
    pub at: Timestamp,
    /// Description as a clause.
    pub text: String,
    /// Record of the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<InvestigationLink>,
    /// Entry of the log that tells of it; `None` for changes that every reader of the anomaly sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<RelatedEntry>,
}

/// A resource that may be the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseCandidate {
    /// The provider's identifier of the resource.
    pub resource: String,
    pub name: String,
    pub kind: String,
    /// Certainty; above `inconclusive` for one candidate at most.
    pub grade: CauseGrade,
    /// Start of its deviation; `None` for a resource that was changed and does not deviate itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onset: Option<Timestamp>,
    /// Reasons, each a clause.
    pub reasons: Vec<String>,
    /// Changes shortly before, oldest first.
    pub changes: Vec<CauseChange>,
}

/// A resource that is not the cause, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuledOut {
    /// The provider's identifier of the resource.
    pub resource: String,
    pub name: String,
    /// Reason as a clause.
    pub reason: String,
}

/// Probable cause of an anomaly as it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbableCause {
    /// Time of the judgement.
    pub at: Timestamp,
    /// Grade of the first candidate; `inconclusive` where there is none.
    pub grade: CauseGrade,
    /// Result as a clause.
    pub statement: String,
    /// Candidates, the best first.
    pub candidates: Vec<CauseCandidate>,
    /// Resources that are not the cause; at most twenty.
    pub ruled_out: Vec<RuledOut>,
    pub ruled_out_total: u64,
    /// Names of resources whose metrics should exist and were not measured; at most twenty.
    pub unmeasured: Vec<String>,
    /// Resources of the map, and dependencies between them.
    pub resources: u64,
    pub dependencies: u64,
    /// Resources with measurements.
    pub measured: u64,
    /// Limits of the judgement, each a clause.
    pub limits: Vec<String>,
    /// Judgement that uses entries of the log as well, for readers who may see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_entries: Option<Box<ProbableCause>>,
}

impl ProbableCause {
    /// Returns the judgement for a reader: the one with entries of the log if each of them may be
    /// seen.
    #[must_use]
    pub fn seen_by(&self, may_see: impl Fn(&RelatedEntry) -> bool) -> &ProbableCause {
        match &self.with_entries {
            Some(full) if full.entries().all(may_see) => full,
            _ => self,
        }
    }

    /// Returns the entries of the log that the judgement uses.
    pub fn entries(&self) -> impl Iterator<Item = &RelatedEntry> {
        let changes = self.candidates.iter().flat_map(|one| &one.changes);
        changes.filter_map(|change| change.entry.as_ref())
    }

    /// Returns the first candidate if it is more than one possibility.
    #[must_use]
    pub fn named(&self) -> Option<&CauseCandidate> {
        let first = self.candidates.first();
        first.filter(|one| one.grade > CauseGrade::Inconclusive)
    }
}
