//! The hours in which a resource works, over its whole history and in every dimension that was
//! measured.
//!
//! A job of ten minutes a week is invisible in a mean and in any percentile (krr #294). What counts
//! is the highest point of each hour, held against what a machine does when nobody uses it.

use std::collections::BTreeMap;

use reeve_estate::ResourceKind;
use reeve_learn::{DAY_MS, HOUR_MS};

use super::evidence::CostEvidence;
use crate::load::Load;
use reeve_recommend::words::{byte_rate, figures, percent};

/// A point of CPU from here on is work, percent. Monitoring and time-keeping stay below.
pub(crate) const CPU_PERCENT: f64 = 5.0;
/// The same of network, bytes a second over a point's period.
pub(super) const NETWORK_BYTES: f64 = 100.0 * 1024.0;
/// The same of disks.
const DISK_BYTES: f64 = 1024.0 * 1024.0;
/// The same of disk operations, a second.
const DISK_OPERATIONS: f64 = 50.0;

/// The highest figure of a dimension, as a multiple of what counts as work.
#[derive(Debug, Clone, PartialEq)]
struct Peak {
    share: f64,
    words: String,
    dimension: &'static str,
}

/// Measured hours, and those among them in which the resource was in use.
#[derive(Debug, Clone)]
pub(super) struct Work {
    hours: BTreeMap<i64, bool>,
    peak: Peak,
    /// Metrics that were looked at, in words.
    pub(super) dimensions: Vec<&'static str>,
}

impl Work {
    /// Of everything that was measured; `None` where nothing was. A database works while somebody
    /// is connected.
    pub(super) fn from_evidence(evidence: &CostEvidence<'_>) -> Option<Work> {
        type Part<'e> = (&'static str, &'e Option<Load>, f64, fn(f64) -> String);
        let connections = evidence.facts.resource.kind == ResourceKind::Database
            && evidence.connections.is_some();
        let parts: &[Part<'_>] = if connections {
            &[(
                "connections",
                &evidence.connections,
                f64::MIN_POSITIVE,
                figures,
            )]
        } else {
            &[
                ("CPU", &evidence.cpu, CPU_PERCENT, percent),
                ("network", &evidence.network, NETWORK_BYTES, byte_rate),
                ("disk", &evidence.disk_bytes, DISK_BYTES, byte_rate),
                (
                    "disk operations",
                    &evidence.disk_ops,
                    DISK_OPERATIONS,
                    figures,
                ),
            ]
        };

        let parts = parts
            .iter()
            .filter_map(|(name, load, limit, words)| Some((*name, load.as_ref()?, *limit, words)));
        let parts: Vec<_> = parts.collect();
        let mut work = Work {
            hours: BTreeMap::new(),
            peak: Peak {
                share: 0.0,
                words: String::new(),
                dimension: "",
            },
            dimensions: parts.iter().map(|part| part.0).collect(),
        };

        for (dimension, load, limit, words) in parts {
            for (at, value) in evidence.history().select(&load.points) {
                *work.hours.entry(at.div_euclid(HOUR_MS)).or_insert(false) |= *value >= limit;
                if value / limit > work.peak.share || work.peak.dimension.is_empty() {
                    work.peak = Peak {
                        share: value / limit,
                        words: words(*value),
                        dimension,
                    };
                }
            }
        }

        (!work.hours.is_empty()).then_some(work)
    }

    /// Hours since the epoch in which it worked, oldest first.
    pub(super) fn worked(&self) -> impl Iterator<Item = i64> + '_ {
        self.hours
            .iter()
            .filter(|(_, worked)| **worked)
            .map(|(hour, _)| *hour)
    }

    /// Returns `true` where it worked in an hour.
    pub(super) fn worked_in(&self, hour: i64) -> bool {
        self.hours.get(&hour).copied().unwrap_or(false)
    }

    /// The work before a time.
    pub(super) fn until(&self, at_ms: i64) -> Work {
        let hours = self
            .hours
            .range(..at_ms.div_euclid(HOUR_MS))
            .map(|(hour, worked)| (*hour, *worked))
            .collect();
        Work {
            hours,
            ..self.clone()
        }
    }

    /// Hours that were measured.
    pub(super) fn measured(&self) -> usize {
        self.hours.len()
    }

    /// Returns `true` where an hour was measured.
    pub(super) fn is_measured(&self, hour: i64) -> bool {
        self.hours.contains_key(&hour)
    }

    /// The share of the measured hours in which it worked, 0 to 1.
    pub(super) fn share(&self) -> f64 {
        self.worked().count() as f64 / self.measured().max(1) as f64
    }

    pub(super) fn days_worked(&self) -> usize {
        let mut days: Vec<i64> = self
            .worked()
            .map(|hour| (hour * HOUR_MS).div_euclid(DAY_MS))
            .collect();
        days.dedup();
        days.len()
    }

    /// From the first measured hour to the last, in days.
    pub(super) fn days_observed(&self) -> f64 {
        let ends = self.hours.keys().next().zip(self.hours.keys().next_back());
        ends.map_or(0.0, |(first, last)| (last - first + 1) as f64 / 24.0)
    }

    /// The highest point, in words.
    pub(super) fn peak_words(&self) -> String {
        format!("{} {}", self.peak.dimension, self.peak.words)
    }
}
