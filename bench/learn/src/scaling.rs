//! Units ahead of the load: the policy of `reeve analyze scaling` beside target tracking, a static
//! peak and perfect foresight, on generated loads and on ETT.
//!
//! The replay is that of `performance_optimizer`. The first two days of each series are not scored. Constants were chosen on the generated loads of seeds 51 and 52.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};
use reeve_learn::Point;
use reeve_learn::scaling::ScalingSettings;
use reeve_learn::scaling::replay::{self, ReplayOutcome, foresight, serve, tracking};

use crate::chance::Chance;
use crate::data::Data;
use crate::forecast::series;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;
const LEAD_MS: i64 = 15 * MINUTE_MS;
/// Units that the highest load of a series takes.
const PEAK_UNITS: f64 = 20.0;
const POLICIES: [&str; 5] = [
    "ours",
    "target tracking, 70 %",
    "target tracking, 50 %",
    "static peak",
    "foresight",
];

/// Prints the tables.
pub(crate) fn run(data: &Data) -> Result<()> {
    println!(
        "| series | policy | rows above capacity | load not served | unit hours (static peak: 100) | changes a day |"
    );
    println!("|---|---|---|---|---|---|");
    for (what, seeds) in [("chosen on", 51..53), ("confirmed on", 61..65)] {
        for shape in Shape::ALL {
            let all: Vec<Vec<Point>> = seeds.clone().map(|seed| load(shape, seed)).collect();
            print(&format!("{what}: {}", shape.name()), &all, LEAD_MS);
        }
    }

    // Loads are not negative; columns that are below zero for more than a hundredth are no loads.
    let mut ett = Vec::new();
    for one in series::ett(data)?.series {
        let values = one.grid.values.iter().enumerate();
        let points: Vec<Point> = values
            .filter(|(_, value)| value.is_finite())
            .map(|(slot, value)| (one.grid.time_ms(slot), value.max(0.0)))
            .collect();
        let none = points.iter().filter(|(_, value)| *value == 0.0).count();
        if none * 100 < points.len() {
            ett.push(points);
        }
    }
    print(
        "confirmed on: ETT, hourly, lead of an hour",
        &ett,
        4 * LEAD_MS,
    );

    for (name, file) in REQUESTS {
        let points = requests(&data.path(file))?;
        print_with_floor(name, &points);
    }

    let year = generate(Shape::Weekly, 71, 365);
    let began = Instant::now();
    ours(&year, settings(&year, LEAD_MS));
    println!(
        "\nA year of five minutes: {:.1} s.",
        began.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Series of requests in the open data.
const REQUESTS: [(&str, &str); 3] = [
    (
        "requests of a load balancer",
        "nab/realAWSCloudwatch/elb_request_count_8c0756.csv",
    ),
    (
        "posts about a company",
        "nab/realTweets/Twitter_volume_AMZN.csv",
    ),
    ("taxi rides", "nab/realKnownCause/nyc_taxi.csv"),
];

/// Reads `timestamp,value` rows in the order of time, each time once.
fn requests(path: &Path) -> Result<Vec<Point>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let row = |line: &str| {
        let (at, value) = line.split_once(',')?;
        let at: jiff::civil::DateTime = at.parse().ok()?;
        let at = at.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some((at.timestamp().as_millisecond(), value.trim().parse().ok()?))
    };
    let mut points: Vec<Point> = text.lines().filter_map(row).collect();
    points.sort_by_key(|(at, _)| *at);
    points.dedup_by_key(|(at, _)| *at);
    Ok(points)
}

/// Prints a series in the last days of which policies are compared: minutes above the capacity,
/// unit hours, load not served. The first week is not scored.
fn print_with_floor(name: &str, points: &[Point]) {
    let times = points.iter().map(|(at, _)| *at);
    let step_ms = reeve_learn::window::median_step_ms(times).unwrap_or(LEAD_MS);
    let settings = ScalingSettings {
        step_ms,
        ..settings(points, LEAD_MS)
    };
    let seventy = tracking(points, settings, 0.7);
    let ahead = ours(points, settings);
    let floor = ahead.iter().zip(&seventy).map(|(a, b)| *a.max(b)).collect();
    let scored = (points[0].0 + 7 * DAY_MS, i64::MAX);
    for (policy, wanted) in [
        ("`reeve analyze scaling`", ahead),
        ("tracking 70 % with it as a floor", floor),
        ("tracking 70 %", seventy),
        ("tracking 50 %", tracking(points, settings, 0.5)),
        ("foresight", foresight(points, settings)),
    ] {
        let outcome = serve(points, settings, &wanted, scored);
        println!(
            "| {name} | {policy} | {:.0} | {:.0} | {:.3} % |",
            outcome.minutes_above(),
            outcome.unit_hours,
            100.0 * outcome.unserved_share(),
        );
    }
}

fn settings(points: &[Point], lead_ms: i64) -> ScalingSettings {
    let most = points
        .iter()
        .fold(0.0f64, |most, (_, load)| most.max(*load));
    ScalingSettings {
        unit: most / PEAK_UNITS,
        lead_ms,
        least: 1,
        step_ms: points[1].0 - points[0].0,
        seasonal: true,
    }
}

fn print(name: &str, all: &[Vec<Point>], lead_ms: i64) {
    let mut tallies = [ReplayOutcome::default(); 5];
    for points in all {
        let settings = settings(points, lead_ms);
        let wanted = [
            ours(points, settings),
            tracking(points, settings, 0.7),
            tracking(points, settings, 0.5),
            vec![PEAK_UNITS as u64; points.len()],
            foresight(points, settings),
        ];
        for (tally, wanted) in tallies.iter_mut().zip(&wanted) {
            let scored = (points[0].0 + 2 * DAY_MS, i64::MAX);
            *tally = tally.and(serve(points, settings, wanted, scored));
        }
    }

    for (policy, tally) in POLICIES.iter().zip(&tallies) {
        println!(
            "| {name} | {policy} | {:.2} % | {:.3} % | {:.1} | {:.1} |",
            100.0 * tally.rows_above as f64 / tally.rows as f64,
            100.0 * tally.unserved_share(),
            100.0 * tally.unit_hours / tallies[3].unit_hours,
            tally.changes as f64 * DAY_MS as f64 / (tally.rows as f64 * tally.step_ms as f64),
        );
    }
}

fn ours(points: &[Point], settings: ScalingSettings) -> Vec<u64> {
    let wanted = replay::predicted(points, settings);
    wanted.iter().map(|wanted| wanted.units).collect()
}

/// Shapes of generated loads, five minutes a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A day's course, the same every day.
    Daily,
    /// Busy working days and quiet weekends.
    Weekly,
    /// The same with shifts of the level by up to 40 %.
    Shifts,
    /// The same with flash crowds, twice a week: threefold within twenty minutes.
    Flash,
    /// Working hours that begin and end within ten minutes, with a job at each full hour.
    Steep,
    /// A level with noise and nothing else.
    Noise,
}

impl Shape {
    const ALL: [Self; 6] = [
        Self::Daily,
        Self::Weekly,
        Self::Shifts,
        Self::Flash,
        Self::Steep,
        Self::Noise,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Daily => "a day's course",
            Self::Weekly => "a week's course",
            Self::Shifts => "a week's course with shifts",
            Self::Flash => "a week's course with flash crowds",
            Self::Steep => "steep working hours",
            Self::Noise => "level and noise",
        }
    }
}

fn load(shape: Shape, seed: u64) -> Vec<Point> {
    generate(shape, seed, 42)
}

fn generate(shape: Shape, seed: u64, days: i64) -> Vec<Point> {
    let mut chance = Chance::new(seed, 90 + shape as u64);
    let (mut level, mut wander, mut crowd) = (1_000.0, 0.0f64, 0.0f64);
    let mut crowd_left = 0;
    let sharp = chance.between(1.0, 3.0);

    (0..days * 288)
        .map(|row| {
            let at = row * 5 * MINUTE_MS;
            let hour = (row % 288) as f64 / 12.0;
            let weekend = row / 288 % 7 >= 5;
            let course =
                (0.5 - 0.5 * ((hour - 3.0) / 12.0 * std::f64::consts::PI).cos()).powf(sharp);
            let busy = match shape {
                Shape::Noise => 0.6,
                Shape::Steep if weekend => 0.15,
                Shape::Steep => {
                    let job = if row % 12 < 2 { 0.2 } else { 0.0 };
                    if (8.0..18.0).contains(&hour) {
                        0.7 + job
                    } else {
                        0.15 + job
                    }
                }
                Shape::Daily => 0.2 + 0.8 * course,
                _ if weekend => 0.2 + 0.25 * course,
                _ => 0.2 + 0.8 * course,
            };
            if shape == Shape::Shifts && chance.happens(1.0 / (288.0 * 7.0)) {
                level *= chance.between(0.7, 1.4);
            }
            if shape == Shape::Flash && crowd_left == 0 && chance.happens(2.0 / (288.0 * 7.0)) {
                crowd_left = 24;
            }
            let aim = if crowd_left > 0 { 2.0 } else { 0.0 };
            crowd_left = (crowd_left - 1).max(0);
            crowd += (aim - crowd) * 0.4;
            wander = 0.95 * wander + 0.015 * chance.normal();
            let noise = (wander + 0.03 * chance.normal()).exp();
            (at, level * (busy + 0.3 * crowd) * noise)
        })
        .collect()
}
