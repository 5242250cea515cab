//! Neighbourhood of changed descriptions: the resources whose judgement may be another one now, and
//! the resources that those judgements look at.
//!
//! A judgement reads the document of a resource and the resources on either side of its relations.
//! So a change touches the resource itself and, one step away, those that look around. The rows
//! that are read are those of the touched resources and of what they look at; the size of the
//! estate does not matter.

use std::collections::{BTreeMap, BTreeSet};

use reeve_estate::{ConnectionId, DescriptionStore, KnownDescription, Resource, ResourceId};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::RelationIndex;

use crate::run::descriptions::{complete_readings, documents, known};

/// Resources that changes touch, with what their judgements look at.
pub(super) struct Neighbourhood {
    /// In the order of their identifiers.
    pub(super) touched: Vec<Resource>,
    pub(super) relations: RelationIndex,
}

/// Descriptions of one connection that were loaded.
struct Loaded<'a> {
    store: &'a dyn DescriptionStore,
    connection: &'a ConnectionId,
    known: BTreeMap<ResourceId, KnownDescription>,
    /// Identifiers that were asked for, those of nothing that is known among them.
    asked: BTreeSet<ResourceId>,
    /// Resources on the other side of relations, of the resources that were expanded.
    neighbours: BTreeMap<ResourceId, BTreeSet<ResourceId>>,
}

/// Loads the neighbourhood of changed resources of a connection. `is_judged` tells the resources
/// that the run judges.
pub(super) async fn around(
    store: &dyn DescriptionStore,
    connection: &ConnectionId,
    changed: &[ResourceId],
    needs: &Needs,
    is_judged: impl Fn(&Resource) -> bool,
) -> Result<Neighbourhood, EngineError> {
    let mut loaded = Loaded {
        store,
        connection,
        known: BTreeMap::new(),
        asked: BTreeSet::new(),
        neighbours: BTreeMap::new(),
    };
    let changed: BTreeSet<ResourceId> = changed.iter().cloned().collect();
    let looks = |resource: &Resource| needs.looks_around.contains(&resource.kind);

    loaded.load(&changed).await?;
    if !needs.looks_around.is_empty() {
        loaded.expand(&changed).await?;
    }
    let touched: Vec<Resource> = loaded
        .resources()
        .filter(|resource| changed.contains(&resource.id) || looks(resource))
        .filter(|resource| is_judged(resource))
        .cloned()
        .collect();

    let looking: BTreeSet<ResourceId> = touched
        .iter()
        .filter(|resource| looks(resource))
        .map(|resource| resource.id.clone())
        .collect();
    loaded.expand(&looking).await?;

    Ok(Neighbourhood {
        relations: loaded.index(&looking, needs).await?,
        touched,
    })
}

impl Loaded<'_> {
    /// Loads resources that were not asked for yet.
    async fn load(&mut self, ids: &BTreeSet<ResourceId>) -> Result<(), EngineError> {
        let new: Vec<ResourceId> = ids.difference(&self.asked).cloned().collect();
        for one in known(self.store, self.connection, &new).await? {
            self.known.insert(one.id.clone(), one);
        }
        self.asked.extend(new);
        Ok(())
    }

    /// Loads the resources on the other side of the relations of some, in both directions. A
    /// resource that is gone has sources still: their relations name it.
    async fn expand(&mut self, ids: &BTreeSet<ResourceId>) -> Result<(), EngineError> {
        let new: Vec<ResourceId> = ids
            .iter()
            .filter(|id| !self.neighbours.contains_key(*id))
            .cloned()
            .collect();
        for id in &new {
            let own = self.known.get(id).into_iter();
            let targets = own.flat_map(|known| &known.relations);
            let targets = targets.map(|relation| relation.target.clone()).collect();
            self.neighbours.insert(id.clone(), targets);
        }
        for one in self.store.relations_to(self.connection, &new).await? {
            let around = self.neighbours.entry(one.relation.target).or_default();
            around.insert(one.source);
        }

        let around = self.around(new.iter());
        self.load(&around).await
    }

    /// Identifiers on the other side of the relations of expanded resources.
    fn around<'i>(&self, ids: impl Iterator<Item = &'i ResourceId>) -> BTreeSet<ResourceId> {
        ids.filter_map(|id| self.neighbours.get(id))
            .flatten()
            .cloned()
            .collect()
    }

    fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.known
            .values()
            .filter_map(|known| known.resource.as_ref())
    }

    /// The relations of what was loaded, with the documents of what some of them look at.
    async fn index(
        &self,
        looking: &BTreeSet<ResourceId>,
        needs: &Needs,
    ) -> Result<RelationIndex, EngineError> {
        let mut index = RelationIndex::default();
        if looking.is_empty() {
            return Ok(index);
        }

        for reading in complete_readings(self.store, self.connection, &needs.related).await? {
            index.note_complete(self.connection, reading.kind, &reading.region);
        }
        for known in self.known.values() {
            if let Some(resource) = &known.resource
                && needs.related.contains(&resource.kind)
            {
                index.add(resource.clone(), known.relations.clone());
            }
        }

        let around = self.around(looking.iter());
        let with_documents: Vec<Resource> = self
            .resources()
            .filter(|resource| around.contains(&resource.id))
            .filter(|resource| needs.related_documents.contains(&resource.kind))
            .cloned()
            .collect();
        for ((connection, id), document) in documents(self.store, &with_documents).await? {
            index.add_document(connection, id, document);
        }
        Ok(index)
    }
}
