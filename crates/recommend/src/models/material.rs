//! Training data: an agent's resources, their samples, and the outcomes of its recommendations.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, PriceCatalogue, Resource, SampleSeries};
use reeve_learn::calibrate::Example;
use reeve_learn::{HOUR_MS, Point, Window};

use crate::agent::Agent;
use crate::guardrail::Guardrails;
use crate::judgement::open_facts::values::OpenFacts;

/// Everything a training may look at. Samples are the last days' before `now`.
#[derive(Debug, Clone)]
pub struct Material {
    pub agent: Agent,
    /// Resources in its scope: all of them, a sample, or those of one part.
    pub resources: Vec<Resource>,
    /// Their series, each sorted by time.
    pub series: Vec<SampleSeries>,
    /// Recommendations of its type that ended, oldest first.
    pub outcomes: Vec<Example>,
    /// Facts that single trainers learn from, by their type ([`MaterialSource`](crate::models::MaterialSource)).
    pub open: OpenFacts,
    /// Guardrails that are in force.
    pub guardrails: Guardrails,
    pub catalogue: std::sync::Arc<PriceCatalogue>,
    pub now: Timestamp,
}

impl Material {
    /// So many days before now.
    #[must_use]
    pub fn days_ago(&self, days: i64) -> Timestamp {
        self.now
            .checked_sub(SignedDuration::from_hours(24 * days))
            .unwrap_or(Timestamp::MIN)
    }

    /// Hourly means of every series of a metric, by resource, in the inventory's order.
    pub fn hourly(&self, metric: Metric) -> Vec<(&Resource, Vec<Point>)> {
        let series_of = |resource: &Resource| {
            self.series
                .iter()
                .find(|series| series.metric == metric && series.resource == resource.id)
        };
        self.resources
            .iter()
            .filter_map(|resource| Some((resource, hourly(series_of(resource)?))))
            .collect()
    }

    /// Days from the oldest sample of a metric to a time.
    pub fn span_days(&self, metric: Metric, until: Timestamp) -> f64 {
        let first = self
            .series
            .iter()
            .filter(|s| s.metric == metric)
            .filter_map(|s| s.points.first())
            .map(|p| p.0)
            .min();
        first.map_or(0.0, |first| {
            until.duration_since(first).as_secs_f64() / 86_400.0
        })
    }
}

/// Means of each hour with a point.
fn hourly(series: &SampleSeries) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    let mut count = 0.0;

    for (at, value) in series.points.iter().filter(|(_, value)| value.is_finite()) {
        let hour = at.as_millisecond().div_euclid(HOUR_MS) * HOUR_MS;
        match found.last_mut() {
            Some((last, mean)) if *last == hour => {
                count += 1.0;
                *mean += (value - *mean) / count;
            }
            _ => {
                found.push((hour, *value));
                count = 1.0;
            }
        }
    }

    found
}

/// The points between two times.
pub fn between(points: &[Point], from: Timestamp, until: Timestamp) -> &[Point] {
    Window {
        start_ms: from.as_millisecond(),
        end_ms: until.as_millisecond(),
    }
    .select(points)
}
