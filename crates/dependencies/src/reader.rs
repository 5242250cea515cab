//! Reads the map around a resource from the stores, hop by hop.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    ConnectionId, DescriptionStore, KnownDescription, Metric, Resource, ResourceId, ResourceKind,
    SampleStore, StoreError,
};
use reeve_flows::{FlowAction, FlowQuery, FlowStore, day_of};

use crate::addresses::AddressIndex;
use crate::comovement::add_comovements;
use crate::map::{DependencyBounds, DependencyMap, NodeKind};
use crate::observed::observed;
use crate::walk::DependencyWalk;

/// Days whose changes of metrics are compared.
const COMPARED: SignedDuration = SignedDuration::from_hours(24 * 7);
/// Interfaces of a node whose flows are read.
const MOST_INTERFACES: usize = 20;
/// Relations of others to the nodes of one hop that are followed.
const MOST_RELATIONS: usize = 1000;
/// Addresses outside the estate that a node brings into the map, those with the most bytes.
const MOST_ADDRESSES: usize = 6;

/// Ports that maps are read from.
#[derive(Clone)]
pub struct MapPorts {
    pub descriptions: Arc<dyn DescriptionStore>,
    pub flows: Arc<dyn FlowStore>,
    pub samples: Arc<dyn SampleStore>,
}

/// Interfaces of connections, each with the revision of the descriptions that they were read at.
type Indexes = HashMap<ConnectionId, (u64, Arc<AddressIndex>)>;

/// Reader of maps. It keeps the addresses of each connection until a description changes.
#[derive(Clone)]
pub struct MapReader {
    ports: MapPorts,
    indexes: Arc<Mutex<Indexes>>,
}

impl MapReader {
    /// A reader over these ports.
    #[must_use]
    pub fn new(ports: MapPorts) -> Self {
        MapReader {
            ports,
            indexes: Arc::default(),
        }
    }

    /// Returns the map around a resource at a time. Groups are not collapsed
    /// ([`DependencyMap::collapsed`]).
    ///
    /// # Errors
    /// A store failed.
    pub async fn around(
        &self,
        center: &Resource,
        bounds: DependencyBounds,
        at: Timestamp,
    ) -> Result<DependencyMap, StoreError> {
        let index = self.index(&center.connection).await?;
        let mut walk = DependencyWalk::new(bounds.nodes.clamp(1, DependencyBounds::MOST_NODES));
        let _ = walk.take_node(center.id.as_str(), NodeKind::Resource, 0, true);

        for hop in 0..=bounds.hops.min(DependencyBounds::MOST_HOPS) {
            let met: Vec<ResourceId> = walk
                .nodes
                .iter()
                .filter(|(_, met)| met.hop == hop && met.kind == NodeKind::Resource)
                .map(|(id, _)| ResourceId::new(id.clone()))
                .collect();
            let is_last = hop == bounds.hops;
            self.follow(
                &mut walk,
                (center, &index),
                &met,
                (hop, is_last),
                (bounds, at),
            )
            .await?;
        }

        self.finish(walk, center, bounds, at).await
    }

    /// Adds the correlation of metrics to the edges of the middle.
    ///
    /// # Errors
    /// The store of samples failed.
    pub async fn correlate(
        &self,
        map: &mut DependencyMap,
        connection: &ConnectionId,
    ) -> Result<(), StoreError> {
        let known = map.nodes.iter().filter_map(|node| node.resource.as_ref());
        let mut metrics: Vec<Metric> = Vec::new();
        let mut ids: Vec<ResourceId> = Vec::new();
        for resource in known {
            let own = resource.kind.metrics();
            metrics.extend(own);
            if !own.is_empty() {
                ids.push(resource.id.clone());
            }
        }
        metrics.sort_unstable();
        metrics.dedup();
        if ids.len() < 2 {
            return Ok(());
        }

        let from = map.at.checked_sub(COMPARED).unwrap_or(Timestamp::MIN);
        let series = self
            .ports
            .samples
            .sample_series(connection, &ids, &metrics, from, map.at)
            .await?;
        add_comovements(map, &series);
        Ok(())
    }

    async fn index(&self, connection: &ConnectionId) -> Result<Arc<AddressIndex>, StoreError> {
        let revision = self
            .ports
            .descriptions
            .description_revision(connection)
            .await?;
        let known = {
            let indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
            indexes.get(connection).cloned()
        };
        if let Some((_, index)) = known.filter(|(read_at, _)| *read_at == revision) {
            return Ok(index);
        }

        let index = Arc::new(AddressIndex::read(&*self.ports.descriptions, connection).await?);
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.insert(connection.clone(), (revision, Arc::clone(&index)));
        Ok(index)
    }

    /// Reads the nodes of a hop, and meets those of the next one. The nodes of the last hop are
    /// read for their names and for edges among them.
    async fn follow(
        &self,
        walk: &mut DependencyWalk,
        (center, index): (&Resource, &AddressIndex),
        ids: &[ResourceId],
        (hop, is_last): (u32, bool),
        (bounds, at): (DependencyBounds, Timestamp),
    ) -> Result<(), StoreError> {
        let known = self
            .ports
            .descriptions
            .description_known(&center.connection, ids)
            .await?;
        for one in known {
            relations_of(walk, index, &one, (hop, is_last));
            if let Some(met) = walk.nodes.get_mut(&one.id.0) {
                met.known = Some(one);
            }
        }

        let followed: Vec<ResourceId> = ids
            .iter()
            .filter(|id| walk.nodes.get(&id.0).is_some_and(|met| met.is_followed))
            .cloned()
            .collect();
        let owned = match is_last {
            true => Vec::new(),
            false => {
                self.ports
                    .descriptions
                    .relations_to(&center.connection, &followed)
                    .await?
            }
        };
        // A network or account has thousands: those without room are not read.
        let (owned, beyond) = owned.split_at(owned.len().min(MOST_RELATIONS));
        for one in beyond {
            walk.leave_out(&one.source.0);
        }
        let sources: Vec<ResourceId> = owned.iter().map(|one| one.source.clone()).collect();
        let kinds = self.kinds(&center.connection, &sources).await?;
        for one in owned {
            let kind = kinds.get(&one.source).copied();
            let source = index.owner(&one.source.0).unwrap_or(&one.source);
            if *source == one.relation.target || index.owner(&one.source.0).is_some() {
                continue;
            }
            let (relation, target) = (one.relation.kind, &one.relation.target);
            walk.relate((source, kind), relation, target, (target, hop + 1));
        }

        for id in &followed {
            self.flows_of(walk, (center, index), id, (hop, is_last), (bounds, at))
                .await?;
        }
        Ok(())
    }

    async fn kinds(
        &self,
        connection: &ConnectionId,
        ids: &[ResourceId],
    ) -> Result<HashMap<ResourceId, ResourceKind>, StoreError> {
        let mut found = HashMap::new();
        for ids in ids.chunks(200) {
            let known = self
                .ports
                .descriptions
                .description_known(connection, ids)
                .await?;
            let kinds = known.into_iter().filter_map(|one| {
                let kind = one.resource.map(|resource| resource.kind)?;
                Some((one.id, kind))
            });
            found.extend(kinds);
        }
        Ok(found)
    }

    async fn flows_of(
        &self,
        walk: &mut DependencyWalk,
        (center, index): (&Resource, &AddressIndex),
        id: &ResourceId,
        (hop, is_last): (u32, bool),
        (bounds, at): (DependencyBounds, Timestamp),
    ) -> Result<(), StoreError> {
        let interfaces: Vec<String> = index
            .interfaces(id)
            .iter()
            .take(MOST_INTERFACES)
            .cloned()
            .collect();
        if interfaces.is_empty() {
            return Ok(());
        }

        let today = day_of(at.as_second());
        let seen = self
            .ports
            .flows
            .flow_seen(&FlowQuery {
                connection: Some(center.connection.clone()),
                interfaces,
                from_day: today.saturating_sub(bounds.days) + 1,
                until_day: Some(today.saturating_add(1)),
                action: Some(FlowAction::Accepted),
                since_s: None,
            })
            .await?;
        if let Some(met) = walk.nodes.get_mut(&id.0) {
            met.is_watched = seen.iter().any(|one| !one.coverage.is_empty());
        }

        let mut edges = observed(id, &seen, index);
        edges.sort_by_key(|edge| std::cmp::Reverse(edge.bytes));
        let mut addresses = 0;
        for edge in edges {
            let ends = [&edge.dependent, &edge.dependency];
            let is_met = ends.iter().all(|peer| walk.nodes.contains_key(&peer.id));
            if ends.iter().any(|peer| peer.kind == NodeKind::Address) {
                addresses += 1;
            }
            if is_met || (!is_last && addresses <= MOST_ADDRESSES) {
                walk.observe(edge, hop + 1);
            }
        }
        Ok(())
    }

    async fn finish(
        &self,
        walk: DependencyWalk,
        center: &Resource,
        bounds: DependencyBounds,
        at: Timestamp,
    ) -> Result<DependencyMap, StoreError> {
        let readings = self.ports.descriptions.readings(&center.connection).await?;
        let mut read_at: HashMap<ResourceKind, Timestamp> = HashMap::new();
        for reading in readings {
            if let Some(complete_at) = reading.complete_at {
                let known = read_at.entry(reading.kind).or_insert(complete_at);
                *known = complete_at.max(*known);
            }
        }

        let edges = walk.edges(&read_at);
        let left_out = walk.left_out();
        let nodes = walk.into_nodes();
        let inside: HashSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
        let is_inside = |id: &str| inside.contains(id);
        let edges = edges
            .into_iter()
            .filter(|edge| is_inside(&edge.dependent) && is_inside(&edge.dependency))
            .collect();
        Ok(DependencyMap {
            center: center.id.0.clone(),
            nodes,
            edges,
            left_out,
            bounds,
            at,
        })
    }
}

/// Takes the relations of a node, those to new nodes where its neighbors are followed.
fn relations_of(
    walk: &mut DependencyWalk,
    index: &AddressIndex,
    one: &KnownDescription,
    (hop, is_last): (u32, bool),
) {
    let is_followed = walk.nodes.get(&one.id.0).is_some_and(|met| met.is_followed);
    let kind = one.resource.as_ref().map(|resource| resource.kind);
    for relation in &one.relations {
        let target = index.owner(&relation.target.0).unwrap_or(&relation.target);
        let is_met = walk.nodes.contains_key(&target.0);
        if *target != one.id && (is_met || (is_followed && !is_last)) {
            walk.relate((&one.id, kind), relation.kind, target, (&one.id, hop + 1));
        }
    }
}
