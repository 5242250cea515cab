//! Made-up groups.

use super::*;

const STEP_MS: i64 = 300_000;

fn settings() -> ScalingSettings {
    ScalingSettings {
        unit: 100.0,
        lead_ms: 3 * STEP_MS,
        least: 2,
        step_ms: STEP_MS,
        seasonal: true,
    }
}

/// Working hours of 1,000 from eight to six, 150 otherwise, with a ripple.
fn load(row: usize) -> f64 {
    let ripple = 1.0 + 0.01 * ((row * 7 % 13) as f64 - 6.0) / 6.0;
    let busy = (96..216).contains(&(row % 288));
    ripple * if busy { 1_000.0 } else { 150.0 }
}

fn run(rows: usize, sessions: impl Fn(usize) -> Sessions) -> Vec<Wanted> {
    let mut policy = ScalingPolicy::new(settings());
    (0..rows)
        .map(|row| policy.observe(row as i64 * STEP_MS, Some(load(row)), sessions(row)))
        .collect()
}

#[test]
fn the_first_day_tracks_the_load_and_says_so() {
    let found = run(288, |_| Sessions::NotCounted);
    assert!(
        found
            .iter()
            .all(|one| matches!(one.reason, ScalingReason::Learning | ScalingReason::Held))
    );
    assert_eq!(found[0].units, 3, "141 a unit at 70 %");
    assert_eq!(found[100].units, 15);
}

#[test]
fn units_are_asked_for_before_the_day_begins() {
    let found = run(14 * 288, |_| Sessions::NotCounted);
    let day = 13 * 288;
    // At 07:45 they must be asked for, to serve at 08:00.
    let before = found[day + 93];
    assert!(before.units >= 10, "{before:?}");
    let ahead = &found[day + 85..day + 94];
    assert!(
        ahead
            .iter()
            .any(|one| one.reason == ScalingReason::Forecast),
        "{ahead:?}"
    );
    assert!(found[day + 60].units <= 3, "{:?}", found[day + 60]);
    assert!(
        (10..=12).contains(&found[day + 150].units),
        "{:?}",
        found[day + 150]
    );
    assert!(found[day + 240].units <= 3, "{:?}", found[day + 240]);
}

#[test]
fn nothing_goes_down_while_sessions_are_active_or_unknown() {
    for (sessions, reason) in [
        (Sessions::Active(1.0), ScalingReason::ActiveSessions),
        (Sessions::Unknown, ScalingReason::UnknownSessions),
    ] {
        // The sessions of the last day end late.
        let day = 13 * 288;
        let found = run(14 * 288, |row| {
            if (day + 216..day + 260).contains(&row) {
                sessions
            } else {
                Sessions::Active(0.0)
            }
        });
        let busy = found[day + 215].units;
        assert!(
            found[day + 216..day + 260]
                .iter()
                .all(|one| one.units >= busy)
        );
        assert_eq!(found[day + 250].reason, reason);
        assert!(found[day + 262].units <= 3, "{:?}", found[day + 262]);
    }
}

#[test]
fn a_flash_crowd_is_followed_and_left_with_a_hold() {
    let crowd = 13 * 288 + 20;
    let mut policy = ScalingPolicy::new(settings());
    let found: Vec<Wanted> = (0..14 * 288)
        .map(|row| {
            let more = if (crowd..crowd + 6).contains(&row) {
                500.0
            } else {
                0.0
            };
            policy.observe(
                row as i64 * STEP_MS,
                Some(load(row) + more),
                Sessions::NotCounted,
            )
        })
        .collect();
    let at = |row: usize| found[row].units;
    assert!(at(crowd) >= 7, "{}", at(crowd));
    assert!(at(crowd + 6) >= 7, "held for the lead");
    assert!(at(crowd + 20) <= 4, "{}", at(crowd + 20));
}

#[test]
fn only_the_past_counts() {
    let (short, long) = (
        run(5 * 288, |_| Sessions::NotCounted),
        run(9 * 288, |_| Sessions::NotCounted),
    );
    assert_eq!(short[..], long[..short.len()]);
}

#[test]
fn a_load_that_was_not_measured_changes_nothing() {
    let mut policy = ScalingPolicy::new(settings());
    assert_eq!(policy.observe(0, None, Sessions::NotCounted).units, 2);
    let units = policy
        .observe(STEP_MS, Some(900.0), Sessions::NotCounted)
        .units;
    for row in 2..50 {
        let wanted = policy.observe(row * STEP_MS, Some(f64::NAN), Sessions::NotCounted);
        assert_eq!(
            (wanted.units, wanted.reason),
            (units, ScalingReason::NotMeasured)
        );
    }
}

#[test]
fn odd_values_are_bounded() {
    let mut policy = ScalingPolicy::new(ScalingSettings {
        lead_ms: 0,
        ..settings()
    });
    for (row, value) in [0.0, 1e300, -5.0, 0.0, f64::INFINITY]
        .into_iter()
        .enumerate()
    {
        // Years between two rows are no memory of years.
        let at_ms = row as i64 * 400 * crate::DAY_MS;
        let wanted = policy.observe(at_ms, Some(value), Sessions::NotCounted);
        assert!((2..=1_000_000_000).contains(&wanted.units), "{wanted:?}");
    }
}
