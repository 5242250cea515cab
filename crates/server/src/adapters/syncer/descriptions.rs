//! Descriptions that a sync reads, page by page: compared with the stored ones, recorded where they
//! differ, then stored.
//!
//! Nothing is written where nothing differs, so that the cost of a sync beyond reading grows with
//! its differences. A resource is gone only where its kind was read completely; the first complete
//! reading of a kind finds what is there already and records nothing.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;

use reeve_audit::Entry;
use reeve_estate::{
    Connection, Denied, Described, DescriptionReading, DescriptionSink, DescriptionStore,
    Difference, Document, KnownDescription, ReadOutcome, ResourceId, ResourceKind, StoreError,
};
use reeve_recommend::ports::Recorder;

use super::actor::Actors;
use super::changes::{self, Changed};
use super::seen::Seen;

/// Descriptions written in one transaction. A first sync writes thousands, and others wait for the
/// store's one writer.
const WRITTEN: usize = 100;
/// Stored documents that are read at once.
const DOCUMENTS: usize = 250;

/// A kind in a region; an empty region is all of them.
pub(super) type Place = (ResourceKind, String);

/// Receives the descriptions of one sync.
pub(super) struct DescriptionSync<'s> {
    pub(super) connection: &'s Connection,
    pub(super) store: &'s Arc<dyn DescriptionStore>,
    pub(super) recorder: &'s Arc<dyn Recorder>,
    pub(super) actors: &'s Actors<'s>,
    /// Resources of the inventory, which decides about the kinds that it reads.
    pub(super) inventory: &'s Seen,
    /// Changes that the inventory found.
    pub(super) changed: Mutex<HashMap<ResourceId, Changed>>,
    /// Kinds and regions that an earlier sync has read completely.
    pub(super) read_before: &'s HashSet<Place>,
    /// Kinds and regions that this sync has tried to read.
    pub(super) read: Mutex<HashSet<Place>>,
    /// Identifiers of this sync: all that is kept of a page that does not differ.
    pub(super) seen: Mutex<Seen>,
    /// Held by the one write of this sync that is under way: its listings take turns with everybody
    /// else's writes.
    pub(super) writing: tokio::sync::Mutex<()>,
    pub(super) outcome: Mutex<DescriptionOutcome>,
}

/// Count of described resources, and what is missing.
#[derive(Debug, Default)]
pub(super) struct DescriptionOutcome {
    pub(super) resources: u64,
    pub(super) denied: Vec<Denied>,
    pub(super) problems: Vec<String>,
}

#[async_trait]
impl DescriptionSink for DescriptionSync<'_> {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        let is_kept = |described: &Described| {
            !ResourceKind::SPECIFIED.contains(&described.resource.kind)
                || self
                    .inventory
                    .has(described.resource.kind, &described.resource.id)
        };
        let page: Vec<Described> = page.into_iter().filter(is_kept).collect();

        let ids: Vec<ResourceId> = page
            .iter()
            .map(|described| described.resource.id.clone())
            .collect();
        self.note_seen(&page);
        let known = self.known(ids).await?;
        let known: HashMap<ResourceId, KnownDescription> = known
            .into_iter()
            .map(|known| (known.id.clone(), known))
            .collect();
        let earlier = self.earlier(&page, &known).await?;
        let mut entries = Vec::new();
        let mut differ = Vec::new();

        for mut described in page {
            let stored = known.get(&described.resource.id);
            let before = stored.and_then(|known| earlier.get(known.hash.as_ref()?));
            if let Some(before) = before {
                described.document = described.document.with_unread_from(before);
            }
            entries.extend(self.change_entries(&described, stored, before));
            if !is_stored(&described, stored) {
                differ.push(described);
            }
        }

        self.actors.record(&**self.recorder, entries).await?;
        self.put(differ).await
    }

    async fn end(&self, reading: DescriptionReading) -> Result<(), StoreError> {
        let specified = ResourceKind::SPECIFIED.contains(&reading.kind);
        if reading.outcome == ReadOutcome::Complete && !specified {
            self.remove_gone(&reading).await?;
        }

        self.note(&reading);
        let (store, connection) = (self.store.clone(), self.connection.id.clone());
        self.write(async move { store.reading_put(&connection, &reading).await })
            .await
    }
}

impl DescriptionSync<'_> {
    async fn known(&self, ids: Vec<ResourceId>) -> Result<Vec<KnownDescription>, StoreError> {
        let (store, connection) = (self.store.clone(), self.connection.id.clone());
        apart(async move { store.description_known(&connection, &ids).await }).await
    }

    async fn documents(
        &self,
        hashes: Vec<String>,
    ) -> Result<HashMap<String, Document>, StoreError> {
        let mut documents = HashMap::new();
        for part in hashes.chunks(DOCUMENTS) {
            let (store, part) = (self.store.clone(), part.to_vec());
            let read = apart(async move { store.documents(&part).await }).await?;
            documents.extend(read.into_iter().map(|document| (document.hash(), document)));
        }
        Ok(documents)
    }

    /// Returns the stored documents that a page is compared with: those of resources that differ,
    /// or that were partly hidden.
    async fn earlier(
        &self,
        page: &[Described],
        known: &HashMap<ResourceId, KnownDescription>,
    ) -> Result<HashMap<String, Document>, StoreError> {
        let wanted = |described: &Described| {
            let hash = known.get(&described.resource.id)?.hash.clone()?;
            (hash != described.document.hash() || described.document.is_partly_unread())
                .then_some(hash)
        };
        let hashes: HashSet<String> = page.iter().filter_map(wanted).collect();
        self.documents(hashes.into_iter().collect()).await
    }

    async fn put(&self, mut differ: Vec<Described>) -> Result<(), StoreError> {
        while !differ.is_empty() {
            let part: Vec<Described> = differ.drain(..differ.len().min(WRITTEN)).collect();
            let (store, connection) = (self.store.clone(), self.connection.id.clone());
            self.write(async move {
                store
                    .description_put(&connection, &part, Timestamp::now())
                    .await
            })
            .await?;
        }
        Ok(())
    }

    /// Writes to the store, one write of this sync at a time.
    async fn write<T: Send + 'static>(
        &self,
        access: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _turn = self.writing.lock().await;
        apart(access).await
    }

    fn note_seen(&self, page: &[Described]) {
        let mut seen = self.seen.lock();
        for described in page {
            seen.note(described.resource.kind, &described.resource.id);
        }
    }

    fn note(&self, reading: &DescriptionReading) {
        self.read
            .lock()
            .insert((reading.kind, reading.region.clone()));
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
    fn change_entries(
        &self,
        described: &Described,
        stored: Option<&KnownDescription>,
        before: Option<&Document>,
    ) -> Vec<Entry> {
        let difference = stored
            .and_then(|known| known.hash.as_ref())
            .map(|hash| match before {
                Some(before) if *hash != described.document.hash() => {
                    Difference::between(before.json(), described.document.json())
                }
                _ => Difference::default(),
            });

        if let Some(changed) = self
            .changed
            .lock()
            .get_mut(&described.resource.id)
            .filter(|changed| !changed.is_told)
        {
            changed.is_told = true;
            return changes::modified(
                self.connection,
                &changed.known,
                &changed.seen,
                difference.unwrap_or_default(),
            );
        }

        let specified = ResourceKind::SPECIFIED.contains(&described.resource.kind);
        match (stored.and_then(|known| known.resource.as_ref()), difference) {
            (Some(known), Some(difference)) => {
                // The inventory has compared what it knows; its changes are told above.
                let seen = if specified {
                    known
                } else {
                    &described.resource
                };
                let mut seen = seen.clone();
                seen.observed_at = described.resource.observed_at;
                changes::modified(self.connection, known, &seen, difference)
            }
            (None, _)
                if !specified
                    && self.is_read_before(&described.resource.region, described.resource.kind) =>
            {
                vec![changes::created(
                    self.connection,
                    &described.resource,
                    Some(described.document.json()),
                )]
            }
            _ => Vec::new(),
        }
    }

    fn is_read_before(&self, region: &str, kind: ResourceKind) -> bool {
        changes::is_read_before(self.read_before, region, kind)
    }

    async fn remove_gone(&self, reading: &DescriptionReading) -> Result<(), StoreError> {
        let here = &self.connection.id;
        let mut after: Option<ResourceId> = None;

        loop {
            let (store, connection, region) =
                (self.store.clone(), here.clone(), reading.region.clone());
            let (kind, last) = (reading.kind, after.clone());
            let ids = apart(async move {
                store
                    .description_ids(&connection, kind, &region, last.as_ref())
                    .await
            })
            .await?;
            let Some(last) = ids.last() else {
                return Ok(());
            };
            after = Some(last.clone());
            let gone: Vec<ResourceId> = {
                let seen = self.seen.lock();
                ids.into_iter()
                    .filter(|id| !seen.has(reading.kind, id))
                    .collect()
            };
            if gone.is_empty() {
                continue;
            }
            let known = self.known(gone.clone()).await?;
            let documents = self
                .documents(
                    known
                        .iter()
                        .filter_map(|known| known.hash.clone())
                        .collect(),
                )
                .await?;
            let removals = known.iter().filter_map(|known| {
                let description = known
                    .hash
                    .as_ref()
                    .and_then(|hash| documents.get(hash))
                    .map(Document::json);
                Some(changes::gone(
                    self.connection,
                    known.resource.as_ref()?,
                    description,
                    reading.read_at,
                ))
            });
            self.actors
                .record(&**self.recorder, removals.collect())
                .await?;
            let (store, connection, at) = (self.store.clone(), here.clone(), reading.read_at);
            self.write(async move { store.description_remove(&connection, &gone, at).await })
                .await?;
        }
    }

    /// Retires what an earlier sync has read and this one has not tried to: the connection no
    /// longer looks there. Returns the number of resources.
    pub(super) async fn retire(&self, before: &[DescriptionReading]) -> Result<u64, StoreError> {
        let mut retired = 0;
        for reading in before {
            if self
                .read
                .lock()
                .contains(&(reading.kind, reading.region.clone()))
            {
                continue;
            }
            let (store, connection) = (self.store.clone(), self.connection.id.clone());
            let (kind, region) = (reading.kind, reading.region.clone());
            let retire = async move {
                store
                    .description_retire(
                        &connection,
                        Some((kind, region.as_str())),
                        Timestamp::now(),
                    )
                    .await
            };
            retired += self.write(retire).await?;
        }

        Ok(retired)
    }
}

/// Runs an access to the store in a task of its own. Listings are read side by side in the sync's
/// one task, which their answers keep busy for seconds; a transaction that waited there for its
/// turn kept the database from everybody else.
pub(super) async fn apart<T: Send + 'static>(
    access: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::spawn(access)
        .await
        .map_err(|error| StoreError::Backend(error.to_string()))?
}

/// Returns `true` if nothing of a description would be written.
fn is_stored(described: &Described, stored: Option<&KnownDescription>) -> bool {
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

    let same_document = stored
        .hash
        .as_ref()
        .is_some_and(|hash| *hash == described.document.hash());
    same_resource && same_document && stored.relations == relations
}
