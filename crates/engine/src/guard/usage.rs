//! Use of the guardrails: the circuit breaker, the day's changes, and each resource's error budget.
//! The guardrails decide by the same figures.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::action::Purpose;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::totals::ActionFilter;

use crate::guard::limits::GuardrailService;
use crate::guard::recent_actions::budget_begin;
use crate::guard::{BUDGET_DAYS, DAY_S, down_s};

/// Use of the guardrails.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardrailUsage {
    /// `true` if everything is stopped.
    pub kill_switch: bool,
    /// Failures in a row since the last success or reset.
    pub failures: u32,
    /// From so many on nothing begins.
    pub failures_limit: u32,
    /// Time at which a user last reset the breaker.
    pub breaker_reset_at: Option<Timestamp>,
    /// Changes begun in the last 24 hours, and how many there may be.
    pub actions_today: u64,
    /// Limit of changes begun in 24 hours.
    pub actions_limit: u32,
    /// Uptime to keep, percent.
    pub min_uptime_percent: f64,
    /// Planned downtime that leaves it, seconds in [`GuardrailUsage::budget_days`] days.
    pub budget_s: f64,
    /// Days the budget is of.
    pub budget_days: i64,
    /// Resources that used some of theirs, the most used first. Every other has all of it.
    pub budgets: Vec<BudgetUse>,
}

impl GuardrailUsage {
    /// Returns `true` if the breaker is open, so that no execution begins.
    #[must_use]
    pub const fn breaker_open(&self) -> bool {
        self.failures >= self.failures_limit
    }
}

/// Use of one resource's error budget.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetUse {
    pub connection: ConnectionId,
    pub resource: ResourceId,
    /// Its name; the identifier where it is gone.
    pub name: String,
    /// Planned downtime of the last 30 days, seconds.
    pub down_s: f64,
    /// Uptime that is left by it, percent.
    pub uptime_percent: f64,
    /// Changes that took it down.
    pub changes: u64,
}

impl GuardrailService {
    /// Returns the present use of the guardrails.
    ///
    /// # Errors
    /// The store failed.
    pub async fn guardrail_usage(&self) -> Result<GuardrailUsage, EngineError> {
        let limits = self.records.agents.guardrails_get().await?;
        let now = self.records.clock.now();
        let recent = self.recent_actions(&limits, None, now).await?;
        let filter = ActionFilter {
            since: Some(budget_begin(now)),
            ..ActionFilter::default()
        };
        let (history, _) = self.records.agents.action_page(&filter).await?;
        let span_s = (BUDGET_DAYS * DAY_S) as f64;
        let mut used: BTreeMap<(ConnectionId, ResourceId), (f64, u64)> = BTreeMap::new();

        for action in &history {
            let down = down_s(action, now);
            if down > 0.0 && action.purpose != Purpose::Simulate {
                let budget = used
                    .entry((action.connection.clone(), action.resource.clone()))
                    .or_default();
                *budget = (budget.0 + down, budget.1 + 1);
            }
        }

        let ids: BTreeSet<&ResourceId> = used.keys().map(|(_, resource)| resource).collect();
        let ids: Vec<ResourceId> = ids.into_iter().cloned().collect();
        let resources = self.resources_of(&ids).await?;
        let names: BTreeMap<_, _> = resources
            .into_iter()
            .map(|(key, one)| (key, one.name))
            .collect();
        let budget = |((connection, resource), (down_s, changes)): (
            (ConnectionId, ResourceId),
            (f64, u64),
        )| {
            let key = (connection, resource);
            let name = names.get(&key).cloned().unwrap_or_else(|| key.1.0.clone());
            let uptime_percent = 100.0 * (1.0 - down_s / span_s);
            BudgetUse {
                connection: key.0,
                resource: key.1,
                name,
                down_s,
                uptime_percent,
                changes,
            }
        };
        let mut budgets: Vec<BudgetUse> = used.into_iter().map(budget).collect();

        budgets.sort_by(|a, b| {
            b.down_s
                .total_cmp(&a.down_s)
                .then_with(|| a.resource.cmp(&b.resource))
        });

        Ok(GuardrailUsage {
            kill_switch: limits.kill_switch,
            failures: recent.failures,
            failures_limit: limits.breaker_failures,
            breaker_reset_at: limits.breaker_reset_at,
            actions_today: recent.in_day.begun,
            actions_limit: limits.max_actions_per_day,
            min_uptime_percent: limits.min_uptime_percent,
            budget_s: span_s * (1.0 - limits.min_uptime_percent / 100.0),
            budget_days: BUDGET_DAYS,
            budgets,
        })
    }
}
