//! Outlooks on series made for the purpose.

use rand::{RngExt, SeedableRng, rngs::SmallRng};

use super::*;

const START: i64 = 1_767_225_600_000; // Thursday 2026-01-01T00:00:00Z

fn series(seed: u64, step_ms: i64, count: i64, mut value: impl FnMut(f64) -> f64) -> Vec<Point> {
    let mut chance = SmallRng::seed_from_u64(seed);
    let span = (count * step_ms) as f64;
    let mut noise = || (0..6).map(|_| chance.random_range(-1.0..1.0)).sum::<f64>();

    (0..count)
        .map(|index| {
            (
                START + index * step_ms,
                value((index * step_ms) as f64 / span) + 0.2 * noise(),
            )
        })
        .collect()
}

fn days(seed: u64, days: f64, mut value: impl FnMut(f64) -> f64) -> Vec<Point> {
    series(seed, 300_000, (days * 288.0) as i64, |share| {
        value(share * days)
    })
}

fn hours_until(at: Option<i64>, points: &[Point]) -> f64 {
    (at.unwrap() - points.last().unwrap().0) as f64 / HOUR_MS as f64
}

#[test]
fn a_disk_that_fills_is_predicted_with_an_interval() {
    let points = days(1, 14.0, |day| 100.0 + 5.0 * day);
    let outlook = forecast_saturation(&points, &SaturationQuestion::disk(180.0));
    assert_eq!(outlook.verdict, OutlookVerdict::Foreseen);

    let (low, median, high) = (outlook.earliest_ms, outlook.median_ms, outlook.latest_ms);
    let truth = 48.0;
    assert!(
        (hours_until(median, &points) - truth).abs() < 0.1 * truth,
        "{outlook:?}"
    );
    assert!(
        hours_until(low, &points) < truth && truth < hours_until(high, &points),
        "{outlook:?}"
    );
    assert!(outlook.probability.unwrap() > 0.95);

    let slope = outlook.growth_per_day.unwrap();
    assert!(slope.low < 5.0 && 5.0 < slope.high, "{slope:?}");
}

#[test]
fn bytes_without_any_noise_are_judged_like_any_others() {
    // Sums of their squares leave nothing of the differences, and sometimes a little less than
    // nothing.
    for number in 0..240 {
        let (level, shape) = (1e8 * 1.15f64.powi(number / 4), number % 4);
        let bytes = |day: f64| match shape {
            0 => level.round(),
            1 => (level * (1.0 + 1e-9 * day)).round(),
            2 => (level * (1.0 + 0.01 * day)).round(),
            _ => (level * (0.05 * day).exp()).round(),
        };
        let points: Vec<Point> = (0..14 * 288)
            .map(|index| (START + index * 300_000, bytes(index as f64 / 288.0)))
            .collect();
        let outlook = forecast_saturation(
            &points,
            &SaturationQuestion::disk(if shape < 2 { 2.0 * level } else { bytes(16.0) }),
        );
        match shape {
            0 | 1 => assert_eq!(outlook.verdict, OutlookVerdict::NotForeseen, "{level}"),
            _ => assert!(
                (30.0..70.0).contains(&hours_until(outlook.median_ms, &points)),
                "{level} {shape}"
            ),
        }
    }
}

#[test]
fn steady_levels_are_not_forecast_to_fill() {
    for seed in 2..12 {
        let points = days(seed, 14.0, |day| {
            50.0 + 10.0 * (day * std::f64::consts::TAU).sin()
        });
        let outlook = forecast_saturation(&points, &SaturationQuestion::disk(70.0));
        assert_eq!(
            outlook.verdict,
            OutlookVerdict::NotForeseen,
            "seed {seed}: {outlook:?}"
        );
        assert!(outlook.probability.unwrap() < 0.1);
    }
}

#[test]
fn a_changed_rate_is_followed() {
    let points = days(3, 14.0, |day| {
        100.0 + 2.0 * day.min(11.0) + 10.0 * (day - 11.0).max(0.0)
    });
    let outlook = forecast_saturation(&points, &SaturationQuestion::disk(162.0));
    assert!(
        (hours_until(outlook.median_ms, &points) - 24.0).abs() < 5.0,
        "{outlook:?}"
    );
}

#[test]
fn bursts_fill_a_disk_before_its_middle_does() {
    // Three hours in fifteen, at no fixed time, the level is 8 higher.
    let burst = |day: f64| {
        let block = ((day * 8.0) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        if block.is_multiple_of(5) { 8.0 } else { 0.0 }
    };
    let points = days(9, 14.0, |day| 100.0 + 5.0 * day + burst(day));
    let outlook = forecast_saturation(&points, &SaturationQuestion::disk(184.0));

    // Growth alone takes 67 hours; a burst is enough from the 29th hour on.
    let middle = hours_until(outlook.median_ms, &points);
    assert!(24.0 < middle && middle < 56.0, "{middle}: {outlook:?}");
    assert!(
        hours_until(outlook.earliest_ms, &points) < middle,
        "{outlook:?}"
    );
}

#[test]
fn peaks_of_minutes_fill_a_disk_too() {
    // Five minutes in four hours or so are 24 higher, and a quarter of an hour's mean 8: no
    // quartile shows it.
    let peak = |day: f64| {
        let block = ((day * 288.0).round() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        if block.is_multiple_of(48) { 24.0 } else { 0.0 }
    };
    let points = days(25, 14.0, |day| 100.0 + 5.0 * day + peak(day));
    let outlook = forecast_saturation(&points, &SaturationQuestion::disk(184.0));

    // Growth alone takes 67 hours; a peak is enough from the 29th hour on.
    let middle = hours_until(outlook.median_ms, &points);
    assert!(26.0 < middle && middle < 42.0, "{middle}: {outlook:?}");
}

#[test]
fn a_nightly_rotation_is_not_the_end_of_growth() {
    let points = days(4, 14.0, |day| {
        100.0 + 4.0 * day.floor() + 12.0 * day.fract()
    });
    let outlook = forecast_saturation(&points, &SaturationQuestion::disk(173.0));

    // Each day gains 12 and keeps 4: the third day from now begins at 164 and passes 173 after 18
    // of its hours.
    assert!(
        (hours_until(outlook.median_ms, &points) - 66.0).abs() < 3.0,
        "{outlook:?}"
    );
}

#[test]
fn a_clean_up_that_always_came_first_lowers_the_chance() {
    let sawtooth = |day: f64| 100.0 + 10.0 * (day % 3.1);
    let points = days(5, 28.0, sawtooth);
    let outlook = forecast_saturation(&points, &SaturationQuestion::disk(140.0));
    assert!(outlook.releases.len() >= 7, "{:?}", outlook.releases.len());
    assert!(
        outlook
            .reasons
            .iter()
            .any(|reason| matches!(reason, SaturationReason::Released { .. }))
    );

    assert!(outlook.probability.unwrap() < 0.3, "{outlook:?}");

    let never = days(5, 27.9, |day| 100.0 + 10.0 * (day - 24.8).max(0.0));
    assert!(
        forecast_saturation(&never, &SaturationQuestion::disk(140.0))
            .probability
            .unwrap()
            > 0.8
    );
}

#[test]
fn one_clean_up_does_not_foretell_the_next() {
    // It went seven and a half days, was cleaned once, and fills a day after it will have gone as
    // long again.
    for seed in 10..14 {
        let points = days(seed, 14.0, |day| {
            100.0 + 5.0 * day - if day > 7.5 { 20.0 } else { 0.0 }
        });
        let outlook = forecast_saturation(&points, &SaturationQuestion::disk(160.0));
        assert_eq!(outlook.releases.len(), 1, "seed {seed}: {outlook:?}");
        assert!(
            (hours_until(outlook.median_ms, &points) - 48.0).abs() < 8.0,
            "seed {seed}: {outlook:?}"
        );
    }
}

#[test]
fn growth_that_doubles_is_followed() {
    // Doubled every three days. A straight line through the last day would take it for a quarter
    // slower.
    for seed in 14..18 {
        let grown = |day: f64| 5.0 * (day / 3.0).exp2();
        let points = days(seed, 14.0, grown);
        let outlook = forecast_saturation(&points, &SaturationQuestion::disk(grown(15.0)));
        assert!(
            (hours_until(outlook.median_ms, &points) - 24.0).abs() < 2.5,
            "seed {seed}: {outlook:?}"
        );
    }
}

#[test]
fn growth_between_the_powers_tried_is_followed_as_closely() {
    for doubled_in in [2.4, 3.0, 3.7, 4.6, 5.8, 7.0] {
        let grown = |day: f64| 50.0 * (day / doubled_in).exp2();
        let points = days(22, 14.0, grown);
        let outlook = forecast_saturation(&points, &SaturationQuestion::disk(grown(15.0)));
        assert!(
            (hours_until(outlook.median_ms, &points) - 24.0).abs() < 1.2,
            "{doubled_in} days: {outlook:?}"
        );
    }
}

#[test]
fn growth_between_the_powers_tried_is_not_taken_for_slower() {
    let late: f64 = (0..24)
        .map(|number| {
            let doubled_in = 2.4 + 0.2 * f64::from(number);
            let grown = |day: f64| 500.0 * (day / doubled_in).exp2();
            let points = days(23, 14.0, grown);
            hours_until(
                forecast_saturation(&points, &SaturationQuestion::disk(grown(15.0))).median_ms,
                &points,
            ) - 24.0
        })
        .sum();
    assert!((late / 24.0).abs() < 0.55, "{} hours", late / 24.0);
}

#[test]
fn a_week_that_repeats_is_not_blurred_by_the_weeks_before_it_was_seen() {
    // By day 50, by night 10 in 24 hours, on weekends a tenth of it.
    let rate = |hour: i64| {
        let (weekend, office) = ((hour / 24 + 3) % 7 >= 5, (8..20).contains(&(hour % 24)));
        (if office { 50.0 } else { 10.0 }) / 24.0 * if weekend { 0.1 } else { 1.0 }
    };

    let first = START / HOUR_MS;
    let level = |day: f64| {
        let hours = (day * 24.0) as i64;
        (0..hours).map(|hour| rate(first + hour)).sum::<f64>()
            + rate(first + hours) * (day * 24.0).fract()
    };

    for ahead in [21.0, 23.0] {
        let points = days(24, 14.0, level);
        let outlook = forecast_saturation(
            &points,
            &SaturationQuestion::disk(level(14.0 + ahead / 24.0)),
        );
        assert!(
            (hours_until(outlook.median_ms, &points) - ahead).abs() < 2.0,
            "{ahead}: {outlook:?}"
        );
    }
}

#[test]
fn connections_are_predicted_within_hours() {
    let points = series(6, 60_000, 24 * 60, |share| {
        40.0 + 50.0 * (share - 0.8).max(0.0) / 0.2
    });
    let outlook = forecast_saturation(&points, &SaturationQuestion::connections(100.0));
    assert_eq!(outlook.verdict, OutlookVerdict::Foreseen);

    // 50 more in the last 4.8 hours: 10 more take another hour.
    assert!(
        (hours_until(outlook.median_ms, &points) - 0.96).abs() < 0.3,
        "{outlook:?}"
    );
    assert_eq!(
        forecast_saturation(&points, &SaturationQuestion::connections(500.0)).verdict,
        OutlookVerdict::NotForeseen
    );
}

#[test]
fn calls_are_predicted_within_minutes() {
    let points = series(7, 10_000, 6 * 360, |share| {
        200.0 + 600.0 * (share - 0.9).max(0.0) / 0.1
    });
    let outlook = forecast_saturation(&points, &SaturationQuestion::call_rate(900.0));
    assert!(
        (hours_until(outlook.median_ms, &points) * 60.0 - 6.0).abs() < 2.0,
        "{outlook:?}"
    );
}

#[test]
fn a_full_resource_is_full_now_and_thin_data_abstains() {
    let points = days(8, 3.0, |_| 100.0);
    let outlook = forecast_saturation(&points, &SaturationQuestion::disk(90.0));
    assert_eq!(
        (outlook.verdict, outlook.probability),
        (OutlookVerdict::Foreseen, Some(1.0))
    );
    assert_eq!(outlook.reasons, [SaturationReason::Full]);

    let reason = |points: &[Point], question: SaturationQuestion| {
        let outlook = forecast_saturation(points, &question);
        assert_eq!(
            (outlook.verdict, outlook.probability),
            (OutlookVerdict::Abstained, None)
        );
        outlook.reasons[0]
    };

    assert_eq!(
        reason(&[], SaturationQuestion::disk(1.0)),
        SaturationReason::TooFewPoints { points: 0 }
    );
    assert!(matches!(
        reason(&points[..10], SaturationQuestion::disk(200.0)),
        SaturationReason::TooFewPoints { .. }
    ));
    assert_eq!(
        reason(&points, SaturationQuestion::disk(f64::NAN)),
        SaturationReason::NoCapacity
    );

    let holes: Vec<Point> = points
        .iter()
        .copied()
        .filter(|(at, _)| (at - START) % DAY_MS < DAY_MS / 4)
        .collect();

    assert!(matches!(
        reason(&holes, SaturationQuestion::disk(200.0)),
        SaturationReason::Gaps { .. }
    ));
}
