//! Rollouts: one kind of change of one agent, carried to many resources in stages.
//!
//! In order (specification, "Rollout stages before production"): *simulation* of every plan on a
//! simulated twin, a *canary* of one or few resources that are least critical, a *validation*
//! period in which their metrics are compared with those before, *gradual* shares of the rest, and
//! *full*. Each stage ends at a gate ([`Gate`]) that says by numbers why it opened, waits or holds;
//! "not enough data" holds it, because it proves nothing. A person can stop, resume or abort at any
//! time. Every single change is still subject to its guardrails and its approvals; a rollout
//! decides when it is requested, and nothing else.

mod gate;
mod member;
mod name;
mod port;
mod waves;

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

pub use gate::{Gate, GateCheck, Verdict, gate};
pub use member::{MemberBlock, MemberState, RolloutMember, observed};
pub use name::name;
pub use port::{RolloutFilter, RolloutStore};
pub use waves::{WaveCandidate, waves};

use crate::agent::AgentId;
use crate::recommendation::RecommendationType;

/// Most recommendations one rollout may carry.
pub const MAX_MEMBERS: usize = 500;
/// Gates kept; what a gate said before its last change is in the log.
pub const MAX_GATES: usize = 100;

/// A rollout's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RolloutId(pub String);

named!(
    /// Stages of a rollout, in order (requirements ).
    Stage {
        /// Every plan runs on a simulated twin.
        Simulation => "simulation",
        /// The first few resources are changed.
        Canary => "canary",
        /// Their metrics are watched.
        Validation => "validation",
        /// Shares of the rest follow, each watched before the next.
        Gradual => "gradual",
        /// All that is left.
        Full => "full",
    }
);

named!(
    /// State of a rollout.
    RolloutStatus {
        /// It continues by itself.
        Running => "running",
        /// A gate holds it; nothing more begins until a person resumes or aborts it.
        Held => "held",
        /// A person stopped it; nothing more begins until it is resumed.
        Stopped => "stopped",
        /// It has reached every resource. An end.
        Completed => "completed",
        /// Given up. An end.
        Aborted => "aborted",
    }
);

impl RolloutStatus {
    /// Returns `true` for a final state.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, RolloutStatus::Completed | RolloutStatus::Aborted)
    }
}

/// Sizes and limits of a rollout's stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RolloutSettings {
    /// Resources in the canary, 1 to 20.
    pub canary: u32,
    /// The canary is watched at least this long, seconds.
    pub validation_s: u64,
    /// Shares of all resources that the gradual stage has reached after each of its waves, percent,
    /// rising, below 100.
    pub shares_percent: Vec<f64>,
    /// More failures than this hold it.
    pub max_failures: u32,
    /// Recommendations less confident than this are left out, percent; `None` is the agent's
    /// threshold.
    pub min_confidence: Option<f64>,
}

impl Default for RolloutSettings {
    fn default() -> Self {
        RolloutSettings {
            canary: 1,
            validation_s: 24 * 3600,
            shares_percent: vec![10.0, 25.0, 50.0],
            max_failures: 0,
            min_confidence: None,
        }
    }
}

/// Changes of one type that are carried out in stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rollout {
    pub id: RolloutId,
    /// Title of one line, for lists.
    pub name: String,
    /// Agent that made the recommendations.
    pub agent_id: AgentId,
    /// Type of the recommendations.
    pub kind: RecommendationType,
    /// Sizes and limits of its stages.
    #[serde(flatten)]
    pub settings: RolloutSettings,
    pub stage: Stage,
    /// Members up to this wave may be changed: 0 is the canary, then the shares, then the rest.
    pub wave: u32,
    /// State of the rollout.
    pub status: RolloutStatus,
    /// Reason why it is held, stopped or aborted.
    pub reason: Option<String>,
    /// Recommendations of the rollout, in the order of their execution.
    pub members: Vec<RolloutMember>,
    /// Gates passed so far, oldest first; the last one is the gate that the rollout waits at.
    pub gates: Vec<Gate>,
    /// User who began it: an e-mail address, or `agent:<id>`.
    pub by: String,
    pub created_at: Timestamp,
    /// Start of the present stage or wave.
    pub stage_since: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows with every change.
    pub version: u64,
}

impl Rollout {
    /// The stage and wave after the ones it is in; `None` when it is through. Waves without a
    /// member are passed over.
    #[must_use]
    pub fn next(&self) -> Option<(Stage, u32)> {
        let full = self.settings.shares_percent.len() as u32 + 1;
        let has = |wave: u32| self.members.iter().any(|member| member.wave == wave);

        match self.stage {
            Stage::Simulation => Some((Stage::Canary, 0)),
            Stage::Canary => Some((Stage::Validation, 0)),
            Stage::Validation | Stage::Gradual => {
                let wave = (self.wave + 1..=full).find(|wave| has(*wave))?;
                Some((
                    if wave == full {
                        Stage::Full
                    } else {
                        Stage::Gradual
                    },
                    wave,
                ))
            }
            Stage::Full => None,
        }
    }
}

#[cfg(test)]
mod tests;
