//! Answers to a recommendation other than applying it: dismiss, snooze, schedule, reopen.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, FieldCode, FieldError};
use reeve_recommend::agent::Mode;
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::exclusion::excluded;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::answer::RecommendationService;
use crate::automatic::policy::signatures_for;
use crate::execution::request::{Wish, planned};
use crate::finding::earlier_recommendations::open_on;
use crate::finding::upsert::{DISMISSED_DAYS, key_of};
use crate::log_entry;
use crate::records::{needed, optional};

impl RecommendationService {
    /// Rejects a recommendation; the same finding is not made again for a while.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] without a reason, [`EngineError::WrongState`] once it runs or is
    /// over.
    pub async fn dismiss(
        &self,
        id: &RecommendationId,
        reason: &str,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        let reason = needed("reason", reason)?;
        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let mut to = self.records.next(&recommendation, Status::Dismissed)?;
        to.status_reason = Some(reason.clone());
        to.scheduled_for = None;
        to.snoozed_until = None;
        self.records
            .close_approvals(
                &recommendation,
                ApprovalStatus::Rejected,
                &format!("dismissed: {reason}"),
                caller,
            )
            .await?;

        let dismissed = self
            .records
            .make_move("recommendation.dismiss", &recommendation, to, caller)
            .await?;
        self.rank_again(recommendation.kind).await?;
        Ok(dismissed)
    }

    /// Sets a recommendation aside until a time.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for a time that is not within the coming year.
    pub async fn snooze(
        &self,
        id: &RecommendationId,
        until: Timestamp,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        self.ahead("until", until, 365)?;
        let reason = optional("reason", reason)?;
        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let mut to = self.records.next(&recommendation, Status::Snoozed)?;
        to.snoozed_until = Some(until);
        to.status_reason = reason;

        // A sleeper that is still true when it wakes must not have lapsed meanwhile.
        to.expires_at = to.expires_at.max(until + SignedDuration::from_hours(48));
        self.records
            .make_move("recommendation.snooze", &recommendation, to, caller)
            .await
    }

    /// Sets the time at which a recommendation is executed. Signatures it needs are requested now.
    ///
    /// # Errors
    /// [`EngineError::Learning`]; [`EngineError::Invalid`] for a time that is not within the coming
    /// 90 days.
    pub async fn schedule(
        &self,
        id: &RecommendationId,
        at: Timestamp,
        comment: Option<&str>,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        self.ahead("at", at, 90)?;
        let comment = optional("comment", comment)?;
        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let plan = planned(&recommendation)?;
        let agent = self.records.agent_of(&recommendation).await?;

        if let Some(agent) = agent.as_ref().filter(|agent| agent.mode == Mode::Learning) {
            return Err(EngineError::Learning {
                agent: agent.id.0.clone(),
            });
        }

        let matrix = self.records.approval_matrix().await?;
        let needed = signatures_for(&matrix, agent.as_ref(), recommendation.impact_level);
        let approved = self.approvals.is_signed(&recommendation, &needed).await?;
        let status = if approved {
            Status::Scheduled
        } else {
            Status::PendingApproval
        };
        let mut to = self.records.next(&recommendation, status)?;
        to.scheduled_for = Some(at);

        to.requested_by = Some(caller.name.clone());
        to.status_reason = comment.clone();
        to.expires_at = to.expires_at.max(at + SignedDuration::from_hours(48));

        if approved {
            return self
                .records
                .make_move("recommendation.schedule", &recommendation, to, caller)
                .await;
        }

        let wish = Wish::new(caller, comment.as_deref());
        let mut approval = self.approvals.approval_for(&recommendation, plan, &wish);
        approval.needed = needed;
        approval.expires_at = approval.expires_at.max(at + SignedDuration::from_hours(1));
        let asked = log_entry::approval(
            "approval.request",
            ActionStatus::Pending,
            &approval,
            &recommendation,
            caller,
        );

        self.records
            .record(vec![
                asked,
                log_entry::moved("recommendation.schedule", &recommendation, &to, caller),
            ])
            .await?;

        self.records.agents.recommendation_update(&to).await?;
        self.records.agents.approval_insert(&approval).await?;
        Ok(to)
    }

    /// Takes a recommendation back from wherever it waits, or takes its dismissal back.
    ///
    /// # Errors
    /// [`EngineError::WrongState`] when it does not wait; [`EngineError::Conflict`] for a dismissed one
    /// that is excluded, that another one has followed, or that was dismissed too long ago.
    pub async fn reopen(
        &self,
        id: &RecommendationId,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;

        if matches!(
            recommendation.status,
            Status::Executing | Status::Verifying | Status::Testing
        ) {
            let message = "it is being executed; wait until that has ended".to_owned();
            return Err(EngineError::WrongState {
                from: recommendation.status,
                message,
            });
        }

        let was_dismissed = recommendation.status == Status::Dismissed;
        if was_dismissed {
            self.check_not_stale(&recommendation).await?;
        }

        let mut to = self.records.next(&recommendation, Status::Open)?;
        to.scheduled_for = None;
        to.snoozed_until = None;
        to.requested_by = None;
        to.status_reason = None;
        to.exception = None;
        to.closing = None;
        self.records
            .close_approvals(
                &recommendation,
                ApprovalStatus::Expired,
                "the recommendation was withdrawn",
                caller,
            )
            .await?;

        if was_dismissed {
            // The next run says whether it still holds.
            let soon = self.records.clock.now() + SignedDuration::from_hours(48);
            to.expires_at = to.expires_at.max(soon);
        }

        let reopened = self
            .records
            .make_move("recommendation.reopen", &recommendation, to, caller)
            .await?;
        if was_dismissed {
            self.rank_again(recommendation.kind).await?;
        }
        Ok(reopened)
    }

    /// Refuses to reopen a dismissed recommendation whose finding may be another one by now.
    async fn check_not_stale(&self, dismissed: &Recommendation) -> Result<(), EngineError> {
        let now = self.records.clock.now();
        let subject = &dismissed.subject;
        let exclusions = self.records.agents.exclusion_list().await?;
        if excluded(&exclusions, subject, dismissed.kind, now).is_some() {
            let message = "an exclusion covers it; end the exclusion first";
            return Err(EngineError::Conflict(message.to_owned()));
        }

        let age = now.duration_since(dismissed.updated_at);
        if age >= SignedDuration::from_hours(24 * DISMISSED_DAYS) {
            let message = format!(
                "it was dismissed more than {DISMISSED_DAYS} days ago; what still holds is found again"
            );
            return Err(EngineError::Conflict(message));
        }

        let open = open_on(&self.records, &BTreeSet::from([subject.id.clone()])).await?;
        let key = key_of(subject, dismissed.kind);
        match open
            .iter()
            .find(|one| key_of(&one.subject, one.kind) == key)
        {
            Some(newer) => Err(EngineError::Conflict(format!(
                "recommendation {} of the same resource and type has followed it",
                newer.id.0
            ))),
            None => Ok(()),
        }
    }

    /// Keeps why something did not run where people look for it.
    pub(crate) async fn keep_reason(
        &self,
        id: &RecommendationId,
        reason: &str,
    ) -> Result<(), EngineError> {
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let now = self.records.clock.now();
        let kept = Recommendation {
            blocked: Some(reason.to_owned()),
            updated_at: now,
            version: recommendation.version + 1,
            ..recommendation
        };

        Ok(self.records.agents.recommendation_update(&kept).await?)
    }

    pub(crate) fn ahead(&self, field: &str, at: Timestamp, days: i64) -> Result<(), EngineError> {
        let now = self.records.clock.now();
        if at > now && at <= now + SignedDuration::from_hours(24 * days) {
            return Ok(());
        }

        let message = format!("must lie ahead, within {days} days");
        Err(EngineError::Invalid(vec![FieldError::new(
            field,
            FieldCode::InvalidValue,
            message,
        )]))
    }
}
