//! The rule book: rules and calendars as people keep them. Every change is validated, compared by
//! version, and recorded before and after it is made.

use std::future::Future;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{Entry, FieldCode, FieldError};
use reeve_estate::{EstateStore, PriceCatalogue, SampleStore, StoreError};
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::Responses;
use reeve_recommend::ports::{Clock, Recorder, record_change};
use reeve_recommend::predictive::PredictiveRule;
use reeve_recommend::recommendation::origin::RuleId;

use super::calendar::{CalendarFetch, CalendarId};
use super::input::RuleInput;
use super::log_entry;
use super::port::RuleStore;
use super::preset::presets;

/// Rules that can be stored at most.
const MOST_RULES: usize = 200;

/// Ports that the service needs.
#[derive(Clone)]
pub struct RulePorts {
    /// Storage of rules, predictions and calendars.
    pub rules: Arc<dyn RuleStore>,
    /// Storage of connections and the inventory.
    pub estate: Arc<dyn EstateStore>,
    /// Source of metric samples.
    pub samples: Arc<dyn SampleStore>,
    /// Interface that turns predictions into recommendations.
    pub responses: Arc<dyn Responses>,
    /// Writer of the audit log.
    pub recorder: Arc<dyn Recorder>,
    pub clock: Arc<dyn Clock>,
    /// Source of specifications and prices.
    pub catalogue: Arc<PriceCatalogue>,
    /// Agent types that a rule may name.
    pub agent_types: AgentTypes,
    /// Reader of the addresses of calendars.
    pub calendar_fetch: Arc<dyn CalendarFetch>,
}

/// Service of predictive rules and calendars.
pub struct RuleService {
    pub(super) ports: RulePorts,
    /// One evaluation at a time: two would fire twice.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl RuleService {
    /// A book over these ports.
    #[must_use]
    pub fn new(ports: RulePorts) -> RuleService {
        RuleService {
            ports,
            turn: tokio::sync::Mutex::new(()),
        }
    }

    pub(super) async fn record(&self, entry: Entry) -> Result<(), EngineError> {
        Ok(self
            .ports
            .recorder
            .record(vec![entry.at(self.now())])
            .await?)
    }

    /// Records the intent of a change, makes it, and records its outcome.
    pub(super) async fn recorded<T>(
        &self,
        entry: Entry,
        change: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, EngineError> {
        record_change(&*self.ports.recorder, &*self.ports.clock, entry, change).await
    }

    /// Names of the agent types that a rule may name.
    pub(super) fn agent_types(&self) -> Vec<AgentType> {
        self.ports
            .agent_types
            .iter()
            .map(|row| row.info().agent_type)
            .collect()
    }

    /// Now, to the millisecond that stores keep.
    pub(super) fn now(&self) -> Timestamp {
        let now = self.ports.clock.now();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// Puts in the rules that come with Reeve and are not there. Call it once in a data directory's
    /// life: what people removed would come back. Like the guardrails' defaults they are nobody's
    /// change, so the log has no entry of it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn seed(&self) -> Result<(), EngineError> {
        let known = self.ports.rules.rule_list().await?;
        for rule in presets(self.now()) {
            if !known.iter().any(|one| one.id == rule.id) {
                self.ports.rules.rule_insert(&rule).await?;
            }
        }
        Ok(())
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict if there are too many.
    pub async fn create(
        &self,
        input: RuleInput,
        caller: &Caller,
    ) -> Result<PredictiveRule, EngineError> {
        let id = RuleId(uuid::Uuid::now_v7().to_string());
        let rule = input
            .rule(None, &self.agent_types(), id, &caller.name, self.now())
            .map_err(EngineError::Invalid)?;
        self.known_calendars(&rule).await?;
        self.ports
            .responses
            .check_scope("scope", &rule.scope)
            .await?;

        if self.ports.rules.rule_list().await?.len() >= MOST_RULES {
            return Err(EngineError::Conflict(format!(
                "the limit of {MOST_RULES} rules is reached; delete one first"
            )));
        }

        self.recorded(
            log_entry::rule("predictive_rule.create", None, Some(&rule), caller),
            self.ports.rules.rule_insert(&rule),
        )
        .await?;
        Ok(rule)
    }

    /// Changes a rule. `version` is the one that was read.
    ///
    /// # Errors
    /// As [`RuleService::create`]; a conflict if it changed since it was read.
    pub async fn change(
        &self,
        id: &RuleId,
        version: Option<u64>,
        input: RuleInput,
        caller: &Caller,
    ) -> Result<PredictiveRule, EngineError> {
        let before = self.ports.rules.rule_get(id).await?;
        same_version("rule", before.version, version)?;
        let after = input
            .rule(
                Some(&before),
                &self.agent_types(),
                id.clone(),
                &caller.name,
                self.now(),
            )
            .map_err(EngineError::Invalid)?;
        self.known_calendars(&after).await?;

        if after.scope != before.scope {
            self.ports
                .responses
                .check_scope("scope", &after.scope)
                .await?;
        }

        self.recorded(
            log_entry::rule(
                "predictive_rule.modify",
                Some(&before),
                Some(&after),
                caller,
            ),
            self.ports.rules.rule_update(&after),
        )
        .await?;

        if before.enabled && !after.enabled {
            self.ports
                .responses
                .withdraw(&after.cause(), None, "its rule was disabled", caller)
                .await?;
        }

        Ok(after)
    }

    /// Removes a rule with its predictions; what it recommended and nobody took up expires.
    ///
    /// # Errors
    /// The rule does not exist, or the store or the log failed.
    pub async fn remove(&self, id: &RuleId, caller: &Caller) -> Result<(), EngineError> {
        let rule = self.ports.rules.rule_get(id).await?;
        self.recorded(
            log_entry::rule("predictive_rule.delete", Some(&rule), None, caller),
            self.ports.rules.rule_delete(id),
        )
        .await?;

        self.ports
            .responses
            .withdraw(&rule.cause(), None, "its rule was removed", caller)
            .await
    }

    pub(super) async fn known_calendars(&self, rule: &PredictiveRule) -> Result<(), EngineError> {
        let known = self.ports.rules.calendar_list().await?;
        let unknown = |(index, id): (usize, &CalendarId)| {
            let field = format!("condition.calendars[{index}]");
            let missing = !known.iter().any(|calendar| calendar.id == *id);
            missing.then(|| {
                FieldError::new(
                    field,
                    FieldCode::InvalidValue,
                    format!("there is no calendar {}", id.0),
                )
            })
        };

        let errors: Vec<FieldError> = rule
            .condition
            .calendars
            .iter()
            .enumerate()
            .filter_map(unknown)
            .collect();

        if errors.is_empty() {
            Ok(())
        } else {
            Err(EngineError::Invalid(errors))
        }
    }
}

pub(super) fn same_version(what: &str, stored: u64, read: Option<u64>) -> Result<(), EngineError> {
    match read.filter(|read| *read != stored) {
        None => Ok(()),
        Some(read) => {
            let message = format!(
                "the {what} was changed by someone else (version {stored} is stored, you sent {read}); reload it"
            );
            Err(EngineError::Conflict(message))
        }
    }
}
