//! Attack chains: the stages of an attack that the calls of a principal show, the next likely step
//! with its probability, what could be reached, and what would stop it.
//!
//! [`ChainWatch`] follows the log, [`around`] joins a chain with what is known of exposure and
//! privileges, and the anomaly service keeps and reports it. The probabilities are those of
//! [`reeve_learn::attack_chain`].

pub mod around;
mod log_entry;
mod port;
mod watch;

use jiff::Timestamp;
use reeve_alerts::Tactic;
use reeve_learn::attack_chain::AttackStage;
use serde::{Deserialize, Serialize};

pub use log_entry::{OPERATION, predicted};
pub use port::AttackChainStore;
pub use watch::{ChainWatch, ObservedCall, StepFilter, may_be_step};

/// Steps of a chain that are kept: the first and the newest halves.
const MOST_STEPS: usize = 40;

/// Returns the stage of an attack that a tactic belongs to.
#[must_use]
pub const fn stage_of(tactic: Tactic) -> AttackStage {
    match tactic {
        Tactic::Reconnaissance | Tactic::ResourceDevelopment | Tactic::Discovery => {
            AttackStage::Reconnaissance
        }
        Tactic::InitialAccess
        | Tactic::Execution
        | Tactic::CredentialAccess
        | Tactic::LateralMovement
        | Tactic::CommandAndControl => AttackStage::Access,
        Tactic::Persistence => AttackStage::Persistence,
        Tactic::PrivilegeEscalation => AttackStage::Escalation,
        Tactic::DefenseEvasion => AttackStage::Evasion,
        Tactic::Collection | Tactic::Exfiltration => AttackStage::Exfiltration,
        Tactic::Impact => AttackStage::Impact,
    }
}

/// One step of a chain: the first call of a technique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainStep {
    /// Name of the stage.
    pub stage: String,
    /// Identifier of the technique.
    pub technique: String,
    pub operation: String,
    /// Resource of the call; empty where it named none.
    pub resource: String,
    /// Principal that made the call.
    pub by: String,
    /// Behavior score, 0 to 1.
    pub score: f64,
    pub at: Timestamp,
    /// Identifier of the entry.
    pub event_id: String,
}

/// A stage that may come next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NextStep {
    /// Name of the stage.
    pub stage: String,
    /// Probability that the chain is an attack and that this is its next step, 0 to 1.
    pub probability: f64,
}

/// Something that the principals of a chain could reach next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReachableAsset {
    /// Identifier of the resource or principal.
    pub resource: String,
    pub kind: String,
    /// Stage that reaching it serves.
    pub stage: String,
    /// The way to it, as a sentence.
    pub way: String,
    /// Entry of the log that recorded the judgement.
    pub event_id: String,
}

/// A change that would stop a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainStop {
    /// The change, as a sentence.
    pub action: String,
    /// Resource that it changes.
    pub resource: String,
    /// Stages that it takes away.
    pub stages: Vec<String>,
    /// Part of the probability of a next step that it takes away, 0 to 1.
    pub averts: f64,
}

/// Attack chain of one or more principals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttackChain {
    pub id: String,
    /// Name of the principal in entries.
    pub principal: String,
    /// Account of the principal; empty where entries name none.
    pub account: String,
    /// Principals that took part, in order; each handed over to the next.
    pub principals: Vec<String>,
    /// Steps, oldest first.
    pub steps: Vec<ChainStep>,
    /// The furthest stage that was reached, in the order of an attack.
    pub reached: String,
    /// Probability that the steps are an attack that goes on, 0 to 1.
    pub probability: f64,
    /// Stages that may come next, the likeliest first.
    pub next: Vec<NextStep>,
    #[serde(default)]
    pub reachable: Vec<ReachableAsset>,
    #[serde(default)]
    pub stops: Vec<ChainStop>,
    pub started_at: Timestamp,
    pub last_at: Timestamp,
    /// Time at which the chain was first reported; `None` while it is below the threshold.
    #[serde(default)]
    pub predicted_at: Option<Timestamp>,
}

impl AttackChain {
    /// Number of different stages that were reached.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        let stages: std::collections::BTreeSet<&str> =
            self.steps.iter().map(|step| step.stage.as_str()).collect();
        stages.len()
    }

    /// Title of one line: `ann: reconnaissance, access; next exfiltration (41 %)`.
    #[must_use]
    pub fn title(&self) -> String {
        let mut stages: Vec<&str> = Vec::new();
        for step in &self.steps {
            if !stages.contains(&step.stage.as_str()) {
                stages.push(&step.stage);
            }
        }

        let next = self.next.first().map_or(String::new(), |next| {
            format!(
                "; next likely step: {} ({:.0} %)",
                next.stage,
                100.0 * next.probability
            )
        });
        format!(
            "Attack chain of {}: {}{next}",
            self.principal,
            stages.join(", ")
        )
    }
}
