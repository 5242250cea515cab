//! Evidence: what checks answered about resources, kept as changes over time.
//!
//! A result is written when it differs from the last one, together with the entry of the log that
//! proves it. How fresh it is follows from the last full run of the agent and the runs over changes
//! since then: what was judged again with the same answer is not written again.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId, ResourceKind, StoreError, VisibleConnections, named};
use serde::{Deserialize, Serialize};

use crate::agent::AgentId;

/// Identifier of the result that says which outsiders reach a resource.
pub const EXPOSURE: &str = "exposure";
/// Identifier of the result that says what a principal can become.
pub const PRIVILEGES: &str = "privileges";
/// Identifier of the result that says whether a security group permits more than is used.
pub const LEAST_PRIVILEGE: &str = "least_privilege";

named!(
    /// Answer of a check about a resource.
    CheckAnswer {
        /// The configuration is as the check demands.
        Pass => "pass",
        /// The configuration is not as the check demands.
        Fail => "fail",
        /// A value that decides could not be read or is missing.
        Unknown => "unknown",
        /// The check says nothing about resources of this form.
        NotApplicable => "not_applicable",
    }
);

named!(
    /// Part of a principal's last uses that was read.
    UseCoverage {
        /// The last use, and the services that were used.
        Full => "full",
        /// The last use, without the services.
        Principal => "principal",
        /// Not even the last use.
        None => "none",
    }
);

named!(
    /// Use of a principal in the window after which access counts as unused.
    UseState {
        Used => "used",
        Unused => "unused",
        /// It is younger than the window.
        New => "new",
        /// It was not read.
        Unknown => "unknown",
    }
);

/// Answer of a check about the resource that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Identifier of the check (`aws.s3.blocks_public_access`).
    pub check: String,
    pub answer: CheckAnswer,
    /// Reason, as a sentence that names the values which decided.
    pub why: String,
    /// Values that the check read, by their paths.
    pub values: serde_json::Value,
    /// SHA-256 of the configuration document that was judged, in hexadecimal.
    pub document: Option<String>,
}

/// Result of a check as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementEvidence {
    /// Agent that judged it.
    pub agent: AgentId,
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub kind: ResourceKind,
    /// Name of the resource when it was judged.
    pub name: String,
    pub account: String,
    pub region: String,
    #[serde(flatten)]
    pub result: CheckResult,
    /// First time of this answer without another in between.
    pub since: Timestamp,
    /// Time at which this result was written.
    pub at: Timestamp,
    /// Entry of the log that recorded it.
    pub event_id: String,
}

impl JudgementEvidence {
    /// Returns the key that it is kept by.
    #[must_use]
    pub fn key(&self) -> EvidenceKey {
        (
            self.connection.clone(),
            self.resource.clone(),
            self.result.check.clone(),
        )
    }
}

/// Key of a result: connection, resource and check.
pub type EvidenceKey = (ConnectionId, ResourceId, String);

/// Filter of the results that are listed or counted. A condition that is `None` includes all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvidenceFilter {
    /// Connections that the reader may see.
    pub visible: VisibleConnections,
    /// Identifiers of checks; empty is all. Lists have the order of these.
    pub checks: Vec<String>,
    pub answer: Option<CheckAnswer>,
    /// Identifiers of resources, `*` is a wildcard; empty is all.
    pub resources: Vec<String>,
    /// Accounts, `*` is a wildcard; empty is all.
    pub accounts: Vec<String>,
    /// The results that were in force just before this time; `None` is now.
    pub before: Option<Timestamp>,
    /// Most results of the answer; 0 is all.
    pub limit: u64,
    pub offset: u64,
}

/// Number of results of a check with one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceCount {
    pub check: String,
    pub answer: CheckAnswer,
    pub count: u64,
}

/// Number of results of a check that took the place of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceChange {
    pub check: String,
    /// Answer before; `None` for the first result about a resource.
    pub was: Option<CheckAnswer>,
    pub answer: CheckAnswer,
    pub count: u64,
}

/// Number of results of a check with one answer that came into force and that ended on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceTurnover {
    /// Days since 1970, UTC.
    pub day: i64,
    pub check: String,
    pub answer: CheckAnswer,
    pub begun: u64,
    pub ended: u64,
}

/// Keeps evidence.
#[async_trait]
pub trait EvidenceStore: Send + Sync {
    /// Results of these resources.
    async fn evidence_of(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
    ) -> Result<Vec<JudgementEvidence>, StoreError>;
    /// Writes results that changed, each also into the history; all or none.
    async fn evidence_put(&self, changed: &[JudgementEvidence]) -> Result<(), StoreError>;
    /// Removes results whose resource, or whose check, is judged no more; the history keeps them,
    /// with this time as their end.
    async fn evidence_remove(&self, ended: &[EvidenceKey], at: Timestamp)
    -> Result<(), StoreError>;
    /// The keys of the results that an agent found.
    async fn evidence_keys(&self, agent: &AgentId) -> Result<Vec<EvidenceKey>, StoreError>;
    /// Results, in the order of the filter's checks and then by resource, and their number. Without
    /// checks the order is that of their identifiers.
    async fn evidence_list(
        &self,
        filter: &EvidenceFilter,
    ) -> Result<(Vec<JudgementEvidence>, u64), StoreError>;
    /// The number of results by check and answer; limit and offset count for nothing.
    async fn evidence_counts(
        &self,
        filter: &EvidenceFilter,
    ) -> Result<Vec<EvidenceCount>, StoreError>;
    /// The number of results that were written from `since` on and before `filter.before`, by
    /// check, answer and the answer that each took the place of. Results that ended since are
    /// counted too.
    async fn evidence_changes(
        &self,
        filter: &EvidenceFilter,
        since: Timestamp,
    ) -> Result<Vec<EvidenceChange>, StoreError>;
    /// The results that came into force or ended since a time, by day, check and answer; `before`,
    /// limit and offset of the filter count for nothing.
    async fn evidence_turnover(
        &self,
        filter: &EvidenceFilter,
        since: Timestamp,
    ) -> Result<Vec<EvidenceTurnover>, StoreError>;
    /// Earlier results of a check about a resource, the newest first.
    async fn evidence_history(
        &self,
        connection: &ConnectionId,
        resource: &ResourceId,
        check: &str,
    ) -> Result<Vec<JudgementEvidence>, StoreError>;
}
