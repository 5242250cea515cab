//! Actions: one execution of one plan, step by step.

use jiff::Timestamp;

use crate::named::named;
use crate::plan::StepKind;
use crate::recommendation::RecommendationId;

/// An action's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub String);

named!(
    /// Where an action stands.
    ActionStatus {
        /// Steps are running.
        Running => "running",
        /// All steps went through and the change stuck.
        Succeeded => "succeeded",
        /// Undoing.
        RollingBack => "rolling_back",
        /// Undone.
        RolledBack => "rolled_back",
        /// Neither done nor undone; needs a person.
        Failed => "failed",
    }
);

/// What one step did.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutcome {
    /// Position in the plan; rollback steps go on counting.
    pub index: u32,
    /// What it did.
    pub kind: StepKind,
    /// In words.
    pub description: String,
    /// Whether it belongs to a rollback.
    pub rollback: bool,
    /// Start.
    pub started_at: Timestamp,
    /// End; `None` while running.
    pub finished_at: Option<Timestamp>,
    /// Whether it went through; `None` while running.
    pub ok: Option<bool>,
    /// What was found or what went wrong.
    pub detail: String,
    /// State before, field and value.
    pub before: Vec<(String, String)>,
    /// State after.
    pub after: Vec<(String, String)>,
}

/// One execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Identifier.
    pub id: ActionId,
    /// Of which recommendation.
    pub recommendation: RecommendationId,
    /// The plan's hash as it ran.
    pub plan_hash: String,
    /// Who asked: an e-mail address or `agent:<id>`.
    pub by: String,
    /// Where it stands.
    pub status: ActionStatus,
    /// Steps so far.
    pub steps: Vec<StepOutcome>,
    /// How many steps the plan has.
    pub steps_total: u32,
    /// The resource before anything was done, field and value: what a rollback returns to.
    pub before: Vec<(String, String)>,
    /// Start.
    pub started_at: Timestamp,
    /// End.
    pub finished_at: Option<Timestamp>,
    /// Why it was rolled back or failed.
    pub reason: Option<String>,
    /// Grows with every change.
    pub version: u64,
}
