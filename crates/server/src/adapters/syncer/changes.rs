//! Changes of resources between two syncs, as entries of the log: created, modified, deleted,
//! tagged, in another state.
//!
//! The first sync of a connection finds what is there already and records none. When a change
//! happened in between, a sync cannot see: an entry says when the resource was last seen as before
//! and first seen as after. What one of the two syncs does not know is no change
//! (`reeve_estate::change`).

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventKind, Json, ResourceRef, events};
use reeve_estate::change::between;
use reeve_estate::{
    Attribute, Connection, Difference, Resource, ResourceChange, ResourceId, ResourceKind,
    ResourceState,
};
use serde_json::{Map, Value};

use super::descriptions::Place;

/// Members of a provider's description that hold tags.
const TAG_MEMBERS: [&str; 5] = ["Tags", "TagSet", "TagList", "tags", "tagSet"];

/// A resource that an inventory saw otherwise than it was known.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) known: Resource,
    pub(super) seen: Resource,
    /// A description has told it.
    pub(super) is_told: bool,
}

/// Differences between a page of an inventory and the stored resources.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Entries about resources that appeared or are gone.
    pub(super) entries: Vec<Entry>,
    /// Resources that changed; their descriptions may tell more.
    pub(super) changed: Vec<Changed>,
    /// Resources of which nothing has to be recorded before they are written.
    pub(super) others: Vec<Resource>,
}

/// Returns `true` if a kind was read completely in a region before. Otherwise it is not new what is
/// found there.
pub(super) fn is_read_before(
    read_before: &HashSet<Place>,
    region: &str,
    kind: ResourceKind,
) -> bool {
    [region, ""]
        .iter()
        .any(|region| read_before.contains(&(kind, (*region).to_owned())))
}

/// Compares a page of an inventory with what is known of its resources.
pub(super) fn compare(
    connection: &Connection,
    known: &HashMap<ResourceId, Resource>,
    page: Vec<Resource>,
    read_before: &HashSet<Place>,
) -> Compared {
    let taken_at = page.iter().map(|resource| resource.observed_at).max();
    let mut compared = Compared::default();

    for resource in page {
        match known.get(&resource.id) {
            None if resource.state == ResourceState::Deleted => {}
            None if !is_read_before(read_before, &resource.region, resource.kind) => {}
            None => compared.entries.push(created(connection, &resource, None)),
            // Reeve did something to it since the inventory was taken; what came of that is known
            // and recorded.
            Some(known)
                if known.observed_at > resource.observed_at
                    && taken_at.is_some_and(|at| known.observed_at <= at) => {}
            Some(known) if resource.state == ResourceState::Deleted => {
                compared
                    .entries
                    .push(gone(connection, known, None, resource.observed_at));
            }
            Some(known) if between(known, &resource).is_empty() => {}
            Some(known) => {
                compared.changed.push(Changed {
                    known: known.clone(),
                    seen: resource,
                    is_told: false,
                });
                continue;
            }
        }
        compared.others.push(resource);
    }

    compared
}

/// Returns the entry of a resource that appeared, with its description where there is one.
pub(super) fn created(
    connection: &Connection,
    resource: &Resource,
    description: Option<&Value>,
) -> Entry {
    entry(
        connection,
        resource,
        &events::RESOURCE_CREATE,
        "create",
        resource.observed_at,
    )
    .after(described(resource, description))
}

/// Returns the entry of a resource that is gone.
pub(super) fn gone(
    connection: &Connection,
    known: &Resource,
    description: Option<&Value>,
    at: Timestamp,
) -> Entry {
    entry(connection, known, &events::RESOURCE_DELETE, "delete", at)
        .before(described(known, description))
        .with_metadata(
            "last_seen_at",
            reeve_audit::format_instant(known.observed_at),
        )
}

/// Returns the entries of a resource that changed: one for its state, one for its tags, one for
/// everything else.
///
/// The members of its description that differ stand with the change that they follow from: a
/// machine that stops has another reason, time and address, which are no modification of their own.
pub(super) fn modified(
    connection: &Connection,
    known: &Resource,
    seen: &Resource,
    mut difference: Difference,
) -> Vec<Entry> {
    let changes = between(known, seen);
    let tags = difference.split_off(|name| TAG_MEMBERS.contains(&name));
    let of = |kind: &EventKind| -> Vec<&ResourceChange> {
        let of_kind = changes
            .iter()
            .filter(|change| *kind == *kind_of(change.attribute));
        let of_kind: Vec<&ResourceChange> = of_kind.collect();
        // A machine that starts again has another start; that is told by its state.
        let only_started = of_kind
            .iter()
            .all(|change| change.attribute == Attribute::LaunchedAt);
        if only_started { Vec::new() } else { of_kind }
    };

    let (state, tag, modify) = (
        of(&events::RESOURCE_STATE),
        of(&events::RESOURCE_TAG),
        of(&events::RESOURCE_MODIFY),
    );

    let tags = if tag.is_empty() {
        tags
    } else {
        Difference::default()
    };

    let (with_state, with_modify) = if modify.is_empty() && !state.is_empty() {
        (difference, Difference::default())
    } else {
        (Difference::default(), difference)
    };

    let kinds = [
        (&events::RESOURCE_STATE, "change_state", state, with_state),
        (&events::RESOURCE_TAG, "tag", tag, tags),
        (&events::RESOURCE_MODIFY, "modify", modify, with_modify),
    ];

    let changed = kinds
        .into_iter()
        .filter(|(_, _, changes, difference)| !changes.is_empty() || !difference.is_empty());
    changed
        .map(|(kind, operation, changes, difference)| {
            let mut entry_of_kind = entry(connection, seen, kind, operation, seen.observed_at)
                .before(values(&changes, |change| &change.before, difference.before))
                .after(values(&changes, |change| &change.after, difference.after))
                .with_metadata(
                    "last_seen_at",
                    reeve_audit::format_instant(known.observed_at),
                );
            if difference.is_cut {
                entry_of_kind = entry_of_kind.with_metadata("is_cut", Json::from(true));
            }
            entry_of_kind
        })
        .collect()
}

fn values(
    changes: &[&ResourceChange],
    value: fn(&ResourceChange) -> &str,
    members: Map<String, Value>,
) -> Json {
    let mut values: Vec<(String, Json)> = changes
        .iter()
        .map(|change| {
            (
                change.attribute.as_str().to_owned(),
                Json::from(value(change)),
            )
        })
        .collect();

    if !members.is_empty() {
        values.push((
            "configuration".to_owned(),
            Json::from(Value::Object(members)),
        ));
    }

    Json::object(values)
}

fn kind_of(attribute: Attribute) -> &'static EventKind {
    match attribute {
        Attribute::State => &events::RESOURCE_STATE,
        Attribute::Tags => &events::RESOURCE_TAG,
        _ => &events::RESOURCE_MODIFY,
    }
}

fn entry(
    connection: &Connection,
    resource: &Resource,
    kind: &EventKind,
    operation: &str,
    at: Timestamp,
) -> Entry {
    let about = ResourceRef::new(resource.kind.as_str(), resource.id.0.clone()).in_cloud(
        resource.provider.as_str(),
        resource.account.clone(),
        resource.region.clone(),
    );

    let about = resource.tags.iter().fold(about, |about, (name, value)| {
        about.with_tag(name.clone(), value.clone())
    });
    Entry::for_event(kind)
        .at(at)
        .by(Actor::system())
        .on(about)
        .with_action(operation, ActionStatus::Success, ActionMethod::Scheduled)
        .with_tag(events::OBSERVED)
        .with_metadata("connection_id", connection.id.0.clone())
        .with_metadata("connection", connection.name.clone())
        .with_metadata("resource_name", resource.name.clone())
}

fn described(resource: &Resource, description: Option<&Value>) -> Json {
    let spec = &resource.specification;
    let mut members = vec![
        ("name", Json::from(resource.name.clone())),
        ("service", Json::from(resource.service.clone())),
        ("state", Json::from(resource.state.as_str())),
    ];

    members.extend(
        spec.instance_type
            .clone()
            .map(|size| ("instance_type", Json::from(size))),
    );
    members.extend(spec.storage_gib.map(|gib| ("storage_gib", Json::from(gib))));
    members.extend(
        spec.storage_type
            .clone()
            .map(|kind| ("storage_type", Json::from(kind))),
    );

    members.extend(
        spec.platform
            .clone()
            .map(|platform| ("platform", Json::from(platform))),
    );

    if !resource.tags.is_empty() {
        let tags = resource
            .tags
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        members.push(("tags", Json::object(tags)));
    }

    if let Some(description) = description {
        // Against nothing, every member differs; the difference is bounded.
        let all = Difference::between(&Value::Object(Map::new()), description);
        members.push(("configuration", Json::from(Value::Object(all.after))));
    }

    Json::object(members)
}
