//! Points of one series, of the last few periods: enough to put late points in their place, and to
//! know the rate of a counter.

/// Length of a period, milliseconds.
pub(super) const PERIOD_MS: i64 = PERIOD_S as i64 * 1000;
/// Length of a period, seconds: the one of the clouds' own metrics.
pub const PERIOD_S: u32 = 300;
/// Periods before the newest point's that are kept.
const KEPT: i64 = 2;

/// Returns the start of the period that a time is in.
pub(super) fn period_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(PERIOD_MS) * PERIOD_MS
}

/// Returns the start of the period that a pushed time is in; `None` where it, or the end of the
/// next period, is beyond what a number holds.
pub(super) fn checked_period(at_ms: i64) -> Option<i64> {
    let period = at_ms.div_euclid(PERIOD_MS).checked_mul(PERIOD_MS)?;
    period.checked_add(PERIOD_MS).map(|_| period)
}

/// Points of a series in order of time, no two at the same time. A point that is not a number is a
/// gap that Prometheus marked.
#[derive(Debug, Clone, Default)]
pub(super) struct Points(Vec<(i64, f64)>);

impl Points {
    /// Puts a point in its place; one at the same time is replaced. Returns `false` for a point
    /// older than what is kept.
    pub(super) fn insert(&mut self, at_ms: i64, value: f64) -> bool {
        let newest = self
            .0
            .last()
            .map_or(at_ms, |(newest, _)| at_ms.max(*newest));
        let oldest = period_of(newest) - KEPT * PERIOD_MS;
        if at_ms < oldest {
            return false;
        }

        match self.0.binary_search_by_key(&at_ms, |(known, _)| *known) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (at_ms, value)),
        }

        let first = self.0.partition_point(|(at, _)| *at < oldest);
        self.0.drain(..first);
        true
    }

    /// Returns the mean of a period's points.
    pub(super) fn mean(&self, period: i64) -> Option<f64> {
        let inside = self
            .0
            .iter()
            .filter(|(at, value)| period_of(*at) == period && !value.is_nan());
        let (sum, count) = inside.fold((0.0, 0_u32), |(sum, count), (_, value)| {
            (sum + value, count + 1)
        });
        (count > 0).then(|| sum / f64::from(count))
    }

    /// Returns the growth per second of a counter over a period, from the point before it on. A
    /// value below the one before is a restart, from zero. A gap that Prometheus marked is not
    /// bridged.
    pub(super) fn rate(&self, period: i64) -> Option<f64> {
        let (mut growth, mut millis) = (0.0, 0);
        for pair in self.0.windows(2) {
            let ((before, from), (at, to)) = (pair[0], pair[1]);
            if period_of(at) == period && !from.is_nan() && !to.is_nan() {
                growth += if to < from { to } else { to - from };
                millis += at - before;
            }
        }
        (millis > 0).then(|| growth * 1000.0 / millis as f64)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn points(given: &[(i64, f64)]) -> Points {
        let mut points = Points::default();
        for (second, value) in given {
            assert!(points.insert(second * 1000, *value), "{second}");
        }
        points
    }

    #[test]
    fn points_that_come_late_or_twice_change_nothing() {
        let ordered = points(&[(0, 10.0), (60, 20.0), (120, 60.0)]);
        let shuffled = points(&[(120, 60.0), (0, 10.0), (60, 99.0), (60, 20.0), (0, 10.0)]);
        assert_eq!(ordered.mean(0), Some(30.0));
        assert_eq!(
            (shuffled.mean(0), shuffled.rate(0)),
            (ordered.mean(0), ordered.rate(0))
        );
    }

    #[test]
    fn a_counter_grows_through_restarts_and_not_over_gaps() {
        // 100 in 60 s, then a restart and 30 in 60 s.
        assert_eq!(
            points(&[(0, 1000.0), (60, 1100.0), (120, 30.0)]).rate(0),
            Some(130.0 / 120.0)
        );

        // The growth over the border of two periods belongs to the second.
        let over = points(&[(240, 5.0), (360, 17.0)]);
        assert_eq!((over.rate(0), over.rate(PERIOD_MS)), (None, Some(0.1)));

        let gap = points(&[(0, 5.0), (60, f64::NAN), (120, 500.0), (180, 560.0)]);
        assert_eq!((gap.rate(0), gap.mean(0)), (Some(1.0), Some(355.0)));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut points = points(&[(0, 1.0), (1200, 2.0)]);
        assert_eq!(
            points.0.len(),
            1,
            "the first point is more than two periods back"
        );
        assert!(!points.insert(599_000, 3.0));
        assert!(points.insert(600_000, 3.0));
    }
}
