//! Giving, signing and ending standing approvals. They need the signatures that the approval matrix
//! asks for a change of the kind's impact, each by another person.

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_recommend::agent::Agent;
use reeve_recommend::agent::AgentId;
use reeve_recommend::agent::emergency::{
    ApprovalEnd, Emergency, EmergencyTerms, LONGEST_APPROVAL, StandingApproval, StandingApprovalId,
};
use reeve_recommend::approval::{Signature, Signed};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;

use super::EmergencyService;
use super::log_entry::{about_approval, described};
use crate::automatic::policy::signatures_for;
use crate::records::{fresh_id, needed, optional};

/// A standing approval as given.
#[derive(Debug, Clone)]
pub struct StandingApprovalInput {
    /// Rule of the findings that it is for.
    pub rule: String,
    pub until: Timestamp,
    pub reason: String,
}

impl EmergencyService {
    /// Gives a standing approval with the first signature that the caller may give. It holds once
    /// it has every signature that the kind's impact needs.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] without such a signature; [`EngineError::Invalid`] with every
    /// failing field; a conflict where one of the kind lasts already.
    pub async fn approval_give(
        &self,
        agent: &AgentId,
        input: StandingApprovalInput,
        caller: &Caller,
    ) -> Result<StandingApproval, EngineError> {
        let agent = self.records.agents.agent_get(agent).await?;
        let now = self.records.clock.now();
        let kind = self.checked(&agent, &input, now)?;
        let reason = needed("reason", &input.reason)?;

        let _turn = self.records.turn.lock().await;
        let others = self
            .records
            .agents
            .standing_approval_list(&agent.id)
            .await?;
        if let Some(other) = others
            .iter()
            .find(|one| one.rule == input.rule && one.lasts(now))
        {
            return Err(EngineError::Conflict(format!(
                "standing approval {} of {} lasts until {}; end it first",
                other.id.0, input.rule, other.until
            )));
        }

        let mut approval = StandingApproval {
            id: StandingApprovalId(fresh_id()),
            agent: agent.id.clone(),
            rule: input.rule,
            reason: reason.clone(),
            terms: EmergencyTerms::of_agent(&agent),
            signed: Vec::new(),
            given_at: now,
            given_by: caller.name.clone(),
            until: input.until,
            ended: None,
            version: 1,
        };
        let signature = self.signature_of(&approval, &agent, &kind, caller).await?;
        approval.signed.push(signed(signature, caller, now, None));

        let entry = about_approval("standing_approval.give", &approval, &agent, caller)
            .with_metadata("reason", reason)
            .with_metadata("signature", signature.as_str())
            .after(described(&approval));
        self.records
            .change(
                entry,
                self.records.agents.standing_approval_insert(&approval),
            )
            .await?;
        Ok(approval)
    }

    /// Adds a signature of another person to a standing approval.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] for a second signature by one person, or without a missing one
    /// that the caller may give; a conflict where the approval has ended.
    pub async fn approval_sign(
        &self,
        agent: &AgentId,
        id: &StandingApprovalId,
        comment: Option<&str>,
        caller: &Caller,
    ) -> Result<StandingApproval, EngineError> {
        let comment = optional("comment", comment)?;
        let _turn = self.records.turn.lock().await;
        let (agent, before) = self.lasting(agent, id).await?;
        let Some(kind) = self.emergency(agent.agent_type, &before.rule) else {
            return Err(EngineError::Conflict(format!(
                "agents of type {} have no emergency {}",
                agent.agent_type, before.rule
            )));
        };
        let signature = self.signature_of(&before, &agent, &kind, caller).await?;

        let now = self.records.clock.now();
        let mut after = StandingApproval {
            version: before.version + 1,
            ..before.clone()
        };
        after.signed.push(signed(signature, caller, now, comment));
        let entry = about_approval("standing_approval.sign", &after, &agent, caller)
            .with_metadata("signature", signature.as_str())
            .before(described(&before))
            .after(described(&after));
        self.records
            .change(entry, self.records.agents.standing_approval_update(&after))
            .await?;
        Ok(after)
    }

    /// Ends a standing approval: from now on findings of the kind wait for people again.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] without a reason; a conflict where it has ended.
    pub async fn approval_end(
        &self,
        agent: &AgentId,
        id: &StandingApprovalId,
        reason: &str,
        caller: &Caller,
    ) -> Result<StandingApproval, EngineError> {
        let reason = needed("reason", reason)?;
        let _turn = self.records.turn.lock().await;
        let (agent, before) = self.lasting(agent, id).await?;
        let after = StandingApproval {
            ended: Some(ApprovalEnd {
                at: self.records.clock.now(),
                by: caller.name.clone(),
                reason: reason.clone(),
            }),
            version: before.version + 1,
            ..before.clone()
        };

        let entry = about_approval("standing_approval.end", &after, &agent, caller)
            .with_metadata("reason", reason)
            .before(described(&before))
            .after(described(&after));
        self.records
            .change(entry, self.records.agents.standing_approval_update(&after))
            .await?;
        Ok(after)
    }

    /// A standing approval that lasts, with its agent.
    async fn lasting(
        &self,
        agent: &AgentId,
        id: &StandingApprovalId,
    ) -> Result<(Agent, StandingApproval), EngineError> {
        let agent = self.records.agents.agent_get(agent).await?;
        let all = self
            .records
            .agents
            .standing_approval_list(&agent.id)
            .await?;
        let found = all.into_iter().find(|one| one.id == *id);
        let approval = found.ok_or_else(|| EngineError::NotFound {
            what: "standing approval",
            id: id.0.clone(),
        })?;
        if approval.lasts(self.records.clock.now()) {
            Ok((agent, approval))
        } else {
            Err(EngineError::Conflict(format!(
                "standing approval {} has ended",
                id.0
            )))
        }
    }

    fn checked(
        &self,
        agent: &Agent,
        input: &StandingApprovalInput,
        now: Timestamp,
    ) -> Result<Emergency, EngineError> {
        let mut errors = Vec::new();
        let mut wrong = |field: &str, message: String| {
            errors.push(FieldError::new(field, FieldCode::InvalidValue, message));
        };
        let kind = self.emergency(agent.agent_type, &input.rule);
        if kind.is_none() {
            let definition = self.ports.agent_types.get(agent.agent_type);
            let kinds = definition.map_or(&[][..], |row| row.emergencies());
            let names: Vec<&str> = kinds.iter().map(|kind| kind.rule).collect();
            let known = if names.is_empty() {
                format!("agents of type {} have no emergencies", agent.agent_type)
            } else {
                format!("must be one of {}", names.join(", "))
            };
            wrong("rule", known);
        }
        if input.until <= now {
            wrong("until", "must lie ahead".to_owned());
        } else if input.until.duration_since(now) > LONGEST_APPROVAL {
            wrong("until", "must be at most 366 days ahead".to_owned());
        }
        match kind {
            Some(kind) if errors.is_empty() => Ok(kind),
            _ => Err(EngineError::Invalid(errors)),
        }
    }

    /// First missing signature that the caller may give. A kind whose impact needs none takes any
    /// signature of a person that may sign at all.
    async fn signature_of(
        &self,
        approval: &StandingApproval,
        agent: &Agent,
        kind: &Emergency,
        caller: &Caller,
    ) -> Result<Signature, EngineError> {
        if approval.signed.iter().any(|signed| caller.is(&signed.by)) {
            return Err(EngineError::Forbidden(
                "you have signed it; each signature needs another person".to_owned(),
            ));
        }

        let matrix = self.records.approval_matrix().await?;
        let needed = signatures_for(&matrix, Some(agent), kind.impact);
        let missing = approval.missing(&needed);
        let own = |signature: &&Signature| caller.signatures.contains(signature);
        let given = if needed.is_empty() && approval.signed.is_empty() {
            caller.signatures.first()
        } else {
            missing.iter().find(own)
        };
        given.copied().ok_or_else(|| {
            let names: Vec<&str> = missing.iter().map(|one| one.as_str()).collect();
            EngineError::Forbidden(format!(
                "a standing approval of {} needs approval by {}, and your roles include none of them",
                kind.rule,
                if names.is_empty() {
                    "a person who may approve".to_owned()
                } else {
                    names.join(" and ")
                }
            ))
        })
    }
}

fn signed(signature: Signature, caller: &Caller, at: Timestamp, comment: Option<String>) -> Signed {
    Signed {
        signature,
        by: caller.name.clone(),
        at,
        comment,
    }
}
