//! The shape of a resource's metrics as a signal, and its hours.

use std::collections::BTreeMap;

use reeve_estate::Metric;
use reeve_learn::workload::{Features, Metrics, Property, properties, scores};
use reeve_learn::{HOUR_MS, Point, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::workload::{Scores, WorkloadSignal};

use super::classify::best_of;
use crate::load::Load;

/// Most that the shape adds to a class: odds of twenty to one.
const BOUND: f64 = 3.0;
/// Properties that are named.
const NAMED: usize = 3;

/// Measured series that a shape is made of.
pub(super) struct WorkloadShape {
    pub(super) cpu: Load,
    network: Vec<Point>,
    disk: Vec<Point>,
}

impl WorkloadShape {
    /// The series of the judged resource; `None` if its CPU was not measured.
    pub(super) fn measure(facts: &Facts<'_>) -> Option<WorkloadShape> {
        let both = |a, b| {
            Load::sum(facts, a, b)
                .map(|load| load.points)
                .unwrap_or_default()
        };
        Some(WorkloadShape {
            cpu: Load::measured(facts, Metric::CpuUtilization)?,
            network: both(Metric::NetworkIn, Metric::NetworkOut),
            disk: both(Metric::DiskRead, Metric::DiskWrite),
        })
    }

    /// The signal of a window; `None` for less than a week, or less than half of it.
    pub(super) fn signal(&self, window: Window) -> Option<WorkloadSignal> {
        let metrics = Metrics {
            cpu: window.select(&self.cpu.points),
            network: window.select(&self.network),
            disk: window.select(&self.disk),
        };
        let mut found = properties(&Features::new(&metrics)?);
        let weights: Scores = scores(&found).map(|score| score.clamp(-BOUND, BOUND));
        let best = best_of(weights) as usize;
        found.sort_by(|a, b| b.weights[best].total_cmp(&a.weights[best]));
        let speaks = |property: &&Property| property.weights[best] > 0.0;
        let telling: Vec<&str> = found
            .iter()
            .filter(speaks)
            .take(NAMED)
            .map(|property| property.name)
            .collect();

        Some(WorkloadSignal {
            name: "shape of the metrics".to_owned(),
            detail: telling.join(", "),
            weights,
        })
    }
}

/// Mean of each hour of a load in a window, by the hour since the epoch.
pub(super) fn hours(load: &Load, window: Window) -> BTreeMap<i64, f64> {
    let mut sums: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for (at, value) in window.select(&load.points) {
        let (sum, count) = sums.entry(at.div_euclid(HOUR_MS)).or_default();
        (*sum, *count) = (*sum + value, *count + 1.0);
    }
    sums.into_iter()
        .map(|(hour, (sum, count))| (hour, sum / count))
        .collect()
}
