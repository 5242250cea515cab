//! Objectives of response time, error rate, queue depth and user experience, with their error
//! budgets.
//!
//! A period of a metric is bad where its value misses the objective. The budget is the share of the
//! window that may be bad. It is broken where nothing of it is left and bad periods are recent, or
//! where it burns so fast that it will not last: 14.4 times as fast as allowed over the last hour
//! and 6 times over six hours (Google, The Site Reliability Workbook, "Alerting on SLOs").

use reeve_estate::{Metric, ResourceKind};
use reeve_learn::{DAY_MS, HOUR_MS, Point, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::service_load::ServiceLoad;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority, RecommendationType};
use reeve_recommend::words::{figures, percent};

use super::finding::Finding;
use super::settings::Thresholds;
use crate::confidence::{signs, stated};
use crate::load::Load;

pub(super) const KIND: RecommendationType = RecommendationType::AutoScaling;
pub(super) const RULE: &str = "metrics";
/// Rates of burning, over an hour and over six, from which a budget does not last.
const FAST: (f64, f64) = (14.4, 6.0);
/// Confidence of a budget that is used up: it was measured, whatever its cause is.
const CONFIDENCE: f64 = 90.0;

/// Objective of one metric.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Objective {
    metric: Metric,
    /// Limit in the unit of the samples.
    limit: f64,
    /// Values below the limit are bad if `true`, else those above.
    is_least: bool,
    /// Part of the resource that findings are about.
    aspect: &'static str,
}

impl Objective {
    fn is_bad(&self, value: f64) -> bool {
        if self.is_least {
            value < self.limit
        } else {
            value > self.limit
        }
    }

    fn words(&self) -> String {
        let side = if self.is_least { "at least" } else { "at most" };
        let limit = match self.metric {
            Metric::ResponseTime => format!("{} ms", figures(self.limit * 1000.0)),
            Metric::QueueDepth => format!("{} messages", figures(self.limit)),
            _ => percent(self.limit),
        };
        format!("{} {side} {limit}", self.metric)
    }
}

/// Error budget of an objective at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Budget {
    /// Share of the budget that is left; negative where more was used than there was.
    pub(super) left: f64,
    /// Use over an hour and over six, as multiples of what uses the budget up by the window's end.
    pub(super) burn: (f64, f64),
    /// A period of the last day was bad.
    pub(super) is_recent: bool,
}

impl Budget {
    /// Computes the budget of a window that ends now. `allowed` is the share of periods that may be
    /// bad, above zero. `None` without a day of points.
    pub(super) fn new(
        points: &[Point],
        window: Window,
        allowed: f64,
        is_bad: impl Fn(f64) -> bool,
    ) -> Option<Budget> {
        let share = |length_ms: i64| {
            let part = Window::ending(window.end_ms, length_ms).select(points);
            let bad = part.iter().filter(|(_, value)| is_bad(*value)).count();
            (!part.is_empty()).then_some(bad as f64 / part.len() as f64)
        };
        let (first, _) = window.select(points).first()?;
        if window.end_ms - first < DAY_MS {
            return None;
        }
        Some(Budget {
            left: 1.0 - share(window.length_ms())? / allowed,
            burn: (
                share(HOUR_MS).unwrap_or(0.0) / allowed,
                share(6 * HOUR_MS).unwrap_or(0.0) / allowed,
            ),
            is_recent: share(DAY_MS).is_some_and(|bad| bad > 0.0),
        })
    }

    /// Returns `true` if the objective is missed: the budget is used up, or will not last.
    pub(super) fn is_broken(&self) -> bool {
        let is_fast = self.burn.0 >= FAST.0 && self.burn.1 >= FAST.1;
        (self.left <= 0.0 && self.is_recent) || is_fast
    }
}

/// Objectives that resources of a kind may have; one without a limit was not set.
fn objectives(kind: ResourceKind, settings: &Thresholds) -> Vec<Objective> {
    let most = |metric, limit, aspect| Objective {
        metric,
        limit,
        is_least: false,
        aspect,
    };
    let time = settings.response_time_ms as f64 / 1000.0;
    let all = [
        most(Metric::ResponseTime, time, "response_time"),
        most(Metric::ErrorRate, settings.error_rate, "error_rate"),
        most(
            Metric::QueueDepth,
            settings.queue_depth as f64,
            "queue_depth",
        ),
        Objective {
            is_least: true,
            ..most(
                Metric::UserExperienceScore,
                settings.user_experience,
                "user_experience_score",
            )
        },
    ];
    all.into_iter()
        .filter(|one| kind.has_metric(one.metric))
        .collect()
}

/// Judges the objectives of one resource. One that was taken back is refuted, so that its findings
/// end.
pub(super) fn judge(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: Option<&ServiceLoad>,
) -> Vec<Result<Proposal, Abstention>> {
    objectives(facts.resource.kind, settings)
        .into_iter()
        .map(|objective| one(facts, settings, service, objective))
        .collect()
}

fn one(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: Option<&ServiceLoad>,
    objective: Objective,
) -> Result<Proposal, Abstention> {
    let resource = facts.resource;
    let aspect = objective.aspect;
    if objective.limit <= 0.0 {
        let detail = format!("metrics.{aspect} sets no objective");
        return Err(Abstention::decided(KIND, "no_objective", detail).with_aspect(aspect));
    }

    let window = Window::ending(facts.now.as_millisecond(), settings.window_days * DAY_MS);
    let allowed = 1.0 - settings.target / 100.0;
    let load = Load::measured(facts, objective.metric);
    let budget = load.as_ref().and_then(|load| {
        Budget::new(&load.points, window, allowed, |value| {
            objective.is_bad(value)
        })
    });
    let (Some(load), Some(budget)) = (load, budget) else {
        let detail = format!("{} was not measured for a day", objective.metric);
        return Err(Abstention::unjudged(KIND, "not_measured", detail).with_aspect(aspect));
    };

    let words = format!(
        "{} {} % of the time over {} days: {} of the error budget is left, it burns {} times as fast as allowed over the last hour and {} times over six",
        objective.words(),
        figures(settings.target),
        settings.window_days,
        percent(budget.left * 100.0),
        figures(budget.burn.0),
        figures(budget.burn.1),
    );
    let mut path = Path::default();
    if !path.ask(
        "Is its error budget used up, or burning too fast?",
        budget.is_broken(),
        words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "objective_met", words).with_aspect(aspect));
    }

    let mut factors = Factors::from([(FactorKind::Measured, words)]);
    if let Some(busy) = service.and_then(|service| busy(facts, service)) {
        let full = busy >= settings.member_full;
        let reason = format!(
            "the machines behind it used {} of their CPU in the last hour",
            percent(busy)
        );
        path.ask("Are the machines behind it full?", full, reason.clone());
        factors.add(FactorKind::Measured, reason);
        factors.add(
            FactorKind::Consequence,
            if full {
                "More machines relieve it"
            } else {
                "More machines do not relieve it: look at what they wait for, and at recent changes"
            },
        );
    }

    let own = stated(CONFIDENCE);
    let signs = signs(facts, std::iter::empty().collect(), 0, 0.0);
    let by = format!(" back to {}", objective.words());
    Ok(Finding {
        kind: KIND,
        rule: RULE,
        aspect: Some(aspect),
        codes: vec!["objective_missed", aspect],
        priority: if budget.burn.0 >= FAST.0 {
            Priority::Critical
        } else {
            Priority::High
        },
        confidence: (own.percent, Trust::new(own.raw, Some(CONFIDENCE), &signs)),
        factors,
        performance: format!("{} returns to what users were promised", objective.metric),
        withheld: None,
        data_points: load.points.len() as u64,
        relief: Relief::advice(
            title("Bring ", &resource.name, &by),
            Effort::Medium,
            "anomalies and predictive rules propose the changes that relieve it",
        )
        .free(),
        compared_with: facts.resource.monthly_cost,
        path,
    }
    .propose(facts))
}

/// Mean CPU of the machines in the last hour, percent; `None` where none was measured.
fn busy(facts: &Facts<'_>, service: &ServiceLoad) -> Option<f64> {
    let hour = Window::ending(facts.now.as_millisecond(), HOUR_MS);
    let used: Vec<f64> = service
        .machines
        .iter()
        .filter_map(|machine| machine.points(Metric::CpuUtilization))
        .filter_map(|(points, period_ms)| Some(Load { points, period_ms }.summary(hour)?.mean))
        .collect();
    (!used.is_empty()).then(|| used.iter().sum::<f64>() / used.len() as f64)
}
