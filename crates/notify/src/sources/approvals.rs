//! Approvals that are requested, and reminders of those that still wait.

use reeve_audit::Entry;
use reeve_estate::StoreError;
use reeve_recommend::ApprovalId;
use serde_json::Value;

use super::intelligence::message_facts;
use super::{Sources, fact, message, metadata};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::Facts;

pub(super) async fn requested(sources: &Sources, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "approval_id") else { return Ok(None) };
    // A request is told once, however often it is recorded.
    let subject = format!("approval_requested:{id}");
    approval(sources, entry, id, ("approval_requested", "An approval is asked for"), subject).await
}

pub(super) async fn reminded(sources: &Sources, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "approval_id") else { return Ok(None) };
    // Every reminder is a new thing to tell.
    let subject = format!("approval_reminded:{id}:{}", entry.event_id.as_str());
    approval(sources, entry, id, ("approval_reminded", "An approval still waits"), subject).await
}

async fn approval(
    sources: &Sources,
    entry: &Entry,
    id: &str,
    (name, title): (&'static str, &str),
    subject: String,
) -> Result<Option<Happening>, StoreError> {
    let approval = sources.agents.approval_get(&ApprovalId(id.to_owned())).await?;
    let recommendation = sources.agents.recommendation_get(&approval.recommendation).await?;
    let needed: Vec<_> = approval.needed.iter().map(|signature| signature.as_str()).collect();
    let mut facts = message_facts(&recommendation);
    facts.push(fact("signatures", needed.join(", ")));
    facts.push(fact("requested by", approval.requested_by.clone()));
    facts.push(fact("expires", reeve_audit::format_instant(approval.expires_at)));
    let title = format!("{title}: {}", recommendation.title);
    let message = message(title, Gravity::Warning, facts, &format!("approval:{id}"));
    Ok(Some(Happening {
        topic: Topic::Approvals,
        event: None,
        name,
        at: entry.timestamp,
        agent: recommendation.agent_id.clone(),
        facts: Facts::default(),
        data: Value::Null,
        message,
        channels: None,
        subject,
    }))
}
