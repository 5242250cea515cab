//! Guardrails on the wire, in the nesting of: `rollback.timeout: "5m"`,
//! `cost_impact.max_increase: "5%"`.

use reeve_audit::FieldCode;
use reeve_estate::TimeSpan;
use reeve_recommend::guardrail::Guardrails;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::Problem;
use crate::wire::form::quantity::{PercentText, Spelled, TimeSpanText, either};
use crate::wire::guardrail::approval_matrix::{ApprovalMatrixBody, ApprovalMatrixPut};
use crate::wire::guardrail::change_control::ChangeControlBody;

/// Returns the guardrails in force.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GuardrailsBody {
    pub cost_impact: CostImpactBody,
    pub performance_impact: PerformanceImpactBody,
    pub availability: AvailabilityBody,
    pub rollback: RollbackBody,
    /// Watching the effect of a change.
    pub verification: VerificationBody,
    /// Limits of how much changes at once.
    pub blast_radius: BlastRadiusBody,
    /// Time for which a changed resource is left alone.
    pub cool_down: TimeSpanText,
    /// `cool_down` as a number of seconds.
    pub cool_down_s: u64,
    /// Failures in a row after which nothing more is applied.
    pub breaker_failures: u32,
    /// Times, directions and owners of changes.
    pub change_control: ChangeControlBody,
    /// Impact by cost, and signatures by impact.
    pub approval_matrix: ApprovalMatrixBody,
    /// Stops everything while true. Changed by `kill-switch`.
    pub kill_switch: bool,
    /// Grows with every change.
    pub version: u64,
}

/// Limits of cost, in percent of the resource's monthly cost.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CostImpactBody {
    /// Highest increase of the monthly cost, percent.
    pub max_increase: PercentText,
    /// Highest decrease of the monthly cost, percent.
    pub max_decrease: PercentText,
}

/// Limits of the loss of performance that a change may cause.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PerformanceImpactBody {
    /// Highest expected loss of performance, percent.
    pub max_degradation: PercentText,
}

/// Limits of the downtime that changes may cause.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AvailabilityBody {
    /// Lowest uptime; planned restarts use up what it leaves.
    pub min_uptime: PercentText,
}

/// Time in which a change must succeed before it is taken back.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RollbackBody {
    /// Reeve rolls back without being asked.
    pub automatic: bool,
    /// Time after which a change that did not take effect is undone.
    pub timeout: TimeSpanText,
    /// `timeout` as a number of seconds.
    pub timeout_s: u64,
}

/// Watching the effect of a change.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = EffectVerificationBody)]
pub struct VerificationBody {
    /// Time for which metrics are compared with those before; `0m` compares nothing.
    pub window: TimeSpanText,
    /// `window` as a number of seconds.
    pub window_s: u64,
}

/// Limits of how much changes at once.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BlastRadiusBody {
    /// Resources in one run.
    pub max_actions_per_run: u32,
    /// Resources in a day.
    pub max_actions_per_day: u32,
    /// Share of the scope's resources in a day.
    pub max_share_per_day: PercentText,
    /// Number of findings of one kind from which an agent applies them in stages rather than in one
    /// run; 0 is never.
    pub rollout_from: u32,
}

/// A change of the guardrails. What is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardrailsPut {
    /// The same settings, under the name `guardrails`; given alone or
    /// with `version`.
    #[schema(no_recursion)]
    pub guardrails: Option<Box<GuardrailsPut>>,
    #[serde(default)]
    pub cost_impact: CostImpactPut,
    #[serde(default)]
    pub performance_impact: PerformanceImpactPut,
    #[serde(default)]
    pub availability: AvailabilityPut,
    #[serde(default)]
    pub rollback: RollbackPut,
    /// Watching the effect of a change.
    #[serde(default)]
    pub verification: VerificationPut,
    /// Limits of how much changes at once.
    #[serde(default)]
    pub blast_radius: BlastRadiusPut,
    /// Time for which a changed resource is left alone.
    pub cool_down: Option<TimeSpanText>,
    /// `cool_down` as a number of seconds.
    pub cool_down_s: Option<u64>,
    /// Failures in a row after which nothing more is applied.
    pub breaker_failures: Option<u32>,
    /// Times, directions and owners of changes; given whole.
    pub change_control: Option<ChangeControlBody>,
    /// Impact by cost, and signatures by impact.
    #[serde(default)]
    pub approval_matrix: ApprovalMatrixPut,
    /// Ignored: `kill-switch` changes it.
    pub kill_switch: Option<bool>,
    /// Reason of the change, for the log.
    pub reason: Option<String>,
    /// Version that was read; another is a conflict. Left out, the newest is changed.
    pub version: Option<u64>,
}

/// Limits of cost to set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CostImpactPut {
    /// Highest increase of the monthly cost, percent.
    pub max_increase: Option<PercentText>,
    /// Highest decrease of the monthly cost, percent.
    pub max_decrease: Option<PercentText>,
}

/// Limits of performance to set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PerformanceImpactPut {
    /// Highest expected loss of performance, percent.
    pub max_degradation: Option<PercentText>,
}

/// Limits of availability to set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AvailabilityPut {
    /// Lowest uptime that a change may leave, percent.
    pub min_uptime: Option<PercentText>,
}

/// Rolling back, to set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackPut {
    /// Reeve rolls back without being asked.
    pub automatic: Option<bool>,
    /// Time after which a change that did not take effect is undone.
    pub timeout: Option<TimeSpanText>,
    /// `timeout` as a number of seconds.
    pub timeout_s: Option<u64>,
}

/// Watching the effect of a change, to set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EffectVerificationPut)]
pub struct VerificationPut {
    /// Time for which metrics are compared with those before; `0m` compares nothing.
    pub window: Option<TimeSpanText>,
    /// `window` as a number of seconds.
    pub window_s: Option<u64>,
}

/// Limits of how much changes at once, to set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlastRadiusPut {
    /// Resources in one run.
    pub max_actions_per_run: Option<u32>,
    /// Resources in a day.
    pub max_actions_per_day: Option<u32>,
    /// Share of the scope's resources in a day.
    pub max_share_per_day: Option<PercentText>,
    /// Number of findings of one kind from which an agent applies them in stages; 0 is never.
    pub rollout_from: Option<u32>,
}

fn seconds(text: Option<TimeSpanText>) -> Option<u64> {
    text.map(|Spelled(span)| span.seconds())
}

fn span(seconds: u64) -> TimeSpanText {
    Spelled(TimeSpan::from_seconds(seconds))
}

impl From<&Guardrails> for GuardrailsBody {
    fn from(guardrails: &Guardrails) -> Self {
        GuardrailsBody {
            cost_impact: CostImpactBody {
                max_increase: PercentText::new(guardrails.max_cost_increase_percent),
                max_decrease: PercentText::new(guardrails.max_cost_decrease_percent),
            },
            performance_impact: PerformanceImpactBody {
                max_degradation: PercentText::new(guardrails.max_degradation_percent),
            },
            availability: AvailabilityBody {
                min_uptime: PercentText::new(guardrails.min_uptime_percent),
            },
            rollback: RollbackBody {
                automatic: guardrails.rollback_automatic,
                timeout: span(guardrails.rollback_timeout_s),
                timeout_s: guardrails.rollback_timeout_s,
            },
            verification: VerificationBody {
                window: span(guardrails.verification_window_s),
                window_s: guardrails.verification_window_s,
            },
            blast_radius: BlastRadiusBody {
                max_actions_per_run: guardrails.max_actions_per_run,
                max_actions_per_day: guardrails.max_actions_per_day,
                max_share_per_day: PercentText::new(guardrails.max_share_per_day_percent),
                rollout_from: guardrails.rollout_from,
            },
            cool_down: span(guardrails.cool_down_s),
            cool_down_s: guardrails.cool_down_s,
            breaker_failures: guardrails.breaker_failures,
            change_control: ChangeControlBody::from(&guardrails.change_control),
            approval_matrix: ApprovalMatrixBody::from(&guardrails.approval_matrix),
            kill_switch: guardrails.kill_switch,
            version: guardrails.version,
        }
    }
}

impl GuardrailsPut {
    /// Returns the reason of the change, wherever it stands.
    pub fn reason(&self) -> Option<&str> {
        self.reason
            .as_deref()
            .or_else(|| self.guardrails.as_ref()?.reason())
    }

    /// Returns the guardrails after the change. Ranges are checked where they are stored.
    ///
    /// # Errors
    /// 422 naming the field.
    pub fn applied(mut self, before: &Guardrails) -> Result<Guardrails, Problem> {
        if let Some(inner) = self.guardrails.take() {
            let version = inner.version.or(self.version.take());
            self.reason = None;
            if self != GuardrailsPut::default() {
                let message = "is given alone: put every setting inside it, or leave it out";
                return Err(Problem::field(
                    "guardrails",
                    FieldCode::Conflicting,
                    message,
                ));
            }
            return GuardrailsPut { version, ..*inner }.applied(before);
        }

        let percent = |given: Option<PercentText>, before: f64| {
            given.map_or(before, |Spelled(percent)| percent.value())
        };

        let seconds = |field: &str, given, beside, before: u64| {
            let companion = format!("{field}_s");
            let decided = either((field, seconds(given)), (&companion, beside), Some(before))?;
            Ok::<u64, Problem>(decided.unwrap_or(before))
        };

        let (rollback, verification, radius) =
            (self.rollback, self.verification, self.blast_radius);
        let change_control = self
            .change_control
            .map(ChangeControlBody::into_change_control)
            .transpose()?;
        Ok(Guardrails {
            max_cost_increase_percent: percent(
                self.cost_impact.max_increase,
                before.max_cost_increase_percent,
            ),
            max_cost_decrease_percent: percent(
                self.cost_impact.max_decrease,
                before.max_cost_decrease_percent,
            ),
            max_degradation_percent: percent(
                self.performance_impact.max_degradation,
                before.max_degradation_percent,
            ),
            min_uptime_percent: percent(self.availability.min_uptime, before.min_uptime_percent),
            rollback_automatic: rollback.automatic.unwrap_or(before.rollback_automatic),
            rollback_timeout_s: seconds(
                "rollback.timeout",
                rollback.timeout,
                rollback.timeout_s,
                before.rollback_timeout_s,
            )?,
            verification_window_s: seconds(
                "verification.window",
                verification.window,
                verification.window_s,
                before.verification_window_s,
            )?,
            max_actions_per_run: radius
                .max_actions_per_run
                .unwrap_or(before.max_actions_per_run),
            max_actions_per_day: radius
                .max_actions_per_day
                .unwrap_or(before.max_actions_per_day),
            max_share_per_day_percent: percent(
                radius.max_share_per_day,
                before.max_share_per_day_percent,
            ),
            rollout_from: radius.rollout_from.unwrap_or(before.rollout_from),
            cool_down_s: seconds(
                "cool_down",
                self.cool_down,
                self.cool_down_s,
                before.cool_down_s,
            )?,
            breaker_failures: self.breaker_failures.unwrap_or(before.breaker_failures),
            change_control: change_control.unwrap_or_else(|| before.change_control.clone()),
            approval_matrix: self.approval_matrix.applied(&before.approval_matrix)?,
            version: self.version.unwrap_or(before.version),
            ..before.clone()
        })
    }
}
