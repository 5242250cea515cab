//! Descriptions and results of checks in memory, with a count of the rows that were read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_estate::{
    ConnectionId, Described, DescriptionChange, DescriptionReading, DescriptionStore,
    DescriptionVersion, Document, KnownDescription, Neighbour, OwnedRelation, ReadOutcome,
    Relation, Resource, ResourceId, ResourceKind, StoreError,
};
use reeve_recommend::agent::AgentId;
use reeve_recommend::judgement::evidence::{
    EvidenceChange, EvidenceCount, EvidenceFilter, EvidenceKey, EvidenceStore, EvidenceTurnover,
    JudgementEvidence,
};

use crate::store::Memory;

type Result<T> = std::result::Result<T, StoreError>;

/// Descriptions of the resources of one connection.
pub(crate) struct Descriptions {
    memory: Arc<Memory>,
    described: Mutex<BTreeMap<ResourceId, (Document, Vec<Relation>)>>,
    marks: Mutex<BTreeMap<ResourceId, u64>>,
    complete: Mutex<Vec<DescriptionReading>>,
    pub(crate) evidence: Mutex<BTreeMap<EvidenceKey, JudgementEvidence>>,
    rows: AtomicU64,
    /// Documents cannot be read.
    pub(crate) is_broken: AtomicBool,
}

impl Descriptions {
    pub(crate) fn new(memory: &Arc<Memory>) -> Arc<Self> {
        Arc::new(Descriptions {
            memory: Arc::clone(memory),
            described: Mutex::default(),
            marks: Mutex::default(),
            complete: Mutex::default(),
            evidence: Mutex::default(),
            rows: AtomicU64::new(0),
            is_broken: AtomicBool::new(false),
        })
    }

    /// Describes a resource, as one write of a sync does.
    pub(crate) fn put(&self, resource: Resource, document: Document, relations: Vec<Relation>) {
        let id = resource.id.clone();
        self.memory.resources.lock().insert(id.clone(), resource);
        let before = self
            .described
            .lock()
            .insert(id.clone(), (document, relations.clone()));
        let lost = before.into_iter().flat_map(|(_, before)| before);
        let lost = lost.filter(|relation| !relations.contains(relation));
        self.mark(lost.map(|relation| relation.target).chain([id]));
    }

    /// Removes a resource that a sync no longer found.
    pub(crate) fn remove(&self, id: &ResourceId) {
        self.memory.resources.lock().remove(id);
        let before = self.described.lock().remove(id);
        let lost = before.into_iter().flat_map(|(_, before)| before);
        self.mark(lost.map(|relation| relation.target).chain([id.clone()]));
    }

    /// Notes that a kind was read completely.
    pub(crate) fn complete(&self, kind: ResourceKind) {
        self.complete.lock().push(DescriptionReading {
            kind,
            region: String::new(),
            outcome: ReadOutcome::Complete,
            permission: String::new(),
            seen: 0,
            message: String::new(),
            begun_at: Timestamp::UNIX_EPOCH,
            read_at: Timestamp::UNIX_EPOCH,
            complete_at: None,
        });
    }

    fn mark(&self, ids: impl Iterator<Item = ResourceId>) {
        let mut marks = self.marks.lock();
        let revision = marks.values().max().unwrap_or(&0) + 1;
        marks.extend(ids.map(|id| (id, revision)));
    }

    /// Returns the number of rows that were read since the last call.
    pub(crate) fn rows_read(&self) -> u64 {
        self.rows.swap(0, Ordering::SeqCst)
    }

    fn read<T>(&self, rows: Vec<T>) -> Result<Vec<T>> {
        self.rows.fetch_add(rows.len() as u64, Ordering::SeqCst);
        Ok(rows)
    }
}

#[async_trait]
impl DescriptionStore for Descriptions {
    async fn description_known(
        &self,
        _: &ConnectionId,
        ids: &[ResourceId],
    ) -> Result<Vec<KnownDescription>> {
        let (resources, described) = (self.memory.resources.lock(), self.described.lock());
        let ids: BTreeSet<&ResourceId> = ids.iter().collect();
        let known = ids.into_iter().filter_map(|id| {
            let resource = resources.get(id).cloned();
            let description = described.get(id);
            if resource.is_none() && description.is_none() {
                return None;
            }
            Some(KnownDescription {
                resource,
                id: id.clone(),
                hash: description.map(|(document, _)| document.hash()),
                relations: description.map_or_else(Vec::new, |(_, relations)| relations.clone()),
                seen_at: None,
            })
        });
        self.read(known.collect())
    }
    async fn documents(&self, hashes: &[String]) -> Result<Vec<Document>> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(StoreError::Backend("no document can be read".to_owned()));
        }
        let wanted: BTreeSet<&String> = hashes.iter().collect();
        let described = self.described.lock();
        let found: BTreeMap<String, &Document> = described
            .values()
            .map(|(document, _)| (document.hash(), document))
            .filter(|(hash, _)| wanted.contains(hash))
            .collect();
        self.read(found.into_values().cloned().collect())
    }
    async fn relations_to(
        &self,
        _: &ConnectionId,
        targets: &[ResourceId],
    ) -> Result<Vec<OwnedRelation>> {
        let described = self.described.lock();
        let all = described.iter().flat_map(|(id, (_, relations))| {
            relations.iter().map(|relation| OwnedRelation {
                source: id.clone(),
                relation: relation.clone(),
            })
        });
        self.read(
            all.filter(|one| targets.contains(&one.relation.target))
                .collect(),
        )
    }
    async fn description_revision(&self, _: &ConnectionId) -> Result<u64> {
        Ok(self.marks.lock().values().max().copied().unwrap_or(0))
    }
    async fn changed_since(
        &self,
        _: &ConnectionId,
        revision: u64,
        after: Option<&DescriptionChange>,
        limit: u64,
    ) -> Result<Vec<DescriptionChange>> {
        let marks = self.marks.lock();
        let all: BTreeSet<DescriptionChange> = marks
            .iter()
            .filter(|(_, mark)| **mark > revision)
            .map(|(id, mark)| DescriptionChange {
                revision: *mark,
                id: id.clone(),
            })
            .filter(|change| after.is_none_or(|after| change > after))
            .collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        self.read(all.into_iter().take(limit).collect())
    }
    async fn readings(&self, _: &ConnectionId) -> Result<Vec<DescriptionReading>> {
        Ok(self.complete.lock().clone())
    }
    async fn description_put(&self, _: &ConnectionId, _: &[Described], _: Timestamp) -> Result<()> {
        unreachable!("runs write no descriptions")
    }
    async fn description_remove(
        &self,
        _: &ConnectionId,
        _: &[ResourceId],
        _: Timestamp,
    ) -> Result<()> {
        unreachable!("runs write no descriptions")
    }
    async fn description_retire(
        &self,
        _: &ConnectionId,
        _: Option<(ResourceKind, &str)>,
        _: Timestamp,
    ) -> Result<u64> {
        unreachable!("runs write no descriptions")
    }
    async fn description_ids(
        &self,
        _: &ConnectionId,
        kind: ResourceKind,
        _: &str,
        after: Option<&ResourceId>,
    ) -> Result<Vec<ResourceId>> {
        let (resources, described) = (self.memory.resources.lock(), self.described.lock());
        let own = described.keys().filter(|id| {
            resources.get(*id).is_some_and(|one| one.kind == kind)
                && after.is_none_or(|after| *id > after)
        });
        self.read(own.cloned().collect())
    }
    async fn versions(&self, _: &ConnectionId, _: &ResourceId) -> Result<Vec<DescriptionVersion>> {
        Ok(Vec::new())
    }
    async fn document_at(
        &self,
        _: &ConnectionId,
        _: &ResourceId,
        _: Timestamp,
    ) -> Result<Option<(DescriptionVersion, Document)>> {
        unreachable!("runs read no earlier versions")
    }
    async fn neighbours(
        &self,
        _: &ConnectionId,
        _: &ResourceId,
        _: u64,
    ) -> Result<(Vec<Neighbour>, u64)> {
        unreachable!("runs read the neighbours of many resources at once")
    }
    async fn reading_put(&self, _: &ConnectionId, _: &DescriptionReading) -> Result<()> {
        unreachable!("runs write no readings")
    }
    async fn versions_expire(&self, _: Timestamp) -> Result<u64> {
        unreachable!("runs remove no versions")
    }
}

#[async_trait]
impl EvidenceStore for Descriptions {
    async fn evidence_of(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
    ) -> Result<Vec<JudgementEvidence>> {
        let evidence = self.evidence.lock();
        let own = evidence.values();
        let own = own.filter(|one| one.connection == *connection);
        self.read(
            own.filter(|one| resources.contains(&one.resource))
                .cloned()
                .collect(),
        )
    }
    async fn evidence_put(&self, changed: &[JudgementEvidence]) -> Result<()> {
        let changed = changed.iter().map(|one| (one.key(), one.clone()));
        self.evidence.lock().extend(changed);
        Ok(())
    }
    async fn evidence_remove(&self, ended: &[EvidenceKey], _: Timestamp) -> Result<()> {
        self.evidence.lock().retain(|key, _| !ended.contains(key));
        Ok(())
    }
    async fn evidence_keys(&self, agent: &AgentId) -> Result<Vec<EvidenceKey>> {
        let evidence = self.evidence.lock();
        let own = evidence.values().filter(|one| one.agent == *agent);
        self.read(own.map(JudgementEvidence::key).collect())
    }
    async fn evidence_list(&self, _: &EvidenceFilter) -> Result<(Vec<JudgementEvidence>, u64)> {
        unreachable!("runs list no evidence")
    }
    async fn evidence_counts(&self, _: &EvidenceFilter) -> Result<Vec<EvidenceCount>> {
        unreachable!("runs count no evidence")
    }
    async fn evidence_changes(
        &self,
        _: &EvidenceFilter,
        _: Timestamp,
    ) -> Result<Vec<EvidenceChange>> {
        unreachable!("runs count no changes of evidence")
    }
    async fn evidence_turnover(
        &self,
        _: &EvidenceFilter,
        _: Timestamp,
    ) -> Result<Vec<EvidenceTurnover>> {
        unreachable!("runs read no turnover")
    }
    async fn evidence_history(
        &self,
        _: &ConnectionId,
        _: &ResourceId,
        _: &str,
    ) -> Result<Vec<JudgementEvidence>> {
        unreachable!("runs read no history of evidence")
    }
}
