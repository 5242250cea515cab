//! Sums over recommendations and actions, as stores answer them, so that lists, dashboards and
//! guardrails never read the records themselves to count them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{Money, Provider, ResourceId, ResourceKind};

use crate::action::{ActionStatus, Purpose};
use crate::agent::AgentId;
use crate::approval::ApprovalStatus;
use crate::recommendation::lifecycle::Status;
use crate::recommendation::{Priority, RecommendationId, RecommendationType};

/// Sum over the recommendations that agree in agent, status and priority, and in how they ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RecommendationTotal {
    /// Agent of the recommendations; `None` for advice without one.
    pub agent: Option<AgentId>,
    /// Status of the recommendations.
    pub status: Status,
    /// Priority of the recommendations.
    pub priority: Priority,
    /// A person has to finish by hand what the plan begins.
    pub is_by_hand: bool,
    /// A person took the change back by their own decision.
    pub is_taken_back: bool,
    pub count: u64,
    /// Number of recommendations without a known price.
    pub unpriced: u64,
    /// Expected savings of all a month.
    pub expected: Money,
    /// Number of recommendations whose saving was measured.
    pub measured: u64,
    /// Expected savings of the measured ones a month.
    pub measured_expected: Money,
    /// Measured savings a month.
    pub realised: Money,
}

/// Savings of the open recommendations that a filter finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenSavings {
    /// Combined savings a month: recommendations that exclude each other count once.
    pub combined: Money,
    /// Cost a month that those add which cost more, such as a second zone or a larger size; not
    /// subtracted from the savings.
    pub added: Money,
    /// Number of recommendations without a known price.
    pub unpriced: u64,
}

/// Savings of the recommendations that succeeded on one day and leave nothing to finish by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailySavings {
    /// Beginning of the day, UTC.
    pub day: Timestamp,
    /// Expected savings a month.
    pub expected: Money,
    /// Measured savings a month, of those that are measured.
    pub realised: Money,
}

/// Recommendations of a kind on like resources that people dismissed on one day and said nothing
/// else about. What an exclusion dismissed is not among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Dismissals {
    /// Kind of the recommendations.
    pub kind: RecommendationType,
    /// Cloud of the resources.
    pub provider: Provider,
    /// Kind of the resources.
    pub resource_kind: ResourceKind,
    /// Service of the resources.
    pub service: String,
    /// Mean time of the dismissals.
    pub at: Timestamp,
    pub count: u64,
}

/// Executed recommendations of a kind and a size step whose outcome is known by the action alone:
/// nobody gave feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepOutcomes {
    /// Kind of the recommendations.
    pub kind: RecommendationType,
    pub instance_type: Option<String>,
    pub target_type: Option<String>,
    /// Number of changes that held.
    pub succeeded: u64,
    /// Number of changes that failed or were undone, except those that people took back by their
    /// own decision.
    pub failed: u64,
}

/// Filter of actions; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct ActionFilter {
    /// Of one of these recommendations; empty is any.
    pub recommendations: Vec<RecommendationId>,
    /// On one of these resources; empty is any.
    pub resources: Vec<ResourceId>,
    /// Purpose of the actions.
    pub purpose: Option<Purpose>,
    /// In one of these states; empty is any.
    pub statuses: Vec<ActionStatus>,
    /// Begun at or after this time.
    pub since: Option<Timestamp>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of results to skip.
    pub offset: u64,
}

/// Filter of approval requests; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct ApprovalFilter {
    pub recommendation: Option<RecommendationId>,
    /// Only those in this state.
    pub status: Option<ApprovalStatus>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of results to skip.
    pub offset: u64,
}

/// Numbers of actions that began after a time and changed a real resource: neither aborted nor
/// simulated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActionCounts {
    /// Number of all actions that were begun.
    pub begun: u64,
    /// Those that runs of agents began, by agent.
    pub begun_by_agents: BTreeMap<AgentId, u64>,
}
