//! Indexes of segments: found, distrusted, and built again where they are missing.

use std::sync::Arc;

use reeve_ledger::{SegmentError, SegmentMeta, SegmentStore as _, TrailError};

use super::faults::{damaged, failed, io};
use super::index::{EntryIndex, build, rows_of};
use super::segments::EntrySegments;
use super::views::Views;
use crate::place::blocking;

impl EntrySegments {
    /// The index of a segment, if it has a sound one.
    pub(super) fn index(&self, segment: &SegmentMeta) -> Option<Arc<EntryIndex>> {
        self.shelf.get(segment)
    }

    /// Goes on without an index that could not be read.
    pub(super) fn distrust(&self, segment: &SegmentMeta) {
        self.shelf.distrust(segment);
    }

    /// Returns `true` if a search missed an index since this was last asked.
    pub(super) fn misses_indexes(&self) -> bool {
        self.shelf.missed()
    }

    /// Builds the indexes that published segments lack, and removes those of others. Returns how
    /// many were built. Searches need none of it: they are slower meanwhile. An index is built of
    /// what the log committed to, as `views` restores it: a forged segment gets none.
    pub async fn mend_indexes(&self, views: &dyn Views) -> Result<usize, TrailError> {
        let Some(published) = self.published.lock().clone() else {
            return Ok(0);
        };

        let mut built = 0;
        for segment in published.iter().rev() {
            if !self.shelf.is_sound(segment) {
                self.build_index(segment, views).await?;
                built += 1;
            }
        }

        self.shelf
            .sweep(&published)
            .map_err(|error| io("lake/index", error.to_string()))?;
        Ok(built)
    }

    /// Builds the index of a segment anew, from its rows.
    async fn build_index(
        &self,
        segment: &SegmentMeta,
        views: &dyn Views,
    ) -> Result<(), TrailError> {
        let stored = views.restore(self.read(segment).await?).await?;
        let (path, sha256) = (segment.path.clone(), segment.sha256.clone());
        let attest = self.shelf.attest(&segment.path, segment.last_sequence);
        let built = blocking(&segment.path, move || {
            let rows = rows_of(stored.iter());
            let mut digest = [0; 32];
            hex::decode_to_slice(&sha256, &mut digest)
                .map_err(|error| damaged(&path, error.to_string()))?;
            Ok::<_, SegmentError>(build(&rows, &digest, &attest))
        });
        let bytes = built.await.map_err(failed)??;

        Ok(self
            .shelf
            .put(&segment.path, &bytes)
            .map_err(|error| io(&segment.path, error.to_string()))?)
    }
}
