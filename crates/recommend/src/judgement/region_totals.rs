//! Number of resources of each kind in the region of a judged resource, as a fact.

use std::collections::BTreeMap;

use reeve_estate::ResourceKind;

/// Resources by kind, in the region and connection of the judged resource; deleted ones left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegionTotals(pub BTreeMap<ResourceKind, u64>);

impl RegionTotals {
    /// Returns the number of resources of a kind.
    #[must_use]
    pub fn of(&self, kind: ResourceKind) -> u64 {
        self.0.get(&kind).copied().unwrap_or_default()
    }
}
