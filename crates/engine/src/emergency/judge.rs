//! Judgement of events: by every agent type that they wake, of each resource that they are about.

use std::sync::Arc;

use reeve_audit::{Entry, Obstacle};
use reeve_estate::{Resource, ResourceFilter, ResourceId};
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::emergency::{EmergencyTerms, LATE, Preapproval};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::Judgement;
use reeve_recommend::judgement::event::{EventContent, JudgementEvent};
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{FactorKind, Recommendation};

use super::EmergencyService;
use crate::agent::ownership::OwnershipHolder;

impl EmergencyService {
    /// Returns `true` if an entry of the log wakes any agent type.
    #[must_use]
    pub fn wakes(&self, entry: &Entry) -> bool {
        entry.resource.id.is_some()
            && self
                .waking_entries
                .iter()
                .any(|event| event.is_entry(entry))
    }

    /// Judges an entry of the log that wakes agent types, and applies what standing approvals
    /// allow. An entry that is read late is judged, and left to people.
    ///
    /// # Errors
    /// A store or the log failed; judging the entry again finds the same.
    pub async fn raise(&self, entry: Entry) -> Result<(), EngineError> {
        let Some(resource) = entry.resource.id.clone() else {
            return Ok(());
        };
        let why = format!("event {}", entry.event_id.as_str());
        let event = JudgementEvent {
            at: entry.timestamp,
            resource: ResourceId::new(resource),
            connection: None,
            cause: OriginCause::Event(entry.event_id.as_str().to_owned()),
            content: EventContent::Entry(Box::new(entry)),
        };

        let is_late = self.records.clock.now().duration_since(event.at) >= LATE;
        for found in self.judge_event(&event).await?.into_iter().flatten() {
            if is_late {
                let reason = "the event was read more than 15 minutes after it happened";
                self.leave(found, reason).await?;
            } else {
                let remedy = self.respond(&found.id, &why).await?;
                tracing::info!(
                    ?remedy,
                    recommendation = found.id.0,
                    "an event was answered"
                );
            }
        }
        Ok(())
    }

    /// Judges an event and keeps what is found, without applying it: one answer for each finding,
    /// its recommendation or the reason why there is none. Nothing where no agent type is woken, or
    /// the inventory does not have the resource.
    ///
    /// # Errors
    /// A store or the log failed.
    pub async fn judge_event(
        &self,
        event: &JudgementEvent,
    ) -> Result<Vec<Result<Recommendation, Obstacle>>, EngineError> {
        let is_woken = |definition: &&Arc<dyn AgentDefinition>| {
            let mut events = definition
                .emergencies()
                .iter()
                .flat_map(|kind| kind.wakes.iter());
            events.any(|pattern| match &event.content {
                EventContent::Entry(entry) => pattern.is_entry(entry),
                EventContent::Observation { source, .. } => pattern.is_observation(source),
            })
        };
        let woken: Vec<_> = self.ports.agent_types.iter().filter(is_woken).collect();
        if woken.is_empty() {
            return Ok(Vec::new());
        }

        let mut answers = Vec::new();
        for resource in self.resources_of(event).await? {
            for definition in &woken {
                answers.extend(self.judge_by(definition, event, &resource).await?);
            }
        }
        Ok(answers)
    }

    /// Resources that an event is about: several where connections have the same identifier and the
    /// event does not tell them apart.
    async fn resources_of(&self, event: &JudgementEvent) -> Result<Vec<Resource>, EngineError> {
        let filter = ResourceFilter {
            connection: event.connection.clone(),
            account: event
                .entry()
                .and_then(|entry| entry.resource.account_id.clone()),
            ids: vec![event.resource.clone()],
            ..ResourceFilter::default()
        };
        Ok(self.ports.estate.resource_list(&filter).await?.0)
    }

    async fn judge_by(
        &self,
        definition: &Arc<dyn AgentDefinition>,
        event: &JudgementEvent,
        resource: &Resource,
    ) -> Result<Vec<Result<Recommendation, Obstacle>>, EngineError> {
        let agent_type = definition.info().agent_type;
        let agents = self.records.agents.agent_list(Some(agent_type)).await?;
        let connections = self.ports.scopes.connections().await?;
        let holder = OwnershipHolder::covering(agent_type, resource, &agents, &connections);
        let runs = &self.ports.runs;
        let mut judged = runs
            .judge_event(definition, holder.agent, event, resource.clone())
            .await?;

        let terms = holder.agent.map(EmergencyTerms::of_agent);
        self.explain(definition, terms.as_ref(), &mut judged.judgement);
        let findings = &self.ports.findings;
        findings.keep_one(holder, &event.cause, judged).await
    }

    /// Tells in each finding of an emergency which limits bind it and which do not.
    fn explain(
        &self,
        definition: &Arc<dyn AgentDefinition>,
        terms: Option<&EmergencyTerms>,
        judgement: &mut Judgement,
    ) {
        let Some(terms) = terms else {
            return;
        };
        for proposal in &mut judgement.proposals {
            let mut kinds = definition.emergencies().iter();
            let Some(kind) = kinds.find(|kind| kind.rule == proposal.rule) else {
                continue;
            };
            let words = format!(
                "With a standing approval it is applied at once: at most {} changes an hour and {:.0} % of its group in 24 hours; \
                 cool-down, maintenance windows and the limits per run and per day do not apply then, every other guardrail does",
                terms.acts_per_hour, terms.share_of_group
            );
            let otherwise = match kind.preapproval {
                Preapproval::Standing => "",
                Preapproval::Configuration => {
                    ". Without one, the agent's permission to apply changes automatically and all guardrails decide"
                }
            };
            let factors = &mut proposal.explanation.factors;
            factors.extend([(FactorKind::Consequence, format!("{words}{otherwise}"))]);
        }
    }
}
