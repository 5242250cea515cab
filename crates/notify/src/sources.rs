//! Records behind the entries that notifications are sent about. An entry of the log says that
//! something happened; its record says what.
//!
//! One file for each topic turns a record into a [`Happening`]: the facts that filters look at, the
//! message for people, and the record as the HTTP interface shows it, for webhooks.

mod alerts;
mod anomalies;
mod approvals;
mod findings;
mod incidents;
mod intelligence;
mod pages;
mod reports;

use std::sync::Arc;

use async_trait::async_trait;
use reeve_access::{AccessError, PublicUrl, WorkspaceStore};
use reeve_alerts::{AlertStore, Firing};
use reeve_anomalies::budget::{BudgetAlert, BudgetStore};
use reeve_anomalies::{Anomaly, AnomalyStore};
use reeve_audit::{Entry, Json, events};
use reeve_estate::{EstateStore, StoreError};
use reeve_incidents::{Incident, IncidentStore};
use reeve_recommend::action::Action;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::Recommendation;
use reeve_reports::{ReportRun, ReportStore};
use serde_json::Value;

use crate::delivery::Happening;
use crate::notification::{Attachment, Gravity, Item, Message};
use pages::{PagePlace, SourcePage};

/// Query of the entries that notifications are sent about. It must be narrowed to entries that
/// Reeve wrote.
pub const QUERY: &str = "event_type:(intelligence.recommendation OR intelligence.action OR intelligence.anomaly OR intelligence.incident OR \
                         intelligence.approval OR intelligence.playbook.run OR audit.alert.fire OR audit.alert.handle OR budget.alert OR audit.report) \
                         action.operation:(recommendation.create OR recommendation.dismiss OR recommendation.expire OR \
                         recommendation.supersede OR action.succeed OR action.rolled_back OR action.fail OR anomaly.detect OR \
                         anomaly.acknowledge OR anomaly.learn OR anomaly.resolve OR anomaly.reopen OR attack_chain.predict OR approval.request OR \
                         approval.remind OR playbook.notify OR playbook.webhook OR alert.fire OR alert.acknowledge OR alert.resolve OR \
                         incident.open OR incident.join OR incident.leave OR incident.modify OR incident.merge OR \
                         incident.reopen OR incident.investigate OR incident.contain OR incident.resolve OR incident.close OR budget.alert OR report.run)";

/// Records in the form in which the HTTP interface answers them: the body of a webhook is what a
/// request for the record returns. And the files of records, which the program knows.
pub trait RecordForms: Send + Sync {
    /// Returns the recommendation as the HTTP interface answers it.
    fn recommendation(&self, recommendation: &Recommendation) -> Value;
    /// Returns an action on a recommendation.
    fn action(&self, action: &Action, recommendation: &Recommendation) -> Value;
    /// Returns the anomaly as the HTTP interface answers it.
    fn anomaly(&self, anomaly: &Anomaly) -> Value;
    /// Returns an incident as lists answer it.
    fn incident(&self, incident: &Incident) -> Value;
    /// Returns a firing of an alert rule.
    fn firing(&self, firing: &Firing) -> Value;
    /// Returns an alert of a budget.
    fn budget_alert(&self, alert: &BudgetAlert) -> Value;
    /// Returns the file of a run that succeeded.
    fn report_file(&self, run: &ReportRun) -> Attachment;
}

/// Entries of the log, for samples in messages.
#[async_trait]
pub trait SampleEntries: Send + Sync {
    /// Returns an entry; `None` where there is none of this identifier.
    async fn sample(&self, event_id: &str) -> Result<Option<Entry>, StoreError>;
}

/// Stores of the records that entries name.
pub struct Sources {
    /// Recommendations, actions and approvals.
    pub agents: Arc<dyn AgentStore>,
    /// Connections, for the scopes of agents.
    pub estate: Arc<dyn EstateStore>,
    pub anomalies: Arc<dyn AnomalyStore>,
    pub incidents: Arc<dyn IncidentStore>,
    /// Alert rules and firings.
    pub alerts: Arc<dyn AlertStore>,
    /// Budgets and their alerts.
    pub budgets: Arc<dyn BudgetStore>,
    /// Reports and their runs.
    pub reports: Arc<dyn ReportStore>,
    /// Settings of the workspace, with the public address that an administrator has set.
    pub workspace: Arc<dyn WorkspaceStore>,
    /// Public address of the configuration, which comes first.
    pub public_url: Option<PublicUrl>,
    /// Form of records in webhooks.
    pub forms: Arc<dyn RecordForms>,
    /// Entries that caused a firing.
    pub entries: Arc<dyn SampleEntries>,
}

impl Sources {
    /// Returns the notification about an entry; `None` without one: its record is gone, or an entry
    /// from outside only looks like one of Reeve's.
    ///
    /// # Errors
    /// A store failed.
    pub async fn happening(&self, entry: &Entry) -> Result<Option<Happening>, StoreError> {
        let found = match entry.action.operation.as_deref() {
            Some("recommendation.create") => intelligence::recommendation(self, entry).await,
            // A simulation that was rolled back concerns no one.
            Some("action.rolled_back") if metadata(entry, "purpose") == Some("simulate") => {
                Ok(None)
            }
            Some("action.succeed" | "action.rolled_back" | "action.fail") => {
                intelligence::action(self, entry).await
            }
            Some("anomaly.detect") => anomalies::anomaly(self, entry).await,
            Some("playbook.notify") => incidents::told(self, entry, false).await,
            Some("playbook.webhook") => incidents::told(self, entry, true).await,
            Some(reeve_anomalies::chain::OPERATION) => anomalies::attack_chain(self, entry).await,
            Some("alert.fire") => alerts::firing(self, entry).await,
            Some(operation) if operation == events::BUDGET_ALERT.name => {
                alerts::budget_alert(self, entry).await
            }
            Some("report.run") => reports::run(self, entry).await,
            Some("approval.request") => approvals::requested(self, entry).await,
            Some("approval.remind") => approvals::reminded(self, entry).await,
            Some(operation) if operation.starts_with("incident.") => {
                incidents::changed(self, entry).await
            }
            _ => findings::change(self, entry).await,
        };
        match found {
            Err(StoreError::NotFound { what, id }) => {
                tracing::debug!(
                    what,
                    id,
                    "an entry of the log has no record; no notification is sent"
                );
                Ok(None)
            }
            other => other,
        }
    }
}

fn metadata<'e>(entry: &'e Entry, name: &str) -> Option<&'e str> {
    entry.metadata.extra.get(name).and_then(Json::as_str)
}

fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

/// A name of the interface as a word of a message: `pending_approval` is `Pending approval`.
fn shown(name: &str) -> String {
    let text = name.replace('_', " ");
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Returns the place of a page about an object with a name.
async fn place(
    sources: &Sources,
    page: &SourcePage<'_>,
    name: &str,
) -> Result<PagePlace, StoreError> {
    let workspace = sources
        .workspace
        .workspace_get()
        .await
        .map_err(store_error)?;

    let public_url = sources
        .public_url
        .as_ref()
        .or(workspace.public_url.as_ref());
    Ok(page.place(public_url, name))
}

/// Returns an item with a link to its page or the way there in words.
fn item(title: String, mut facts: Vec<(String, String)>, place: PagePlace) -> Item {
    let link = match place {
        PagePlace::Link(link) => Some(link),
        PagePlace::Words(words) => {
            facts.push(fact("In Reeve", words));
            None
        }
    };
    Item { title, facts, link }
}

/// Returns a message about one thing.
fn message(
    title: String,
    gravity: Gravity,
    facts: Vec<(String, String)>,
    place: PagePlace,
    about: &str,
) -> Message {
    Message {
        items: vec![item(title.clone(), facts, place)],
        title,
        gravity,
        about: about.to_owned(),
        to: Vec::new(),
        attachment: None,
    }
}

/// Returns a failure of the stores of alerts, reports and the workspace as one of the others.
#[must_use]
pub fn store_error(error: AccessError) -> StoreError {
    match error {
        AccessError::NotFound { what, id } => StoreError::NotFound { what, id },
        AccessError::Conflict(message) => StoreError::Conflict(message),
        AccessError::Full(message) => StoreError::Full(message),
        AccessError::Unavailable(message) => StoreError::Unavailable(message),
        AccessError::Backend(message) => StoreError::Backend(message),
    }
}
