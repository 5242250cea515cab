//! Agents on the wire: the configuration record and an agent's status.

pub mod emergency;
pub mod model;
pub mod portfolio;
pub mod preview;
pub mod settings;
pub mod workload;

use std::collections::BTreeMap;

use reeve_recommend::agent::type_table::{AgentTypeInfo, TableValue, decided_by};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::wire::agent::portfolio::PortfolioBody;
use crate::wire::agent::settings::SettingBody;
use crate::wire::form::enumeration;
use crate::wire::form::enumeration::{AgentFindingSource, AgentMode, AgentRunExtent};
use crate::wire::form::object::{object, optional_object};
use crate::wire::form::quantity::PercentText;

/// An agent type with its capabilities and actions.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentTypeBody {
    pub name: String,
    pub description: String,
    /// Capabilities: name and value (`true`, `30d_historical`).
    #[schema(value_type = Object)]
    pub capabilities: Map<String, Value>,
    /// Actions: name and value (`true`, `CPU below 20% for 14 days`).
    #[schema(value_type = Object)]
    pub actions: Map<String, Value>,
    /// Further settings, nested (`learning.interruption_history` is an
    /// `interruption_history` within `learning`).
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// Settings that can be changed for each agent of the type.
    pub configurable: Vec<SettingBody>,
    /// Settings that decide a capability or action, by its path
    /// (`actions.downsize_underutilized`): a field of an agent
    /// (`settings.downsize_underutilized.cpu_below`, `mode`), or a resource of this interface with
    /// its field (`intelligence/traffic-intelligence#pre_scale`).
    pub decided_by: BTreeMap<String, Vec<&'static str>>,
    /// Paths of the values that no setting decides: they describe what agents of the type do.
    pub described: Vec<String>,
    /// An agent of the type can be configured in this release.
    pub available: bool,
    /// Source of its findings in this release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<AgentFindingSource>,
}

impl AgentTypeBody {
    /// Returns the wire form of an agent type with the settings that its agents can change.
    #[must_use]
    pub fn new(info: &AgentTypeInfo, configurable: Vec<SettingBody>) -> Self {
        let parts = [
            ("capabilities", info.capabilities),
            ("actions", info.actions),
            ("settings", info.settings),
        ];

        let paths = parts.iter().flat_map(|(place, values)| {
            values
                .iter()
                .map(move |(name, _)| format!("{place}.{name}"))
        });

        let (decided, described): (Vec<_>, Vec<_>) = paths
            .map(|path| (decided_by(info.agent_type, &path).to_vec(), path))
            .partition(|(settings, _)| !settings.is_empty());
        AgentTypeBody {
            decided_by: decided
                .into_iter()
                .map(|(settings, path)| (path, settings))
                .collect(),
            described: described.into_iter().map(|(_, path)| path).collect(),
            name: info.agent_type.as_str().to_owned(),
            description: info.description.to_owned(),
            capabilities: nested(info.capabilities),
            actions: nested(info.actions),
            settings: nested(info.settings),
            configurable,
            available: info.findings.is_some(),
            findings: info.findings.map(Into::into),
        }
    }
}

/// Returns the values by name; the dots of a path become nesting.
fn nested(values: &[(&str, TableValue)]) -> Map<String, Value> {
    let mut whole = Map::new();
    for (path, value) in values {
        let value = match value {
            TableValue::Flag(flag) => Value::from(*flag),
            TableValue::Text(text) => Value::from(*text),
            TableValue::List(texts) => Value::from(texts.to_vec()),
        };
        let (within, name) = path
            .split_once('.')
            .map_or((None, *path), |(within, name)| (Some(within), name));
        match within {
            None => whole.insert(name.to_owned(), value),
            Some(within) => {
                let inner = whole
                    .entry(within)
                    .or_insert_with(|| Value::Object(Map::new()));
                inner
                    .as_object_mut()
                    .and_then(|inner| inner.insert(name.to_owned(), value))
            }
        };
    }

    whole
}

/// Accounts and services that a scope may name.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScopeChoicesBody {
    /// Connected accounts; a scope names the connection or the account.
    pub accounts: Vec<AccountChoiceBody>,
    /// Services of the inventory.
    pub services: Vec<ServiceChoiceBody>,
}

/// An account that a scope may name, with its connection.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AccountChoiceBody {
    /// Name of the connection, not its identifier.
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

/// Scope of an agent. An empty list is everything.
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

/// A change of what an agent covers. What is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopePatch {
    /// Account identifiers or connection names; an empty list is every account.
    pub accounts: Option<Vec<String>>,
    /// Service names; an empty list is every service.
    pub services: Option<Vec<String>>,
}

/// Conditions under which the agent applies findings by itself.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoApplyBody {
    /// The agent may apply changes without being asked; left out in a change it stays.
    pub enabled: Option<bool>,
    /// Highest impact applied automatically: `low`, `medium`, `high`.
    #[schema(default = "low")]
    #[schema(value_type = Option<enumeration::ImpactLevel>)]
    pub max_impact: Option<String>,
    /// Impact level from which an approval is needed: `medium_impact`, `high_impact` (or `medium`,
    /// `high`).
    #[schema(default = "high_impact")]
    pub approval_required: Option<String>,
}

/// Delivery timings of notices: `immediate`, `daily_digest`, `weekly_digest`, `never`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationsBody {
    /// Notification of new recommendations.
    #[schema(default = "daily_digest")]
    #[schema(value_type = Option<enumeration::NotificationTiming>)]
    pub recommendations: Option<String>,
    #[schema(default = "immediate")]
    #[schema(value_type = Option<enumeration::NotificationTiming>)]
    pub actions_taken: Option<String>,
    #[schema(default = "immediate")]
    #[schema(value_type = Option<enumeration::NotificationTiming>)]
    pub anomalies: Option<String>,
}

/// A new agent. What is left out gets its default.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentCreate {
    pub agent_type: String,
    pub name: String,
    /// `learning` (default), `safe_mode`, `active`.
    #[schema(value_type = Option<enumeration::AgentMode>)]
    pub mode: Option<String>,
    #[serde(default, deserialize_with = "object")]
    pub scope: ScopePatch,
    /// Learning period in days, such as `14d`.
    #[schema(default = "14d")]
    pub learning_period: Option<String>,
    /// Percent as `85%` or `85`, 0 to 100.
    #[schema(value_type = Option<serde_json::Value>, default = "85%")]
    pub confidence_threshold: Option<serde_json::Value>,
    /// Conditions under which the agent applies findings by itself.
    pub auto_apply: Option<AutoApplyBody>,
    /// Times at which people are notified.
    pub notifications: Option<NotificationsBody>,
    /// Cron pattern of five fields by which it runs; empty is Reeve's own interval.
    pub schedule: Option<String>,
    /// The schedule's IANA time zone; the workspace's unless given, else UTC.
    pub schedule_time_zone: Option<String>,
    /// Thresholds and windows of the agent type, nested (`{"downsize_underutilized": {"cpu_below":
    /// "20%"}}`); null takes one back to its default.
    #[schema(value_type = Option<Object>)]
    pub settings: Option<serde_json::Map<String, serde_json::Value>>,
    /// Reason, needed when the mode skips the learning period.
    pub reason: Option<String>,
}

/// A change of configuration. What is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentPatch {
    pub name: Option<String>,
    #[schema(value_type = Option<enumeration::AgentMode>)]
    pub mode: Option<String>,
    #[serde(default, deserialize_with = "optional_object")]
    pub scope: Option<ScopePatch>,
    /// Learning period in days, such as `14d`.
    pub learning_period: Option<String>,
    /// Percent as `85%` or `85`.
    #[schema(value_type = Option<serde_json::Value>)]
    pub confidence_threshold: Option<serde_json::Value>,
    /// Conditions under which the agent applies findings by itself.
    pub auto_apply: Option<AutoApplyBody>,
    /// Times at which people are notified.
    pub notifications: Option<NotificationsBody>,
    /// Cron pattern of five fields by which it runs; empty is Reeve's own interval.
    pub schedule: Option<String>,
    /// The schedule's IANA time zone; the workspace's unless given, else UTC.
    pub schedule_time_zone: Option<String>,
    /// Thresholds and windows of the agent type, nested (`{"downsize_underutilized": {"cpu_below":
    /// "20%"}}`); null takes one back to its default.
    #[schema(value_type = Option<Object>)]
    pub settings: Option<serde_json::Map<String, serde_json::Value>>,
    /// Reason, needed when the mode skips the learning period.
    pub reason: Option<String>,
}

/// An agent and where it stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentBody {
    pub id: String,
    pub agent_type: String,
    pub name: String,
    pub mode: AgentMode,
    pub scope: ScopeBody,
    /// Learning period in days, such as `14d`.
    pub learning_period: String,
    /// Lowest confidence on which it acts.
    pub confidence_threshold: PercentText,
    /// Conditions under which the agent applies findings by itself.
    pub auto_apply: AutoApplyBody,
    /// Times at which people are notified.
    pub notifications: NotificationsBody,
    /// Cron pattern by which it runs; absent is Reeve's own interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// The schedule's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_time_zone: Option<String>,
    /// Thresholds and windows of its type that hold for it, nested.
    #[schema(value_type = Object)]
    pub settings: serde_json::Value,
    /// Reason why it went active before its learning period was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_waived: Option<String>,
    /// Grows by one with every change.
    pub version: u64,
    pub created_at: String,
    pub status: AgentStatusBody,
}

/// Status of an agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgentStatusBody {
    /// `idle`, or `running` during a run.
    pub state: String,
    /// Days of the learning period that are over.
    pub learning_days: f64,
    /// Share of the learning period that is over, percent.
    pub learning_percent: f64,
    /// The last full run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunBody>,
    /// The last run over changes since the last full run, of an agent that runs after each sync.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change_run: Option<RunBody>,
    /// Time of the next full run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<String>,
    /// Its recommendations that are not ended.
    pub open_recommendations: u64,
}

/// Report of a run: what was looked at, found and applied.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunBody {
    pub run_id: String,
    pub extent: AgentRunExtent,
    pub started_at: String,
    pub finished_at: String,
    /// Resources of the scope that the run looked at.
    pub resources_seen: u64,
    /// Resources that it judged: those of the kinds that the agent's type judges. Absent in reports
    /// of releases that did not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources_judged: Option<u64>,
    /// Recommendations made or refreshed.
    pub recommendations: u64,
    /// Recommendations that the agent applied by itself.
    pub applied: u64,
    /// Resources without a recommendation, and recommendations that the run did not apply, by
    /// reason.
    pub skipped: Vec<SkippedBody>,
    /// Commitments simulated on the use of the scope by the hour, one for each account that was
    /// measured for three weeks at least.
    pub portfolios: Vec<PortfolioBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Resources or recommendations that led to nothing, for one reason.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SkippedBody {
    pub reason: String,
    pub count: u64,
    /// `resources` that have no recommendation, or `recommendations` that the run did not apply.
    pub of: &'static str,
    /// The first twenty of the resources; absent for recommendations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<SkippedResourceBody>,
}

/// A resource without a recommendation.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SkippedResourceBody {
    pub id: String,
    pub name: String,
}
