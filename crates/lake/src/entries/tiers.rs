//! The farther tiers of the segments: copies that are verified before they count, and reading what
//! lies there.

use std::path::Path;
use std::sync::Arc;

use reeve_audit::{Obstacle, Tier};
use reeve_ledger::{SegmentError, SegmentMeta};

use super::faults::{away, io as failure};
use super::fetched::{FetchedEntries, InUse, read_back};
use crate::archive::ArchivePlace;
use crate::place::remove_if_there;

/// Places of the farther tiers.
#[derive(Debug, Clone, Default)]
pub struct TierPlaces {
    /// Place of the warm tier; without one nothing goes there.
    pub warm: Option<Arc<dyn ArchivePlace>>,
    /// Place of the cold tier.
    pub cold: Option<Arc<dyn ArchivePlace>>,
}

impl TierPlaces {
    /// Returns the place of a tier; the hot tier has none.
    pub fn of(&self, tier: Tier) -> Option<&Arc<dyn ArchivePlace>> {
        match tier {
            Tier::Hot => None,
            Tier::Warm => self.warm.as_ref(),
            Tier::Cold => self.cold.as_ref(),
        }
    }
}

/// The places, and what was fetched from them.
#[derive(Debug)]
pub(crate) struct Tiers {
    pub(crate) places: TierPlaces,
    pub(super) fetched: Arc<FetchedEntries>,
}

impl Tiers {
    /// The tiers of a data directory; what is fetched takes so many bytes.
    pub(super) fn open(
        data_dir: &Path,
        places: TierPlaces,
        fetched_bytes: u64,
    ) -> Result<Tiers, SegmentError> {
        let fetched = FetchedEntries::open(data_dir, fetched_bytes)
            .map_err(|error| failure("lake/fetched", error.to_string()))?;
        Ok(Tiers {
            places,
            fetched: Arc::new(fetched),
        })
    }

    pub(super) fn place(
        &self,
        path: &str,
        tier: Tier,
    ) -> Result<&Arc<dyn ArchivePlace>, SegmentError> {
        self.places.of(tier).ok_or_else(|| {
            away(
                path,
                format!("it lies in the {tier} tier, for which the configuration names no place (tiers.{tier})"),
            )
        })
    }

    /// Returns the use of a local copy of a segment that was moved.
    pub(super) async fn obtain(
        &self,
        segment: &SegmentMeta,
    ) -> Result<(InUse, bool), SegmentError> {
        let place = self.place(&segment.path, segment.tier())?;
        self.fetched.obtain(segment, place).await
    }

    /// Puts a local copy of a segment into a tier, unless an interrupted move did, and verifies it
    /// there.
    pub(super) async fn put(
        &self,
        segment: &SegmentMeta,
        to: Tier,
        local: &Path,
    ) -> Result<(), SegmentError> {
        let path = &segment.path;
        let place = self.place(path, to)?;
        let wrong = |obstacle: Obstacle| {
            away(
                path,
                format!("the place of the {to} tier fails: {}", obstacle.as_str()),
            )
        };
        let scratch = self.fetched.scratch();
        let scratch = scratch.map_err(|error| failure(path, error.to_string()))?;
        let there = place.size(path).await.map_err(wrong)?;
        if there.is_none() {
            place.put(path, local).await.map_err(wrong)?;
        }
        let read = read_back(segment, to, place.as_ref(), &scratch).await;
        read.map_err(|error| {
            let origin = match there {
                Some(_) => {
                    "another file lies under its name; give each log a folder or prefix of its own"
                }
                None => "the copy is not what was written",
            };
            failure(path, format!("{origin}: {error}"))
        })?;
        remove_if_there(&scratch).map_err(|error| failure(path, error.to_string()))
    }

    /// Deletes copies that interrupted moves of a segment left beyond its tier. A file that is not the
    /// segment is left alone, and refused.
    pub(super) async fn withdraw(&self, segment: &SegmentMeta) -> Result<(), SegmentError> {
        let path = &segment.path;
        let beyond = [Tier::Warm, Tier::Cold].into_iter();
        for tier in beyond.filter(|tier| *tier > segment.tier()) {
            let Some(place) = self.places.of(tier) else {
                continue;
            };
            let wrong = |obstacle: Obstacle| {
                away(
                    path,
                    format!("the place of the {tier} tier fails: {}", obstacle.as_str()),
                )
            };
            if place.size(path).await.map_err(wrong)?.is_some() {
                let scratch = self.fetched.scratch();
                let scratch = scratch.map_err(|error| failure(path, error.to_string()))?;
                read_back(segment, tier, place.as_ref(), &scratch).await?;
                remove_if_there(&scratch).map_err(|error| failure(path, error.to_string()))?;
            }
            place.delete(path).await.map_err(wrong)?;
        }
        Ok(())
    }

    /// Returns `true` if a segment of a farther tier is not there.
    pub(super) async fn is_gone(&self, segment: &SegmentMeta) -> Result<bool, SegmentError> {
        let (path, tier) = (&segment.path, segment.tier());
        if tier == Tier::Hot {
            return Ok(false);
        }
        let size = self.place(path, tier)?.size(path).await;
        let size = size.map_err(|obstacle| {
            away(
                path,
                format!("the place of the {tier} tier fails: {}", obstacle.as_str()),
            )
        })?;
        Ok(size.is_none())
    }

    /// Deletes the copy of a segment in a tier. Returns its bytes.
    pub(super) async fn delete(
        &self,
        segment: &SegmentMeta,
        tier: Tier,
    ) -> Result<u64, SegmentError> {
        let path = &segment.path;
        let place = self.place(path, tier)?;
        let wrong = |obstacle: Obstacle| {
            away(
                path,
                format!("the place of the {tier} tier fails: {}", obstacle.as_str()),
            )
        };
        let bytes = place.size(path).await.map_err(wrong)?;
        if bytes.is_some() {
            place.delete(path).await.map_err(wrong)?;
        }
        Ok(bytes.unwrap_or_default())
    }
}
