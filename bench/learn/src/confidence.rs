//! Confidence: accuracy of the calibrated probability that a recommendation is right.
//!
//!
//! The real cost agent ([`season`]) judges a simulated estate ([`world`]); the simulated future of
//! each recommendation decides whether it was right. The calibrator learns from the earlier half of
//! the year whose outcomes were known, then meets the later half one by one, judging first and
//! learning from each outcome 14 days later. It is compared with the base rate, the agent's
//! confidence without learning, a random number, a calibrator taught shuffled labels, and the
//! ceiling: the prediction of somebody who knows every resource's traits, measured by giving the
//! same past other futures.

mod season;
mod world;

use anyhow::{Result, bail};
use reeve_learn::calibrate::{
    Calibrator, Example, FEATURES, adaptive_ece, brier, brier_skill, scores,
};

use crate::chance::Chance;
use crate::data::Data;
use crate::goal::Goal;
use season::Story;

const SEED: u64 = 20_261_121;
const RESOURCES: usize = 9_000;
const OTHER_FUTURES: usize = 12;
const BINS: usize = 10;
/// Draws of a bootstrap.
const DRAWS: usize = 2_000;
/// An outcome is known this long after the recommendation.
const KNOWN_AFTER_MS: i64 = 14 * 86_400_000;

pub(crate) fn run(_: &Data) -> Result<()> {
    let resources = std::env::var("REEVE_BENCH_RESOURCES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(RESOURCES);
    for (name, seed) in [("first estate", SEED), ("another estate", SEED + 1)] {
        judge(name, &season::stories(seed, resources, OTHER_FUTURES))?;
    }
    Ok(())
}

fn judge(name: &str, stories: &[Story]) -> Result<()> {
    let Some(middle) = stories
        .get(stories.len() / 2)
        .map(|story| story.example.at_ms)
    else {
        bail!("the estate has no recommendations");
    };

    let cut = stories.partition_point(|story| story.example.at_ms < middle);
    let (earlier, later) = stories.split_at(cut);
    let held = later.iter().filter(|story| story.example.held).count();
    println!(
        "{name}: {} recommendations learned from, {} judged, {held} of them held",
        earlier.len(),
        later.len()
    );

    println!(
        "\n| confidence | Brier | skill | ECE, {BINS} equal bins | accuracy | precision | recall | F1 |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let known = known_by(earlier, middle);
    let said = predictions(later, &known, true);
    row("calibrated, learning on", &said);

    if let Some((skill, ece)) = brier_skill(&said).zip(adaptive_ece(&said, BINS)) {
        Goal::AtLeast(0.25, 0.4).print(
            &format!("confidence, {name}: Brier skill over base rate"),
            skill,
            3,
            "",
        );
        Goal::AtMost(0.03, 0.015).print(
            &format!("confidence, {name}: expected calibration error"),
            ece,
            3,
            "",
        );
    }

    row("calibrated once", &predictions(later, &known, false));
    let rate = known.iter().filter(|e| e.held).count() as f64 / known.len().max(1) as f64;
    row("base rate of the earlier half", &with(later, |_| rate));
    row(
        "the agent's own, not learned",
        &with(later, |story| story.today),
    );
    let mut chance = Chance::new(SEED, 7);
    let random: Vec<f64> = later.iter().map(|_| chance.unit()).collect();
    row(
        "random",
        &later
            .iter()
            .zip(random)
            .map(|(story, p)| (p, story.example.held))
            .collect::<Vec<_>>(),
    );

    row(
        "taught shuffled labels",
        &predictions(later, &shuffled(&known), false),
    );
    ceiling(later);
    interval(&said);
    by_group(later, &known);

    Ok(())
}

/// Examples whose outcome was known at a time.
fn known_by(stories: &[Story], at_ms: i64) -> Vec<Example> {
    let known = stories.iter().map(|story| &story.example);
    known
        .filter(|example| example.at_ms + KNOWN_AFTER_MS <= at_ms)
        .cloned()
        .collect()
}

/// Returns the prediction and outcome of each, in order of time; with `learning`, outcomes are
/// learnt as they become known.
fn predictions(later: &[Story], known: &[Example], learning: bool) -> Vec<(f64, bool)> {
    let mut learned = Calibrator::fit(FEATURES.len(), known);
    let mut due = 0;
    later
        .iter()
        .map(|story| {
            let now = &story.example;
            while learning
                && due < later.len()
                && later[due].example.at_ms + KNOWN_AFTER_MS <= now.at_ms
            {
                learned.learn(&later[due].example);
                due += 1;
            }
            (
                learned
                    .calibrate(&now.group, now.raw, &now.features)
                    .probability,
                now.held,
            )
        })
        .collect()
}

fn with(stories: &[Story], said: impl Fn(&Story) -> f64) -> Vec<(f64, bool)> {
    stories
        .iter()
        .map(|story| (said(story), story.example.held))
        .collect()
}

fn shuffled(known: &[Example]) -> Vec<Example> {
    let mut labels: Vec<bool> = known.iter().map(|example| example.held).collect();
    let mut chance = Chance::new(SEED, 8);
    for at in (1..labels.len()).rev() {
        labels.swap(at, chance.below(at + 1));
    }

    known
        .iter()
        .zip(labels)
        .map(|(example, held)| Example {
            held,
            ..example.clone()
        })
        .collect()
}

fn row(name: &str, pairs: &[(f64, bool)]) {
    let figure = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
    let Some(s) = scores(pairs) else { return };
    println!(
        "| {name} | {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} |",
        figure(brier(pairs)),
        figure(brier_skill(pairs)),
        figure(adaptive_ece(pairs, BINS)),
        s.accuracy,
        s.precision,
        s.recall,
        s.f1
    );
}

/// Prints the interval of the skill for so small a sample, by a bootstrap over recommendations.
fn interval(said: &[(f64, bool)]) {
    let mut chance = Chance::new(SEED, 9);
    let mut skills: Vec<f64> = (0..DRAWS)
        .filter_map(|_| {
            brier_skill(
                &said
                    .iter()
                    .map(|_| said[chance.below(said.len())])
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    skills.sort_by(f64::total_cmp);

    let at = |share: f64| {
        skills
            .get((share * skills.len() as f64) as usize)
            .copied()
            .unwrap_or(f64::NAN)
    };

    println!(
        "90 % interval of the skill (bootstrap, {DRAWS} draws): {:.3} to {:.3}.\n",
        at(0.05),
        at(0.95)
    );
}

/// Prints the skill that knowing every trait would allow.
fn ceiling(later: &[Story]) {
    let Some(within) = unknowable(&later.iter().collect::<Vec<_>>()) else {
        return;
    };

    let rate =
        later.iter().filter(|story| story.example.held).count() as f64 / later.len().max(1) as f64;
    println!(
        "| all traits known (ceiling) | {within:.3} | {:.3} | 0 | | | | |\n",
        1.0 - within / (rate * (1.0 - rate))
    );
}

/// The variance that is left within the futures of one past, without the part that comes of having
/// drawn only so many.
fn unknowable(stories: &[&Story]) -> Option<f64> {
    let chances: Vec<f64> = stories.iter().filter_map(|story| story.chance).collect();
    let drawn = OTHER_FUTURES as f64;
    let spread: f64 = chances.iter().map(|p| p * (1.0 - p)).sum();
    (!chances.is_empty()).then(|| spread / chances.len() as f64 * drawn / (drawn - 1.0))
}

fn stories<'s>(later: &'s [Story], group: &str) -> Vec<&'s Story> {
    later
        .iter()
        .filter(|story| story.example.group == group)
        .collect()
}

fn by_group(later: &[Story], known: &[Example]) {
    println!("| kind | judged | held | skill | ceiling | ECE, 5 bins |");
    println!("|---|---|---|---|---|---|");
    let said = predictions(later, known, true);
    let mut groups: Vec<&str> = later
        .iter()
        .map(|story| story.example.group.as_str())
        .collect();
    groups.sort_unstable();
    groups.dedup();

    for group in groups {
        let own: Vec<(f64, bool)> = later
            .iter()
            .zip(&said)
            .filter(|(story, _)| story.example.group == group)
            .map(|(_, pair)| *pair)
            .collect();
        let held = own.iter().filter(|(_, held)| *held).count();
        let figure = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
        println!(
            "| {group} | {} | {held} | {} | {} | {} |",
            own.len(),
            figure(brier_skill(&own)),
            figure(unknowable(&stories(later, group)).map(|within| {
                let rate = held as f64 / own.len().max(1) as f64;
                1.0 - within / (rate * (1.0 - rate))
            })),
            figure(adaptive_ece(&own, 5))
        );
    }

    println!();
}
