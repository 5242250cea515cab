//! The tables of metrics on the wire: those of resources, and those that predictive rules watch.

use reeve_predict::Signal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::form::enumeration::{Metric, MetricDirection, PredictionMetric, Unit};

/// Names and units of metrics.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricTablesBody {
    /// Metrics that resources have.
    pub metrics: Vec<MetricBody>,
    /// Metrics that predictive rules watch.
    pub predictive: Vec<PredictiveMetricBody>,
}

/// A metric of resources.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricBody {
    pub metric: Metric,
    /// Name for people, as the beginning of a sentence.
    pub label: &'static str,
    /// `true` if a sentence about the label has its verb in the plural.
    pub is_plural: bool,
    /// Unit of its samples.
    pub unit: Unit,
    /// Types of resources of which it is read from clouds.
    pub resource_types: Vec<&'static str>,
}

/// A metric that predictive rules watch.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PredictiveMetricBody {
    pub metric: PredictionMetric,
    /// Name for people, as the beginning of a sentence.
    pub label: &'static str,
    /// Unit of a rule's value.
    pub unit: Unit,
    /// Metric whose samples are forecast.
    pub samples: Metric,
    /// Types of resources of which another metric is forecast.
    pub exceptions: Vec<PredictiveExceptionBody>,
    /// Direction in which values become a problem.
    pub worse: MetricDirection,
}

/// A type of resources of which another metric is forecast.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PredictiveExceptionBody {
    pub resource_type: &'static str,
    pub samples: Metric,
}

impl MetricTablesBody {
    /// Returns both tables of metrics.
    #[must_use]
    pub fn new() -> MetricTablesBody {
        let metrics = reeve_estate::Metric::all().into_iter();
        MetricTablesBody {
            metrics: metrics.map(MetricBody::from).collect(),
            predictive: Signal::ALL.iter().copied().map(Into::into).collect(),
        }
    }
}

impl Default for MetricTablesBody {
    fn default() -> Self {
        MetricTablesBody::new()
    }
}

impl From<reeve_estate::Metric> for MetricBody {
    fn from(metric: reeve_estate::Metric) -> Self {
        let row = metric.row();
        MetricBody {
            metric: metric.into(),
            label: row.label,
            is_plural: row.is_plural,
            unit: row.unit.into(),
            resource_types: row.kinds.iter().map(|kind| kind.as_str()).collect(),
        }
    }
}

impl From<Signal> for PredictiveMetricBody {
    fn from(signal: Signal) -> Self {
        let row = signal.row();
        let exceptions = row
            .except
            .iter()
            .map(|(kind, samples)| PredictiveExceptionBody {
                resource_type: kind.as_str(),
                samples: (*samples).into(),
            });

        PredictiveMetricBody {
            metric: signal.into(),
            label: signal.label(),
            unit: row.metric.unit().into(),
            samples: row.metric.into(),
            exceptions: exceptions.collect(),
            worse: row.worse.into(),
        }
    }
}
