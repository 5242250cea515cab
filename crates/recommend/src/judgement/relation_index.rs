//! Relations between resources across the estate, for judgements that need more than one resource:
//! the snapshots of a volume, the images made from a snapshot.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use reeve_estate::{
    ConnectionId, Document, Relation, RelationKind, Resource, ResourceId, ResourceKind,
};

type Key = (ConnectionId, ResourceId);

/// Resources of the kinds that an agent type relates, with their relations in both directions.
#[derive(Debug, Clone, Default)]
pub struct RelationIndex {
    resources: HashMap<Key, Resource>,
    outgoing: HashMap<Key, Vec<Relation>>,
    /// Sources of relations by their target.
    incoming: HashMap<Key, Vec<(RelationKind, ResourceId)>>,
    /// Kinds whose last reading of a region was complete; an empty region is all.
    complete: HashSet<(ConnectionId, ResourceKind, String)>,
    /// Configurations, of the kinds whose documents an agent type relates.
    documents: HashMap<Key, Document>,
}

/// Resource at the other end of a relation.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    pub relation: RelationKind,
    pub id: &'a ResourceId,
    /// `None` if no resource of the identifier is among the kinds that are related.
    pub resource: Option<&'a Resource>,
    pub document: Option<&'a Document>,
}

impl RelationIndex {
    /// An index without resources.
    #[must_use]
    pub fn none() -> &'static RelationIndex {
        static NONE: LazyLock<RelationIndex> = LazyLock::new(RelationIndex::default);
        &NONE
    }

    /// Adds a resource with its relations.
    pub fn add(&mut self, resource: Resource, relations: Vec<Relation>) {
        let connection = resource.connection.clone();
        for relation in &relations {
            let target = (connection.clone(), relation.target.clone());
            self.incoming
                .entry(target)
                .or_default()
                .push((relation.kind, resource.id.clone()));
        }

        let key = (connection, resource.id.clone());
        self.outgoing.insert(key.clone(), relations);
        self.resources.insert(key, resource);
    }

    /// Notes that a kind was read completely in a region; an empty one is all.
    pub fn note_complete(&mut self, connection: &ConnectionId, kind: ResourceKind, region: &str) {
        self.complete
            .insert((connection.clone(), kind, region.to_owned()));
    }

    /// Returns `true` if every resource of a kind that is in the region of `near` is known.
    #[must_use]
    pub fn is_complete(&self, near: &Resource, kind: ResourceKind) -> bool {
        let of = |region: &str| {
            self.complete
                .contains(&(near.connection.clone(), kind, region.to_owned()))
        };
        of(&near.region) || of("")
    }

    /// Returns the first target of a resource's relations of a kind.
    #[must_use]
    pub fn target(&self, of: &Resource, kind: RelationKind) -> Option<&ResourceId> {
        let relations = self.outgoing.get(&(of.connection.clone(), of.id.clone()))?;
        relations
            .iter()
            .find(|relation| relation.kind == kind)
            .map(|relation| &relation.target)
    }

    /// Returns the resources that point at one of a connection by relations of a kind.
    pub fn sources<'a>(
        &'a self,
        connection: &'a ConnectionId,
        target: &ResourceId,
        kind: RelationKind,
    ) -> impl Iterator<Item = &'a Resource> {
        let found = self
            .incoming
            .get(&(connection.clone(), target.clone()))
            .into_iter()
            .flatten();
        found
            .filter(move |(own, _)| *own == kind)
            .filter_map(|(_, id)| self.resources.get(&(connection.clone(), id.clone())))
    }

    /// Adds the configuration of a resource.
    pub fn add_document(&mut self, connection: ConnectionId, id: ResourceId, document: Document) {
        self.documents.insert((connection, id), document);
    }

    /// Returns the resources at the other end of all relations of a resource: those it points at
    /// (`targets`), or those that point at it.
    pub fn neighbours<'a>(
        &'a self,
        of: &Resource,
        targets: bool,
    ) -> impl Iterator<Item = Neighbour<'a>> {
        let key = (of.connection.clone(), of.id.clone());
        let outgoing = self.outgoing.get(&key).filter(|_| targets);
        let incoming = self.incoming.get(&key).filter(|_| !targets);
        let towards = outgoing
            .into_iter()
            .flatten()
            .map(|relation| (relation.kind, &relation.target));
        let from = incoming.into_iter().flatten().map(|(kind, id)| (*kind, id));

        towards.chain(from).map(move |(relation, id)| {
            let key = (key.0.clone(), id.clone());
            Neighbour {
                relation,
                id,
                resource: self.resources.get(&key),
                document: self.documents.get(&key),
            }
        })
    }

    /// Returns a resource of a connection.
    #[must_use]
    pub fn get(&self, connection: &ConnectionId, id: &ResourceId) -> Option<&Resource> {
        self.resources.get(&(connection.clone(), id.clone()))
    }
}
