//! `development = cost_optimized`: machines that run at nights and on weekends, when nobody works
//! on them.
//!
//! Working hours are learned: the twelve hours, Monday to Friday, in which the machine does most.
//! Reeve starts no machine by the clock, so that the fix is a tag for a scheduler that does, where
//! the agent's settings name one. What is idle between its hours in every respect is left to
//! `identify_idle_resources` of `cost_optimizer`.

use std::collections::BTreeMap;

use reeve_estate::{Metric, Money, Provider};
use reeve_learn::calibrate::Daily;
use reeve_learn::{Backtest, DAY_MS, Window, percentile};
use reeve_recommend::change::TagResource;
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, RecommendationType};
use reeve_recommend::words::{byte_rate, percent};

use super::finding::{WorkloadCase, WorkloadFinding, saved};
use super::shape::hours;
use crate::confidence::backtest;
use crate::load::Load;

pub(super) const KIND: RecommendationType = RecommendationType::IdleResourceCleanup;
/// Hours of a working day.
const WORKING: i64 = 12;
/// Share of the week outside working hours.
const OFF: f64 = 1.0 - (5.0 * WORKING as f64) / 168.0;
/// Days that must have been measured: two weekends.
const LEAST_DAYS: i64 = 14;
/// Mean traffic outside working hours up to which nobody uses it, bytes a second.
const TRAFFIC: f64 = 100.0 * 1024.0;

/// Working hours: the hour of the day (UTC) in which they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkingHours(i64);

impl WorkingHours {
    /// The hours in which most is done.
    pub(super) fn from_hours(hours: &BTreeMap<i64, f64>) -> WorkingHours {
        let done = |start: &i64| {
            let within: Vec<f64> = hours
                .iter()
                .filter(|(hour, _)| WorkingHours(*start).contains(**hour))
                .map(|(_, mean)| *mean)
                .collect();
            within.iter().sum::<f64>() / within.len().max(1) as f64
        };
        WorkingHours(
            (0..24)
                .max_by(|a, b| done(a).total_cmp(&done(b)))
                .unwrap_or(0),
        )
    }

    /// Returns `true` for a working hour, given since the epoch. The first of January 1970 was a
    /// Thursday.
    fn contains(self, hour: i64) -> bool {
        let own = hour - self.0;
        (own.div_euclid(24) + 3).rem_euclid(7) < 5 && own.rem_euclid(24) < WORKING
    }

    fn words(self) -> String {
        let (start, end) = (self.0, (self.0 + WORKING) % 24);
        format!("Monday to Friday from {start:02}:00 to {end:02}:00 UTC")
    }
}

/// Checks a development machine.
pub(super) fn check(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    let machine = case.facts.resource;
    let mut path = case.path();

    if let Some(group) = &machine.group {
        return Err(Abstention::decided(
            KIND,
            "group_member",
            format!("it belongs to {group}, which has schedules"),
        ));
    }

    // A scheduler's tag leads to stops as well.
    if let Some(protected) = refusal(machine, "stop_machine", case.facts.catalogue) {
        return Err(protected.into_abstention(Some(KIND)));
    }

    if let Some((key, value)) = scheduled(case) {
        return Err(Abstention::decided(
            KIND,
            "scheduled",
            format!("{key}={value} schedules it already"),
        ));
    }

    let cpu = measured(case)?;
    let history = Window::ending(
        case.facts.now.as_millisecond(),
        case.settings.history_days * DAY_MS,
    );
    let means = hours(&cpu, history);
    let working = WorkingHours::from_hours(&means);
    let outside: Vec<f64> = means
        .iter()
        .filter(|(hour, _)| !working.contains(**hour))
        .map(|(_, mean)| *mean)
        .collect();

    let (high, limit) = (
        percentile(&outside, 95.0).unwrap_or(100.0),
        case.settings.night_cpu_percent,
    );
    let reason = format!(
        "outside {} its CPU is {} in 95 % of the hours",
        working.words(),
        percent(high)
    );
    let question = format!("Is its CPU below {limit:.0} % outside working hours?");
    if !path.ask(question, high < limit, reason.clone()) {
        return Err(Abstention::decided(KIND, "works_at_night", reason));
    }

    let traffic = traffic(case, history, working)?;
    let words = format!("outside working hours it moves {}", byte_rate(traffic));

    if !path.ask(
        format!("Is its traffic below {} then?", byte_rate(TRAFFIC)),
        traffic < TRAFFIC,
        words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "asked_at_night", words));
    }

    let tried = tried(&cpu, history, limit, working);
    propose(case, working, [reason, words], tried, path)
}

/// The CPU of a machine that was measured for two weeks.
fn measured(case: &WorkloadCase<'_>) -> Result<Load, Abstention> {
    let cpu = Load::measured(case.facts, Metric::CpuUtilization);
    let now = case.facts.now.as_millisecond();
    let days = |cpu: &Load| cpu.points.first().map_or(0, |(at, _)| (now - at) / DAY_MS);

    cpu.filter(|cpu| days(cpu) >= LEAST_DAYS).ok_or_else(|| {
        Abstention::unjudged(
            KIND,
            "thin_data",
            format!("CPU was not measured for {LEAST_DAYS} days"),
        )
    })
}

/// The tag of a scheduler that the machine has already.
fn scheduled<'a>(case: &'a WorkloadCase<'_>) -> Option<(&'a str, &'a str)> {
    let key = case
        .settings
        .schedule_tag
        .as_ref()
        .map_or("Schedule", |(key, _)| key);

    let found = case
        .facts
        .resource
        .tags
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(key));

    found.map(|(key, value)| (key.as_str(), value.as_str()))
}

fn traffic(
    case: &WorkloadCase<'_>,
    history: Window,
    working: WorkingHours,
) -> Result<f64, Abstention> {
    let unmeasured =
        || Abstention::unjudged(KIND, "not_measured", "network traffic was not measured");
    let load =
        Load::sum(case.facts, Metric::NetworkIn, Metric::NetworkOut).ok_or_else(unmeasured)?;
    let means = hours(&load, history);
    let outside: Vec<f64> = means
        .iter()
        .filter(|(hour, _)| !working.contains(**hour))
        .map(|(_, mean)| *mean)
        .collect();

    if outside.is_empty() {
        Err(unmeasured())
    } else {
        Ok(outside.iter().sum::<f64>() / outside.len() as f64)
    }
}

/// The highest hour of CPU outside working hours in a window.
pub(super) fn highest_outside(cpu: &Load, window: Window, working: WorkingHours) -> Option<f64> {
    let outside = hours(cpu, window)
        .into_iter()
        .filter(|(hour, _)| !working.contains(*hour))
        .map(|(_, mean)| mean);
    outside.reduce(f64::max)
}

/// Each past day: whether the hours that the days before taught were quiet outside of them.
fn tried(cpu: &Load, history: Window, limit: f64, working: WorkingHours) -> (Backtest, Daily) {
    let held = backtest(history, cpu, 7, |before, day| {
        let known = WorkingHours::from_hours(&hours(cpu, before));
        Some(highest_outside(cpu, day, known)? < 2.0 * limit)
    });
    let margin = |day| Some((1.0 - highest_outside(cpu, day, working)? / (2.0 * limit)).max(0.0));
    (
        held,
        history.blocks(DAY_MS).into_iter().map(margin).collect(),
    )
}

fn propose(
    case: &WorkloadCase<'_>,
    working: WorkingHours,
    [reason, words]: [String; 2],
    tried: (Backtest, Daily),
    mut path: reeve_recommend::judgement::proposal::Path,
) -> Result<Proposal, Abstention> {
    let machine = case.facts.resource;
    let size = machine.specification.instance_type.as_deref();
    let hourly = size.and_then(|size| case.facts.catalogue.hourly_for(machine, size));
    let savings = hourly.map(|price| Money::per_month(price.usd_per_hour * OFF));
    let tag = case
        .settings
        .schedule_tag
        .as_ref()
        .filter(|_| machine.provider == Provider::Aws);

    let plan = tag.map(|(key, value)| {
        let change = TagResource {
            state: machine.state,
            key: key.clone(),
            from: None,
            to: value.clone(),
        };
        Plan::new(&change, machine.id.as_str())
    });

    match plan {
        Some(_) => case.switched(
            case.settings.practices,
            KIND,
            "apply_best_practices.enabled",
        )?,
        None => case.switched(
            case.settings.architectures,
            KIND,
            "recommend_architectures.enabled",
        )?,
    }

    let answer = tag.map_or_else(
        || "apply_best_practices.schedule_tag is not set".to_owned(),
        |(key, value)| format!("{key}={value}"),
    );
    path.ask(
        "Do the settings name the tag of a scheduler?",
        tag.is_some(),
        answer,
    );
    let (name, id, times) = (&machine.name, &machine.id, working.words());
    let stop = match tag {
        Some((key, value)) => {
            format!("Tag {name} ({id}) with {key}={value}, by which your scheduler stops it")
        }
        None => format!("Let a scheduler stop {name} ({id}), so that it runs {times}"),
    };

    let scheduler = match tag {
        Some((key, _)) => format!("Reeve sets the tag {key}; the scheduler that reads it stops and starts the machine"),
        None => "Reeve starts no machine by the clock; with apply_best_practices.schedule_tag it tags machines for a \
                 scheduler of yours"
            .to_owned(),
    };

    Ok(case.propose(WorkloadFinding {
        kind: KIND,
        code: "development_at_night",
        title: title("Stop ", name, " at nights and on weekends"),
        action: stop,
        factors: Factors::from([
            (FactorKind::Measured, reason),
            (FactorKind::Measured, words),
            (
                FactorKind::Consequence,
                format!(
                    "Outside working hours are {} of the week",
                    percent(OFF * 100.0)
                ),
            ),
            (FactorKind::Consequence, scheduler),
        ]),
        plan,
        target_type: None,
        effort: Effort::Low,
        savings,
        cost_percent: Some(-OFF * 100.0),
        cost: saved(savings, "for the hours in which it is off"),
        performance: format!("it does not answer outside {times}"),
        security: "one machine less that can be reached at night".to_owned(),
        tried: Some(tried),
        path,
    }))
}
