//! Identifiers of the resources that a sync has seen, in little memory.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use reeve_estate::{ResourceId, ResourceKind};

/// Identifiers as 128 bits each, so that hundreds of thousands fit into a few megabytes. If two
/// collide, a resource that is gone stays one sync longer.
#[derive(Debug, Default)]
pub(super) struct Seen {
    keys: [RandomState; 2],
    kinds: HashMap<ResourceKind, HashSet<[u64; 2]>>,
}

impl Seen {
    fn key(&self, id: &ResourceId) -> [u64; 2] {
        [self.keys[0].hash_one(id), self.keys[1].hash_one(id)]
    }

    pub(super) fn note(&mut self, kind: ResourceKind, id: &ResourceId) {
        let key = self.key(id);
        self.kinds.entry(kind).or_default().insert(key);
    }

    pub(super) fn has(&self, kind: ResourceKind, id: &ResourceId) -> bool {
        self.kinds
            .get(&kind)
            .is_some_and(|seen| seen.contains(&self.key(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_known_by_kind() {
        let mut seen = Seen::default();
        let ids: Vec<ResourceId> = (0..1000)
            .map(|number| ResourceId::new(format!("snap-{number}")))
            .collect();
        ids.iter()
            .step_by(2)
            .for_each(|id| seen.note(ResourceKind::Volume, id));

        for (number, id) in ids.iter().enumerate() {
            assert_eq!(seen.has(ResourceKind::Volume, id), number % 2 == 0, "{id}");
            assert!(!seen.has(ResourceKind::Bucket, id));
        }
    }
}
