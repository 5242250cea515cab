//! Gathering the facts of a diagnosis. Nothing is recorded or changed by asking.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Resource, ResourceFilter};

use super::request::{Target, Wish};
use super::{AgentService, Caller, EngineError, RecommendationService};
use reeve_recommend::action::{Action, ActionStatus};
use reeve_recommend::agent::{Agent, AgentId};
use reeve_recommend::combined::{Relation, relation};
use reeve_recommend::diagnosis;
use reeve_recommend::diagnosis::{BlockedBy, Diagnosis, Failure, FindingFacts, StuckFacts};
use reeve_recommend::exclusion::excluded;
use reeve_recommend::guardrail::{Block, GuardrailName};
use reeve_recommend::lifecycle::Status;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::{Closing, FeedbackOutcome, Recommendation, RecommendationId};

/// Resources added or removed within this time count as a change of the environment.
const RECENT: SignedDuration = SignedDuration::from_hours(24 * 14);

impl RecommendationService {
    /// Returns the possible reasons why a recommendation is not executed.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; the store's failures.
    pub async fn diagnose(&self, id: &RecommendationId, caller: &Caller) -> Result<Diagnosis, EngineError> {
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let agent = self.records.agent_of(&recommendation).await.ok().flatten();
        let may_act =
            self.estate.connection_get(&recommendation.subject.connection).await.ok().map(|c| c.allow_actions);
        let wish = Wish::of(caller, None);
        let block = self.guardrails.circumstances().await?.block(
            &recommendation,
            agent.as_ref(),
            Target::of(&recommendation),
            &wish,
        );
        let past = self.records.agents.action_list(Some(id), None).await?;
        let failed = |status| matches!(status, ActionStatus::Failed | ActionStatus::Aborted | ActionStatus::RolledBack);
        let facts = StuckFacts {
            agent: agent.as_ref(),
            may_act,
            block: block.filter(|block| block.guardrail != GuardrailName::Exclusion).map(blocked_by),
            conflicts: self.conflicts(&recommendation).await?,
            failures: past.into_iter().filter(|action| failed(action.status)).filter_map(failure).collect(),
            recommendation: &recommendation,
        };
        Ok(diagnosis::not_executing(&facts))
    }

    async fn conflicts(&self, recommendation: &Recommendation) -> Result<Vec<String>, EngineError> {
        let mut found = Vec::new();
        let exclusions = self.records.agents.exclusion_list().await?;
        if let Some(exclusion) =
            excluded(&exclusions, &recommendation.subject, recommendation.kind, self.records.clock.now())
        {
            found.push(format!("{} excluded it: {}", exclusion.by, exclusion.reason));
        }
        let filter = RecommendationFilter {
            resource: Some(recommendation.subject.id.0.clone()),
            ..RecommendationFilter::default()
        };
        let (others, _) = self.records.agents.recommendation_list(&filter).await?;
        for other in others.iter().filter(|other| other.id != recommendation.id && !other.status.is_end()) {
            match relation(recommendation.kind, other.kind) {
                _ if matches!(other.status, Status::Executing | Status::Verifying) => {
                    found.push(format!("{} is being executed on the same resource", other.title));
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
        Ok(vec![diagnosis::low_confidence(&agent, &facts), diagnosis::irrelevant(&agent, &facts)])
    }

    async fn finding_facts(&self, agent: &Agent) -> Result<FindingFacts, EngineError> {
        let connections = self.estate.connection_list().await?;
        let (all, _) = self.estate.resource_list(&ResourceFilter::default()).await?;
        let scope: Vec<&Resource> = all.iter().filter(|r| agent.scope.includes(r, &connections)).collect();
        let filter = RecommendationFilter { agent: Some(agent.id.0.clone()), ..RecommendationFilter::default() };
        let (own, _) = self.records.agents.recommendation_list(&filter).await?;
        let feedback = self.records.agents.feedback_list(None).await?;
        let recent = |at: Timestamp| self.records.clock.now().duration_since(at) < RECENT;
        let gone = own.iter().filter(|recommendation| {
            recommendation.status == Status::Expired
                && recent(recommendation.updated_at)
                && recommendation.closing == Some(Closing::ResourceGone)
        });
        let answers =
            |recommendation: &Recommendation| feedback.iter().rfind(|f| f.recommendation == recommendation.id);
        let rejected = |recommendation: &&Recommendation| {
            recommendation.status == Status::Dismissed
                || answers(recommendation).is_some_and(|f| f.outcome == FeedbackOutcome::NotApplicable)
        };
        let report = agent.last_run.as_ref();
        Ok(FindingFacts {
            days_observed: report.map(|run| run.days_observed),
            resources_seen: scope.len() as u64,
            resources_changed: (scope.iter().filter(|r| r.created_at.is_some_and(recent)).count() + gone.count())
                as u64,
            resources_untagged: scope.iter().filter(|resource| resource.tags.is_empty()).count() as u64,
            skipped: report.map(|run| run.skipped.clone()).unwrap_or_default(),
            scope_unmatched: unmatched(agent, &all, &connections),
            confidences: own
                .iter()
                .filter(|recommendation| !recommendation.status.is_end())
                .map(|recommendation| recommendation.confidence)
                .collect(),
            unmeasured: own
                .iter()
                .filter(|recommendation| !recommendation.status.is_end() && !recommendation.not_measured.is_empty())
                .count() as u64,
            rejected: own.iter().filter(rejected).count() as u64,
            answered: own
                .iter()
                .filter(|recommendation| recommendation.status.is_end() || answers(recommendation).is_some())
                .count() as u64,
        })
    }
}

fn blocked_by(block: Block) -> BlockedBy {
    BlockedBy { guardrail: block.guardrail, message: block.message }
}

fn failure(action: Action) -> Option<Failure> {
    let denied = action.was_denied();
    action.reason.map(|reason| Failure { reason, denied })
}

/// Accounts and services of a scope that nothing in the estate has.
fn unmatched(agent: &Agent, all: &[Resource], connections: &[reeve_estate::Connection]) -> Vec<String> {
    let alone = |accounts: &[&String], services: &[&String]| reeve_recommend::agent::Scope {
        accounts: accounts.iter().map(|name| (*name).clone()).collect(),
        services: services.iter().map(|name| (*name).clone()).collect(),
    };
    let empty = |scope: &reeve_recommend::agent::Scope| !all.iter().any(|r| scope.includes(r, connections));
    let accounts = agent.scope.accounts.iter().filter(|name| empty(&alone(&[name], &[])));
    let services = agent.scope.services.iter().filter(|name| empty(&alone(&[], &[name])));
    accounts.map(|name| format!("account {name}")).chain(services.map(|name| format!("service {name}"))).collect()
}
