//! Objectives of services on the wire.

use reeve_engine::ObjectiveCourse;
use reeve_estate::Metric;
use reeve_recommend::objective::budget::ObjectiveBudget;
use reeve_recommend::objective::{Objective, ObjectiveStanding, Service};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;

/// A tag that resources of a service have.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceTagBody {
    pub name: String,
    pub value: String,
}

/// Service of an objective: either a resource or a tag.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ObjectiveServiceBody {
    /// Load balancer, scaling group, database or queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// Tag of load balancers, databases and queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<ServiceTagBody>,
}

/// An objective as it is sent.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveSettings {
    /// Name that no other objective has.
    pub name: String,
    pub service: ObjectiveServiceBody,
    /// `response_time`, `error_rate`, `queue_depth` or `user_experience_score`.
    #[schema(example = "response_time")]
    pub metric: String,
    /// Value that the metric keeps to: seconds of `response_time`, percent of `error_rate`, messages
    /// of `queue_depth`, and the least percent of `user_experience_score`.
    #[schema(example = 0.2)]
    pub target: f64,
    /// Share of the time in which the target has to be met, percent, 50 to 99.99.
    #[schema(example = 99.0)]
    pub share_percent: f64,
    /// Days over which the share is counted: 7, 28 or 30.
    #[schema(example = 28)]
    pub window_days: i64,
    /// With a change: the version that was read.
    pub version: Option<u64>,
}

/// Error budget of an objective.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ObjectiveBudgetBody {
    /// Share of the budget that is left, percent; negative where more was used than there was.
    pub left_percent: f64,
    /// Use over the last five minutes, as a multiple of what uses the budget up at the end of the
    /// window.
    pub burn_five_minutes: f64,
    /// The same over half an hour.
    pub burn_half_hour: f64,
    /// The same over an hour.
    pub burn_hour: f64,
    /// The same over six hours.
    pub burn_six_hours: f64,
    /// Five-minute periods of the window that missed the target.
    pub bad_periods: u64,
    /// Periods of the window that were measured.
    pub periods: u64,
    /// `true` if the budget is used up, or is used too fast to last.
    pub is_broken: bool,
}

/// State of an objective when it was last measured.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ObjectiveStandingBody {
    pub measured_at: String,
    /// Resources of the service that have the metric; at most 50 are measured.
    pub resources: u64,
    /// Resources of these with samples in the window.
    pub measured: u64,
    /// Error budget; absent where less than a day was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<ObjectiveBudgetBody>,
    /// Time since which the budget is used too fast to last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burning_since: Option<String>,
}

/// An objective with its standing.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ObjectiveBody {
    pub id: String,
    pub name: String,
    pub service: ObjectiveServiceBody,
    pub metric: String,
    /// Value that the metric keeps to, in the metric's unit.
    pub target: f64,
    /// `true` if values below the target miss it; else those above do.
    pub is_least: bool,
    /// Share of the time in which the target has to be met, percent.
    pub share_percent: f64,
    pub window_days: i64,
    /// Standing; absent until the objective was measured since its last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<ObjectiveStandingBody>,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows with every change.
    pub version: u64,
}

/// A resource that an objective is measured at.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ObjectiveResourceBody {
    pub id: String,
    pub name: String,
}

/// Metric and budget of a stretch of the window.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ObjectivePointBody {
    /// Beginning of the stretch.
    pub at: String,
    /// Mean value of the metric.
    pub mean: f64,
    /// Value that is furthest on the side that misses the target.
    pub worst: f64,
    /// Share of the budget that was left at the end of the stretch, percent.
    pub left_percent: f64,
    /// Use in the stretch, as a multiple of what uses the budget up at the end of the window.
    pub burn: f64,
}

/// Course of an objective over its window.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ObjectiveCourseBody {
    /// Resources that the objective is measured at.
    pub resources: Vec<ObjectiveResourceBody>,
    /// Stretches with samples, the oldest first.
    pub points: Vec<ObjectivePointBody>,
}

impl From<&Service> for ObjectiveServiceBody {
    fn from(service: &Service) -> Self {
        match service {
            Service::Resource(id) => ObjectiveServiceBody {
                resource_id: Some(id.0.clone()),
                tag: None,
            },
            Service::Tag { name, value } => ObjectiveServiceBody {
                resource_id: None,
                tag: Some(ServiceTagBody {
                    name: name.clone(),
                    value: value.clone(),
                }),
            },
        }
    }
}

impl From<&ObjectiveBudget> for ObjectiveBudgetBody {
    fn from(budget: &ObjectiveBudget) -> Self {
        ObjectiveBudgetBody {
            left_percent: budget.left * 100.0,
            burn_five_minutes: budget.burn.five_minutes,
            burn_half_hour: budget.burn.half_hour,
            burn_hour: budget.burn.hour,
            burn_six_hours: budget.burn.six_hours,
            bad_periods: budget.bad_periods,
            periods: budget.periods,
            is_broken: budget.is_broken(),
        }
    }
}

impl From<&ObjectiveStanding> for ObjectiveStandingBody {
    fn from(standing: &ObjectiveStanding) -> Self {
        ObjectiveStandingBody {
            measured_at: time::text(standing.measured_at),
            resources: standing.resources,
            measured: standing.measured,
            budget: standing.budget.as_ref().map(ObjectiveBudgetBody::from),
            burning_since: standing.burning_since.map(time::text),
        }
    }
}

impl ObjectiveBody {
    /// Returns the wire form of an objective.
    pub(crate) fn new(objective: &Objective, standing: Option<&ObjectiveStanding>) -> Self {
        ObjectiveBody {
            id: objective.id.0.clone(),
            name: objective.name.clone(),
            service: ObjectiveServiceBody::from(&objective.service),
            metric: objective.metric.as_str().to_owned(),
            target: objective.target,
            is_least: Objective::is_least(objective.metric),
            share_percent: objective.share_percent,
            window_days: objective.window_days,
            standing: standing.map(ObjectiveStandingBody::from),
            created_at: time::text(objective.created_at),
            updated_at: time::text(objective.updated_at),
            version: objective.version,
        }
    }
}

impl From<ObjectiveCourse> for ObjectiveCourseBody {
    fn from(course: ObjectiveCourse) -> Self {
        let resources = course.resources.into_iter();
        let at = |ms| jiff::Timestamp::from_millisecond(ms).unwrap_or_default();
        let points = course.points.iter().map(|point| ObjectivePointBody {
            at: time::text(at(point.at_ms)),
            mean: point.mean,
            worst: point.worst,
            left_percent: point.left * 100.0,
            burn: point.burn,
        });
        ObjectiveCourseBody {
            resources: resources
                .map(|(id, name)| ObjectiveResourceBody { id: id.0, name })
                .collect(),
            points: points.collect(),
        }
    }
}

/// Greatest target of a metric, in its unit.
pub(crate) fn greatest_target(metric: Metric) -> f64 {
    match metric {
        Metric::ErrorRate | Metric::UserExperienceScore => 100.0,
        Metric::ResponseTime => 3600.0,
        _ => 1e9,
    }
}
