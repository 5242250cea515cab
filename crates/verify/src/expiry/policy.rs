//! Retention policies as the log records them, version by version.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan as _, tz::TimeZone};
use serde::Deserialize;

/// Class of entries that never expire.
const PERMANENT: &str = "permanent";
/// Beginnings of the types of entries that prove deletions.
const PROOFS: [&str; 4] = [
    "ledger.",
    "audit.retention.",
    "audit.hold.",
    "audit.erasure.",
];

#[derive(Debug, Clone, Deserialize)]
struct Policy {
    name: String,
    event_types: Vec<String>,
    hot_days: u32,
    warm_days: u32,
    cold_years: u32,
}

/// Policies of one version, as an entry `audit.retention.modify` has them in `changes.after`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PolicyList {
    version: u64,
    policies: Vec<Policy>,
}

/// All versions that the log has, by the sequence of their entry.
#[derive(Debug)]
pub(crate) struct Policies {
    presets: PolicyList,
    by_sequence: BTreeMap<u64, PolicyList>,
}

impl PolicyList {
    /// Version 0: the policies of a new installation, which no entry records.
    fn presets() -> PolicyList {
        let policy = |name: &str, event_types: &[&str], hot_days, warm_days, cold_years| Policy {
            name: name.to_owned(),
            event_types: event_types.iter().map(|text| (*text).to_owned()).collect(),
            hot_days,
            warm_days,
            cold_years,
        };
        PolicyList {
            version: 0,
            policies: vec![
                policy("authentication", &["authentication.*"], 90, 365, 7),
                policy(
                    "change",
                    &["resource.delete", "policy.modify"],
                    180,
                    730,
                    10,
                ),
                policy("view", &["resource.view"], 30, 90, 0),
                policy("default", &["*"], 90, 365, 7),
            ],
        }
    }

    /// The policy with the most specific pattern: an exact type before any beginning, a longer
    /// beginning before a shorter one.
    fn policy(&self, event_type: &str) -> Option<&Policy> {
        if PROOFS.iter().any(|start| event_type.starts_with(start)) {
            return None;
        }

        let mut best: Option<(usize, &Policy)> = None;
        for policy in &self.policies {
            for pattern in &policy.event_types {
                let weight = match pattern.strip_suffix('*') {
                    Some(start) if event_type.starts_with(start) => start.len(),
                    None if pattern == event_type => usize::MAX,
                    _ => continue,
                };
                if best.is_none_or(|(heaviest, _)| weight > heaviest) {
                    best = Some((weight, policy));
                }
            }
        }
        best.map(|(_, policy)| policy)
    }
}

impl Policies {
    /// Takes the versions that entries record; the texts name versions that do not follow each
    /// other, with the sequence of the entry.
    pub(crate) fn new(recorded: &BTreeMap<u64, PolicyList>) -> (Policies, Vec<(u64, String)>) {
        let (mut newest, mut faults) = (0, Vec::new());
        for (sequence, list) in recorded {
            if list.version <= newest {
                faults.push((
                    *sequence,
                    format!(
                        "the entry records version {} of the retention policies after version {newest}",
                        list.version
                    ),
                ));
            }
            newest = newest.max(list.version);
        }

        let policies = Policies {
            presets: PolicyList::presets(),
            by_sequence: recorded.clone(),
        };
        (policies, faults)
    }

    /// Version that the log had just before an entry.
    pub(crate) fn in_force(&self, sequence: u64) -> u64 {
        let before = self.by_sequence.range(..sequence).next_back();
        before.map_or(0, |(_, list)| list.version)
    }

    /// Time at which entries of a type are deleted; `None` if they never are.
    pub(crate) fn delete_at(
        &self,
        version: u64,
        event_type: &str,
        clock: Timestamp,
    ) -> Option<Timestamp> {
        let mut lists = self.by_sequence.values().chain([&self.presets]);
        let policy = lists
            .find(|list| list.version == version)?
            .policy(event_type)?;
        let days = i64::from(policy.hot_days) + i64::from(policy.warm_days);
        let cold = clock
            .checked_add((days * 24).hours())
            .unwrap_or(Timestamp::MAX);
        let end = cold
            .to_zoned(TimeZone::UTC)
            .checked_add(i64::from(policy.cold_years).years());
        Some(end.map_or(Timestamp::MAX, |end| end.timestamp()))
    }

    /// Returns `true` if some version puts entries of a type into a class. What never expires may
    /// be of any type.
    pub(crate) fn ever_gave(&self, event_type: &str, class: &str) -> bool {
        let mut lists = self.by_sequence.values().chain([&self.presets]);
        class == PERMANENT
            || lists.any(|list| {
                list.policy(event_type)
                    .is_some_and(|policy| policy.name == class)
            })
            // Before there were policies, entries that prove deletions were of the default class.
            || (class == "default" && PROOFS.iter().any(|start| event_type.starts_with(start)))
    }
}
