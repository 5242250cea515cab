//! Housekeeping: merging small files and dropping old days. Called by a reconciler; doing it twice
//! does nothing.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_estate::StoreError;

use super::catalogue::SampleFile;
use super::columns::encode;
use super::day::floor_ms;
use super::decode::decode;
use super::fault::SampleReadError;
use super::merge::merge;
use super::{SampleLake, failed};
use crate::place::blocking;

/// A connection's newest day is merged when it has this many files; an older one when it has two.
const BUSY: usize = 8;

impl SampleLake {
    /// Merges the files of each connection and day and returns how many files went into others.
    /// Readers are not held up: the merged file is durable before the others go.
    pub async fn compact(&self) -> Result<usize, StoreError> {
        let mut gone = 0;
        for group in self.catalogue.mergeable(BUSY) {
            let Some(target) = self.catalogue.merged(&group) else {
                continue;
            };
            match self.merge_group(&group, &target).await {
                Ok(()) => {}
                // Expired meanwhile.
                Err(SampleReadError::Missing(path)) if !self.catalogue.lists(&path) => continue,
                Err(error) => return Err(StoreError::Backend(format!("samples: {error}"))),
            }
            let path = target.path().to_owned();
            if self.catalogue.replace(&group, target) {
                self.remove(&group).await?;
                gone += group.len();
            } else if !self.catalogue.lists(&path) {
                self.place.delete(&path).await.map_err(failed)?;
            }
        }

        Ok(gone)
    }

    async fn merge_group(
        &self,
        group: &[Arc<SampleFile>],
        target: &SampleFile,
    ) -> Result<(), SampleReadError> {
        let mut parts = Vec::new();
        for file in group {
            parts.push((file.path().to_owned(), self.place.get(file.path()).await?));
        }

        let (path, connection) = (target.path().to_owned(), target.connection().clone());
        let bytes = blocking(target.path(), move || {
            let mut runs = Vec::new();
            for (path, bytes) in parts {
                decode(&path, bytes, |run| runs.push(run))?;
            }
            let io = |message: String| SampleReadError::Io {
                path: path.clone(),
                message,
            };
            let rows = merge(&connection, runs).map_err(|error| io(error.to_string()))?;
            encode(&rows).map_err(|error| io(error.to_string()))
        })
        .await??;

        Ok(self.place.put(target.path(), bytes).await?)
    }

    /// Drops the days that end at or before the time, and returns how many files that were.
    pub async fn expire(&self, before: Timestamp) -> Result<usize, StoreError> {
        let gone = self.catalogue.remove_before(floor_ms(before));
        if !gone.is_empty() {
            self.newest.forget().await;
            self.remove(&gone).await?;
        }
        Ok(gone.len())
    }

    pub(super) async fn remove(&self, files: &[Arc<SampleFile>]) -> Result<(), StoreError> {
        for file in files {
            self.footers.forget(file);
            self.place.delete(file.path()).await.map_err(failed)?;
        }
        Ok(())
    }
}
