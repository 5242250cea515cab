//! Configurations and relations of resources, as runs load them for agent types that need them.

use std::collections::{BTreeMap, HashMap};

use reeve_estate::{
    ConnectionId, DescriptionReading, DescriptionStore, Document, KnownDescription, ReadOutcome,
    Relation, Resource, ResourceId, ResourceKind,
};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::RelationIndex;

/// Resources whose descriptions are read at once.
pub(crate) const AT_ONCE: usize = 500;

/// Configurations of resources; a resource without one is left out.
pub(crate) async fn documents(
    store: &dyn DescriptionStore,
    resources: &[Resource],
) -> Result<HashMap<(ConnectionId, ResourceId), Document>, EngineError> {
    let mut hashes: HashMap<(ConnectionId, ResourceId), String> = HashMap::new();
    for (connection, ids) in by_connection(resources) {
        for known in known(store, connection, &ids).await? {
            hashes.extend(
                known
                    .hash
                    .map(|hash| ((connection.clone(), known.id), hash)),
            );
        }
    }

    let mut wanted: Vec<String> = hashes.values().cloned().collect();
    wanted.sort_unstable();
    wanted.dedup();
    let documents = store.documents(&wanted).await?;
    let documents: HashMap<String, Document> =
        documents.into_iter().map(|one| (one.hash(), one)).collect();

    Ok(hashes
        .into_iter()
        .filter_map(|(key, hash)| Some((key, documents.get(&hash)?.clone())))
        .collect())
}

/// Relations of resources, with the kinds and regions that were read completely.
pub(crate) async fn relations(
    store: &dyn DescriptionStore,
    resources: Vec<Resource>,
    kinds: &[ResourceKind],
) -> Result<RelationIndex, EngineError> {
    let mut index = RelationIndex::default();
    let mut found: HashMap<(ConnectionId, ResourceId), Vec<Relation>> = HashMap::new();

    for (connection, ids) in by_connection(&resources) {
        for reading in complete_readings(store, connection, kinds).await? {
            index.note_complete(connection, reading.kind, &reading.region);
        }
        for known in known(store, connection, &ids).await? {
            found.insert((connection.clone(), known.id), known.relations);
        }
    }

    for resource in resources {
        let relations = found
            .remove(&(resource.connection.clone(), resource.id.clone()))
            .unwrap_or_default();
        index.add(resource, relations);
    }

    Ok(index)
}

/// Accounts of the kinds that were read completely, by kind and region.
pub(crate) async fn complete_readings(
    store: &dyn DescriptionStore,
    connection: &ConnectionId,
    kinds: &[ResourceKind],
) -> Result<Vec<DescriptionReading>, EngineError> {
    let mut readings = store.readings(connection).await?;
    readings.retain(|reading| {
        kinds.contains(&reading.kind) && reading.outcome == ReadOutcome::Complete
    });
    Ok(readings)
}

fn by_connection(resources: &[Resource]) -> BTreeMap<&ConnectionId, Vec<ResourceId>> {
    let mut ids: BTreeMap<&ConnectionId, Vec<ResourceId>> = BTreeMap::new();
    for resource in resources {
        ids.entry(&resource.connection)
            .or_default()
            .push(resource.id.clone());
    }
    ids
}

pub(crate) async fn known(
    store: &dyn DescriptionStore,
    connection: &ConnectionId,
    ids: &[ResourceId],
) -> Result<Vec<KnownDescription>, EngineError> {
    let mut found = Vec::with_capacity(ids.len());
    for some in ids.chunks(AT_ONCE) {
        found.extend(store.description_known(connection, some).await?);
    }
    Ok(found)
}
