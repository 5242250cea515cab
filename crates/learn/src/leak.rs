//! Leaks of memory, handles or connections: growth within the stretches between releases that is
//! significant, that continues, and that neither the time of day, nor the day of the week, nor one
//! shift, nor a warm-up explains.
//!
//! The series is brought to a few hundred buckets of low quantiles (floors: what stays after
//! collections within a bucket), freed of its daily profile, and cut at releases and shifts. One
//! slope is pooled over the pieces; its test respects autocorrelation (`fit`). Steady growth then
//! competes with shapes that level off (`shapes`). Where releases come in cycles of less than a
//! day, rising within a cycle is how a collected heap breathes: the floors of the cycles are judged
//! instead. Too little data is an abstention with its reason, never a verdict.
//!
//! The agent type `ops_intelligence` reads [`judge`]; it is measured by `reeve-bench-learn leak`. Its
//! buckets, breaks, fit and season serve `saturation` and `workload`.

use crate::window::{DAY_MS, HOUR_MS, Point};

pub(crate) mod breaks;
pub(crate) mod buckets;
mod evidence;
pub(crate) mod fit;
mod reason;
pub(crate) mod season;
mod shapes;
pub(crate) mod tail;
#[cfg(test)]
mod tests;

use buckets::Buckets;
pub use reason::LeakReason;

/// Thresholds of the verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeakSettings {
    /// Largest p-value of a leak.
    pub significance: f64,
    /// Least growth over the time observed, as a share of the series' typical level: less harms
    /// nobody.
    pub least_growth: f64,
    /// Least observed time. Below two days a daily cycle cannot be distinguished from a leak.
    pub least_span_ms: i64,
    /// Probability that the interval of the slope holds.
    pub interval: f64,
}

impl Default for LeakSettings {
    fn default() -> Self {
        LeakSettings {
            significance: 0.01,
            least_growth: 0.02,
            least_span_ms: 2 * DAY_MS,
            interval: 0.9,
        }
    }
}

/// Verdict on a leak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeakVerdict {
    Leak,
    /// Growth that chance explains, or none.
    NoLeak,
    /// The data does not decide; the reasons say why.
    Abstained,
}

/// A growth rate with its interval, in units of the series per day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlopePerDay {
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// A release: the level fell abruptly and stayed down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Release {
    /// Time of the release (milliseconds since the epoch, to a bucket).
    pub at_ms: i64,
    /// By how much the level fell, in units of the series.
    pub size: f64,
}

/// The judgement of one series.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Leak, no leak, or abstained.
    pub verdict: LeakVerdict,
    /// Probability of growth this steep where there is none; `None` when abstained.
    pub p_value: Option<f64>,
    /// Growth per day between releases; `None` when abstained.
    pub slope_per_day: Option<SlopePerDay>,
    /// Latest start of the growth; `None` without a leak. The first point if it grew from the
    /// start.
    pub first_seen_ms: Option<i64>,
    /// Releases found or given, oldest first.
    pub releases: Vec<Release>,
    /// Reasons, in the order of their evaluation.
    pub reasons: Vec<LeakReason>,
}

/// Buckets a series is brought to.
const MOST_BUCKETS: usize = 400;
/// Buckets below which nothing is judged.
const LEAST_BUCKETS: usize = 40;
/// Quantile of a bucket that represents the memory that stays in use.
const FLOOR: f64 = 25.0;
/// Share of the time that must have been measured.
const LEAST_COVERAGE: f64 = 0.4;
/// Releases that make a cycle.
const CYCLE: usize = 6;
/// Floors of cycles below which nothing is judged.
const LEAST_FLOORS: usize = 8;

/// Judges a series. `restarts_ms` are restarts that are known (deployments, reboots); releases are
/// found without them, too. The series must be sorted by time; what is not finite is left out.
#[must_use]
pub fn judge(points: &[Point], restarts_ms: &[i64], settings: &LeakSettings) -> Assessment {
    let Some(buckets) = Buckets::new(points, MOST_BUCKETS, FLOOR) else {
        return Assessment::abstained(LeakReason::TooFewPoints {
            points: points.len() as u64,
        });
    };

    if let Some(reason) = thin(&buckets, settings) {
        return Assessment::abstained(reason);
    }

    let mut evidence = evidence::gather(&buckets, restarts_ms);
    if let Some(cycle_ms) = evidence
        .short_cycle(CYCLE)
        .filter(|_| restarts_ms.is_empty())
    {
        let width_ms = (cycle_ms * 2).div_euclid(HOUR_MS).max(1) * HOUR_MS;
        let floors = Buckets::with_width(points, width_ms.min(DAY_MS), 5.0);
        if floors.len() < LEAST_FLOORS {
            return Assessment::abstained(LeakReason::TooFewCycles {
                cycles: floors.len() as u64,
            });
        }
        let releases = std::mem::take(&mut evidence.releases);
        evidence = evidence::of_floors(&floors);
        evidence.releases = releases;
        evidence.reasons.push(LeakReason::Cycles {
            length_ms: cycle_ms,
        });
    }

    evidence.judge(settings)
}

fn thin(buckets: &Buckets, settings: &LeakSettings) -> Option<LeakReason> {
    if buckets.span_ms() < settings.least_span_ms {
        return Some(LeakReason::TooShort {
            span_ms: buckets.span_ms(),
            least_ms: settings.least_span_ms,
        });
    }

    if buckets.len() < LEAST_BUCKETS {
        return Some(LeakReason::TooFewPoints {
            points: buckets.len() as u64,
        });
    }

    (buckets.coverage() < LEAST_COVERAGE).then(|| LeakReason::Gaps {
        coverage: buckets.coverage(),
    })
}

impl Assessment {
    fn abstained(reason: LeakReason) -> Self {
        Assessment {
            verdict: LeakVerdict::Abstained,
            p_value: None,
            slope_per_day: None,
            first_seen_ms: None,
            releases: Vec::new(),
            reasons: vec![reason],
        }
    }
}
