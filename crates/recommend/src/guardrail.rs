//! Guardrails: the limits of, on by default, and what a block says.

pub mod change_control;
pub mod exception;
pub mod ownership;
pub mod protection;

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::approval::matrix::ApprovalMatrix;
use crate::guardrail::change_control::ChangeControl;

/// The limits. Percentages are of the resource's monthly cost or of the measured value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Guardrails {
    /// Cost may rise by at most this, percent.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub max_cost_increase_percent: f64,
    /// Cost may fall by at most this in one step, percent.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub max_cost_decrease_percent: f64,
    /// Expected degradation at most, percent.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub max_degradation_percent: f64,
    /// Uptime to keep, percent; its error budget bounds planned restarts.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub min_uptime_percent: f64,
    /// Roll back by itself.
    pub rollback_automatic: bool,
    /// Roll back when the change did not stick within this, seconds.
    pub rollback_timeout_s: u64,
    /// The effect of a change is watched this long, seconds; 0 is not at all.
    #[serde(default = "a_day")]
    pub verification_window_s: u64,
    /// At most this many resources changed in one run.
    pub max_actions_per_run: u32,
    /// At most this many resources changed in a day.
    pub max_actions_per_day: u32,
    /// At most this share of a scope's resources changed in a day, percent.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub max_share_per_day_percent: f64,
    /// From so many findings of one kind on, which it would apply by itself in one run, an agent
    /// rolls them out in stages; 0 is never.
    #[serde(default = "ten")]
    pub rollout_from: u32,
    /// A changed resource is left alone this long, seconds.
    pub cool_down_s: u64,
    /// After this many failures in a row nothing more is applied until somebody resets it.
    pub breaker_failures: u32,
    /// Failures before this do not count towards the breaker: when it was last reset.
    pub breaker_reset_at: Option<Timestamp>,
    /// Windows, freezes, direction of capacity, and treatment of infrastructure as code.
    #[serde(default)]
    pub change_control: ChangeControl,
    /// Impact by cost, and signatures by impact.
    #[serde(default)]
    pub approval_matrix: ApprovalMatrix,
    /// Every change by Reeve stops.
    pub kill_switch: bool,
    /// Grows with every change.
    pub version: u64,
}

/// Limit of guardrails that were stored by a release without it.
fn ten() -> u32 {
    Guardrails::default().rollout_from
}

/// Window of guardrails that were stored by a release without it.
fn a_day() -> u64 {
    Guardrails::default().verification_window_s
}

impl Default for Guardrails {
    fn default() -> Self {
        Guardrails {
            max_cost_increase_percent: 5.0,
            max_cost_decrease_percent: 50.0,
            max_degradation_percent: 3.0,
            min_uptime_percent: 99.9,
            rollback_automatic: true,
            rollback_timeout_s: 300,
            verification_window_s: 24 * 3600,
            max_actions_per_run: 5,
            max_actions_per_day: 20,
            max_share_per_day_percent: 10.0,
            rollout_from: 10,
            cool_down_s: 24 * 3600,
            breaker_failures: 3,
            breaker_reset_at: None,
            change_control: ChangeControl::default(),
            approval_matrix: ApprovalMatrix::default(),
            kill_switch: false,
            version: 0,
        }
    }
}

named!(
    /// A guardrail that can block an execution, by its name in requirements.
    GuardrailName {
        /// Every change by Reeve stops.
        KillSwitch => "kill_switch",
        /// Too many failures in a row.
        CircuitBreaker => "circuit_breaker",
        /// The agent's scope excludes the resource.
        Scope => "scope",
        /// A person excluded the finding.
        Exclusion => "exclusion",
        /// Rise of the monthly cost.
        MaxIncrease => "cost_impact.max_increase",
        /// Fall of the monthly cost.
        MaxDecrease => "cost_impact.max_decrease",
        /// Limit of the expected loss of performance.
        MaxDegradation => "performance_impact.max_degradation",
        /// Error budget of planned restarts.
        MinUptime => "availability.min_uptime",
        /// Time after a change in which the resource is left alone.
        CoolDown => "cool_down",
        /// Resources changed in one run.
        MaxActionsPerRun => "blast_radius.max_actions_per_run",
        /// Resources changed in a day.
        MaxActionsPerDay => "blast_radius.max_actions_per_day",
        /// Share of a scope changed in a day.
        MaxSharePerDay => "blast_radius.max_share_per_day",
        /// A period in which nothing is changed.
        ChangeFreeze => "change_freeze",
        /// Window in which interruptions are allowed.
        MaintenanceWindow => "maintenance_window",
        /// Ownership by infrastructure as code.
        InfrastructureAsCode => "infrastructure_as_code",
        /// Direction in which capacity may go.
        Direction => "direction",
    }
);

impl GuardrailName {
    /// Returns `true` if people may grant an exception to the guardrail: it limits what one plan
    /// changes. A database may be down for longer than a month's budget allows by its limits alone,
    /// and would be refused for ever. The others protect the estate as a whole (kill switch,
    /// breaker, blast radius) or pass with time (cool-down, freezes, windows), and have switches of
    /// their own.
    #[must_use]
    pub const fn is_exceptable(self) -> bool {
        use GuardrailName::{MaxDecrease, MaxDegradation, MaxIncrease, MinUptime};
        matches!(self, MaxIncrease | MaxDecrease | MaxDegradation | MinUptime)
    }
}

/// Block by a guardrail: its limit, the value found, and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{guardrail}: {message}")]
pub struct GuardrailBlock {
    /// Name of the guardrail.
    pub guardrail: GuardrailName,
    /// The limit and the value found, in words.
    pub message: String,
    pub limit: f64,
    pub value: f64,
}
