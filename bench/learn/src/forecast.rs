//! Forecasts: error against the seasonal naive forecast, and how often the 90 % interval really
//! covers, over rolling origins that the fit never sees beyond. Goals are read on the daily naive
//! forecast, the harder one of the two on this data.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Result;
use reeve_learn::forecast::{Effort, ForecastSettings, fit};

use crate::data::Data;
use crate::goal::Goal;

mod daily;
mod rival;
mod score;
pub(crate) mod series;

use rival::Rival;
use score::{Method, Score};
use series::{Series, Set};

/// Threads: what the speed goal is stated for.
const THREADS: usize = 2;
/// Slots of history a fit is given: an estate keeps weeks, not years.
const HISTORY: usize = 8_192;

/// Measures the forecasts and prints their tables.
pub(crate) fn run(data: &Data) -> Result<()> {
    let sets = [series::ett(data)?, series::cloudwatch(data)?];
    let others = series::others(data)?;

    for effort in [Effort::Estate, Effort::Thorough] {
        println!("\n### Effort: {effort:?}\n");
        for hours in [24, 168] {
            judge(&sets, hours, effort);
            let found = scores(&others, hours, effort);
            score::print(
                &format!("{}, {hours} h ahead: beside the goal", others.name),
                &found.iter().collect::<Vec<_>>(),
            );
        }
    }

    daily::run(&sets[0]);
    speed(&sets[1]);
    Ok(())
}

/// Prints one horizon: each set, all of it, and the halves apart. Choices were made on the odd
/// series; the even ones say what they are worth elsewhere.
fn judge(sets: &[Set], hours: usize, effort: Effort) {
    let found: Vec<Vec<Score>> = sets.iter().map(|set| scores(set, hours, effort)).collect();
    for (set, scores) in sets.iter().zip(&found) {
        score::print(
            &format!("{}, {hours} h ahead", set.name),
            &scores.iter().collect::<Vec<_>>(),
        );
    }

    let half = |odd: usize| -> Vec<&Score> {
        found
            .iter()
            .flat_map(|set| set.iter().skip(odd).step_by(2))
            .collect()
    };

    let all: Vec<&Score> = found.iter().flatten().collect();
    score::print(&format!("all, {hours} h ahead: the goal"), &all);
    score::summary(&format!("{hours} h, odd series (chosen on)"), &half(1));
    score::summary(&format!("{hours} h, even series (held out)"), &half(0));
    let (error, covers) = score::summary(&format!("{hours} h, all series"), &all);
    let how = match effort {
        Effort::Estate => "thousands of series",
        Effort::Thorough => "one file",
    };
    Goal::AtMost(0.85, 0.6).print(
        &format!("forecast, {hours} h, {how}: error over seasonal naive"),
        error,
        3,
        "",
    );

    let covered = format!("forecast, {hours} h, {how}: the 90 % interval covers");
    Goal::Within([87.0, 93.0], [89.0, 91.0]).print(&covered, covers, 1, " %");
}

/// One score a series that is long enough.
fn scores(set: &Set, hours: usize, effort: Effort) -> Vec<Score> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(series) = set.series.get(at) else {
                        break;
                    };
                    let score = roll(series, hours, effort);
                    if let (Some(score), Ok(mut found)) = (score, found.lock()) {
                        found.push((at, score));
                    }
                }
            });
        }
    });

    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, score)| score).collect()
}

/// Forecasts from every origin of a series and judges them; `None` for a series with none.
fn roll(series: &Series, hours: usize, effort: Effort) -> Option<Score> {
    let horizon = hours * series.day / 24;
    let values = &series.grid.values;
    let mut score = Score::new(series, hours);

    for origin in series.origins(horizon) {
        let from = (origin + 1).saturating_sub(HISTORY);
        let past = series.until(from, origin);
        let Ok(model) = fit(
            &past,
            &ForecastSettings {
                horizon,
                effort,
                ..ForecastSettings::default()
            },
        ) else {
            continue;
        };
        let bands = model.forecast(horizon);
        let rivals: Vec<Rival> = Rival::all(&values[..=origin], series.day, horizon);
        score.origins += 1;
        for (band, truth) in bands.iter().zip(&values[origin + 1..]) {
            if truth.is_finite() {
                score.add(
                    Method::Ours,
                    band.step,
                    *truth,
                    [band.p05, band.p50, band.p95],
                );
                for rival in &rivals {
                    score.add(rival.method, band.step, *truth, rival.at(band.step));
                }
            }
        }
    }

    (score.origins > 0).then_some(score)
}

/// Measures one fit and forecast of 14 days of five minutes on one thread.
fn speed(set: &Set) {
    let series: Vec<&Series> = set
        .series
        .iter()
        .filter(|series| series.grid.values.len() >= 4_032)
        .collect();
    let day = 288;
    let started = Instant::now();
    let mut fits = 0;

    for series in series.iter().cycle().take(256) {
        let past = series.until(
            series.grid.values.len() - 4_032,
            series.grid.values.len() - 1,
        );
        let fitted = fit(
            &past,
            &ForecastSettings {
                horizon: day,
                ..ForecastSettings::default()
            },
        );
        fits += usize::from(fitted.is_ok_and(|model| model.forecast(day).len() == day));
    }

    let each = started.elapsed().as_secs_f64() * 1e3 / fits.max(1) as f64;
    println!(
        "\nSpeed: {each:.2} ms a series of 4,032 points, one day ahead, one thread, {fits} fits (goal 2 ms)."
    );
}
