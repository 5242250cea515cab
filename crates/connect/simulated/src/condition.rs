//! Differences from the seed's estate: resized and stopped machines, replaced members, snapshots.
//! They are few, and the only state that has to be stored.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use reeve_estate::{ResourceId, ResourceState, Specification};
use reeve_recommend::change::VolumeSetup;
use serde_json::Value;

/// A time in which a machine did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Downtime {
    pub(crate) from: Timestamp,
    /// `None` while it lasts.
    pub(crate) to: Option<Timestamp>,
}

/// Changes of one resource since the beginning of the demonstration.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SimulatedCondition {
    /// Sizes it was given, oldest first.
    pub(crate) sizes: Vec<(Timestamp, String)>,
    /// Stops, oldest first. The last one without an end: it is stopped.
    pub(crate) downtimes: Vec<Downtime>,
    /// Time at which the change in progress completes.
    pub(crate) settles_at: Option<Timestamp>,
    /// Time at which its group terminated it.
    pub(crate) terminated_at: Option<Timestamp>,
    /// Storage it was given, GiB: when it had it, oldest first.
    pub(crate) storage: Vec<(Timestamp, u32)>,
    /// Types and performance that a volume was given: when it had them, oldest first.
    pub(crate) setups: Vec<(Timestamp, VolumeSetup)>,
    /// Until when its storage takes no other change.
    pub(crate) optimizing_until: Option<Timestamp>,
    /// A group's least and wanted members, as they were set.
    pub(crate) members: Option<(u32, u32)>,
    /// Number of failovers to its standby.
    pub(crate) failovers: u32,
    /// Standbys that were added (`true`) and removed: when each holds, oldest first.
    pub(crate) standbys: Vec<(Timestamp, bool)>,
    /// Names of its read replicas.
    pub(crate) replicas: BTreeSet<String>,
    /// The security groups it was given.
    pub(crate) groups: Option<Vec<String>>,
    /// Rules of the group in the place of a security group.
    pub(crate) replacement: Option<Vec<String>>,
    /// Machine that was launched in its place.
    pub(crate) successor: Option<reeve_estate::Successor>,
    /// Lifecycle rules that a bucket was given, by identifier.
    pub(crate) lifecycle_rules: BTreeSet<String>,
    /// Instance types of the versions of a group's launch template, from the second one; the first
    /// has the seed's.
    pub(crate) template_types: Vec<String>,
    /// Version of its launch template that a group was set to.
    pub(crate) template_number: Option<u32>,
    /// Time at which a group's instance refresh has replaced every member.
    pub(crate) refreshing_until: Option<Timestamp>,
    /// Tags it was given, and those that were removed.
    pub(crate) tags: BTreeMap<String, Option<String>>,
    /// Values that its configuration was given, by path in its document; `None` for none.
    pub(crate) settings: BTreeMap<String, Option<Value>>,
}

impl SimulatedCondition {
    /// Returns `true` while a change is in progress.
    pub(crate) fn changing(&self, now: Timestamp) -> bool {
        self.settles_at.is_some_and(|at| now < at)
    }

    /// Returns `true` if it was stopped and not started since.
    pub(crate) fn stopped(&self) -> bool {
        self.downtimes.last().is_some_and(|down| down.to.is_none())
    }

    /// Returns `true` if it was not running at a time.
    pub(crate) fn down_at(&self, at: Timestamp) -> bool {
        self.terminated_at.is_some_and(|end| at >= end)
            || self
                .downtimes
                .iter()
                .any(|down| at >= down.from && down.to.is_none_or(|end| at < end))
    }

    /// Version of its launch template that a group uses.
    pub(crate) fn template_version(&self) -> u32 {
        self.template_number.unwrap_or(1)
    }

    /// Instance type of that version; `None` for the first one's.
    pub(crate) fn template_type(&self) -> Option<&str> {
        let place = self.template_version().checked_sub(2)?;
        self.template_types.get(place as usize).map(String::as_str)
    }

    /// The size it was last given.
    pub(crate) fn size(&self) -> Option<&str> {
        self.sizes.last().map(|(_, size)| size.as_str())
    }

    /// The storage it has at a time.
    pub(crate) fn storage_at(&self, at: Timestamp) -> Option<u32> {
        self.storage
            .iter()
            .rev()
            .find(|(from, _)| *from <= at)
            .map(|(_, gib)| *gib)
    }

    /// Gives a specification the storage, type and performance that it has at a time.
    pub(crate) fn storage_into(&self, specification: &mut Specification, at: Timestamp) {
        specification.storage_gib = self
            .storage_at(at)
            .map(f64::from)
            .or(specification.storage_gib);
        if let Some((_, setup)) = self.setups.iter().rev().find(|(from, _)| *from <= at) {
            setup.apply(specification);
        }
    }

    /// The state of something that runs unless it was stopped; `up` is its state when it runs.
    pub(crate) fn state(&self, now: Timestamp, up: ResourceState) -> ResourceState {
        match (self.terminated_at, self.changing(now), self.stopped()) {
            (Some(_), false, _) => ResourceState::Deleted,
            (_, true, _) => ResourceState::Changing,
            (None, false, true) => ResourceState::Stopped,
            (None, false, false) => up,
        }
    }
}

/// A snapshot that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SnapshotRecord {
    pub(crate) of: ResourceId,
    pub(crate) description: String,
    pub(crate) complete_at: Timestamp,
}

/// Replacement of a group's member.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Successor {
    /// The identifier the seed's estate has for the place.
    pub(crate) place: ResourceId,
    pub(crate) launched_at: Timestamp,
}

/// Changes of all resources in one account.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Conditions {
    pub(crate) resources: BTreeMap<ResourceId, SimulatedCondition>,
    pub(crate) snapshots: BTreeMap<String, SnapshotRecord>,
    pub(crate) successors: BTreeMap<ResourceId, Successor>,
    /// Regions whose network has an isolating group by now.
    pub(crate) quarantines: BTreeSet<String>,
}

impl Conditions {
    /// Returns the changes of one resource.
    pub(crate) fn get(&self, id: &ResourceId) -> SimulatedCondition {
        self.resources.get(id).cloned().unwrap_or_default()
    }

    /// Returns the resource in a place: the newest successor that was launched, or the one of the
    /// seed's estate.
    pub(crate) fn holder(&self, place: &ResourceId, now: Timestamp) -> ResourceId {
        let launched = self
            .successors
            .iter()
            .filter(|(_, s)| s.place == *place && s.launched_at <= now);
        let newest = launched.max_by_key(|(_, s)| s.launched_at);
        newest.map_or_else(|| place.clone(), |(id, _)| id.clone())
    }

    /// Returns the place that a resource has or had.
    pub(crate) fn place<'a>(&'a self, id: &'a ResourceId) -> &'a ResourceId {
        self.successors
            .get(id)
            .map_or(id, |successor| &successor.place)
    }
}
