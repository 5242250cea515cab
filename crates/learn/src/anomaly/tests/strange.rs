//! Tests of irregular input: gaps, duplicates, counters, constants, infinities.

use super::super::*;
use super::alarms;
use super::made::*;

fn sane(judged: &[AnomalyJudgement]) {
    for one in judged {
        assert!((0.0..=1.0).contains(&one.score), "{one:?}");
        assert_eq!(one.sign.is_some(), one.alarm, "{one:?}");
        assert!(
            !one.alarm || one.score >= THRESHOLD && one.strange,
            "{one:?}"
        );
        assert!(one.judged || one.score == 0.0, "{one:?}");
    }
}

#[test]
fn values_of_any_kind_give_a_score() {
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e308,
        -1e308,
        0.0,
        -0.0,
        5e-324,
        1e-300,
        1e15,
        3.0,
    ];

    for (at, value) in odd.iter().enumerate() {
        let mut points = clean(Kind::Daily, at as u64)[..900].to_vec();
        for row in [0, 1, 30, 400, 401, 700] {
            points[row].1 = *value;
        }
        sane(&judge(&points));
        sane(&judge(&vec![(0, *value); 500]));
        sane(&judge(&[(0, *value), (1, *value), (2, 1.0)]));
    }

    assert!(judge(&[]).is_empty());

    let times = [i64::MIN, i64::MAX, 0, -1, i64::MAX, i64::MIN, 5, 5, 5];
    sane(&judge(&times.map(|at| (at, 1.0)).repeat(60)));
}

#[test]
fn missing_values_are_neither_scored_nor_learnt() {
    let points = clean(Kind::Daily, 2);
    let mut gapped = points.clone();
    gapped.insert(1_000, (points[999].0 + 1, f64::NAN));
    let mut judged = judge(&gapped);
    assert!(!judged.remove(1_000).judged);
    assert_eq!(judged, judge(&points));
}

#[test]
fn constants_are_quiet_and_the_first_change_is_not() {
    let mut points: Vec<_> = (0..2_000).map(|row| (row * STEP_MS, 7.25)).collect();
    assert!(judge(&points).iter().all(|one| one.score < 0.1));
    points[1_500].1 = 9.0;
    assert!(alarms(&judge(&points)).contains(&1_500));
}

#[test]
fn a_gap_an_uneven_step_and_repeated_rows_are_no_trouble() {
    let points = clean(Kind::Daily, 6);
    let mut chance = Chance::new(9);
    let mut uneven = Vec::new();

    for (row, point) in points.iter().enumerate() {
        // Two days are missing, a tenth of the rest too, and every twentieth row stands twice.
        if (4_000..4_576).contains(&row) || chance.unit() < 0.1 {
            continue;
        }
        uneven.push(*point);
        if row % 20 == 0 {
            uneven.push(*point);
        }
    }

    let judged = judge(&uneven);
    sane(&judged);
    let late = alarms(&judged)
        .into_iter()
        .filter(|row| *row > 2_016)
        .count();
    assert!(late <= 3, "{late} alarms in three weeks");
}

#[test]
fn a_counter_is_judged_by_its_rate() {
    let mut chance = Chance::new(3);
    let mut counted = 0.0;
    let points: Vec<_> = (0..ROWS as i64)
        .map(|row| {
            counted += 500.0
                + 40.0 * chance.normal()
                + if (6_000..6_040).contains(&row) {
                    2_000.0
                } else {
                    0.0
                };
            // It starts again from nothing now and then, as a restarted process does.
            if row % 2_500 == 2_499 {
                counted = 0.0;
            }
            (row * STEP_MS, counted)
        })
        .collect();
    let judged = judge(&points);
    let found = alarms(&judged);

    assert!(
        found.iter().any(|row| (6_000..6_040).contains(row)),
        "{found:?}"
    );

    let wrong = found
        .iter()
        .filter(|row| !(6_000..6_200).contains(*row))
        .count();
    assert!(wrong <= 6, "{found:?}");

    let one = &judged[5_000];
    assert!(
        (one.expected - points[5_000].1).abs() < 500.0,
        "{one:?} {:?}",
        points[5_000]
    );
}
