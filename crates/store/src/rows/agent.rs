//! A configured agent and the report of its last run.

use std::collections::BTreeMap;

use reeve_recommend::agent::{PassedOver, RunReport};
use reeve_recommend::{
    Agent, AgentId, AgentType, AutoApply, Impact, Mode, Notifications, Scope, Timing,
};
use reeve_recommend::{SettingValue, Settings};
use reeve_schedule::Schedule;
use serde::{Deserialize, Serialize};

use super::portfolio::PortfolioRow;
use super::{RowError, finite, named, time};

/// An agent, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AgentRow {
    id: String,
    agent_type: String,
    name: String,
    mode: String,
    accounts: Vec<String>,
    services: Vec<String>,
    learning_period_days: u32,
    #[serde(serialize_with = "finite")]
    confidence_threshold: f64,
    auto_apply: AutoApplyRow,
    notifications: NotificationsRow,
    #[serde(default)]
    schedule: Option<ScheduleRow>,
    #[serde(default)]
    learning_waived: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<String, SettingRow>,
    version: u64,
    created_at: String,
    last_run: Option<RunRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct AutoApplyRow {
    enabled: bool,
    max_impact: String,
    approval_required: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct NotificationsRow {
    recommendations: String,
    actions_taken: String,
    anomalies: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct ScheduleRow {
    pattern: String,
    time_zone: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct RunRow {
    run_id: String,
    started_at: String,
    finished_at: String,
    resources_seen: u64,
    days_observed: u32,
    recommendations: u64,
    applied: u64,
    skipped: Vec<(String, u64)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passed_over: Vec<PassedOver>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    portfolios: Vec<PortfolioRow>,
    error: Option<String>,
}

impl From<&Agent> for AgentRow {
    fn from(agent: &Agent) -> Self {
        AgentRow {
            id: agent.id.0.clone(),
            agent_type: agent.agent_type.as_str().to_owned(),
            name: agent.name.clone(),
            mode: agent.mode.as_str().to_owned(),
            accounts: agent.scope.accounts.clone(),
            services: agent.scope.services.clone(),
            learning_period_days: agent.learning_period_days,
            confidence_threshold: agent.confidence_threshold,
            auto_apply: AutoApplyRow {
                enabled: agent.auto_apply.enabled,
                max_impact: agent.auto_apply.max_impact.as_str().to_owned(),
                approval_required: agent.auto_apply.approval_required.as_str().to_owned(),
            },
            notifications: NotificationsRow {
                recommendations: agent.notifications.recommendations.as_str().to_owned(),
                actions_taken: agent.notifications.actions_taken.as_str().to_owned(),
                anomalies: agent.notifications.anomalies.as_str().to_owned(),
            },
            schedule: agent.schedule.as_ref().map(|schedule| ScheduleRow {
                pattern: schedule.pattern.clone(),
                time_zone: schedule.time_zone.clone(),
            }),
            learning_waived: agent.learning_waived.clone(),
            settings: agent
                .settings
                .0
                .iter()
                .map(|(path, value)| (path.clone(), SettingRow::from(value)))
                .collect(),
            version: agent.version,
            created_at: agent.created_at.to_string(),
            last_run: agent.last_run.as_ref().map(RunRow::from),
        }
    }
}

impl AgentRow {
    pub(crate) fn into_agent(self) -> Result<Agent, RowError> {
        Ok(Agent {
            id: AgentId(self.id),
            agent_type: named("agent_type", &self.agent_type, AgentType::parse)?,
            name: self.name,
            mode: named("mode", &self.mode, Mode::parse)?,
            scope: Scope {
                accounts: self.accounts,
                services: self.services,
            },
            learning_period_days: self.learning_period_days,
            confidence_threshold: self.confidence_threshold,
            auto_apply: AutoApply {
                enabled: self.auto_apply.enabled,
                max_impact: named("max_impact", &self.auto_apply.max_impact, Impact::parse)?,
                approval_required: named(
                    "approval_required",
                    &self.auto_apply.approval_required,
                    Impact::parse,
                )?,
            },
            notifications: Notifications {
                recommendations: named(
                    "recommendations",
                    &self.notifications.recommendations,
                    Timing::parse,
                )?,
                actions_taken: named(
                    "actions_taken",
                    &self.notifications.actions_taken,
                    Timing::parse,
                )?,
                anomalies: named("anomalies", &self.notifications.anomalies, Timing::parse)?,
            },
            schedule: self.schedule.map(|row| Schedule {
                pattern: row.pattern,
                time_zone: row.time_zone,
            }),
            learning_waived: self.learning_waived,
            settings: self
                .settings
                .into_iter()
                .map(setting)
                .collect::<Result<_, _>>()
                .map(Settings)?,
            version: self.version,
            created_at: time(&self.created_at)?,
            last_run: self.last_run.map(RunRow::into_report).transpose()?,
        })
    }
}

/// A value that a person set: a text of its form, or a list of names.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum SettingRow {
    Text(String),
    Names(Vec<String>),
}

impl From<&SettingValue> for SettingRow {
    fn from(value: &SettingValue) -> Self {
        match value {
            SettingValue::Names(names) => SettingRow::Names(names.clone()),
            other => SettingRow::Text(other.to_string()),
        }
    }
}

fn setting((path, row): (String, SettingRow)) -> Result<(String, SettingValue), RowError> {
    let value = match row {
        SettingRow::Text(text) => named("settings", &text, SettingValue::parse)?,
        SettingRow::Names(names) => SettingValue::Names(names),
    };
    Ok((path, value))
}

impl From<&RunReport> for RunRow {
    fn from(report: &RunReport) -> Self {
        RunRow {
            run_id: report.run_id.clone(),
            started_at: report.started_at.to_string(),
            finished_at: report.finished_at.to_string(),
            resources_seen: report.resources_seen,
            days_observed: report.days_observed,
            recommendations: report.recommendations,
            applied: report.applied,
            skipped: report.skipped.clone(),
            passed_over: report.passed_over.clone(),
            portfolios: report.portfolios.iter().map(PortfolioRow::from).collect(),
            error: report.error.clone(),
        }
    }
}

impl RunRow {
    fn into_report(self) -> Result<RunReport, RowError> {
        Ok(RunReport {
            run_id: self.run_id,
            started_at: time(&self.started_at)?,
            finished_at: time(&self.finished_at)?,
            resources_seen: self.resources_seen,
            days_observed: self.days_observed,
            recommendations: self.recommendations,
            applied: self.applied,
            skipped: self.skipped,
            passed_over: self.passed_over,
            portfolios: self
                .portfolios
                .into_iter()
                .map(PortfolioRow::into_portfolio)
                .collect::<Result<_, _>>()?,
            error: self.error,
        })
    }
}
