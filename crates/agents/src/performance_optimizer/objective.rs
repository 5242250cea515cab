//! Objectives of response time, error rate, queue depth and user experience.
//!
//! Those that people set for a service decide ([`MeasuredObjectives`]); where none is set for a
//! metric of a resource, the agent's settings are the default. A finding is made where the error
//! budget is used up and bad periods are recent, or where it burns too fast to last
//! ([`reeve_recommend::objective::budget`]).

use reeve_estate::{Metric, ResourceId};
use reeve_learn::{HOUR_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::service_load::ServiceLoad;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::objective::budget::ObjectiveBudget;
use reeve_recommend::objective::{
    METRICS, MeasuredObjective, MeasuredObjectives, Objective, ObjectiveId, Service,
};
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority, RecommendationType};
use reeve_recommend::words::percent;

use super::finding::PerformanceFinding;
use super::settings::Thresholds;
use crate::confidence::{signs, stated};
use crate::load::Load;

pub(super) const KIND: RecommendationType = RecommendationType::AutoScaling;
pub(super) const RULE: &str = "metrics";
/// Confidence of a budget that is used up: it was measured, whatever its cause is.
const CONFIDENCE: f64 = 90.0;

/// Objective of one metric of a resource: one that people set for the service, or the agent's own.
struct Promise {
    metric: Metric,
    /// The promise in words, with its name where it has one.
    words: String,
    target: String,
    /// `None` where less than a day was measured.
    budget: Option<ObjectiveBudget>,
    /// Points that were measured.
    points: u64,
    /// `true` where this resource missed the target in the last day; a budget of a service may be
    /// used up by others.
    is_bad: bool,
}

/// Judges the objectives of one resource, one for each metric. One that was taken back is refuted,
/// so that its findings end.
pub(super) fn judge(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: Option<&ServiceLoad>,
) -> Vec<Result<Proposal, Abstention>> {
    METRICS
        .into_iter()
        .filter(|metric| facts.resource.kind.has_metric(*metric))
        .map(|metric| {
            let aspect = metric.as_str();
            let promise = set_for_service(facts, metric)
                .or_else(|| set_for_agent(facts, settings, metric))
                .ok_or_else(|| {
                    let detail = format!(
                        "no objective of {aspect} is set for it, and metrics.{aspect} sets none"
                    );
                    Abstention::decided(KIND, "no_objective", detail).with_aspect(aspect)
                })?;
            one(facts, settings, service, &promise).map_err(|one| one.with_aspect(aspect))
        })
        .collect()
}

/// Returns the objective of a service that has least of its budget left; `None` where people set
/// none for the resource.
fn set_for_service(facts: &Facts<'_>, metric: Metric) -> Option<Promise> {
    let all = facts.get::<MeasuredObjectives>()?;
    let id = &facts.resource.id;
    let own = [id];
    let left = |one: &MeasuredObjective| one.budget.map_or(f64::INFINITY, |budget| budget.left);
    let is_broken = |one: &MeasuredObjective| one.budget.is_some_and(|one| one.is_broken());
    let found = all
        .at(&own)
        .filter(|one| one.objective.metric == metric)
        .min_by(|a, b| {
            let broken = is_broken(b).cmp(&is_broken(a));
            broken.then(left(a).total_cmp(&left(b)))
        })?;
    Some(Promise {
        metric,
        words: found.words(),
        target: found.objective.target_words(),
        budget: found.budget,
        points: found.budget.map_or(0, |budget| budget.periods),
        is_bad: found.bad.contains(id),
    })
}

/// Returns the objective that the agent's settings are the default for; `None` where they set none.
fn set_for_agent(facts: &Facts<'_>, settings: &Thresholds, metric: Metric) -> Option<Promise> {
    let target = match metric {
        Metric::ResponseTime => settings.response_time_ms as f64 / 1000.0,
        Metric::ErrorRate => settings.error_rate,
        Metric::QueueDepth => settings.queue_depth as f64,
        _ => settings.user_experience,
    };
    if target <= 0.0 {
        return None;
    }

    let own = Objective {
        id: ObjectiveId(format!("metrics.{metric}")),
        name: format!("metrics.{metric}"),
        service: Service::Resource(facts.resource.id.clone()),
        metric,
        target,
        share_percent: settings.target,
        window_days: settings.window_days,
        created_at: facts.now,
        updated_at: facts.now,
        version: 1,
    };
    let load = Load::measured(facts, metric);
    let budget = load.as_ref().and_then(|load| {
        ObjectiveBudget::new(
            &[&load.points],
            own.window(facts.now),
            own.allowed(),
            |value| own.is_bad(value),
        )
    });
    let target = own.target_words();
    let measured = MeasuredObjective {
        objective: own,
        budget,
        resources: Default::default(),
        bad: Default::default(),
    };
    Some(Promise {
        metric,
        words: measured.words(),
        target,
        points: load.map_or(0, |load| load.points.len() as u64),
        is_bad: budget.is_some_and(|budget| budget.is_recent),
        budget,
    })
}

fn one(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: Option<&ServiceLoad>,
    promise: &Promise,
) -> Result<Proposal, Abstention> {
    let resource = facts.resource;
    let aspect = promise.metric.as_str();
    let words = promise.words.clone();
    let Some(budget) = promise.budget else {
        return Err(Abstention::unjudged(KIND, "not_measured", words));
    };
    let mut path = Path::default();
    if !path.ask(
        "Is its error budget used up, or burning too fast?",
        budget.is_broken(),
        words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "objective_met", words));
    }
    let own = format!("{} in the last day", promise.target);
    if !path.ask("Did this resource miss it?", promise.is_bad, own) {
        let detail = format!("{words}; other resources of the service missed it");
        return Err(Abstention::decided(KIND, "missed_by_others", detail));
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
    let by = format!(" back to {}", promise.target);
    Ok(PerformanceFinding {
        kind: KIND,
        rule: RULE,
        aspect: Some(aspect),
        codes: vec!["objective_missed", aspect],
        priority: if budget.burn.is_fast() {
            Priority::Critical
        } else {
            Priority::High
        },
        confidence: (own.percent, Trust::new(own.raw, Some(CONFIDENCE), &signs)),
        factors,
        performance: format!("{} returns to what users were promised", promise.metric),
        withheld: None,
        data_points: promise.points,
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

/// Budgets of the objectives that people set for the service of a scaling group, in view of more or
/// fewer members.
pub(super) enum ServiceBudgets {
    /// No objective of the service was measured.
    Unknown,
    /// Each has most of its budget left and uses it no faster than allowed.
    Full(String),
    /// One is used up, or is used too fast to last.
    Burning(String),
    /// Anything else.
    Used(String),
}

impl ServiceBudgets {
    /// Reads the objectives measured at the balancers that lead to the group alone.
    pub(super) fn of_group(facts: &Facts<'_>, service: &ServiceLoad) -> ServiceBudgets {
        let balancers: Vec<&ResourceId> = service
            .balancers
            .iter()
            .map(|one| &one.resource.id)
            .collect();
        let all = facts.get::<MeasuredObjectives>();
        let measured = all.into_iter().flat_map(|all| all.at(&balancers));
        let measured: Vec<_> = measured
            .filter_map(|one| Some((one, one.budget?)))
            .collect();
        if let Some((burning, _)) = measured.iter().find(|(_, budget)| budget.is_broken()) {
            return ServiceBudgets::Burning(burning.words());
        }
        let words = || {
            let each: Vec<String> = measured.iter().map(|(one, _)| one.words()).collect();
            each.join("; ")
        };
        match measured.iter().all(|(_, budget)| budget.is_full()) {
            _ if measured.is_empty() => ServiceBudgets::Unknown,
            true => ServiceBudgets::Full(words()),
            false => ServiceBudgets::Used(words()),
        }
    }
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
