//! The inventory of a sync, page by page: each page is compared with the stored resources,
//! recorded, and written. Identifiers are kept of the resources that do not differ, in little
//! memory. What is gone is known once a kind was read completely.
//!
//! The log comes before the store. A resource that changed is therefore kept until its description
//! has told more, or no description will.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_audit::Obstacle;
use reeve_estate::{
    Connection, Difference, EstateStore, InventorySink, Observe, Resource, ResourceFilter,
    ResourceId, ResourceKind, ResourcePages, StoreError,
};
use reeve_recommend::ports::Recorder;

use super::actor::Actors;
use super::changes::{self, Changed, Compared};
use super::descriptions::{Place, apart};
use super::seen::Seen;

/// Resources that are compared and written at a time.
const PAGE: usize = 500;
/// Changed resources that wait for their description at most. Where an account changes as a whole,
/// the change and its configuration are two entries.
const MOST_WAITING: usize = 10_000;

/// Takes an inventory over.
pub(super) struct InventorySync<'s> {
    connection: &'s Connection,
    estate: &'s Arc<dyn EstateStore>,
    recorder: &'s Arc<dyn Recorder>,
    actors: &'s Actors<'s>,
    /// Kinds and regions that an earlier sync has read completely.
    read_before: &'s HashSet<Place>,
    taken: Mutex<Taken>,
    /// Held by the one write of this sync that is under way: its listings take turns with everybody
    /// else's writes.
    writing: tokio::sync::Mutex<()>,
}

/// Parts of the pages that are kept.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) seen: Seen,
    pub(super) resources: u64,
    /// Resources that changed, and are not written yet.
    pub(super) changed: HashMap<ResourceId, Changed>,
    /// Times of the first and the last observation.
    observed: Option<(Timestamp, Timestamp)>,
    /// Failure of the store or the log, in words.
    failure: Option<Obstacle>,
}

impl Taken {
    /// Times of the first and the last observation; now without any.
    pub(super) fn span(&self) -> (Timestamp, Timestamp) {
        let now = Timestamp::now();
        self.observed.unwrap_or((now, now))
    }

    fn note(&mut self, resource: &Resource) {
        let at = resource.observed_at;
        let (first, last) = self.observed.unwrap_or((at, at));
        self.observed = Some((first.min(at), last.max(at)));
        self.resources += 1;
        self.seen.note(resource.kind, &resource.id);
    }
}

#[async_trait]
impl InventorySink for InventorySync<'_> {
    async fn page(&self, mut page: Vec<Resource>) -> Result<(), StoreError> {
        while !page.is_empty() {
            let part: Vec<Resource> = page.drain(..page.len().min(PAGE)).collect();
            if let Err(error) = self.take(part).await {
                self.taken
                    .lock()
                    .failure
                    .get_or_insert_with(|| Obstacle::of(&error));
                return Err(error);
            }
        }
        Ok(())
    }
}

impl<'s> InventorySync<'s> {
    pub(super) fn new(
        connection: &'s Connection,
        (estate, recorder): (&'s Arc<dyn EstateStore>, &'s Arc<dyn Recorder>),
        actors: &'s Actors<'s>,
        read_before: &'s HashSet<Place>,
    ) -> Self {
        InventorySync {
            connection,
            estate,
            recorder,
            actors,
            read_before,
            taken: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        }
    }

    async fn take(&self, page: Vec<Resource>) -> Result<(), StoreError> {
        let waiting = {
            let mut taken = self.taken.lock();
            page.iter().for_each(|resource| taken.note(resource));
            taken.changed.len()
        };

        // The first sync of a connection finds what is there already.
        let mut compared = match self.connection.last_sync {
            None => Compared {
                others: page,
                ..Compared::default()
            },
            Some(_) => changes::compare(
                self.connection,
                &self.known(&page).await?,
                page,
                self.read_before,
            ),
        };

        if waiting >= MOST_WAITING {
            for Changed { known, seen, .. } in std::mem::take(&mut compared.changed) {
                compared.entries.extend(changes::modified(
                    self.connection,
                    &known,
                    &seen,
                    Difference::default(),
                ));
                compared.others.push(seen);
            }
        }

        self.actors
            .record(&**self.recorder, compared.entries)
            .await?;
        self.write(compared.others).await?;
        let changed = compared
            .changed
            .into_iter()
            .map(|changed| (changed.seen.id.clone(), changed));
        self.taken.lock().changed.extend(changed);

        Ok(())
    }

    /// Stored resources of a page that an inventory decides about.
    async fn known(&self, page: &[Resource]) -> Result<HashMap<ResourceId, Resource>, StoreError> {
        let filter = ResourceFilter {
            connection: Some(self.connection.id.clone()),
            ids: page.iter().map(|resource| resource.id.clone()).collect(),
            ..ResourceFilter::default()
        };
        let estate = Arc::clone(self.estate);
        let (known, _) = apart(async move { estate.resource_list(&filter).await }).await?;
        let specified = known
            .into_iter()
            .filter(|known| ResourceKind::SPECIFIED.contains(&known.kind));

        Ok(specified.map(|known| (known.id.clone(), known)).collect())
    }

    async fn write(&self, resources: Vec<Resource>) -> Result<(), StoreError> {
        if resources.is_empty() {
            return Ok(());
        }
        let _turn = self.writing.lock().await;
        let (estate, connection) = (Arc::clone(self.estate), self.connection.id.clone());
        apart(async move { estate.resource_sync(&connection, &resources, &[]).await }).await
    }

    /// Returns what is kept of the pages, or the failure of the store or the log: a connector tells
    /// its own failures alone.
    pub(super) fn into_taken(self) -> Result<Taken, Obstacle> {
        let mut taken = self.taken.into_inner();
        taken.failure.take().map_or(Ok(taken), Err)
    }
}

/// Stored resources of completely read kinds that an inventory did not see.
pub(super) struct Missing<'s> {
    pub(super) connection: &'s Connection,
    pub(super) estate: &'s Arc<dyn EstateStore>,
    pub(super) recorder: &'s Arc<dyn Recorder>,
    pub(super) observer: &'s dyn Observe,
    pub(super) taken: &'s Taken,
}

impl Missing<'_> {
    /// Records the resources that are gone. Returns the number of those in regions that the
    /// connection no longer looks at: they are not gone.
    pub(super) async fn record(
        &self,
        actors: &Actors<'_>,
        complete: &[ResourceKind],
    ) -> Result<u64, StoreError> {
        let mut unwatched = 0;
        let (_, at) = self.taken.span();

        for kind in complete {
            let filter = ResourceFilter {
                connection: Some(self.connection.id.clone()),
                kind: Some(*kind),
                ..ResourceFilter::default()
            };
            let mut pages = ResourcePages::new(filter, PAGE as u64);
            while let Some(page) = pages.next(&**self.estate).await? {
                let missing = page
                    .iter()
                    .filter(|known| !self.taken.seen.has(*kind, &known.id));
                let (gone, elsewhere): (Vec<&Resource>, Vec<&Resource>) =
                    missing.partition(|known| self.observer.watches(&known.region));
                unwatched += elsewhere.len() as u64;
                let entries = gone
                    .iter()
                    .map(|known| changes::gone(self.connection, known, None, at))
                    .collect();
                actors.record(&**self.recorder, entries).await?;
            }
        }

        Ok(unwatched)
    }
}
