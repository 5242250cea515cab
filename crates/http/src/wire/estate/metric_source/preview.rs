//! Previews of mapping rules on the wire.

use std::collections::BTreeMap;

use reeve_sources::{Match, Preview, RulePreview};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wire::estate::metric_source::MappingRuleBody;

/// Request for a preview.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricPreviewRequest {
    /// Rules to try; the stored ones unless given.
    pub rules: Option<Vec<MappingRuleBody>>,
}

/// A series that a rule selects.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SeriesMatchBody {
    /// Labels of the series.
    pub labels: BTreeMap<String, String>,
    /// Its value in the metric's unit; absent where one point does not tell it.
    pub value: Option<f64>,
    /// Resource that it belongs to.
    pub resource_id: Option<String>,
    /// Name of that resource.
    pub resource_name: Option<String>,
    /// Reason why it belongs to none.
    pub reason: Option<String>,
}

impl From<&Match> for SeriesMatchBody {
    fn from(found: &Match) -> Self {
        let resource = found.outcome.as_ref().ok();
        SeriesMatchBody {
            labels: found
                .labels
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            value: found.value,
            resource_id: resource.map(|resource| resource.id.0.clone()),
            resource_name: resource.map(|resource| resource.name.clone()),
            reason: found.outcome.as_ref().err().map(ToString::to_string),
        }
    }
}

/// Series of a rule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RulePreviewBody {
    /// Series that the rule selects.
    pub series: u64,
    /// Those of them that belong to a resource.
    pub mapped: u64,
    /// Resources that they belong to.
    pub resources: u64,
    /// The first of the series, with and without a resource.
    pub matches: Vec<SeriesMatchBody>,
}

impl From<&RulePreview> for RulePreviewBody {
    fn from(rule: &RulePreview) -> Self {
        let matches = rule.matches.iter().map(Into::into).collect();
        RulePreviewBody {
            series: rule.series,
            mapped: rule.mapped,
            resources: rule.resources,
            matches,
        }
    }
}

/// Metric that no rule selects.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct UnselectedBody {
    /// Name of the metric.
    pub name: String,
    /// Number of its series.
    pub series: u64,
}

/// Result of rules on the series of a source: those that were pushed in the last 15 minutes, or
/// that the server has now.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricPreviewBody {
    /// By rule, in order.
    pub rules: Vec<RulePreviewBody>,
    /// Metrics that were pushed and that no rule selects.
    pub unselected: Vec<UnselectedBody>,
    /// `true` if nothing was left out.
    pub complete: bool,
}

impl From<&Preview> for MetricPreviewBody {
    fn from(preview: &Preview) -> Self {
        let unselected = preview.unselected.iter();
        MetricPreviewBody {
            rules: preview.rules.iter().map(Into::into).collect(),
            unselected: unselected
                .map(|(name, series)| UnselectedBody {
                    name: name.clone(),
                    series: *series,
                })
                .collect(),
            complete: preview.complete,
        }
    }
}
