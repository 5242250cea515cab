//! Who asks the engine: a person, one of the agents, or Reeve's own schedule.

use reeve_access::{Permission, Principal};
use reeve_audit::{ActionMethod, Actor};

use crate::agent::AgentId;
use crate::approval::{Approval, ApprovalStatus, Signature};

/// Who asks, as the log and the approval matrix see it.
#[derive(Debug, Clone)]
pub struct Caller {
    /// E-mail address, `agent:<id>` or `system`: the name in records.
    pub name: String,
    /// The actor of the audit entries.
    pub actor: Actor,
    /// Signatures the approval matrix lets this caller give.
    pub signatures: Vec<Signature>,
    /// The way it came in.
    pub method: ActionMethod,
    /// The request it came in with.
    pub request_id: Option<String>,
}

impl Caller {
    /// A person. `actor` carries what the border knows: address, program, session.
    #[must_use]
    pub fn person(principal: &Principal, actor: Actor, method: ActionMethod, request_id: Option<String>) -> Self {
        let rights = [
            (Permission::ApproveManager, Signature::Manager),
            (Permission::ApproveDirector, Signature::Director),
            (Permission::ApproveSecurity, Signature::Security),
        ];
        let signatures = rights.into_iter().filter(|(right, _)| principal.may(*right)).map(|(_, s)| s).collect();
        Caller { name: principal.email.clone(), actor, signatures, method, request_id }
    }

    /// One of the agents, acting by itself.
    #[must_use]
    pub fn agent(id: &AgentId) -> Self {
        Caller {
            name: format!("agent:{}", id.0),
            actor: Actor::agent(id.0.clone()),
            signatures: Vec::new(),
            method: ActionMethod::Automation,
            request_id: None,
        }
    }

    /// An agent that carries out what somebody asked for: the changes are its own, the request is named beside them. Reeve itself
    /// carries out advice that has no agent.
    #[must_use]
    pub(super) fn acting(id: Option<&AgentId>, request_id: Option<String>) -> Self {
        Caller { request_id, ..id.map_or_else(Caller::system, Caller::agent) }
    }

    /// Reeve's own schedule and reconcilers.
    #[must_use]
    pub fn system() -> Self {
        Caller {
            name: "system".to_owned(),
            actor: Actor::system(),
            signatures: Vec::new(),
            method: ActionMethod::Scheduled,
            request_id: None,
        }
    }

    /// Returns `true` for a person, who decides for themselves.
    #[must_use]
    pub fn is_person(&self) -> bool {
        self.method != ActionMethod::Automation && self.method != ActionMethod::Scheduled
    }

    /// The signatures this caller could give to a request now: allowed or left to the caller, still missing, and neither the caller's own
    /// request nor one the caller has signed already.
    #[must_use]
    pub fn can_sign(&self, approval: &Approval) -> Vec<Signature> {
        let own = approval.requested_by == self.name;
        let twice = approval.signed.iter().any(|signed| signed.by == self.name);
        if approval.status != ApprovalStatus::Pending || own || twice {
            return Vec::new();
        }
        let missing = |s: &Signature| !approval.signed.iter().any(|signed| signed.signature == *s);
        let left_to = |s: &Signature| approval.delegated.iter().any(|d| d.signature == *s && d.to == self.name);
        let may = |s: &Signature| self.signatures.contains(s) || left_to(s);
        approval.needed.iter().copied().filter(|s| missing(s) && may(s)).collect()
    }
}
