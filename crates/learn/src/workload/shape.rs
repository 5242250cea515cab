//! The shape of a resource's metrics in figures that do not depend on its time zone or on the unit of its traffic.

use super::{LEAST_DAYS, Metrics, tags};
use crate::leak::buckets::Buckets;
use crate::quantile::percentile;
use crate::window::{DAY_MS, HOUR_MS, Point};

/// Names of the features, in order.
pub const NAMES: [&str; 20] = [
    "difference of day and night",
    "weekend over weekday",
    "share of busy hours",
    "share of idle hours",
    "bursts",
    "days alike",
    "weeks alike beyond days",
    "hours between idle and busy",
    "length of busy stretches",
    "level of the processor",
    "hours alike",
    "network goes with the processor",
    "disk over network",
    "network not measured",
    "disk not measured",
    "tagged production",
    "tagged development",
    "tagged batch",
    "tagged analytics",
    "tags conflict",
];

/// The features of a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features(pub [f64; 20]);

/// Share of the hours that must have been measured.
const LEAST_COVERAGE: f64 = 0.5;

impl Features {
    /// Computes the features of metrics and tags; `None` if less than a week of CPU was observed, or less than half of
    /// it.
    #[must_use]
    pub fn of(metrics: &Metrics<'_>, tags: &[(&str, &str)]) -> Option<Features> {
        let hours = Buckets::with_width(metrics.cpu, HOUR_MS, 50.0);
        if (hours.span_ms() as f64) < LEAST_DAYS * DAY_MS as f64 || hours.coverage() < LEAST_COVERAGE {
            return None;
        }
        let (cpu, level) = (&hours.values, mean(&hours.values));
        let (middle, high) = (percentile(cpu, 50.0)?, percentile(cpu, 97.0)?.max(0.5));
        let busy: Vec<bool> = cpu.iter().map(|value| *value > 0.5 * high).collect();
        let share = |is: &dyn Fn(f64) -> bool| cpu.iter().filter(|value| is(**value)).count() as f64 / cpu.len() as f64;
        let weekend = weekend_ratio(&hours);
        let daily = alike(&hours, 24);
        let votes = tags::votes(tags);
        let (network, disk) = (hourly(metrics.network), hourly(metrics.disk));
        let ratio = match (&network, &disk) {
            (Some(network), Some(disk)) => {
                ((mean(&disk.values) + 1.0) / (mean(&network.values) + 1.0)).ln().clamp(-6.0, 6.0)
            }
            _ => 0.0,
        };
        Some(Features([
            day_contrast(&hours) / (level + 1.0),
            weekend.ln().clamp(-3.0, 3.0),
            busy.iter().filter(|busy| **busy).count() as f64 / busy.len() as f64,
            share(&|value| value < 5.0),
            ((percentile_of_points(metrics.cpu, 99.0) + 1.0) / (middle + 1.0)).ln(),
            daily,
            if hours.span_ms() >= 14 * DAY_MS { alike(&hours, 168) - daily } else { 0.0 },
            share(&|value| value > 0.25 * high && value < 0.75 * high),
            (1.0 + stretch(&busy)).ln(),
            (1.0 + level).ln(),
            alike(&hours, 1),
            network.as_ref().map_or(0.0, |network| together(&hours, network)),
            ratio,
            f64::from(network.is_none()),
            f64::from(disk.is_none()),
            votes[0],
            votes[1],
            votes[2],
            votes[3],
            f64::from(votes.iter().filter(|vote| **vote > 0.0).count() > 1),
        ]))
    }
}

fn hourly(points: &[Point]) -> Option<Buckets> {
    Some(Buckets::with_width(points, HOUR_MS, 50.0)).filter(|hours| hours.len() >= 48)
}

fn percentile_of_points(points: &[Point], p: f64) -> f64 {
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).filter(|value| value.is_finite()).collect();
    percentile(&values, p).unwrap_or(0.0)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The busiest ten hours of the mean day over the quietest ten, wherever they lie.
fn day_contrast(hours: &Buckets) -> f64 {
    let (mut sums, mut counts) = ([0.0; 24], [0.0; 24]);
    for (slot, value) in hours.slots.iter().zip(&hours.values) {
        let hour = slot.rem_euclid(24) as usize;
        (sums[hour], counts[hour]) = (sums[hour] + value, counts[hour] + 1.0);
    }
    let day: Vec<f64> = sums.iter().zip(counts).map(|(sum, count)| sum / f64::max(count, 1.0)).collect();
    let windows: Vec<f64> =
        (0..24).map(|from| (0..10).map(|step| day[(from + step) % 24]).sum::<f64>() / 10.0).collect();
    windows.iter().copied().fold(f64::MIN, f64::max) - windows.iter().copied().fold(f64::MAX, f64::min)
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
        let before = hours.slots.binary_search(&(hours.slots[index] - lag)).ok()?;
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

fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut n, mut a, mut b, mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (x, y) in pairs {
        (n, a, b) = (n + 1.0, a + x, b + y);
        (aa, bb, ab) = (aa + x * x, bb + y * y, ab + x * y);
    }
    let spread = (n * aa - a * a) * (n * bb - b * b);
    if n < 24.0 || spread <= 1e-9 { 0.0 } else { (n * ab - a * b) / spread.sqrt() }
}

/// Mean length of stretches of busy hours.
fn stretch(busy: &[bool]) -> f64 {
    let stretches: Vec<f64> = busy.chunk_by(|a, b| a == b).filter(|run| run[0]).map(|run| run.len() as f64).collect();
    mean(&stretches)
}
