//! Execution by an agent itself: what its mode and configuration allow, the most valuable
//! recommendation first.

pub(crate) mod policy;
pub(crate) mod preview;

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_recommend::agent::{Agent, RunReport};
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::GuardrailBlock;
use reeve_recommend::guardrail::exception::ExceptionRequest;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Priority, Recommendation, RecommendationId};

use crate::answer::approvals::Approvals;
use crate::automatic::policy::{Auto, AutomaticCandidate, decide, signatures_for};
use crate::execution::request::{ActionTarget, Wish, planned};
use crate::execution::{Execution, ExecutionService};
use crate::guard::circumstances::GuardRefusal;
use crate::records::Records;
use crate::rollout::RolloutService;

/// Executes recommendations in the name of their agents.
pub struct AutomaticExecution {
    records: Arc<Records>,
    approvals: Arc<Approvals>,
    execution: Arc<ExecutionService>,
    rollouts: Arc<RolloutService>,
}

impl AutomaticExecution {
    /// Creates the service over the services that it uses.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        approvals: Arc<Approvals>,
        execution: Arc<ExecutionService>,
        rollouts: Arc<RolloutService>,
    ) -> Self {
        AutomaticExecution {
            records,
            approvals,
            execution,
            rollouts,
        }
    }

    /// Applies, or asks approval for, what the agent's mode and configuration allow; what is
    /// expected to bring most first.
    pub(super) async fn apply_what_it_may(
        &self,
        agent: &Agent,
        mut found: Vec<AutomaticCandidate>,
        report: &mut RunReport,
        skipped: &mut BTreeMap<String, u64>,
    ) -> Result<(), EngineError> {
        AutomaticCandidate::sort(&mut found);
        let caller = Caller::agent(&agent.id);
        let matrix = self.records.approval_matrix().await?;
        let staged = self
            .rollouts
            .staged(agent, &found, report.days_observed, &caller)
            .await?;
        for candidate in found
            .into_iter()
            .filter(|candidate| candidate.status == Status::Open)
        {
            if let Auto::Leave(reason) = decide(&matrix, agent, &candidate, report.days_observed) {
                *skipped.entry(reason.to_owned()).or_default() += 1;
                continue;
            }
            if let Some(reason) = staged.get(&candidate.kind) {
                *skipped.entry((*reason).to_owned()).or_default() += 1;
                continue;
            }
            match self.by_itself(agent, &candidate.id, report, &caller).await {
                Ok(Some(Execution::Started(_))) => report.applied += 1,
                Ok(Some(Execution::PendingApproval(_))) => {
                    *skipped.entry("approval_requested".to_owned()).or_default() += 1
                }
                Ok(None) => {}
                Err(EngineError::Blocked(block)) => {
                    *skipped
                        .entry(format!("blocked_{}", block.guardrail))
                        .or_default() += 1;
                }
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, recommendation = %candidate.id.0, "an agent could not apply its finding");
                    *skipped.entry("could_not_begin".to_owned()).or_default() += 1;
                }
            }
        }

        Ok(())
    }

    async fn by_itself(
        &self,
        agent: &Agent,
        id: &RecommendationId,
        report: &RunReport,
        caller: &Caller,
    ) -> Result<Option<Execution>, EngineError> {
        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;

        // Somebody may have answered it, or configured the agent anew, since it was found.
        let now = self.records.agents.agent_get(&agent.id).await?;
        let matrix = self.records.approval_matrix().await?;
        let decided = decide(
            &matrix,
            &now,
            &AutomaticCandidate::from(&recommendation),
            report.days_observed,
        );

        if matches!(decided, Auto::Leave(_)) {
            return Ok(None);
        }

        let wish = Wish {
            run_id: Some(&report.run_id),
            automatic: true,
            ..Wish::new(caller, None)
        };
        if recommendation.priority == Priority::Critical
            && let Some(block) = self.blocked_for_people(&recommendation, caller).await?
        {
            return self
                .ask_exception(&now, &matrix, recommendation, block, &wish)
                .await;
        }

        if decided == Auto::AskApproval {
            let mut approval =
                self.approvals
                    .approval_for(&recommendation, planned(&recommendation)?, &wish);
            approval.needed = signatures_for(&matrix, Some(&now), recommendation.impact_level);
            return self
                .approvals
                .ask_approval(recommendation, approval, &wish)
                .await
                .map(Execution::PendingApproval)
                .map(Some);
        }

        self.execution.proceed(recommendation, wish).await.map(Some)
    }

    /// Guardrail that would refuse a recommendation once it has its signatures.
    async fn blocked_for_people(
        &self,
        recommendation: &Recommendation,
        caller: &Caller,
    ) -> Result<Option<GuardrailBlock>, EngineError> {
        let (target, signed) = (
            ActionTarget::from_recommendation(recommendation),
            Wish::new(caller, None),
        );
        let circumstances = self
            .execution
            .guardrails
            .circumstances(&[target], &signed)
            .await?;

        Ok(
            match circumstances.decide(recommendation, target, &signed) {
                Err(GuardRefusal::Guardrail(block)) => Some(block),
                _ => None,
            },
        )
    }

    /// Asks people for the exception that lets a critical recommendation through. A limit that it
    /// exceeds by nature (a larger size costs more than 5 % more) would refuse it in every run.
    /// Each plan is asked for once: a refusal is an answer.
    async fn ask_exception(
        &self,
        agent: &Agent,
        matrix: &ApprovalMatrix,
        recommendation: Recommendation,
        block: GuardrailBlock,
        wish: &Wish<'_>,
    ) -> Result<Option<Execution>, EngineError> {
        let plan = planned(&recommendation)?;
        let asked = self
            .records
            .agents
            .approval_list(Some(&recommendation.id))
            .await?;

        let is_answered = asked
            .iter()
            .any(|one| one.exception.is_some() && one.plan_hash == plan.hash);
        let Some(exception) = ExceptionRequest::from_block(&block).filter(|_| !is_answered) else {
            return Err(EngineError::Blocked(block));
        };

        let reason = format!("{} is critical: {}", recommendation.title, block.message);
        let wish = Wish {
            comment: Some(&reason),
            ..*wish
        };
        let approval = self.approvals.exception_approval(
            &recommendation,
            plan,
            exception,
            (matrix, Some(agent)),
            &wish,
        );

        self.approvals
            .ask_approval(recommendation, approval, &wish)
            .await
            .map(Execution::PendingApproval)
            .map(Some)
    }
}
