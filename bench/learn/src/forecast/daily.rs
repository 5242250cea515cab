//! Daily series whose past is short beside the forecast: how often the 90 % interval really covers.
//! Generated series, whose noise is known, and daily means of the transformers, as confirmation.

use reeve_learn::forecast::{Effort, ForecastSettings, fit};
use reeve_learn::grid::Grid;
use reeve_learn::{DAY_MS, Point};

use super::series::{Series, Set};
use crate::chance::Chance;

/// Generated series of a kind.
const SERIES: usize = 200;
/// Days of history and days ahead.
const SPANS: [(usize, usize); 4] = [(60, 7), (60, 28), (120, 28), (365, 28)];
/// Monday, 2024-01-01.
const START_MS: i64 = 1_704_067_200_000;

type Generate = fn(&mut Chance, usize) -> Vec<f64>;

const KINDS: [(&str, Generate); 7] = [
    ("a week that adds", |chance, days| {
        week(chance, days, |level, shape, noise| {
            level + 20.0 * shape + 4.0 * noise
        })
    }),
    ("a week that multiplies", |chance, days| {
        week(chance, days, |level, shape, noise| {
            level * (1.0 + 0.3 * shape) * (1.0 + 0.05 * noise)
        })
    }),
    ("no week", |chance, days| {
        week(chance, days, |level, _, noise| level + 4.0 * noise)
    }),
    ("heavy tails", |chance, days| {
        week(chance, days, |level, shape, noise| {
            level + 20.0 * shape + noise.powi(3)
        })
    }),
    ("noise that lasts", |chance, days| drift(chance, days, 0.7)),
    ("levels that move", |chance, days| drift(chance, days, 0.95)),
    ("a random walk", |chance, days| drift(chance, days, 1.0)),
];

/// Values of days about a level, with a shape of the week of mean 0.
fn week(chance: &mut Chance, days: usize, value: fn(f64, f64, f64) -> f64) -> Vec<f64> {
    let level = chance.between(80.0, 120.0);
    let dips = chance.between(0.6, 1.4);
    let shape = |day: usize| if day % 7 < 5 { 0.4 * dips } else { -dips };

    (0..days)
        .map(|day| value(level, shape(day), chance.normal()))
        .collect()
}

/// Values of days whose distance from a level decays by a factor a day; none at 1.
fn drift(chance: &mut Chance, days: usize, keeps: f64) -> Vec<f64> {
    let level = chance.between(80.0, 120.0);
    let mut distance = 0.0;

    (0..days)
        .map(|_| {
            distance = keeps * distance + 2.0 * chance.normal();
            level + distance
        })
        .collect()
}

/// Prints how often the interval covers, by kind of series and by span.
pub(super) fn run(transformers: &Set) {
    println!("\n### Daily series, short beside the forecast: the 90 % interval covers\n");
    let spans = SPANS.map(|(past, ahead)| format!("{past} days, {ahead} ahead"));
    println!("| series | {} |", spans.join(" | "));
    println!("|---|{}", "---|".repeat(SPANS.len()));

    for (stream, (name, generate)) in KINDS.into_iter().enumerate() {
        let covered = SPANS.map(|(past, ahead)| {
            let mut counted = Counted::default();
            for number in 0..SERIES {
                let mut chance = Chance::new(27, (stream * SERIES + number) as u64);
                let values = generate(&mut chance, past + ahead);
                counted.judge(&values, past, ahead);
            }
            counted.percent()
        });
        println!("| {name} | {} |", covered.join(" | "));
    }

    let means: Vec<Vec<f64>> = transformers.series.iter().map(daily_means).collect();
    let covered = SPANS.map(|(past, ahead)| {
        let mut counted = Counted::default();
        for values in &means {
            let mut from = 0;
            while from + past + ahead <= values.len() {
                counted.judge(&values[from..from + past + ahead], past, ahead);
                from += ahead + 1;
            }
        }
        counted.percent()
    });
    println!("| daily means of ETT | {} |", covered.join(" | "));
}

/// Means of whole days; the last, partial one is left out.
fn daily_means(series: &Series) -> Vec<f64> {
    let day = series.day;
    series
        .grid
        .values
        .chunks_exact(day)
        .map(|hours| hours.iter().sum::<f64>() / day as f64)
        .collect()
}

/// Truths inside the interval, of those that were forecast.
#[derive(Debug, Default)]
struct Counted {
    inside: usize,
    all: usize,
}

impl Counted {
    fn judge(&mut self, values: &[f64], past: usize, ahead: usize) {
        let point =
            |(day, value): (usize, &f64)| -> Point { (START_MS + day as i64 * DAY_MS, *value) };
        let points: Vec<Point> = values[..past].iter().enumerate().map(point).collect();
        let Ok(grid) = Grid::new(&points) else { return };
        let settings = ForecastSettings {
            horizon: ahead,
            effort: Effort::Thorough,
            ..ForecastSettings::default()
        };
        let Ok(model) = fit(&grid, &settings) else {
            return;
        };

        for (band, truth) in model.forecast(ahead).iter().zip(&values[past..]) {
            self.all += 1;
            self.inside += usize::from(band.p05 <= *truth && *truth <= band.p95);
        }
    }

    fn percent(&self) -> String {
        format!(
            "{:.1} %",
            100.0 * self.inside as f64 / self.all.max(1) as f64
        )
    }
}
