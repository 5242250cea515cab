//! Rate of activity: the number of actions in ten minutes, compared with the usual number in ten
//! minutes that have any.
//!
//! Counts go by the time of the event, so events that arrive late or out of order fall where they
//! belong. Two baselines are kept: one that follows within days and one that follows within months.
//! Neither lets a single span move it by more than a step, so a burst does not teach that bursts
//! are usual, and a slow increase runs away from the slow baseline.

/// A span of counting.
const SPAN_MS: i64 = 600_000;
/// Spans that are kept open for late events.
const OPEN: usize = 6;
/// Rate at which the fast baseline follows: a part of the way each span.
const FAST: f64 = 1.0 / 30.0;
const SLOW: f64 = 1.0 / 1500.0;
/// A baseline moves at most so far a span, in log, once it rests on some spans.
const STEP: f64 = 0.15;
const SETTLED: u32 = 8;

/// Counts and baselines of one thing that is done.
#[derive(Debug, Clone, Default)]
pub(crate) struct BehaviorPace {
    open: [(i64, u32); OPEN],
    fast: f64,
    slow: f64,
    spans: u32,
}

impl BehaviorPace {
    pub(crate) fn count(&mut self, at_ms: i64) {
        let span = at_ms.div_euclid(SPAN_MS);
        if let Some(open) = self
            .open
            .iter_mut()
            .find(|(at, count)| *at == span && *count > 0)
        {
            open.1 = open.1.saturating_add(1);
            return;
        }

        let Some(oldest) = (0..OPEN).min_by_key(|at| {
            if self.open[*at].1 == 0 {
                i64::MIN
            } else {
                self.open[*at].0
            }
        }) else {
            return;
        };

        let (_, count) = self.open[oldest];
        if count > 0 {
            self.learn(count);
        }

        self.open[oldest] = (span, 1);
    }

    /// Returns the number of actions counted in the span of a time.
    pub(crate) fn counted(&self, at_ms: i64) -> u32 {
        let span = at_ms.div_euclid(SPAN_MS);
        self.open
            .iter()
            .find(|(at, count)| *at == span && *count > 0)
            .map_or(0, |(_, count)| *count)
    }

    fn learn(&mut self, count: u32) {
        let log = f64::from(count).ln_1p();
        self.spans = self.spans.saturating_add(1);

        // At first the mean of what was seen, then ever slower.
        let part = |rate: f64| rate.max(1.0 / f64::from(self.spans));
        let step = if self.spans <= SETTLED {
            f64::INFINITY
        } else {
            STEP
        };
        self.fast += ((log - self.fast) * part(FAST)).clamp(-step, step);

        self.slow += ((log - self.slow) * part(SLOW)).clamp(-step, step);
    }

    /// Returns the usual number of actions in ten minutes by the fast and the slow baseline; near
    /// `prior` where few spans were seen.
    pub(crate) fn usual(&self, prior: f64) -> (f64, f64) {
        let seen = f64::from(self.spans);
        let blend = |log: f64| {
            ((log * seen + prior.ln_1p() * 4.0) / (seen + 4.0))
                .exp_m1()
                .max(1.0)
        };
        (blend(self.fast), blend(self.slow))
    }

    pub(crate) fn spans(&self) -> u32 {
        self.spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pace: &mut BehaviorPace, spans: std::ops::Range<i64>, count: impl Fn(i64) -> u32) {
        spans.for_each(|span| (0..count(span)).for_each(|_| pace.count(span * SPAN_MS)));
    }

    #[test]
    fn a_steady_pace_is_learnt_and_one_burst_teaches_little() {
        let mut pace = BehaviorPace::default();
        run(&mut pace, 0..300, |_| 600);
        let (fast, slow) = pace.usual(12.0);
        assert!(fast > 500.0 && slow > 400.0, "{fast} {slow}");

        let mut pace = BehaviorPace::default();
        run(&mut pace, 0..300, |_| 5);
        run(&mut pace, 300..301, |_| 5000);
        run(&mut pace, 301..320, |_| 5);
        assert!(pace.usual(12.0).0 < 8.0, "{:?}", pace.usual(12.0));
    }

    #[test]
    fn a_slow_increase_runs_away_from_the_slow_baseline() {
        let mut pace = BehaviorPace::default();
        run(&mut pace, 0..1000, |_| 5);
        run(&mut pace, 1000..2000, |span| {
            (5.0 * 1.004_f64.powi((span - 1000) as i32)) as u32
        });
        let (fast, slow) = pace.usual(12.0);
        assert!(fast > 100.0 && slow < 20.0, "{fast} {slow}");
    }

    #[test]
    fn order_of_arrival_does_not_matter_within_an_hour() {
        let mut pace = BehaviorPace::default();
        [1, SPAN_MS * 3, 2, SPAN_MS + 1]
            .into_iter()
            .for_each(|at| pace.count(at));
        assert_eq!(
            [0, SPAN_MS, SPAN_MS * 2, SPAN_MS * 3].map(|at| pace.counted(at)),
            [2, 1, 0, 1]
        );
    }
}
