//! Answers to emergencies: a finding is applied at once where a standing approval, or the agent's
//! configuration, permits it; otherwise its signatures are requested, or it waits for a person.

use reeve_audit::ActionStatus;
use reeve_recommend::agent::emergency::{
    Emergency, EmergencyMark, EmergencyTerms, Preapproval, StandingApprovalId,
};
use reeve_recommend::agent::{Agent, Mode};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::ResponseRemedy;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{NEEDS_PERSON, Recommendation, RecommendationId};

use super::{EmergencyService, StandingState};
use crate::automatic::policy::{AutomaticCandidate, owns, signatures_for};
use crate::execution::Execution;
use crate::execution::request::{ActionTarget, Wish, planned};
use crate::log_entry;
use crate::records::fresh_id;

/// Decision about an emergency.
enum Answer {
    /// Applied by a standing approval, within the limits of the lane.
    Lane(EmergencyMark),
    /// Applied by the agent's configuration, within the limits of ordinary changes.
    Configured,
    /// Signatures are requested; the reason why it is not applied at once.
    Ask(String),
    /// Left to a person, for this reason. `is_shown` puts it on the recommendation.
    Leave { reason: String, is_shown: bool },
}

/// Standing approvals about a finding.
enum Standing {
    /// The one by which it may be applied.
    InForce(StandingApprovalId),
    /// There is none, for this reason.
    Lacking(String),
}

impl EmergencyService {
    /// Applies a recommendation for an emergency, or requests its signatures, as standing approvals
    /// and the agent's configuration say. `why` stands in the records.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn respond(
        &self,
        id: &RecommendationId,
        why: &str,
    ) -> Result<ResponseRemedy, EngineError> {
        if self.records.agents.guardrails_get().await?.kill_switch {
            return Ok(ResponseRemedy::Nothing("the kill switch is on".to_owned()));
        }

        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let Some(agent) = self.records.agent_of(&recommendation).await? else {
            let words = format!("no {} agent covers it", recommendation.origin.agent_type);
            return Ok(waits(&words, id));
        };
        let origin = &recommendation.origin;
        let Some(kind) = self.emergency(origin.agent_type, &origin.rule) else {
            return Ok(waits("it is no emergency", id));
        };

        let caller = Caller::agent(&agent.id);
        let (run, comment);
        let outcome = match self.answer(&agent, &kind, &recommendation).await? {
            Answer::Leave { reason, is_shown } => {
                self.denied(recommendation, &reason, is_shown, &caller)
                    .await?;
                return Ok(waits(&reason, id));
            }
            Answer::Ask(reason) => {
                comment = format!("for {why}; {reason}");
                let wish = Wish {
                    automatic: true,
                    ..Wish::new(&caller, Some(&comment))
                };
                self.ask(&agent, recommendation, &wish).await
            }
            Answer::Configured => {
                (run, comment) = (
                    fresh_id(),
                    format!(
                        "permitted in advance ({}) by the agent's configuration, for {why}",
                        kind.rule
                    ),
                );
                let wish = Wish {
                    run_id: Some(&run),
                    automatic: true,
                    preapproved: true,
                    ..Wish::new(&caller, Some(&comment))
                };
                self.execute_preapproved(recommendation, wish).await
            }
            Answer::Lane(mark) => {
                (run, comment) = (
                    fresh_id(),
                    format!(
                        "emergency ({}) by standing approval {}, for {why}",
                        kind.rule, mark.approval.0
                    ),
                );
                let wish = Wish {
                    run_id: Some(&run),
                    automatic: true,
                    preapproved: true,
                    emergency: Some(&mark),
                    ..Wish::new(&caller, Some(&comment))
                };
                self.execute_preapproved(recommendation, wish).await
            }
        };

        match outcome {
            Ok(Execution::Started(action)) => Ok(ResponseRemedy::Began(action.id)),
            Ok(Execution::PendingApproval(approval)) => Ok(ResponseRemedy::Asked(approval.id)),
            Err(error) if error.is_outage() => Err(error),
            Err(error) => Ok(waits(&error.to_string(), id)),
        }
    }

    /// Leaves a finding to people, with the reason on it.
    pub(super) async fn leave(
        &self,
        found: Recommendation,
        reason: &str,
    ) -> Result<(), EngineError> {
        let caller = found
            .agent_id
            .as_ref()
            .map_or_else(Caller::system, Caller::agent);
        let _turn = self.records.turn.lock().await;
        let now = self.records.agents.recommendation_get(&found.id).await?;
        self.denied(now, reason, true, &caller).await
    }

    async fn denied(
        &self,
        recommendation: Recommendation,
        reason: &str,
        is_shown: bool,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let entry = log_entry::about(
            log_entry::RECOMMENDATION,
            "recommendation.execute",
            ActionStatus::Denied,
            &recommendation,
            caller,
        );
        self.records
            .record(vec![entry.with_metadata("reason", reason)])
            .await?;
        if is_shown {
            let kept = Recommendation {
                blocked: Some(reason.to_owned()),
                updated_at: self.records.clock.now(),
                version: recommendation.version + 1,
                ..recommendation
            };
            self.records.agents.recommendation_update(&kept).await?;
        }
        Ok(())
    }

    /// Decides about an emergency. Cost and performance are no question: the kind was approved with
    /// what it does.
    async fn answer(
        &self,
        agent: &Agent,
        kind: &Emergency,
        recommendation: &Recommendation,
    ) -> Result<Answer, EngineError> {
        let waits = matches!(
            recommendation.status,
            Status::Open | Status::PendingApproval | Status::Approved | Status::Scheduled
        );
        let needs_person = recommendation
            .reason_codes
            .iter()
            .any(|code| code == NEEDS_PERSON);
        let reasons = [
            (
                !owns(agent, &AutomaticCandidate::from(recommendation)),
                "not its own",
            ),
            (!waits, "not open"),
            (recommendation.plan.is_none(), "advice only"),
            (agent.mode != Mode::Active, "agent not active"),
            (!agent.auto_apply.enabled, "auto apply disabled"),
            (
                recommendation.confidence < agent.confidence_threshold,
                "low confidence",
            ),
            (recommendation.subject.managed_by_code, "iac managed"),
            (needs_person, "needs person"),
        ];
        if let Some((_, reason)) = reasons.into_iter().find(|(applies, _)| *applies) {
            let (reason, is_shown) = (reason.to_owned(), false);
            return Ok(Answer::Leave { reason, is_shown });
        }

        let missing = match self.standing(agent, kind, recommendation).await? {
            Standing::InForce(approval) => {
                return self
                    .within_limits(agent, kind, recommendation, approval)
                    .await;
            }
            Standing::Lacking(missing) => missing,
        };
        let configured = kind.preapproval == Preapproval::Configuration
            && recommendation.impact_level <= agent.auto_apply.max_impact;
        let left = |reason: &str| Answer::Leave {
            reason: reason.to_owned(),
            is_shown: false,
        };
        Ok(match recommendation.status {
            _ if configured => Answer::Configured,
            Status::Open => Answer::Ask(missing),
            Status::PendingApproval => left("approval asked for already"),
            _ => left("not open"),
        })
    }

    async fn within_limits(
        &self,
        agent: &Agent,
        kind: &Emergency,
        recommendation: &Recommendation,
        approval: StandingApprovalId,
    ) -> Result<Answer, EngineError> {
        let Some(group) = self.group_of(recommendation).await? else {
            return Ok(Answer::Leave {
                reason: "the resource is gone".to_owned(),
                is_shown: true,
            });
        };
        let reached = self.limit_reached(agent, recommendation, &group).await?;
        Ok(match reached {
            Some(reason) => Answer::Leave {
                reason,
                is_shown: true,
            },
            None => Answer::Lane(EmergencyMark {
                rule: kind.rule.to_owned(),
                approval,
                group: group.name,
            }),
        })
    }

    /// The standing approval by which a finding may be applied, or what is missing.
    async fn standing(
        &self,
        agent: &Agent,
        kind: &Emergency,
        recommendation: &Recommendation,
    ) -> Result<Standing, EngineError> {
        if recommendation.impact_level > kind.impact {
            return Ok(Standing::Lacking(format!(
                "its impact is {}, and standing approvals of {} are for {} impact at most",
                recommendation.impact_level, kind.rule, kind.impact
            )));
        }
        let matrix = self.records.approval_matrix().await?;
        let needed = signatures_for(&matrix, Some(agent), kind.impact);
        let terms = EmergencyTerms::of_agent(agent);
        let now = self.records.clock.now();
        let all = self
            .records
            .agents
            .standing_approval_list(&agent.id)
            .await?;
        let mut missing = format!("no standing approval of {} is in force", kind.rule);
        for approval in all.into_iter().filter(|one| one.rule == kind.rule) {
            match StandingState::of(&approval, &terms, &needed, now) {
                StandingState::InForce => return Ok(Standing::InForce(approval.id)),
                StandingState::Ended => {}
                StandingState::Outgrown => {
                    missing = format!(
                        "scope or limits of the agent reach further than standing approval {} is for",
                        approval.id.0
                    );
                }
                StandingState::NeedsSignatures => {
                    let unsigned = approval.missing(&needed);
                    let names: Vec<&str> = unsigned.iter().map(|one| one.as_str()).collect();
                    missing = format!(
                        "standing approval {} still needs the signature of {}",
                        approval.id.0,
                        names.join(" and ")
                    );
                }
            }
        }
        Ok(Standing::Lacking(missing))
    }

    async fn ask(
        &self,
        agent: &Agent,
        recommendation: Recommendation,
        wish: &Wish<'_>,
    ) -> Result<Execution, EngineError> {
        let approvals = &self.ports.approvals;
        let mut approval = approvals.approval_for(&recommendation, planned(&recommendation)?, wish);
        let matrix = self.records.approval_matrix().await?;
        approval.needed = signatures_for(&matrix, Some(agent), recommendation.impact_level);
        if approval.needed.is_empty() {
            // Nobody has to sign it, and nobody permitted it: it waits for a person.
            let reason = wish.comment.unwrap_or_default().to_owned();
            self.denied(recommendation, &reason, true, wish.caller)
                .await?;
            return Err(EngineError::Conflict(reason));
        }
        approvals
            .ask_approval(recommendation, approval, wish)
            .await
            .map(Execution::PendingApproval)
    }

    /// Executes what is permitted in advance, also while an approval is pending.
    async fn execute_preapproved(
        &self,
        recommendation: Recommendation,
        wish: Wish<'_>,
    ) -> Result<Execution, EngineError> {
        if recommendation.status != Status::PendingApproval {
            return self.ports.execution.proceed(recommendation, wish).await;
        }

        // A guardrail that says no leaves the request as it is, with the signatures that it has.
        let target = ActionTarget::from_recommendation(&recommendation);
        let guardrails = &self.ports.guardrails;
        guardrails.permitted(&recommendation, target, &wish).await?;

        let reason = "it is an emergency now, and applying it is permitted in advance";
        let open = self
            .records
            .reopen_unsigned(&recommendation, reason, wish.caller)
            .await?;
        self.ports.execution.proceed(open, wish).await
    }
}

fn waits(words: &str, id: &RecommendationId) -> ResponseRemedy {
    ResponseRemedy::Nothing(format!("{words}; recommendation {} waits for a user", id.0))
}
