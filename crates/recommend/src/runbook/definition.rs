//! A runbook with its parts, and the resources and metrics that it is about.

use std::sync::LazyLock;

use jiff::Timestamp;
use reeve_estate::{Metric, Provider, ResourceKind, TimeSpan};
use serde::{Deserialize, Serialize};

use super::breaker::BreakerLimits;
use super::condition::{SeriesOf, Test};
use super::name::RunbookName;
use super::remedy::RunbookRemedy;
use super::sample::RunbookSample;
use crate::recommendation::Priority;

/// Runbook of people as it is stored: the text, which is read anew by each release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenRunbook {
    pub name: RunbookName,
    /// Text in the form of the files of `catalogue/runbooks`.
    pub source: String,
    /// E-mail address of the person who changed it last.
    pub changed_by: String,
    pub changed_at: Timestamp,
    /// Grows with every change; stores compare it before they write.
    pub version: u64,
}

/// A known issue with its remedy.
#[derive(Debug, Clone, PartialEq)]
pub struct Runbook {
    pub name: RunbookName,
    /// The issue in a few words that follow the name of a resource in titles.
    pub title: String,
    pub description: String,
    /// Kind of the resources that have the issue.
    pub kind: ResourceKind,
    /// Cloud that it is limited to.
    pub provider: Option<Provider>,
    pub priority: Priority,
    /// Tests that all have to hold.
    pub when: Vec<Test>,
    pub remedy: RunbookRemedy,
    /// Steps for people: where there is no change, and once a breaker is open.
    pub advice: String,
    /// Time after the change at which the condition must hold no longer.
    pub verify_after: TimeSpan,
    pub breaker: BreakerLimits,
    /// Readings for which it is known whether the condition holds.
    pub samples: Vec<RunbookSample>,
    /// The text that it was read from.
    pub source: String,
    /// Form in which people wrote it; `None` for one of the program, which people cannot change.
    pub written: Option<WrittenRunbook>,
}

/// Kinds of resources that runbooks may be about: those with metrics, and those whose configuration
/// tells of a failure.
#[must_use]
pub fn kinds() -> &'static [ResourceKind] {
    const FURTHER: [&str; 6] = [
        "scaling_group",
        "encryption_key",
        "trail",
        "configuration_recorder",
        "cache_cluster",
        "stream",
    ];
    static KINDS: LazyLock<Vec<ResourceKind>> = LazyLock::new(|| {
        let further = FURTHER.iter().filter_map(|name| ResourceKind::parse(name));
        let mut all: Vec<ResourceKind> = ResourceKind::measured().chain(further).collect();
        all.sort_unstable_by_key(|kind| kind.as_str());
        all.dedup();
        all
    });
    &KINDS
}

impl Runbook {
    /// Returns `true` if resources of the kind and cloud may have the issue.
    #[must_use]
    pub fn covers(&self, kind: ResourceKind, provider: Provider) -> bool {
        self.kind == kind && self.provider.is_none_or(|own| own == provider)
    }

    /// Metrics of the condition, with the resource that they are of.
    pub fn metrics(&self) -> impl Iterator<Item = (SeriesOf, Metric)> {
        self.when.iter().filter_map(|test| match test {
            Test::Metric(metric) => Some((metric.of, metric.metric)),
            _ => None,
        })
    }

    /// Days of the log whose uses the condition counts.
    pub fn log_days(&self) -> impl Iterator<Item = u32> {
        self.when.iter().filter_map(|test| match test {
            Test::Log(log) => Some(log.days),
            _ => None,
        })
    }

    /// Returns the runbook as its verification reads it: an issue is over once each metric is back,
    /// not once it is at the limit where the issue began.
    #[must_use]
    pub fn verification(&self) -> Runbook {
        let mut strict = self.clone();
        for test in &mut strict.when {
            if let Test::Metric(metric) = test {
                metric.limit = metric.clears_at;
            }
        }
        strict
    }

    /// Time that samples must cover for the condition to be decided.
    #[must_use]
    pub fn lookback(&self) -> TimeSpan {
        let needed = self.when.iter().map(|test| match test {
            Test::Metric(metric) => metric.over.seconds() + metric.dwell.seconds(),
            _ => 0,
        });
        TimeSpan::from_seconds(needed.max().unwrap_or(0))
    }
}
