//! Asking for an exception to a guardrail. The request is an approval of the exact plan; its last
//! signature grants the exception, and the first execution uses it up.

use reeve_recommend::action::ActionId;
use reeve_recommend::agent::{Agent, Impact};
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::approval::{Approval, ApprovalId, Signature};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::exception::{Exception, ExceptionRequest};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::answer::RecommendationService;
use crate::answer::approvals::Approvals;
use crate::execution::request::{ActionTarget, Wish, planned};
use crate::guard::circumstances::GuardRefusal;
use crate::log_entry;
use crate::records::needed;

impl RecommendationService {
    /// Asks for an exception to the guardrail that blocks a recommendation now, for its plan alone.
    /// It needs the signatures of the plan's impact, a manager's at least, none of them the
    /// requester's.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] without a reason; [`EngineError::PlanChanged`]; a conflict where
    /// nothing blocks it that an exception could lift, or a request waits already.
    pub async fn exception_request(
        &self,
        id: &RecommendationId,
        seen_hash: &str,
        reason: &str,
        caller: &Caller,
    ) -> Result<Approval, EngineError> {
        let reason = needed("reason", reason)?;
        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let plan = planned(&recommendation)?;

        if plan.hash != seen_hash {
            return Err(EngineError::PlanChanged {
                seen: seen_hash.to_owned(),
                now: plan.hash.clone(),
            });
        }

        if !matches!(recommendation.status, Status::Open | Status::Approved) {
            let message =
                "only an open or approved one can get an exception; reopen it first".to_owned();
            return Err(EngineError::WrongState {
                from: recommendation.status,
                message,
            });
        }

        let wish = Wish::new(caller, Some(&reason));
        let target = ActionTarget::from_recommendation(&recommendation);
        let asked = match self
            .guardrails
            .circumstances(&[target], &wish)
            .await?
            .decide(&recommendation, target, &wish)
        {
            Ok(_) => {
                return Err(EngineError::Conflict(
                    "nothing blocks it, so it needs no exception".to_owned(),
                ));
            }
            Err(GuardRefusal::Guardrail(block)) => ExceptionRequest::from_block(&block)
                .ok_or_else(|| {
                    let message = "this guardrail protects the whole estate and has no exceptions";
                    EngineError::Conflict(format!("{message}: {block}"))
                })?,
            Err(refusal) => return Err(refusal.into_error()),
        };

        let agent = self.records.agent_of(&recommendation).await?;
        let matrix = self.records.approval_matrix().await?;
        let approval = self.approvals.exception_approval(
            &recommendation,
            plan,
            asked,
            (&matrix, agent.as_ref()),
            &wish,
        );

        self.approvals
            .ask_approval(recommendation, approval, &wish)
            .await
    }
}

impl Approvals {
    /// A request for an exception: the signatures of the plan's impact, a manager's at least.
    pub(crate) fn exception_approval(
        &self,
        recommendation: &Recommendation,
        plan: &Plan,
        exception: ExceptionRequest,
        (matrix, agent): (&ApprovalMatrix, Option<&Agent>),
        wish: &Wish<'_>,
    ) -> Approval {
        let impact = recommendation.impact_level.max(Impact::Medium);
        let mut needed = crate::automatic::policy::signatures_for(matrix, agent, impact);

        // A matrix that lets medium impact through is no permission to lift a guardrail.
        if needed.is_empty() {
            needed = vec![Signature::Manager];
        }

        Approval {
            needed,
            exception: Some(exception),
            ..self.approval_for(recommendation, plan, wish)
        }
    }

    /// Keeps the exception that a complete request grants with its recommendation. Recorded before
    /// it counts.
    pub(crate) async fn grant_exception(
        &self,
        recommendation: Recommendation,
        approval: &Approval,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        let Some(asked) = approval
            .exception
            .as_ref()
            .filter(|asked| asked.used_by.is_none())
        else {
            return Ok(recommendation);
        };

        let granted = Exception {
            guardrail: asked.guardrail,
            value: asked.value,
            plan_hash: approval.plan_hash.clone(),
            reason: approval.reason.clone().unwrap_or_default(),
            approval: approval.id.clone(),
            granted_by: approval
                .signed
                .iter()
                .map(|signed| signed.by.clone())
                .collect(),
            expires_at: approval.expires_at,
        };

        self.records
            .record(vec![log_entry::exception_granted(
                &recommendation,
                &granted,
                caller,
            )])
            .await?;

        let version = recommendation.version + 1;
        let excepted = Recommendation {
            exception: Some(granted),
            version,
            ..recommendation
        };
        self.records.agents.recommendation_update(&excepted).await?;

        Ok(excepted)
    }

    /// Marks the request whose exception an action has used up.
    pub(crate) async fn exception_used(
        &self,
        id: &ApprovalId,
        action: &ActionId,
    ) -> Result<(), EngineError> {
        let approval = self.records.agents.approval_get(id).await?;
        let Some(asked) = approval.exception.clone() else {
            return Ok(());
        };

        let exception = Some(ExceptionRequest {
            used_by: Some(action.clone()),
            ..asked
        });
        let used = Approval {
            exception,
            version: approval.version + 1,
            ..approval
        };
        Ok(self.records.agents.approval_update(&used).await?)
    }
}
