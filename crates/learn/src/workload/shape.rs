//! The shape of a resource's metrics in figures that do not depend on its time zone or on the unit
//! of its traffic.

use super::{LEAST_DAYS, Metrics};
use crate::correlation::correlation;
use crate::leak::buckets::Buckets;
use crate::quantile::percentile;
use crate::window::{DAY_MS, HOUR_MS, Point};

/// Figures of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// Logarithm of the CPU on weekends over that on working days.
    pub weekend: f64,
    /// Share of the hours with less than 5 % of CPU.
    pub idle: f64,
    /// Logarithm of the highest points of CPU over the median.
    pub bursts: f64,
    /// CPU that one point in a hundred exceeds, percent.
    pub highest: f64,
    /// Correlation of the CPU with that of the day before.
    pub days_alike: f64,
    /// Share of the hours between idle and busy.
    pub between: f64,
    /// Share of the hours with more than half of the highest CPU.
    pub busy: f64,
    /// Correlation of the CPU with that of the hour before.
    pub hours_alike: f64,
    /// Correlation of the traffic with the CPU; `None` where it was not measured.
    pub traffic: Option<f64>,
    /// Logarithm of the bytes of disks over those of networks; `None` where one of them was not
    /// measured.
    pub disk: Option<f64>,
}

/// Share of the hours that must have been measured.
const LEAST_COVERAGE: f64 = 0.5;

impl Features {
    /// Computes the features of metrics; `None` if less than a week of CPU was observed, or less
    /// than half of it.
    #[must_use]
    pub fn new(metrics: &Metrics<'_>) -> Option<Features> {
        let hours = Buckets::with_width(metrics.cpu, HOUR_MS, 50.0);
        if (hours.span_ms() as f64) < LEAST_DAYS * DAY_MS as f64
            || hours.coverage() < LEAST_COVERAGE
        {
            return None;
        }

        let cpu = &hours.values;
        let (middle, high) = (percentile(cpu, 50.0)?, percentile(cpu, 97.0)?.max(0.5));
        let share = |is: &dyn Fn(f64) -> bool| {
            cpu.iter().filter(|value| is(**value)).count() as f64 / cpu.len() as f64
        };

        let highest = percentile_of_points(metrics.cpu, 99.0);
        let (network, disk) = (hourly(metrics.network), hourly(metrics.disk));
        let bytes = |network: &Buckets, disk: &Buckets| {
            ((mean(&disk.values) + 1.0) / (mean(&network.values) + 1.0))
                .ln()
                .clamp(-6.0, 6.0)
        };

        Some(Features {
            weekend: weekend_ratio(&hours).ln().clamp(-3.0, 3.0),
            idle: share(&|value| value < 5.0),
            bursts: ((highest + 1.0) / (middle + 1.0)).ln(),
            highest,
            days_alike: alike(&hours, 24),
            between: share(&|value| value > 0.25 * high && value < 0.75 * high),
            busy: share(&|value| value > 0.5 * high),
            hours_alike: alike(&hours, 1),
            traffic: network.as_ref().map(|network| together(&hours, network)),
            disk: network
                .as_ref()
                .zip(disk.as_ref())
                .map(|(network, disk)| bytes(network, disk)),
        })
    }
}

fn hourly(points: &[Point]) -> Option<Buckets> {
    Some(Buckets::with_width(points, HOUR_MS, 50.0)).filter(|hours| hours.len() >= 48)
}

fn percentile_of_points(points: &[Point], p: f64) -> f64 {
    let values: Vec<f64> = points
        .iter()
        .map(|(_, value)| *value)
        .filter(|value| value.is_finite())
        .collect();
    percentile(&values, p).unwrap_or(0.0)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn weekend_ratio(hours: &Buckets) -> f64 {
    let mean_of = |weekend: bool| {
        let values: Vec<f64> = (0..hours.len())
            .filter(|index| hours.on_weekend(*index) == weekend)
            .map(|index| hours.values[index])
            .collect();
        mean(&values)
    };
    (mean_of(true) + 0.5) / (mean_of(false) + 0.5)
}

/// Correlation of the series with itself some hours before.
fn alike(hours: &Buckets, lag: i64) -> f64 {
    let pairs = (0..hours.len()).filter_map(|index| {
        let before = hours
            .slots
            .binary_search(&(hours.slots[index] - lag))
            .ok()?;
        Some((hours.values[index], hours.values[before]))
    });
    correlation(pairs)
}

fn together(one: &Buckets, other: &Buckets) -> f64 {
    correlation((0..one.len()).filter_map(|index| {
        let same = other.slots.binary_search(&one.slots[index]).ok()?;
        Some((one.values[index], other.values[same].max(0.0).ln_1p()))
    }))
}
