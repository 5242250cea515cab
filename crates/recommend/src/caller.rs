//! Callers of the engine: a person, an agent, or Reeve's own schedule.

use reeve_access::{Permission, Principal};
use reeve_audit::{ActionMethod, Actor};

use crate::agent::AgentId;
use crate::approval::{Approval, ApprovalStatus, Signature};

/// Start of an agent's name in records; no e-mail address has a colon before its `@`.
const AGENT: &str = "agent:";

/// Caller of the engine, as the log and the approval matrix record it.
#[derive(Debug, Clone)]
pub struct Caller {
    /// E-mail address, `agent:<id>` or `system`: the name in records.
    pub name: String,
    /// The actor of the audit entries.
    pub actor: Actor,
    /// Signatures the approval matrix lets this caller give.
    pub signatures: Vec<Signature>,
    /// Set when the caller came with a token that carries fewer roles than its user holds. A
    /// signature that was left to the person is not the token's to give.
    pub narrowed: bool,
    /// The way it came in.
    pub method: ActionMethod,
    /// The request it came in with.
    pub request_id: Option<String>,
}

impl Caller {
    /// A person. `actor` carries address, program and session of the request.
    #[must_use]
    pub fn person(
        principal: &Principal,
        actor: Actor,
        method: ActionMethod,
        request_id: Option<String>,
    ) -> Self {
        let rights = [
            (Permission::ApproveManager, Signature::Manager),
            (Permission::ApproveDirector, Signature::Director),
            (Permission::ApproveSecurity, Signature::Security),
        ];

        let signatures = rights
            .into_iter()
            .filter(|(right, _)| principal.may(*right))
            .map(|(_, s)| s)
            .collect();
        let narrowed = principal.token.as_ref().is_some_and(|token| token.narrowed);
        Caller {
            name: principal.email.clone(),
            actor,
            signatures,
            narrowed,
            method,
            request_id,
        }
    }

    /// Returns the agent that a name in records stands for; `None` for people and Reeve itself.
    #[must_use]
    pub fn agent_named(name: &str) -> Option<AgentId> {
        name.strip_prefix(AGENT).map(|id| AgentId(id.to_owned()))
    }

    /// One of the agents, acting by itself.
    #[must_use]
    pub fn agent(id: &AgentId) -> Self {
        Caller {
            name: format!("{AGENT}{}", id.0),
            actor: Actor::agent(id.0.clone()),
            signatures: Vec::new(),
            narrowed: false,
            method: ActionMethod::Automation,
            request_id: None,
        }
    }

    /// An agent that executes what somebody requested: the changes are its own, the request is
    /// named beside them. Reeve itself executes advice that has no agent.
    #[must_use]
    pub fn acting(id: Option<&AgentId>, request_id: Option<String>) -> Self {
        Caller {
            request_id,
            ..id.map_or_else(Caller::system, Caller::agent)
        }
    }

    /// Reeve's own schedule and reconcilers.
    #[must_use]
    pub fn system() -> Self {
        Caller {
            name: "system".to_owned(),
            actor: Actor::system(),
            signatures: Vec::new(),
            narrowed: false,
            method: ActionMethod::Scheduled,
            request_id: None,
        }
    }

    /// Returns `true` for a person, who decides for themselves.
    #[must_use]
    pub fn is_person(&self) -> bool {
        self.method != ActionMethod::Automation && self.method != ActionMethod::Scheduled
    }

    /// Returns `true` if a record names this caller.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        same_person(&self.name, name)
    }

    /// The signatures this caller could give to a request now: allowed or left to the caller, still
    /// missing, and neither the caller's own request nor one the caller has signed already.
    #[must_use]
    pub fn can_sign(&self, approval: &Approval) -> Vec<Signature> {
        let own = self.is(&approval.requested_by);
        let twice = approval.signed.iter().any(|signed| self.is(&signed.by));
        if approval.status != ApprovalStatus::Pending || own || twice {
            return Vec::new();
        }

        let missing = |s: &Signature| !approval.signed.iter().any(|signed| signed.signature == *s);
        let left_to = |s: &Signature| {
            !self.narrowed
                && approval
                    .delegated
                    .iter()
                    .any(|d| d.signature == *s && self.is(&d.to))
        };
        let may = |s: &Signature| self.signatures.contains(s) || left_to(s);

        approval
            .needed
            .iter()
            .copied()
            .filter(|s| missing(s) && may(s))
            .collect()
    }
}

/// Returns `true` if two names in records are one person's: e-mail addresses are compared without
/// regard to case.
#[must_use]
pub fn same_person(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}
