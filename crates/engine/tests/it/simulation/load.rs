//! Load of the machines in a simulation: steady with a ripple, until a change occurs on one of
//! them.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_estate::{Metric, ResourceId, SampleSeries};

/// Load of one machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Processor, percent.
    pub(crate) cpu: f64,
    pub(crate) database: bool,
    /// From then on it is at its limit.
    pub(crate) hot_since: Option<Timestamp>,
}

/// Loads of all machines.
#[derive(Default)]
pub(crate) struct Loads(Mutex<BTreeMap<ResourceId, Load>>);

impl Loads {
    pub(crate) fn set(&self, id: &ResourceId, load: Load) {
        self.0.lock().insert(id.clone(), load);
    }

    /// Something comes over a machine.
    pub(crate) fn heat(&self, id: &ResourceId, since: Timestamp) {
        if let Some(load) = self.0.lock().get_mut(id) {
            load.hot_since = Some(since);
        }
    }

    /// The series of a span. A judgement, which requires many metrics over weeks, gets a point
    /// every three hours; who compares a few gets one every quarter of an hour.
    pub(crate) fn series(
        &self,
        of: &[ResourceId],
        metrics: &[Metric],
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<SampleSeries> {
        let period_s: i64 = if metrics.len() > 3 { 3 * 3600 } else { 900 };
        let loads = self.0.lock();
        let first = from.as_second().div_euclid(period_s) + 1;
        let last = (to.as_second() - 1).div_euclid(period_s);
        let mut found = Vec::new();

        for id in of {
            let Some(load) = loads.get(id) else { continue };
            for metric in metrics.iter().copied().filter(|metric| load.has(*metric)) {
                let at = |n: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(n * period_s);
                let points = (first..=last)
                    .map(|n| (at(n), load.value(metric, at(n), n)))
                    .collect();
                found.push(SampleSeries {
                    resource: id.clone(),
                    metric,
                    points,
                    period_s: period_s as u32,
                });
            }
        }

        found
    }
}

impl Load {
    fn has(&self, metric: Metric) -> bool {
        match metric {
            Metric::DatabaseConnections => self.database,
            Metric::CapacityUnits | Metric::CpuCreditBalance => false,
            _ => true,
        }
    }

    fn value(&self, metric: Metric, at: Timestamp, n: i64) -> f64 {
        let hot = self.hot_since.is_some_and(|since| since <= at);
        let idle = self.cpu < 0.5;
        let ripple = 1.0 + 0.02 * (n % 5) as f64;

        match metric {
            Metric::CpuUtilization if hot => 97.0,
            Metric::CpuUtilization => self.cpu * ripple,
            Metric::MemoryUtilization => 20.0 * ripple,
            Metric::DatabaseConnections if idle => 0.0,
            Metric::DatabaseConnections => 12.0,
            Metric::DiskReadOps | Metric::DiskWriteOps => 1.0,
            Metric::DiskRead | Metric::DiskWrite => 1_000.0,
            _ => (if idle { 50.0 } else { 50_000.0 }) * ripple,
        }
    }
}
