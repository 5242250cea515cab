//! Recommendations that are new, and actions that ended.

use reeve_audit::Entry;
use reeve_estate::StoreError;
use reeve_recommend::action::{Action, ActionId};
use reeve_recommend::recommendation::{Recommendation, RecommendationId};
use reeve_siem::ocsf::{self, FindingStatus};
use serde_json::Value;

use super::pages::{PagePlace, SourcePage};
use super::{Sources, fact, message, metadata, place, shown};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

pub(super) async fn recommendation(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "recommendation_id") else {
        return Ok(None);
    };

    let recommendation = sources
        .agents
        .recommendation_get(&RecommendationId(id.to_owned()))
        .await?;
    let subject = format!("recommendation_ready:{}", recommendation.id.0);
    let gravity = Gravity::from(recommendation.priority.as_str());
    let title = format!("Recommendation: {}", recommendation.title);
    let facts = message_facts(&recommendation);
    let place = recommendation_page(sources, &recommendation).await?;

    Ok(Some(Happening {
        topic: Topic::Recommendations,
        event: Some(WebhookEvent::RecommendationReady),
        name: WebhookEvent::RecommendationReady.as_str(),
        at: entry.timestamp,
        agents: recommendation.agent_id.iter().cloned().collect(),
        facts: filter_facts(&recommendation),
        data: sources.forms.recommendation(&recommendation),
        finding: ocsf::recommendation(&recommendation, true).map(|finding| {
            let written = finding.write(place.link());
            (WebhookEvent::RecommendationReady, written)
        }),
        message: message(title, gravity, facts, place, &subject),
        channels: None,
        subject,
    }))
}

pub(super) async fn action(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "action_id") else {
        return Ok(None);
    };

    let action = sources.agents.action_get(&ActionId(id.to_owned())).await?;
    let recommendation = sources
        .agents
        .recommendation_get(&action.recommendation)
        .await?;
    let operation = entry.action.operation.as_deref().unwrap_or_default();
    let subject = format!("{operation}:{id}");
    let (outcome, gravity) = match operation {
        "action.succeed" => ("Change applied", Gravity::Info),
        "action.rolled_back" => ("Change rolled back", Gravity::Warning),
        _ => ("Change failed", Gravity::Error),
    };
    let title = format!("{outcome}: {}", recommendation.title);
    let listed = action_facts(&action, &recommendation);
    let place = recommendation_page(sources, &recommendation).await?;

    Ok(Some(Happening {
        topic: Topic::Actions,
        event: Some(WebhookEvent::ActionCompleted),
        name: WebhookEvent::ActionCompleted.as_str(),
        at: entry.timestamp,
        agents: action.agent_id.iter().cloned().collect(),
        facts: filter_facts(&recommendation),
        data: sources.forms.action(&action, &recommendation),
        finding: applied(&recommendation, operation, &place),
        message: message(title, gravity, listed, place, &subject),
        channels: None,
        subject,
    }))
}

/// Returns the finding of a recommendation after an action on it succeeded.
fn applied(
    recommendation: &Recommendation,
    operation: &str,
    page: &PagePlace,
) -> Option<(WebhookEvent, Value)> {
    if operation != "action.succeed" {
        return None;
    }
    let finding = ocsf::recommendation(recommendation, false)?;
    let finding = finding.with_status(FindingStatus::Resolved);
    Some((
        WebhookEvent::RecommendationReady,
        finding.write(page.link()),
    ))
}

pub(super) fn filter_facts(recommendation: &Recommendation) -> Facts {
    Facts {
        priority: Some(recommendation.priority.as_str().to_owned()),
        types: vec![
            recommendation.kind.as_str().to_owned(),
            recommendation.kind.category().to_owned(),
        ],
        impact: Some(recommendation.impact_level.as_str().to_owned()),
    }
}

pub(super) async fn recommendation_page(
    sources: &Sources,
    recommendation: &Recommendation,
) -> Result<PagePlace, StoreError> {
    place(
        sources,
        &SourcePage::Recommendation(&recommendation.id.0),
        &recommendation.title,
    )
    .await
}

/// Returns the facts of a recommendation that a message lists: what was measured first, the
/// confidence last.
pub(super) fn message_facts(recommendation: &Recommendation) -> Vec<(String, String)> {
    let saving = recommendation
        .expected_savings()
        .map(|money| money.usd_cents());
    let (name, money) = match saving {
        Some(saving) if saving < 0.0 => ("Added cost a month", format!("{:.2} USD", -saving)),
        Some(saving) => ("Saving a month", format!("{saving:.2} USD")),
        None => ("Saving a month", "Unknown (no list price)".to_owned()),
    };

    let mut facts = vec![
        fact(
            "Resource",
            format!(
                "{} ({})",
                recommendation.subject.name, recommendation.subject.id.0
            ),
        ),
        fact("Account", recommendation.subject.account.clone()),
    ];

    facts.extend(
        recommendation
            .explanation
            .factors
            .first()
            .map(|factor| fact("Why", factor)),
    );

    facts.extend([
        fact(name, money),
        fact("Impact", shown(recommendation.impact_level.as_str())),
        fact("Priority", shown(recommendation.priority.as_str())),
        fact("Confidence", format!("{:.1} %", recommendation.confidence)),
    ]);

    facts
}

fn action_facts(action: &Action, recommendation: &Recommendation) -> Vec<(String, String)> {
    let mut facts = message_facts(recommendation);
    facts.push(fact("Requested by", action.by.clone()));
    facts.extend(action.reason.clone().map(|reason| fact("Reason", reason)));
    facts
}
