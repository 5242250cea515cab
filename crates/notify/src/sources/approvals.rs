//! Approvals that are requested, and reminders of those that still wait.

use reeve_audit::Entry;
use reeve_estate::StoreError;
use reeve_recommend::approval::ApprovalId;
use reeve_recommend::words::minute;
use serde_json::Value;

use super::intelligence::message_facts;
use super::pages::SourcePage;
use super::{Sources, fact, message, metadata, place, shown};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::Facts;

pub(super) async fn requested(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "approval_id") else {
        return Ok(None);
    };

    // One message a request, however often it is recorded.
    let subject = format!("approval_requested:{id}");
    approval(
        sources,
        entry,
        id,
        ("approval_requested", "Approval requested"),
        subject,
    )
    .await
}

pub(super) async fn reminded(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "approval_id") else {
        return Ok(None);
    };

    // Every reminder is a message of its own.
    let subject = format!("approval_reminded:{id}:{}", entry.event_id.as_str());
    approval(
        sources,
        entry,
        id,
        ("approval_reminded", "Reminder: approval pending"),
        subject,
    )
    .await
}

async fn approval(
    sources: &Sources,
    entry: &Entry,
    id: &str,
    (name, title): (&'static str, &str),
    subject: String,
) -> Result<Option<Happening>, StoreError> {
    let approval = sources
        .agents
        .approval_get(&ApprovalId(id.to_owned()))
        .await?;
    let recommendation = sources
        .agents
        .recommendation_get(&approval.recommendation)
        .await?;
    let needed: Vec<_> = approval
        .needed
        .iter()
        .map(|signature| shown(signature.as_str()))
        .collect();
    let mut facts = message_facts(&recommendation);

    if let Some(plan) = &recommendation.plan {
        let restarts = format!("Yes: {} restarts", recommendation.subject.name);
        facts.push(fact(
            "Downtime",
            if plan.restart_needed {
                restarts
            } else {
                "None".to_owned()
            },
        ));
        facts.push(fact(
            "Can be undone",
            if plan.reversible { "Yes" } else { "No" },
        ));
        let lost: Vec<&str> = plan
            .losses
            .iter()
            .filter(|loss| loss.lasting)
            .map(|loss| loss.detail.as_str())
            .collect();
        if !lost.is_empty() {
            facts.push(fact("Lost for good", lost.join("; ")));
        }
    }

    facts.push(fact("Approval needed from", needed.join(", ")));
    facts.push(fact("Requested by", approval.requested_by.clone()));
    facts.push(fact("Expires", minute(approval.expires_at)));
    let place = place(sources, &SourcePage::Approval(id), &recommendation.title).await?;
    let title = format!("{title}: {}", recommendation.title);
    let message = message(
        title,
        Gravity::Warning,
        facts,
        place,
        &format!("approval:{id}"),
    );

    Ok(Some(Happening {
        topic: Topic::Approvals,
        event: None,
        name,
        at: entry.timestamp,
        agents: recommendation.agent_id.iter().cloned().collect(),
        facts: Facts::default(),
        data: Value::Null,
        finding: None,
        message,
        channels: None,
        subject,
    }))
}
