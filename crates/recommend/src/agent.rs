//! Agents as configured things: the configuration record of requirements.

pub mod cadence;
pub mod contract;
pub mod emergency;
pub mod name;
pub mod needs;
mod run_report;
pub mod settings;
pub mod type_table;

use jiff::Timestamp;
use reeve_estate::{Connection, Resource, named};
use reeve_schedule::Schedule;
use serde::{Deserialize, Serialize};

use crate::agent::settings::AgentSettings;
use crate::guardrail::change_control::ChangeControlPlace;

pub use crate::agent::cadence::{Cadence, next_run};
pub use crate::agent::name::AgentType;
pub use crate::agent::run_report::{
    MOST_PASSED_OVER, PassedOver, RunDetails, RunExtent, RunPosition, RunReport, RunReportDetail,
};

named!(
    Mode {
        /// Observes, models, recommends; never acts by itself and never executes.
        Learning => "learning",
        /// Applies low impact by itself, requires more, rolls back, logs in detail.
        SafeMode => "safe_mode",
        /// Applies everything within the guardrails.
        Active => "active",
    }
);

named!(
    /// Impact of a change, from the approval matrix: by monthly cost and risk.
    Impact {
        /// Below 100 a month, low risk.
        Low => "low",
        /// 100 to 1000 a month, medium risk.
        Medium => "medium",
        /// Above 1000 a month, high risk.
        High => "high",
    }
);

named!(
    /// Time at which a notice is sent.
    Timing {
        /// Each is told at once.
        Immediate => "immediate",
        /// Once a day, gathered.
        DailyDigest => "daily_digest",
        /// Once a week, gathered.
        WeeklyDigest => "weekly_digest",
        Never => "never",
    }
);

/// An agent's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AgentId(pub String);

/// Stored form of the agent of a recommendation or an action: an empty text where there is none.
pub(crate) mod agent_or_none {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::AgentId;

    #[allow(clippy::ref_option)] // serde's signature
    pub(crate) fn serialize<S: Serializer>(
        agent: &Option<AgentId>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(agent.as_ref().map_or("", |id| id.0.as_str()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<AgentId>, D::Error> {
        let id = AgentId::deserialize(from)?;
        Ok(Some(id).filter(|id| !id.0.is_empty()))
    }
}

/// Resources that an agent, rule or window applies to. An empty list includes everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentScope {
    /// Account identifiers or connection names.
    pub accounts: Vec<String>,
    /// Service names (`ec2`, `rds`, `ebs`, ...).
    pub services: Vec<String>,
}

impl AgentScope {
    /// Returns `true` if the scope includes a resource. Accounts match by account identifier,
    /// connection name (in any case) or connection identifier.
    #[must_use]
    pub fn covers(&self, place: &ChangeControlPlace<'_>) -> bool {
        let account = |name: &String| {
            name == place.account
                || name == place.connection
                || name.eq_ignore_ascii_case(place.connection_name)
        };
        (self.accounts.is_empty() || self.accounts.iter().any(account))
            && (self.services.is_empty()
                || self
                    .services
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(place.service)))
    }
}

impl AgentScope {
    /// Returns `true` if the scope includes a resource of one of the connections.
    #[must_use]
    pub fn includes(&self, resource: &Resource, connections: &[Connection]) -> bool {
        self.covers(&ChangeControlPlace::new(resource, connections))
    }
}

/// Conditions under which an agent applies recommendations without approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoApply {
    /// May act by itself at all.
    pub enabled: bool,
    /// The highest impact applied without asking.
    pub max_impact: Impact,
    /// From this impact on an approval is needed whatever else is set.
    pub approval_required: Impact,
}

/// Times at which an agent's notices are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notifications {
    /// Notification of new recommendations.
    pub recommendations: Timing,
    pub actions_taken: Timing,
    pub anomalies: Timing,
}

/// A configured agent and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    pub id: AgentId,
    pub agent_type: AgentType,
    pub name: String,
    pub mode: Mode,
    /// Resources that the agent applies to.
    #[serde(flatten)]
    pub scope: AgentScope,
    /// Days of learning before it may act.
    pub learning_period_days: u32,
    /// Lowest confidence it acts on, percent 0 to 100.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub confidence_threshold: f64,
    /// Conditions under which the agent applies findings by itself.
    pub auto_apply: AutoApply,
    /// Times at which people are notified.
    pub notifications: Notifications,
    /// Schedule of the runs; `None` uses Reeve's default interval.
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Reason why it became active before the end of its learning period.
    #[serde(default)]
    pub learning_waived: Option<String>,
    /// Settings of its type that a person set.
    #[serde(default, skip_serializing_if = "AgentSettings::is_empty")]
    pub settings: AgentSettings,
    /// Grows by one with every change, a kept run report included.
    pub version: u64,
    pub created_at: Timestamp,
    /// The last full run, if there was one.
    pub last_run: Option<RunReport>,
    /// The last run over changes since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_change_run: Option<RunReport>,
}

impl Agent {
    /// Returns the position that a run over changes continues from; `None` before the first
    /// complete run of an agent that has such runs.
    #[must_use]
    pub fn position(&self) -> Option<&RunPosition> {
        let newest = self.last_change_run.as_ref().or(self.last_run.as_ref());
        newest?.position.as_ref()
    }
}
