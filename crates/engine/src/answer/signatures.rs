//! Signing and refusing approval requests. An approval binds to the hash of one exact plan.

use jiff::Timestamp;
use reeve_audit::{ActionStatus, FieldCode, FieldError};
use reeve_recommend::approval::{Approval, ApprovalId, ApprovalStatus, Delegation, Signed};
use reeve_recommend::caller::{Caller, same_person};
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::answer::RecommendationService;
use crate::execution::request::Wish;
use crate::log_entry;
use crate::records::{needed, optional};

impl RecommendationService {
    /// Signs a request with the first missing signature the caller may give. The last signature
    /// starts the execution, or puts it on its schedule; a guardrail that says no then leaves it
    /// approved, with the reason on the recommendation.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] for one's own request, a second signature by one person, or a
    /// missing right.
    pub async fn approve(
        &self,
        id: &ApprovalId,
        comment: Option<&str>,
        caller: &Caller,
    ) -> Result<Approval, EngineError> {
        let comment = optional("comment", comment)?;
        let _turn = self.records.turn.lock().await;
        let (approval, recommendation) = self.approvals.waiting(id, caller).await?;
        may_sign(&approval, caller)?;
        let Some(signature) = caller.can_sign(&approval).first().copied() else {
            let names: Vec<&str> = approval.needed.iter().map(|s| s.as_str()).collect();
            return Err(EngineError::Forbidden(format!(
                "it needs approval by {}, and your roles include none of them",
                names.join(" and ")
            )));
        };

        let mut signed = Approval {
            version: approval.version + 1,
            ..approval
        };
        signed.signed.push(Signed {
            signature,
            by: caller.name.clone(),
            at: self.records.clock.now(),
            comment,
        });

        let complete = signed
            .needed
            .iter()
            .all(|s| signed.signed.iter().any(|given| given.signature == *s));
        if complete {
            signed.status = ApprovalStatus::Approved;
        }

        let entry = log_entry::approval(
            "approval.sign",
            ActionStatus::Success,
            &signed,
            &recommendation,
            caller,
        )
        .with_metadata("signature", signature.as_str());
        self.records.record(vec![entry]).await?;

        self.records.agents.approval_update(&signed).await?;
        if complete {
            self.approved(recommendation, &signed, caller).await?;
        }

        Ok(signed)
    }

    /// Refuses a request; the recommendation is open again. The requester may withdraw it so.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] for who could neither sign nor asked.
    pub async fn reject(
        &self,
        id: &ApprovalId,
        reason: &str,
        caller: &Caller,
    ) -> Result<Approval, EngineError> {
        let reason = needed("reason", reason)?;
        let _turn = self.records.turn.lock().await;
        let (approval, recommendation) = self.approvals.waiting(id, caller).await?;
        let may = caller.is(&approval.requested_by)
            || !caller.can_sign(&approval).is_empty()
            || approval
                .needed
                .iter()
                .any(|s| caller.signatures.contains(s));

        if !may {
            return Err(EngineError::Forbidden(
                "only its requester and users who could sign it can reject it".to_owned(),
            ));
        }

        let version = approval.version + 1;
        let rejected = Approval {
            status: ApprovalStatus::Rejected,
            reason: Some(reason.clone()),
            version,
            ..approval
        };

        self.records
            .record(vec![log_entry::approval(
                "approval.reject",
                ActionStatus::Denied,
                &rejected,
                &recommendation,
                caller,
            )])
            .await?;

        self.records.agents.approval_update(&rejected).await?;
        if recommendation.status == Status::PendingApproval {
            let why = format!("approval was refused: {reason}");
            self.records
                .reopen(&recommendation.id, &why, caller)
                .await?;
        }

        Ok(rejected)
    }

    /// Leaves a signature that the caller may give to somebody else, for this request alone.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] without such a signature; [`EngineError::Invalid`] when it is
    /// left to the requester, to oneself or to somebody who has signed.
    pub async fn delegate(
        &self,
        id: &ApprovalId,
        to: &str,
        comment: Option<&str>,
        caller: &Caller,
    ) -> Result<Approval, EngineError> {
        let to = needed("to", to)?;
        let comment = optional("comment", comment)?;
        let _turn = self.records.turn.lock().await;
        let (approval, recommendation) = self.approvals.waiting(id, caller).await?;
        may_sign(&approval, caller)?;

        // What was left to the caller is not the caller's to pass on.
        let own = caller
            .can_sign(&approval)
            .into_iter()
            .find(|s| caller.signatures.contains(s));
        let Some(signature) = own else {
            return Err(EngineError::Forbidden(
                "your roles include none of the missing approvals".to_owned(),
            ));
        };

        let signed = approval
            .signed
            .iter()
            .any(|signed| same_person(&signed.by, &to));
        if signed || caller.is(&to) || same_person(&to, &approval.requested_by) {
            let message = "must be another user who has neither requested nor approved it";
            return Err(EngineError::Invalid(vec![FieldError::new(
                "to",
                FieldCode::InvalidValue,
                message,
            )]));
        }

        let mut next = Approval {
            version: approval.version + 1,
            ..approval
        };
        let (from, at) = (caller.name.clone(), self.records.clock.now());
        next.delegated
            .retain(|delegation| delegation.signature != signature || !caller.is(&delegation.from));
        next.delegated.push(Delegation {
            signature,
            from,
            to: to.clone(),
            at,
        });

        let mut entry = log_entry::approval(
            "approval.delegate",
            ActionStatus::Success,
            &next,
            &recommendation,
            caller,
        )
        .with_metadata("signature", signature.as_str())
        .with_metadata("to", to);

        if let Some(comment) = comment {
            entry = entry.with_metadata("comment", comment);
        }

        self.records.record(vec![entry]).await?;
        self.records.agents.approval_update(&next).await?;
        Ok(next)
    }

    /// All signatures are there: onto the schedule, or off.
    pub(crate) async fn approved(
        &self,
        recommendation: Recommendation,
        approval: &Approval,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        if recommendation.status != Status::PendingApproval {
            return Ok(());
        }

        let recommendation = self
            .approvals
            .grant_exception(recommendation, approval, caller)
            .await?;
        let later = recommendation
            .scheduled_for
            .filter(|at: &Timestamp| *at > self.records.clock.now())
            .is_some();
        let to = self.records.next(
            &recommendation,
            if later {
                Status::Scheduled
            } else {
                Status::Approved
            },
        )?;

        let to = self
            .records
            .make_move("recommendation.approve", &recommendation, to, caller)
            .await?;
        if later {
            Ok(())
        } else {
            self.go_on(to, &approval.requested_by, caller).await
        }
    }

    /// Begins what is approved, in the name of who asked. The signature stands whatever holds it
    /// back; why it does not run is on the recommendation.
    pub(crate) async fn go_on(
        &self,
        recommendation: Recommendation,
        by: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let id = recommendation.id.clone();
        match self
            .execution
            .proceed(
                recommendation,
                Wish {
                    by,
                    ..Wish::new(caller, None)
                },
            )
            .await
        {
            Ok(_) | Err(EngineError::Blocked(_)) => Ok(()),
            Err(error) if error.is_outage() => Err(error),
            Err(error) => self.keep_reason(&id, &error.to_string()).await,
        }
    }
}

fn may_sign(approval: &Approval, caller: &Caller) -> Result<(), EngineError> {
    if caller.is(&approval.requested_by) {
        return Err(EngineError::Forbidden(
            "you requested this change, so someone else must approve it".to_owned(),
        ));
    }

    if approval.signed.iter().any(|signed| caller.is(&signed.by)) {
        let message = "you have already approved it; another user must give the other approval";
        return Err(EngineError::Forbidden(message.to_owned()));
    }

    Ok(())
}
