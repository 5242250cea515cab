//! Use of the guardrails on the wire.

use reeve_engine::{BudgetUse, GuardrailUsage};
use serde::Serialize;
use utoipa::ToSchema;

use crate::time;

/// Error budgets in an answer.
const MOST: usize = 200;

/// Use of the guardrails.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GuardrailsStatusBody {
    /// `true` if everything is stopped.
    pub kill_switch: bool,
    pub circuit_breaker: CircuitBreakerBody,
    /// Changes begun in the last 24 hours.
    pub actions_today: u64,
    /// Most that are allowed.
    pub max_actions_per_day: u32,
    /// Uptime to keep, percent.
    pub min_uptime: f64,
    /// Planned downtime that leaves it, seconds.
    pub budget_s: f64,
    /// Days it is of.
    pub budget_days: i64,
    /// Resources that used some of theirs, the most used first, at most 200. Every other has all of
    /// it.
    pub error_budgets: Vec<ErrorBudgetBody>,
    pub error_budgets_total: u64,
}

/// State of the circuit breaker, which stops agents after failures.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CircuitBreakerBody {
    /// `closed`: actions begin. `open`: none does until somebody resets it.
    pub state: String,
    /// Failures in a row since the last success or reset.
    pub failures: u32,
    /// From so many on it is open.
    pub limit: u32,
    /// Time of the last reset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset_at: Option<String>,
}

/// Use of the error budget by one resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorBudgetBody {
    pub resource_id: String,
    pub resource_name: String,
    pub connection_id: String,
    /// Planned downtime of the last 30 days, seconds.
    pub downtime_s: f64,
    /// Share of the budget that is used, percent; above 100 it is overdrawn.
    pub used: f64,
    /// Uptime that is left by it, percent.
    pub uptime: f64,
    /// Changes that took it down.
    pub changes: u64,
}

impl From<&GuardrailUsage> for GuardrailsStatusBody {
    fn from(usage: &GuardrailUsage) -> Self {
        GuardrailsStatusBody {
            kill_switch: usage.kill_switch,
            circuit_breaker: CircuitBreakerBody {
                state: if usage.breaker_open() {
                    "open"
                } else {
                    "closed"
                }
                .to_owned(),
                failures: usage.failures,
                limit: usage.failures_limit,
                reset_at: usage.breaker_reset_at.map(time::text),
            },
            actions_today: usage.actions_today,
            max_actions_per_day: usage.actions_limit,
            min_uptime: usage.min_uptime_percent,
            budget_s: usage.budget_s.round(),
            budget_days: usage.budget_days,
            error_budgets: usage
                .budgets
                .iter()
                .take(MOST)
                .map(|one| budget(one, usage.budget_s))
                .collect(),
            error_budgets_total: usage.budgets.len() as u64,
        }
    }
}

fn budget(budget: &BudgetUse, budget_s: f64) -> ErrorBudgetBody {
    let rounded = |value: f64, digits: f64| (value * digits).round() / digits;
    ErrorBudgetBody {
        resource_id: budget.resource.0.clone(),
        resource_name: budget.name.clone(),
        connection_id: budget.connection.0.clone(),
        downtime_s: budget.down_s.round(),
        // A budget of nothing is used up by the first second.
        used: if budget_s > 0.0 {
            rounded(budget.down_s / budget_s * 100.0, 10.0)
        } else {
            100.0
        },
        uptime: rounded(budget.uptime_percent, 10_000.0),
        changes: budget.changes,
    }
}
