//! Capacity that a reading of an anomaly shows to be short.

use reeve_audit::Obstacle;
use reeve_estate::Metric;
use reeve_recommend::observation::ShortCapacity;

use super::record::Reading;
use super::words;

/// Returns the capacity that is short by a reading; the error is the reason why none is.
pub(super) fn short_capacity(reading: &Reading) -> Result<ShortCapacity, Obstacle> {
    let metric = reading.metric.ok_or("no metric was read")?;
    let up = reading.value >= reading.expected;
    let name = words::name(metric);

    match (metric, up) {
        (Metric::CpuUtilization, true) | (Metric::CpuCreditBalance, false) => {
            Ok(ShortCapacity::Processors)
        }
        (Metric::MemoryUtilization, true) => Ok(ShortCapacity::Memory),
        (Metric::FreeStorage, false) | (Metric::DiskUtilization, true) => {
            Ok(ShortCapacity::Storage)
        }
        (Metric::DatabaseConnections, true) => Ok(ShortCapacity::Connections),
        (Metric::RequestRate | Metric::ResponseTime, true) => Ok(ShortCapacity::Requests),
        (Metric::ErrorRate, true) => Err(Obstacle::of(
            "errors come from what runs on it, and no size makes them fewer",
        )),
        (_, true) => Err(Obstacle::of(format_args!(
            "{} has no limit that Reeve could raise",
            name.to_lowercase()
        ))),
        (_, false) => Err(Obstacle::of(format_args!(
            "{name} fell, so no capacity runs short"
        ))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::fixtures::anomaly;

    fn check(metric: Metric, value: f64, expect: Result<ShortCapacity, &str>) {
        let found = short_capacity(&anomaly(Some(metric), value, 30.0).readings[0]);
        match (&found, expect) {
            (Ok(found), Ok(expect)) => assert_eq!(*found, expect, "{metric}"),
            (Err(why), Err(part)) => assert!(why.as_str().contains(part), "{metric}: {why:?}"),
            _ => panic!("{metric}: {found:?}"),
        }
    }

    #[test]
    fn a_reading_names_the_capacity_that_is_short_or_why_none_is() {
        check(Metric::CpuUtilization, 97.0, Ok(ShortCapacity::Processors));
        check(Metric::CpuCreditBalance, 1.0, Ok(ShortCapacity::Processors));
        check(Metric::MemoryUtilization, 97.0, Ok(ShortCapacity::Memory));
        check(Metric::FreeStorage, 1.0, Ok(ShortCapacity::Storage));
        check(Metric::DiskUtilization, 97.0, Ok(ShortCapacity::Storage));
        check(
            Metric::DatabaseConnections,
            97.0,
            Ok(ShortCapacity::Connections),
        );
        check(Metric::RequestRate, 90.0, Ok(ShortCapacity::Requests));
        check(Metric::ResponseTime, 90.0, Ok(ShortCapacity::Requests));

        check(
            Metric::CpuUtilization,
            2.0,
            Err("CPU fell, so no capacity runs short"),
        );
        check(
            Metric::ErrorRate,
            90.0,
            Err("errors come from what runs on it"),
        );
        check(
            Metric::NetworkOut,
            90.0,
            Err("no limit that Reeve could raise"),
        );
    }
}
