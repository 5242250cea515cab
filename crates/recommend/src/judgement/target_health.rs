//! Health of the targets of load balancers as a fact, by the versions of target groups' documents.
//!
//! Each sync reads `elasticloadbalancing:DescribeTargetHealth`, and a target whose state differs is a
//! new version of the document. A change back and forth between two syncs is not seen.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// Member of a target group's document with its targets.
const TARGETS: &str = "TargetHealthDescriptions";
/// Time before now in which changes of health are counted.
pub const CHANGES_WITHIN: SignedDuration = SignedDuration::from_hours(24);

/// State of a target, as far as it says whether the target serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    Healthy,
    Unhealthy,
    /// `initial`, `draining`, `unused` or `unavailable`: its health is not asked for, or not known
    /// yet.
    OutOfService,
}

impl TargetState {
    fn read(target: &Value) -> TargetState {
        match target["TargetHealth"]["State"].as_str() {
            Some("healthy") => TargetState::Healthy,
            Some("unhealthy" | "unhealthy.draining") => TargetState::Unhealthy,
            _ => TargetState::OutOfService,
        }
    }
}

/// A target group with the number of its targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetGroup {
    pub name: String,
    /// `true` where targets are registered by the identifiers of machines, `false` where by
    /// addresses, functions or other balancers.
    pub has_machines: bool,
    pub healthy: usize,
    pub unhealthy: usize,
}

/// Health of one target in one target group.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetHealth {
    /// Identifier of a machine, or what else the group registers.
    pub target: String,
    pub group: Arc<TargetGroup>,
    pub state: TargetState,
    /// Code that AWS gives as the reason, such as `Target.Timeout`; empty where it gives none.
    pub reason: String,
    /// Sentence that AWS gives with it.
    pub description: String,
    /// First sync that saw it in this state.
    pub since: Timestamp,
    /// Changes between healthy and unhealthy in [`CHANGES_WITHIN`].
    pub changes: usize,
}

impl TargetHealth {
    /// Returns `true` if the target is registered by the identifier of a machine.
    #[must_use]
    pub fn is_machine(&self) -> bool {
        self.group.has_machines
    }

    /// Reads the targets of a group by the versions of its document, the newest first, each with the
    /// time of its first observation. Empty where the newest has no health.
    #[must_use]
    pub fn of_group(
        name: &str,
        versions: &[(Timestamp, &Value)],
        now: Timestamp,
    ) -> Vec<TargetHealth> {
        let targets = |document: &Value| document[TARGETS].as_array().cloned().unwrap_or_default();
        let Some((newest, document)) = versions.first() else {
            return Vec::new();
        };
        let current = targets(document);
        let in_state = |wanted: TargetState| {
            let states = current.iter().map(TargetState::read);
            states.filter(|state| *state == wanted).count()
        };
        let group = Arc::new(TargetGroup {
            name: name.to_owned(),
            // Groups that name no type are of the default type.
            has_machines: matches!(document["TargetType"].as_str(), None | Some("instance")),
            healthy: in_state(TargetState::Healthy),
            unhealthy: in_state(TargetState::Unhealthy),
        });

        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let read = current.iter().map(|target| {
            let (id, port) = (&target["Target"]["Id"], &target["Target"]["Port"]);
            let state = TargetState::read(target);
            let past: Vec<(Timestamp, TargetState)> = versions
                .iter()
                .filter_map(|(at, document)| {
                    let all = targets(document);
                    let is_own =
                        |one: &&Value| one["Target"]["Id"] == *id && one["Target"]["Port"] == *port;
                    Some((*at, TargetState::read(all.iter().find(is_own)?)))
                })
                .collect();
            let same = past.iter().take_while(|(_, earlier)| *earlier == state);
            TargetHealth {
                target: text(id),
                group: Arc::clone(&group),
                state,
                reason: text(&target["TargetHealth"]["Reason"]),
                description: text(&target["TargetHealth"]["Description"]),
                since: same.last().map_or(*newest, |(at, _)| *at),
                changes: changes(&past, now - CHANGES_WITHIN),
            }
        });
        read.collect()
    }
}

/// Counts the changes between healthy and unhealthy after a time. Targets that start or drain in
/// between have changed nothing: that is how a deployment passes.
fn changes(past: &[(Timestamp, TargetState)], after: Timestamp) -> usize {
    let mut served = past
        .iter()
        .filter(|(_, state)| *state != TargetState::OutOfService);
    let mut changes = 0;
    let mut later = served.next();
    for earlier in served {
        changes += usize::from(later.is_some_and(|(at, state)| *at > after && *state != earlier.1));
        later = Some(earlier);
    }
    changes
}

/// Targets of a machine, or of a target group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TargetsHealth {
    /// `false` where the last sync could not read the target groups of the region completely: what
    /// is known may be over.
    pub is_current: bool,
    pub targets: Vec<TargetHealth>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: &str = "2026-11-20T12:00:00Z";

    fn version(hours_ago: i64, states: &[(&str, &str)]) -> (Timestamp, Value) {
        let now: Timestamp = NOW.parse().unwrap_or_default();
        let targets = states.iter().map(|(id, state)| {
            json!({ "Target": { "Id": id, "Port": "80" },
                    "TargetHealth": { "State": state, "Reason": "Target.Timeout", "Description": "Request timed out" } })
        });
        let at = now - SignedDuration::from_hours(hours_ago);
        (at, json!({ TARGETS: targets.collect::<Vec<_>>() }))
    }

    fn read(versions: &[(Timestamp, Value)]) -> Vec<TargetHealth> {
        let versions: Vec<(Timestamp, &Value)> =
            versions.iter().map(|(at, one)| (*at, one)).collect();
        TargetHealth::of_group("web", &versions, NOW.parse().unwrap_or_default())
    }

    #[test]
    fn a_target_is_in_its_state_since_the_first_version_that_had_it() {
        let versions = [
            version(1, &[("i-1", "unhealthy"), ("i-2", "healthy")]),
            version(2, &[("i-1", "unhealthy"), ("i-2", "initial")]),
            version(9, &[("i-1", "healthy")]),
        ];
        let found = read(&versions);
        assert_eq!(
            (found[0].since, found[1].since),
            (versions[1].0, versions[0].0)
        );
        assert_eq!(
            (found[0].state, found[0].reason.as_str(), found[0].changes),
            (TargetState::Unhealthy, "Target.Timeout", 1)
        );
        let group = &found[0].group;
        assert_eq!((group.healthy, group.unhealthy), (1, 1));
        // A target that starts has not recovered.
        assert_eq!(found[1].changes, 0);
        assert_eq!(read(&[]), []);
        let (at, unread) = (versions[0].0, json!({ TARGETS: "[not read]" }));
        assert_eq!(read(&[(at, unread)]), []);
    }

    #[test]
    fn the_type_of_a_group_says_whether_its_targets_are_machines() {
        let of_type = |kind: Value| {
            let (at, mut document) = version(1, &[("i-1", "healthy")]);
            document["TargetType"] = kind;
            read(&[(at, document)])[0].is_machine()
        };
        assert!(of_type(json!("instance")) && of_type(Value::Null));
        assert!(!of_type(json!("ip")) && !of_type(json!("lambda")));
    }

    #[test]
    fn changes_are_counted_for_a_day_and_through_other_states() {
        let states = ["healthy", "unhealthy", "draining", "healthy", "unhealthy"];
        let versions: Vec<_> = (1..)
            .zip(states)
            .map(|(hour, state)| version(hour, &[("i-1", state)]))
            .collect();
        assert_eq!(read(&versions)[0].changes, 3);

        let old: Vec<_> = (1..)
            .zip(states)
            .map(|(n, state)| version(11 * n, &[("i-1", state)]))
            .collect();
        assert_eq!(read(&old)[0].changes, 2, "the third is older than a day");
    }
}
