//! Entries about standing approvals.

use reeve_audit::{ActionStatus, Entry, Json, ResourceRef, Severity};
use reeve_recommend::agent::Agent;
use reeve_recommend::agent::emergency::StandingApproval;
use reeve_recommend::caller::Caller;

use crate::log_entry::{POLICY, entry};

/// Entry about a standing approval of an agent.
pub(super) fn about_approval(
    operation: &str,
    approval: &StandingApproval,
    agent: &Agent,
    caller: &Caller,
) -> Entry {
    entry(POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("standing_approval", approval.id.0.clone()))
        .with_severity(Severity::Medium)
        .with_metadata("agent_id", agent.id.0.clone())
        .with_metadata("agent_type", agent.agent_type.as_str())
        .with_metadata("rule", approval.rule.clone())
}

/// A standing approval as entries describe it.
pub(super) fn described(approval: &StandingApproval) -> Json {
    let signed: Vec<String> = approval
        .signed
        .iter()
        .map(|one| format!("{} by {}", one.signature, one.by))
        .collect();
    let terms = &approval.terms;
    Json::object([
        ("rule", Json::from(approval.rule.clone())),
        ("until", Json::from(approval.until.to_string())),
        ("signed", Json::from(signed)),
        ("acts_per_hour", Json::from(terms.acts_per_hour.to_string())),
        (
            "share_of_group",
            Json::from(format!("{}%", terms.share_of_group)),
        ),
        ("accounts", Json::from(terms.scope.accounts.clone())),
        ("services", Json::from(terms.scope.services.clone())),
        (
            "ended_at",
            Json::from(approval.ended.as_ref().map(|end| end.at.to_string())),
        ),
    ])
}
