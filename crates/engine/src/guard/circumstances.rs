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
use reeve_estate::{Catalogue, Connection, ConnectionId, Resource, ResourceFilter, ResourceId};
use reeve_recommend::action::{Action, ActionId};
use reeve_recommend::agent::{Agent, AgentId, Mode};
use reeve_recommend::approval::Signature;
use reeve_recommend::caller::Caller;
use reeve_recommend::change::Changes;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::change_control::Place;
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::guardrail::{Block, GuardrailName, Guardrails};
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::applicability::Applicability;
use reeve_recommend::recommendation::exclusion::{Exclusion, excluded};
use reeve_recommend::recommendation::lifecycle::Status;

use crate::automatic::policy::signatures_for;
use crate::execution::request::{Target, Wish, planned};
use crate::guard::limits::GuardrailService;
use crate::guard::recent_actions::CHUNK;
use crate::guard::{Asked, RecentActions, check};
use crate::log_entry;

/// Everything besides a recommendation that decides about its execution.
pub(crate) struct Circumstances {
    now: Timestamp,
    limits: Guardrails,
    exclusions: Vec<Exclusion>,
    changes: Arc<Changes>,
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
pub(crate) enum Refusal {
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
    Guardrail(Block),
}

impl Refusal {
    /// The error of an execution that is refused for it.
    pub(crate) fn into_error(self) -> EngineError {
        match self {
            Refusal::Learning(agent) => EngineError::Learning { agent: agent.0 },
            Refusal::ResourceGone(id) => EngineError::NotFound {
                what: "resource",
                id: id.0,
            },
            Refusal::Guardrail(block) => EngineError::Blocked(block),
            other => EngineError::Conflict(other.words()),
        }
    }

    fn words(&self) -> String {
        match self {
            Refusal::Advice => "this is advice: Reeve cannot apply it, so apply it manually".to_owned(),
            Refusal::AgentDeleted(id) => format!("its agent {} was deleted, so it cannot be applied", id.0),
            Refusal::Learning(_) => {
                "its agent is in learning mode and does not act; set its mode to Safe mode or Active".to_owned()
            }
            Refusal::ResourceBusy(action, resource) => format!("action {} is changing {resource} right now", action.0),
            Refusal::ResourceGone(id) => format!("the resource {id} is gone"),
            Refusal::ObserveOnly(name) => {
                format!("connection {name} is observe only; allow changes on it first")
            }
            Refusal::Protected(reason) => format!("the resource is protected from this change: {reason}"),
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
            Refusal::Protected(_) => "protection",
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
    /// Reads what decides now about changes of these resources that are wished for.
    pub(crate) async fn circumstances(
        &self,
        targets: &[Target<'_>],
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
            let covered = totals
                .iter()
                .filter(|total| agent.scope.covers(&Place::of_total(total, connections)));
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
        let targets: Vec<Target<'_>> = recommendations
            .iter()
            .filter(|one| !is_decided(one))
            .map(Target::from_recommendation)
            .collect();
        let circumstances = self.circumstances(&targets, &wish).await?;
        let decided = |recommendation: &Recommendation| {
            if is_decided(recommendation) {
                return None;
            }
            let decided = circumstances.decide(
                recommendation,
                Target::from_recommendation(recommendation),
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
        let Some(id) = &recommendation.agent_id else {
            return Ok(None);
        };
        self.agents
            .get(id)
            .map(Some)
            .ok_or_else(|| Refusal::AgentDeleted(id.clone()))
    }

    /// Checks resource, connection, scope, exclusions and guardrails. Plan and mode of the agent are
    /// checked by the caller.
    pub(crate) fn refused_on(
        &self,
        recommendation: &Recommendation,
        agent: Option<&Agent>,
        target: Target<'_>,
        wish: &Wish<'_>,
    ) -> Result<(), Refusal> {
        let on_target =
            |a: &&Action| a.resource == *target.resource && a.connection == *target.connection;
        if let Some(other) = self
            .unsettled
            .iter()
            .filter(on_target)
            .find(|a| a.status.is_active())
        {
            return Err(Refusal::ResourceBusy(
                other.id.clone(),
                target.resource.clone(),
            ));
        }

        let Some(resource) = self
            .resources
            .get(&(target.connection.clone(), target.resource.clone()))
        else {
            return Err(Refusal::ResourceGone(target.resource.clone()));
        };

        let connection = self
            .connections
            .iter()
            .find(|connection| connection.id == *target.connection);
        if let Some(connection) = connection.filter(|connection| !connection.allow_actions) {
            return Err(Refusal::ObserveOnly(connection.name.clone()));
        }

        let change = recommendation
            .plan
            .as_ref()
            .and_then(|plan| plan.change_name());
        if let Some(protected) =
            change.and_then(|change| refusal(resource, change, Catalogue::builtin()))
        {
            return Err(Refusal::Protected(protected.reason));
        }

        let place = Place::new(resource, &self.connections);
        let procedure = recommendation
            .plan
            .as_ref()
            .and_then(|plan| self.changes.procedure(plan).ok());
        let asked = Asked {
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
            .map_err(Refusal::Guardrail)
    }
}

/// Refuses recommendations that were made while the agent's scope was wider and that its present
/// scope excludes, for every caller.
fn within_scope(agent: Option<&Agent>, place: &Place<'_>) -> Result<(), Block> {
    let Some(agent) = agent.filter(|agent| !agent.scope.covers(place)) else {
        return Ok(());
    };

    let message = format!(
        "the resource is outside of the scope of agent {}",
        agent.name
    );
    Err(Block {
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
) -> Result<(), Block> {
    match excluded(
        exclusions,
        &recommendation.subject,
        recommendation.kind,
        now,
    ) {
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
    /// Asks what decides about the execution; returns the signatures that it needs. A guardrail's
    /// block is recorded and kept on the recommendation.
    pub(crate) async fn permitted(
        &self,
        recommendation: &Recommendation,
        target: Target<'_>,
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
            Refusal::Learning(_) => {
                self.refused(recommendation, "agent mode is learning", wish)
                    .await?
            }
            Refusal::Guardrail(block) => {
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
