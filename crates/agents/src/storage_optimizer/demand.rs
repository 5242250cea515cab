//! Measured use of a volume: operations and bytes, reads and writes together.

use std::fmt;

use reeve_estate::Metric;
use reeve_learn::{DAY_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::words::thousands;

use super::KIND;
use super::settings::Thresholds;
use crate::confidence::DAY_COVERAGE;
use crate::load::Load;

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// The highest use of a volume over a time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Peak {
    /// Operations per second, reads and writes together.
    pub(super) iops: f64,
    /// MiB per second, reads and writes together.
    pub(super) mibps: f64,
}

impl fmt::Display for Peak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "it peaked at {} IOPS and {:.1} MiB/s",
            thousands(self.iops.ceil() as u64),
            self.mibps
        )
    }
}

/// The use of a volume that was measured well enough.
#[derive(Debug)]
pub(super) struct StorageDemand {
    operations: Load,
    bytes: Load,
    /// The history that was looked at.
    pub(super) history: Window,
    /// Days of it that were measured.
    pub(super) days: u64,
    /// The highest use in it.
    pub(super) peak: Peak,
}

impl StorageDemand {
    /// The use in the days of history that the settings ask for.
    pub(super) fn measure(
        facts: &Facts<'_>,
        settings: &Thresholds,
    ) -> Result<StorageDemand, Abstention> {
        let history = Window::ending(facts.now.as_millisecond(), settings.history_days * DAY_MS);
        let missing = |name: &str| {
            Abstention::unjudged(
                KIND,
                "not_measured",
                format!("{name} of the volume were not measured"),
            )
        };

        let operations = Load::sum(facts, Metric::DiskReadOps, Metric::DiskWriteOps);
        let bytes = Load::sum(facts, Metric::DiskRead, Metric::DiskWrite);
        let operations = operations.ok_or_else(|| missing("operations"))?;
        let bytes = bytes.ok_or_else(|| missing("bytes"))?;
        let mut demand = StorageDemand {
            operations,
            bytes,
            history,
            days: 0,
            peak: Peak::default(),
        };

        demand.days = history
            .blocks(DAY_MS)
            .into_iter()
            .filter(|day| demand.peak_of_day(*day).is_some())
            .count() as u64;

        if (demand.days as i64) < settings.measured_days {
            let detail = format!(
                "{} days were measured, {} are needed",
                demand.days, settings.measured_days
            );
            return Err(Abstention::unjudged(KIND, "thin_data", detail));
        }

        demand.peak = demand.peak_in(history).unwrap_or_default();
        Ok(demand)
    }

    /// The highest use in a window; `None` if neither was measured.
    pub(super) fn peak_in(&self, window: Window) -> Option<Peak> {
        let (operations, bytes) = (
            self.operations.summary(window)?,
            self.bytes.summary(window)?,
        );
        Some(Peak {
            iops: operations.max,
            mibps: bytes.max / MIB,
        })
    }

    /// The highest use on a day that was measured well enough.
    pub(super) fn peak_of_day(&self, day: Window) -> Option<Peak> {
        let covered = |load: &Load| {
            load.summary(day)
                .is_some_and(|summary| summary.coverage >= DAY_COVERAGE)
        };
        (covered(&self.operations) && covered(&self.bytes))
            .then(|| self.peak_in(day))
            .flatten()
    }

    /// The operations, for a backtest over days.
    pub(super) fn operations(&self) -> &Load {
        &self.operations
    }

    /// Description of the measurements.
    pub(super) fn measured_words(&self) -> String {
        format!(
            "operations and bytes on {} of {} days",
            self.days,
            self.history.length_ms() / DAY_MS
        )
    }
}
