//! The decision whether a recommendation may be executed: the one place that execution, tests, rollouts, diagnosis and the
//! applicability in lists ask.
//!
//! Everything that decides is read once ([`GuardrailService::circumstances`]) and used for many recommendations ([`Circumstances::decide`]),
//! so that a list of a thousand costs one reading.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, Severity};
use reeve_estate::{Connection, ConnectionId, Resource, ResourceFilter, ResourceId};

use super::auto::signatures_for;
use super::guard::{Asked, BUDGET_DAYS, check};
use super::request::{Target, Wish, planned};
use super::{Caller, EngineError, GuardrailService, log_entry};
use reeve_recommend::action::{Action, ActionId};
use reeve_recommend::agent::{Agent, AgentId, Mode};
use reeve_recommend::applicability::Applicability;
use reeve_recommend::approval::Signature;
use reeve_recommend::change_control::Place;
use reeve_recommend::exclusion::{Exclusion, excluded};
use reeve_recommend::guardrail::{Block, GuardrailName, Guardrails};
use reeve_recommend::lifecycle::Status;
use reeve_recommend::recommendation::Recommendation;

/// Everything besides a recommendation that decides about its execution.
pub(super) struct Circumstances {
    now: Timestamp,
    limits: Guardrails,
    exclusions: Vec<Exclusion>,
    history: Vec<Action>,
    unsettled: Vec<Action>,
    connections: Vec<Connection>,
    resources: HashMap<(ConnectionId, ResourceId), Resource>,
    agents: HashMap<AgentId, Agent>,
    scope_sizes: BTreeMap<AgentId, u64>,
}

/// Reason why a recommendation is not executed now.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Refusal {
    /// It has no plan.
    Advice,
    /// Its agent was deleted.
    AgentDeleted(AgentId),
    /// Its agent only learns.
    Learning(AgentId),
    /// Another action changes the resource.
    ResourceBusy(ActionId, ResourceId),
    /// The resource is not in the inventory any more.
    ResourceGone(ResourceId),
    /// The connection lets Reeve observe and not act; its name.
    ObserveOnly(String),
    /// A guardrail, the agent's scope or an exclusion says no.
    Guardrail(Block),
}

impl Refusal {
    /// The error of an execution that is refused for it.
    pub(super) fn into_error(self) -> EngineError {
        match self {
            Refusal::Learning(agent) => EngineError::Learning { agent: agent.0 },
            Refusal::ResourceGone(id) => EngineError::NotFound { what: "resource", id: id.0 },
            Refusal::Guardrail(block) => EngineError::Blocked(block),
            other => EngineError::Conflict(other.words()),
        }
    }

    fn words(&self) -> String {
        match self {
            Refusal::Advice => "this is advice: Reeve has no plan for it and leaves it to a person".to_owned(),
            Refusal::AgentDeleted(id) => format!("its agent {} was deleted; nothing acts for it", id.0),
            Refusal::Learning(_) => {
                "its agent is in mode learning and does not act; set its mode to safe_mode or active".to_owned()
            }
            Refusal::ResourceBusy(action, resource) => format!("action {} is changing {resource} right now", action.0),
            Refusal::ResourceGone(id) => format!("the resource {id} is gone"),
            Refusal::ObserveOnly(name) => {
                format!("connection {name} is set to observe only; allow actions on it first")
            }
            Refusal::Guardrail(block) => block.message.clone(),
        }
    }

    fn by(&self) -> &str {
        match self {
            Refusal::Advice => "plan",
            Refusal::AgentDeleted(_) => "agent",
            Refusal::Learning(_) => "agent_mode",
            Refusal::ResourceBusy(..) => "action",
            Refusal::ResourceGone(_) => "resource",
            Refusal::ObserveOnly(_) => "connection",
            Refusal::Guardrail(block) => block.guardrail.as_str(),
        }
    }
}

impl From<Refusal> for Applicability {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Advice => Applicability::AdviceOnly(refusal.words()),
            other => Applicability::Blocked {
                by: other.by().to_owned(),
                reason: other.words(),
                exceptable: matches!(&other, Refusal::Guardrail(block) if block.guardrail.is_exceptable()),
            },
        }
    }
}

impl GuardrailService {
    /// Reads what decides about executions now.
    pub(super) async fn circumstances(&self) -> Result<Circumstances, EngineError> {
        let now = self.records.clock.now();
        let connections = self.estate.connection_list().await?;
        let (listed, _) = self.estate.resource_list(&ResourceFilter::default()).await?;
        let agents = self.records.agents.agent_list(None).await?;
        let size = |agent: &Agent| listed.iter().filter(|r| agent.scope.includes(r, &connections)).count() as u64;
        let scope_sizes = agents.iter().map(|agent| (agent.id.clone(), size(agent))).collect();
        let since = now.checked_sub(SignedDuration::from_hours(24 * BUDGET_DAYS)).ok();
        Ok(Circumstances {
            now,
            limits: self.records.agents.guardrails_get().await?,
            exclusions: self.records.agents.exclusion_list().await?,
            history: self.records.agents.action_list(None, since).await?,
            // An old change that is being undone began before the guardrails' history.
            unsettled: self.records.agents.action_unsettled(now).await?,
            scope_sizes,
            resources: listed.into_iter().map(|one| ((one.connection.clone(), one.id.clone()), one)).collect(),
            agents: agents.into_iter().map(|agent| (agent.id.clone(), agent)).collect(),
            connections,
        })
    }

    /// Applicability of recommendations to a request by a person now; `None` where one is being executed or has ended.
    ///
    /// # Errors
    /// A store failed.
    pub async fn applicability(
        &self,
        recommendations: &[Recommendation],
    ) -> Result<Vec<Option<Applicability>>, EngineError> {
        if recommendations.iter().all(is_decided) {
            return Ok(vec![None; recommendations.len()]);
        }
        let circumstances = self.circumstances().await?;
        let asked = Caller::system();
        let wish = Wish::of(&asked, None);
        let decided = |recommendation: &Recommendation| {
            if is_decided(recommendation) {
                return None;
            }
            let decided = circumstances.decide(recommendation, Target::of(recommendation), &wish);
            Some(decided.map_or_else(Applicability::from, Applicability::Ready))
        };
        Ok(recommendations.iter().map(decided).collect())
    }
}

fn is_decided(recommendation: &Recommendation) -> bool {
    recommendation.status.is_end()
        || matches!(recommendation.status, Status::Executing | Status::Verifying | Status::Testing)
}

impl Circumstances {
    /// Decides about an execution: the signatures that it needs, or the first reason to refuse it.
    pub(super) fn decide(
        &self,
        recommendation: &Recommendation,
        target: Target<'_>,
        wish: &Wish<'_>,
    ) -> Result<Vec<Signature>, Refusal> {
        planned(recommendation).map_err(|_| Refusal::Advice)?;
        let agent = self.agent(recommendation)?;
        if let Some(agent) = agent.filter(|agent| agent.mode == Mode::Learning) {
            return Err(Refusal::Learning(agent.id.clone()));
        }
        self.refused_on(recommendation, agent, target, wish)?;
        Ok(if wish.preapproved {
            Vec::new()
        } else {
            signatures_for(&self.limits.approval_matrix, agent, recommendation.impact_level)
        })
    }

    /// The guardrail, scope or exclusion that would refuse an execution, whatever the agent's mode.
    pub(super) fn block(
        &self,
        recommendation: &Recommendation,
        agent: Option<&Agent>,
        target: Target<'_>,
        wish: &Wish<'_>,
    ) -> Option<Block> {
        match self.refused_on(recommendation, agent, target, wish) {
            Err(Refusal::Guardrail(block)) => Some(block),
            _ => None,
        }
    }

    /// The agent that owns a recommendation; `None` for advice without one.
    fn agent(&self, recommendation: &Recommendation) -> Result<Option<&Agent>, Refusal> {
        let Some(id) = &recommendation.agent_id else { return Ok(None) };
        self.agents.get(id).map(Some).ok_or_else(|| Refusal::AgentDeleted(id.clone()))
    }

    /// The same apart from the plan and the agent's mode: what the resource and the policies say.
    pub(super) fn refused_on(
        &self,
        recommendation: &Recommendation,
        agent: Option<&Agent>,
        target: Target<'_>,
        wish: &Wish<'_>,
    ) -> Result<(), Refusal> {
        let on_target = |a: &&Action| a.resource == *target.resource && a.connection == *target.connection;
        if let Some(other) = self.unsettled.iter().filter(on_target).find(|a| a.status.is_active()) {
            return Err(Refusal::ResourceBusy(other.id.clone(), target.resource.clone()));
        }
        let Some(resource) = self.resources.get(&(target.connection.clone(), target.resource.clone())) else {
            return Err(Refusal::ResourceGone(target.resource.clone()));
        };
        let connection = self.connections.iter().find(|connection| connection.id == *target.connection);
        if let Some(connection) = connection.filter(|connection| !connection.allow_actions) {
            return Err(Refusal::ObserveOnly(connection.name.clone()));
        }
        let place = Place::of(resource, &self.connections);
        let asked = Asked {
            recommendation,
            resource: target.resource,
            place,
            run_id: wish.run_id,
            automatic: wish.automatic,
            scope_size: agent.and_then(|agent| self.scope_sizes.get(&agent.id).copied()).unwrap_or(0),
            history: &self.history,
            now: self.now,
        };
        within_scope(agent, &place)
            .and_then(|()| not_excluded(&self.exclusions, recommendation, self.now))
            .and_then(|()| check(&self.limits, &asked))
            .map_err(Refusal::Guardrail)
    }
}

/// Refuses recommendations that were made while the agent's scope was wider and that its present scope excludes, for
/// every caller.
fn within_scope(agent: Option<&Agent>, place: &Place<'_>) -> Result<(), Block> {
    let Some(agent) = agent.filter(|agent| !agent.scope.covers(place)) else { return Ok(()) };
    let message = format!("the resource is outside of the scope of agent {}", agent.name);
    Err(Block { guardrail: GuardrailName::Scope, message, limit: 0.0, value: 1.0 })
}

fn not_excluded(exclusions: &[Exclusion], recommendation: &Recommendation, now: Timestamp) -> Result<(), Block> {
    match excluded(exclusions, &recommendation.subject, recommendation.kind, now) {
        None => Ok(()),
        Some(exclusion) => Err(Block {
            guardrail: GuardrailName::Exclusion,
            message: format!("{} excluded it: {}", exclusion.by, exclusion.reason),
            limit: 0.0,
            value: 1.0,
        }),
    }
}

impl GuardrailService {
    /// Asks what decides about the execution; returns the signatures that it needs. A guardrail's block is recorded and kept on
    /// the recommendation.
    pub(super) async fn permitted(
        &self,
        recommendation: &Recommendation,
        target: Target<'_>,
        wish: &Wish<'_>,
    ) -> Result<Vec<Signature>, EngineError> {
        let refusal = match self.circumstances().await?.decide(recommendation, target, wish) {
            Ok(needed) => return Ok(needed),
            Err(refusal) => refusal,
        };
        match &refusal {
            Refusal::Learning(_) => self.refused(recommendation, "agent mode is learning", wish).await?,
            Refusal::Guardrail(block) => {
                let words = block.to_string();
                self.refused(recommendation, &words, wish).await?;
                let now = self.records.clock.now();
                let version = recommendation.version + 1;
                let kept = Recommendation { blocked: Some(words), updated_at: now, version, ..recommendation.clone() };
                self.records.agents.recommendation_update(&kept).await?;
            }
            _ => {}
        }
        Err(refusal.into_error())
    }

    /// Actions as far back as the guardrails look, newest first.
    pub(super) async fn lately(&self) -> Result<Vec<Action>, EngineError> {
        let since = self.records.clock.now().checked_sub(SignedDuration::from_hours(24 * BUDGET_DAYS)).ok();
        Ok(self.records.agents.action_list(None, since).await?)
    }

    async fn refused(&self, recommendation: &Recommendation, why: &str, wish: &Wish<'_>) -> Result<(), EngineError> {
        let entry = log_entry::about(
            log_entry::RECOMMENDATION,
            "recommendation.execute",
            ActionStatus::Denied,
            recommendation,
            wish.caller,
        )
        .with_severity(Severity::Low)
        .with_metadata("asked_by", wish.by)
        .with_metadata("reason", why);
        self.records.record(vec![entry]).await
    }
}
