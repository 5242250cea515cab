//! Anomalies: the Numenta Anomaly Benchmark's score at one frozen threshold, and false alarms where nothing is marked,
//! beside detectors that know less.

pub(crate) mod control;
pub(crate) mod corpus;
pub(crate) mod nab;
pub(crate) mod quiet;

use std::time::Instant;

use anyhow::{Result, ensure};
use reeve_learn::anomaly::{self, THRESHOLD};

use crate::data::Data;
use crate::goal::Goal;
use corpus::Series;
use nab::{PROFILES, Profile, normalised};

/// Thresholds a held-out part may be given by the others.
const THRESHOLDS: [f64; 11] = [0.30, 0.35, 0.40, 0.45, 0.48, 0.50, 0.53, 0.56, 0.60, 0.65, 0.70];

/// Scores of every file by one detector.
type Scores = Vec<Vec<f64>>;

/// Prints the part.
pub(crate) fn run(data: &Data) -> Result<()> {
    let corpus = corpus::read(data)?;
    let started = Instant::now();
    let ours: Scores = corpus.iter().map(scores).collect();
    let took = started.elapsed();
    let rows: usize = corpus.iter().map(|series| series.points.len()).sum();
    let windows: usize = corpus.iter().map(|series| series.windows.len()).sum();
    ensure!(rows > 0, "the corpus is empty");
    println!(
        "{} files, {rows} rows, {windows} windows; one threshold, {THRESHOLD}; {} ns a point, one core.\n",
        corpus.len(),
        took.as_nanos() / rows as u128
    );
    let names = PROFILES.map(|profile| profile.name).join(" | ");
    println!("| detector | {names} | found | false alarms | a clean week | a quiet week |");
    println!("|---|---|---|---|---|---|---|---|");
    row("ours", &corpus, &ours, THRESHOLD);
    goals(&corpus, &ours);
    for (name, scores) in controls(&corpus, &ours) {
        row(&name, &corpus, &scores, 0.5);
    }
    println!("\nThe threshold chosen on the other files and never on the judged one:\n");
    println!("| held out | {names} |\n|---|---|---|---|");
    held_out("one folder of seven at a time", &corpus, &ours, |_, series| series.folder().to_owned());
    held_out("every second file", &corpus, &ours, |place, _| (place % 2).to_string());
    println!("\n| folder | standard | reward low FP | found | false alarms |\n|---|---|---|---|---|");
    folders(&corpus, &ours);
    Ok(())
}

fn scores(series: &Series) -> Vec<f64> {
    anomaly::judge(&series.points).iter().map(|judgement| judgement.score).collect()
}

fn controls(corpus: &[Series], ours: &Scores) -> Vec<(String, Scores)> {
    let rows: usize = corpus.iter().map(|series| series.points.len()).sum();
    let fired = ours.iter().flatten().filter(|score| **score >= THRESHOLD).count();
    let chance = fired as f64 / rows as f64;
    let over =
        |of: &dyn Fn(usize, &Series) -> Vec<f64>| corpus.iter().enumerate().map(|(at, one)| of(at, one)).collect();
    let mut found: Vec<(String, Scores)> = vec![
        ("random, as often as ours".into(), over(&|at, one| control::random(one.points.len(), chance, at as u64))),
        ("every 5 % of a file".into(), over(&|_, one| control::every_twentieth(one.points.len()))),
    ];
    for limit in [3.0, 5.0] {
        found.push((format!("abs(z) over {limit}"), over(&|_, one| control::deviations(&one.points, limit, false))));
        let grouped = over(&|_, one| control::deviations(&one.points, limit, true));
        found.push((format!("abs(z) over {limit}, grouped as ours"), grouped));
    }
    found.push(("never".into(), over(&|_, one| vec![0.0; one.points.len()])));
    found
}

/// One detector on the whole corpus.
fn row(name: &str, corpus: &[Series], scores: &Scores, threshold: f64) {
    let judged = || corpus.iter().zip(scores.iter().map(Vec::as_slice));
    let [standard, low_fp, low_fn] = PROFILES.map(|profile| published(judged(), |_| threshold, profile));
    let (found, windows, wrong) = counts(judged(), threshold);
    let (clean, quiet) = (quiet::clean(judged(), threshold), quiet::quiet_weeks(judged(), threshold));
    println!(
        "| {name} | {standard:.1} | {low_fp:.1} | {low_fn:.1} | {found} of {windows} | {wrong} | {:.2} of {:.1} | {:.2} of {} |",
        clean.a_week(),
        clean.weeks,
        quiet.a_week(),
        quiet.weeks
    );
}

fn goals(corpus: &[Series], scores: &Scores) {
    let judged = || corpus.iter().zip(scores.iter().map(Vec::as_slice));
    let [standard, low_fp, _] = PROFILES.map(|profile| published(judged(), |_| THRESHOLD, profile));
    Goal::AtLeast(62.0, 75.0).print("anomalies: NAB, standard profile", standard, 1, "");
    Goal::AtLeast(55.0, 67.0).print("anomalies: NAB, low false positives", low_fp, 1, "");
    for (what, rate) in [
        ("false alarms a clean week", quiet::clean(judged(), THRESHOLD)),
        ("false alarms a quiet week", quiet::quiet_weeks(judged(), THRESHOLD)),
    ] {
        Goal::AtMost(1.0, 0.2).print(what, rate.a_week(), 2, "");
    }
}

/// The published score of files, each at a threshold of its own.
fn published<'a>(
    judged: impl Iterator<Item = (&'a Series, &'a [f64])>,
    threshold: impl Fn(&Series) -> f64,
    profile: Profile,
) -> f64 {
    let (mut sum, mut null, mut perfect) = (0.0, 0.0, 0.0);
    for (series, scores) in judged {
        let (file, threshold) = (series.labelled(), threshold(series));
        sum += file.score(|row| scores[row] >= threshold, profile);
        null += file.null(profile);
        perfect += file.perfect(profile);
    }
    normalised(sum, null, perfect)
}

/// Windows found, windows there are, alarms outside.
fn counts<'a>(judged: impl Iterator<Item = (&'a Series, &'a [f64])>, threshold: f64) -> (usize, usize, usize) {
    let (mut found, mut windows, mut wrong) = (0, 0, 0);
    for (series, scores) in judged {
        let fired: Vec<usize> =
            (series.labelled().probation()..scores.len()).filter(|row| scores[*row] >= threshold).collect();
        let hit = |(first, last): &&(usize, usize)| fired.iter().any(|row| (*first..=*last).contains(row));
        found += series.windows.iter().filter(hit).count();
        windows += series.windows.len();
        wrong += fired.iter().filter(|row| !series.in_window(**row)).count();
    }
    (found, windows, wrong)
}

/// The score with each part's threshold chosen on the other parts.
fn held_out(name: &str, corpus: &[Series], scores: &Scores, part: impl Fn(usize, &Series) -> String) {
    let parts: Vec<String> = corpus.iter().enumerate().map(|(place, series)| part(place, series)).collect();
    let of = |place: usize| (&corpus[place], scores[place].as_slice());
    let chosen: Vec<f64> = parts
        .iter()
        .map(|held| {
            let others = || (0..corpus.len()).filter(|place| parts[*place] != *held).map(of);
            let worth = |threshold: f64| {
                PROFILES[..2].iter().map(|profile| published(others(), |_| threshold, *profile)).sum::<f64>()
            };
            THRESHOLDS.into_iter().max_by(|a, b| worth(*a).total_cmp(&worth(*b))).unwrap_or(THRESHOLD)
        })
        .collect();
    let threshold = |series: &Series| {
        corpus.iter().position(|one| one.name == series.name).map_or(THRESHOLD, |place| chosen[place])
    };
    let [standard, low_fp, low_fn] = PROFILES.map(|profile| published((0..corpus.len()).map(of), threshold, profile));
    println!("| {name} | {standard:.1} | {low_fp:.1} | {low_fn:.1} |");
}

fn folders(corpus: &[Series], scores: &Scores) {
    let mut names: Vec<&str> = corpus.iter().map(Series::folder).collect();
    names.dedup();
    for name in names {
        let judged =
            || corpus.iter().zip(scores.iter().map(Vec::as_slice)).filter(|(series, _)| series.folder() == name);
        let (found, windows, wrong) = counts(judged(), THRESHOLD);
        let score = |profile| match windows {
            0 => "-".to_owned(),
            _ => format!("{:.1}", published(judged(), |_| THRESHOLD, profile)),
        };
        println!("| {name} | {} | {} | {found} of {windows} | {wrong} |", score(PROFILES[0]), score(PROFILES[1]));
    }
}
