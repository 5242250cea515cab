//! The course of a metric beside what was expected of it, point by point: the detector read over
//! the past again, so that nothing has to be kept and any span can be requested. With another past
//! before it than the watch had, it may differ a little from what the anomaly was called by.

use jiff::Timestamp;
use reeve_estate::{Attribute, ResourceChange, SampleSeries};
use reeve_learn::anomaly::Detector;
use reeve_recommend::action::{Action, ActionId, ActionStatus, Purpose};

use super::changes::{Changes, by_others};
use super::pace::{POINT, averaged};
use super::watch::{HISTORY, observe};
use super::words;

/// A span is cut to its last so many points: two weeks of five minutes.
const MOST: usize = 4032;

/// A point and what was expected of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoursePoint {
    /// Time of the point.
    pub at: Timestamp,
    /// Measured value: the mean of five minutes if samples lie closer.
    pub value: f64,
    pub expected: f64,
    /// The usual band's lower edge.
    pub low: f64,
    /// The usual band's upper edge.
    pub high: f64,
    /// Anomaly score of the point, 0 to 1; 0.5 or more at an alarm.
    pub score: f64,
}

/// A change of the resource within a course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CourseChange {
    pub from: Timestamp,
    /// To when; of what others changed it is known only to be between the two.
    pub to: Timestamp,
    /// Description of the change.
    pub words: String,
    /// The action, where Reeve did it.
    pub action: Option<ActionId>,
}

/// Returns the changes of the resource in a span, by Reeve and by others, oldest first. Tags are
/// left out, since they affect no metric.
#[must_use]
pub fn course_changes(
    actions: &[Action],
    seen: &[ResourceChange],
    from: Timestamp,
    to: Timestamp,
    now: Timestamp,
) -> Vec<CourseChange> {
    let own = actions
        .iter()
        .filter(|action| action.purpose != Purpose::Simulate)
        .filter_map(|action| {
            let step = action
                .steps
                .iter()
                .rfind(|step| step.effect().changes() && !step.rollback)?;
            let (from, to) = (action.started_at, action.finished_at.unwrap_or(now));
            let undone = if action.status == ActionStatus::RolledBack {
                ", and undone"
            } else {
                ""
            };
            let words = format!("{}{undone}", step.description);
            Some(CourseChange {
                from,
                to,
                words,
                action: Some(action.id.clone()),
            })
        });

    let others = by_others(seen, actions)
        .into_iter()
        .filter(|change| change.attribute != Attribute::Tags);
    let others = others.map(|change| CourseChange {
        from: change.last_seen_at,
        to: change.seen_at,
        words: words::changed(change),
        action: None,
    });

    let mut all: Vec<CourseChange> = own
        .chain(others)
        .filter(|one| one.to >= from && one.from <= to)
        .collect();
    all.sort_by(|a, b| (a.to, &a.words).cmp(&(b.to, &b.words)));
    all.dedup_by(|a, b| a.words == b.words && a.from <= b.to);

    all
}

/// From when samples are needed for a course that begins at a time.
#[must_use]
pub fn needed_from(from: Timestamp) -> Timestamp {
    from.checked_sub(HISTORY).unwrap_or(Timestamp::MIN)
}

/// The course of a series in a span; the series reaches back before it, see [`needed_from`]. What
/// changed of the resource counts as it does in the watch.
#[must_use]
pub fn course(
    series: &SampleSeries,
    changes: &Changes,
    from: Timestamp,
    to: Timestamp,
    now: Timestamp,
) -> Vec<CoursePoint> {
    let lens = changes.lens(&series.resource, series.metric);
    let mut last = Timestamp::MIN;
    let mut detector = Detector::new();
    let before = from.checked_sub(POINT).unwrap_or(from);
    let mut points: Vec<CoursePoint> =
        averaged(&series.points, series.period_s, Timestamp::MIN, now)
            .into_iter()
            .filter_map(|point| {
                let judged = observe(
                    &mut detector,
                    &lens,
                    &point,
                    std::mem::replace(&mut last, point.last),
                );
                judged.map(|(judged, view)| (point, judged, view))
            })
            .filter(|(point, ..)| point.at > before && point.at <= to)
            .map(|(point, judged, view)| CoursePoint {
                at: point.at,
                value: point.value,
                expected: view.as_is(judged.expected),
                low: view.as_is(judged.low),
                high: view.as_is(judged.high),
                score: judged.score,
            })
            .collect();
    let beyond = points.len().saturating_sub(MOST);
    points.drain(..beyond);

    points
}
