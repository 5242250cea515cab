//! The guardrails, asked before anything begins. Pure: the limits, what is asked, and what was done
//! recent.
//!
//! `cost_impact.max_decrease` bounds a step down in capacity that is in use, by agents and people
//! alike. A stop always lowers the cost by 100 %, so that the limit would refuse every cleanup of
//! idle resources; what takes no used capacity away is measured by its idleness instead. The share
//! of a scope bounds agents alone: one named change by a person is no runaway loop.

use jiff::Timestamp;
use reeve_estate::ResourceId;
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::change::{Procedure, SLOW_ROLLBACK_LIMIT_S};
use reeve_recommend::guardrail::change_control::ChangeControlPlace;
use reeve_recommend::guardrail::{GuardrailBlock, GuardrailName, Guardrails};
use reeve_recommend::plan::StepKind;
use reeve_recommend::recommendation::totals::ActionCounts;
use reeve_recommend::recommendation::{Recommendation, RecommendationType};

pub(crate) mod circumstances;
mod control;
pub(crate) mod limits;
pub(crate) mod recent_actions;
pub(crate) mod usage;

pub(super) const DAY_S: i64 = 86_400;
/// The span the uptime's error budget is counted over: the history that is requested must reach as
/// far.
pub(super) const BUDGET_DAYS: i64 = 30;

/// Change that the guardrails check.
#[derive(Debug, Clone, Copy)]
pub struct GuardRequest<'a> {
    /// The recommendation to execute.
    pub recommendation: &'a Recommendation,
    /// Its plan with the typed change; `None` where this release cannot read it.
    pub procedure: Option<&'a Procedure>,
    /// The resource that changes (the twin's, in a test).
    pub resource: &'a ResourceId,
    /// Run that requests it; `None` when a person or the schedule does.
    pub run_id: Option<&'a str>,
    /// Place of the resource, as scopes match it.
    pub place: ChangeControlPlace<'a>,
    /// `true` if an agent acts by itself.
    pub automatic: bool,
    /// `true` for an emergency by a standing approval.
    pub emergency: bool,
    /// Resources in the agent's scope.
    pub scope_size: u64,
    /// Actions of the last 30 days on the resource, newest first. Those on others may be among
    /// them.
    pub history: &'a [Action],
    /// Sums over all actions of late.
    pub recent: &'a RecentActions,
    pub now: Timestamp,
}

/// Sums over actions of late that the guardrails compare with their limits.
#[derive(Debug, Clone, Default)]
pub struct RecentActions {
    /// Failures since the last success, and since the breaker was reset.
    pub failures: u32,
    /// Actions begun in the last 24 hours.
    pub in_day: ActionCounts,
    /// Actions begun in the run that wants the change.
    pub in_run: u64,
}

/// Says no by the first guardrail that does.
///
/// # Errors
/// The block: guardrail, limit, value.
pub fn check(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    switches(limits, asked)?;
    control::check(&limits.change_control, asked)?;
    cost(limits, asked)?;
    performance(limits, asked)?;
    uptime(limits, asked)?;
    if asked.emergency {
        // Its own limits were asked before (`emergency/limits.rs`).
        return Ok(());
    }
    cool_down(limits, asked)?;
    blast_radius(limits, asked)
}

fn block(guardrail: GuardrailName, limit: f64, value: f64, message: String) -> GuardrailBlock {
    GuardrailBlock {
        guardrail,
        message,
        limit,
        value,
    }
}

fn switches(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    if limits.kill_switch {
        return Err(block(
            GuardrailName::KillSwitch,
            0.0,
            1.0,
            "the kill switch is on; no change starts until it is turned off".to_owned(),
        ));
    }

    let failures = asked.recent.failures;
    if failures >= limits.breaker_failures {
        let message = format!(
            "the last {failures} actions failed or were rolled back, limit {}; reset the breaker when the cause is known",
            limits.breaker_failures
        );
        return Err(block(
            GuardrailName::CircuitBreaker,
            f64::from(limits.breaker_failures),
            f64::from(failures),
            message,
        ));
    }

    Ok(())
}

/// Effect of one action on the circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BreakerSign {
    /// The change went through: failures before it do not count.
    Success,
    /// The change failed, or was undone by itself.
    Failure,
    /// Nothing: it still works, changed nothing, or changed no resource of its own.
    None,
}

/// Returns what an action says about the circuit breaker. An undoing by hand is no failure of the
/// change.
pub(super) fn breaker_sign(action: &Action) -> BreakerSign {
    match action.status {
        _ if action.purpose != Purpose::Apply => BreakerSign::None,
        ActionStatus::Succeeded => BreakerSign::Success,
        ActionStatus::RolledBack if had_succeeded(action) => BreakerSign::Success,
        ActionStatus::Failed | ActionStatus::RolledBack => BreakerSign::Failure,
        ActionStatus::Aborted | ActionStatus::Running | ActionStatus::RollingBack => {
            BreakerSign::None
        }
    }
}

fn had_succeeded(action: &Action) -> bool {
    action
        .steps
        .iter()
        .any(|step| step.kind == StepKind::Verify && !step.rollback && step.ok == Some(true))
}

/// Returns `true` if people lifted the limit for exactly this plan. An agent by itself never uses
/// what was granted to a person.
fn excepted(asked: &GuardRequest<'_>, guardrail: GuardrailName, value: f64) -> bool {
    let hash = asked
        .recommendation
        .plan
        .as_ref()
        .map(|plan| plan.hash.as_str());

    let exception = asked
        .recommendation
        .exception
        .as_ref()
        .filter(|_| !asked.automatic);
    exception.is_some_and(|exception| exception.covers(guardrail, value, hash, asked.now))
}

fn cost(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    let Some(percent) = asked.recommendation.impact.cost_percent else {
        return unknown_cost(limits, asked);
    };

    let replaces_lost = asked.emergency
        && asked
            .procedure
            .is_some_and(|procedure| procedure.change().replaces_lost_capacity());
    if percent > limits.max_cost_increase_percent + 0.05
        && !replaces_lost
        && !excepted(asked, GuardrailName::MaxIncrease, percent)
    {
        let limit = limits.max_cost_increase_percent;
        let message = format!("cost would rise by {percent:.1} %, limit {limit:.1} %");
        return Err(block(GuardrailName::MaxIncrease, limit, percent, message));
    }

    let takes_capacity = asked
        .procedure
        .is_none_or(|procedure| procedure.change().may_take_capacity());
    let falls = -percent > limits.max_cost_decrease_percent + 0.05 && takes_capacity;

    if falls && !excepted(asked, GuardrailName::MaxDecrease, -percent) {
        let limit = limits.max_cost_decrease_percent;
        let message = format!("cost would fall by {:.1} %, limit {limit:.1} %", -percent);
        return Err(block(GuardrailName::MaxDecrease, limit, -percent, message));
    }

    Ok(())
}

/// A change of unknown cost is within no limit of cost, for people either: "unknown" would
/// otherwise be the way around both. What only ends a cost raises none.
fn unknown_cost(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    let ends_cost = asked.recommendation.kind == RecommendationType::IdleResourceCleanup
        || asked
            .procedure
            .is_some_and(|procedure| procedure.change().ends_cost());
    if ends_cost || excepted(asked, GuardrailName::MaxIncrease, 0.0) {
        return Ok(());
    }

    let limit = limits.max_cost_increase_percent;
    let message = format!(
        "no price of the change is known, so it cannot be compared with the limit of {limit:.1} %"
    );
    Err(block(GuardrailName::MaxIncrease, limit, 0.0, message))
}

fn performance(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    let Some(percent) = asked.recommendation.impact.performance_degradation_percent else {
        return Ok(());
    };

    if percent <= limits.max_degradation_percent
        || excepted(asked, GuardrailName::MaxDegradation, percent)
    {
        return Ok(());
    }

    let limit = limits.max_degradation_percent;
    let message = format!("expected degradation {percent:.1} %, limit {limit:.1} %");
    Err(block(
        GuardrailName::MaxDegradation,
        limit,
        percent,
        message,
    ))
}

/// The error budget of 30 days: planned downtime so far, and the longest that this change and its
/// way back may take.
fn uptime(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    if !asked
        .recommendation
        .plan
        .as_ref()
        .is_some_and(|plan| plan.restart_needed)
    {
        return Ok(());
    }

    let so_far: f64 = asked
        .history
        .iter()
        .filter(|a| a.resource == *asked.resource)
        .map(|a| down_s(a, asked.now))
        .sum();

    let timeout_s = i64::try_from(limits.rollback_timeout_s).unwrap_or(i64::MAX);
    let unknown = || timeout_s.saturating_add(SLOW_ROLLBACK_LIMIT_S);
    let kind = asked.recommendation.subject.kind;
    let worst = asked
        .procedure
        .map_or_else(unknown, |known| known.interruption_limit_s(kind, timeout_s))
        as f64;
    let span = (BUDGET_DAYS * DAY_S) as f64;
    let uptime = 100.0 * (1.0 - (so_far + worst) / span);
    if uptime >= limits.min_uptime_percent || excepted(asked, GuardrailName::MinUptime, uptime) {
        return Ok(());
    }

    let limit = limits.min_uptime_percent;
    let message = format!(
        "{:.0} min of planned downtime in {BUDGET_DAYS} days and up to {:.0} min more would leave {uptime:.3} % uptime, limit {limit} %",
        so_far / 60.0,
        worst / 60.0
    );
    Err(block(GuardrailName::MinUptime, limit, uptime, message))
}

/// Returns the seconds for which an action kept its resource down: from the stop (or the class
/// change, or the failover) to the last step after it.
pub(super) fn down_s(action: &Action, now: Timestamp) -> f64 {
    let restarted = action.steps.iter().any(|step| step.effect().brings_back());
    let first = action
        .steps
        .iter()
        .find(|step| step.effect().interrupts())
        .filter(|_| restarted);
    let Some(first) = first else { return 0.0 };
    let end = action
        .steps
        .iter()
        .filter_map(|step| step.finished_at)
        .max()
        .unwrap_or(now);

    end.duration_since(first.started_at).as_secs_f64().max(0.0)
}

fn cool_down(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    let touched = |action: &&Action| {
        // What was refused at the door changed nothing; an agent still waits before it knocks
        // again. What was scaled for a peak and taken back leaves nothing to settle, and tomorrow's
        // peak is at the same hour.
        let taken_back = action.status == ActionStatus::Succeeded
            && action.steps.iter().any(|step| step.kind == StepKind::Hold);
        action.resource == *asked.resource
            && !taken_back
            && (asked.automatic || action.status != ActionStatus::Aborted)
    };

    let last = asked
        .history
        .iter()
        .filter(touched)
        .map(|a| a.finished_at.unwrap_or(a.started_at))
        .max();
    let Some(last) = last else { return Ok(()) };

    let passed = asked.now.duration_since(last).as_secs().max(0);
    if passed as u64 >= limits.cool_down_s {
        return Ok(());
    }

    let hours = |seconds: f64| seconds / 3600.0;
    let (limit, value) = (hours(limits.cool_down_s as f64), hours(passed as f64));
    let message = format!(
        "the resource was changed {value:.1} h ago and is not changed again for {limit:.1} h"
    );

    Err(block(GuardrailName::CoolDown, limit, value, message))
}

fn blast_radius(limits: &Guardrails, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    let said = |name, limit: u64, value: u64, what: &str| {
        let message = format!("{value} {what}, limit {limit}");
        Err(block(name, limit as f64, value as f64, message))
    };

    if asked.run_id.is_some() {
        let in_run = asked.recent.in_run;
        let limit = u64::from(limits.max_actions_per_run);
        if in_run >= limit {
            return said(
                GuardrailName::MaxActionsPerRun,
                limit,
                in_run,
                "actions begun in this run",
            );
        }
    }

    let in_day = &asked.recent.in_day;
    let limit = u64::from(limits.max_actions_per_day);

    if in_day.begun >= limit {
        return said(
            GuardrailName::MaxActionsPerDay,
            limit,
            in_day.begun,
            "actions begun in 24 hours",
        );
    }

    // At least one, or a scope of nine could never be worked on.
    let share = (asked.scope_size as f64 * limits.max_share_per_day_percent / 100.0).floor() as u64;
    let share = if limits.max_share_per_day_percent > 0.0 {
        share.max(1)
    } else {
        0
    };

    let agent = asked.recommendation.agent_id.as_ref();
    let own = agent
        .and_then(|agent| in_day.begun_by_agents.get(agent))
        .copied()
        .unwrap_or(0);

    if asked.automatic && own >= share {
        let what = format!(
            "of {} resources changed by the agent in 24 hours",
            asked.scope_size
        );
        return said(GuardrailName::MaxSharePerDay, share, own, &what);
    }

    Ok(())
}
