//! Measured quantities of one resource over time, cut to what describes it as it is now.

use reeve_estate::{Metric, SampleSeries};
use reeve_learn::{Point, Summary, Window};
use reeve_recommend::judgement::Facts;

/// One measured quantity over time.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    /// Points in the order of time.
    pub(crate) points: Vec<Point>,
    /// Length of a point's period.
    pub(crate) period_ms: i64,
}

impl Load {
    /// A metric of the judged resource; `None` if it was not measured.
    pub(crate) fn measured(facts: &Facts<'_>, metric: Metric) -> Option<Load> {
        let series = facts
            .series
            .iter()
            .find(|s| s.metric == metric && s.resource == facts.resource.id)?;
        let points: Vec<Point> = seen(facts, series).collect();
        let period_ms = i64::from(series.period_s.max(1)) * 1000;
        (!points.is_empty()).then_some(Load { points, period_ms })
    }

    /// The sum of two metrics of the judged resource; `None` unless both were measured at the same
    /// times.
    pub(crate) fn sum(facts: &Facts<'_>, a: Metric, b: Metric) -> Option<Load> {
        let sum = Load::measured(facts, a)?.plus(&Load::measured(facts, b)?);
        (!sum.points.is_empty()).then_some(sum)
    }

    /// The figures of a window; `None` without points in it.
    pub(crate) fn summary(&self, window: Window) -> Option<Summary> {
        Summary::new(&self.points, window, self.period_ms)
    }

    /// The point-wise sum of two loads, at the times that both have.
    fn plus(&self, other: &Load) -> Load {
        let mut points = Vec::with_capacity(self.points.len().min(other.points.len()));
        let (mut a, mut b) = (
            self.points.iter().peekable(),
            other.points.iter().peekable(),
        );

        while let (Some((at_a, value_a)), Some((at_b, value_b))) = (a.peek(), b.peek()) {
            match at_a.cmp(at_b) {
                std::cmp::Ordering::Less => drop(a.next()),
                std::cmp::Ordering::Greater => drop(b.next()),
                std::cmp::Ordering::Equal => {
                    points.push((*at_a, value_a + value_b));
                    a.next();
                    b.next();
                }
            }
        }

        Load {
            points,
            period_ms: self.period_ms.max(other.period_ms),
        }
    }
}

/// Daily maxima of a metric before a time, oldest first, each at the beginning of its day.
pub(crate) fn maxima(facts: &Facts<'_>, metric: Metric, until_ms: i64) -> Vec<Point> {
    facts
        .maxima
        .iter()
        .filter(|one| one.metric == metric && one.resource == facts.resource.id)
        .flat_map(|one| seen(facts, one))
        .filter(|(at, _)| *at < until_ms)
        .collect()
}

/// Samples of a resource that a judgement looks at: what was measured of another size, or is no
/// number, is not among them.
pub(crate) fn data_points(facts: &Facts<'_>, metrics: &[Metric]) -> u64 {
    let own = facts
        .series
        .iter()
        .filter(|s| s.resource == facts.resource.id && metrics.contains(&s.metric));
    own.map(|series| seen(facts, series).count() as u64).sum()
}

/// The points of a series that tell of the resource as it is.
fn seen<'s>(facts: &'s Facts<'_>, series: &'s SampleSeries) -> impl Iterator<Item = Point> + 's {
    let from = facts
        .unchanged_since
        .map_or(i64::MIN, |since| since.as_millisecond());
    let until = facts.now.as_millisecond();
    let points = series
        .points
        .iter()
        .map(|(at, value)| (at.as_millisecond(), *value));
    points.filter(move |(at, value)| *at >= from && *at < until && value.is_finite())
}
