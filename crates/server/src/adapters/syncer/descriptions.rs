//! Descriptions that a sync reads, page by page: compared with the stored ones, recorded where they differ, then stored.
//!
//! Nothing is written where nothing differs, so that the cost of a sync beyond reading grows with its differences. A
//! resource is gone only where its kind was read completely; the first complete reading of a kind finds what is there
//! already and records nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;

use reeve_audit::Entry;
use reeve_estate::{
    Connection, Denied, Described, DescriptionSink, DescriptionStore, Difference, Document, Known, ReadOutcome,
    Reading, ResourceId, ResourceKind, StoreError,
};
use reeve_recommend::ports::Recorder;

use super::actor::Actors;
use super::changes::{self, Changed};

/// Descriptions written in one transaction. A first sync writes thousands, and others wait for the store's one writer.
const WRITTEN: usize = 25;

type Place = (ResourceKind, String);

/// Receives the descriptions of one sync.
pub(super) struct DescriptionSync<'s> {
    pub(super) connection: &'s Connection,
    pub(super) store: &'s dyn DescriptionStore,
    pub(super) recorder: &'s Arc<dyn Recorder>,
    pub(super) actors: &'s Actors<'s>,
    /// Resources of the inventory, which decides about the kinds that it reads.
    pub(super) inventory: HashSet<ResourceId>,
    /// Changes that the inventory found and no description has told yet.
    pub(super) changed: Mutex<HashMap<ResourceId, Changed>>,
    /// Kinds and regions that an earlier sync has read completely.
    pub(super) read_before: HashSet<Place>,
    /// Identifiers of this sync, by kind: all that is kept of a page that does not differ.
    pub(super) seen: Mutex<HashMap<ResourceKind, HashSet<ResourceId>>>,
    pub(super) outcome: Mutex<Outcome>,
}

/// Count of described resources, and what is missing.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) resources: u64,
    pub(super) denied: Vec<Denied>,
    pub(super) problems: Vec<String>,
}

#[async_trait]
impl DescriptionSink for DescriptionSync<'_> {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        let is_kept = |described: &Described| {
            !ResourceKind::SPECIFIED.contains(&described.resource.kind)
                || self.inventory.contains(&described.resource.id)
        };
        let page: Vec<Described> = page.into_iter().filter(is_kept).collect();
        let ids: Vec<ResourceId> = page.iter().map(|described| described.resource.id.clone()).collect();
        self.note_seen(&page);
        let known = self.store.description_known(&self.connection.id, &ids).await?;
        let known: HashMap<ResourceId, Known> = known.into_iter().map(|known| (known.id.clone(), known)).collect();
        let mut entries = Vec::new();
        let mut differ = Vec::new();
        for mut described in page {
            let stored = known.get(&described.resource.id);
            if let Some(earlier) = stored.and_then(|known| known.document.as_ref()) {
                described.document = described.document.with_unread_from(earlier);
            }
            entries.extend(self.told(&described, stored));
            if !is_stored(&described, stored) {
                differ.push(described);
            }
        }
        self.record(entries).await?;
        for part in differ.chunks(WRITTEN) {
            self.store.description_put(&self.connection.id, part, Timestamp::now()).await?;
        }
        Ok(())
    }

    async fn end(&self, reading: Reading) -> Result<(), StoreError> {
        let specified = ResourceKind::SPECIFIED.contains(&reading.kind);
        if reading.outcome == ReadOutcome::Complete && !specified {
            self.remove_gone(&reading).await?;
        }
        self.note(&reading);
        self.store.reading_put(&self.connection.id, &reading).await
    }
}

impl DescriptionSync<'_> {
    fn note_seen(&self, page: &[Described]) {
        let mut seen = self.seen.lock();
        for described in page {
            let resource = &described.resource;
            seen.entry(resource.kind).or_default().insert(resource.id.clone());
        }
    }

    fn note(&self, reading: &Reading) {
        let mut outcome = self.outcome.lock();
        if !ResourceKind::SPECIFIED.contains(&reading.kind) {
            outcome.resources += reading.seen;
        }
        match reading.outcome {
            ReadOutcome::Complete => {}
            ReadOutcome::Denied => outcome.denied.push(Denied {
                permission: reading.permission.clone(),
                region: reading.region.clone(),
                message: reading.message.clone(),
            }),
            ReadOutcome::Throttled | ReadOutcome::Failed => {
                if !outcome.problems.contains(&reading.message) {
                    outcome.problems.push(reading.message.clone());
                }
            }
        }
    }

    /// Returns the entries that tell how a resource differs from what is stored.
    fn told(&self, described: &Described, stored: Option<&Known>) -> Vec<Entry> {
        let changed = self.changed.lock().remove(&described.resource.id);
        let difference = stored.and_then(|known| known.document.as_ref()).map(|before| {
            if before.hash() == described.document.hash() {
                Difference::default()
            } else {
                Difference::between(before.json(), described.document.json())
            }
        });
        if let Some(changed) = changed {
            return changes::modified(self.connection, &changed.known, &changed.seen, difference.unwrap_or_default());
        }
        let specified = ResourceKind::SPECIFIED.contains(&described.resource.kind);
        match (stored.and_then(|known| known.resource.as_ref()), difference) {
            (Some(known), Some(difference)) => {
                // The inventory has compared what it knows; its changes are told above.
                let seen = if specified { known } else { &described.resource };
                let mut seen = seen.clone();
                seen.observed_at = described.resource.observed_at;
                changes::modified(self.connection, known, &seen, difference)
            }
            (None, _) if !specified && self.is_read_before(&described.resource.region, described.resource.kind) => {
                vec![changes::created(self.connection, &described.resource, Some(described.document.json()))]
            }
            _ => Vec::new(),
        }
    }

    fn is_read_before(&self, region: &str, kind: ResourceKind) -> bool {
        [region, ""].iter().any(|region| self.read_before.contains(&(kind, (*region).to_owned())))
    }

    async fn remove_gone(&self, reading: &Reading) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let here = &self.connection.id;
            let ids = self.store.description_ids(here, reading.kind, &reading.region, after.as_ref()).await?;
            let Some(last) = ids.last() else { return Ok(()) };
            after = Some(last.clone());
            let gone: Vec<ResourceId> = {
                let seen = self.seen.lock();
                let seen = seen.get(&reading.kind);
                ids.into_iter().filter(|id| !seen.is_some_and(|seen| seen.contains(id))).collect()
            };
            let known = self.store.description_known(here, &gone).await?;
            let told = known.iter().filter_map(|known| {
                let description = known.document.as_ref().map(Document::json);
                Some(changes::gone(self.connection, known.resource.as_ref()?, description, reading.read_at))
            });
            self.record(told.collect()).await?;
            self.store.description_remove(here, &gone, reading.read_at).await?;
        }
    }

    /// Records entries. The log comes before the store: a crash in between tells of a change twice rather than never.
    async fn record(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let entries = self.actors.name(entries).await;
        self.recorder.record(entries).await.map_err(|error| StoreError::Backend(error.to_string()))
    }
}

/// Returns `true` if nothing of a description would be written.
fn is_stored(described: &Described, stored: Option<&Known>) -> bool {
    let Some(stored) = stored else { return false };
    let mut relations = described.relations.clone();
    relations.sort();
    relations.dedup();
    let same_resource = ResourceKind::SPECIFIED.contains(&described.resource.kind)
        || stored.resource.as_ref().is_some_and(|known| {
            let mut known = known.clone();
            known.observed_at = described.resource.observed_at;
            known == described.resource
        });
    let same_document = stored.document.as_ref().is_some_and(|known| known.hash() == described.document.hash());
    same_resource && same_document && stored.relations == relations
}
