//! Behaviour: suspicious CloudTrail events found at 2 % false positives, user agents blanked, with controls beside them; then
//! false alarms on ordinary work, and attacks transplanted into it.
//!
//! Nothing is learnt from the labels and no threshold is carried over from them into the product; the set is far too small
//! for either. What is reported is how well the scores separate, with intervals that take whole techniques and rules for
//! their unit, because events of one file are not independent.

mod controls;
mod figures;
mod ordinary;
mod set;

use std::collections::BTreeSet;

use anyhow::Result;
use reeve_agents::behaviour::{EntryReview, EntryWatch};
use reeve_audit::Entry;
use reeve_learn::behaviour::Judgement;

use crate::chance::Chance;
use crate::data::Data;
use crate::goal::Goal;
use figures::{Scored, at_false_positives};
use set::{Blank, Label, Unit};

/// Orders in which the events are put before the watch.
const ORDERS: u64 = 20;
/// Share of benign events that may be scored as high as what counts as found.
const FALSE_POSITIVES: f64 = 0.02;

/// How a score comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// From the events before it, as the security agent has it.
    Live,
    /// Looked at again when all are there, as `reeve analyze entries` does.
    Hindsight,
}

/// Runs the part.
pub(crate) fn run(data: &Data) -> Result<()> {
    for (blank, title) in [
        (Blank::Agents, "User agents blanked"),
        (Blank::Names, "User agents, accounts, addresses and telling names blanked"),
    ] {
        let units = set::load(data, blank)?;
        println!("### {title}\n");
        if blank == Blank::Agents {
            counts(&units);
        }
        heading();
        let live = watched(&units, Look::Live);
        let review = watched(&units, Look::Hindsight);
        row("**in hindsight**", &review);
        row("**live**", &live);
        if blank == Blank::Agents {
            goals(&review);
        }
        let mixed = |look| (0..ORDERS).map(|order| score_in_order(&units, order, look, |_| true)).collect::<Vec<_>>();
        row("in hindsight, everything mixed", &mixed(Look::Hindsight));
        row("live, everything mixed", &mixed(Look::Live));
        row("meaning alone (each file and test judged by a new watch)", &[score_apart(&units)]);
        for (name, score) in controls::CONTROLS {
            row(name, &[controls::score(&units, score)]);
        }
        halves(&review);
        details(&review, blank);
    }
    ablations(data)?;
    ordinary::run(data)
}

/// Techniques are what the set can tell; its single events are found as well by who counts them (see the controls).
fn goals(runs: &[Vec<Scored>]) {
    let found: Vec<figures::Found> = runs.iter().map(|run| at_false_positives(run, FALSE_POSITIVES)).collect();
    let mean = |of: fn(&figures::Found) -> f64| 100.0 * found.iter().map(of).sum::<f64>() / found.len() as f64;
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

/// Attacks among benign events alone; rules' tests that must alert among the same, apart.
fn watched(units: &[Unit], look: Look) -> Vec<Vec<Scored>> {
    let one = |order| {
        let mut run = score(units, order, look, Label::Suspicious);
        let other = score(units, order, look, Label::Technique);
        run.extend(other.into_iter().filter(|one| one.label == Label::Suspicious));
        run
    };
    (0..ORDERS).map(one).collect()
}

/// Every second technique and rule, and the others: on the first half weights may be chosen, the second is only reported.
fn halves(runs: &[Vec<Scored>]) {
    println!();
    heading();
    for (half, name) in ["half for choosing", "half for reporting"].into_iter().enumerate() {
        let groups: BTreeSet<&str> = runs.iter().flatten().map(|one| one.group.as_str()).collect();
        let ours: BTreeSet<&str> = groups.into_iter().skip(half).step_by(2).collect();
        let kept = |run: &Vec<Scored>| run.iter().filter(|one| ours.contains(&*one.group)).cloned().collect();
        row(name, &runs.iter().map(kept).collect::<Vec<Vec<Scored>>>());
    }
}

fn details(runs: &[Vec<Scored>], blank: Blank) {
    let missed = figures::missed(runs, FALSE_POSITIVES);
    println!(
        "\nMissed in half of the orders or more: {}\n",
        if missed.is_empty() { "none".to_owned() } else { missed.join(", ") }
    );
    println!("Events found, in the first order: {}\n", figures::by_technique(&runs[0], FALSE_POSITIVES).join(", "));
    figures::intervals(&runs[0], FALSE_POSITIVES);
    figures::cross_validate(&runs[0], FALSE_POSITIVES);
    figures::curve(&runs[0]);
    if blank == Blank::Agents {
        loudest(&runs[0]);
    }
}

/// Whether something that only these recordings have carries the figure.
fn ablations(data: &Data) -> Result<()> {
    println!("### In hindsight, with more left out\n");
    heading();
    for (blank, name) in [
        (Blank::Places, "user agents, regions and addresses"),
        (Blank::Keys, "user agents and identifiers of keys"),
        (Blank::Times, "user agents; all events of one second"),
    ] {
        row(name, &watched(&set::load(data, blank)?, Look::Hindsight));
    }
    println!();
    Ok(())
}

fn counts(units: &[Unit]) {
    let count = |label: fn(&Label) -> bool| {
        let of = units.iter().filter(|unit| label(&unit.label));
        (of.clone().count(), of.map(|unit| unit.events.len()).sum::<usize>())
    };
    let (techniques, attacks) = count(|label| matches!(label, Label::Technique));
    println!(
        "{attacks} events of {techniques} techniques; {} labelled suspicious and {} labelled benign events of rule tests. \
         Each figure is the mean over {ORDERS} orders of the same events; a technique is found when any event of its file is, \
         an act when any event of one operation of a file is.\n",
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
    units.iter().flat_map(|unit| score_in_order(std::slice::from_ref(unit), 0, Look::Live, |_| true)).collect()
}

/// Scores of events when units arrive in an order of their own; each unit keeps its inner order.
fn score_in_order(units: &[Unit], order: u64, look: Look, takes: impl Fn(&Unit) -> bool) -> Vec<Scored> {
    let mut places: Vec<usize> = (0..units.len()).filter(|at| takes(&units[*at])).collect();
    let mut chance = Chance::new(order, 41);
    for at in (1..places.len()).rev() {
        places.swap(at, chance.below(at + 1));
    }
    let events = || places.iter().flat_map(|place| units[*place].events.iter().map(|entry| (&units[*place], entry)));
    let scored = |(unit, entry): (&Unit, &Entry), judgement: Judgement| {
        let reasons = judgement.reasons().collect::<Vec<_>>().join("; ");
        Scored::new(unit, entry, judgement.score, reasons)
    };
    let mut all: Vec<Scored> = match look {
        Look::Live => {
            let mut watch = EntryWatch::default();
            events().map(|(unit, entry)| scored((unit, entry), watch.observe(entry))).collect()
        }
        Look::Hindsight => {
            let mut review = EntryReview::default();
            let mut judged: Vec<_> = events().filter_map(|(unit, entry)| review.add(entry, (unit, entry))).collect();
            judged.extend(std::iter::from_fn(|| review.release()));
            judged.into_iter().map(|(of, judgement)| scored(of, judgement)).collect()
        }
    };
    // Equal orders for all later steps.
    all.sort_by(|a, b| (&a.unit, &a.event).cmp(&(&b.unit, &b.event)));
    all
}

fn row(name: &str, runs: &[Vec<Scored>]) {
    let all: Vec<figures::Found> = runs.iter().map(|run| at_false_positives(run, FALSE_POSITIVES)).collect();
    let mean = |of: fn(&figures::Found) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
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
    let mut benign: Vec<&Scored> = run.iter().filter(|one| one.label == Label::Benign).collect();
    benign.sort_by(|a, b| b.score.total_cmp(&a.score));
    println!("Loudest benign events:\n");
    for one in benign.iter().take(12) {
        println!("- {:.2} {} ({}): {}", one.score, one.operation, one.unit, one.reasons);
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
        println!("- {:.2} {} ({}): {}", one.score, one.operation, one.unit, one.reasons);
    }
    println!();
}
