//! Findings of a report: counts, samples, groups. All of them are bounded, however long the log is.

use jiff::Timestamp;

use crate::configuration::ReportConfiguration;
use crate::coverage::Coverage;
use crate::period::{ReportPeriod, TimeBucket};
use crate::plan::ReportQuestion;
use crate::review::Review;
use crate::source::EventSource;

/// Number of distinct values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distinct {
    /// Number of distinct values that were counted.
    pub count: u64,
    /// Set when counting stopped at a bound: there may be more.
    pub at_least: bool,
}

/// Members of a cited entry that a report shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Position in the log.
    pub sequence: u64,
    pub event_id: String,
    /// Time of the event.
    pub timestamp: Timestamp,
    pub event_type: String,
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
    pub operation: Option<String>,
    /// Status of the action.
    pub status: Option<String>,
    /// Party that handed the entry in, in words.
    pub submitted_by: String,
}

/// Findings for one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportAnswer {
    /// Number of entries that the question found.
    pub found: u64,
    /// Distinct users of the entries.
    pub users: Distinct,
    /// Distinct resources of the entries.
    pub resources: Distinct,
    /// Time of the earliest.
    pub first_at: Option<Timestamp>,
    /// Time of the latest.
    pub last_at: Option<Timestamp>,
    /// Days, in UTC, with an entry.
    pub days: u64,
    /// Longest time of the period without an entry, whole days, up to its beginning and end.
    pub longest_gap_days: u64,
    /// A sample, drawn evenly over all of them, in order of their sequence.
    pub sample: Vec<Cited>,
}

/// Value and how many entries have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    pub value: String,
    pub count: u64,
}

/// Row of a grouped report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRow {
    /// Values of the group's fields, in their order; `None` where entries have none.
    pub values: Vec<Option<String>>,
    pub events: u64,
    /// Distinct users of the entries.
    pub users: Distinct,
    /// Distinct resources of the entries.
    pub resources: Distinct,
}

/// Findings of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFindings {
    /// Times that were looked at.
    pub period: ReportPeriod,
    /// Entries that answer at least one question.
    pub entries: u64,
    /// Number of entries that are listed with their content.
    pub listed: u64,
    /// Distinct users of the entries.
    pub users: Distinct,
    /// Distinct resources of the entries.
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
    pub answers: Vec<ReportAnswer>,
    /// Groups of a custom report, the most frequent first.
    pub groups: Vec<GroupRow>,
    /// Entries of groups beyond the bound on groups.
    pub ungrouped: u64,
    /// Coverage of the period. The host completes it.
    pub coverage: Coverage,
    /// Results of checks of configurations, for a framework that has checks. The host adds them.
    pub configuration: Option<ReportConfiguration>,
    /// Sources that the log has entries of. All of them, until the host says otherwise.
    pub connected: Vec<EventSource>,
    /// Reviews of exceptions in earlier runs of the report, the latest first. The host adds them.
    pub reviews: Vec<Review>,
}

impl ReportFindings {
    /// Returns `true` if a source of the log can write an entry that the question finds.
    #[must_use]
    pub fn has_source(&self, question: &ReportQuestion, answer: &ReportAnswer) -> bool {
        answer.found > 0
            || question
                .sources
                .iter()
                .any(|source| self.connected.contains(source))
    }

    /// Returns `true` if entries occur as often as the control needs.
    #[must_use]
    pub fn is_often_enough(question: &ReportQuestion, answer: &ReportAnswer) -> bool {
        question
            .every_days
            .is_none_or(|days| answer.found > 0 && answer.longest_gap_days <= u64::from(days))
    }

    /// Returns the latest review of a question.
    #[must_use]
    pub fn review_of(&self, question: &str) -> Option<&Review> {
        self.reviews
            .iter()
            .find(|review| review.question == question)
    }
}

/// Summary of a control's answers. It is no verdict on compliance: an auditor gives that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlStatus {
    /// There are entries as evidence, as often as the control needs, and no exceptions.
    Evidence,
    /// There are entries as evidence, but less often than the control needs, or no source connected
    /// that would show exceptions.
    Incomplete,
    /// There are entries that somebody should look at.
    Exceptions,
    /// The log has no entries for it in the period.
    NoEntries,
    /// No source is connected that could write an entry for it.
    NoSource,
    /// No log can show it: the evidence must come from elsewhere.
    Outside,
}

impl ControlStatus {
    /// Every status, in the order in which reports show them.
    pub const ALL: [ControlStatus; 6] = [
        Self::Evidence,
        Self::Incomplete,
        Self::Exceptions,
        Self::NoEntries,
        Self::NoSource,
        Self::Outside,
    ];

    /// Name of the status in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ControlStatus::Evidence => "evidence",
            ControlStatus::Incomplete => "incomplete",
            ControlStatus::Exceptions => "exceptions",
            ControlStatus::NoEntries => "no_entries",
            ControlStatus::NoSource => "no_source",
            ControlStatus::Outside => "outside_the_log",
        }
    }

    /// Label of the status for readers.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            ControlStatus::Evidence => "Evidence found",
            ControlStatus::Incomplete => "Evidence incomplete",
            ControlStatus::Exceptions => "Exceptions to review",
            ControlStatus::NoEntries => "No entries found",
            ControlStatus::NoSource => "No source connected",
            ControlStatus::Outside => "Evidence outside the log",
        }
    }

    /// Returns the status of a control from the answers to its questions.
    #[must_use]
    pub fn of_answers(
        findings: &ReportFindings,
        evidence: &[Asked<'_>],
        exceptions: &[Asked<'_>],
    ) -> ControlStatus {
        let found = |asked: &[Asked<'_>]| asked.iter().any(|(_, answer)| answer.found > 0);
        let sourced = |(question, answer): &Asked<'_>| findings.has_source(question, answer);
        if evidence.is_empty() {
            return ControlStatus::Outside;
        }
        if found(exceptions) {
            return ControlStatus::Exceptions;
        }

        if !found(evidence) {
            return if evidence.iter().any(sourced) {
                ControlStatus::NoEntries
            } else {
                ControlStatus::NoSource
            };
        }

        let often = evidence.iter().filter(|one| sourced(one));
        let is_often_enough = often
            .clone()
            .all(|(question, answer)| ReportFindings::is_often_enough(question, answer));

        // Without a source, no exception found is not a sign that there was none.
        if is_often_enough && exceptions.iter().all(sourced) {
            ControlStatus::Evidence
        } else {
            ControlStatus::Incomplete
        }
    }
}

/// A question with its answer.
pub type Asked<'a> = (&'a ReportQuestion, &'a ReportAnswer);
