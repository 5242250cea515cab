//! Interfaces through which the engine reaches stores, the log, the clock and clouds.

pub mod responses;

use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_audit::query::{FieldPath, Query};
use reeve_estate::{
    Act, Charge, Connection, ConnectionId, ResourceId, StoreError, VisibleConnections,
};

use crate::action::{Action, ActionId, ActionStatus};
use crate::agent::emergency::StandingApproval;
use crate::agent::{Agent, AgentId, AgentType};
use crate::approval::{Approval, ApprovalId};
use crate::guardrail::Guardrails;
use crate::recommendation::exclusion::{Exclusion, ExclusionId};
use crate::recommendation::lifecycle::Status;
use crate::recommendation::origin::OriginCause;
use crate::recommendation::totals::{
    ActionCounts, ActionFilter, ApprovalFilter, DailySavings, Dismissals, OpenSavings,
    RecommendationTotal, StepOutcomes,
};
use crate::recommendation::{
    Closing, Feedback, Priority, Recommendation, RecommendationId, RecommendationType,
};
use reeve_audit::Obstacle;

/// Reason why an entry was not recorded. An operation that cannot be recorded is not executed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the audit log refused the entry: {0}")]
pub struct RecordError(pub String);

/// Writes audit entries; returns once they are durable.
///
/// A recorder that keeps entries in memory, for a test of what is recorded:
///
/// ```
/// use std::sync::Mutex;
///
/// use async_trait::async_trait;
/// use reeve_audit::Entry;
/// use reeve_recommend::ports::{RecordError, Recorder};
///
/// #[derive(Default)]
/// struct Kept(Mutex<Vec<Entry>>);
///
/// #[async_trait]
/// impl Recorder for Kept {
///     async fn record(&self, entries: Vec<Entry>) -> Result<(), RecordError> {
///         let mut kept = self.0.lock().map_err(|error| RecordError(error.to_string()))?;
///         kept.extend(entries);
///         Ok(())
///     }
///
///     async fn record_once(&self, entry: Entry) -> Result<(), RecordError> {
///         let mut kept = self.0.lock().map_err(|error| RecordError(error.to_string()))?;
///         if !kept.iter().any(|known| known.event_id == entry.event_id) {
///             kept.push(entry);
///         }
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait Recorder: Send + Sync {
    /// Records entries, all or none.
    async fn record(&self, entries: Vec<Entry>) -> Result<(), RecordError>;
    /// Records an entry whose identifier follows from its subject. An entry that has this
    /// identifier already stands for it.
    async fn record_once(&self, entry: Entry) -> Result<(), RecordError>;
}

/// Records the intent of a change of Reeve's own state, makes the change, and records its outcome;
/// `entry` describes the change. A log that refuses the intent keeps the change from being tried.
/// An outcome that the log does not take is in the service's own log: the change stands then, and
/// its `pending` entry claims nothing else.
///
/// # Errors
/// The log's refusal, or what the change failed with.
pub async fn record_change<T, E>(
    recorder: &dyn Recorder,
    clock: &dyn Clock,
    entry: Entry,
    change: impl Future<Output = Result<T, E>> + Send,
) -> Result<T, crate::error::EngineError>
where
    E: Into<crate::error::EngineError>,
{
    let intent = entry.intent().at(clock.now());
    let id = intent.event_id.clone();
    recorder.record(vec![intent]).await?;
    let result = change.await.map_err(Into::into);
    let failure = result
        .as_ref()
        .err()
        .map(|error: &crate::error::EngineError| error.to_string());
    if let Err(error) = recorder
        .record(vec![entry.outcome(&id, failure.as_deref()).at(clock.now())])
        .await
    {
        tracing::error!(intent = id.as_str(), %error, "the outcome of a change was not recorded");
    }

    result
}

/// Reason why entries were not read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the audit log could not be read: {0}")]
pub struct ReadError(pub String);

/// Reads audit entries back, without regard to visibility: the presenter of an entry checks who may
/// see it.
#[async_trait]
pub trait LogReader: Send + Sync {
    /// The newest entries that a query finds, newest first, each with its sequence.
    async fn newest(&self, query: Query, most: usize) -> Result<Vec<(u64, Entry)>, ReadError>;
    /// Entries that a query finds by their resource: at most so many resources and operations of
    /// each, the most frequent first. One reading of the log for all of them.
    async fn uses(
        &self,
        query: Query,
        most_resources: usize,
        most_operations: usize,
    ) -> Result<Vec<ResourceUses>, ReadError>;
    /// Entries that a query finds by pairs of their members, at most 1,000 values of each member.
    /// One reading of the log for all pairs; the answers are in their order.
    async fn pairs(
        &self,
        query: Query,
        of: &[(FieldPath, FieldPath)],
    ) -> Result<Vec<MemberPairs>, ReadError>;
}

/// Entries by two of their members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberPairs {
    /// Value of the first and of the second member, and the number of entries with both.
    pub counts: Vec<(String, String, u64)>,
    /// `false` if values fell off the limit.
    pub is_complete: bool,
}

/// Entries of one resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResourceUses {
    /// Name that the entries have for the resource (`resource.id`).
    pub resource: String,
    pub uses: u64,
    /// Number of entries by operation (`action.operation`), the most frequent first.
    pub operations: Vec<(String, u64)>,
    /// Start of the hour (UTC) of the newest entry, by its own time.
    pub last_hour: Option<Timestamp>,
}

/// Reads the charges of bills.
#[async_trait]
pub trait ChargeReader: Send + Sync {
    /// Charges of these resources whose period begins within `[start, end)`, by their beginning.
    /// Resources that no bill names have none.
    async fn charges(
        &self,
        resources: &[ResourceId],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<Charge>, StoreError>;

    /// End of the last day that the bills of an account (an AWS account, an Azure subscription, a
    /// Google project) are for; `None` where no bill names it. Usage up to a day before it counts
    /// as told completely: providers correct the last day.
    async fn billed_until(&self, account: &str) -> Result<Option<Timestamp>, StoreError>;
}

/// Time, so that tests can set it.
#[async_trait]
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
    /// Waits. A test's clock moves instead.
    async fn sleep(&self, duration: std::time::Duration);
}

/// The acting side of connections.
#[async_trait]
pub trait Clouds: Send + Sync {
    /// The actor of a connection; an error in words when the connection is gone or may not act.
    async fn actor(
        &self,
        connection: &ConnectionId,
    ) -> Result<(Connection, Arc<dyn Act>), Obstacle>;
}

/// Filter for recommendations; the fields that are set must all match.
#[derive(Debug, Clone, Default)]
pub struct RecommendationFilter {
    /// Connections that the reader may see.
    pub visible: VisibleConnections,
    /// In any of these states; empty is all.
    pub status: Vec<Status>,
    /// By this agent (identifier or type).
    pub agent: Option<String>,
    pub kind: Option<RecommendationType>,
    pub priority: Option<Priority>,
    /// At least this confident, percent.
    pub min_confidence: Option<f64>,
    /// Only those on this resource.
    pub resource: Option<String>,
    /// In this account or connection.
    pub account: Option<String>,
    /// One of these; empty is any.
    pub ids: Vec<RecommendationId>,
    /// On one of these resources; empty is any.
    pub resources: Vec<ResourceId>,
    /// Only those that have not ended.
    pub is_open: bool,
    /// Somebody gave feedback on it.
    pub has_feedback: bool,
    /// Ended for this reason.
    pub closing: Option<Closing>,
    /// Changed at or after this time.
    pub updated_since: Option<Timestamp>,
    pub cause: Option<OriginCause>,
    /// The scheduler has to look at it at this time ([`Recommendation::due_at`]).
    pub due_by: Option<Timestamp>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of results to skip.
    pub offset: u64,
}

impl RecommendationFilter {
    /// Returns `true` if the filter finds a recommendation. `account` and `has_feedback` need the
    /// store and are not compared.
    #[must_use]
    pub fn matches(&self, recommendation: &Recommendation) -> bool {
        let subject = &recommendation.subject;
        let of_agent = |agent: &String| {
            recommendation
                .agent_id
                .as_ref()
                .is_some_and(|id| id.0 == *agent)
                || recommendation.origin.agent_type.as_str() == agent
        };

        let is_due = |by: Timestamp| recommendation.due_at().is_some_and(|at| at <= by);
        self.visible.contains(&subject.connection)
            && (self.status.is_empty() || self.status.contains(&recommendation.status))
            && self.agent.as_ref().is_none_or(of_agent)
            && self.kind.is_none_or(|kind| kind == recommendation.kind)
            && self
                .priority
                .is_none_or(|priority| priority == recommendation.priority)
            && self
                .min_confidence
                .is_none_or(|least| recommendation.confidence >= least)
            && self.resource.as_ref().is_none_or(|id| *id == subject.id.0)
            && (self.ids.is_empty() || self.ids.contains(&recommendation.id))
            && (self.resources.is_empty() || self.resources.contains(&subject.id))
            && (!self.is_open || !recommendation.status.is_end())
            && self
                .closing
                .is_none_or(|closing| recommendation.closing == Some(closing))
            && self
                .updated_since
                .is_none_or(|since| recommendation.updated_at >= since)
            && self
                .cause
                .as_ref()
                .is_none_or(|cause| *cause == recommendation.origin.cause)
            && self.due_by.is_none_or(is_due)
    }
}

/// Keeps agents, recommendations, approvals, actions, feedback and guardrails.
///
/// Updates compare versions: a record whose stored version differs from the given one minus one is
/// a [`StoreError::Conflict`]. Claiming a recommendation is such an update, so two executions
/// cannot both begin.
#[async_trait]
pub trait AgentStore: Send + Sync {
    /// Adds an agent; its identifier is new.
    async fn agent_insert(&self, agent: &Agent) -> Result<(), StoreError>;
    /// Replaces an agent; `agent.version` is the stored one plus one.
    async fn agent_update(&self, agent: &Agent) -> Result<(), StoreError>;
    /// Removes an agent; its recommendations stay, closed.
    async fn agent_delete(&self, id: &AgentId) -> Result<(), StoreError>;
    async fn agent_get(&self, id: &AgentId) -> Result<Agent, StoreError>;
    /// Lists the agents, the oldest first.
    async fn agent_list(&self, of_type: Option<AgentType>) -> Result<Vec<Agent>, StoreError>;

    /// Adds a recommendation. One that is not ended may exist per (resource, type): a second is a
    /// conflict.
    async fn recommendation_insert(
        &self,
        recommendation: &Recommendation,
    ) -> Result<(), StoreError>;
    /// Adds recommendations, all or none.
    async fn recommendation_insert_all(
        &self,
        recommendations: &[Recommendation],
    ) -> Result<(), StoreError>;
    /// Replaces a recommendation; `version` is the stored one plus one.
    async fn recommendation_update(
        &self,
        recommendation: &Recommendation,
    ) -> Result<(), StoreError>;
    async fn recommendation_get(&self, id: &RecommendationId)
    -> Result<Recommendation, StoreError>;
    /// Recommendations, highest expected value first, then by priority and saving, and how many
    /// there are in all.
    async fn recommendation_list(
        &self,
        filter: &RecommendationFilter,
    ) -> Result<(Vec<Recommendation>, u64), StoreError>;
    /// Sums over all recommendations.
    async fn recommendation_totals(&self) -> Result<Vec<RecommendationTotal>, StoreError>;
    /// Savings of the recommendations of a filter that have not ended. `limit` and `offset` are
    /// ignored.
    async fn recommendation_savings(
        &self,
        filter: &RecommendationFilter,
    ) -> Result<OpenSavings, StoreError>;
    /// Savings of all recommendations that succeeded, by the day of their last change, oldest
    /// first.
    async fn recommendation_savings_by_day(&self) -> Result<Vec<DailySavings>, StoreError>;
    /// Recommendations that succeeded and whose saving has not ended, each with the newest action
    /// that applied it, the last changed ones first. At most `limit` of those before a position;
    /// the position is the last one's time of change and identifier.
    async fn standing_savings(
        &self,
        before: Option<(Timestamp, RecommendationId)>,
        limit: u64,
    ) -> Result<Vec<(Recommendation, Option<Action>)>, StoreError>;
    /// Dismissals of these kinds without feedback.
    async fn recommendation_dismissals(
        &self,
        kinds: &[RecommendationType],
    ) -> Result<Vec<Dismissals>, StoreError>;
    /// Outcomes of executed recommendations of these kinds without feedback.
    async fn recommendation_outcomes(
        &self,
        kinds: &[RecommendationType],
    ) -> Result<Vec<StepOutcomes>, StoreError>;

    /// Adds an approval request.
    async fn approval_insert(&self, approval: &Approval) -> Result<(), StoreError>;
    /// Replaces an approval request; `version` is the stored one plus one.
    async fn approval_update(&self, approval: &Approval) -> Result<(), StoreError>;
    /// Returns one approval request.
    async fn approval_get(&self, id: &ApprovalId) -> Result<Approval, StoreError>;
    /// Approval requests, newest first; of one recommendation when given.
    async fn approval_list(
        &self,
        recommendation: Option<&RecommendationId>,
    ) -> Result<Vec<Approval>, StoreError>;
    /// Approval requests of a filter, newest first, and how many there are in all.
    async fn approval_page(
        &self,
        filter: &ApprovalFilter,
    ) -> Result<(Vec<Approval>, u64), StoreError>;

    async fn action_insert(&self, action: &Action) -> Result<(), StoreError>;
    /// Replaces an action; `version` is the stored one plus one.
    async fn action_update(&self, action: &Action) -> Result<(), StoreError>;
    async fn action_get(&self, id: &ActionId) -> Result<Action, StoreError>;
    /// Actions, newest first, since a time; of one recommendation when given.
    async fn action_list(
        &self,
        recommendation: Option<&RecommendationId>,
        since: Option<Timestamp>,
    ) -> Result<Vec<Action>, StoreError>;
    /// Actions of a filter, newest first, and how many there are in all.
    async fn action_page(&self, filter: &ActionFilter) -> Result<(Vec<Action>, u64), StoreError>;
    /// Counts of the actions that began after a time.
    async fn action_counts(&self, after: Timestamp) -> Result<ActionCounts, StoreError>;
    /// Number of actions that a run began: neither aborted nor simulated.
    async fn action_count_of_run(&self, run_id: &str) -> Result<u64, StoreError>;
    /// Numbers of actions since a time that touched a real resource, by status.
    async fn action_statuses(
        &self,
        since: Timestamp,
    ) -> Result<Vec<(ActionStatus, u64)>, StoreError>;
    /// Actions that changed one resource or were to, newest first, since a time.
    async fn action_on(
        &self,
        resource: &ResourceId,
        since: Timestamp,
    ) -> Result<Vec<Action>, StoreError>;

    /// Actions that somebody still has to look after, newest first: those that work, those whose
    /// effect is watched, and those undone since a time.
    async fn action_unsettled(&self, undone_since: Timestamp) -> Result<Vec<Action>, StoreError>;

    async fn feedback_insert(&self, feedback: &Feedback) -> Result<(), StoreError>;
    /// Feedback, oldest first; of one recommendation when given.
    async fn feedback_list(
        &self,
        recommendation: Option<&RecommendationId>,
    ) -> Result<Vec<Feedback>, StoreError>;

    async fn exclusion_insert(&self, exclusion: &Exclusion) -> Result<(), StoreError>;
    async fn exclusion_delete(&self, id: &ExclusionId) -> Result<(), StoreError>;
    /// Exclusions, oldest first, ended ones included.
    async fn exclusion_list(&self) -> Result<Vec<Exclusion>, StoreError>;
    /// Exclusions that ended at this time or earlier and whose end is not settled, the earliest end
    /// first.
    async fn exclusions_ended(&self, by: Timestamp) -> Result<Vec<Exclusion>, StoreError>;
    /// Notes that the end of an exclusion was recorded.
    async fn exclusion_settle(&self, id: &ExclusionId) -> Result<(), StoreError>;

    /// Adds a standing approval; its identifier is new.
    async fn standing_approval_insert(&self, approval: &StandingApproval)
    -> Result<(), StoreError>;
    /// Replaces a standing approval; `version` is the stored one plus one.
    async fn standing_approval_update(&self, approval: &StandingApproval)
    -> Result<(), StoreError>;
    /// Standing approvals of an agent, newest first, ended ones included.
    async fn standing_approval_list(
        &self,
        agent: &AgentId,
    ) -> Result<Vec<StandingApproval>, StoreError>;

    /// The next sequence of the log whose entries wake agents; `None` before the first look.
    async fn event_cursor(&self) -> Result<Option<u64>, StoreError>;
    /// Moves it on. Another process that was faster is a conflict.
    async fn event_advance(&self, from: Option<u64>, to: u64) -> Result<(), StoreError>;

    /// The guardrails; the defaults when never set.
    async fn guardrails_get(&self) -> Result<Guardrails, StoreError>;
    /// Replaces the guardrails; `version` is the stored one plus one.
    async fn guardrails_put(&self, guardrails: &Guardrails) -> Result<(), StoreError>;
}
