//! Predictive rules on the wire, as they are answered.

use reeve_estate::{DataSize, TimeSpan};
use reeve_predict::PredictiveRule;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{
    PredictedEvent, PredictionMetric, PreparationKind, RuleApprovalKind,
};
use crate::wire::form::quantity::{DataSizeText, Spelled, TimeSpanText};

/// Condition under which a rule fires.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConditionBody {
    /// `disk_space`, `database_connections`, `api_rate_limit`, `request_rate`, `cpu_utilization`,
    /// `memory_utilization`, `network_in`, `network_out`, `disk_read_ops`, `disk_write_ops`,
    /// `cpu_credit_balance`; absent with `event`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<PredictionMetric>,
    pub prediction: PredictedEvent,
    /// The capacity (absent: the resource's own), the value, or for `spike` the percentage above
    /// the usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Calendars; empty is all of the fitting kind.
    pub calendars: Vec<String>,
    /// Time ahead that the forecast covers; `0m` asks the newest value alone.
    pub horizon: TimeSpanText,
    /// Probability from which it counts as foreseen, percent.
    pub probability: f64,
}

/// Action that a predictive rule recommends.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuleActionBody {
    pub kind: PreparationKind,
    /// By how much storage or a limit grows, percent.
    pub step_percent: f64,
    /// Call of the action at AWS: for `request_limit_increase` a quota of Service Quotas
    /// (`ec2/L-1216C47A`), for `warm_cache` a document of Systems Manager (`reeve-warm-cache`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// Approval that the action of a predictive rule needs.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ApprovalRuleBody {
    pub kind: RuleApprovalKind,
    /// With the kind `auto_below`: size after the change below which nobody is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_below: Option<DataSizeText>,
    /// `auto_below` in gigabytes (10^9 bytes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_gb: Option<f64>,
}

/// Scope of a rule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuleScopeBody {
    /// Accounts; empty is all.
    pub accounts: Vec<String>,
    /// Services; empty is all.
    pub services: Vec<String>,
}

/// A predictive rule: condition, action, approval and scope.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuleBody {
    pub id: String,
    pub name: String,
    /// `true` if it is evaluated.
    pub enabled: bool,
    /// The type of agent in whose name it recommends.
    pub agent_type: String,
    /// Condition under which it fires.
    pub condition: ConditionBody,
    pub action: RuleActionBody,
    /// Under which approval. The approval matrix still asks by cost.
    pub approval: ApprovalRuleBody,
    pub scope: RuleScopeBody,
    /// Resources it covers; empty is all in scope.
    pub resources: Vec<String>,
    /// Time between two evaluations of the rule.
    pub every: TimeSpanText,
    /// Time of the last evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluated_at: Option<String>,
    /// Result of that evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_result: Option<String>,
    /// User who created it.
    pub created_by: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

fn span(seconds: i64) -> TimeSpanText {
    Spelled(TimeSpan::from_seconds(u64::try_from(seconds).unwrap_or(0)))
}

impl From<&PredictiveRule> for RuleBody {
    fn from(rule: &PredictiveRule) -> Self {
        let condition = &rule.condition;
        RuleBody {
            id: rule.id.0.clone(),
            name: rule.name.clone(),
            enabled: rule.enabled,
            agent_type: rule.agent_type.as_str().to_owned(),
            condition: ConditionBody {
                metric: condition.signal.map(Into::into),
                prediction: condition.foreseen.into(),
                value: condition.value,
                calendars: condition.calendars.iter().map(|id| id.0.clone()).collect(),
                horizon: span(condition.horizon_s),
                probability: condition.probability_percent,
            },
            action: RuleActionBody {
                kind: rule.response.kind.into(),
                step_percent: rule.response.step_percent,
                target: rule.response.call.as_ref().map(ToString::to_string),
            },
            approval: ApprovalRuleBody {
                kind: rule.approval.kind.into(),
                auto_below: rule
                    .approval
                    .below_gb
                    .and_then(DataSize::from_gigabytes)
                    .map(Spelled),
                below_gb: rule.approval.below_gb,
            },
            scope: RuleScopeBody {
                accounts: rule.scope.accounts.clone(),
                services: rule.scope.services.clone(),
            },
            resources: rule.resources.clone(),
            every: span(rule.every_s),
            evaluated_at: rule.evaluated_at.map(time::text),
            last_result: rule.last_result.clone(),
            created_by: rule.created_by.clone(),
            created_at: time::text(rule.created_at),
            updated_at: time::text(rule.updated_at),
            version: rule.version,
        }
    }
}
