//! Changes of resources between two syncs, as entries of the log: created, modified, deleted, tagged, in another state.
//!
//! The first sync of a connection finds what is there already and records none. When a change happened in between, and who made it, a
//! sync cannot see: an entry says when the resource was last seen as before and first seen as after. What one of the two syncs does
//! not know is no change (`reeve_estate::change`).

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventKind, Json, ResourceRef, events};
use reeve_estate::change::between;
use reeve_estate::{Attribute, Connection, Resource, ResourceChange, ResourceId, ResourceKind, ResourceState};

/// Returns the entries of what a sync saw, compared with the inventory that is known.
pub(super) fn entries(
    connection: &Connection,
    known: &[Resource],
    seen: &[Resource],
    complete: &[ResourceKind],
) -> Vec<Entry> {
    let by_id: HashMap<&ResourceId, &Resource> =
        known.iter().filter(|known| known.state != ResourceState::Deleted).map(|known| (&known.id, known)).collect();
    let taken_at = seen.iter().map(|resource| resource.observed_at).max();
    let mut told = Vec::new();
    for resource in seen {
        match by_id.get(&resource.id) {
            None if resource.state == ResourceState::Deleted => {}
            None => told.push(
                entry(connection, resource, &events::RESOURCE_CREATE, "create", resource.observed_at)
                    .after(described(resource)),
            ),
            // Reeve did something to it since the inventory was taken; what came of that is known and recorded.
            Some(known)
                if known.observed_at > resource.observed_at && taken_at.is_some_and(|at| known.observed_at <= at) => {}
            Some(known) if resource.state == ResourceState::Deleted => {
                told.push(gone(connection, known, resource.observed_at))
            }
            Some(known) => told.extend(changed(connection, known, resource)),
        }
    }
    let ids: HashSet<&ResourceId> = seen.iter().map(|resource| &resource.id).collect();
    let removed = by_id.values().filter(|known| complete.contains(&known.kind) && !ids.contains(&known.id));
    let mut removed: Vec<Entry> =
        removed.map(|known| gone(connection, known, taken_at.unwrap_or_else(Timestamp::now))).collect();
    removed.sort_by(|a, b| a.resource.id.cmp(&b.resource.id));
    told.extend(removed);
    told
}

fn gone(connection: &Connection, known: &Resource, at: Timestamp) -> Entry {
    entry(connection, known, &events::RESOURCE_DELETE, "delete", at)
        .before(described(known))
        .with_metadata("last_seen_at", reeve_audit::format_instant(known.observed_at))
}

/// Returns an entry for each kind of change: state, tags, and everything else.
fn changed(connection: &Connection, known: &Resource, seen: &Resource) -> Vec<Entry> {
    let changes = between(known, seen);
    [(&events::RESOURCE_STATE, "change_state"), (&events::RESOURCE_TAG, "tag"), (&events::RESOURCE_MODIFY, "modify")]
        .into_iter()
        .filter_map(|(kind, operation)| {
            let of_kind: Vec<&ResourceChange> =
                changes.iter().filter(|change| *kind == *kind_of(change.attribute)).collect();
            // A machine that starts again has another start; that is told by its state.
            if of_kind.iter().all(|change| change.attribute == Attribute::LaunchedAt) {
                return None;
            }
            let values = |value: fn(&ResourceChange) -> &str| {
                Json::object(of_kind.iter().map(|change| (change.attribute.as_str(), value(change))))
            };
            Some(
                entry(connection, seen, kind, operation, seen.observed_at)
                    .before(values(|change| &change.before))
                    .after(values(|change| &change.after))
                    .with_metadata("last_seen_at", reeve_audit::format_instant(known.observed_at)),
            )
        })
        .collect()
}

fn kind_of(attribute: Attribute) -> &'static EventKind {
    match attribute {
        Attribute::State => &events::RESOURCE_STATE,
        Attribute::Tags => &events::RESOURCE_TAG,
        _ => &events::RESOURCE_MODIFY,
    }
}

fn entry(connection: &Connection, resource: &Resource, kind: &EventKind, operation: &str, at: Timestamp) -> Entry {
    let about = ResourceRef::new(resource.kind.as_str(), resource.id.0.clone()).in_cloud(
        resource.provider.as_str(),
        resource.account.clone(),
        resource.region.clone(),
    );
    let about = resource.tags.iter().fold(about, |about, (name, value)| about.with_tag(name.clone(), value.clone()));
    Entry::of(kind)
        .at(at)
        .by(Actor::system())
        .on(about)
        .with_action(operation, ActionStatus::Success, ActionMethod::Scheduled)
        .with_tag(events::OBSERVED)
        .with_metadata("connection_id", connection.id.0.clone())
        .with_metadata("connection", connection.name.clone())
        .with_metadata("resource_name", resource.name.clone())
}

fn described(resource: &Resource) -> Json {
    let spec = &resource.specification;
    let mut members = vec![
        ("name", Json::from(resource.name.clone())),
        ("service", Json::from(resource.service.clone())),
        ("state", Json::from(resource.state.as_str())),
    ];
    members.extend(spec.instance_type.clone().map(|size| ("instance_type", Json::from(size))));
    members.extend(spec.storage_gib.map(|gib| ("storage_gib", Json::from(gib))));
    members.extend(spec.storage_type.clone().map(|kind| ("storage_type", Json::from(kind))));
    members.extend(spec.platform.clone().map(|platform| ("platform", Json::from(platform))));
    if !resource.tags.is_empty() {
        let tags = resource.tags.iter().map(|(name, value)| (name.clone(), value.clone()));
        members.push(("tags", Json::object(tags)));
    }
    Json::object(members)
}
