//! Tests of calibration: published figures, caution with few examples, learning in the right
//! direction, and a stored state that survives.
#![allow(clippy::unwrap_used)]

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::*;
use crate::window::DAY_MS;

fn example(day: i64, group: &str, raw: f64, features: Vec<f64>, held: bool) -> Example {
    Example {
        at_ms: day * DAY_MS,
        group: group.to_owned(),
        raw,
        features,
        held,
        weight: 1.0,
    }
}

/// Outcomes whose chance depends on one feature; the backtest's answer is overconfident and knows
/// nothing of it.
fn estate(count: usize, seed: u64) -> Vec<Example> {
    let mut chance = StdRng::seed_from_u64(seed);
    (0..count)
        .map(|n| {
            let (safe, useless) = (
                chance.random_range(-1.5..1.5),
                chance.random_range(-1.0..1.0),
            );
            let group = if n % 7 == 0 { "b" } else { "a" };
            let p = sigmoid(0.4 + 1.8 * safe + if group == "b" { -1.0 } else { 0.0 });
            example(
                n as i64 / 10,
                group,
                0.96,
                vec![safe, useless],
                chance.random_bool(p),
            )
        })
        .collect()
}

fn judged(by: &Calibrator, examples: &[Example]) -> Vec<(f64, bool)> {
    examples
        .iter()
        .map(|e| {
            (
                by.calibrate(&e.group, e.raw, &e.features).probability,
                e.held,
            )
        })
        .collect()
}

#[test]
fn published_figures_of_the_measures() {
    let pairs = [(0.9, true), (0.8, true), (0.3, false), (0.6, false)];
    assert!((brier(&pairs).unwrap() - (0.01 + 0.04 + 0.09 + 0.36) / 4.0).abs() < 1e-12);
    assert!((brier_skill(&pairs).unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(brier_skill(&[(0.9, true), (0.8, true)]), None);
    assert!((adaptive_ece(&[(0.5, true), (0.5, false)], 1).unwrap()).abs() < 1e-12);
    assert!((adaptive_ece(&[(0.9, false), (0.1, true)], 2).unwrap() - 0.9).abs() < 1e-12);

    let found = scores(&pairs).unwrap();
    assert_eq!(
        (found.accuracy, found.precision, found.recall),
        (0.75, 2.0 / 3.0, 1.0)
    );
    assert!((found.f1 - 0.8).abs() < 1e-12);
    assert_eq!(
        (brier(&[]), adaptive_ece(&[], 5), scores(&[])),
        (None, None, None)
    );
}

#[test]
fn splits_keep_time_in_order() {
    let items = [5i64, 1, 3, 3, 2];
    assert_eq!(
        split_by_time(&items, 0.5, |n| *n),
        (vec![1, 2], vec![3, 3, 5])
    );
    assert_eq!(split_by_time(&items, 1.0, |n| *n).1, Vec::<i64>::new());
    for (train, test) in forward_folds(103, 4) {
        assert!(train.end == test.start && !test.is_empty());
    }

    assert_eq!(forward_folds(103, 4).last().unwrap().1.end, 103);
    assert!(forward_folds(3, 4).is_empty());
}

#[test]
fn without_examples_the_backtest_speaks() {
    let none = Calibrator::fit(2, &[]);
    for raw in [0.05, 0.5, 0.96] {
        let found = none.calibrate("a", raw, &[1.0, f64::NAN]);
        assert!((found.probability - raw).abs() < 1e-9, "{found:?}");
        assert!(found.high - found.low > 0.05 && found.examples == 0.0);
    }
}

#[test]
fn it_learns_what_holds_and_is_calibrated_on_later_ones() {
    let all = estate(4000, 1);
    let (train, test) = split_by_time(&all, 0.5, |e| e.at_ms);
    let learned = Calibrator::fit(2, &train);
    let pairs = judged(&learned, &test);
    assert!(
        brier_skill(&pairs).unwrap() > 0.25,
        "{:?}",
        brier_skill(&pairs)
    );
    assert!(adaptive_ece(&pairs, 10).unwrap() < 0.04);
    assert!(
        brier_skill(&judged(&Calibrator::new(2), &test)).unwrap() < 0.0,
        "the backtest alone is overconfident"
    );
}

#[test]
fn labels_that_mean_nothing_teach_the_base_rate() {
    let mut all = estate(2000, 2);
    let held: Vec<bool> = all.iter().map(|e| e.held).collect();
    for (n, one) in all.iter_mut().enumerate() {
        one.held = held[(n * 1009 + 17) % 2000];
    }

    let (train, test) = split_by_time(&all, 0.5, |e| e.at_ms);
    let skill = brier_skill(&judged(&Calibrator::fit(2, &train), &test)).unwrap();
    assert!(skill.abs() < 0.03, "{skill}");
}

#[test]
fn a_thin_group_is_wide_and_leans_on_the_others() {
    let mut all = estate(1500, 3);
    all.extend((0..2).map(|n| example(150 + n, "rare", 0.96, vec![0.5, 0.0], false)));
    let learned = Calibrator::fit(2, &all);
    let (rare, known) = (
        learned.calibrate("rare", 0.96, &[0.5, 0.0]),
        learned.calibrate("a", 0.96, &[0.5, 0.0]),
    );
    assert!(rare.probability < known.probability, "two failures count");
    assert!(rare.probability > 0.2, "but only so much: {rare:?}");
    assert!(
        rare.high - rare.low > 2.0 * (known.high - known.low),
        "{rare:?} {known:?}"
    );

    let unseen = learned.calibrate("never", 0.96, &[0.5, 0.0]);
    assert!(unseen.high - unseen.low > known.high - known.low);
}

#[test]
fn outcomes_move_it_the_right_way_one_by_one() {
    let mut learned = Calibrator::fit(2, &estate(500, 4));
    let ask = |calibrator: &Calibrator, group: &str| {
        calibrator.calibrate(group, 0.96, &[0.2, 0.0]).probability
    };
    let (before, other) = (ask(&learned, "a"), ask(&learned, "b"));

    (0..25).for_each(|n| learned.learn(&example(60 + n, "a", 0.96, vec![0.2, 0.0], false)));
    let after = ask(&learned, "a");
    assert!(after < before - 0.08, "{before} {after}");
    assert!(
        before - after > (other - ask(&learned, "b")).abs(),
        "the kind that failed sinks most"
    );
    (0..60).for_each(|n| learned.learn(&example(90 + n, "a", 0.96, vec![0.2, 0.0], true)));
    assert!(ask(&learned, "a") > after + 0.08);
}

#[test]
fn old_outcomes_fade() {
    let mut learned = Calibrator::fit(2, &estate(1000, 5));
    let fresh = learned.examples();
    learned.learn(&example(100 + 360, "a", 0.9, vec![0.0, 0.0], true));
    assert!(
        learned.examples() < fresh * 0.3,
        "{} {fresh}",
        learned.examples()
    );
}

#[test]
fn a_kept_state_answers_the_same_and_a_broken_one_is_refused() {
    let learned = Calibrator::fit(2, &estate(800, 6));
    let again = Calibrator::restore(learned.state()).unwrap();
    assert_eq!(again, learned);

    let mut short = learned.state();
    short.all.mean.pop();
    assert!(matches!(
        Calibrator::restore(short),
        Err(StateError::Shape { .. })
    ));

    let mut strange = learned.state();
    strange.all.precision[0] = f64::NAN;
    assert_eq!(Calibrator::restore(strange), Err(StateError::Number));
}

#[test]
fn a_curve_takes_out_overconfidence_and_few_points_bend_it_little() {
    let mut chance = StdRng::seed_from_u64(7);
    let pairs: Vec<(f64, bool)> = (0..3000)
        .map(|_| {
            let truth = chance.random_range(0.2..0.8);
            (sigmoid(2.0 * logit(truth)), chance.random_bool(truth))
        })
        .collect();
    let curve = Curve::fit(&pairs);

    assert!(
        (curve.apply(0.9) - 0.75).abs() < 0.03,
        "{}",
        curve.apply(0.9)
    );

    let little = Curve::fit(&pairs[..5]);
    assert!((little.apply(0.9) - 0.9).abs() < 0.1);
    assert!(curve.apply(0.3) < curve.apply(0.6));
}

#[test]
fn features_tell_a_safe_history_from_a_sinking_one() {
    let features_of = |margin: &dyn Fn(f64) -> f64| {
        let margins = (0..30).map(|d| Some(margin(f64::from(d)))).collect();
        features(&Signs {
            margins,
            tried: 23,
            ..Signs::default()
        })
    };
    let safe = features_of(&|d| 0.6 + 0.05 * (d * 1.7).sin());

    let sinking = features_of(&|d| 0.7 - 0.02 * d + 0.05 * (d * 1.7).sin());
    let at = |name: &str| FEATURES.iter().position(|f| *f == name).unwrap();

    for name in [
        "margin_after_trend",
        "smallest_margin",
        "worst_case_stays_clear",
        "trend",
    ] {
        assert!(
            safe[at(name)] > sinking[at(name)],
            "{name}: {safe:?} {sinking:?}"
        );
    }

    assert_eq!(safe.len(), FEATURES.len());

    let empty = features(&Signs::default());
    assert!(empty.iter().all(|f| f.is_finite()));

    let strange = features(&Signs {
        margins: vec![Some(f64::NAN), None, Some(9e9), Some(-9e9), Some(0.1)],
        ..Signs::default()
    });
    assert!(
        strange.iter().all(|f| f.is_finite() && f.abs() <= 4.0),
        "{strange:?}"
    );
}
