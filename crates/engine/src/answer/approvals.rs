//! Requests for approval of exact plans: requested, reminded of, signed, lapsed.

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_audit::ActionStatus;
use reeve_recommend::approval::{Approval, ApprovalId, ApprovalStatus, Signature};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::execution::request::Wish;
use crate::log_entry;
use crate::records::{Records, fresh_id};

/// An approval, pending or given, is good for this long.
const APPROVAL_DAYS: i64 = 7;
/// Those who can sign are reminded this often.
const REMIND_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// Keeps requests for approval and the signatures on them.
pub struct Approvals {
    pub(crate) records: Arc<Records>,
}

impl Approvals {
    /// Creates the service over the records of the engine.
    #[must_use]
    pub fn new(records: Arc<Records>) -> Self {
        Approvals { records }
    }

    /// Reminds of a request that has waited a day since it was made, or since the last reminder.
    /// Returns `true` if it did.
    pub(crate) async fn remind(
        &self,
        approval: &Approval,
        caller: &Caller,
    ) -> Result<bool, EngineError> {
        let now = self.records.clock.now();
        let last = approval.reminded_at.unwrap_or(approval.requested_at);
        if now.duration_since(last) < REMIND_EVERY {
            return Ok(false);
        }

        let recommendation = self
            .records
            .agents
            .recommendation_get(&approval.recommendation)
            .await?;

        let reminded = Approval {
            reminded_at: Some(now),
            version: approval.version + 1,
            ..approval.clone()
        };

        self.records
            .record(vec![log_entry::approval(
                "approval.remind",
                ActionStatus::Pending,
                &reminded,
                &recommendation,
                caller,
            )])
            .await?;

        self.records.agents.approval_update(&reminded).await?;
        Ok(true)
    }

    /// A request that still waits, with its recommendation; one whose time or plan is over is
    /// closed instead.
    pub(crate) async fn waiting(
        &self,
        id: &ApprovalId,
        caller: &Caller,
    ) -> Result<(Approval, Recommendation), EngineError> {
        let approval = self.records.agents.approval_get(id).await?;
        if approval.status != ApprovalStatus::Pending {
            return Err(EngineError::Conflict(format!(
                "the request is {} already",
                approval.status
            )));
        }

        let recommendation = self
            .records
            .agents
            .recommendation_get(&approval.recommendation)
            .await?;

        let hash = recommendation
            .plan
            .as_ref()
            .map(|plan| plan.hash.clone())
            .unwrap_or_default();

        let (over, error) = if approval.expires_at <= self.records.clock.now() {
            let message = "the request has expired; ask for the execution again".to_owned();
            (
                "the request expired without an answer",
                EngineError::Conflict(message),
            )
        } else if hash != approval.plan_hash {
            (
                "the plan changed",
                EngineError::PlanChanged {
                    seen: approval.plan_hash.clone(),
                    now: hash,
                },
            )
        } else {
            return Ok((approval, recommendation));
        };

        self.lapse(approval, &recommendation, over, caller).await?;
        Err(error)
    }

    /// Closes a request whose time or plan is over, and opens its recommendation again.
    pub(crate) async fn lapse(
        &self,
        approval: Approval,
        recommendation: &Recommendation,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let version = approval.version + 1;
        let expired = Approval {
            status: ApprovalStatus::Expired,
            reason: Some(reason.to_owned()),
            version,
            ..approval
        };

        self.records
            .record(vec![log_entry::approval(
                "approval.expire",
                ActionStatus::Success,
                &expired,
                recommendation,
                caller,
            )])
            .await?;

        self.records.agents.approval_update(&expired).await?;
        if recommendation.status == Status::PendingApproval {
            let why = format!("approval lapsed: {reason}");
            self.records
                .reopen(&recommendation.id, &why, caller)
                .await?;
        }

        Ok(())
    }

    /// Approvals of this exact plan in a state that are still good, newest first.
    async fn approvals_with(
        &self,
        recommendation: &Recommendation,
        status: ApprovalStatus,
    ) -> Result<impl Iterator<Item = Approval>, EngineError> {
        let hash = recommendation.plan.as_ref().map(|plan| plan.hash.as_str());
        let now = self.records.clock.now();

        // Signatures that were given for an exception approve the execution that used it up and no
        // other.
        let unused = |a: &Approval| {
            a.exception
                .as_ref()
                .is_none_or(|exception| exception.used_by.is_none())
        };

        let good = move |a: &Approval| {
            a.status == status
                && Some(a.plan_hash.as_str()) == hash
                && a.expires_at > now
                && unused(a)
        };

        Ok(self
            .records
            .agents
            .approval_list(Some(&recommendation.id))
            .await?
            .into_iter()
            .filter(good))
    }

    /// The newest of them.
    pub(crate) async fn approval_with(
        &self,
        recommendation: &Recommendation,
        status: ApprovalStatus,
    ) -> Result<Option<Approval>, EngineError> {
        Ok(self.approvals_with(recommendation, status).await?.next())
    }

    /// Returns `true` if a granted approval has every signature that is needed at present; fewer
    /// may have been needed when it was requested.
    pub(crate) async fn is_signed(
        &self,
        recommendation: &Recommendation,
        needed: &[Signature],
    ) -> Result<bool, EngineError> {
        if needed.is_empty() {
            return Ok(true);
        }

        let carries = |a: Approval| {
            needed
                .iter()
                .all(|n| a.signed.iter().any(|given| given.signature == *n))
        };

        Ok(self
            .approvals_with(recommendation, ApprovalStatus::Approved)
            .await?
            .any(carries))
    }

    /// A request for the exact plan, without its signatures yet.
    pub(crate) fn approval_for(
        &self,
        recommendation: &Recommendation,
        plan: &Plan,
        wish: &Wish<'_>,
    ) -> Approval {
        let now = self.records.clock.now();
        Approval {
            id: ApprovalId(fresh_id()),
            recommendation: recommendation.id.clone(),
            plan_hash: plan.hash.clone(),
            impact: recommendation.impact_level,
            needed: Vec::new(),
            signed: Vec::new(),
            delegated: Vec::new(),
            reminded_at: None,
            requested_by: wish.by.to_owned(),
            requested_at: now,
            expires_at: now + SignedDuration::from_hours(24 * APPROVAL_DAYS),
            status: ApprovalStatus::Pending,
            reason: wish.comment.map(str::to_owned),
            exception: None,
            version: 1,
        }
    }

    /// Puts a request into the store and the recommendation into waiting.
    pub(crate) async fn ask_approval(
        &self,
        recommendation: Recommendation,
        approval: Approval,
        wish: &Wish<'_>,
    ) -> Result<Approval, EngineError> {
        let mut waiting = self
            .records
            .next(&recommendation, Status::PendingApproval)?;
        waiting.requested_by = Some(wish.by.to_owned());
        waiting.blocked = None;
        let asked = log_entry::approval(
            "approval.request",
            ActionStatus::Pending,
            &approval,
            &recommendation,
            wish.caller,
        );

        self.records
            .record(vec![
                asked,
                log_entry::moved(
                    "recommendation.execute",
                    &recommendation,
                    &waiting,
                    wish.caller,
                ),
            ])
            .await?;

        self.records.agents.recommendation_update(&waiting).await?;
        self.records.agents.approval_insert(&approval).await?;
        Ok(approval)
    }
}
