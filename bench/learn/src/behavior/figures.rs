//! Figures of a ranking: found at a share of false positives, area under the curve, intervals,
//! cross-validation.

use std::collections::{BTreeMap, BTreeSet};

use reeve_audit::Entry;

use super::set::{Label, Unit};
use crate::chance::Chance;

/// Draws of a bootstrap.
const DRAWS: usize = 2000;

/// An event with its score.
#[derive(Debug, Clone)]
pub(super) struct Scored {
    pub(super) unit: String,
    pub(super) event: String,
    pub(super) group: String,
    pub(super) label: Label,
    pub(super) operation: String,
    pub(super) score: f64,
    pub(super) reasons: String,
}

impl Scored {
    pub(super) fn new(unit: &Unit, entry: &Entry, score: f64, reasons: String) -> Self {
        Self {
            unit: unit.name.clone(),
            event: entry.event_id.as_str().to_owned(),
            group: unit.group.clone(),
            label: unit.label,
            operation: entry.action.operation.clone().unwrap_or_default(),
            score,
            reasons,
        }
    }
}

/// Shares of the labelled events that were found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) events: f64,
    pub(super) acts: f64,
    pub(super) techniques: f64,
    pub(super) labelled: f64,
    pub(super) area: f64,
}

/// The score above which no more than a share of the benign events lies.
pub(super) fn threshold<'a>(
    run: impl IntoIterator<Item = &'a Scored>,
    false_positives: f64,
) -> f64 {
    let mut benign: Vec<f64> = run
        .into_iter()
        .filter(|one| one.label == Label::Benign)
        .map(|one| one.score)
        .collect();
    benign.sort_by(|a, b| b.total_cmp(a));
    let allowed = (false_positives * benign.len() as f64).floor() as usize;
    benign.get(allowed).copied().unwrap_or(0.0)
}

/// Benign events above a threshold. What ties with it counts as not found, so there may be fewer
/// than were allowed.
fn false_alarms(run: &[Scored], threshold: f64) -> usize {
    run.iter()
        .filter(|one| one.label == Label::Benign && one.score > threshold)
        .count()
}

/// Prints the spread of single events between runs.
pub(super) fn spread(title: &str, runs: &[Vec<Scored>], false_positives: f64) {
    let mut events: Vec<f64> = runs
        .iter()
        .map(|run| 100.0 * at_false_positives(run, false_positives).events)
        .collect();
    events.sort_by(f64::total_cmp);
    let at = |place: usize| events.get(place).copied().unwrap_or(f64::NAN);
    println!(
        "Single events, {title}: {:.1} % in the worst, {:.1} % in the middle, {:.1} % in the best of {}.\n",
        at(0),
        at(events.len() / 2),
        at(events.len().saturating_sub(1)),
        events.len()
    );
}

/// Returns the share found above the threshold of a share of false positives.
pub(super) fn at_false_positives(run: &[Scored], false_positives: f64) -> Found {
    let threshold = threshold(run, false_positives);
    let labelled = |label| run.iter().filter(move |one| one.label == label);
    let share = |found: usize, all: usize| {
        if all == 0 {
            f64::NAN
        } else {
            found as f64 / all as f64
        }
    };

    let any = |key: fn(&Scored) -> (&str, &str)| {
        let mut best: BTreeMap<(&str, &str), bool> = BTreeMap::new();
        for one in labelled(Label::Technique) {
            *best.entry(key(one)).or_default() |= one.score > threshold;
        }
        share(best.values().filter(|found| **found).count(), best.len())
    };

    let events = |label| {
        share(
            labelled(label).filter(|one| one.score > threshold).count(),
            labelled(label).count(),
        )
    };

    Found {
        events: events(Label::Technique),
        acts: any(|one| (&one.unit, &one.operation)),
        techniques: any(|one| (&one.unit, "")),
        labelled: events(Label::Suspicious),
        area: area(run),
    }
}

/// The probability that an attack's event scores above a benign one; ties count half.
fn area(run: &[Scored]) -> f64 {
    let labelled = |label| {
        run.iter()
            .filter(move |one| one.label == label)
            .map(|one| one.score)
    };
    let benign: Vec<f64> = labelled(Label::Benign).collect();

    let (mut above, mut all) = (0.0, 0.0);
    for score in labelled(Label::Technique) {
        for other in &benign {
            above += if score > *other {
                1.0
            } else if score == *other {
                0.5
            } else {
                0.0
            };
            all += 1.0;
        }
    }

    above / all
}

/// Techniques and labelled events that most orders do not find.
pub(super) fn missed(runs: &[Vec<Scored>], false_positives: f64) -> Vec<String> {
    let mut missed: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs {
        let threshold = threshold(run, false_positives);
        let techniques: BTreeSet<&str> = run
            .iter()
            .filter(|one| one.label == Label::Technique)
            .map(|one| one.unit.as_str())
            .collect();
        let found: BTreeSet<&str> = run
            .iter()
            .filter(|one| one.score > threshold)
            .map(|one| one.unit.as_str())
            .collect();
        for unit in techniques.difference(&found) {
            *missed.entry((*unit).to_owned()).or_default() += 1;
        }
    }

    missed
        .into_iter()
        .filter(|(_, times)| times * 2 >= runs.len())
        .map(|(unit, _)| unit)
        .collect()
}

/// Events found of each technique, in one run.
pub(super) fn by_technique(run: &[Scored], false_positives: f64) -> Vec<String> {
    let threshold = threshold(run, false_positives);
    let mut units: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for one in run.iter().filter(|one| one.label == Label::Technique) {
        let (found, all) = units.entry(&one.unit).or_default();
        (*found, *all) = (*found + usize::from(one.score > threshold), *all + 1);
    }

    units
        .into_iter()
        .map(|(unit, (found, all))| format!("{unit} {found}/{all}"))
        .collect()
}

/// Intervals: whole techniques and rules are drawn, because events of one are not independent.
pub(super) fn intervals(run: &[Scored], false_positives: f64) {
    let mut groups: BTreeMap<&str, Vec<&Scored>> = BTreeMap::new();
    for one in run {
        groups.entry(&one.group).or_default().push(one);
    }

    let groups: Vec<Vec<&Scored>> = groups.into_values().collect();
    let mut chance = Chance::new(7, 43);
    let mut draws: [Vec<f64>; 3] = Default::default();

    for _ in 0..DRAWS {
        let mut drawn = Vec::with_capacity(run.len());
        for n in 0..groups.len() {
            // A group drawn twice is two groups.
            drawn.extend(groups[chance.below(groups.len())].iter().map(|one| Scored {
                unit: format!("{n}/{}", one.unit),
                ..(*one).clone()
            }));
        }
        let found = at_false_positives(&drawn, false_positives);
        for (into, value) in draws
            .iter_mut()
            .zip([found.events, found.acts, found.techniques])
        {
            if value.is_finite() {
                into.push(value);
            }
        }
    }

    let interval = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            values
                .get((share * values.len() as f64) as usize)
                .copied()
                .unwrap_or(f64::NAN)
        };
        format!("{:.0}-{:.0} %", 100.0 * at(0.05), 100.0 * at(0.95))
    };

    let [events, acts, techniques] = &mut draws;
    println!(
        "90 % intervals (bootstrap over techniques and rules, {DRAWS} draws): events {}, acts {}, techniques {}.\n",
        interval(events),
        interval(acts),
        interval(techniques)
    );
}

/// Nothing is fitted to the labels but the threshold: it is taken from the other rules, and held
/// against each in turn.
pub(super) fn cross_validate(run: &[Scored], false_positives: f64) {
    let rules: BTreeSet<&str> = run
        .iter()
        .filter(|one| one.label == Label::Benign)
        .map(|one| one.group.as_str())
        .collect();
    let (mut false_alarms, mut benign) = (0_usize, 0_usize);
    let mut found = 0.0;

    for rule in &rules {
        let threshold = threshold(run.iter().filter(|one| one.group != *rule), false_positives);
        let held = run
            .iter()
            .filter(|one| one.group == *rule && one.label == Label::Benign);
        benign += held.clone().count();
        false_alarms += held.filter(|one| one.score > threshold).count();
        let techniques: BTreeSet<&str> = run
            .iter()
            .filter(|one| one.label == Label::Technique)
            .map(|one| one.unit.as_str())
            .collect();
        let caught = techniques
            .iter()
            .filter(|unit| {
                run.iter()
                    .any(|one| one.unit == **unit && one.score > threshold)
            })
            .count();
        found += caught as f64 / techniques.len() as f64 / rules.len() as f64;
    }

    println!(
        "Threshold from the other rules, each rule held out in turn: {false_alarms} false positives in {benign} benign events, \
         {:.1} % of techniques.\n",
        100.0 * found
    );
}

/// Shares found at several shares of false positives.
pub(super) fn curve(run: &[Scored]) {
    println!(
        "| false positives at most | taken | threshold | events | acts | techniques |\n|---|---|---|---|---|---|"
    );
    for share in [0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2] {
        let found = at_false_positives(run, share);
        let threshold = threshold(run, share);
        println!(
            "| {:.0} % | {} | {threshold:.3} | {:.1} % | {:.1} % | {:.1} % |",
            100.0 * share,
            false_alarms(run, threshold),
            100.0 * found.events,
            100.0 * found.acts,
            100.0 * found.techniques
        );
    }

    println!();
}
