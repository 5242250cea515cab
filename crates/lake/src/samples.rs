//! The samples table: metric points in Parquet, by connection and UTC day.
//!
//! An insert writes one file a connection and day and is durable when it returns; a point given
//! again replaces the earlier one, by the file numbers in the names. [`SampleLake::compact`] merges
//! small files and [`SampleLake::expire`] drops old days. [`SampleLake::condense`] keeps the maximum
//! of each day beside them, for longer. Refused: values that are not finite.
//! Times are kept in milliseconds. Format: `docs/formats/samples.md`.

mod catalogue;
mod columns;
mod compact;
mod day;
mod decode;
mod fault;
mod footer;
mod group;
mod maxima;
mod merge;
mod newest;
mod scan;
mod series;
mod strip;

use std::collections::BTreeSet;
use std::path::Path;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use parking_lot::RwLock;
use reeve_estate::{
    ConnectionId, Metric, ResourceId, Sample, SampleSeries, SampleStore, StoreError,
};

use crate::place::{Place, PlaceError, blocking};
use catalogue::{SampleCatalogue, SampleFile};
use columns::encode;
use decode::Point;
use fault::SampleReadError;
use footer::Footers;
use group::from_samples;
use merge::{highest_wins, latest_wins};
use newest::Newest;
pub use scan::LakeScan;

/// Number of files that are written or read at a time.
const PARALLEL: usize = 4;

/// The folder of the table in the data directory.
const FOLDER: &str = "lake/samples";

/// Metric samples on a local disk.
#[derive(Debug)]
pub struct SampleLake {
    place: Place,
    catalogue: SampleCatalogue,
    /// Files of the daily maxima.
    maxima: SampleCatalogue,
    newest: Newest,
    footers: Footers,
    /// Senders that are metric sources.
    sources: RwLock<BTreeSet<ConnectionId>>,
}

impl SampleLake {
    /// Opens the table in the data directory, making it when it is not there. Files that a
    /// compaction had already merged are removed; a file with a name that is not ours is left alone
    /// and reported.
    pub async fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let place = Place::local(data_dir).map_err(failed)?;
        let catalogue = SampleCatalogue::load(&place, FOLDER)
            .await
            .map_err(failed)?;
        let maxima = SampleCatalogue::load(&place, maxima::FOLDER)
            .await
            .map_err(failed)?;
        catalogue.go_on_after(&maxima);

        Ok(SampleLake {
            place,
            catalogue,
            maxima,
            newest: Newest::default(),
            footers: Footers::default(),
            sources: RwLock::default(),
        })
    }

    /// Writes the files of one insert and returns them; on failure what was written is removed
    /// again.
    async fn write(&self, number: u64, samples: &[Sample]) -> Result<Vec<SampleFile>, StoreError> {
        let batches = from_samples(samples)?;
        let written: Vec<Result<SampleFile, StoreError>> = stream::iter(batches)
            .map(|batch| async move {
                let file = SampleFile::new(FOLDER, batch.connection, batch.day, number, number);
                let rows = batch.rows;
                let bytes = blocking(file.path(), move || encode(&rows))
                    .await
                    .map_err(failed)??;
                self.place.put(file.path(), bytes).await.map_err(failed)?;
                Ok(file)
            })
            .buffer_unordered(PARALLEL)
            .collect()
            .await;
        let (good, mut bad): (Vec<_>, Vec<_>) = written.into_iter().partition(Result::is_ok);

        let good: Vec<SampleFile> = good.into_iter().flatten().collect();
        let Some(error) = bad.pop() else {
            return Ok(good);
        };

        for file in &good {
            if let Err(error) = self.place.delete(file.path()).await {
                tracing::warn!(file = file.path(), %error, "a sample file of a failed insert stays");
            }
        }

        error.map(|_| Vec::new())
    }
}

#[async_trait]
impl SampleStore for SampleLake {
    async fn sample_insert(&self, samples: &[Sample]) -> Result<(), StoreError> {
        if samples.is_empty() {
            return Ok(());
        }

        let turn = self.catalogue.begin();
        let files = self.write(turn.number(), samples).await?;
        turn.finish(files);
        self.newest.learn(samples).await;
        Ok(())
    }

    fn sample_sources(&self, sources: &[ConnectionId]) {
        let is_known = sources
            .iter()
            .all(|source| self.sources.read().contains(source));
        if !is_known {
            self.sources.write().extend(sources.iter().cloned());
        }
    }

    async fn sample_series(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError> {
        let wanted = series::Wanted::new(resources, metrics, start, end);
        self.series_of(&self.catalogue, connection, wanted, latest_wins)
            .await
    }

    async fn sample_maxima(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError> {
        let wanted = series::Wanted::new(resources, metrics, start, end);
        self.series_of(&self.maxima, connection, wanted, highest_wins)
            .await
    }

    fn sample_revision(&self, connection: &ConnectionId) -> u64 {
        self.catalogue.revision(connection)
    }

    async fn sample_newest(
        &self,
        connection: &ConnectionId,
    ) -> Result<Vec<(ResourceId, Metric, Timestamp)>, StoreError> {
        self.newest
            .get(connection, || async {
                self.over_files(
                    &self.catalogue,
                    |catalogue| catalogue.files(|owner, _| owner == connection),
                    |files| newest::scan(&self.place, files),
                )
                .await
            })
            .await
    }
}

impl SampleLake {
    /// Reads series from the files of a catalogue: those of the connection and of metric sources.
    /// `settle` orders the points of a series by time and keeps one of several at a time.
    async fn series_of(
        &self,
        catalogue: &SampleCatalogue,
        connection: &ConnectionId,
        wanted: series::Wanted,
        settle: fn(&mut Vec<Point>),
    ) -> Result<Vec<SampleSeries>, StoreError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }

        self.over_files(
            catalogue,
            |catalogue| {
                let sources = self.sources.read();
                let is_own =
                    |sender: &ConnectionId| sender == connection || sources.contains(sender);
                catalogue.files(|sender, day| is_own(sender) && wanted.touches_day(day))
            },
            |files| async {
                let parts = stream::iter(files)
                    .map(|file| series::read(&self.place, &self.footers, file, wanted.clone()))
                    .buffered(PARALLEL)
                    .try_collect()
                    .await?;
                Ok(series::merge(&wanted, parts, settle))
            },
        )
        .await
    }

    /// Reads files picked from a catalogue. A compaction may merge them away meanwhile: then the
    /// pick is made again.
    async fn over_files<T, F>(
        &self,
        catalogue: &SampleCatalogue,
        pick: impl Fn(&SampleCatalogue) -> Vec<std::sync::Arc<SampleFile>>,
        read: impl Fn(Vec<std::sync::Arc<SampleFile>>) -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, SampleReadError>>,
    {
        loop {
            match read(pick(catalogue)).await {
                Ok(value) => return Ok(value),
                Err(SampleReadError::Missing(path)) if !catalogue.lists(&path) => {}
                Err(error) => return Err(StoreError::Backend(format!("samples: {error}"))),
            }
        }
    }
}

fn failed(error: PlaceError) -> StoreError {
    StoreError::Backend(format!("samples: {error}"))
}
