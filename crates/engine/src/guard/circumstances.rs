//! The decision whether a recommendation may be executed: the one place that execution, tests,
//! rollouts, diagnosis and the applicability in lists ask.
//!
//! Facts that decide about a set of recommendations are read at once
//! ([`GuardrailService::circumstances`]) and used for all of them ([`Circumstances::decide`]), so
//! that a list of a thousand costs one reading: of their resources and what was done to them, and
//! of sums over everything else.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{ActionStatus, Severity};
use reeve_estate::{
    Connection, ConnectionId, PriceCatalogue, Resource, ResourceFilter, ResourceId,
};
use reeve_recommend::action::{Action, ActionId};
use reeve_recommend::agent::{Agent, AgentId, Mode};
use reeve_recommend::approval::Signature;
use reeve_recommend::caller::Caller;
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::change_control::ChangeControlPlace;
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::guardrail::{GuardrailBlock, GuardrailName, Guardrails};
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::applicability::Applicability;
use reeve_recommend::recommendation::exclusion::{Exclusion, excluded};
use reeve_recommend::recommendation::lifecycle::Status;

use crate::automatic::policy::signatures_for;
use crate::execution::request::{ActionTarget, Wish, planned};
use crate::guard::limits::GuardrailService;
use crate::guard::recent_actions::CHUNK;
use crate::guard::{GuardRequest, RecentActions, check};
use crate::log_entry;

/// Everything besides a recommendation that decides about its execution.
pub(crate) struct Circumstances {
    now: Timestamp,
    limits: Guardrails,
    exclusions: Vec<Exclusion>,
    changes: Arc<ChangeRegistry>,
    /// Actions of late on the resources, by resource.
    history: HashMap<ResourceId, Vec<Action>>,
    recent: RecentActions,
    unsettled: Vec<Action>,
    connections: Vec<Connection>,
    resources: HashMap<(ConnectionId, ResourceId), Resource>,
    agents: HashMap<AgentId, Agent>,
    scope_sizes: BTreeMap<AgentId, u64>,
}

/// Reason why a recommendation is not executed now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GuardRefusal {
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
    /// The resource is protected from the change; the reason.
    Protected(String),
    /// A guardrail, the agent's scope or an exclusion says no.
    Guardrail(GuardrailBlock),
}

impl GuardRefusal {
    /// The error of an execution that is refused for it.
    pub(crate) fn into_error(self) -> EngineError {
        match self {
            GuardRefusal::Learning(agent) => EngineError::Learning { agent: agent.0 },
            GuardRefusal::ResourceGone(id) => EngineError::NotFound {
                what: "resource",
                id: id.0,
            },
            GuardRefusal::Guardrail(block) => EngineError::Blocked(block),
            other => EngineError::Conflict(other.words()),
        }
    }

    fn words(&self) -> String {
        match self {
            GuardRefusal::Advice => "this is advice: Reeve cannot apply it, so apply it manually".to_owned(),
            GuardRefusal::AgentDeleted(id) => format!("its agent {} was deleted, so it cannot be applied", id.0),
            GuardRefusal::Learning(_) => {
                "its agent is in learning mode and does not act; set its mode to Safe mode or Active".to_owned()
            }
            GuardRefusal::ResourceBusy(action, resource) => format!("action {} is changing {resource} right now", action.0),
            GuardRefusal::ResourceGone(id) => format!("the resource {id} is gone"),
            GuardRefusal::ObserveOnly(name) => {
                format!("connection {name} is observe only; allow changes on it first")
            }
            GuardRefusal::Protected(reason) => format!("the resource is protected from this change: {reason}"),
            GuardRefusal::Guardrail(block) => block.message.clone(),
        }
    }

    fn by(&self) -> &str {
        match self {
            GuardRefusal::Advice => "plan",
            GuardRefusal::AgentDeleted(_) => "agent",
            GuardRefusal::Learning(_) => "agent_mode",
            GuardRefusal::ResourceBusy(..) => "action",
            GuardRefusal::ResourceGone(_) => "resource",
            GuardRefusal::ObserveOnly(_) => "connection",
            GuardRefusal::Protected(_) => "protection",
            GuardRefusal::Guardrail(block) => block.guardrail.as_str(),
        }
    }
}

impl From<GuardRefusal> for Applicability {
    fn from(refusal: GuardRefusal) -> Self {
        match refusal {
            GuardRefusal::Advice => Applicability::AdviceOnly(refusal.words()),
            other => Applicability::Blocked {
                by: other.by().to_owned(),
                reason: other.words(),
                exceptable: matches!(&other, GuardRefusal::Guardrail(block) if block.guardrail.is_exceptable()),
            },
        }
    }
}

impl GuardrailService {
    /// Reads what decides now about changes of these resources that are wished for.
    pub(crate) async fn circumstances(
        &self,
        targets: &[ActionTarget<'_>],
        wish: &Wish<'_>,
    ) -> Result<Circumstances, EngineError> {
        let now = self.records.clock.now();
        let connections = self.estate.connection_list().await?;
        let ids: BTreeSet<&ResourceId> = targets.iter().map(|target| target.resource).collect();
        let ids: Vec<ResourceId> = ids.into_iter().cloned().collect();
        let agents = self.records.agents.agent_list(None).await?;
        let limits = self.records.agents.guardrails_get().await?;
        let mut history: HashMap<ResourceId, Vec<Action>> = HashMap::new();

        for action in self.history_of(&ids, now).await? {
            history
                .entry(action.resource.clone())
                .or_default()
                .push(action);
        }

        Ok(Circumstances {
            now,
            exclusions: self.records.agents.exclusion_list().await?,
            history,
            changes: Arc::clone(&self.changes),
            recent: self.recent_actions(&limits, wish.run_id, now).await?,
            // An old change that is being undone began before the guardrails' history.
            unsettled: self.records.agents.action_unsettled(now).await?,
            // Only what an agent does by itself is bounded by a share of its scope.
            scope_sizes: if wish.automatic {
                self.scope_sizes(&agents, &connections).await?
            } else {
                BTreeMap::new()
            },
            resources: self.resources_of(&ids).await?,
            agents: agents
                .into_iter()
                .map(|agent| (agent.id.clone(), agent))
                .collect(),
            limits,
            connections,
        })
    }

    /// The resources of these identifiers that the inventory has.
    pub(crate) async fn resources_of(
        &self,
        ids: &[ResourceId],
    ) -> Result<HashMap<(ConnectionId, ResourceId), Resource>, EngineError> {
        let mut found = HashMap::with_capacity(ids.len());
        for chunk in ids.chunks(CHUNK) {
            let filter = ResourceFilter {
                ids: chunk.to_vec(),
                ..ResourceFilter::default()
            };
            let (listed, _) = self.estate.resource_list(&filter).await?;
            found.extend(
                listed
                    .into_iter()
                    .map(|one| ((one.connection.clone(), one.id.clone()), one)),
            );
        }

        Ok(found)
    }

    async fn scope_sizes(
        &self,
        agents: &[Agent],
        connections: &[Connection],
    ) -> Result<BTreeMap<AgentId, u64>, EngineError> {
        let totals = self.estate.resource_totals().await?;
        let size = |agent: &Agent| {
            let covered = totals.iter().filter(|total| {
                agent
                    .scope
                    .covers(&ChangeControlPlace::of_total(total, connections))
            });
            covered.map(|total| total.resources).sum()
        };

        Ok(agents
            .iter()
            .map(|agent| (agent.id.clone(), size(agent)))
            .collect())
    }

    /// Applicability of recommendations to a request by a person now; `None` where one is being
    /// executed or has ended.
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

        let asked = Caller::system();
        let wish = Wish::new(&asked, None);
        let targets: Vec<ActionTarget<'_>> = recommendations
            .iter()
            .filter(|one| !is_decided(one))
            .map(ActionTarget::from_recommendation)
            .collect();
        let circumstances = self.circumstances(&targets, &wish).await?;
        let decided = |recommendation: &Recommendation| {
            if is_decided(recommendation) {
                return None;
            }
            let decided = circumstances.decide(
                recommendation,
                ActionTarget::from_recommendation(recommendation),
                &wish,
            );
            Some(decided.map_or_else(Applicability::from, Applicability::Ready))
        };

        Ok(recommendations.iter().map(decided).collect())
    }
}

fn is_decided(recommendation: &Recommendation) -> bool {
    recommendation.status.is_end()
        || matches!(
            recommendation.status,
            Status::Executing | Status::Verifying | Status::Testing
        )
}

impl Circumstances {
    /// Decides about an execution: the signatures that it needs, or the first reason to refuse it.
    pub(crate) fn decide(
        &self,
        recommendation: &Recommendation,
        target: ActionTarget<'_>,
        wish: &Wish<'_>,
    ) -> Result<Vec<Signature>, GuardRefusal> {
        planned(recommendation).map_err(|_| GuardRefusal::Advice)?;
        let agent = self.agent(recommendation)?;
        if let Some(agent) = agent.filter(|agent| agent.mode == Mode::Learning) {
            return Err(GuardRefusal::Learning(agent.id.clone()));
        }

        self.refused_on(recommendation, agent, target, wish)?;
        Ok(if wish.preapproved {
            Vec::new()
        } else {
            signatures_for(
                &self.limits.approval_matrix,
                agent,
                recommendation.impact_level,
            )
        })
    }

    /// The guardrail, scope or exclusion that would refuse an execution, whatever the agent's mode.
    pub(crate) fn block(
        &self,
        recommendation: &Recommendation,
        agent: Option<&Agent>,
        target: ActionTarget<'_>,
        wish: &Wish<'_>,
    ) -> Option<GuardrailBlock> {
        match self.refused_on(recommendation, agent, target, wish) {
            Err(GuardRefusal::Guardrail(block)) => Some(block),
            _ => None,
        }
    }

    /// The agent that owns a recommendation; `None` for advice without one.
    fn agent(&self, recommendation: &Recommendation) -> Result<Option<&Agent>, GuardRefusal> {
        let Some(id) = &recommendation.agent_id else {
            return Ok(None);
        };
        self.agents
            .get(id)
            .map(Some)
            .ok_or_else(|| GuardRefusal::AgentDeleted(id.clone()))
    }

    /// Checks resource, connection, scope, exclusions and guardrails. Plan and mode of the agent are
    /// checked by the caller.
    pub(crate) fn refused_on(
        &self,
        recommendation: &Recommendation,
        agent: Option<&Agent>,
        target: ActionTarget<'_>,
        wish: &Wish<'_>,
    ) -> Result<(), GuardRefusal> {
        let on_target =
            |a: &&Action| a.resource == *target.resource && a.connection == *target.connection;
        if let Some(other) = self
            .unsettled
            .iter()
            .filter(on_target)
            .find(|a| a.status.is_active())
        {
            return Err(GuardRefusal::ResourceBusy(
                other.id.clone(),
                target.resource.clone(),
            ));
        }

        let Some(resource) = self
            .resources
            .get(&(target.connection.clone(), target.resource.clone()))
        else {
            return Err(GuardRefusal::ResourceGone(target.resource.clone()));
        };

        let connection = self
            .connections
            .iter()
            .find(|connection| connection.id == *target.connection);
        if let Some(connection) = connection.filter(|connection| !connection.allow_actions) {
            return Err(GuardRefusal::ObserveOnly(connection.name.clone()));
        }

        let change = recommendation
            .plan
            .as_ref()
            .and_then(|plan| plan.change_name());
        if let Some(protected) =
            change.and_then(|change| refusal(resource, change, PriceCatalogue::builtin()))
        {
            return Err(GuardRefusal::Protected(protected.reason));
        }

        let place = ChangeControlPlace::new(resource, &self.connections);
        let procedure = recommendation
            .plan
            .as_ref()
            .and_then(|plan| self.changes.procedure(plan).ok());
        let asked = GuardRequest {
            recommendation,
            procedure: procedure.as_ref(),
            resource: target.resource,
            place,
            run_id: wish.run_id,
            automatic: wish.automatic,
            emergency: wish.emergency.is_some(),
            scope_size: agent
                .and_then(|agent| self.scope_sizes.get(&agent.id).copied())
                .unwrap_or(0),
            history: self.history.get(target.resource).map_or(&[], Vec::as_slice),
            recent: &self.recent,
            now: self.now,
        };

        within_scope(agent, &place)
            .and_then(|()| not_excluded(&self.exclusions, recommendation, self.now))
            .and_then(|()| check(&self.limits, &asked))
            .map_err(GuardRefusal::Guardrail)
    }
}

/// Refuses recommendations that were made while the agent's scope was wider and that its present
/// scope excludes, for every caller.
fn within_scope(
    agent: Option<&Agent>,
    place: &ChangeControlPlace<'_>,
) -> Result<(), GuardrailBlock> {
    let Some(agent) = agent.filter(|agent| !agent.scope.covers(place)) else {
        return Ok(());
    };

    let message = format!(
        "the resource is outside of the scope of agent {}",
        agent.name
    );
    Err(GuardrailBlock {
        guardrail: GuardrailName::Scope,
        message,
        limit: 0.0,
        value: 1.0,
    })
}

fn not_excluded(
    exclusions: &[Exclusion],
    recommendation: &Recommendation,
    now: Timestamp,
) -> Result<(), GuardrailBlock> {
    match excluded(
        exclusions,
        &recommendation.subject,
        recommendation.kind,
        now,
    ) {
        None => Ok(()),
        Some(exclusion) => Err(GuardrailBlock {
            guardrail: GuardrailName::Exclusion,
            message: format!("{} excluded it: {}", exclusion.by, exclusion.reason),
            limit: 0.0,
            value: 1.0,
        }),
    }
}

impl GuardrailService {
    /// Asks what decides about the execution; returns the signatures that it needs. A guardrail's
    /// block is recorded and kept on the recommendation.
    pub(crate) async fn permitted(
        &self,
        recommendation: &Recommendation,
        target: ActionTarget<'_>,
        wish: &Wish<'_>,
    ) -> Result<Vec<Signature>, EngineError> {
        let refusal =
            match self
                .circumstances(&[target], wish)
                .await?
                .decide(recommendation, target, wish)
            {
                Ok(needed) => return Ok(needed),
                Err(refusal) => refusal,
            };

        match &refusal {
            GuardRefusal::Learning(_) => {
                self.refused(recommendation, "agent mode is learning", wish)
                    .await?
            }
            GuardRefusal::Guardrail(block) => {
                let words = block.to_string();
                self.refused(recommendation, &words, wish).await?;
                let now = self.records.clock.now();
                let version = recommendation.version + 1;
                let kept = Recommendation {
                    blocked: Some(words),
                    updated_at: now,
                    version,
                    ..recommendation.clone()
                };
                self.records.agents.recommendation_update(&kept).await?;
            }
            _ => {}
        }

        Err(refusal.into_error())
    }

    async fn refused(
        &self,
        recommendation: &Recommendation,
        why: &str,
        wish: &Wish<'_>,
    ) -> Result<(), EngineError> {
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
