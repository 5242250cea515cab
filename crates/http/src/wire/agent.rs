//! Agents on the wire: the specification's configuration record and an agent's status.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::agent_settings::SettingBody;

/// An agent type of the specification.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentTypeBody {
    /// Name (`cost_optimizer`).
    pub name: String,
    /// What it is for, one sentence.
    pub description: String,
    /// Capabilities: name and value.
    pub capabilities: BTreeMap<String, String>,
    /// Actions: name and value.
    pub actions: BTreeMap<String, String>,
    /// Further settings: name and value.
    pub settings: BTreeMap<String, String>,
    /// Settings that can be changed for each agent of the type.
    pub configurable: Vec<SettingBody>,
    /// Whether an agent of the type can be configured in this release.
    pub available: bool,
    /// Source of its findings in this release: `runs`, `anomalies`, `predictive_rules`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<String>,
}

/// Accounts and services that a scope may name.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScopeChoicesBody {
    /// Connected accounts; a scope names the connection or the account.
    pub accounts: Vec<AccountChoiceBody>,
    /// Services of the inventory.
    pub services: Vec<ServiceChoiceBody>,
}

/// A connected account.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AccountChoiceBody {
    /// The connection's name.
    pub connection: String,
    /// The provider's account, subscription or project.
    pub account: String,
    /// Resources that the inventory has of it.
    pub resources: u64,
}

/// A service of the inventory.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ServiceChoiceBody {
    /// Name (`ec2`, `rds`, ...).
    pub name: String,
    /// Resources that the inventory has of it.
    pub resources: u64,
}

/// What an agent covers. An empty list is everything.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeBody {
    /// Account identifiers or connection names.
    #[serde(default)]
    pub accounts: Vec<String>,
    /// Service names (`ec2`, `rds`, ...).
    #[serde(default)]
    pub services: Vec<String>,
}

/// Acting by itself.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoApplyBody {
    /// Whether the agent may apply changes.
    #[serde(default)]
    pub enabled: bool,
    /// Highest impact applied automatically: `low`, `medium`, `high`.
    #[schema(default = "low")]
    pub max_impact: Option<String>,
    /// Impact level from which an approval is needed: `medium_impact`, `high_impact` (or `medium`, `high`).
    #[schema(default = "high_impact")]
    pub approval_required: Option<String>,
}

/// When notices go out: `immediate`, `daily_digest`, `weekly_digest`, `never`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationsBody {
    /// Of new recommendations.
    #[schema(default = "daily_digest")]
    pub recommendations: Option<String>,
    /// Of actions.
    #[schema(default = "immediate")]
    pub actions_taken: Option<String>,
    /// Of anomalies.
    #[schema(default = "immediate")]
    pub anomalies: Option<String>,
}

/// A new agent. What is left out gets its default.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentCreate {
    /// Agent type.
    pub agent_type: String,
    /// Display name.
    pub name: String,
    /// `learning` (default), `safe_mode`, `active`.
    pub mode: Option<String>,
    /// What it covers.
    #[serde(default)]
    pub scope: ScopeBody,
    /// Days, as `14d`.
    #[schema(default = "14d")]
    pub learning_period: Option<String>,
    /// Percent as `85%` or `85`, 0 to 100.
    #[schema(value_type = Option<String>, default = "85%")]
    pub confidence_threshold: Option<serde_json::Value>,
    /// Acting by itself.
    pub auto_apply: Option<AutoApplyBody>,
    /// Notices.
    pub notifications: Option<NotificationsBody>,
    /// When it runs: a cron pattern of five fields; empty is Reeve's own interval.
    pub schedule: Option<String>,
    /// The schedule's IANA time zone; the workspace's unless given, else UTC.
    pub schedule_time_zone: Option<String>,
    /// Thresholds and windows of the agent type, nested (`{"downsize_underutilized": {"cpu_below": "20%"}}`); null takes one back to its
    /// default.
    #[schema(value_type = Option<Object>)]
    pub settings: Option<serde_json::Map<String, serde_json::Value>>,
    /// Why, when the mode skips the learning period.
    pub reason: Option<String>,
}

/// A change of configuration. What is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentPatch {
    /// Display name.
    pub name: Option<String>,
    /// Mode.
    pub mode: Option<String>,
    /// What it covers.
    pub scope: Option<ScopeBody>,
    /// Days, as `14d`.
    pub learning_period: Option<String>,
    /// Percent as `85%` or `85`.
    #[schema(value_type = Option<String>)]
    pub confidence_threshold: Option<serde_json::Value>,
    /// Acting by itself.
    pub auto_apply: Option<AutoApplyBody>,
    /// Notices.
    pub notifications: Option<NotificationsBody>,
    /// When it runs: a cron pattern of five fields; empty is Reeve's own interval.
    pub schedule: Option<String>,
    /// The schedule's IANA time zone; the workspace's unless given, else UTC.
    pub schedule_time_zone: Option<String>,
    /// Thresholds and windows of the agent type, nested (`{"downsize_underutilized": {"cpu_below": "20%"}}`); null takes one back to its
    /// default.
    #[schema(value_type = Option<Object>)]
    pub settings: Option<serde_json::Map<String, serde_json::Value>>,
    /// Why, when the mode skips the learning period.
    pub reason: Option<String>,
}

/// An agent and where it stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentBody {
    /// Identifier.
    pub id: String,
    /// Agent type.
    pub agent_type: String,
    /// Display name.
    pub name: String,
    /// Mode.
    pub mode: String,
    /// What it covers.
    pub scope: ScopeBody,
    /// Days, as `14d`.
    pub learning_period: String,
    /// Percent, 0 to 100.
    pub confidence_threshold: f64,
    /// Acting by itself.
    pub auto_apply: AutoApplyBody,
    /// Notices.
    pub notifications: NotificationsBody,
    /// When it runs: a cron pattern; absent is Reeve's own interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// The schedule's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_time_zone: Option<String>,
    /// Thresholds and windows of its type that hold for it, nested.
    #[schema(value_type = Object)]
    pub settings: serde_json::Value,
    /// Why it went active before its learning period was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_waived: Option<String>,
    /// Grows by one with every change.
    pub version: u64,
    /// When it was made.
    pub created_at: String,
    /// Where it stands.
    pub status: AgentStatusBody,
}

/// Where an agent stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentStatusBody {
    /// `idle` or `running`.
    pub state: String,
    /// Days of the learning period that are over.
    pub learning_days: f64,
    /// Share of the learning period that is over, percent.
    pub learning_percent: f64,
    /// The last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunBody>,
    /// When it runs next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<String>,
    /// Its recommendations that are not ended.
    pub open_recommendations: u64,
}

/// One run.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunBody {
    /// Identifier.
    pub run_id: String,
    /// Start.
    pub started_at: String,
    /// End.
    pub finished_at: String,
    /// Resources looked at.
    pub resources_seen: u64,
    /// Recommendations made or refreshed.
    pub recommendations: u64,
    /// Applied by itself.
    pub applied: u64,
    /// What was skipped and why.
    pub skipped: Vec<SkippedBody>,
    /// What failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Skipped resources by reason.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SkippedBody {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
}
