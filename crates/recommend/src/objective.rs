//! Objectives that people set for services: a target of one metric, the share of the time in which
//! it has to be met, and the window over which the share is counted.
//!
//! An objective is about one resource or about every resource with a tag. Its error budget follows
//! from the samples ([`budget`]). Nothing here runs; the engine measures objectives, and
//! `performance_optimizer` reads them as a fact ([`MeasuredObjectives`]).

pub mod budget;
pub mod course;
mod log_entry;
mod port;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_estate::{Metric, Resource, ResourceId, ResourceKind};
use reeve_learn::{DAY_MS, Window};
use serde::{Deserialize, Serialize};

use crate::words::{figures, percent};
use budget::ObjectiveBudget;

pub use log_entry::burn_entry;
pub use port::ObjectiveStore;

/// Objectives that can be stored at most.
pub const MOST_OBJECTIVES: u64 = 200;
/// Resources of one objective that are measured at most.
pub const MOST_RESOURCES: usize = 50;
/// Metrics that an objective may be about.
pub const METRICS: [Metric; 4] = [
    Metric::ResponseTime,
    Metric::ErrorRate,
    Metric::QueueDepth,
    Metric::UserExperienceScore,
];
/// Kinds of resources that are measured for a tag.
pub const KINDS: [ResourceKind; 3] = [
    ResourceKind::LoadBalancer,
    ResourceKind::Database,
    ResourceKind::Queue,
];
/// Days that the window of an objective may have.
pub const WINDOWS: [i64; 3] = [7, 28, 30];

/// Identifier of an objective.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectiveId(pub String);

/// Service that an objective is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// One resource. A scaling group is measured at the load balancers that lead to its members
    /// alone.
    Resource(ResourceId),
    /// Load balancers, databases and queues with a tag of this name and value.
    Tag { name: String, value: String },
}

impl Service {
    /// Returns `true` if a tag of the resource makes it part of the service.
    #[must_use]
    pub fn has_tagged(&self, resource: &Resource) -> bool {
        match self {
            Service::Resource(_) => false,
            Service::Tag { name, value } => {
                KINDS.contains(&resource.kind) && resource.tags.get(name) == Some(value)
            }
        }
    }
}

/// Objective of a service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    pub id: ObjectiveId,
    /// Unique among all objectives.
    pub name: String,
    pub service: Service,
    pub metric: Metric,
    /// Value that the metric keeps to, in the metric's unit: the least `user_experience_score`, the
    /// most of the others.
    pub target: f64,
    /// Share of the time in which the target has to be met, percent.
    pub share_percent: f64,
    pub window_days: i64,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows with every change.
    pub version: u64,
}

impl Objective {
    /// Returns `true` if values below the target miss it; else those above do.
    #[must_use]
    pub fn is_least(metric: Metric) -> bool {
        metric == Metric::UserExperienceScore
    }

    /// Returns `true` if a value misses the target.
    #[must_use]
    pub fn is_bad(&self, value: f64) -> bool {
        match Objective::is_least(self.metric) {
            true => value < self.target,
            false => value > self.target,
        }
    }

    /// Returns the share of the periods that may be bad, 0 to 1.
    #[must_use]
    pub fn allowed(&self) -> f64 {
        1.0 - self.share_percent / 100.0
    }

    /// Returns the window that ends at a time.
    #[must_use]
    pub fn window(&self, now: Timestamp) -> Window {
        Window::ending(now.as_millisecond(), self.window_days * DAY_MS)
    }

    /// The target in words: `response_time at most 200 ms`.
    #[must_use]
    pub fn target_words(&self) -> String {
        let side = match Objective::is_least(self.metric) {
            true => "at least",
            false => "at most",
        };
        let target = match self.metric {
            Metric::ResponseTime => format!("{} ms", figures(self.target * 1000.0)),
            Metric::QueueDepth => format!("{} messages", figures(self.target)),
            _ => percent(self.target),
        };
        format!("{} {side} {target}", self.metric)
    }
}

/// State of an objective when it was last measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveStanding {
    pub measured_at: Timestamp,
    /// Resources of the service.
    pub resources: u64,
    /// Resources of the service that the metric was measured of.
    pub measured: u64,
    /// Error budget; `None` where less than a day was measured.
    pub budget: Option<ObjectiveBudget>,
    /// Time since which the budget burns too fast to last.
    pub burning_since: Option<Timestamp>,
    /// `true` if the log has the entry of `burning_since`.
    pub is_recorded: bool,
}

/// An objective with the resources that it was measured at, for one run of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredObjective {
    pub objective: Objective,
    pub budget: Option<ObjectiveBudget>,
    /// Resources whose samples the budget counts.
    pub resources: BTreeSet<ResourceId>,
    /// Resources of these with a bad period in the last day.
    pub bad: BTreeSet<ResourceId>,
}

impl MeasuredObjective {
    /// The objective and its budget in one sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let objective = &self.objective;
        let promise = format!(
            "objective {}: {} {} % of the time over {} days",
            objective.name,
            objective.target_words(),
            figures(objective.share_percent),
            objective.window_days
        );
        match &self.budget {
            Some(budget) => format!("{promise}: {}", budget.words()),
            None => format!("{promise}: not measured for a day"),
        }
    }
}

/// Objectives that concern a resource, as a fact: those measured at it; for a scaling group, those
/// measured anywhere, of which [`MeasuredObjectives::at`] selects.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeasuredObjectives(pub Vec<Arc<MeasuredObjective>>);

impl MeasuredObjectives {
    /// Returns the objectives measured at one of these resources.
    pub fn at<'a>(
        &'a self,
        resources: &'a [&'a ResourceId],
    ) -> impl Iterator<Item = &'a MeasuredObjective> {
        self.0.iter().map(AsRef::as_ref).filter(move |one| {
            let is_measured = |id: &&ResourceId| one.resources.contains(*id);
            resources.iter().any(is_measured)
        })
    }
}
