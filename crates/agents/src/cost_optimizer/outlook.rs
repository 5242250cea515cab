//! The weeks to come as the learned models see them: the demand that a size must hold, and use that
//! comes again.
//!
//! A model that is missing, stale, rejected or of another size of the machine is not asked; the
//! reason is said, and the judgement rests on the measured days.

use reeve_audit::Obstacle;
use reeve_estate::InstanceSpec;
use reeve_learn::Summary;
use reeve_recommend::models::{
    DemandModel, DemandOutlook, ModelReference, ModelUse, Recurrence, UsageModel,
};
use reeve_recommend::words::percent;

use super::burstable::baseline_percent;
use super::evidence::CostEvidence;
use super::fit::{CPU_P99_BOUND, vcpu_ratio};

/// Days that a size must hold.
pub(super) const DAYS: i64 = 28;
/// A forecast leads beyond what a machine has only from a load that is at least this high now,
/// percent.
const LEAST_NOW: f64 = 50.0;

/// The demand model's answer about a machine, or the reason why it has none.
pub(super) fn demand<'e>(
    evidence: &'e CostEvidence<'_>,
) -> Result<(&'e ModelReference, DemandOutlook), Obstacle> {
    let facts = evidence.facts;
    let (model, state) = facts.models.get::<DemandModel>()?;
    let known = state.resources.get(&facts.resource.id.0);
    let known = known.ok_or_else(|| "the demand model has not learned this resource".to_owned())?;
    let forecast = known
        .forecast
        .as_ref()
        .ok_or_else(|| "the demand model saw too little of it to forecast".to_owned())?;
    if facts
        .unchanged_since
        .is_some_and(|since| since.as_second() > forecast.learned_from_s)
    {
        return Err(Obstacle::of("the demand model learned it at another size"));
    }

    let outlook = forecast.outlook(facts.now, DAYS);
    outlook
        .map(|outlook| (model, outlook))
        .ok_or_else(|| "the demand model's forecast has ended".into())
}

/// The highest demand of an outlook, in words.
pub(super) fn words(outlook: &DemandOutlook) -> String {
    let DemandOutlook {
        days,
        upper,
        upper_on,
        monthly,
        ..
    } = outlook;
    match monthly {
        Some(peak) => format!(
            "CPU reaches {} on {upper_on}: it peaked on the {} in {} months",
            percent(*upper),
            day_of_month(peak.day),
            peak.months
        ),
        None => format!(
            "CPU is forecast to stay below {} in the next {days} days (upper band, {upper_on})",
            percent(*upper)
        ),
    }
}

fn day_of_month(day: i8) -> String {
    match day {
        -1 => "last day of the month".to_owned(),
        day if day < 0 => format!("{}th last day of the month", -day),
        1 => "1st".to_owned(),
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        day => format!("{day}th"),
    }
}

/// Demand of an outlook that a size does not hold, with the numbers; `None` where it holds all of
/// it.
pub(super) fn exceeds(
    outlook: &DemandOutlook,
    from: &InstanceSpec,
    to: &InstanceSpec,
) -> Option<String> {
    let ratio = vcpu_ratio(from, to);
    let limit = CPU_P99_BOUND / ratio;

    if ratio > 1.0 && outlook.upper > limit {
        return Some(format!(
            "{}, and {} holds {}",
            words(outlook),
            to.name,
            percent(limit)
        ));
    }

    let sustained = baseline_percent(to)? / ratio;
    let mean = outlook.means.iter().copied().fold(0.0, f64::max);
    (mean > sustained).then(|| {
        format!(
            "mean CPU is forecast to reach {} of a day, and {} sustains {}",
            percent(mean),
            to.name,
            percent(sustained)
        )
    })
}

/// Demand that passes what a machine has.
pub(super) struct Passing {
    /// The forecast mean of the days above the limit, percent.
    pub(super) mean: f64,
    /// In words, with the days.
    pub(super) words: String,
    pub(super) model: ModelUse,
}

/// Demand that will keep a machine above the limit for the rule's window; `None` where it will not,
/// or without a model.
pub(super) fn passes(evidence: &CostEvidence<'_>, now: &Summary) -> Option<Passing> {
    let (model, outlook) = demand(evidence).ok().filter(|_| now.mean >= LEAST_NOW)?;
    let limit = evidence.settings.upgrade_above_percent;

    // As many days in a row as the rule's window.
    let days = usize::try_from(evidence.settings.upgrade_days)
        .ok()
        .filter(|days| *days > 0)?;
    let at = outlook
        .means
        .windows(days)
        .position(|days| days.iter().all(|mean| *mean > limit))?;
    let mean = outlook.means[at..at + days].iter().sum::<f64>() / days as f64;
    let words = format!(
        "mean CPU is forecast at {} within {} days",
        percent(mean),
        at + days
    );

    Some(Passing {
        mean,
        model: model.says(words.clone()),
        words,
    })
}

/// Use that the usage model saw in hours that count and that comes again, with the model; `Err` is
/// the reason why there is no model.
pub(super) fn recurrence<'e>(
    evidence: &'e CostEvidence<'_>,
    counts: impl Fn(i64) -> bool,
) -> Result<(&'e ModelReference, i64, Option<Recurrence>), Obstacle> {
    let facts = evidence.facts;
    let (model, state) = facts.models.get::<UsageModel>()?;
    let known = state.resources.get(&facts.resource.id.0);
    let known = known.ok_or_else(|| "the usage model has not learned this resource".to_owned())?;
    Ok((
        model,
        known.measured_days(),
        known.recurrence(facts.now, counts),
    ))
}

/// A recurrence in words.
pub(super) fn recurrence_words(
    model: &ModelReference,
    measured: i64,
    found: &Recurrence,
) -> String {
    format!(
        "in use on {} of {measured} days with pauses of up to {} days, last on {}, {} days ago ({})",
        found.days,
        found.pause_days,
        found.last,
        found.since_days,
        model.words()
    )
}
