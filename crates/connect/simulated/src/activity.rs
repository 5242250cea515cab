//! Activity of the company's people and programs as audit entries: a pure function of the seed and
//! the minute, so that any window can be generated and neighbouring windows join. A month is some
//! fifteen thousand entries.
//!
//! The entries refer to the estate's own resources and contradict nothing in it: only Reeve
//! resizes, stops or starts a machine here. A few incidents worth an investigation are mixed in
//! (`stories`).

mod actions;
mod builder;
mod programs;
mod routine;
mod stories;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Entry, ResourceRef};
use reeve_estate::{Purchase, Resource, ResourceKind};

use crate::account::SimulatedAccount;
use crate::settings::SimulatedSettings;

/// Length of the history before the estate's beginning.
const HISTORY: SignedDuration = SignedDuration::from_hours(400 * 24);

/// A resource that something can be done to.
#[derive(Debug)]
pub(crate) struct SimulatedTarget {
    pub(crate) kind: ResourceKind,
    pub(crate) name: String,
    pub(crate) team: String,
    pub(crate) key: u64,
    pub(crate) spot: bool,
    pub(crate) reference: ResourceRef,
}

/// Resources and parameters that the activity is generated from.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) seed: u64,
    pub(crate) anchor: Timestamp,
    pub(crate) targets: Vec<SimulatedTarget>,
}

impl Scene {
    /// Creates the scene of the accounts' resources.
    pub(crate) fn new(accounts: &[Arc<SimulatedAccount>], settings: &SimulatedSettings) -> Self {
        let assets = accounts.iter().flat_map(|account| &account.assets);
        let targets = assets
            .map(|asset| target(&asset.resource, asset.key))
            .collect();
        Scene {
            seed: settings.seed,
            anchor: settings.anchor,
            targets,
        }
    }

    /// Targets of a kind and, when given, of a team.
    pub(crate) fn of_kind(&self, kind: ResourceKind, team: Option<&str>) -> Vec<&SimulatedTarget> {
        let fits = |target: &&SimulatedTarget| {
            target.kind == kind && team.is_none_or(|team| target.team == team)
        };
        self.targets.iter().filter(fits).collect()
    }
}

fn target(resource: &Resource, key: u64) -> SimulatedTarget {
    let mut reference = ResourceRef::new(resource.kind.as_str(), resource.id.as_str()).in_cloud(
        resource.provider.as_str(),
        resource.account.clone(),
        resource.region.clone(),
    );

    for tag in ["env", "team", "service"] {
        if let Some(value) = resource.tag(tag) {
            reference = reference.with_tag(tag, value);
        }
    }

    SimulatedTarget {
        kind: resource.kind,
        name: resource.name.clone(),
        team: resource.tag("team").unwrap_or_default().to_owned(),
        key,
        spot: resource.kind == ResourceKind::VirtualMachine
            && resource.purchase == Some(Purchase::Spot),
        reference,
    }
}

/// Returns the entries from a time (inclusive) to a time (exclusive), oldest first.
pub(crate) fn between(scene: &Scene, from: Timestamp, to: Timestamp) -> Vec<Entry> {
    let from = scene
        .anchor
        .checked_sub(HISTORY)
        .map_or(from, |first| from.max(first));
    if from >= to {
        return Vec::new();
    }

    let mut entries = Vec::new();
    // A minute in which the window ends may lie half in it.
    for minute in from.as_second().div_euclid(60)..=to.as_second().div_euclid(60) {
        routine::minute(scene, minute, &mut entries);
        programs::minute(scene, minute, &mut entries);
    }

    stories::between(scene, from, to, &mut entries);
    entries.retain(|entry| entry.timestamp >= from && entry.timestamp < to);
    entries.sort_by(|a, b| (a.timestamp, &a.event_id).cmp(&(b.timestamp, &b.event_id)));

    entries
}
