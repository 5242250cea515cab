//! `scale_before_traffic_spike`: members before a rise of the load that returns.
//!
//! The prediction decides nothing before it was better than the group's own rule on the group's own
//! past (`trial`), and never wants less than the rule. With `forecast_only`, the default, the
//! finding reports the members that would have been added, without a change.

use jiff::{SignedDuration, Timestamp};
use reeve_learn::scaling::ScalingReason;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::service_load::ServiceLoad;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::relief;
use reeve_recommend::recommendation::{FactorKind, Factors, Priority};
use reeve_recommend::words::{figures, minute};

use super::demand::{KIND, PerformanceDemand, members_cost};
use super::finding::PerformanceFinding;
use super::objective::ServiceBudgets;
use super::settings::Thresholds;
use super::trial::MemberTrial;
use crate::confidence::{confidence, signs};

pub(super) const RULE: &str = "scale_before_traffic_spike";
pub(super) const ASPECT: &str = "scale_ahead";
/// Confidence of a prediction at most, percent: a load that no past resembles is not foreseen.
const MOST_CONFIDENCE: f64 = 95.0;
/// Time for which added members stay after they serve.
const STAY: SignedDuration = SignedDuration::from_hours(1);

/// Judges a group whose demand is known.
pub(super) fn judge(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: &ServiceLoad,
    demand: &PerformanceDemand,
    (trial, budgets): (&MemberTrial, &ServiceBudgets),
) -> Result<Proposal, Abstention> {
    let group = facts.resource;
    let target = settings.reactive_target / 100.0;
    let decided = |code, detail: String| Abstention::decided(KIND, code, detail);
    let mut path = Path::default();

    let learned = format!("{} of {} days", demand.days, settings.least_days);
    path.ask("Is enough of its load known?", true, learned);

    let words = trial.words(target);
    let (is_burning, promised) = match budgets {
        ServiceBudgets::Unknown => (false, None),
        ServiceBudgets::Burning(promised) => (true, Some(promised)),
        ServiceBudgets::Used(promised) => (false, Some(promised)),
        ServiceBudgets::Full(promised) => {
            // The promise is kept without it: more members would be for comfort.
            let detail = promised.clone();
            path.ask("Does its error budget need more members?", false, &detail);
            return Err(decided("budget_is_full", detail));
        }
    };
    if let Some(promised) = promised {
        path.ask("Does its error budget burn?", is_burning, promised);
    }
    // Where a promise is being broken, safety comes before the member hours of a roomier rule.
    let is_better = trial.is_better() || (is_burning && trial.is_safer());
    if !path.ask(
        "Was the prediction better than its own rule?",
        is_better,
        words.clone(),
    ) {
        return Err(decided("prediction_not_better", words));
    }

    let capacity = group.specification.capacity.ok_or_else(|| {
        Abstention::unjudged(KIND, "capacity_unknown", "its members are not known")
    })?;
    let (Some(wanted), Some(rule)) = (trial.wanted.last(), trial.rule.last()) else {
        return Err(Abstention::unjudged(
            KIND,
            "demand_unknown",
            "no load was measured",
        ));
    };
    let units = u32::try_from(wanted.units.max(*rule)).unwrap_or(u32::MAX);
    let (at_ms, load) = demand.points.last().copied().unwrap_or_default();
    let ahead = figures(units as f64 * demand.unit);
    let needed = format!(
        "{units} members for up to {ahead} requests a second within {} minutes, {} now; it has {}",
        demand.warm_up_ms / 60_000 + 15,
        figures(load),
        capacity.desired
    );
    let is_ahead = wanted.reason == ScalingReason::Forecast && units > capacity.desired;
    if !path.ask("Will its members be too few?", is_ahead, needed.clone()) {
        return Err(decided("capacity_is_enough", needed));
    }

    let now = facts.now;
    let until = full_hour(now + STAY + SignedDuration::from_millis(demand.warm_up_ms));
    let mut relief = relief::more_members(group, |_| units, now, Some(until), facts.catalogue);
    if settings.forecast_only {
        relief.title = format!("Forecast only: {}", relief.title);
    }
    let at = Timestamp::from_millisecond(at_ms).unwrap_or(now);
    let own = confidence(trial.backtest, &trial.margins, 0.0, Some(MOST_CONFIDENCE));
    let trust = Trust::new(
        own.raw,
        Some(MOST_CONFIDENCE),
        &signs(facts, trial.margins.clone(), trial.backtest.windows, 0.0),
    );

    let mut factors = Factors::from([
        (FactorKind::Measured, needed),
        (
            FactorKind::Measured,
            format!("The load was last measured at {}", minute(at)),
        ),
        (FactorKind::Measured, demand.unit_words.clone()),
        (FactorKind::Measured, demand.warm_up_words.clone()),
        (FactorKind::Confidence, words),
        (FactorKind::Confidence, own.words()),
    ]);
    if let Some(promised) = promised {
        factors.add(FactorKind::Measured, promised.clone());
    }
    if settings.forecast_only {
        factors.add(
            FactorKind::Consequence,
            "scale_before_traffic_spike.forecast_only is on: this is what would have been done, and nothing is changed",
        );
    }

    Ok(PerformanceFinding {
        kind: KIND,
        rule: RULE,
        aspect: Some(ASPECT),
        codes: vec!["load_rises"],
        priority: if is_burning {
            Priority::Critical
        } else {
            Priority::High
        },
        confidence: (own.percent, trust),
        factors,
        performance: "members serve before the load rises".to_owned(),
        withheld: settings.forecast_only.then_some("forecast_only"),
        data_points: demand.points.len() as u64,
        relief,
        compared_with: members_cost(service),
        path,
    }
    .propose(facts))
}

/// The next full hour: the plan of one rise stays the same from one run to the next.
fn full_hour(at: Timestamp) -> Timestamp {
    let hour = 3600;
    let second = at.as_second().div_euclid(hour) * hour;
    Timestamp::from_second(if second == at.as_second() {
        second
    } else {
        second + hour
    })
    .unwrap_or(at)
}
