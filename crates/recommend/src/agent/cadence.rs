//! Cadence of runs: at an interval over everything, or after each sync over what changed.

use jiff::{SignedDuration, Timestamp};

use crate::agent::Agent;

/// Time between the full runs of an agent that also runs over changes.
const FULL_RUNS_APART: SignedDuration = SignedDuration::from_hours(24);

/// Times at which agents of a type run, and the resources that a run judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cadence {
    /// Every resource of the scope, at an interval: judgements depend on measurements.
    #[default]
    Interval,
    /// The resources that changed, after each sync, and every resource once a day: judgements
    /// depend on configurations and relations. Judgements that read the time change without either,
    /// and do so in the full run of the day.
    Changes,
}

/// Returns the time of an agent's next run over its whole scope: by its schedule, or `interval`
/// after its last run.
#[must_use]
pub fn next_run(agent: &Agent, interval: SignedDuration) -> Option<Timestamp> {
    let last = agent.last_run.as_ref().map(|run| run.finished_at);
    match &agent.schedule {
        Some(schedule) => schedule.next(last.unwrap_or(agent.created_at)),
        None => last.unwrap_or(agent.created_at).checked_add(interval).ok(),
    }
}

/// Returns the time of the next full run of an agent that also runs over changes: by its schedule,
/// or a day after the last one. A run that failed is repeated after `interval`; where the
/// basis of the judgements is another one, the next run is due.
pub(super) fn next_full_run(
    agent: &Agent,
    basis: &str,
    interval: SignedDuration,
) -> Option<Timestamp> {
    let (Some(last), Some(position)) = (&agent.last_run, agent.position()) else {
        return next_run(agent, interval);
    };
    if last.error.is_some() {
        return next_run(agent, interval);
    }
    if position.basis != basis {
        return Some(last.finished_at);
    }
    next_run(agent, interval.max(FULL_RUNS_APART))
}
