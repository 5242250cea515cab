//! `identify_memory_leaks`: memory that grows between restarts (`reeve_learn::leak`), as advice. Reeve
//! restarts nothing: a restart frees the memory and leaves the leak, and only the service's people know
//! the cause.

use jiff::Timestamp;
use reeve_estate::{Metric, Resource};
use reeve_learn::DAY_MS;
use reeve_learn::leak::{self, Assessment, LeakReason, LeakVerdict, SlopePerDay};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::is_production;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::{advice_only, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, Explanation, FactorKind, Factors, ImpactAssessment, Priority,
};
use reeve_recommend::words::{day, percent};

use super::PREVENTION;
use super::measured::enough;
use super::quiet::quiet_words;
use super::settings::Thresholds;
use crate::confidence::stated;
use crate::load::Load;

/// Name of the rule.
const RULE: &str = "identify_memory_leaks";
/// Part of the resource that the finding is about.
pub(super) const ASPECT: &str = "memory";
/// Share of leaks that were found, and of clean series that were taken for one, on windows of real
/// series: docs/benchmarks.md, "leak".
const FOUND: f64 = 0.96;
const FALSE_ALARMS: f64 = 51.0 / 600.0;
/// Share of series that leak, which nothing measures: half of those of the benchmark did, and the
/// precision on it would claim too much of an estate where few do.
const ASSUMED_LEAKS: f64 = 0.1;
/// Tags that name the service which a resource runs, the first one that is set counts.
const SERVICE_TAGS: [&str; 4] = ["service", "app", "application", "component"];

/// Judges the memory of a machine or database.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    if !settings.leaks {
        let detail = format!("the setting {RULE}.enabled is off");
        return Err(Abstention::decided(PREVENTION, "switched_off", detail).with_aspect(ASPECT));
    }

    let load = Load::measured(facts, Metric::MemoryUtilization).ok_or_else(|| {
        let detail = "nothing measures its memory: no agent reports memory_utilization";
        Abstention::unjudged(PREVENTION, "memory_not_measured", detail).with_aspect(ASPECT)
    })?;
    let (history, days) =
        enough(facts, settings, PREVENTION, &load).map_err(|why| why.with_aspect(ASPECT))?;
    let points = history.select(&load.points);
    let assessment = leak::judge(points, &[], &leak::LeakSettings::default());
    let words = reasons(&assessment);

    let mut path = Path::default();
    path.ask(
        format!("Was it measured on {} days?", settings.measured_days),
        true,
        format!("on {days} days, {} samples", points.len()),
    );
    path.ask(
        "Does memory grow between restarts, beyond chance and the time of day?",
        assessment.verdict == LeakVerdict::Leak,
        words.clone(),
    );

    match (assessment.verdict, assessment.slope_per_day) {
        (LeakVerdict::Leak, Some(slope)) => {
            let newest = points.last().map_or(0.0, |(_, value)| *value);
            Ok(propose(
                facts,
                settings,
                (&assessment, slope),
                newest,
                points.len(),
                path,
            ))
        }
        (LeakVerdict::NoLeak, _) => {
            Err(Abstention::decided(PREVENTION, "no_leak", words).with_aspect(ASPECT))
        }
        _ => Err(Abstention::unjudged(PREVENTION, "not_decided", words).with_aspect(ASPECT)),
    }
}

fn reasons(assessment: &Assessment) -> String {
    let words: Vec<String> = assessment
        .reasons
        .iter()
        .map(LeakReason::to_string)
        .collect();
    words.join("; ")
}

/// Returns the service that a resource runs, by its tags.
fn service(resource: &Resource) -> Option<&str> {
    SERVICE_TAGS
        .iter()
        .filter_map(|tag| resource.tag(tag))
        .map(str::trim)
        .find(|name| !name.is_empty())
}

fn propose(
    facts: &Facts<'_>,
    settings: &Thresholds,
    (assessment, slope): (&Assessment, SlopePerDay),
    newest: f64,
    points: usize,
    path: Path,
) -> Proposal {
    let resource = facts.resource;
    let service = service(resource);
    let owner = service.unwrap_or(&resource.name);
    let on = service.map_or_else(String::new, |_| format!(" on {}", resource.name));
    let trust = stated(precision_percent());

    let rate = format!(
        "Memory grows by {:.1} percentage points a day between restarts (90 % interval {:.1} to {:.1})",
        slope.estimate, slope.low, slope.high
    );
    let mut factors = Factors::from([(FactorKind::Measured, rate)]);
    if let Some(since) = assessment
        .first_seen_ms
        .and_then(|ms| Timestamp::from_millisecond(ms).ok())
    {
        factors.add(
            FactorKind::Measured,
            format!("It grows since {} at the latest", day(since)),
        );
    }
    if !assessment.releases.is_empty() {
        let words = format!(
            "It was released {} times in the history",
            assessment.releases.len()
        );
        factors.add(FactorKind::Measured, words);
    }
    factors.add(FactorKind::Forecast, until_full(newest, slope));
    let cause = format!(
        "Restarting {owner} frees the memory, and the leak fills it again: look for its cause"
    );
    factors.add(FactorKind::Consequence, cause);
    factors.extend(quiet_words(facts, settings).map(|words| (FactorKind::Consequence, words)));
    factors.add(
        FactorKind::Consequence,
        advice_only("Reeve does not restart services"),
    );
    factors.add(
        FactorKind::Confidence,
        format!(
            "{} of such verdicts are right where one series in ten leaks: the method finds {} of leaks, with {} false alarms",
            percent(precision_percent()),
            percent(FOUND * 100.0),
            percent(FALSE_ALARMS * 100.0)
        ),
    );

    let priority = match (is_production(resource), days_left(newest, slope)) {
        (true, Some(days)) if days <= 2.0 => Priority::High,
        (true, _) => Priority::Medium,
        (false, Some(days)) if days <= 2.0 => Priority::Medium,
        (false, _) => Priority::Low,
    };
    let mut about = subject(resource, None);
    about.aspect = Some(ASPECT.to_owned());
    let performance = "A service that runs out of memory is ended or slowed by swapping".to_owned();

    Proposal::new(
        PREVENTION,
        RULE,
        title("Memory leak of ", owner, &on),
        about,
        ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "none".to_owned(),
            performance_degradation_percent: None,
            performance: performance.clone(),
            security: "none".to_owned(),
        },
        Explanation::new(
            format!("Find the cause of the memory leak of {owner}{on}, and restart it in time"),
            Impact::Medium,
        )
        .with_factors(factors)
        .with_data_points(points as u64)
        .with_confidence_range(trust.range)
        .with_cost_reduction("none".to_owned())
        .with_performance_impact(performance)
        .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority)
    .with_confidence(
        trust.percent,
        Trust {
            raw: trust.raw,
            features: Vec::new(),
            cap_percent: Some(trust.percent),
        },
    )
    .with_impact_level(Impact::Medium)
    .with_effort(Effort::Medium)
    .with_monthly_cost(resource.monthly_cost)
    .with_reason_codes(vec![RULE.to_owned()])
}

/// Share of the verdicts "leak" that are right by the measured rates, percent.
fn precision_percent() -> f64 {
    let right = ASSUMED_LEAKS * FOUND;
    100.0 * right / (right + (1.0 - ASSUMED_LEAKS) * FALSE_ALARMS)
}

/// Days until memory is full at the estimated rate; `None` where it does not grow.
fn days_left(newest: f64, slope: SlopePerDay) -> Option<f64> {
    (slope.estimate > 0.0).then(|| ((100.0 - newest) / slope.estimate).max(0.0))
}

fn until_full(newest: f64, slope: SlopePerDay) -> String {
    let used = percent(newest);
    match days_left(newest, slope) {
        Some(days) if days * DAY_MS as f64 > 0.0 => {
            format!(
                "{used} is in use now; at this rate it is full in {days:.1} days unless it is restarted"
            )
        }
        _ => format!("{used} is in use now"),
    }
}
