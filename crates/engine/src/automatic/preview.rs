//! Dry run of an agent: its decision on each of its open recommendations now, under its own
//! configuration or another one that is considered. Nothing is executed, requested or recorded.
//!
//! Each recommendation is judged on its own against the present state. A limit that the first
//! changes of a run use up, as the number of changes a day, therefore shows only once it is
//! reached.

use std::collections::BTreeMap;

use reeve_recommend::agent::Agent;
use reeve_recommend::approval::Signature;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::applicability::Applicability;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::agent::scope::ScopeService;
use crate::automatic::policy::{Auto, AutomaticCandidate, decide, signatures_for};
use crate::execution::request::{ActionTarget, Wish};
use crate::rollout::{RolloutService, Staging};

/// Decision of an agent on one of its recommendations.
#[derive(Debug, Clone, PartialEq)]
pub enum PreviewOutcome {
    /// It is executed at once.
    Applies,
    /// These signatures are requested; it is executed when they are given.
    RequestsApproval(Vec<Signature>),
    /// It is carried by a rollout: one that exists, or one that begins because there are many of
    /// its kind.
    Rollout(&'static str),
    /// A guardrail, a policy or the state of the resource refuses it.
    Blocked {
        /// Guardrail (`cost_impact.max_increase`), or `connection`, `resource`, `action`.
        by: String,
        /// Limit and value, in words.
        reason: String,
    },
    /// The agent's configuration leaves it to a person, for this reason (`low_confidence`).
    LeftToPeople(&'static str),
}

/// Dry run of an agent.
#[derive(Debug, Clone)]
pub struct Preview {
    /// Days of samples of its scope, of those that its learning period asks for.
    pub days_observed: u32,
    /// Its open recommendations in the order in which it takes them up, each with the decision.
    pub decisions: Vec<(Recommendation, PreviewOutcome)>,
}

impl RolloutService {
    /// Decides on the open recommendations of an agent as its next run would. `agent` may differ
    /// from the stored one in its mode and settings.
    ///
    /// # Errors
    /// A store failed.
    pub async fn preview(
        &self,
        agent: &Agent,
        scopes: &ScopeService,
    ) -> Result<Preview, EngineError> {
        let days_observed = scopes.days_observed(agent).await?;
        let filter = RecommendationFilter {
            agent: Some(agent.id.0.clone()),
            status: vec![Status::Open],
            ..RecommendationFilter::default()
        };
        let (mut open, _) = self.records.agents.recommendation_list(&filter).await?;
        open.sort_by(|a, b| {
            b.ranking
                .expected_value
                .total_cmp(&a.ranking.expected_value)
                .then_with(|| a.id.cmp(&b.id))
        });

        let candidates: Vec<AutomaticCandidate> =
            open.iter().map(AutomaticCandidate::from).collect();
        let staged = self.staging(agent, &candidates, days_observed).await?;
        let reasons: BTreeMap<_, _> = staged
            .iter()
            .map(|(kind, staging)| (*kind, staging.reason()))
            .collect();
        let matrix = self.records.approval_matrix().await?;
        let caller = Caller::agent(&agent.id);
        let wish = Wish {
            automatic: true,
            ..Wish::new(&caller, None)
        };
        let targets: Vec<ActionTarget<'_>> =
            open.iter().map(ActionTarget::from_recommendation).collect();
        let circumstances = self.guardrails.circumstances(&targets, &wish).await?;
        let outcome = |recommendation: &Recommendation| {
            let decided = decide(
                &matrix,
                agent,
                &AutomaticCandidate::from(recommendation),
                days_observed,
            );
            if let Auto::Leave(reason) = decided {
                return PreviewOutcome::LeftToPeople(reason);
            }
            if let Some(reason) = reasons.get(&recommendation.kind) {
                return PreviewOutcome::Rollout(reason);
            }
            let refused = circumstances.refused_on(
                recommendation,
                Some(agent),
                ActionTarget::from_recommendation(recommendation),
                &wish,
            );
            match (refused.map_err(Applicability::from), decided) {
                (Err(Applicability::Blocked { by, reason, .. }), _) => {
                    PreviewOutcome::Blocked { by, reason }
                }
                (_, Auto::AskApproval) => PreviewOutcome::RequestsApproval(signatures_for(
                    &matrix,
                    Some(agent),
                    recommendation.impact_level,
                )),
                _ => PreviewOutcome::Applies,
            }
        };

        let decisions = open
            .into_iter()
            .map(|recommendation| (outcome(&recommendation), recommendation));
        Ok(Preview {
            days_observed,
            decisions: decisions.map(|(outcome, one)| (one, outcome)).collect(),
        })
    }
}

impl Staging {
    /// The reason for which an agent does not apply recommendations of the kind one by one.
    const fn reason(&self) -> &'static str {
        match self {
            Staging::Carried(reason) => reason,
            Staging::Begins(_) => "begins_rollout",
        }
    }
}
