//! The audit entry of a predicted attack chain.

use reeve_audit::{ActionStatus, Entry, Json, ResourceRef, Severity, events};
use reeve_recommend::caller::Caller;
use reeve_recommend::log_entry::entry;

use super::AttackChain;

/// Operation of the entry.
pub const OPERATION: &str = "attack_chain.predict";

/// Builds the entry of a chain that passed the threshold.
#[must_use]
pub fn predicted(chain: &AttackChain, caller: &Caller) -> Entry {
    let next = chain.next.iter().map(|next| {
        Json::object([
            ("stage", Json::from(next.stage.clone())),
            ("probability", Json::from(next.probability)),
        ])
    });
    let techniques = chain
        .steps
        .iter()
        .map(|step| Json::from(step.technique.clone()));
    let entries = chain
        .steps
        .iter()
        .map(|step| Json::from(step.event_id.clone()));

    entry(
        events::ANOMALY.event_type(),
        OPERATION,
        ActionStatus::Success,
        caller,
    )
    .on(ResourceRef::new("principal", chain.principal.clone()))
    .with_severity(Severity::High)
    .with_metadata("chain_id", chain.id.clone())
    .with_metadata("title", chain.title())
    .with_metadata("account", chain.account.clone())
    .with_metadata("entries", Json::from(entries.collect::<Vec<_>>()))
    .after(Json::object([
        ("reached", Json::from(chain.reached.clone())),
        ("probability", Json::from(chain.probability)),
        ("next", Json::from(next.collect::<Vec<_>>())),
        ("techniques", Json::from(techniques.collect::<Vec<_>>())),
    ]))
}
