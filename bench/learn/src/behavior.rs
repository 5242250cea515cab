//! Behavior: suspicious CloudTrail events found at 2 % false positives, user agents blanked, with
//! controls beside them; then false alarms on ordinary work, and attacks transplanted into it.
//!
//! Nothing is learnt from the labels and no threshold is carried over from them into the product;
//! the set is far too small for either. What is reported is how well the scores separate, with
//! intervals that take whole techniques and rules for their unit, because events of one file are
//! not independent.

pub(crate) mod chains;
mod controls;
mod everything;
mod figures;
mod first_hours;
mod ordinary;
mod set;
mod variations;

use std::collections::BTreeSet;

use anyhow::Result;
use reeve_anomalies::behavior::{EntryReview, EntryWatch};
use reeve_audit::Entry;
use reeve_learn::behavior::BehaviorJudgement;

use crate::chance::Chance;
use crate::data::Data;
use crate::goal::Goal;
use figures::{Scored, at_false_positives};
use set::{Blank, Label, Unit};
use variations::{Variation, vary};

/// Orders in which the events are put before the watch, and variations of the set of each kind.
const ORDERS: u64 = 20;
/// The variation that the goals are measured on. It was chosen when it was the harshest of them
/// all.
const HALF_AN_HOUR: Variation = Variation::Moved(1800.0);
/// Share of benign events that may be scored as high as what counts as found.
const FALSE_POSITIVES: f64 = 0.02;

/// Time at which an action is scored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// From the events before it, as the security agent has it.
    Live,
    /// Looked at again when all are there, as `reeve analyze entries` does.
    Hindsight,
}

/// Measures each blanking and prints its table.
pub(crate) fn run(data: &Data) -> Result<()> {
    for (blank, title) in [
        (Blank::Agents, "User agents blanked"),
        (
            Blank::Names,
            "User agents, accounts, addresses and telling names blanked",
        ),
    ] {
        let units = set::load(data, blank)?;
        println!("### {title}\n");
        if blank == Blank::Agents {
            counts(&units);
        }
        heading();
        let review = watched(&units, Look::Hindsight);
        row("in hindsight, as they are", &review);
        let moved = varied(&units, HALF_AN_HOUR);
        row("**in hindsight, each moved by up to half an hour**", &moved);
        row(
            "in hindsight, each moved by up to 15 days",
            &varied(&units, Variation::Moved(15.0 * 86_400.0)),
        );
        row(
            "in hindsight, their times exchanged",
            &varied(&units, Variation::Exchanged),
        );
        row(
            "in hindsight, a tenth of the events left out",
            &varied(&units, Variation::Without(0.1)),
        );
        row("**live**", &watched(&units, Look::Live));
        if blank == Blank::Agents {
            goals(&moved);
        }
        let mixed = |look| {
            (0..ORDERS)
                .map(|order| score_in_order(&units, order, look, |_| true))
                .collect::<Vec<_>>()
        };
        row("in hindsight, everything mixed", &mixed(Look::Hindsight));
        row("live, everything mixed", &mixed(Look::Live));
        row(
            "meaning alone (each file and test judged by a new watch)",
            &[score_apart(&units)],
        );
        for (name, score) in controls::CONTROLS {
            row(name, &[controls::score(&units, score)]);
        }
        println!();
        same_in_every_order(&review);
        figures::spread("each moved by up to half an hour", &moved, FALSE_POSITIVES);
        heading();
        halves("as they are", &review);
        halves("each moved by up to half an hour", &moved);
        details(&review, blank);
    }

    ablations(data)?;
    held_out(data)?;
    first_hours::run(&set::load(data, Blank::Agents)?);
    ordinary::run(data)
}

/// Attacks and rules that are halved by name.
pub(crate) fn held_out(data: &Data) -> Result<()> {
    let units = set::load(data, Blank::Names)?;
    everything::run(&units);
    let units = set::load(data, Blank::Agents)?;
    let writes = controls::CONTROLS
        .iter()
        .find(|(name, _)| *name == "any write")
        .map(|(_, score)| controls::score(&units, *score));
    everything::unseen_rules(&score_apart(&units), &writes.unwrap_or_default());
    Ok(())
}

/// Techniques are what the set can tell; its single events are found as well by who counts them
/// (see the controls).
fn goals(runs: &[Vec<Scored>]) {
    let found: Vec<figures::Found> = runs
        .iter()
        .map(|run| at_false_positives(run, FALSE_POSITIVES))
        .collect();
    let mean = |figure: fn(&figures::Found) -> f64| {
        100.0 * found.iter().map(figure).sum::<f64>() / found.len() as f64
    };

    let print = |what: &str, share| {
        Goal::AtLeast(80.0, 95.0).print(
            &format!("suspicious CloudTrail {what} at 2 % false positives"),
            share,
            1,
            " %",
        );
    };
    print("techniques", mean(|found| found.techniques));

    print("single events", mean(|found| found.events));
}

fn heading() {
    println!(
        "| scores | attack events found | acts found | techniques found | labelled suspicious found | area (events) |"
    );
    println!("|---|---|---|---|---|---|");
}

/// Attacks among benign events alone, in every order; rules' tests that must alert among the same,
/// apart.
fn watched(units: &[Unit], look: Look) -> Vec<Vec<Scored>> {
    (0..ORDERS)
        .map(|order| watched_once(units, order, look))
        .collect()
}

/// The same of as many variations, in hindsight.
fn varied(units: &[Unit], variation: Variation) -> Vec<Vec<Scored>> {
    (0..ORDERS)
        .map(|seed| watched_once(&vary(units, variation, seed), seed, Look::Hindsight))
        .collect()
}

fn watched_once(units: &[Unit], order: u64, look: Look) -> Vec<Scored> {
    let mut run = score(units, order, look, Label::Suspicious);
    let other = score(units, order, look, Label::Technique);
    run.extend(
        other
            .into_iter()
            .filter(|one| one.label == Label::Suspicious),
    );
    run
}

/// Says whether the order of the events in the file changes anything.
fn same_in_every_order(runs: &[Vec<Scored>]) {
    let scores = |run: &Vec<Scored>| {
        run.iter()
            .map(|one| (one.score * 1e9).round())
            .collect::<Vec<_>>()
    };
    let first = runs.first().map(scores);
    let differ = runs.iter().filter(|run| Some(scores(run)) != first).count();

    match differ {
        0 => println!("In hindsight all {ORDERS} orders of the file give the same scores.\n"),
        _ => println!(
            "In hindsight {differ} of {ORDERS} orders of the file give other scores than the first.\n"
        ),
    }
}

/// Every second technique and rule, and the others: on the first half weights may be chosen, the
/// second is only reported.
fn halves(title: &str, runs: &[Vec<Scored>]) {
    for (half, name) in ["half for choosing", "half for reporting"]
        .into_iter()
        .enumerate()
    {
        let groups: BTreeSet<&str> = runs
            .iter()
            .flatten()
            .map(|one| one.group.as_str())
            .collect();
        let ours: BTreeSet<&str> = groups.into_iter().skip(half).step_by(2).collect();
        let kept = |run: &Vec<Scored>| {
            run.iter()
                .filter(|one| ours.contains(&*one.group))
                .cloned()
                .collect()
        };
        row(
            &format!("{name}, {title}"),
            &runs.iter().map(kept).collect::<Vec<Vec<Scored>>>(),
        );
    }
}

fn details(runs: &[Vec<Scored>], blank: Blank) {
    let missed = figures::missed(runs, FALSE_POSITIVES);
    println!(
        "\nMissed: {}\n",
        if missed.is_empty() {
            "none".to_owned()
        } else {
            missed.join(", ")
        }
    );

    println!(
        "Events found: {}\n",
        figures::by_technique(&runs[0], FALSE_POSITIVES).join(", ")
    );
    figures::intervals(&runs[0], FALSE_POSITIVES);
    figures::cross_validate(&runs[0], FALSE_POSITIVES);
    figures::curve(&runs[0]);

    if blank == Blank::Agents {
        loudest(&runs[0]);
    }
}

/// Measures the effect of hiding attributes that only these recordings have.
fn ablations(data: &Data) -> Result<()> {
    println!("### In hindsight, with more left out\n");
    heading();

    for (blank, name) in [
        (Blank::Places, "user agents, regions and addresses"),
        (Blank::Keys, "user agents and identifiers of keys"),
        (Blank::Times, "user agents; all events of one second"),
    ] {
        let units = set::load(data, blank)?;
        row(
            &format!("{name}, as they are"),
            &[watched_once(&units, 0, Look::Hindsight)],
        );
        row(
            &format!("{name}, each moved by up to half an hour"),
            &varied(&units, HALF_AN_HOUR),
        );
    }

    println!();
    Ok(())
}

fn counts(units: &[Unit]) {
    let count = |label: fn(&Label) -> bool| {
        let labelled = units.iter().filter(|unit| label(&unit.label));
        (
            labelled.clone().count(),
            labelled.map(|unit| unit.events.len()).sum::<usize>(),
        )
    };
    let (techniques, attacks) = count(|label| matches!(label, Label::Technique));

    println!(
        "{attacks} events of {techniques} techniques; {} labelled suspicious and {} labelled benign events of rule tests. \
         Each figure is the mean over {ORDERS} orders, or as many variations, of the same events; a technique is found when any event \
         of its file is, an act when any event of one operation of a file is.\n",
        count(|label| matches!(label, Label::Suspicious)).1,
        count(|label| matches!(label, Label::Benign)).1,
    );
}

/// Scores of all events but those of one label.
fn score(units: &[Unit], order: u64, look: Look, without: Label) -> Vec<Scored> {
    score_in_order(units, order, look, |unit| unit.label != without)
}

/// Scores without any past but the unit's own.
fn score_apart(units: &[Unit]) -> Vec<Scored> {
    units
        .iter()
        .flat_map(|unit| score_in_order(std::slice::from_ref(unit), 0, Look::Live, |_| true))
        .collect()
}

/// Scores of events when units arrive in an order of their own; each unit keeps its inner order.
fn score_in_order(
    units: &[Unit],
    order: u64,
    look: Look,
    takes: impl Fn(&Unit) -> bool,
) -> Vec<Scored> {
    let mut places: Vec<usize> = (0..units.len()).filter(|at| takes(&units[*at])).collect();
    let mut chance = Chance::new(order, 41);
    for at in (1..places.len()).rev() {
        places.swap(at, chance.below(at + 1));
    }

    let events = || {
        places.iter().flat_map(|place| {
            units[*place]
                .events
                .iter()
                .map(|entry| (&units[*place], entry))
        })
    };

    let scored = |(unit, entry): (&Unit, &Entry), judgement: BehaviorJudgement| {
        let reasons = judgement.reasons().collect::<Vec<_>>().join("; ");
        Scored::new(unit, entry, judgement.score, reasons)
    };

    let mut all: Vec<Scored> = match look {
        Look::Live => {
            let mut watch = EntryWatch::default();
            events()
                .map(|(unit, entry)| scored((unit, entry), watch.observe(entry)))
                .collect()
        }
        Look::Hindsight => {
            let mut review = EntryReview::default();
            let mut judged: Vec<_> = events()
                .filter_map(|(unit, entry)| review.add(entry, (unit, entry)))
                .collect();
            judged.extend(std::iter::from_fn(|| review.release()));
            judged
                .into_iter()
                .map(|(event, judgement)| scored(event, judgement))
                .collect()
        }
    };

    // Equal orders for all later steps.
    all.sort_by(|a, b| (&a.unit, &a.event).cmp(&(&b.unit, &b.event)));
    all
}

fn row(name: &str, runs: &[Vec<Scored>]) {
    let all: Vec<figures::Found> = runs
        .iter()
        .map(|run| at_false_positives(run, FALSE_POSITIVES))
        .collect();
    let mean =
        |figure: fn(&figures::Found) -> f64| all.iter().map(figure).sum::<f64>() / all.len() as f64;
    println!(
        "| {name} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:.3} |",
        100.0 * mean(|f| f.events),
        100.0 * mean(|f| f.acts),
        100.0 * mean(|f| f.techniques),
        100.0 * mean(|f| f.labelled),
        mean(|f| f.area),
    );
}

/// The benign events that score highest: what the false positives are.
fn loudest(run: &[Scored]) {
    let mut benign: Vec<&Scored> = run
        .iter()
        .filter(|one| one.label == Label::Benign)
        .collect();
    benign.sort_by(|a, b| b.score.total_cmp(&a.score));
    println!("Loudest benign events:\n");

    for one in benign.iter().take(12) {
        println!(
            "- {:.2} {} ({}): {}",
            one.score, one.operation, one.unit, one.reasons
        );
    }

    let mut best: std::collections::BTreeMap<&str, &Scored> = std::collections::BTreeMap::new();
    for one in run.iter().filter(|one| one.label == Label::Technique) {
        let kept = best.entry(&one.unit).or_insert(one);
        if one.score > kept.score {
            *kept = one;
        }
    }

    let mut best: Vec<&Scored> = best.into_values().collect();
    best.sort_by(|a, b| a.score.total_cmp(&b.score));
    println!("\nQuietest techniques, by their loudest event:\n");

    for one in best.iter().take(24) {
        println!(
            "- {:.2} {} ({}): {}",
            one.score, one.operation, one.unit, one.reasons
        );
    }

    println!();
}
