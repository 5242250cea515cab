//! Tests of the detector: scores use the past alone, trouble is found, quiet series stay quiet, one
//! event raises one alarm, and no content of a file breaks it.
#![allow(clippy::unwrap_used)]

mod events;
mod made;
mod strange;

use made::*;

use super::*;

/// A row in the fourth week, at noon.
const TROUBLE: usize = 3 * 7 * 288 + 140;
/// Rows after the problem's start in which it must be noticed.
const SOON: usize = 150;

fn alarms(judged: &[AnomalyJudgement]) -> Vec<usize> {
    judged
        .iter()
        .enumerate()
        .filter(|(_, one)| one.alarm)
        .map(|(row, _)| row)
        .collect()
}

#[test]
fn a_score_is_computed_from_the_past_alone() {
    for kind in KINDS {
        let points = troubled(kind, Trouble::Variance, 1_200, 5);
        let whole = judge(&points[..2_000]);
        for end in [1, 2, 3, 17, 99, 288, 1_199, 1_201, 1_207, 1_999] {
            assert_eq!(judge(&points[..end]), whole[..end], "{kind:?} {end}");
        }
        let mut other = points.clone();
        other[1_500..].iter_mut().for_each(|point| point.1 = -1e6);
        assert_eq!(judge(&other)[..1_500], whole[..1_500], "{kind:?}");
    }
}

#[test]
fn trouble_is_found_in_series_of_every_kind() {
    let (mut found, mut all) = (0, 0);
    for (kind, trouble) in KINDS
        .iter()
        .flat_map(|kind| TROUBLES.map(|trouble| (*kind, trouble)))
    {
        // What never moves cannot freeze.
        if (kind, trouble) == (Kind::Flat, Trouble::Flatline) {
            continue;
        }
        let hits = (0..5).filter(|seed| {
            let judged = judge(&troubled(kind, trouble, TROUBLE, *seed));
            alarms(&judged)
                .iter()
                .any(|row| (TROUBLE..TROUBLE + SOON).contains(row))
        });
        let hits = hits.count();
        assert!(hits >= 4, "{kind:?} {trouble:?}: {hits} of 5");
        (found, all) = (found + hits, all + 5);
    }

    assert!(found * 100 >= all * 97, "{found} of {all}");
}

#[test]
fn clean_series_are_left_in_peace() {
    let mut sum = 0.0;
    for kind in KINDS {
        let (mut count, mut high, mut strange, mut weeks) = (0, 0, 0, 0.0);
        for seed in 10..15 {
            let judged = judge(&clean(kind, seed));
            // The first week is a series' first of everything.
            let later = &judged[7 * 288..];
            count += alarms(later).len();
            high += later.iter().filter(|one| one.score >= 0.3).count();
            strange += later.iter().filter(|one| one.strange).count();
            weeks += 3.0;
        }
        let a_week = count as f64 / weeks;
        assert!(a_week <= 2.0, "{kind:?}: {a_week} a week");
        assert!(
            strange <= 5 * 60,
            "{kind:?}: {strange} strange points in 15 weeks"
        );
        // After a weekend the level is half a day behind, and Monday somewhat high; heavy tails are
        // somewhat high all the time.
        let most = match kind {
            Kind::Weekly => 5 * 150,
            Kind::HeavyTailed => 5 * 700,
            _ => 5 * 60,
        };
        assert!(high <= most, "{kind:?}: {high} points over 0.3 in 15 weeks");
        sum += a_week;
    }

    assert!(sum / KINDS.len() as f64 <= 1.0, "{sum}");
}

#[test]
fn one_event_is_one_short_run_and_one_incident() {
    // Days after the hard edge of a week, so that the two are no one incident.
    let row = TROUBLE + 2 * 288;
    for kind in [Kind::Daily, Kind::Weekly, Kind::Trend] {
        let points = troubled(kind, Trouble::Spike, row, 3);
        let judged = judge(&points);
        let near: Vec<_> = alarms(&judged)
            .into_iter()
            .filter(|at| (row..row + 300).contains(at))
            .collect();
        assert!((1..=2).contains(&near.len()), "{kind:?}: {near:?}");
        assert!(
            judged[row + 12..row + 90]
                .iter()
                .all(|one| one.score < THRESHOLD),
            "{kind:?}"
        );
        let mut grouping = Incidents::default();
        let mut incidents: Vec<Incident> = Vec::new();
        for (point, one) in points.iter().zip(&judged) {
            incidents.extend(grouping.add(point.0, point.1, one));
        }
        incidents.extend(grouping.finish());
        let at = points[row].0;
        let near: Vec<_> = incidents
            .iter()
            .filter(|one| (at..at + 300 * STEP_MS).contains(&one.start_ms))
            .collect();
        assert_eq!(near.len(), 1, "{kind:?}: {incidents:?}");
        assert!(near[0].start_ms <= near[0].peak_ms && near[0].peak_ms <= near[0].end_ms);
        assert!(
            near[0].peak_score >= THRESHOLD && (near[0].value - near[0].expected).abs() > 10.0,
            "{:?}",
            near[0]
        );
    }
}

#[test]
fn the_band_holds_what_is_usual_and_shows_what_is_not() {
    for kind in [Kind::Noise, Kind::Daily, Kind::Weekly, Kind::Trend] {
        let points = troubled(kind, Trouble::Spike, TROUBLE, 8);
        let judged = judge(&points);
        let inside = |row: usize| (judged[row].low..=judged[row].high).contains(&points[row].1);
        let kept = (7 * 288..TROUBLE).filter(|row| inside(*row)).count() as f64
            / (TROUBLE - 7 * 288) as f64;
        assert!((0.93..1.0).contains(&kept), "{kind:?}: {kept}");
        assert!(!inside(TROUBLE), "{kind:?}");
    }
}

#[test]
fn a_weekend_is_expected_once_weeks_were_seen() {
    let points = clean(Kind::Weekly, 4);
    let judged = judge(&points);

    // Saturday noon of the fourth week: weekdays peak at 65, weekends lie at 20.
    let row = 3 * 7 * 288 + 5 * 288 + 72;
    assert!(
        (judged[row].expected - 20.0).abs() < 8.0,
        "{:?}",
        judged[row]
    );
}

#[test]
fn an_hour_that_the_week_does_not_know_yet_is_judged_by_the_day() {
    // A first fortnight of a site that is busy by day and less so at weekends: hours of the week
    // seen once, and six of the first Wednesday in which nothing was measured.
    let dark = (2 * 288 + 6 * 12)..(2 * 288 + 12 * 12);
    let mut chance = Chance::new(11);
    let site = |row: usize| {
        let turn = row as f64 / 288.0 * std::f64::consts::TAU;
        let busy = if row % (7 * 288) >= 5 * 288 { 0.6 } else { 1.0 };
        (
            row as i64 * STEP_MS,
            10.0 + busy * 20.0 * (1.0 - turn.cos()) + 0.3 * chance.normal(),
        )
    };

    let points: Vec<_> = (0..12 * 288)
        .map(site)
        .enumerate()
        .filter(|(row, _)| !dark.contains(row))
        .collect();
    let judged = judge(&points.iter().map(|(_, point)| *point).collect::<Vec<_>>());
    for ((row, (_, value)), one) in points
        .iter()
        .zip(&judged)
        .filter(|(point, _)| point.0 >= 9 * 288)
    {
        assert!(
            (value - one.expected).abs() < 8.0 && one.score < THRESHOLD,
            "row {row}: {value}, {one:?}"
        );
    }
}

#[test]
fn a_nightly_job_is_news_for_some_nights_and_then_a_habit() {
    // It begins within twenty minutes of three o'clock and takes ten.
    let mut chance = Chance::new(3);
    let mut points: Vec<_> = (0..28 * 288)
        .map(|row| (row as i64 * STEP_MS, 10.0 + 0.3 * chance.normal()))
        .collect();
    let starts: Vec<usize> = (0..28)
        .map(|day| day * 288 + 32 + (8.0 * chance.unit()) as usize)
        .collect();
    for start in &starts {
        points[*start].1 += 40.0;
        points[start + 1].1 += 40.0;
    }

    let alarm_rows = |points: &[crate::Point]| alarms(&judge(points));
    let before = alarm_rows(&points);
    assert!(
        (1..=6).contains(&before.iter().filter(|row| **row < 7 * 288).count()),
        "{before:?}"
    );
    assert!(
        before.iter().all(|row| *row < 7 * 288),
        "a habit: {before:?}"
    );

    // Twice as high, the other way, or higher at noon it is none.
    for (row, by) in [
        (starts[20], 80.0),
        (starts[20], -80.0),
        (20 * 288 + 144, 60.0),
    ] {
        let mut other = points.clone();
        other[row].1 += by;
        assert!(
            alarm_rows(&other).contains(&row),
            "{row} {by}: {:?}",
            alarm_rows(&other)
        );
    }
}
