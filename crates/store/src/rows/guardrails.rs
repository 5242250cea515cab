//! The guardrails.

use reeve_recommend::approval::Signature;
use reeve_recommend::{ApprovalMatrix, Guardrails};
use serde::{Deserialize, Serialize};

use super::change_control::ChangeControlRow;
use super::{RowError, finite, named, time_or_none};

/// The guardrails, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct GuardrailsRow {
    #[serde(serialize_with = "finite")]
    max_cost_increase_percent: f64,
    #[serde(serialize_with = "finite")]
    max_cost_decrease_percent: f64,
    #[serde(serialize_with = "finite")]
    max_degradation_percent: f64,
    #[serde(serialize_with = "finite")]
    min_uptime_percent: f64,
    rollback_automatic: bool,
    rollback_timeout_s: u64,
    #[serde(default = "a_day")]
    verification_window_s: u64,
    max_actions_per_run: u32,
    max_actions_per_day: u32,
    #[serde(serialize_with = "finite")]
    max_share_per_day_percent: f64,
    #[serde(default = "ten")]
    rollout_from: u32,
    cool_down_s: u64,
    breaker_failures: u32,
    breaker_reset_at: Option<String>,
    #[serde(default)]
    change_control: ChangeControlRow,
    #[serde(default)]
    approval_matrix: ApprovalMatrixRow,
    kill_switch: bool,
    version: u64,
}

/// The approval matrix; guardrails of earlier releases have the default.
#[derive(Debug, Serialize, Deserialize)]
struct ApprovalMatrixRow {
    #[serde(serialize_with = "finite")]
    medium_from_usd: f64,
    #[serde(serialize_with = "finite")]
    high_above_usd: f64,
    low: Vec<String>,
    medium: Vec<String>,
    high: Vec<String>,
}

impl Default for ApprovalMatrixRow {
    fn default() -> Self {
        ApprovalMatrixRow::from(&ApprovalMatrix::default())
    }
}

impl From<&ApprovalMatrix> for ApprovalMatrixRow {
    fn from(from: &ApprovalMatrix) -> Self {
        let names = |signatures: &[Signature]| {
            signatures
                .iter()
                .map(|one| one.as_str().to_owned())
                .collect()
        };
        ApprovalMatrixRow {
            medium_from_usd: from.medium_from_usd,
            high_above_usd: from.high_above_usd,
            low: names(&from.low),
            medium: names(&from.medium),
            high: names(&from.high),
        }
    }
}

impl ApprovalMatrixRow {
    fn into_matrix(self) -> Result<ApprovalMatrix, RowError> {
        let read = |names: Vec<String>| -> Result<Vec<Signature>, RowError> {
            names
                .iter()
                .map(|name| named("signature", name, Signature::parse))
                .collect()
        };
        Ok(ApprovalMatrix {
            medium_from_usd: self.medium_from_usd,
            high_above_usd: self.high_above_usd,
            low: read(self.low)?,
            medium: read(self.medium)?,
            high: read(self.high)?,
        })
    }
}

fn ten() -> u32 {
    Guardrails::default().rollout_from
}

fn a_day() -> u64 {
    Guardrails::default().verification_window_s
}

impl From<&Guardrails> for GuardrailsRow {
    fn from(from: &Guardrails) -> Self {
        GuardrailsRow {
            max_cost_increase_percent: from.max_cost_increase_percent,
            max_cost_decrease_percent: from.max_cost_decrease_percent,
            max_degradation_percent: from.max_degradation_percent,
            min_uptime_percent: from.min_uptime_percent,
            rollback_automatic: from.rollback_automatic,
            rollback_timeout_s: from.rollback_timeout_s,
            verification_window_s: from.verification_window_s,
            max_actions_per_run: from.max_actions_per_run,
            max_actions_per_day: from.max_actions_per_day,
            max_share_per_day_percent: from.max_share_per_day_percent,
            rollout_from: from.rollout_from,
            cool_down_s: from.cool_down_s,
            breaker_failures: from.breaker_failures,
            breaker_reset_at: from.breaker_reset_at.map(|at| at.to_string()),
            change_control: ChangeControlRow::from(&from.change_control),
            approval_matrix: ApprovalMatrixRow::from(&from.approval_matrix),
            kill_switch: from.kill_switch,
            version: from.version,
        }
    }
}

impl GuardrailsRow {
    pub(crate) fn into_guardrails(self) -> Result<Guardrails, RowError> {
        Ok(Guardrails {
            max_cost_increase_percent: self.max_cost_increase_percent,
            max_cost_decrease_percent: self.max_cost_decrease_percent,
            max_degradation_percent: self.max_degradation_percent,
            min_uptime_percent: self.min_uptime_percent,
            rollback_automatic: self.rollback_automatic,
            rollback_timeout_s: self.rollback_timeout_s,
            verification_window_s: self.verification_window_s,
            max_actions_per_run: self.max_actions_per_run,
            max_actions_per_day: self.max_actions_per_day,
            max_share_per_day_percent: self.max_share_per_day_percent,
            rollout_from: self.rollout_from,
            cool_down_s: self.cool_down_s,
            breaker_failures: self.breaker_failures,
            breaker_reset_at: time_or_none(self.breaker_reset_at.as_deref())?,
            change_control: self.change_control.into_change_control()?,
            approval_matrix: self.approval_matrix.into_matrix()?,
            kill_switch: self.kill_switch,
            version: self.version,
        })
    }
}
