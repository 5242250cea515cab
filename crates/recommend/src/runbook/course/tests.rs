//! Tests of courses: hysteresis, dwell, holes.

use reeve_estate::{Metric, TimeSpan};

use super::*;
use crate::runbook::condition::SeriesOf;

const MINUTE: i64 = 60_000;
const STEP: i64 = 5 * MINUTE;

fn above(limit: f64, clears_at: f64, over_min: u64, dwell_min: u64) -> MetricTest {
    MetricTest {
        metric: Metric::MemoryUtilization,
        of: SeriesOf::Own,
        statistic: Statistic::Mean,
        over: TimeSpan::from_seconds(over_min * 60),
        side: Side::Above,
        limit,
        clears_at,
        dwell: TimeSpan::from_seconds(dwell_min * 60),
        percent_of_storage: false,
    }
}

fn points(values: &[f64]) -> Vec<(i64, f64)> {
    (0..)
        .map(|at| at * STEP)
        .zip(values.iter().copied())
        .collect()
}

fn spans(test: &MetricTest, values: &[f64]) -> Vec<(i64, i64)> {
    let course = Course::of(test, &points(values), STEP);
    let in_steps = |(from, to): &(i64, i64)| (from / STEP, to / STEP);
    course.spans.iter().map(in_steps).collect()
}

/// 7.21 and 7.22 in turn around a limit of 7.215 is one issue, not one every five minutes.
#[test]
fn a_value_at_the_limit_does_not_come_and_go() {
    let turns: Vec<f64> = (0..40).map(|at| 7.21 + f64::from(at % 2) * 0.01).collect();
    let flapping = spans(&above(7.215, 7.215, 5, 0), &turns);
    assert_eq!(flapping.len(), 20);
    assert_eq!(spans(&above(7.215, 7.0, 5, 0), &turns), [(2, 40)]);
}

#[test]
fn an_issue_begins_after_its_dwell_and_a_break_begins_it_anew() {
    let test = above(90.0, 80.0, 5, 15);
    // Beyond the limit from the end of the second step on, for fifteen minutes at the end of the
    // fifth.
    assert_eq!(
        spans(&test, &[10.0, 95.0, 95.0, 95.0, 95.0, 95.0, 85.0, 79.0]),
        [(5, 8)]
    );
    assert_eq!(
        spans(&test, &[95.0, 95.0, 95.0, 10.0, 95.0, 95.0, 95.0]),
        []
    );
}

#[test]
fn a_hole_ends_an_issue_and_is_not_one() {
    let test = above(90.0, 80.0, 5, 0);
    let mut all = points(&[95.0; 3]);
    all.extend(
        points(&[95.0; 3])
            .into_iter()
            .map(|(at, value)| (at + 100 * STEP, value)),
    );
    let course = Course::of(&test, &all, STEP);
    assert_eq!(course.spans, [(STEP, 3 * STEP), (101 * STEP, 103 * STEP)]);

    assert!(matches!(
        course.standing(103 * STEP),
        CourseStanding::On { .. }
    ));
    assert_eq!(
        course.standing(120 * STEP),
        CourseStanding::Unknown,
        "too old"
    );
    let empty = Course::of(&test, &[], STEP);
    assert_eq!(empty.standing(0), CourseStanding::Unknown);
}

#[test]
fn statistics_are_those_of_the_window() {
    let values = [4.0, 1.0, 7.0, 2.0, 9.0, 3.0, 3.0, 3.0, 8.0];
    for (statistic, expected) in [
        (Statistic::Min, vec![1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0]),
        (Statistic::Max, vec![7.0, 7.0, 9.0, 9.0, 9.0, 3.0, 8.0]),
    ] {
        let mut window = Window::new(statistic, 3 * STEP, STEP);
        let found: Vec<f64> = points(&values)
            .iter()
            .filter_map(|(at, value)| window.push(at + STEP, *value))
            .collect();
        assert_eq!(found, expected, "{statistic}");
    }
}
