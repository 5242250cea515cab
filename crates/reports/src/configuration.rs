//! Results of checks of configurations, by control of a framework: what was checked as of the end
//! of a period, and what changed within it. The checks belong to another crate; a host reads their
//! results through [`ConfigurationReader`].
//!
//! The section states what was checked. It never states that a control is satisfied.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Obstacle;

use crate::definition::Filters;
use crate::period::ReportPeriod;

/// Failing resources that are listed of a control; all are counted.
pub const MOST_FAILING: usize = 10;
/// Answer of an entry that records a listed result, beside the identifiers of the queries it answers.
pub const RECORDED: &str = "configuration";

/// Number of results by answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckedCounts {
    pub passed: u64,
    /// Results that failed, accepted ones included.
    pub failed: u64,
    /// Results that failed and that a person accepted until a time.
    pub excepted: u64,
    /// A value that decides could not be read or is missing.
    pub unknown: u64,
    /// The check says nothing about resources of this form.
    pub not_applicable: u64,
}

/// Changes of results within the period, each counted as often as it occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckedChanges {
    /// Results that became "failed", first results included.
    pub began_failing: u64,
    /// Failed results that became another answer. A resource that is gone is not among them.
    pub stopped_failing: u64,
}

/// Result of a check that a resource fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingResult {
    /// Identifier of the check.
    pub check: String,
    /// Statement that holds where the check passes.
    pub check_title: String,
    pub severity: &'static str,
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    pub account: String,
    pub region: String,
    /// Reason, as a sentence that names the values which decided.
    pub why: String,
    /// First time of this answer without another in between.
    pub since: Timestamp,
    /// SHA-256 of the configuration that was judged.
    pub document: Option<String>,
    /// Entry of the log that recorded the result.
    pub event_id: String,
    /// Position of that entry; `None` where the log does not keep it any more.
    pub sequence: Option<u64>,
    /// Exception under which a person accepted the failure.
    pub exception: Option<ResultException>,
}

/// Decision of a person that a check may fail until a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultException {
    pub reason: String,
    /// Name in records of the person who accepted it.
    pub by: String,
    pub at: Timestamp,
    /// End; `None` for one that lasts until it is removed.
    pub ends_at: Option<Timestamp>,
}

/// Control of the framework, with the results of the checks that prove it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckedControl {
    /// Number in the framework.
    pub number: String,
    pub title: String,
    /// Evidence that people must show; `None` where checks show all.
    pub by_hand: Option<String>,
    /// Number of checks; 0 for a control that people alone show.
    pub checks: u64,
    pub results: CheckedCounts,
    pub changes: CheckedChanges,
    /// Results that failed, the most severe first, at most [`MOST_FAILING`].
    pub failing: Vec<FailingResult>,
}

/// Agent that checks the framework.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckingAgent {
    pub name: String,
    /// End of its last run, if there was one.
    pub last_run_at: Option<Timestamp>,
}

/// Configurations as checks found them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportConfiguration {
    /// Framework in the catalogue of checks.
    pub framework: String,
    pub title: String,
    pub edition: String,
    /// Results are those in force just before this time.
    pub as_of: Timestamp,
    /// Agents that check the framework when the report is made.
    pub agents: Vec<CheckingAgent>,
    /// All results of the framework, each counted once.
    pub results: CheckedCounts,
    /// Controls in the order of the framework.
    pub controls: Vec<CheckedControl>,
}

/// Results that a report asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigurationRequest<'a> {
    /// Framework in the catalogue of checks, as the template names it.
    pub framework: &'a str,
    /// Changes are counted from its beginning; results are as of its end.
    pub period: ReportPeriod,
    /// Accounts and resources that narrow the results.
    pub filters: &'a Filters,
}

/// Reads results of checks.
#[async_trait]
pub trait ConfigurationReader: Send + Sync {
    /// Returns the results of a framework; `None` for a framework without checks.
    ///
    /// # Errors
    /// The results could not be read.
    async fn configuration(
        &self,
        request: ConfigurationRequest<'_>,
    ) -> Result<Option<ReportConfiguration>, Obstacle>;
}

impl CheckedCounts {
    /// Returns the number of all results.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.passed + self.failed + self.unknown + self.not_applicable
    }
}

impl std::ops::AddAssign for CheckedCounts {
    fn add_assign(&mut self, other: CheckedCounts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.excepted += other.excepted;
        self.unknown += other.unknown;
        self.not_applicable += other.not_applicable;
    }
}

impl std::ops::AddAssign for CheckedChanges {
    fn add_assign(&mut self, other: CheckedChanges) {
        self.began_failing += other.began_failing;
        self.stopped_failing += other.stopped_failing;
    }
}

impl ReportConfiguration {
    /// Returns `true` if a check of the framework had a result.
    #[must_use]
    pub const fn is_checked(&self) -> bool {
        self.results.total() > 0
    }

    /// Returns the entries that recorded the listed results.
    #[must_use]
    pub fn event_ids(&self) -> BTreeSet<&str> {
        self.failing().map(|one| one.event_id.as_str()).collect()
    }

    /// Returns the positions of the entries that recorded the listed results.
    #[must_use]
    pub fn sequences(&self) -> BTreeSet<u64> {
        self.failing().filter_map(|one| one.sequence).collect()
    }

    /// Sets the positions of the entries, by their identifiers.
    pub fn locate(&mut self, positions: &BTreeMap<String, u64>) {
        let failing = self
            .controls
            .iter_mut()
            .flat_map(|control| &mut control.failing);
        for one in failing {
            one.sequence = positions.get(&one.event_id).copied();
        }
    }

    fn failing(&self) -> impl Iterator<Item = &FailingResult> {
        self.controls.iter().flat_map(|control| &control.failing)
    }

    /// Returns what the section says first: as of when, by whom, and how to begin where nobody
    /// checked.
    #[must_use]
    pub fn lead(&self, as_of: &str) -> String {
        let framework = format!("{}, {}", self.title, self.edition);
        if !self.is_checked() {
            return format!(
                "No configuration was checked against {framework} before {as_of}, so the report has no results of checks. To begin, connect the \
                 cloud accounts and create an agent of the type Compliance intelligence that names {}: Intelligence Automation > Agents, or \
                 POST /api/v1/intelligence/agents. Results count from its first run on.",
                self.framework,
            );
        }

        format!(
            "Results of the checks of {framework}, as they were just before {as_of}. A result is written when it differs from the one before, \
             with an entry of the log. The numbers say what was checked, and no more: whether a control is met is for an auditor."
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn configuration(failed: u64) -> ReportConfiguration {
        let one = |event_id: &str| FailingResult {
            check: "aws.s3.versioning_enabled".to_owned(),
            check_title: "Versions are kept".to_owned(),
            severity: "medium",
            resource_id: "invoices".to_owned(),
            resource_name: "invoices".to_owned(),
            kind: "bucket".to_owned(),
            account: "111122223333".to_owned(),
            region: "eu-west-1".to_owned(),
            why: "`Versioning` is not set.".to_owned(),
            since: Timestamp::UNIX_EPOCH,
            document: None,
            event_id: event_id.to_owned(),
            sequence: None,
            exception: None,
        };
        ReportConfiguration {
            framework: "soc2".to_owned(),
            title: "SOC 2".to_owned(),
            edition: "2017".to_owned(),
            as_of: Timestamp::UNIX_EPOCH,
            agents: Vec::new(),
            results: CheckedCounts {
                failed,
                ..CheckedCounts::default()
            },
            controls: vec![CheckedControl {
                failing: vec![one("e-1"), one("e-2"), one("e-1")],
                ..CheckedControl::default()
            }],
        }
    }

    #[test]
    fn entries_are_named_once_and_located_where_the_log_keeps_them() {
        let mut configuration = configuration(3);
        assert_eq!(configuration.event_ids(), BTreeSet::from(["e-1", "e-2"]));
        assert!(configuration.sequences().is_empty());

        configuration.locate(&BTreeMap::from([("e-1".to_owned(), 7)]));
        assert_eq!(configuration.sequences(), BTreeSet::from([7]));
        assert_eq!(configuration.controls[0].failing[1].sequence, None);
    }

    #[test]
    fn a_framework_that_nobody_checked_says_how_to_begin() {
        let lead = configuration(0).lead("1 November");
        assert!(lead.contains("No configuration was checked against SOC 2"));
        assert!(lead.contains("Compliance intelligence"));

        let lead = configuration(1).lead("1 November");
        assert!(lead.contains("just before 1 November") && !lead.contains("No configuration"));
    }
}
