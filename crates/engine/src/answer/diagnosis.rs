//! Gathering the facts of a diagnosis. Nothing is recorded or changed by asking.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Connection, ResourceFilter, ResourcePages};
use reeve_recommend::action::{Action, ActionStatus};
use reeve_recommend::agent::{Agent, AgentId, AgentScope};
use reeve_recommend::caller::Caller;
use reeve_recommend::diagnosis;
use reeve_recommend::diagnosis::{
    BlockedBy, Diagnosis, DiagnosisFailure, FindingFacts, StuckFacts,
};
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::{GuardrailBlock, GuardrailName};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::combined::{Relation, relation};
use reeve_recommend::recommendation::exclusion::excluded;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Closing, FeedbackOutcome, Recommendation, RecommendationId};

use crate::agent::configuration::AgentService;
use crate::answer::RecommendationService;
use crate::execution::request::{ActionTarget, Wish};

/// Resources added or removed within this time count as a change of the environment.
const RECENT: SignedDuration = SignedDuration::from_hours(24 * 14);
/// Resources that are read at a time.
const PAGE: u64 = 1_000;

impl RecommendationService {
    /// Returns the possible reasons why a recommendation is not executed.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; the store's failures.
    pub async fn diagnose(
        &self,
        id: &RecommendationId,
        caller: &Caller,
    ) -> Result<Diagnosis, EngineError> {
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let agent = self.records.agent_of(&recommendation).await.ok().flatten();
        let may_act = self
            .estate
            .connection_get(&recommendation.subject.connection)
            .await
            .ok()
            .map(|c| c.allow_actions);

        let wish = Wish::new(caller, None);
        let target = ActionTarget::from_recommendation(&recommendation);
        let circumstances = self.guardrails.circumstances(&[target], &wish).await?;
        let block = circumstances.block(&recommendation, agent.as_ref(), target, &wish);
        let past = self.records.agents.action_list(Some(id), None).await?;
        let failed = |status| {
            matches!(
                status,
                ActionStatus::Failed | ActionStatus::Aborted | ActionStatus::RolledBack
            )
        };

        let facts = StuckFacts {
            agent: agent.as_ref(),
            may_act,
            block: block
                .filter(|block| block.guardrail != GuardrailName::Exclusion)
                .map(blocked_by),
            conflicts: self.conflicts(&recommendation).await?,
            failures: past
                .into_iter()
                .filter(|action| failed(action.status))
                .filter_map(failure)
                .collect(),
            recommendation: &recommendation,
        };

        Ok(diagnosis::not_executing(&facts))
    }

    async fn conflicts(&self, recommendation: &Recommendation) -> Result<Vec<String>, EngineError> {
        let mut found = Vec::new();
        let exclusions = self.records.agents.exclusion_list().await?;

        if let Some(exclusion) = excluded(
            &exclusions,
            &recommendation.subject,
            recommendation.kind,
            self.records.clock.now(),
        ) {
            found.push(format!(
                "{} excluded it: {}",
                exclusion.by, exclusion.reason
            ));
        }

        let filter = RecommendationFilter {
            resource: Some(recommendation.subject.id.0.clone()),
            ..RecommendationFilter::default()
        };
        let (others, _) = self.records.agents.recommendation_list(&filter).await?;
        for other in others
            .iter()
            .filter(|other| other.id != recommendation.id && !other.status.is_end())
        {
            match relation(recommendation.kind, other.kind) {
                _ if matches!(other.status, Status::Executing | Status::Verifying) => {
                    found.push(format!(
                        "{} is being executed on the same resource",
                        other.title
                    ));
                }
                Some(Relation::Excludes) => found.push(format!("it excludes {}", other.title)),
                Some(Relation::After) => found.push(format!("apply it after {}", other.title)),
                None => {}
            }
        }

        Ok(found)
    }
}

impl AgentService {
    /// Returns the possible reasons why an agent's findings have low confidence or do not fit.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; the store's failures.
    pub async fn diagnose_agent(&self, id: &AgentId) -> Result<Vec<Diagnosis>, EngineError> {
        let agent = self.records.agents.agent_get(id).await?;
        let facts = self.finding_facts(&agent).await?;
        Ok(vec![
            diagnosis::low_confidence(&agent, &facts),
            diagnosis::irrelevant(&agent, &facts),
        ])
    }

    async fn finding_facts(&self, agent: &Agent) -> Result<FindingFacts, EngineError> {
        let connections = self.estate.connection_list().await?;
        let now = self.records.clock.now();
        let scope = self.scope_facts(agent, &connections, now).await?;
        let own = RecommendationFilter {
            agent: Some(agent.id.0.clone()),
            ..RecommendationFilter::default()
        };
        let (open, _) = self
            .records
            .agents
            .recommendation_list(&RecommendationFilter {
                is_open: true,
                ..own.clone()
            })
            .await?;

        let (rejected, answered) = self.answers_to(agent, &own).await?;
        let gone = RecommendationFilter {
            closing: Some(Closing::ResourceGone),
            updated_since: now.checked_sub(RECENT).ok(),
            limit: 1,
            ..own
        };
        let (_, gone) = self.records.agents.recommendation_list(&gone).await?;

        let report = agent.last_run.as_ref();
        Ok(FindingFacts {
            days_observed: report.map(|run| run.days_observed),
            resources_seen: scope.seen,
            resources_changed: scope.recent + gone,
            resources_untagged: scope.untagged,
            skipped: report.map(|run| run.skipped.clone()).unwrap_or_default(),
            scope_unmatched: scope.unmatched,
            confidences: open
                .iter()
                .map(|recommendation| recommendation.confidence)
                .collect(),
            unmeasured: open
                .iter()
                .filter(|recommendation| !recommendation.not_measured.is_empty())
                .count() as u64,
            rejected,
            answered,
        })
    }

    /// Numbers of an agent's recommendations that people rejected, and of those that have ended or
    /// were answered.
    async fn answers_to(
        &self,
        agent: &Agent,
        own: &RecommendationFilter,
    ) -> Result<(u64, u64), EngineError> {
        let (mut rejected, mut answered) = (0, 0);
        for total in self.records.agents.recommendation_totals().await? {
            if total.agent.as_ref() == Some(&agent.id) && total.status.is_end() {
                answered += total.count;
                rejected += if total.status == Status::Dismissed {
                    total.count
                } else {
                    0
                };
            }
        }

        let (said, _) = self
            .records
            .agents
            .recommendation_list(&RecommendationFilter {
                has_feedback: true,
                ..own.clone()
            })
            .await?;

        for recommendation in said {
            answered += u64::from(!recommendation.status.is_end());
            let feedback = self
                .records
                .agents
                .feedback_list(Some(&recommendation.id))
                .await?;
            let is_refused = feedback
                .last()
                .is_some_and(|said| said.outcome == FeedbackOutcome::NotApplicable);
            rejected += u64::from(is_refused && recommendation.status != Status::Dismissed);
        }

        Ok((rejected, answered))
    }
}

fn blocked_by(block: GuardrailBlock) -> BlockedBy {
    BlockedBy {
        guardrail: block.guardrail,
        message: block.message,
    }
}

fn failure(action: Action) -> Option<DiagnosisFailure> {
    let denied = action.was_denied();
    action
        .reason
        .map(|reason| DiagnosisFailure { reason, denied })
}

/// Counts of the resources in an agent's scope.
#[derive(Debug, Default)]
struct ScopeFacts {
    seen: u64,
    /// Resources that were created within [`RECENT`].
    recent: u64,
    untagged: u64,
    /// Accounts and services of the scope that nothing in the estate has.
    unmatched: Vec<String>,
}

impl AgentService {
    /// Reads the estate a page at a time.
    async fn scope_facts(
        &self,
        agent: &Agent,
        connections: &[Connection],
        now: Timestamp,
    ) -> Result<ScopeFacts, EngineError> {
        let alone = |accounts: &[&String], services: &[&String]| AgentScope {
            accounts: accounts.iter().map(|name| (*name).clone()).collect(),
            services: services.iter().map(|name| (*name).clone()).collect(),
        };

        let accounts = agent
            .scope
            .accounts
            .iter()
            .map(|name| (format!("account {name}"), alone(&[name], &[])));

        let services = agent
            .scope
            .services
            .iter()
            .map(|name| (format!("service {name}"), alone(&[], &[name])));
        let mut unmatched: Vec<(String, AgentScope)> = accounts.chain(services).collect();
        let mut facts = ScopeFacts::default();
        let mut pages = ResourcePages::new(ResourceFilter::default(), PAGE);

        while let Some(page) = pages.next(&*self.estate).await? {
            for resource in &page {
                unmatched.retain(|(_, part)| !part.includes(resource, connections));
            }
            for resource in page
                .iter()
                .filter(|resource| agent.scope.includes(resource, connections))
            {
                facts.seen += 1;
                facts.recent += u64::from(
                    resource
                        .created_at
                        .is_some_and(|at| now.duration_since(at) < RECENT),
                );
                facts.untagged += u64::from(resource.tags.is_empty());
            }
        }

        facts.unmatched = unmatched.into_iter().map(|(name, _)| name).collect();
        Ok(facts)
    }
}
