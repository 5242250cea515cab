//! Series that something marred: glitches and long silences, in every place, size and direction;
//! and series too coarse for a season.

use super::*;

/// Every shape in which a series is forecast undisturbed: constant, noisy, with a day.
const SHAPES: [(f64, f64); 3] = [(0.0, 0.0), (0.0, 1.0), (20.0, 1.0)];

fn points(step_ms: i64, length: usize, (swing, spread): (f64, f64)) -> Vec<Point> {
    let noise = noise(21, length);
    let day = |at_ms: i64| (at_ms as f64 / DAY_MS as f64 * std::f64::consts::TAU).sin();
    let value = |at: usize| 55.0 + swing * day(at as i64 * step_ms) + spread * noise[at];
    (0..length)
        .map(|at| (MONDAY_MS + at as i64 * step_ms, value(at)))
        .collect()
}

/// The largest distance of the middles, and the ratio of the mean widths, of two forecasts.
fn differ(a: &[Band], b: &[Band]) -> (f64, f64) {
    let middle = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a.p50 - b.p50).abs())
        .fold(0.0, f64::max);
    let width = |bands: &[Band]| bands.iter().map(|band| band.p95 - band.p05).sum::<f64>() + 1e-6;
    (middle, width(a) / width(b))
}

fn effort(points: &[Point], effort: Effort) -> ForecastModel {
    fit(
        &Grid::new(points).unwrap(),
        &ForecastSettings {
            effort,
            ..ahead(24)
        },
    )
    .unwrap()
}

#[test]
fn glitches_change_nothing_wherever_they_lie() {
    let marred: [&[(usize, f64)]; 9] = [
        &[(10, 1e4)],
        &[(100, 1e6)],
        &[(1, 1e4)],
        &[(3, -1e4)],
        &[(500, 1e9)],
        &[(300, 500.0)],
        &[(40, 1e5), (41, 1e5), (42, 9e4)],
        &[(5, -2e4), (77, 1e5), (150, -3e4), (151, 4e5), (401, 1e6)],
        &[(1, 1e4), (2, 1e4), (690, 0.0), (691, -7e3)],
    ];

    for (step_ms, shape) in [HOUR_MS, 300_000]
        .into_iter()
        .flat_map(|step_ms| SHAPES.map(|shape| (step_ms, shape)))
    {
        let clean = points(step_ms, 24 * 30, shape);
        for (which, glitches) in marred.iter().enumerate() {
            let mut other = clean.clone();
            let length = other.len();
            glitches
                .iter()
                .for_each(|(back, value)| other[length - back].1 = *value);
            for level in [Effort::Estate, Effort::Thorough] {
                let (of_clean, of_other) = (effort(&clean, level), effort(&other, level));
                let (middle, width) = differ(&of_clean.forecast(24), &of_other.forecast(24));
                let what = format!(
                    "{step_ms} {shape:?} {which} {level:?}: {}",
                    of_other.findings()
                );
                assert!(
                    middle < 1.5 && (0.5..2.0).contains(&width),
                    "{middle} {width} {what}"
                );
                assert!(!of_other.findings().glitches.is_empty(), "{what}");
            }
        }
    }
}

#[test]
fn weekly_peaks_are_no_glitches() {
    // Ten minutes of full load every Sunday at four, in five-minute points of a machine that idles.
    let noise = noise(22, 6 * 7 * 288);
    let works = |at: usize| at % (7 * 288) / 2 == (6 * 288 + 48) / 2;
    let value = |at: usize| 2.0 + 0.1 * noise[at] + if works(at) { 60.0 } else { 0.0 };
    let grid = stepped(300_000, 6 * 7 * 288, value);
    let model = fit(
        &grid,
        &ForecastSettings {
            effort: Effort::Thorough,
            ..ahead(7 * 288)
        },
    )
    .unwrap();

    assert!(model.findings().glitches.is_empty(), "{}", model.findings());
}

#[test]
fn a_long_silence_leaves_the_interval_as_wide_as_before() {
    for (step_ms, shape) in [HOUR_MS, 300_000]
        .into_iter()
        .flat_map(|step_ms| SHAPES.map(|shape| (step_ms, shape)))
    {
        let whole = points(step_ms, 24 * 60, shape);
        for days in [30, 61, 365, 3 * 365] {
            for since in [1, 3, 20, 100, 400] {
                let mut other = whole.clone();
                let resumed = other.len() - since;
                other[resumed..]
                    .iter_mut()
                    .for_each(|point| point.0 += days * DAY_MS);
                for level in [Effort::Estate, Effort::Thorough] {
                    let model = effort(&other, level);
                    let bands = model.forecast(24);
                    let what = format!(
                        "{step_ms} {shape:?} {days} d, {since} since, {level:?}: {}",
                        model.findings()
                    );
                    let (narrow, wide) = if shape.1 > 0.0 {
                        (1.5, 60.0)
                    } else {
                        (0.0, 1e-6)
                    };
                    for band in &bands {
                        let width = band.p95 - band.p05;
                        assert!((narrow..=wide).contains(&width), "{width} {what}");
                        assert!(
                            (band.p50 - 55.0).abs() < shape.0 + 3.0,
                            "{} {what}",
                            band.p50
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn one_value_a_week_is_forecast_no_worse_than_by_the_newest() {
    let week_ms = 7 * DAY_MS;
    let (mut ours, mut newest, mut worse) = (0.0, 0.0, 0);

    for seed in 0..20 {
        let (wander, noise) = (noise(seed, 112), noise(seed + 100, 112));
        let (mut level, mut values) = (1_000.0, Vec::new());
        for at in 0..112 {
            level += [0.0, 10.0, 30.0][seed as usize % 3] * wander[at];
            let year = (at as f64 / 52.18 * std::f64::consts::TAU + seed as f64).sin();
            values.push(level + 100.0 * year + [5.0, 30.0][seed as usize % 2] * noise[at]);
        }
        let (mut one, mut other) = (0.0, 0.0);
        for end in (60..=104).step_by(6) {
            let grid = stepped(week_ms, end, |at| values[at]);
            let model = fit(
                &grid,
                &ForecastSettings {
                    effort: Effort::Thorough,
                    ..ahead(8)
                },
            )
            .unwrap();
            for band in model.forecast(8) {
                one += (band.p50 - values[end + band.step - 1]).abs();
                other += (values[end - 1] - values[end + band.step - 1]).abs();
            }
        }
        worse += usize::from(one > 1.03 * other);
        (ours, newest) = (ours + one, newest + other);
    }

    assert!(
        ours < newest && worse <= 3,
        "{} of the newest value's error, {worse} of 20 worse",
        ours / newest
    );
}
