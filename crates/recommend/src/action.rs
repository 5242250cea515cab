//! Actions: one execution of one plan, step by step.

use jiff::Timestamp;

use reeve_estate::named;
use reeve_estate::{ActErrorKind, ConnectionId, Money, Resource, ResourceId};
use serde::{Deserialize, Serialize};

use crate::agent::AgentId;
use crate::agent::emergency::mark::EmergencyMark;
use crate::change::Effect;
use crate::plan::StepKind;
use crate::recommendation::{RecommendationId, SavingsBasis};

/// An action's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ActionId(pub String);

named!(
    /// State of an execution.
    ActionStatus {
        /// Its steps are being carried out.
        Running => "running",
        /// All steps went through and the change took effect.
        Succeeded => "succeeded",
        /// Its steps are being taken back.
        RollingBack => "rolling_back",
        /// Its steps were taken back.
        RolledBack => "rolled_back",
        /// Neither done nor undone; needs a person.
        Failed => "failed",
        /// A precondition did not hold or a preparation failed; nothing was changed.
        Aborted => "aborted",
    }
);

impl ActionStatus {
    /// Returns `true` while the action runs or is being rolled back.
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(self, ActionStatus::Running | ActionStatus::RollingBack)
    }
}

named!(
    /// Purpose of an execution.
    Purpose {
        /// To change the recommendation's own resource.
        Apply => "apply",
        /// To try the plan on a twin and put the twin back.
        Test => "test",
        /// To try the plan on a simulated twin; nothing real is touched.
        Simulate => "simulate",
    }
);

/// Result of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepOutcome {
    /// Position in the plan; rollback steps continue counting.
    pub index: u32,
    /// Kind of the step.
    pub kind: StepKind,
    /// Effect on the resource; `None` in steps of releases that told it by the kind
    /// ([`StepOutcome::effect`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    pub description: String,
    /// Identifier of a further resource that the step creates, or removes in a rollback: a read
    /// replica.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// `true` if the step belongs to a rollback.
    pub rollback: bool,
    pub started_at: Timestamp,
    /// End; `None` while running.
    pub finished_at: Option<Timestamp>,
    /// `true` if the step succeeded; `None` while it runs.
    pub ok: Option<bool>,
    /// Kind of the cloud's refusal, where a refusal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<ActErrorKind>,
    /// Finding of the step, or the reason of its failure.
    pub detail: String,
    /// State before, field and value.
    pub before: Vec<(String, String)>,
    /// Attributes after the step.
    pub after: Vec<(String, String)>,
}

impl StepOutcome {
    /// Returns the effect on the resource.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect.unwrap_or_else(|| self.kind.effect())
    }
}

named!(
    /// Verdict of the observation that follows a successful change.
    WatchVerdict {
        /// The window has not ended.
        Watching => "watching",
        /// Metrics are no worse than before.
        Holds => "holds",
        /// Metrics became worse after the change.
        Degraded => "degraded",
        /// There were too few samples to say.
        NotEnoughData => "not_enough_data",
        /// Somebody else changed the resource, or it is gone.
        Overruled => "overruled",
    }
);

/// The time after a change in which its effect is watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// End of the observation window.
    pub until: Timestamp,
    /// Verdict on the samples so far.
    pub verdict: WatchVerdict,
    /// The numbers behind it.
    pub detail: String,
    /// Monthly cost before the change minus the monthly cost after it, on `basis`.
    pub realised_monthly: Option<Money>,
    /// Prices of `realised_monthly`, those on which the saving was predicted; `None` until it is
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<SavingsBasis>,
    /// End of the days of the bill that `realised_monthly` was measured on; `None` until a bill
    /// covers a whole day after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billed_until: Option<Timestamp>,
    /// End of the saving, where it did not last: the resource left the state that the change put it
    /// in, or a newer change replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<SavingEnd>,
}

/// End of a measured saving.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavingEnd {
    /// Time from which nothing is saved any more.
    pub at: Timestamp,
    pub reason: String,
}

impl Watch {
    /// Creates an observation that has begun.
    #[must_use]
    pub const fn until(until: Timestamp) -> Self {
        let detail = String::new();
        let (realised_monthly, basis, billed_until, ended) = (None, None, None, None);
        Watch {
            until,
            verdict: WatchVerdict::Watching,
            detail,
            realised_monthly,
            basis,
            billed_until,
            ended,
        }
    }
}

/// Measured saving of a recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RealisedSaving {
    /// Saving a month; `None` until it is measured.
    pub monthly: Option<Money>,
    /// End of the saving, where it did not last.
    pub ended_at: Option<Timestamp>,
}

/// Measured saving of a recommendation, by its actions, newest first: nothing if somebody else
/// changed the resource while it was observed. A prediction is never told as realised.
#[must_use]
pub fn realised_savings(actions: &[Action]) -> RealisedSaving {
    let mut applied = actions
        .iter()
        .filter(|action| action.purpose == Purpose::Apply);
    let Some(watch) = applied.find_map(|action| action.watch.as_ref()) else {
        return RealisedSaving::default();
    };

    let is_overruled = watch.verdict == WatchVerdict::Overruled;
    let monthly = if is_overruled {
        Some(Money::ZERO)
    } else {
        watch.realised_monthly
    };

    RealisedSaving {
        monthly,
        ended_at: watch.ended.as_ref().map(|end| end.at),
    }
}

/// One execution of the plan of a recommendation, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    pub id: ActionId,
    /// Recommendation that it executes.
    pub recommendation: RecommendationId,
    /// The agent whose recommendation it is; `None` where a person executed advice without one.
    #[serde(with = "crate::agent::agent_or_none")]
    pub agent_id: Option<AgentId>,
    /// The connection it acts over.
    pub connection: ConnectionId,
    /// The resource it changes: the recommendation's, the twin of a test, or `simulated:` and the
    /// recommendation's.
    pub resource: ResourceId,
    /// Purpose of the execution.
    pub purpose: Purpose,
    /// The agent's run that began it; `None` when a person or the schedule did.
    pub run_id: Option<String>,
    /// Set where a standing approval let it begin as an emergency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emergency: Option<Box<EmergencyMark>>,
    /// The plan's hash as it ran.
    pub plan_hash: String,
    /// Requester: an e-mail address or `agent:<id>`.
    pub by: String,
    /// State of the execution.
    pub status: ActionStatus,
    /// Steps that were begun so far.
    pub steps: Vec<StepOutcome>,
    /// Number of steps in the plan.
    pub steps_total: u32,
    /// The resource before anything was done, property and value in words, for people.
    pub before: Vec<(String, String)>,
    /// The resource before anything was done: a rollback returns to it. `None` before the first
    /// check, and in actions of releases that kept `before` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<Box<Resource>>,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// Reason why it was rolled back or failed.
    pub reason: Option<String>,
    /// Person who requested the rollback by their own decision; `None` where Reeve undid it.
    #[serde(default)]
    pub undone_by: Option<String>,
    /// Observation of the effect; `None` until the action has succeeded.
    #[serde(default)]
    pub watch: Option<Watch>,
    /// Grows with every change.
    pub version: u64,
}

impl Action {
    /// Returns `true` if the cloud refused a step for a permission that the connection lacks.
    #[must_use]
    pub fn was_denied(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.refusal == Some(ActErrorKind::Denied))
    }

    /// Returns `true` while it only waits: it holds a change until a time, or observes it. Such an
    /// action may be ended early.
    #[must_use]
    pub fn waits(&self) -> bool {
        let last = self.steps.last();
        self.status == ActionStatus::Running
            && self.purpose == Purpose::Apply
            && last.is_some_and(|step| {
                step.ok.is_none() && matches!(step.kind, StepKind::Hold | StepKind::Observe)
            })
    }

    /// Returns `true` while the effect is under observation.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        let watching = self
            .watch
            .as_ref()
            .is_some_and(|watch| watch.verdict == WatchVerdict::Watching);
        watching && self.status == ActionStatus::Succeeded
    }

    /// Returns `true` while the action runs or its effect is under observation.
    #[must_use]
    pub fn is_unsettled(&self) -> bool {
        self.status.is_active() || self.is_watched()
    }
}
