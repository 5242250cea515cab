//! Tests of leaks and of growth that is none, on generated series.

use rand::{RngExt, SeedableRng, rngs::SmallRng};

use super::*;

const START: i64 = 1_767_225_600_000; // Thursday 2026-01-01T00:00:00Z
const STEP: i64 = 300_000;

/// Five-minute points over some days: a level, plus what the closure says of the day, plus
/// autocorrelated noise.
fn series(seed: u64, days: f64, mut value: impl FnMut(f64) -> f64) -> Vec<Point> {
    let mut chance = SmallRng::seed_from_u64(seed);
    let mut wander = 0.0;
    (0..(days * 288.0) as i64)
        .map(|index| {
            let shock: f64 = (0..6).map(|_| chance.random_range(-1.0..1.0)).sum();
            wander = 0.9 * wander + 0.3 * shock;
            (
                START + index * STEP,
                100.0 + wander + value(index as f64 / 288.0),
            )
        })
        .collect()
}

fn verdict(points: &[Point]) -> LeakVerdict {
    judge(points, &[], &LeakSettings::default()).verdict
}

fn day_night(day: f64) -> f64 {
    20.0 * (day * std::f64::consts::TAU).sin()
}

#[test]
fn steady_growth_is_a_leak_with_its_rate() {
    let found = judge(
        &series(1, 14.0, |day| 2.0 * day),
        &[],
        &LeakSettings::default(),
    );
    assert_eq!(found.verdict, LeakVerdict::Leak);

    let slope = found.slope_per_day.unwrap();
    assert!(
        slope.low < 2.0 && 2.0 < slope.high && slope.high - slope.low < 0.6,
        "{slope:?}"
    );
    assert!(found.p_value.unwrap() < 1e-4);
    assert!(found.first_seen_ms.unwrap() <= START + DAY_MS);
}

#[test]
fn a_leak_that_starts_late_is_dated() {
    let found = judge(
        &series(2, 14.0, |day| 3.0 * (day - 6.0).max(0.0)),
        &[],
        &LeakSettings::default(),
    );
    assert_eq!(found.verdict, LeakVerdict::Leak);

    let first = (found.first_seen_ms.unwrap() - START) as f64 / DAY_MS as f64;
    assert!((first - 6.0).abs() < 1.0, "{first}");
}

#[test]
fn restarts_do_not_hide_a_leak_and_are_found() {
    let found = judge(
        &series(3, 14.0, |day| 12.0 * (day % 3.7) + day_night(day)),
        &[],
        &LeakSettings::default(),
    );
    assert_eq!(found.verdict, LeakVerdict::Leak, "{:?}", found.reasons);

    let at: Vec<f64> = found
        .releases
        .iter()
        .map(|one| (one.at_ms - START) as f64 / DAY_MS as f64)
        .collect();
    assert_eq!(at.len(), 3, "{at:?}");
    assert!(
        at.iter()
            .zip([3.7, 7.4, 11.1])
            .all(|(found, real)| (found - real).abs() < 0.15),
        "{at:?}"
    );

    let slope = found.slope_per_day.unwrap();
    assert!((slope.estimate - 12.0).abs() < 2.0, "{slope:?}");
}

#[test]
fn known_restarts_are_taken_into_account() {
    let points = series(4, 12.0, |day| 1.2 * (day % 3.0));
    let restarts: Vec<i64> = (1..4).map(|number| START + number * 3 * DAY_MS).collect();
    let found = judge(&points, &restarts, &LeakSettings::default());
    assert_eq!(found.verdict, LeakVerdict::Leak, "{:?}", found.reasons);
    assert!(found.reasons.contains(&LeakReason::GrowsAfterEachRelease {
        growing: 4,
        stretches: 4
    }));
}

#[test]
fn rising_floors_of_a_collected_heap_are_a_leak_and_level_ones_are_not() {
    let heap = |growth: f64| {
        series(5, 14.0, move |day| {
            40.0 * (day * 24.0 / 7.3).fract() + growth * day
        })
    };
    let leaking = judge(&heap(3.0), &[], &LeakSettings::default());
    assert_eq!(leaking.verdict, LeakVerdict::Leak, "{:?}", leaking.reasons);

    let slope = leaking.slope_per_day.unwrap();
    assert!((slope.estimate - 3.0).abs() < 0.8, "{slope:?}");

    let breathing = judge(&heap(0.0), &[], &LeakSettings::default());
    assert_eq!(
        breathing.verdict,
        LeakVerdict::NoLeak,
        "{:?}",
        breathing.reasons
    );
}

#[test]
fn growth_that_is_no_leak_is_not_reported() {
    let check = |name: &str, value: &dyn Fn(f64) -> f64| {
        for seed in 10..20 {
            let found = judge(&series(seed, 14.0, value), &[], &LeakSettings::default());
            assert_eq!(
                found.verdict,
                LeakVerdict::NoLeak,
                "{name}, seed {seed}: {:?}",
                found.reasons
            );
        }
    };
    check("nothing", &|_| 0.0);

    check("a day", &day_night);
    check(
        "a week",
        &|day| if (day + 3.0) % 7.0 < 5.0 { 30.0 } else { 0.0 } + day_night(day),
    );
    check("a shift", &|day| if day > 5.3 { 25.0 } else { 0.0 });
    check("a slow shift", &|day| {
        25.0 * ((day - 4.0) / 2.0).clamp(0.0, 1.0)
    });
    check("a warm-up", &|day| 40.0 * (1.0 - (-day / 1.5).exp()));
    check("a fall", &|day| -2.0 * day);
    check("slight growth", &|day| 0.08 * day);
}

#[test]
fn a_warm_up_after_each_restart_is_no_leak() {
    let points = series(6, 14.0, |day| 40.0 * (1.0 - (-(day % 3.5) / 0.4).exp()));
    assert_eq!(verdict(&points), LeakVerdict::NoLeak);
}

#[test]
fn chance_is_rarely_taken_for_a_leak() {
    // A hundred series that only wander, with a memory of hours: at a level of 1 %, one or two
    // would be expected.
    let alarms = (100..200)
        .filter(|seed| verdict(&series(*seed, 14.0, |_| 0.0)) == LeakVerdict::Leak)
        .count();
    assert!(alarms <= 2, "{alarms} of 100");
}

#[test]
fn thin_data_is_an_abstention_with_its_reason() {
    let reason = |points: &[Point]| {
        let found = judge(points, &[], &LeakSettings::default());
        assert_eq!(found.verdict, LeakVerdict::Abstained);
        assert_eq!((found.p_value, found.slope_per_day), (None, None));
        found.reasons[0]
    };
    assert_eq!(reason(&[]), LeakReason::TooFewPoints { points: 0 });

    assert!(matches!(
        reason(&series(7, 1.0, |day| day)),
        LeakReason::TooShort { .. }
    ));

    let mut holes = series(8, 14.0, |day| day);
    holes.retain(|(at, _)| (at - START) % WEEK < DAY_MS);
    assert!(matches!(reason(&holes), LeakReason::Gaps { .. }));

    let unseen: Vec<Point> = (0..4_000)
        .map(|index| (START + index * STEP, f64::NAN))
        .collect();
    assert_eq!(reason(&unseen), LeakReason::TooFewPoints { points: 4_000 });
}

const WEEK: i64 = 7 * DAY_MS;

#[test]
fn a_flat_series_is_constant() {
    let flat: Vec<Point> = (0..4_000)
        .map(|index| (START + index * STEP, 512.0))
        .collect();
    let found = judge(&flat, &[], &LeakSettings::default());
    assert_eq!(
        (found.verdict, found.p_value),
        (LeakVerdict::NoLeak, Some(1.0))
    );
    assert!(found.reasons.contains(&LeakReason::Constant));
}

#[test]
fn handles_count_in_whole_numbers() {
    let points: Vec<Point> = series(9, 10.0, |day| 30.0 * day)
        .into_iter()
        .map(|(at, value)| (at, value.floor()))
        .collect();
    assert_eq!(verdict(&points), LeakVerdict::Leak);
}

#[test]
fn scale_and_offset_in_time_do_not_matter() {
    let points = series(21, 14.0, |day| 2.0 * day + day_night(day));
    let scaled: Vec<Point> = points
        .iter()
        .map(|(at, value)| (at + 700 * DAY_MS, value * 1e9))
        .collect();
    let (one, other) = (
        judge(&points, &[], &LeakSettings::default()),
        judge(&scaled, &[], &LeakSettings::default()),
    );
    assert_eq!(one.verdict, other.verdict);
    assert!((one.p_value.unwrap() - other.p_value.unwrap()).abs() < 1e-9);
}

#[test]
fn reasons_are_words() {
    let found = judge(
        &series(1, 7.0, |day| 2.0 * day),
        &[],
        &LeakSettings::default(),
    );
    let words: Vec<String> = found.reasons.iter().map(ToString::to_string).collect();
    assert!(
        words
            .iter()
            .any(|word| word.contains("less than two weeks")),
        "{words:?}"
    );

    assert!(
        words.iter().any(|word| word.contains("significant")),
        "{words:?}"
    );
}
