//! The port of what keeps rules, firings, and the evaluator's state.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::AccessError;

use crate::evaluator::{ChangeTally, DegradedBy, EvaluatorChanges};
use crate::firing::{Firing, FiringId, FiringStatus};
use crate::group::GroupKey;
use crate::rule::{AlertRule, RuleId};

/// Position up to which the log has been evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlertProgress {
    /// The next sequence to look at.
    pub position: u64,
    /// Latest time of recording seen so far.
    pub clock: Option<Timestamp>,
}

/// Memory of the evaluator as kept: its counts are those of the snapshot, followed by those of the
/// deltas.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredState {
    /// Parts of the last snapshot.
    pub snapshot: Vec<Vec<u8>>,
    /// Deltas since, in order.
    pub deltas: Vec<Vec<u8>>,
    /// Groups that a version without deltas kept. The next snapshot takes their place.
    pub old_groups: Vec<OldGroup>,
    /// Counts that a version without deltas kept; empty where there is a snapshot or a delta.
    pub old_tallies: Vec<StoredTally>,
}

/// State of one group as versions before the deltas kept it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldGroup {
    pub rule: RuleId,
    /// Revision of the rule.
    pub revision: u64,
    pub key: GroupKey,
    /// JSON with a version.
    pub state: String,
}

/// Counts of a rule as kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTally {
    pub rule: RuleId,
    /// Revision of the rule.
    pub revision: u64,
    pub tally: ChangeTally,
}

/// A rule that met a bound, as kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DegradedRule {
    pub rule: RuleId,
    /// Revision of the rule.
    pub revision: u64,
    /// The bound that was met last.
    pub by: DegradedBy,
    /// First time that it was met.
    pub since: Timestamp,
    /// Last time that it was met.
    pub at: Timestamp,
}

/// Filter of firings; the conditions are combined by "and".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FiringFilter {
    /// Rule of the firings.
    pub rule: Option<RuleId>,
    /// State of the firings.
    pub status: Option<FiringStatus>,
    /// At most this many.
    pub limit: u64,
    /// After skipping this many.
    pub offset: u64,
}

/// Keeps rules, firings, and the evaluator's state.
#[async_trait]
pub trait AlertStore: Send + Sync {
    /// Adds a rule. A name in use, and one rule more than `most`, are conflicts.
    async fn alert_rule_insert(&self, rule: &AlertRule, most: u64) -> Result<(), AccessError>;
    /// Replaces a rule whose stored version is one less; otherwise a conflict. State of earlier
    /// revisions is removed.
    async fn alert_rule_update(&self, rule: &AlertRule) -> Result<(), AccessError>;
    /// Removes a rule with its state. Its firings stay.
    async fn alert_rule_delete(&self, id: &RuleId) -> Result<(), AccessError>;
    async fn alert_rule_get(&self, id: &RuleId) -> Result<AlertRule, AccessError>;
    /// Returns all rules by name.
    async fn alert_rule_list(&self) -> Result<Vec<AlertRule>, AccessError>;
    /// Returns at most `limit` rules by name after skipping `offset`, and the number of all rules.
    async fn alert_rule_page(
        &self,
        limit: u64,
        offset: u64,
    ) -> Result<(Vec<AlertRule>, u64), AccessError>;
    /// Returns the rules that have one of these names.
    async fn alert_rule_named(&self, names: &[&str]) -> Result<Vec<AlertRule>, AccessError>;
    /// Returns a number that changes whenever a rule is added, changed or removed.
    async fn alert_rule_generation(&self) -> Result<u64, AccessError>;

    /// Returns how far the log has been evaluated; `None` before the first time.
    async fn alert_progress(&self) -> Result<Option<AlertProgress>, AccessError>;
    /// Returns all kept state.
    async fn alert_state(&self) -> Result<StoredState, AccessError>;
    /// Returns the rules whose present revision met a bound, whenever that was.
    async fn alert_degraded(&self) -> Result<Vec<DegradedRule>, AccessError>;
    /// Keeps counts for people to see. The evaluator's own are part of its state.
    async fn alert_tally_put(&self, tallies: &[StoredTally]) -> Result<(), AccessError>;
    /// Returns the counts of a rule's present revision.
    async fn alert_tally(
        &self,
        rule: &RuleId,
        revision: u64,
    ) -> Result<Option<ChangeTally>, AccessError>;
    /// Moves from one position to another and keeps what changed in between: all or nothing. When
    /// another process has moved the position, a conflict.
    async fn alert_advance(
        &self,
        from: Option<u64>,
        to: AlertProgress,
        changes: &EvaluatorChanges,
    ) -> Result<(), AccessError>;

    /// Returns firings, the latest detected first, and their number.
    async fn firing_list(&self, filter: &FiringFilter) -> Result<(Vec<Firing>, u64), AccessError>;
    async fn firing_get(&self, id: &FiringId) -> Result<Firing, AccessError>;
    /// Keeps what people did about a firing (state, assignee, note) when its stored version is one
    /// less; otherwise a conflict.
    async fn firing_handle(&self, firing: &Firing) -> Result<(), AccessError>;
    /// Returns firings that the log does not tell of yet, oldest first.
    async fn firing_unrecorded(&self, limit: u64) -> Result<Vec<Firing>, AccessError>;
    /// Marks firings as recorded in the log.
    async fn firing_recorded(&self, ids: &[FiringId]) -> Result<(), AccessError>;
}
