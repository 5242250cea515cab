//! End of each series: kept in memory by connection, found by one scan when it is first asked for.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, ResourceId, Sample, StoreError};
use tokio::sync::Mutex;

use super::PARALLEL;
use super::catalogue::SampleFile;
use super::day::floor_ms;
use super::decode::decode;
use super::fault::SampleReadError;
use crate::place::{Place, blocking};

/// The end of each series, milliseconds since the epoch.
pub(super) type Ends = BTreeMap<ResourceId, BTreeMap<Metric, i64>>;

/// Ends by connection; a connection that is not there was never asked for.
#[derive(Debug, Default)]
pub(super) struct Newest(Mutex<HashMap<ConnectionId, Ends>>);

impl Newest {
    /// Takes over what was just inserted. The lock is held over a scan, so that an insert either is
    /// in the files it reads or waits here.
    pub(super) async fn learn(&self, samples: &[Sample]) {
        let mut known = self.0.lock().await;
        for sample in samples {
            if let Some(ends) = known.get_mut(&sample.connection) {
                note(
                    ends,
                    &sample.resource,
                    sample.metric,
                    floor_ms(sample.timestamp),
                );
            }
        }
    }

    /// The ends of a connection's series, by resource; `scan` finds them the first time.
    pub(super) async fn get<F>(
        &self,
        connection: &ConnectionId,
        scan: impl FnOnce() -> F,
    ) -> Result<Vec<(ResourceId, Metric, Timestamp)>, StoreError>
    where
        F: Future<Output = Result<Ends, StoreError>>,
    {
        let mut known = self.0.lock().await;
        if !known.contains_key(connection) {
            let ends = scan().await?;
            known.insert(connection.clone(), ends);
        }

        let ends = known.get(connection).into_iter().flatten();
        Ok(ends
            .flat_map(|(resource, metrics)| {
                metrics
                    .iter()
                    .map(move |(metric, end)| (resource, *metric, *end))
            })
            .filter_map(|(resource, metric, end)| {
                Some((
                    resource.clone(),
                    metric,
                    Timestamp::from_millisecond(end).ok()?,
                ))
            })
            .collect())
    }

    /// Forgets everything: days were dropped.
    pub(super) async fn forget(&self) {
        self.0.lock().await.clear();
    }
}

fn note(ends: &mut Ends, resource: &ResourceId, metric: Metric, end: i64) {
    // Looked up before inserting: the resource is nearly always known, and cloning its name for
    // each point is dear.
    if !ends.contains_key(resource) {
        ends.insert(resource.clone(), BTreeMap::new());
    }
    if let Some(metrics) = ends.get_mut(resource) {
        metrics
            .entry(metric)
            .and_modify(|known| *known = end.max(*known))
            .or_insert(end);
    }
}

/// The ends of all series in the files.
pub(super) async fn scan(
    place: &Place,
    files: Vec<Arc<SampleFile>>,
) -> Result<Ends, SampleReadError> {
    let parts: Vec<_> = stream::iter(files)
        .map(|file| async move {
            let bytes = place.get(file.path()).await?;
            let path = file.path().to_owned();
            let read = move || {
                let mut ends = Vec::new();
                decode(&path, bytes, |run| {
                    let end = run.points.last().map(|point| point.timestamp_ms);
                    ends.extend(end.map(|end| (run.resource, run.metric, end)));
                })?;
                Ok::<_, SampleReadError>(ends)
            };
            blocking(file.path(), read).await?
        })
        .buffer_unordered(PARALLEL)
        .try_collect()
        .await?;

    let mut all = Ends::new();
    for (resource, metric, end) in parts.into_iter().flatten() {
        note(&mut all, &resource, metric, end);
    }

    Ok(all)
}
