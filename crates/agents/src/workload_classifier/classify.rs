//! Classification of a resource: the sum of its signals, what was learned from corrections, and the
//! reason for abstaining.
//!
//! The confidence is the smaller of two figures: the probability by the signals, and how often the
//! weeks before every past day had led to the same class (`crate::confidence`). Both have to be
//! high, because a clear signal that changes from week to week is none.

use reeve_learn::workload::probabilities;
use reeve_learn::{Backtest, DAY_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::workload::{
    Classification, Correction, Scores, Unclassified, WorkloadClass, WorkloadSignal, tokens,
};
use reeve_recommend::models::{ModelUse, WorkloadModel};
use reeve_recommend::recommendation::ConfidenceRange;
use reeve_recommend::words::percent;

use super::settings::WorkloadThresholds;
use super::shape::WorkloadShape;
use super::signals::{self, Found};
use crate::confidence::{backtest, confidence};

/// Confidence in a class that a person gave, percent.
const CORRECTED: f64 = 99.0;
/// Days that each of the past classifications looks at.
const WEEK: i64 = 7;
/// Weight from which a signal speaks for a class of its own.
const STRONG: f64 = 1.0;

/// A classification with what findings build on.
pub(super) struct Classified {
    pub(super) classification: Classification,
    /// Past days on which the days before had led to the same class.
    pub(super) stable: Backtest,
    pub(super) range: Option<ConfidenceRange>,
    /// Models that took part.
    pub(super) models: Vec<ModelUse>,
}

/// Classifies the judged resource.
pub(super) fn classify(facts: &Facts<'_>, settings: &WorkloadThresholds) -> Classified {
    let history = Window::ending(facts.now.as_millisecond(), settings.history_days * DAY_MS);
    let shape = WorkloadShape::measure(facts).filter(|_| settings.patterns);
    let Found {
        mut signals,
        conflict,
        has_purpose_tag,
    } = signals::find(facts, history);
    let others = sum(&signals);
    let seen = shape.as_ref().and_then(|shape| shape.signal(history));
    let is_seen = seen.is_some();
    signals.extend(seen);
    let scores = sum(&signals);
    let (learned, models) = learned(facts, &mut signals);
    let likely = probabilities(add(scores, learned));
    let best = best_of(likely);
    let is_known = has_purpose_tag || is_seen || !models.is_empty();
    let correction = facts.get::<Correction>();
    let unclassified = match (correction, &conflict) {
        (Some(_), _) => None,
        _ if !settings.categories => Some(reason(
            "switched_off",
            "resource_categorization.enabled is off".to_owned(),
        )),
        (None, Some(values)) => Some(reason(
            "signals_contradict",
            format!("the tags name {values}"),
        )),
        _ if !is_known => Some(reason("thin_data", unknown(settings))),
        _ if is_nobodys(&signals, best) => Some(unclear(&signals, likely)),
        _ if likely[best as usize] < settings.least_confidence => Some(unclear(&signals, likely)),
        _ => None,
    };

    let class = correction.map_or(best, |correction| correction.class);
    let class = unclassified.is_none().then_some(class);
    let stable = match (&shape, class) {
        (Some(shape), Some(class)) if is_seen && correction.is_none() => {
            let rest = add(others, learned);
            backtest(history, &shape.cpu, WEEK, |before, _| {
                let seen = shape.signal(before)?;
                Some(best_of(probabilities(add(rest, seen.weights))) == class)
            })
        }
        _ => Backtest::default(),
    };
    let (confidence, range) = confidence_of(facts, class, likely, stable);

    if let Some(correction) = correction {
        let detail = format!(
            "{} by {} on {}",
            correction.class.as_str(),
            correction.by,
            correction.at.strftime("%F")
        );
        signals.push(WorkloadSignal {
            name: "correction".to_owned(),
            detail,
            weights: [0.0; 4],
        });
    }

    signals.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    let classification = Classification {
        class,
        unclassified,
        confidence,
        probabilities: likely,
        scores,
        signals,
    };

    Classified {
        classification,
        stable,
        range,
        models,
    }
}

/// The confidence in percent and its range.
fn confidence_of(
    facts: &Facts<'_>,
    class: Option<WorkloadClass>,
    probabilities: Scores,
    stable: Backtest,
) -> (f64, Option<ConfidenceRange>) {
    let Some(class) = class else {
        return (0.0, None);
    };

    if facts.get::<Correction>().is_some() {
        return (CORRECTED, None);
    }

    let likely = (probabilities[class as usize] * 1000.0).round() / 10.0;
    if stable.windows == 0 {
        return (likely, None);
    }

    let found = confidence(stable, &Vec::new(), 0.0, None);
    let range = ConfidenceRange {
        low_percent: found.range.low_percent.min(likely),
        high_percent: found.range.high_percent.max(likely),
    };
    (likely.min(found.percent), Some(range))
}

/// Adds what corrections of resources alike have taught.
fn learned(facts: &Facts<'_>, signals: &mut Vec<WorkloadSignal>) -> (Scores, Vec<ModelUse>) {
    let Ok((reference, model)) = facts.models.get::<WorkloadModel>() else {
        return ([0.0; 4], Vec::new());
    };

    let (weights, known) = model.weights(&tokens(facts.resource));
    if known.is_empty() {
        return (weights, Vec::new());
    }

    let detail = known.join(", ");
    let class = best_of(weights).as_str();
    let says = reference.says(format!(
        "resources with {detail} were called {class} by people"
    ));
    signals.push(WorkloadSignal {
        name: "learned from corrections".to_owned(),
        detail,
        weights,
    });

    (weights, vec![says])
}

/// Returns `true` if strong signals speak for other classes and none for this one: office hours in
/// production are neither of both, and still no jobs.
fn is_nobodys(signals: &[WorkloadSignal], class: WorkloadClass) -> bool {
    let strong: Vec<&WorkloadSignal> = signals
        .iter()
        .filter(|signal| strength(signal) >= STRONG)
        .collect();
    !strong.is_empty() && strong.iter().all(|signal| best_of(signal.weights) != class)
}

fn unknown(settings: &WorkloadThresholds) -> String {
    let measured = if settings.patterns {
        "a week of CPU was not measured"
    } else {
        "pattern_recognition is off"
    };
    format!("{measured}, and no tag says what it is for")
}

/// The reason for a probability that is too low: signals for different classes, or none that says
/// enough.
fn unclear(signals: &[WorkloadSignal], probabilities: Scores) -> Unclassified {
    let best = best_of(probabilities);
    let of = |signal: &&WorkloadSignal| best_of(signal.weights);
    let strong: Vec<&WorkloadSignal> = signals
        .iter()
        .filter(|signal| strength(signal) >= STRONG)
        .collect();
    let likely = format!(
        "{} with {}",
        best.as_str(),
        percent(probabilities[best as usize] * 100.0)
    );
    let first = strong.first().map(of);

    match strong.iter().find(|signal| Some(of(signal)) != first) {
        Some(other) => {
            let (one, two) = (strong[0], *other);
            let detail = format!(
                "{} ({}) and {} ({}) disagree; {likely}",
                one.name, one.detail, two.name, two.detail
            );
            reason("signals_contradict", detail)
        }
        None => reason("signals_too_few", format!("nothing says enough; {likely}")),
    }
}

fn reason(code: &str, detail: String) -> Unclassified {
    Unclassified {
        code: code.to_owned(),
        detail,
    }
}

/// The weight that a signal gives the class it speaks for.
fn strength(signal: &WorkloadSignal) -> f64 {
    if signal.name == "correction" {
        f64::MAX
    } else {
        signal.weights.iter().copied().fold(f64::MIN, f64::max)
    }
}

pub(super) fn best_of(scores: Scores) -> WorkloadClass {
    let better =
        |a: &WorkloadClass, b: &WorkloadClass| scores[*a as usize].total_cmp(&scores[*b as usize]);
    WorkloadClass::ALL
        .into_iter()
        .max_by(better)
        .unwrap_or(WorkloadClass::Production)
}

fn sum(signals: &[WorkloadSignal]) -> Scores {
    signals
        .iter()
        .fold([0.0; 4], |total, signal| add(total, signal.weights))
}

fn add(a: Scores, b: Scores) -> Scores {
    std::array::from_fn(|class| a[class] + b[class])
}
