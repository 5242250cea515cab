//! Daily maxima: the highest value of each series on each day that is over, in a table of its own,
//! so that thirteen months of peaks are read without thirteen months of samples.
//!
//! A file stands for one connection and day and is named
//! `<connection>/<day>/<0:020>-<last:020>.parquet`, where `last` is the newest insert of the samples
//! that it was made of: another newest insert says that the day has to be read again. A maximum
//! never falls when samples of its day are given again, since those may be a part of the day.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, ResourceId, StoreError};

use super::catalogue::SampleFile;
use super::columns::encode;
use super::day::{DAY_MS, Day, floor_ms};
use super::decode::{Point, Run, decode};
use super::fault::SampleReadError;
use super::merge::merge;
use super::{SampleLake, failed};
use crate::place::blocking;

/// The folder of the table in the data directory.
pub(super) const FOLDER: &str = "lake/maxima";

/// Length of the period that a maximum covers.
const DAY_S: u32 = (DAY_MS / 1000) as u32;

/// Maxima of one day, in the order of the files.
type Maxima = BTreeMap<(ResourceId, &'static str), (Metric, f64)>;

impl SampleLake {
    /// Computes the maxima of days that ended at or before `until` and whose samples are new, and
    /// returns the number of connections and days. At most `most` of them, the oldest first.
    ///
    /// Doing it twice does nothing. A crash leaves the earlier maxima of a day or the new ones.
    ///
    /// # Errors
    /// The first day that could not be read or written; the others are done.
    pub async fn condense(&self, until: Timestamp, most: usize) -> Result<usize, StoreError> {
        let until_ms = floor_ms(until);
        let mut due = self.catalogue.newest_by_day(until_ms);
        due.retain(|(connection, day, last)| self.maxima.last(connection, *day) < Some(*last));
        due.truncate(most);

        let mut failure = None;
        for (connection, day, _) in &due {
            // A damaged file keeps no other day from being read.
            if let Err(error) = self.condense_day(connection, *day).await {
                failure.get_or_insert(error);
            }
        }

        failure.map_or(Ok(due.len()), Err)
    }

    /// Drops the maxima of days that end at or before the time, and returns how many files that
    /// were.
    pub async fn expire_maxima(&self, before: Timestamp) -> Result<usize, StoreError> {
        let gone = self.maxima.remove_before(floor_ms(before));
        self.remove(&gone).await?;
        Ok(gone.len())
    }

    async fn condense_day(&self, connection: &ConnectionId, day: Day) -> Result<(), StoreError> {
        let of_day = |owner: &ConnectionId, other: Day| owner == connection && other == day;
        let earlier = self.maxima.files(of_day);
        let known = self
            .raised(Maxima::new(), &earlier)
            .await
            .map_err(|error| StoreError::Backend(format!("maxima: {error}")))?;

        let (last, maxima) = self
            .over_files(
                &self.catalogue,
                |catalogue| catalogue.files(of_day),
                |files| {
                    let known = known.clone();
                    async move {
                        let last = files.iter().map(|file| file.last()).max();
                        Ok((last, self.raised(known, &files).await?))
                    }
                },
            )
            .await?;
        // Its samples expired meanwhile.
        let Some(last) = last else {
            return Ok(());
        };

        let file = SampleFile::new(FOLDER, connection.clone(), day, 0, last);
        let owner = connection.clone();
        let bytes = blocking(file.path(), move || rows(&owner, day, maxima))
            .await
            .map_err(failed)??;
        self.place.put(file.path(), bytes).await.map_err(failed)?;
        if self.maxima.replace(&earlier, file) {
            self.remove(&earlier).await?;
        }

        Ok(())
    }

    /// Raises maxima by the points of files, one row group at a time.
    async fn raised(
        &self,
        mut maxima: Maxima,
        files: &[Arc<SampleFile>],
    ) -> Result<Maxima, SampleReadError> {
        for file in files {
            let (path, bytes) = (file.path().to_owned(), self.place.get(file.path()).await?);
            let read = move || decode(&path, bytes, |run| raise(&mut maxima, run)).map(|()| maxima);
            maxima = blocking(file.path(), read).await??;
        }
        Ok(maxima)
    }
}

fn raise(maxima: &mut Maxima, run: Run) {
    let Some(highest) = run.points.iter().map(|point| point.value).reduce(f64::max) else {
        return;
    };

    maxima
        .entry((run.resource, run.metric.as_str()))
        .and_modify(|(_, known)| *known = known.max(highest))
        .or_insert((run.metric, highest));
}

/// Returns the file of a day's maxima.
fn rows(connection: &ConnectionId, day: Day, maxima: Maxima) -> Result<Bytes, StoreError> {
    let run = |((resource, _), (metric, value)): ((ResourceId, _), (Metric, f64))| Run {
        resource,
        metric,
        points: vec![Point {
            timestamp_ms: day.start_ms(),
            value,
            period_s: DAY_S,
        }],
    };

    let batch = merge(connection, maxima.into_iter().map(run).collect())
        .map_err(|error| StoreError::Backend(format!("maxima of {connection} {day}: {error}")))?;
    encode(&batch)
}
