//! Time-driven transitions: scheduled executions, the end of a snooze, expiry of approvals and
//! findings, and abandoned actions.
//!
//! A reconciler: no input, safe to call at any time and as often as wanted.

use std::sync::Arc;

use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::totals::ApprovalFilter;

use crate::answer::RecommendationService;
use crate::answer::approvals::Approvals;
use crate::execution::ExecutionService;
use crate::execution::request::Wish;
use crate::records::Records;
use crate::rollout::RolloutService;

/// Counts of one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Due {
    /// Scheduled executions that began.
    pub started: u64,
    /// Scheduled executions that were refused; each is open again, with the reason.
    pub refused: u64,
    /// Snoozed recommendations that woke.
    pub woken: u64,
    /// Recommendations whose time ran out.
    pub expired: u64,
    /// Approval requests that the request expired without an answer.
    pub approvals_expired: u64,
    /// Changes whose effect was judged.
    pub watched: u64,
    /// Rollouts that went on, or came to stand still.
    pub rolled_on: u64,
    /// Interrupted actions that were resumed again.
    pub resumed: u64,
}

/// Does what is due: the work that waits for a time.
pub struct Scheduler {
    records: Arc<Records>,
    approvals: Arc<Approvals>,
    recommendations: Arc<RecommendationService>,
    execution: Arc<ExecutionService>,
    rollouts: Arc<RolloutService>,
}

impl Scheduler {
    /// Creates the scheduler over the services whose work waits.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        approvals: Arc<Approvals>,
        recommendations: Arc<RecommendationService>,
        execution: Arc<ExecutionService>,
        rollouts: Arc<RolloutService>,
    ) -> Self {
        Scheduler {
            records,
            approvals,
            recommendations,
            execution,
            rollouts,
        }
    }

    /// Does what is due. Call it every minute or so.
    ///
    /// # Errors
    /// The store or the log failed; the next pass continues from there.
    pub async fn due(&self) -> Result<Due, EngineError> {
        let (resumed, unsettled) = self.execution.take_up_all().await?;
        let mut done = Due {
            resumed: resumed as u64,
            ..Due::default()
        };
        let caller = Caller::system();
        done.watched = self.execution.watch_changes(unsettled, &caller).await?;
        self.execution
            .review_savings(done.watched > 0, &caller)
            .await?;
        done.approvals_expired = self.lapse_approvals(&caller).await?;
        let filter = RecommendationFilter {
            due_by: Some(self.records.clock.now()),
            ..RecommendationFilter::default()
        };
        let (waiting, _) = self.records.agents.recommendation_list(&filter).await?;
        for recommendation in waiting {
            self.one_due(recommendation, &caller, &mut done).await?;
        }

        done.rolled_on = self.rollouts.roll_out(&caller).await?;
        Ok(done)
    }

    async fn lapse_approvals(&self, caller: &Caller) -> Result<u64, EngineError> {
        let _turn = self.records.turn.lock().await;
        let now = self.records.clock.now();
        let mut lapsed = 0;
        let filter = ApprovalFilter {
            status: Some(ApprovalStatus::Pending),
            ..ApprovalFilter::default()
        };

        for approval in self.records.agents.approval_page(&filter).await?.0 {
            if approval.expires_at <= now {
                let recommendation = self
                    .records
                    .agents
                    .recommendation_get(&approval.recommendation)
                    .await?;
                self.approvals
                    .lapse(
                        approval,
                        &recommendation,
                        "the request expired without an answer",
                        caller,
                    )
                    .await?;
                lapsed += 1;
            } else {
                self.approvals.remind(&approval, caller).await?;
            }
        }

        Ok(lapsed)
    }

    async fn one_due(
        &self,
        recommendation: Recommendation,
        caller: &Caller,
        done: &mut Due,
    ) -> Result<(), EngineError> {
        let _turn = self.records.turn.lock().await;
        let now = self.records.clock.now();

        // It may have moved since it was listed.
        let recommendation = self
            .records
            .agents
            .recommendation_get(&recommendation.id)
            .await?;

        match recommendation.status {
            Status::Scheduled if recommendation.scheduled_for.is_some_and(|at| at <= now) => {
                if self.start_scheduled(recommendation, caller).await? {
                    done.started += 1;
                } else {
                    done.refused += 1;
                }
            }
            Status::Snoozed
                if recommendation
                    .snoozed_until
                    .is_some_and(|until| until <= now) =>
            {
                self.records
                    .settle_at(
                        &recommendation.id,
                        "recommendation.wake",
                        Status::Open,
                        None,
                        caller,
                    )
                    .await?;
                done.woken += 1;
            }
            status if recommendation.expires_at <= now && status.may_become(Status::Expired) => {
                let reason = "it was not found again in time";
                self.records
                    .close_approvals(&recommendation, ApprovalStatus::Expired, reason, caller)
                    .await?;
                self.records
                    .settle_at(
                        &recommendation.id,
                        "recommendation.expire",
                        Status::Expired,
                        Some(reason),
                        caller,
                    )
                    .await?;
                done.expired += 1;
            }
            Status::PendingApproval => self.still_waits(recommendation, caller).await?,
            // Approved, and neither begun nor held back: something came in between.
            Status::Approved if recommendation.blocked.is_none() => {
                let by = recommendation
                    .requested_by
                    .clone()
                    .unwrap_or_else(|| caller.name.clone());
                self.recommendations
                    .go_on(recommendation, &by, caller)
                    .await?;
            }
            _ => {}
        }

        Ok(())
    }

    /// Repairs a recommendation that is pending approval. If the last signature was stored and its
    /// consequence was not, the execution is started; without any open request the recommendation
    /// becomes open again.
    async fn still_waits(
        &self,
        recommendation: Recommendation,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        if self
            .approvals
            .approval_with(&recommendation, ApprovalStatus::Pending)
            .await?
            .is_some()
        {
            return Ok(());
        }

        if let Some(approval) = self
            .approvals
            .approval_with(&recommendation, ApprovalStatus::Approved)
            .await?
        {
            return self
                .recommendations
                .approved(recommendation, &approval, caller)
                .await;
        }

        let reason = "its request for approval no longer exists; request the execution again";
        self.records
            .reopen(&recommendation.id, reason, caller)
            .await?;

        Ok(())
    }

    /// Begins a scheduled execution in the name of who scheduled it; what holds it back opens it
    /// again with the reason.
    async fn start_scheduled(
        &self,
        recommendation: Recommendation,
        caller: &Caller,
    ) -> Result<bool, EngineError> {
        let id = recommendation.id.clone();
        let by = recommendation
            .requested_by
            .clone()
            .unwrap_or_else(|| caller.name.clone());
        let wish = Wish {
            by: &by,
            ..Wish::new(caller, None)
        };

        match self.execution.proceed(recommendation, wish).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_outage() => Err(error),
            Err(error) => {
                let why = format!("its scheduled execution did not start: {error}");
                self.records.reopen(&id, &why, caller).await?;
                Ok(false)
            }
        }
    }
}
