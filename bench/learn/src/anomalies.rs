//! Anomalies on two corpora of labelled series, beside detectors that know less: the Numenta
//! Anomaly Benchmark's score and false alarms where nothing is marked, and, on a cloud's own
//! monitoring, events found at so many false alarms a week; how well scores rank rows (VUS-PR) on
//! both. What was chosen on one is confirmed on the other.

pub(crate) mod cloudmon;
pub(crate) mod control;
pub(crate) mod corpus;
pub(crate) mod nab;
pub(crate) mod quiet;
pub(crate) mod vus;

use std::time::Instant;

use anyhow::{Result, ensure};
use reeve_learn::anomaly::{Detector, Sensitivity};

use crate::data::Data;
use crate::goal::Goal;
use corpus::Series;
use nab::{PROFILES, Profile, normalised};

/// Share of a control's score that carries over to the next row, as in Reeve's detector.
const FADES: f64 = 0.9;

/// Scores of every file by one detector.
type Scores = Vec<Vec<f64>>;

/// Scores and alarms of every file at one sensitivity; an alarm is 1.
struct Ours {
    scores: Scores,
    alarms: Scores,
}

impl Ours {
    fn new(corpus: &[Series], sensitivity: Sensitivity) -> Self {
        let (mut scores, mut alarms) = (Vec::new(), Vec::new());
        for series in corpus {
            let mut detector = Detector::with_sensitivity(sensitivity);
            let judged: Vec<_> = series
                .points
                .iter()
                .map(|(at, value)| detector.observe(*at, *value))
                .collect();
            scores.push(judged.iter().map(|one| one.score).collect());
            alarms.push(
                judged
                    .iter()
                    .map(|one| f64::from(u8::from(one.alarm)))
                    .collect(),
            );
        }

        Ours { scores, alarms }
    }
}

/// Measures detection and prints its tables.
pub(crate) fn run(data: &Data) -> Result<()> {
    let corpus = corpus::read(data)?;
    let started = Instant::now();
    let ours = Ours::new(&corpus, Sensitivity::Medium);
    let took = started.elapsed();
    let rows: usize = corpus.iter().map(|series| series.points.len()).sum();
    let windows: usize = corpus.iter().map(|series| series.windows.len()).sum();
    ensure!(rows > 0, "the corpus is empty");
    println!(
        "{} files, {rows} rows, {windows} windows; {} ns a point, one core.\n",
        corpus.len(),
        took.as_nanos() / rows as u128
    );
    let names = PROFILES.map(|profile| profile.name).join(" | ");
    println!("| detector | {names} | found | false alarms | a clean week | a quiet week |");
    println!("|---|---|---|---|---|---|---|---|");

    for sensitivity in Sensitivity::ALL {
        row(
            &format!("ours, {sensitivity:?} sensitivity").to_lowercase(),
            &corpus,
            &Ours::new(&corpus, sensitivity).alarms,
        );
    }

    goals(&corpus, &ours.alarms);
    for (name, scores) in controls(&corpus, &ours.alarms) {
        row(&name, &corpus, &scores);
    }

    println!(
        "\n| folder | standard | reward low FP | found | false alarms |\n|---|---|---|---|---|"
    );
    folders(&corpus, &ours.alarms);
    println!("\n| scores on the benchmark | VUS-PR | odd files | even files |\n|---|---|---|---|");
    ranks(&corpus, &ours.scores);

    monitoring(data)
}

/// Measures the corpus of a cloud's monitoring.
fn monitoring(data: &Data) -> Result<()> {
    let corpus = cloudmon::read(data)?;
    let ours = Ours::new(&corpus, Sensitivity::Medium);
    println!(
        "\n| scores on a cloud's monitoring | VUS-PR | odd files | even files |\n|---|---|---|---|"
    );
    let reached = ranks(&corpus, &ours.scores);
    Goal::AtLeast(0.65, 0.72).print("anomalies: VUS-PR on a cloud's monitoring", reached, 3, "");
    println!(
        "\n| alarms on a cloud's monitoring | events found | false alarms | a week |\n|---|---|---|---|"
    );
    let line = |name: &str, found: cloudmon::Found| {
        println!(
            "| {name} | {} of {} | {} | {:.2} |",
            found.found,
            found.events,
            found.wrong,
            found.a_week()
        );
    };

    let fired = |one: &Vec<f64>| one.iter().map(|alarm| *alarm > 0.5).collect();
    for sensitivity in Sensitivity::ALL {
        let alarms = Ours::new(&corpus, sensitivity).alarms;
        let found = cloudmon::count(corpus.iter().zip(alarms.iter().map(fired)));
        line(
            &format!("ours, {sensitivity:?} sensitivity").to_lowercase(),
            found,
        );
        // The control's one limit that gives no more false alarms than that.
        let past: Scores = corpus
            .iter()
            .map(|one| control::median_distance(&one.points))
            .collect();
        let at = |limit: f64| {
            let one = |(series, scores): (&Series, &Vec<f64>)| {
                control::grouped(&series.points, scores, limit)
            };
            cloudmon::count(corpus.iter().zip(corpus.iter().zip(&past).map(one)))
        };
        let mut limits = (0..80).map(|step| 3.0 * 1.12_f64.powi(step)).map(at);
        if let Some(control) = limits.find(|control| control.wrong <= found.wrong) {
            line(
                "median distance of the past, grouped, with no more false alarms",
                control,
            );
        }
    }

    Ok(())
}

/// Prints the ranking quality of Reeve's scores and the controls'. Returns Reeve's over all files.
fn ranks(corpus: &[Series], ours: &Scores) -> f64 {
    let over = |scorer: &dyn Fn(&Series) -> Vec<f64>| corpus.iter().map(scorer).collect::<Scores>();
    let hindsight = over(&|one| control::hindsight(&one.points));
    let past = over(&|one| control::median_distance(&one.points));
    let faded = |scores: &Scores| {
        scores
            .iter()
            .map(|one| control::fading(one.clone(), FADES))
            .collect::<Scores>()
    };

    let all = [
        ("ours", ours.clone()),
        ("median distance in hindsight", hindsight.clone()),
        ("the same, fading as ours", faded(&hindsight)),
        ("median distance of the past", past.clone()),
        ("the same, fading as ours", faded(&past)),
        (
            "random",
            over(&|one| control::random(one.points.len(), 0.5, one.points.len() as u64)),
        ),
    ];

    let mut first = f64::NAN;
    for (name, scores) in all {
        let each: Vec<f64> = corpus
            .iter()
            .zip(&scores)
            .filter_map(|(one, scores)| vus::vus_pr(scores, &one.windows))
            .collect();
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let half = |which: usize| mean(each.iter().skip(which).step_by(2).copied().collect());
        println!(
            "| {name} | {:.3} | {:.3} | {:.3} |",
            mean(each.clone()),
            half(0),
            half(1)
        );
        first = if first.is_nan() {
            mean(each.clone())
        } else {
            first
        };
    }

    first
}

fn controls(corpus: &[Series], ours: &Scores) -> Vec<(String, Scores)> {
    let rows: usize = corpus.iter().map(|series| series.points.len()).sum();
    let fired = ours.iter().flatten().filter(|score| **score > 0.5).count();
    let chance = fired as f64 / rows as f64;
    let over = |scorer: &dyn Fn(usize, &Series) -> Vec<f64>| {
        corpus
            .iter()
            .enumerate()
            .map(|(at, one)| scorer(at, one))
            .collect()
    };

    let mut found: Vec<(String, Scores)> = vec![
        (
            "random, as often as ours".into(),
            over(&|at, one| control::random(one.points.len(), chance, at as u64)),
        ),
        (
            "every 5 % of a file".into(),
            over(&|_, one| control::every_twentieth(one.points.len())),
        ),
    ];

    for limit in [3.0, 5.0] {
        found.push((
            format!("abs(z) over {limit}"),
            over(&|_, one| control::deviations(&one.points, limit, false)),
        ));
        let grouped = over(&|_, one| control::deviations(&one.points, limit, true));
        found.push((format!("abs(z) over {limit}, grouped as ours"), grouped));
    }

    found.push(("never".into(), over(&|_, one| vec![0.0; one.points.len()])));
    found
}

/// One detector on the whole corpus.
fn row(name: &str, corpus: &[Series], scores: &Scores) {
    let threshold = 0.5;
    let judged = || corpus.iter().zip(scores.iter().map(Vec::as_slice));
    let [standard, low_fp, low_fn] =
        PROFILES.map(|profile| published(judged(), |_| threshold, profile));
    let (found, windows, wrong) = counts(judged(), threshold);
    let (clean, quiet) = (
        quiet::clean(judged(), threshold),
        quiet::quiet_weeks(judged(), threshold),
    );
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
    let [standard, low_fp, _] = PROFILES.map(|profile| published(judged(), |_| 0.5, profile));
    Goal::AtLeast(62.0, 75.0).print("anomalies: NAB, standard profile", standard, 1, "");
    Goal::AtLeast(55.0, 67.0).print("anomalies: NAB, low false positives", low_fp, 1, "");

    for (what, rate) in [
        ("false alarms a clean week", quiet::clean(judged(), 0.5)),
        (
            "false alarms a quiet week",
            quiet::quiet_weeks(judged(), 0.5),
        ),
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
fn counts<'a>(
    judged: impl Iterator<Item = (&'a Series, &'a [f64])>,
    threshold: f64,
) -> (usize, usize, usize) {
    let (mut found, mut windows, mut wrong) = (0, 0, 0);
    for (series, scores) in judged {
        let fired: Vec<usize> = (series.labelled().probation()..scores.len())
            .filter(|row| scores[*row] >= threshold)
            .collect();
        let hit = |(first, last): &&(usize, usize)| {
            fired.iter().any(|row| (*first..=*last).contains(row))
        };
        found += series.windows.iter().filter(hit).count();
        windows += series.windows.len();
        wrong += fired.iter().filter(|row| !series.in_window(**row)).count();
    }

    (found, windows, wrong)
}

fn folders(corpus: &[Series], scores: &Scores) {
    let mut names: Vec<&str> = corpus.iter().map(Series::folder).collect();
    names.dedup();

    for name in names {
        let judged = || {
            corpus
                .iter()
                .zip(scores.iter().map(Vec::as_slice))
                .filter(|(series, _)| series.folder() == name)
        };
        let (found, windows, wrong) = counts(judged(), 0.5);
        let score = |profile| match windows {
            0 => "-".to_owned(),
            _ => format!("{:.1}", published(judged(), |_| 0.5, profile)),
        };
        println!(
            "| {name} | {} | {} | {found} of {windows} | {wrong} |",
            score(PROFILES[0]),
            score(PROFILES[1])
        );
    }
}
