//! Segments in farther tiers, as the service asks for them: their places, and local copies for as
//! long as a restore lasts.

use std::collections::HashSet;

use reeve_ledger::{SegmentError, SegmentMeta};

use super::segments::EntrySegments;
use super::tiers::{TierPlaces, Tiers};

impl EntrySegments {
    /// Gives the farther tiers places, and so many bytes of the local disk for what is fetched from
    /// them.
    ///
    /// # Errors
    /// Files that were fetched before cannot be read.
    pub fn with_tiers(
        mut self,
        places: TierPlaces,
        fetched_bytes: u64,
    ) -> Result<EntrySegments, SegmentError> {
        self.tiers = Tiers::open(self.root(), places, fetched_bytes)?;
        Ok(self)
    }

    /// Returns the places of the farther tiers.
    pub fn places(&self) -> &TierPlaces {
        &self.tiers.places
    }

    /// Brings a segment of a farther tier to the local disk.
    ///
    /// # Errors
    /// Its place does not answer, or does not have it.
    pub async fn bring(&self, segment: &SegmentMeta) -> Result<(), SegmentError> {
        self.tiers.obtain(segment).await.map(|_| ())
    }

    /// Returns `true` if a segment of a farther tier is on the local disk.
    pub fn is_here(&self, segment: &SegmentMeta) -> bool {
        self.tiers.fetched.has(&segment.path)
    }

    /// Keeps these fetched segments on the local disk, however many they are, and no others.
    pub fn keep_restored(&self, paths: HashSet<String>) {
        self.tiers.fetched.keep(paths);
    }
}
