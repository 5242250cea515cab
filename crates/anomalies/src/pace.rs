//! The pace at which a detector is fed: one point in five minutes at the most, whatever the
//! samples' own spacing.
//!
//! Points of a minute scatter more than their means of five do. Fed as they come, a series whose
//! monitoring was made finer would look troubled for days. So points that lie closer are averaged
//! over whole spans of five minutes; wider ones stay as they are. A point is judged once its period
//! is over and has had time to be corrected: clouds fill a period up while it runs.

use jiff::{SignedDuration, Timestamp};

/// The span: what one point may stand for.
pub(super) const POINT: SignedDuration = SignedDuration::from_mins(5);
/// [`POINT`] in milliseconds.
const STEP_MS: i64 = POINT.as_secs() * 1000;
/// A period that has been over for this long is what it will be.
const SETTLED: SignedDuration = SignedDuration::from_mins(2);
/// A span of close points is judged this long after it at the latest, however many of them came.
const LATEST: SignedDuration = SignedDuration::from_mins(15);

/// Input of a detector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Averaged {
    /// Time of the point, or the start of the span that several points are in.
    pub(super) at: Timestamp,
    /// The value, or the mean of several.
    pub(super) value: f64,
    /// The newest point in it.
    pub(super) last: Timestamp,
}

/// The points after a time, as a detector is fed with them. `period_s` is how long the newest of
/// them stands for.
pub(super) fn averaged(
    points: &[(Timestamp, f64)],
    period_s: u32,
    after: Timestamp,
    now: Timestamp,
) -> Vec<Averaged> {
    let period = SignedDuration::from_secs(i64::from(period_s));
    let span = |at: Timestamp| at.as_millisecond().div_euclid(STEP_MS);
    let over = |at: &Timestamp| now.duration_since(*at) >= period + SETTLED;
    let mut averaged: Vec<(Averaged, f64)> = Vec::new();

    for (at, value) in points.iter().filter(|(at, _)| *at > after && over(at)) {
        match averaged.last_mut() {
            Some((open, count)) if span(open.at) == span(*at) => {
                *count += 1.0;
                open.value += (value - open.value) / *count;
                open.at = Timestamp::from_millisecond(span(*at) * STEP_MS).unwrap_or(open.at);
                open.last = *at;
            }
            _ => averaged.push((
                Averaged {
                    at: *at,
                    value: *value,
                    last: *at,
                },
                1.0,
            )),
        }
    }

    let ends = |of: &Averaged| now.as_millisecond() - (span(of.at) + 1) * STEP_MS;
    let wide = period.as_millis() >= i128::from(STEP_MS);
    if averaged
        .last()
        .is_some_and(|(newest, _)| !wide && i128::from(ends(newest)) < LATEST.as_millis())
    {
        averaged.pop();
    }

    averaged.into_iter().map(|(averaged, _)| averaged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute)
    }

    #[test]
    fn wide_points_stay_and_close_ones_are_averaged_once_their_span_is_over() {
        let wide = [(at(0), 1.0), (at(5), 2.0), (at(10), 3.0)];
        let values = |averaged: Vec<Averaged>| {
            averaged
                .iter()
                .map(|one| (one.at, one.value))
                .collect::<Vec<_>>()
        };
        assert_eq!(values(averaged(&wide, 300, Timestamp::MIN, at(60))), wide);

        assert_eq!(values(averaged(&wide, 300, at(0), at(60))), wide[1..]);
        assert_eq!(
            values(averaged(&wide, 300, Timestamp::MIN, at(16))),
            wide[..2],
            "the last may still be filled up"
        );

        let close: Vec<_> = (0..12).map(|minute| (at(minute), minute as f64)).collect();
        let found = averaged(&close, 60, Timestamp::MIN, at(14));
        assert_eq!(
            values(found.clone()),
            [(at(0), 2.0), (at(5), 7.0)],
            "two of five are no mean yet"
        );
        assert_eq!(found[1].last, at(9));
        assert_eq!(
            values(averaged(&close, 60, at(9), at(31))),
            [(at(10), 10.5)],
            "nothing more came"
        );
    }
}
