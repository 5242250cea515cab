//! Cutting off machines that security anomalies are of: proposed to people, and at once where the
//! threat is critical and a security agent in active mode has the permission. By the way everything
//! goes: kill switch, guardrails, exclusive claim, verification, undoing.

use reeve_audit::ActionStatus;
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::Remedy;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::Cause;
use reeve_recommend::recommendation::{Recommendation, RecommendationId, RecommendationType};

use crate::automatic::policy::{Auto, decide_quarantine, signatures_for};
use crate::execution::Execution;
use crate::execution::request::{Target, Wish, planned};
use crate::finding::upsert::Findings;
use crate::log_entry;
use crate::records::fresh_id;
use crate::response::ResponseService;

impl ResponseService {
    /// Executes what is permitted in advance, also while an approval is pending.
    async fn execute_preapproved(
        &self,
        recommendation: Recommendation,
        wish: Wish<'_>,
    ) -> Result<Execution, EngineError> {
        if recommendation.status != Status::PendingApproval {
            return self.execution.proceed(recommendation, wish).await;
        }

        // A guardrail that says no leaves the request as it is, with the signatures that it has.
        self.guardrails
            .permitted(
                &recommendation,
                Target::from_recommendation(&recommendation),
                &wish,
            )
            .await?;

        let reason =
            "the threat is now critical, and isolating the machine is permitted in advance";
        let open = self
            .findings
            .reopen_with_reason(&recommendation, reason, wish.caller)
            .await?;
        self.execution.proceed(open, wish).await
    }

    /// Executes the isolation for a critical threat, or requests its signatures at once, as the
    /// agent's configuration says.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn quarantine(
        &self,
        id: &RecommendationId,
        why: &str,
    ) -> Result<Remedy, EngineError> {
        if self.records.agents.guardrails_get().await?.kill_switch {
            return Ok(Remedy::Nothing("the kill switch is on".to_owned()));
        }

        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let Some(agent) = self.records.agent_of(&recommendation).await? else {
            let words = format!("no {} agent covers it", recommendation.origin.agent_type);
            return Ok(Remedy::Nothing(format!(
                "{words}; recommendation {} waits for a user",
                id.0
            )));
        };

        let decided = decide_quarantine(&agent, &recommendation);
        let caller = Caller::agent(&agent.id);
        let comment = match decided {
            Auto::Apply => {
                format!("permitted in advance (auto_quarantine: critical_threats) for {why}")
            }
            _ => format!("for {why}"),
        };

        let run = fresh_id();
        let preapproved = decided == Auto::Apply;
        let wish = Wish {
            run_id: Some(&run),
            automatic: true,
            preapproved,
            ..Wish::new(&caller, Some(&comment))
        };

        let status = match decided {
            Auto::Leave(reason) => {
                let words = reason.replace('_', " ");
                let entry = log_entry::about(
                    log_entry::RECOMMENDATION,
                    "recommendation.execute",
                    ActionStatus::Denied,
                    &recommendation,
                    &caller,
                );
                self.records
                    .record(vec![entry.with_metadata("reason", words.clone())])
                    .await?;
                return Ok(Remedy::Nothing(format!(
                    "{words}; recommendation {} waits for a user",
                    id.0
                )));
            }
            Auto::AskApproval => {
                let mut approval =
                    self.approvals
                        .approval_for(&recommendation, planned(&recommendation)?, &wish);
                let matrix = self.records.approval_matrix().await?;
                approval.needed =
                    signatures_for(&matrix, Some(&agent), recommendation.impact_level);
                self.approvals
                    .ask_approval(recommendation, approval, &wish)
                    .await
                    .map(Execution::PendingApproval)
            }
            Auto::Apply => self.execute_preapproved(recommendation, wish).await,
        };

        match status {
            Ok(Execution::Started(action)) => Ok(Remedy::Began(action.id)),
            Ok(Execution::PendingApproval(approval)) => Ok(Remedy::Asked(approval.id)),
            Err(error) if error.is_outage() => Err(error),
            Err(error) => Ok(Remedy::Nothing(format!(
                "{error}; recommendation {} waits for a user",
                id.0
            ))),
        }
    }
}

impl Findings {
    /// Reopens a recommendation for a more severe threat: one that was snoozed for a lesser threat,
    /// or whose requested plan no longer fits.
    pub(crate) async fn reopen_for_severity(
        &self,
        known: &Recommendation,
        made: &Recommendation,
        caller: &Caller,
    ) -> Result<Option<Recommendation>, EngineError> {
        let hash = |recommendation: &Recommendation| {
            recommendation.plan.as_ref().map(|plan| plan.hash.clone())
        };

        let opened = match known.status {
            Status::Snoozed => true,
            Status::PendingApproval | Status::Approved | Status::Scheduled => {
                hash(known) != hash(made)
            }
            _ => false,
        };

        if !opened || !is_more_severe(known, made) {
            return Ok(None);
        }

        self.reopen_with_reason(
            known,
            &format!("the threat is now {}", made.priority),
            caller,
        )
        .await
        .map(Some)
    }

    async fn reopen_with_reason(
        &self,
        recommendation: &Recommendation,
        reason: &str,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        self.records
            .close_approvals(recommendation, ApprovalStatus::Expired, reason, caller)
            .await?;
        self.records
            .settle_at(
                &recommendation.id,
                "recommendation.reopen",
                Status::Open,
                Some(reason),
                caller,
            )
            .await
    }
}

/// Returns `true` if a machine is to be isolated for a more severe threat than before.
pub(crate) fn is_more_severe(known: &Recommendation, made: &Recommendation) -> bool {
    let threat = |recommendation: &Recommendation| {
        matches!(recommendation.origin.cause, Cause::Anomaly(_))
            && recommendation.kind == RecommendationType::SecurityGroup
    };
    threat(known) && threat(made) && made.priority < known.priority
}
