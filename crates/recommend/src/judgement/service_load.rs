//! Load of a service as a fact: the load balancers before a scaling group and the machines that
//! serve, each with its series.

use reeve_estate::{Metric, Resource, SampleSeries};
use reeve_learn::Point;

/// A resource with its series over the history of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredResource {
    pub resource: Resource,
    pub series: Vec<SampleSeries>,
}

impl MeasuredResource {
    /// Returns the finite points of a metric in the order of time, and their period in
    /// milliseconds; `None` where it was not measured.
    #[must_use]
    pub fn points(&self, metric: Metric) -> Option<(Vec<Point>, i64)> {
        let own = self.series.iter().find(|series| series.metric == metric)?;
        let points: Vec<Point> = own
            .points
            .iter()
            .filter(|(_, value)| value.is_finite())
            .map(|(at, value)| (at.as_millisecond(), *value))
            .collect();
        (!points.is_empty()).then_some((points, i64::from(own.period_s.max(1)) * 1000))
    }
}

/// Balancers and machines of a scaling group, or the machines behind a balancer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServiceLoad {
    /// Of a group: balancers that lead to its members alone. Of a balancer: none.
    pub balancers: Vec<MeasuredResource>,
    /// Names of balancers that lead to members of the group and to other machines.
    pub shared: Vec<String>,
    /// Of a group: its members that serve. Of a balancer: its targets.
    pub machines: Vec<MeasuredResource>,
}
