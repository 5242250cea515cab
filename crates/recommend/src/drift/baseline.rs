//! Baselines: the configuration of a scope as somebody pinned it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use reeve_estate::{ConnectionId, DescriptionReading, Resource, ResourceKind};
use serde::{Deserialize, Serialize};

use super::record::DriftSubject;

/// Identifier of a baseline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BaselineId(pub String);

/// Resources that a baseline covers. All conditions must hold; an empty one is all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BaselineScope {
    pub connections: Vec<ConnectionId>,
    pub kinds: Vec<ResourceKind>,
    /// Tags that a resource must have, with these values.
    pub tags: BTreeMap<String, String>,
}

impl BaselineScope {
    /// Returns `true` if the scope includes resources of a connection.
    #[must_use]
    pub fn has_connection(&self, connection: &ConnectionId) -> bool {
        self.connections.is_empty() || self.connections.contains(connection)
    }

    /// Returns `true` if the scope includes a resource.
    #[must_use]
    pub fn covers(&self, resource: &Resource) -> bool {
        self.has_connection(&resource.connection)
            && (self.kinds.is_empty() || self.kinds.contains(&resource.kind))
            && self
                .tags
                .iter()
                .all(|(name, value)| resource.tag(name) == Some(value))
    }
}

/// Kinds of a connection that had been read completely in the same regions when a baseline was
/// pinned. What appears elsewhere may have been there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadPlaces {
    pub connection: ConnectionId,
    /// Regions; an empty one is all of them.
    pub regions: BTreeSet<String>,
    pub kinds: BTreeSet<ResourceKind>,
}

impl ReadPlaces {
    /// Groups the complete readings of a connection by their regions.
    #[must_use]
    pub fn of(connection: &ConnectionId, readings: &[DescriptionReading]) -> Vec<ReadPlaces> {
        let mut regions: BTreeMap<ResourceKind, BTreeSet<String>> = BTreeMap::new();
        for reading in readings {
            if reading.complete_at.is_some() {
                let of_kind = regions.entry(reading.kind).or_default();
                of_kind.insert(reading.region.clone());
            }
        }

        let mut kinds: BTreeMap<BTreeSet<String>, BTreeSet<ResourceKind>> = BTreeMap::new();
        for (kind, regions) in regions {
            kinds.entry(regions).or_default().insert(kind);
        }
        kinds
            .into_iter()
            .map(|(regions, kinds)| ReadPlaces {
                connection: connection.clone(),
                regions,
                kinds,
            })
            .collect()
    }

    fn include(&self, resource: &Resource) -> bool {
        self.connection == resource.connection
            && self.kinds.contains(&resource.kind)
            && (self.regions.contains("") || self.regions.contains(&resource.region))
    }
}

/// The configuration of a scope, as somebody pinned it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftBaseline {
    pub id: BaselineId,
    pub name: String,
    pub description: String,
    pub scope: BaselineScope,
    /// Name in records of the person who pinned it last as a whole.
    pub pinned_by: String,
    pub pinned_at: Timestamp,
    /// Number of times that it was pinned as a whole. Its pinned documents have the same number.
    pub revision: u64,
    /// Number of pinned documents.
    pub resources: u64,
    /// Kinds and regions that had been read completely when it was pinned.
    pub read: Vec<ReadPlaces>,
}

impl DriftBaseline {
    /// Returns `true` if a resource that is not pinned appeared after the baseline was pinned: it
    /// is in the scope, and its kind had been read where it is.
    #[must_use]
    pub fn would_have_pinned(&self, resource: &Resource) -> bool {
        self.scope.covers(resource) && self.read.iter().any(|places| places.include(resource))
    }
}

/// Configuration document of a resource, as pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedDocument {
    #[serde(flatten)]
    pub subject: DriftSubject,
    /// SHA-256 of the document.
    pub hash: String,
    /// Name in records of the person who pinned it.
    pub by: String,
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::ReadOutcome;

    use super::*;

    fn reading(kind: ResourceKind, region: &str, complete: bool) -> DescriptionReading {
        let at = Timestamp::UNIX_EPOCH;
        DescriptionReading {
            kind,
            region: region.to_owned(),
            outcome: ReadOutcome::Denied,
            permission: String::new(),
            seen: 0,
            message: String::new(),
            begun_at: at,
            read_at: at,
            complete_at: complete.then_some(at),
        }
    }

    #[test]
    fn places_that_were_never_read_completely_are_left_out() {
        let connection = ConnectionId("c-1".to_owned());
        let places = ReadPlaces::of(
            &connection,
            &[
                reading(ResourceKind::Volume, "eu-west-1", true),
                reading(ResourceKind::Image, "eu-west-1", true),
                reading(ResourceKind::Bucket, "", true),
                reading(ResourceKind::Database, "eu-west-1", false),
            ],
        );
        let kinds: Vec<Vec<ResourceKind>> = places
            .iter()
            .map(|place| place.kinds.iter().copied().collect())
            .collect();
        assert_eq!(
            kinds,
            [
                vec![ResourceKind::Bucket],
                vec![ResourceKind::Image, ResourceKind::Volume]
            ]
        );
    }
}
