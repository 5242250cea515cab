//! Loads of a month: what a metric is at a time, told by how many minutes before now it is.

use reeve_estate::Metric;

use super::super::estate::{Case, noise};

pub(super) const CPU: Metric = Metric::CpuUtilization;

/// Minutes since midnight, UTC. Now is a midnight.
pub(super) fn minute_of_day(back: i64) -> i64 {
    (-back).rem_euclid(1440)
}

/// Whole days before now: 0 is yesterday, a Sunday.
pub(super) fn days_ago(back: i64) -> i64 {
    (back - 1).div_euclid(1440)
}

/// Monday is 0, Sunday 6.
pub(super) fn weekday(back: i64) -> i64 {
    (6 - days_ago(back)).rem_euclid(7)
}

/// Returns `true` if a time is on one of the weekdays, between two times of the day.
pub(super) fn within(
    back: i64,
    days: std::ops::RangeInclusive<i64>,
    from_minute: i64,
    until_minute: i64,
) -> bool {
    days.contains(&weekday(back)) && (from_minute..until_minute).contains(&minute_of_day(back))
}

/// Nothing but what any machine does by itself, in every dimension but CPU.
pub(super) fn silent_rest(case: Case) -> Case {
    case.flat(Metric::MemoryUtilization, 30, 9.0)
        .with(Metric::NetworkIn, 30, |back| {
            Some(100.0 + 60.0 * noise(back))
        })
        .with(Metric::NetworkOut, 30, |back| {
            Some(70.0 + 40.0 * noise(back + 1))
        })
        .flat(Metric::DiskRead, 30, 0.0)
        .with(Metric::DiskWrite, 30, |back| {
            Some(1_500.0 + 900.0 * noise(back + 2))
        })
        .flat(Metric::DiskReadOps, 30, 0.0)
        .flat(Metric::DiskWriteOps, 30, 0.4)
}

/// A machine that does nothing, but for what `works` says it does: CPU, percent.
pub(super) fn resting(size: &str, works: impl Fn(i64) -> Option<f64>) -> Case {
    silent_rest(Case::machine(size).with(CPU, 30, |back| {
        Some(works(back).unwrap_or(0.1 + 0.15 * noise(back)))
    }))
}

/// A load that is even but for noise.
pub(super) fn even(size: &str, level: f64) -> Case {
    Case::machine(size)
        .with(CPU, 30, |back| Some(level * (0.92 + 0.16 * noise(back))))
        .all_else_small()
}

/// The same with another metric in place of the small one.
pub(super) fn instead(mut case: Case, metric: Metric, value: impl Fn(i64) -> Option<f64>) -> Case {
    case.series.retain(|series| series.metric != metric);
    case.with(metric, 30, value)
}

/// The same without a metric.
pub(super) fn without(mut case: Case, metrics: &[Metric]) -> Case {
    case.series
        .retain(|series| !metrics.contains(&series.metric));
    case
}

/// The same machine elsewhere.
pub(super) fn in_region(mut case: Case, region: &str) -> Case {
    case.resource.region = region.to_owned();
    case
}

/// The same machine with another operating system.
pub(super) fn on_platform(mut case: Case, platform: &str) -> Case {
    case.resource.specification.platform = Some(platform.to_owned());
    case
}
