//! Creating, configuring and deleting agents. Each is recorded with the configuration before and
//! after: the intent, then the outcome.

use std::sync::Arc;

use reeve_audit::{ActionStatus, FieldCode, FieldError};
use reeve_estate::EstateStore;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::settings::AgentSetting;
use reeve_recommend::agent::{Agent, AgentId, AgentScope, AgentType, Mode};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;

use crate::agent::input::{AgentInput, Settings, agent_type, overlay, runs_by_schedule};
use crate::agent::scope::ScopeService;
use crate::log_entry;
use crate::records::{Records, fresh_id, optional};
use crate::run::RunService;

/// Configured agents: created, changed, deleted, diagnosed.
pub struct AgentService {
    pub(crate) records: Arc<Records>,
    scopes: Arc<ScopeService>,
    runs: Arc<RunService>,
    pub(crate) estate: Arc<dyn EstateStore>,
    agent_types: AgentTypes,
}

impl AgentService {
    /// Creates the service over the services that it uses, the inventory and the registry of agent
    /// types.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        scopes: Arc<ScopeService>,
        runs: Arc<RunService>,
        estate: Arc<dyn EstateStore>,
        agent_types: AgentTypes,
    ) -> Self {
        AgentService {
            records,
            scopes,
            runs,
            estate,
            agent_types,
        }
    }

    /// Makes an agent.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; types this release cannot run are among
    /// them.
    pub async fn agent_create(
        &self,
        input: AgentInput,
        caller: &Caller,
    ) -> Result<Agent, EngineError> {
        let kind = agent_type(&input, &self.agent_types);
        let settings = overlay(
            Settings::defaults(),
            &self.settings_of(kind.as_ref().ok()),
            &input,
            self.records.clock.now(),
        );

        let (kind, settings) = match (kind, settings) {
            (Ok(kind), Ok(settings)) => (kind, settings),
            (kind, settings) => {
                let mut errors: Vec<_> = kind.err().into_iter().collect();
                errors.extend(settings.err().unwrap_or_default());
                return Err(EngineError::Invalid(errors));
            }
        };

        runs_by_schedule(kind, &self.agent_types, &input, None)
            .map_err(|error| EngineError::Invalid(vec![error]))?;
        self.scopes.is_connected("scope", &settings.scope).await?;
        let reason = optional("reason", input.reason.as_deref())?;
        let mut agent = self.agent_from(AgentId(fresh_id()), kind, settings);

        // A period shorter than the usual one would otherwise be a way around the reason.
        let period = agent
            .learning_period_days
            .max(Settings::defaults().learning_period_days);
        if agent.mode == Mode::Active {
            agent.learning_waived = self.waived(&agent, period, reason.as_deref()).await?;
        }

        let mut entry =
            log_entry::about_agent("agent.create", ActionStatus::Success, &agent, caller)
                .after(log_entry::configuration(&agent));
        if let Some(reason) = reason {
            entry = entry.with_metadata("reason", reason);
        }

        self.records
            .change(entry, self.records.agents.agent_insert(&agent))
            .await?;
        Ok(agent)
    }

    /// Settings that agents of a type have.
    fn settings_of(&self, agent_type: Option<&AgentType>) -> Vec<AgentSetting> {
        agent_type.map_or_else(Vec::new, |name| self.agent_types.settings(*name))
    }

    /// Checks that an agent has learned for `period` days, or that a reason is given why it need
    /// not. Returns the reason where one is needed.
    async fn waived(
        &self,
        agent: &Agent,
        period: u32,
        reason: Option<&str>,
    ) -> Result<Option<String>, EngineError> {
        let days = self.scopes.days_observed(agent).await?;
        if days >= period {
            return Ok(None);
        }

        let why = format!(
            "is required: the agent has {days} of the {period} days of its learning period; wait, or give the reason for skipping it"
        );
        let missing = || {
            EngineError::Invalid(vec![FieldError::new(
                "reason",
                FieldCode::MissingField,
                why,
            )])
        };
        reason
            .map(|reason| Some(reason.to_owned()))
            .ok_or_else(missing)
    }

    /// The waiver of a changed agent. To go active and to shorten an unfinished learning period
    /// both need a reason, judged by the period that held before: in one step or in two, the one
    /// must not spare the other.
    async fn waiver(
        &self,
        before: &Agent,
        after: &Agent,
        reason: Option<&str>,
    ) -> Result<Option<String>, EngineError> {
        if before.mode == Mode::Active && after.mode == Mode::Active {
            return Ok(before.learning_waived.clone());
        }

        let shortened = after.learning_period_days < before.learning_period_days;
        if after.mode != Mode::Active && !shortened {
            return Ok(None);
        }

        let period = after.learning_period_days.max(before.learning_period_days);
        let waived = self.waived(after, period, reason).await?;
        Ok(waived.filter(|_| after.mode == Mode::Active))
    }

    fn agent_from(&self, id: AgentId, agent_type: AgentType, settings: Settings) -> Agent {
        Agent {
            id,
            agent_type,
            name: settings.name,
            mode: settings.mode,
            scope: settings.scope,
            learning_period_days: settings.learning_period_days,
            confidence_threshold: settings.confidence_threshold,
            auto_apply: settings.auto_apply,
            notifications: settings.notifications,
            schedule: settings.schedule,
            settings: settings.values,
            learning_waived: None,
            version: 1,
            created_at: self.records.clock.now(),
            last_run: None,
            last_change_run: None,
        }
    }

    /// Changes an agent's configuration; what the input leaves out stays.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict if somebody else was faster.
    pub async fn agent_configure(
        &self,
        id: &AgentId,
        input: AgentInput,
        caller: &Caller,
    ) -> Result<Agent, EngineError> {
        let before = self.records.agents.agent_get(id).await?;
        let settings = Settings {
            name: before.name.clone(),
            mode: before.mode,
            scope: before.scope.clone(),
            learning_period_days: before.learning_period_days,
            confidence_threshold: before.confidence_threshold,
            auto_apply: before.auto_apply.clone(),
            notifications: before.notifications.clone(),
            schedule: before.schedule.clone(),
            values: before.settings.clone(),
        };

        let reason = optional("reason", input.reason.as_deref())?;
        let known = self.settings_of(Some(&before.agent_type));
        let settings = overlay(settings, &known, &input, self.records.clock.now())
            .map_err(EngineError::Invalid)?;
        runs_by_schedule(
            before.agent_type,
            &self.agent_types,
            &input,
            before.schedule.as_ref(),
        )
        .map_err(|error| EngineError::Invalid(vec![error]))?;

        if input.accounts.is_some() || input.services.is_some() {
            let known = |names: &[String], before: &[String]| -> Vec<String> {
                names
                    .iter()
                    .filter(|name| !before.contains(name))
                    .cloned()
                    .collect()
            };
            // What it had may be gone by now and must not keep anything else from being changed.
            let added = AgentScope {
                accounts: known(&settings.scope.accounts, &before.scope.accounts),
                services: known(&settings.scope.services, &before.scope.services),
            };
            self.scopes.is_connected("scope", &added).await?;
        }

        let mut after = Agent {
            version: before.version + 1,
            created_at: before.created_at,
            last_run: before.last_run.clone(),
            last_change_run: before.last_change_run.clone(),
            ..self.agent_from(before.id.clone(), before.agent_type, settings)
        };
        after.learning_waived = self.waiver(&before, &after, reason.as_deref()).await?;

        let mut entry =
            log_entry::about_agent("agent.configure", ActionStatus::Success, &after, caller)
                .before(log_entry::configuration(&before))
                .after(log_entry::configuration(&after));
        if let Some(reason) = reason {
            entry = entry.with_metadata("reason", reason);
        }

        self.records
            .change(entry, self.records.agents.agent_update(&after))
            .await?;
        Ok(after)
    }

    /// Deletes an agent; its recommendations stay, closed.
    ///
    /// # Errors
    /// A conflict while one of its plans runs.
    pub async fn agent_delete(&self, id: &AgentId, caller: &Caller) -> Result<(), EngineError> {
        let _turn = self.records.turn.lock().await;
        let agent = self.records.agents.agent_get(id).await?;
        let actions = self
            .records
            .agents
            .action_unsettled(self.records.clock.now())
            .await?;

        if self.runs.is_running(id)
            || actions
                .iter()
                .any(|action| action.agent_id.as_ref() == Some(id) && action.status.is_active())
        {
            return Err(EngineError::Conflict(
                "a run of the agent is in progress; wait until it has finished".to_owned(),
            ));
        }

        let entry = log_entry::about_agent("agent.delete", ActionStatus::Success, &agent, caller)
            .before(log_entry::configuration(&agent));
        self.records
            .change(entry, self.records.agents.agent_delete(id))
            .await
    }

    /// Returns the learning progress of an agent: days of samples that its scope had at the last
    /// run, and their share of the learning period, percent.
    ///
    /// # Errors
    /// None at present; reserved for a store that fails.
    pub async fn learning(&self, agent: &Agent) -> Result<(f64, f64), EngineError> {
        let days = f64::from(agent.last_run.as_ref().map_or(0, |run| run.days_observed));
        let period = f64::from(agent.learning_period_days);
        let percent = if period > 0.0 {
            (days / period * 100.0).min(100.0)
        } else {
            100.0
        };

        Ok((days.min(period.max(0.0)), percent))
    }
}

impl AgentService {
    /// Agent types that this service runs.
    #[must_use]
    pub fn agent_types(&self) -> &AgentTypes {
        &self.agent_types
    }
}
