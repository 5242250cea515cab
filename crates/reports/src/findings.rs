//! Findings of a report: counts, samples, groups. All of them are bounded, however long the log is.

use jiff::Timestamp;

use crate::period::{Period, TimeBucket};

/// Number of distinct values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distinct {
    /// Values counted.
    pub count: u64,
    /// Set when counting stopped at a bound: there may be more.
    pub at_least: bool,
}

/// Members of a cited entry that a report shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Position in the log.
    pub sequence: u64,
    /// Identifier.
    pub event_id: String,
    /// Time of the event.
    pub timestamp: Timestamp,
    /// Type.
    pub event_type: String,
    /// Severity.
    pub severity: String,
    /// E-mail address, else identifier, of the actor.
    pub user: Option<String>,
    /// Address of the actor.
    pub ip_address: Option<String>,
    /// Type of the resource.
    pub resource_type: Option<String>,
    /// Identifier of the resource.
    pub resource_id: Option<String>,
    /// Account of the resource.
    pub account_id: Option<String>,
    /// Operation.
    pub operation: Option<String>,
    /// Status of the action.
    pub status: Option<String>,
}

/// Findings for one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Number of entries.
    pub found: u64,
    /// Users among them.
    pub users: Distinct,
    /// Resources among them.
    pub resources: Distinct,
    /// Time of the earliest.
    pub first_at: Option<Timestamp>,
    /// Time of the latest.
    pub last_at: Option<Timestamp>,
    /// A sample, drawn evenly over all of them, in order of their sequence.
    pub sample: Vec<Cited>,
}

/// Value and how many entries have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    /// Value.
    pub value: String,
    /// Number of entries.
    pub count: u64,
}

/// Row of a grouped report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRow {
    /// Values of the group's fields, in their order; `None` where entries have none.
    pub values: Vec<Option<String>>,
    /// Number of entries.
    pub events: u64,
    /// Users among them.
    pub users: Distinct,
    /// Resources among them.
    pub resources: Distinct,
}

/// Findings of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// Times that were looked at.
    pub period: Period,
    /// Entries that answer at least one question.
    pub entries: u64,
    /// Number of entries that are listed with their content.
    pub listed: u64,
    /// Users among them.
    pub users: Distinct,
    /// Resources among them.
    pub resources: Distinct,
    /// Entries by time: first instants of bars, and counts.
    pub by_time: Vec<(Timestamp, u64)>,
    /// Length of those bars.
    pub bucket: TimeBucket,
    /// The most frequent event types.
    pub by_event_type: Vec<Top>,
    /// The most frequent users.
    pub by_user: Vec<Top>,
    /// The most frequent resources.
    pub by_resource: Vec<Top>,
    /// One answer for each question of the plan, in its order.
    pub answers: Vec<Answer>,
    /// Groups of a custom report, the most frequent first.
    pub groups: Vec<GroupRow>,
    /// Entries of groups beyond the bound on groups.
    pub ungrouped: u64,
}

/// Summary of a control's answers. It is no verdict on compliance: an auditor gives that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlStatus {
    /// There are entries as evidence, and no exceptions.
    Evidence,
    /// There are entries that somebody should look at.
    Exceptions,
    /// The log has no entries for it in the period.
    NoEntries,
    /// No log can show it: the evidence must come from elsewhere.
    Outside,
}

impl ControlStatus {
    /// Every status, in the order in which reports show them.
    pub const ALL: [ControlStatus; 4] = [Self::Evidence, Self::Exceptions, Self::NoEntries, Self::Outside];

    /// Name in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ControlStatus::Evidence => "evidence",
            ControlStatus::Exceptions => "exceptions",
            ControlStatus::NoEntries => "no_entries",
            ControlStatus::Outside => "outside_the_log",
        }
    }

    /// Words for readers.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            ControlStatus::Evidence => "Evidence found",
            ControlStatus::Exceptions => "Exceptions to review",
            ControlStatus::NoEntries => "No entries found",
            ControlStatus::Outside => "Evidence outside the log",
        }
    }

    /// Returns the status from counts of entries; `asks` is false for a control without questions.
    #[must_use]
    pub const fn from_counts(asks: bool, evidence: u64, exceptions: u64) -> ControlStatus {
        match (asks, evidence, exceptions) {
            (false, _, _) => ControlStatus::Outside,
            (true, _, 1..) => ControlStatus::Exceptions,
            (true, 1.., 0) => ControlStatus::Evidence,
            (true, 0, 0) => ControlStatus::NoEntries,
        }
    }
}
