//! Choke points: single settings whose closing cuts the most paths to what matters.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::estate::Estate;
use crate::finding::{Audience, Exposure, ExposureStep};

/// Kinds that hold data or open further doors: paths to them count before others.
const MATTERS: [&str; 16] = [
    "bucket",
    "database",
    "database_snapshot",
    "snapshot",
    "image",
    "secret",
    "encryption_key",
    "iam_role",
    "queue",
    "topic",
    "table",
    "warehouse",
    "search_domain",
    "file_system",
    "backup_vault",
    "container_registry",
];

/// Setting whose closing cuts paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChokePoint {
    /// Setting, rule or statement, with the resource that it belongs to.
    pub setting: String,
    /// Resource that has the setting.
    pub resource: String,
    /// Type of the edge that it opens.
    pub edge: &'static str,
    /// Resources that no outsider reaches once it is closed, by identifier.
    pub closes: Vec<String>,
    /// Number of them that hold data or open further doors.
    pub matters: usize,
    /// The setting alone, without the resource that it belongs to: `tcp 22 from 0.0.0.0/0`.
    #[serde(skip)]
    pub rule: String,
    /// For a rule of a security group about a range: the part of `ipPermissions` that is to go.
    #[serde(skip)]
    pub permission: Option<Value>,
    /// First path that the setting opens.
    #[serde(skip)]
    pub path: Vec<ExposureStep>,
}

impl Estate<'_> {
    /// Returns the settings that close the most when they alone are closed, best first. Each of the
    /// `most` that are on the most paths is tried: what another rule or path leaves open is not
    /// counted.
    #[must_use]
    pub fn choke_points(&self, exposures: &[Exposure], most: usize) -> Vec<ChokePoint> {
        let mut candidates: BTreeMap<&str, (usize, usize, &Exposure)> = BTreeMap::new();
        for exposure in exposures.iter().filter(|one| is_open(one)) {
            let keys: BTreeSet<&str> = exposure
                .path
                .iter()
                .filter_map(|step| step.key.as_deref())
                .collect();
            for key in keys {
                let entry = candidates.entry(key).or_insert((0, 0, exposure));
                entry.0 += usize::from(does_matter(&exposure.kind));
                entry.1 += 1;
            }
        }
        let mut ranked: Vec<_> = candidates.into_iter().collect();
        ranked
            .sort_by_key(|(key, (matters, all, _))| (usize::MAX - matters, usize::MAX - all, *key));

        let before = open_resources(exposures);
        let mut points: Vec<ChokePoint> = ranked
            .into_iter()
            .take(most)
            .filter_map(|(key, (_, _, exposure))| {
                let step = exposure
                    .path
                    .iter()
                    .find(|step| step.key.as_deref() == Some(key))?;
                let rule = key.split_once(": ").map_or(key, |(_, rule)| rule);
                let group = self.network.groups.get(step.resource.as_str());
                let after = self.exposures_without(Some(key));
                let left = open_resources(&after);
                let closed: BTreeSet<(&str, &str)> = before
                    .difference(&left)
                    .map(|(id, kind, _)| (*id, *kind))
                    .collect();
                (!closed.is_empty()).then(|| ChokePoint {
                    setting: key.to_owned(),
                    resource: step.resource.clone(),
                    edge: step.edge,
                    matters: closed.iter().filter(|(_, kind)| does_matter(kind)).count(),
                    closes: closed.iter().map(|(id, _)| (*id).to_owned()).collect(),
                    permission: group.and_then(|group| group.range_permission(rule)),
                    rule: rule.to_owned(),
                    path: exposure.path.clone(),
                })
            })
            .collect();
        points.sort_by(|one, other| {
            let rank = |point: &ChokePoint| (point.matters, point.closes.len());
            rank(other)
                .cmp(&rank(one))
                .then_with(|| one.setting.cmp(&other.setting))
        });
        points
    }
}

fn is_open(exposure: &Exposure) -> bool {
    exposure.is_exposed() && exposure.reachable_from != Audience::Unknown
}

fn does_matter(kind: &str) -> bool {
    MATTERS.contains(&kind)
}

/// Returns the resources with their kinds and the outsiders that reach them.
fn open_resources(exposures: &[Exposure]) -> BTreeSet<(&str, &str, &Audience)> {
    let open = exposures.iter().filter(|one| is_open(one));
    open.map(|one| {
        let audience = &one.reachable_from;
        (one.resource.as_str(), one.kind.as_str(), audience)
    })
    .collect()
}
