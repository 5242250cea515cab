//! Times since which measurements describe a resource as it is now.
//!
//! Two sources are merged: changes that Reeve applied, and changes that inventories saw, whoever
//! made them (a person at a console, a template). Without the second, two weeks at 95 % of a small
//! machine would double the large one that replaced it.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Attribute, ConnectionId, Resource, ResourceId};
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::agent::scope::ScopeService;
use crate::records::Records;

/// Recommendations that are read at a time.
const AT_ONCE: usize = 500;

/// A resource as one connection sees it.
pub(crate) type Key = (ConnectionId, ResourceId);

/// Changes that inventories found in the resources of one connection.
#[derive(Debug, Default)]
pub(crate) struct SeenChanges {
    /// First observation of the present state and attachments.
    pub(crate) attachments: HashMap<ResourceId, Timestamp>,
    /// First observation of the present size.
    pub(crate) loads: HashMap<ResourceId, Timestamp>,
}

/// The key of a resource.
pub(crate) fn key(resource: &Resource) -> Key {
    (resource.connection.clone(), resource.id.clone())
}

/// Returns the end of the last action on each resource after which it carries another load. A
/// change says itself if it does that (`Change::changes_load`): tags on a thousand machines must
/// not hide a month of their measurements.
pub(crate) async fn own_changes(
    records: &Records,
    changes: &ChangeRegistry,
    history_days: i64,
) -> Result<HashMap<Key, Timestamp>, EngineError> {
    let since = records
        .clock
        .now()
        .checked_sub(SignedDuration::from_hours(24 * history_days))
        .ok();

    let actions: Vec<Action> = records
        .agents
        .action_list(None, since)
        .await?
        .into_iter()
        .filter(touched)
        .collect();

    let mut changed: HashMap<Key, Timestamp> = HashMap::new();
    for some in actions.chunks(AT_ONCE) {
        let executed = executed(records, some).await?;
        for action in some {
            let (Some(at), recommendation) =
                (action.finished_at, executed.get(&action.recommendation))
            else {
                continue;
            };
            if recommendation.is_some_and(|recommendation| !changes_load(changes, recommendation)) {
                continue;
            }
            let newest = changed
                .entry((action.connection.clone(), action.resource.clone()))
                .or_insert(at);
            *newest = (*newest).max(at);
        }
    }

    Ok(changed)
}

/// Returns `true` if an action may have left another resource behind than it found. What was rolled
/// back is the size that was measured before; an inventory that saw the other size in between cuts
/// the history itself.
fn touched(action: &Action) -> bool {
    matches!(
        action.status,
        ActionStatus::Succeeded | ActionStatus::Failed
    ) && action.purpose == Purpose::Apply
}

async fn executed(
    records: &Records,
    actions: &[Action],
) -> Result<HashMap<RecommendationId, Recommendation>, EngineError> {
    let mut ids: Vec<RecommendationId> = actions
        .iter()
        .map(|action| action.recommendation.clone())
        .collect();
    ids.sort();
    ids.dedup();
    let filter = RecommendationFilter {
        ids,
        ..RecommendationFilter::default()
    };
    let (found, _) = records.agents.recommendation_list(&filter).await?;

    Ok(found
        .into_iter()
        .map(|recommendation| (recommendation.id.clone(), recommendation))
        .collect())
}

/// Of a plan that cannot be read any more the careful answer is yes.
fn changes_load(changes: &ChangeRegistry, recommendation: &Recommendation) -> bool {
    let procedure = recommendation
        .plan
        .as_ref()
        .and_then(|plan| changes.procedure(plan).ok());
    procedure.is_none_or(|procedure| procedure.change().changes_load())
}

impl ScopeService {
    /// Changes that syncs saw since a time in resources of one connection.
    pub(crate) async fn seen_changes(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        since: Timestamp,
    ) -> Result<SeenChanges, EngineError> {
        let kinds: HashMap<&ResourceId, _> = resources
            .iter()
            .map(|resource| (&resource.id, resource.kind))
            .collect();
        let ids: Vec<ResourceId> = resources
            .iter()
            .map(|resource| resource.id.clone())
            .collect();
        let mut seen = SeenChanges::default();
        let note = |newest: &mut HashMap<ResourceId, Timestamp>, id: ResourceId, at: Timestamp| {
            let known = newest.entry(id).or_insert(at);
            *known = (*known).max(at);
        };

        for change in self
            .estate()
            .resource_changes(connection, &ids, since)
            .await?
        {
            let kind = kinds.get(&change.resource);
            if matches!(change.attribute, Attribute::State | Attribute::AttachedTo) {
                note(&mut seen.attachments, change.resource, change.seen_at);
            } else if kind.is_some_and(|kind| change.attribute.changes_load(*kind)) {
                note(&mut seen.loads, change.resource, change.seen_at);
            }
        }

        Ok(seen)
    }
}
