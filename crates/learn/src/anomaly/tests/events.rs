//! Tests of scores and alarms: the length of an event, its direction, the begin of a series and a
//! lasting shift.

use super::super::*;
use super::alarms;
use super::made::*;

const HOUR_MS: i64 = 3_600_000;

/// A steady series of a minute, five minutes or an hour a row, with a little noise around 100.
fn steady(step_ms: i64, rows: usize, seed: u64) -> Vec<crate::Point> {
    let mut chance = Chance::new(seed);
    (0..rows as i64)
        .map(|row| (row * step_ms, 100.0 + 2.0 * chance.normal()))
        .collect()
}

fn strange(judged: &[AnomalyJudgement], rows: std::ops::Range<usize>) -> usize {
    judged[rows]
        .iter()
        .filter(|one| one.score >= THRESHOLD)
        .count()
}

#[test]
fn a_row_is_strange_for_as_long_as_it_is() {
    for (step_ms, length) in [(60_000, 300), (STEP_MS, 60), (HOUR_MS, 8)] {
        for by in [60.0, -60.0] {
            let mut points = steady(step_ms, 1_200, 1);
            points[800..800 + length]
                .iter_mut()
                .for_each(|point| point.1 += by);
            let judged = judge(&points);
            assert_eq!(
                strange(&judged, 800..800 + length),
                length,
                "{step_ms} {by}"
            );
            assert!(
                strange(&judged, 800 + length..1_200) <= 10,
                "{step_ms} {by}"
            );
            let alarm_rows = alarms(&judged[700..]);
            assert!(
                alarm_rows.first().is_some_and(|row| *row < 102) && alarm_rows.len() <= 2,
                "{step_ms} {by}: {alarm_rows:?}"
            );
        }
    }
}

#[test]
fn lasting_shifts_score_higher_than_passing_ones() {
    let sizes = [1, 4, 12].map(|length| {
        let mut points = steady(HOUR_MS, 800, 4);
        points[600..600 + length]
            .iter_mut()
            .for_each(|point| point.1 += 6.0);
        judge(&points)[600..612]
            .iter()
            .map(|one| one.score)
            .fold(0.0, f64::max)
    });
    assert!(sizes[0] < sizes[1] && sizes[1] <= sizes[2], "{sizes:?}");
}

#[test]
fn the_first_hundred_rows_are_judged_and_do_not_blind_the_rest() {
    let mut points = steady(STEP_MS, 2_000, 2);
    points[40].1 = 4_000.0;
    for row in [900, 1_300] {
        points[row].1 = 400.0;
    }

    let judged = judge(&points);
    assert!(
        judged[..15]
            .iter()
            .all(|one| !one.judged && one.score == 0.0)
    );
    assert!(judged[15..].iter().all(|one| one.judged));
    assert_eq!(alarms(&judged), [40, 900, 1_300], "each is news");

    for row in [40, 900, 1_300] {
        assert!(judged[row].score > 0.8, "{row}: {:?}", judged[row]);
    }
}

#[test]
fn a_series_that_starts_raises_one_alarm() {
    for (step_ms, size) in [(60_000, 30_000.0), (STEP_MS, 30_000.0), (STEP_MS, 3.0)] {
        let mut chance = Chance::new(6);
        let mut points: Vec<crate::Point> = (0..9_000).map(|row| (row * step_ms, 0.0)).collect();
        for (row, point) in points.iter_mut().enumerate().skip(5_000) {
            point.1 = size * (1.0 + 0.2 * (row as f64 / 229.0).sin() + 0.1 * chance.normal());
        }
        let judged = judge(&points);
        let alarm_rows = alarms(&judged);
        assert_eq!(alarm_rows.first(), Some(&5_000), "{step_ms} {size}");
        assert!(alarm_rows.len() <= 4, "{step_ms} {size}: {alarm_rows:?}");
        let day = (86_400_000 / step_ms) as usize;
        assert!(
            strange(&judged, 5_000..5_000 + day / 2) > day / 3,
            "{step_ms} {size}"
        );
        assert_eq!(
            strange(&judged, 5_000 + day + 100..9_000),
            0,
            "{step_ms} {size}"
        );
    }
}

#[test]
fn a_dip_soon_after_a_spike_is_an_event_of_its_own() {
    for apart in [5, 20, 50, 90] {
        for (first, second) in [(150.0, -90.0), (-90.0, 150.0), (500.0, -100.0)] {
            let mut points = steady(STEP_MS, 3_000, 7);
            points[2_500].1 += first;
            points[2_500 + apart].1 += second;
            let judged = judge(&points);
            let alarm_rows: Vec<usize> = alarms(&judged)
                .into_iter()
                .filter(|row| *row >= 2_500)
                .collect();
            assert_eq!(
                alarm_rows,
                [2_500, 2_500 + apart],
                "{apart} {first} {second}"
            );
            assert!(
                judged[2_500 + apart].score > 0.7,
                "{apart} {first} {second}"
            );
        }
    }
}

#[test]
fn a_bump_against_the_hour_outlasts_a_brief_zero() {
    let busy = |row: usize, chance: &mut Chance| {
        let turn = (row % 288) as f64 / 288.0 * std::f64::consts::TAU;
        100.0 - 60.0 * turn.cos() + 3.0 * chance.normal()
    };

    let mut chance = Chance::new(8);
    let mut points: Vec<crate::Point> = (0..21 * 288)
        .map(|row| (row as i64 * STEP_MS, busy(row, &mut chance)))
        .collect();

    // Three hours of noon's load at night, nowhere near the range of the day, and one row that was
    // not delivered.
    let bump = 18 * 288..18 * 288 + 36;
    points[bump.clone()]
        .iter_mut()
        .for_each(|point| point.1 += 70.0);
    points[15 * 288 + 10].1 = 0.0;
    let judged = judge(&points);
    assert!(
        alarms(&judged).iter().any(|row| bump.contains(row)),
        "{:?}",
        alarms(&judged)
    );

    assert!(
        strange(&judged, bump.clone()) >= 30,
        "{}",
        strange(&judged, bump)
    );
    assert!(strange(&judged, 15 * 288..16 * 288) <= 8);
}

#[test]
fn sensitivity_moves_alarms() {
    let count = |sensitivity| {
        let mut sum = 0;
        for seed in 0..6 {
            let mut points = clean(Kind::HeavyTailed, seed);
            let mut chance = Chance::new(seed);
            for _ in 0..12 {
                points[1_000 + (7_000.0 * chance.unit()) as usize].1 *= 4.0 + 8.0 * chance.unit();
            }
            let mut detector = Detector::with_sensitivity(sensitivity);
            let judged: Vec<_> = points
                .iter()
                .map(|point| detector.observe(point.0, point.1))
                .collect();
            sum += alarms(&judged).len();
        }
        sum
    };
    let [low, medium, high] = Sensitivity::ALL.map(count);

    assert!(
        0 < low && low < medium && medium < high,
        "{low} {medium} {high}"
    );
}

#[test]
fn a_second_outage_is_told_once_the_first_is_over() {
    for (step_ms, hours) in [(STEP_MS, 7), (HOUR_MS, 20)] {
        let apart = (hours * HOUR_MS / step_ms) as usize;
        for by in [60.0, -60.0] {
            let mut points = steady(step_ms, 1_200, 9);
            for start in [800, 800 + apart] {
                points[start..start + 2]
                    .iter_mut()
                    .for_each(|point| point.1 += by);
            }
            // The second one is a little worse. Five-minute rows were told within a third of a day
            // only if twice as bad; hours take longer, since the signs of a shift fade over a dozen
            // rows.
            points[800 + apart].1 += 0.3 * by;
            let alarm_rows: Vec<usize> = alarms(&judge(&points))
                .into_iter()
                .filter(|row| *row >= 800)
                .collect();
            assert_eq!(alarm_rows, [800, 800 + apart], "{step_ms} {by}");
        }
    }
}

#[test]
fn one_row_falls_and_the_largest_peaks_are_found_as_rises_are() {
    for by in [60.0, -60.0, -100.0, 1e4, 1e9] {
        for step_ms in [60_000, STEP_MS, HOUR_MS] {
            let mut points = steady(step_ms, 1_500, 12);
            points[1_300].1 += by;
            let judged = judge(&points);
            assert!(
                judged[1_300].alarm && judged[1_300].score > 0.7,
                "{step_ms} {by}: {:?}",
                judged[1_300]
            );
        }
    }
}

/// A machine that idles at 2 % and bursts at random, four weeks of five minutes.
fn bursts(seed: u64, rate: f64, mean_rows: f64) -> Vec<crate::Point> {
    let mut chance = Chance::new(seed);
    let (mut left, mut height) = (0.0, 0.0);
    let mut row = |at: i64| {
        if left <= 0.0 && chance.unit() < rate {
            left = 1.0 - mean_rows * chance.unit().max(1e-9).ln();
            height = 50.0 * (0.5 * chance.normal()).exp();
        }
        left -= 1.0;
        let burst = if left > -1.0 { height } else { 0.0 };
        (at * STEP_MS, 2.0 + 0.3 * chance.normal().abs() + burst)
    };

    (0..28 * 288).map(&mut row).collect()
}

#[test]
fn a_machine_that_idles_and_bursts_is_seldom_anomalous() {
    let (mut alarm_count, mut weeks) = (0, 0.0);
    for (seed, (rate, mean_rows)) in [(0.01, 6.0), (0.03, 2.0), (0.03, 6.0), (0.06, 6.0)]
        .into_iter()
        .enumerate()
    {
        let judged = judge(&bursts(seed as u64, rate, mean_rows));
        let later = &judged[7 * 288..];
        let share = strange(later, 0..later.len()) as f64 / later.len() as f64;
        assert!(
            share < 0.06,
            "{rate} {mean_rows}: {share} of rows, 13 to 34 % before"
        );
        alarm_count += alarms(later).len();
        weeks += 3.0;
    }

    assert!(
        f64::from(alarm_count as u32) / weeks <= 1.5,
        "{alarm_count} in {weeks} weeks"
    );
}
