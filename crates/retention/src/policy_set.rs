//! The policies in force together, as one version.
//!
//! Overlaps have one rule: the most specific pattern decides. An exact event type is more specific
//! than any beginning, a longer beginning more than a shorter one, and no pattern stands in two
//! policies.

use std::collections::HashSet;

use jiff::Timestamp;
use reeve_audit::RetentionClass;
use serde::{Deserialize, Serialize};

use crate::policy::{PERMANENT, RetentionPolicy, weight};

/// Most policies.
pub const MAX_POLICIES: usize = 50;

/// Categories of entries that prove what was deleted and why. They never expire: without them a
/// deletion could not be told from a loss.
const PROOFS: [&str; 4] = [
    "ledger.",
    "audit.retention.",
    "audit.hold.",
    "audit.erasure.",
];

/// Returns `true` for types of entries that prove deletions: they neither expire nor are erased.
pub fn is_proof_of_deletions(event_type: &str) -> bool {
    PROOFS.iter().any(|start| event_type.starts_with(start))
}

/// All policies of one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySet {
    /// 0 for those that a new installation has; grows with every change.
    pub version: u64,
    /// The policies, in the order in which they were given.
    pub policies: Vec<RetentionPolicy>,
}

/// Reason why policies are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct PolicySetError {
    /// Path of the member, such as `policies[2].hot_days`.
    pub field: String,
    /// What was expected.
    pub message: String,
}

impl PolicySet {
    /// The default and the three policies of requirements B-196 to B-201.
    pub fn presets() -> PolicySet {
        let patterns = |class| match class {
            RetentionClass::Authentication => vec!["authentication.*"],
            RetentionClass::Change => vec!["resource.delete", "policy.modify"],
            RetentionClass::View => vec!["resource.view"],
            RetentionClass::Default => vec!["*"],
        };
        let policies = RetentionClass::ALL.map(|class| {
            let periods = class.periods();
            RetentionPolicy {
                name: class.id().to_owned(),
                event_types: patterns(class).into_iter().map(str::to_owned).collect(),
                hot_days: periods.hot_days,
                warm_days: periods.warm_days,
                cold_years: periods.cold_years,
            }
        });

        PolicySet {
            version: 0,
            policies: policies.into(),
        }
    }

    /// Checks each policy, and that names and patterns are unique.
    ///
    /// # Errors
    /// The first fault, with the path of its member.
    pub fn check(&self) -> Result<(), PolicySetError> {
        let refused = |field: String, message: String| Err(PolicySetError { field, message });
        if self.policies.is_empty() || self.policies.len() > MAX_POLICIES {
            let message = format!("must have 1 to {MAX_POLICIES} policies");
            return refused("policies".into(), message);
        }

        let (mut names, mut patterns) = (HashSet::new(), HashSet::new());
        for (at, policy) in self.policies.iter().enumerate() {
            if let Some((member, message)) = policy.fault() {
                return refused(format!("policies[{at}].{member}"), message);
            }
            if !names.insert(&policy.name) {
                let message = format!("{} is the name of another policy", policy.name);
                return refused(format!("policies[{at}].name"), message);
            }
            if let Some(twice) = policy
                .event_types
                .iter()
                .find(|pattern| !patterns.insert(pattern.as_str()))
            {
                let message = format!("{twice} stands twice; a pattern may be in one policy only");
                return refused(format!("policies[{at}].event_types"), message);
            }
        }

        Ok(())
    }

    /// Returns the policy of an event type; `None` for entries that never expire.
    pub fn policy_for(&self, event_type: &str) -> Option<&RetentionPolicy> {
        if is_proof(event_type) {
            return None;
        }

        let covering = self.policies.iter().filter_map(|policy| {
            let heaviest = policy
                .event_types
                .iter()
                .filter_map(|pattern| weight(pattern, event_type))
                .max()?;
            Some((heaviest, policy))
        });
        covering
            .max_by_key(|(heaviest, _)| *heaviest)
            .map(|(_, policy)| policy)
    }

    /// Returns the class of new entries of an event type: the name of its policy.
    pub fn class_of(&self, event_type: &str) -> &str {
        self.policy_for(event_type)
            .map_or(PERMANENT, |policy| &policy.name)
    }

    /// Returns `true` if some policy lets entries go by `now` whose clock is `clock` or later. Where
    /// this is false, nothing needs to be known of a segment to keep it.
    pub fn may_expire(&self, clock: Timestamp, now: Timestamp) -> bool {
        self.policies
            .iter()
            .any(|policy| policy.tiers(clock).delete_at <= now)
    }

    /// Returns `true` if some policy lets entries leave the hot tier by `now` whose clock is `clock`
    /// or later.
    pub fn may_move(&self, clock: Timestamp, now: Timestamp) -> bool {
        self.policies
            .iter()
            .any(|policy| policy.tiers(clock).warm_at <= now)
    }

    /// Returns the policy with a name.
    pub fn named(&self, name: &str) -> Option<&RetentionPolicy> {
        self.policies.iter().find(|policy| policy.name == name)
    }
}

/// Returns `true` for entries that prove deletions.
fn is_proof(event_type: &str) -> bool {
    PROOFS.iter().any(|start| event_type.starts_with(start))
}

#[cfg(test)]
mod tests {
    use reeve_audit::EventType;

    use super::*;

    fn set(policies: &[(&str, &[&str])]) -> PolicySet {
        let policies = policies.iter().map(|(name, patterns)| RetentionPolicy {
            name: (*name).to_owned(),
            event_types: patterns.iter().map(|text| (*text).to_owned()).collect(),
            hot_days: 1,
            warm_days: 0,
            cold_years: 0,
        });
        PolicySet {
            version: 1,
            policies: policies.collect(),
        }
    }

    #[test]
    fn presets_are_valid_and_give_the_classes_of_earlier_versions() {
        let presets = PolicySet::presets();
        assert_eq!(presets.check(), Ok(()));
        for name in [
            "authentication.login",
            "authentications.x",
            "resource.delete",
            "policy.modify",
            "policy.create",
            "resource.view",
            "resource.modify",
        ] {
            let class = RetentionClass::for_event_type(&EventType::from_static(name));
            assert_eq!(presets.class_of(name), class.id(), "{name}");
        }
    }

    #[test]
    fn the_most_specific_pattern_decides() {
        let set = set(&[
            ("all", &["*"]),
            ("resource", &["resource.*"]),
            ("machine", &["resource.machine.*"]),
            ("delete", &["resource.machine.delete"]),
        ]);
        assert_eq!(set.check(), Ok(()));
        for (name, class) in [
            ("user.create", "all"),
            ("resource.view", "resource"),
            ("resource.machine.stop", "machine"),
            ("resource.machine.delete", "delete"),
        ] {
            assert_eq!(set.class_of(name), class);
        }
    }

    #[test]
    fn proofs_and_what_no_policy_covers_never_expire() {
        let set = set(&[
            ("views", &["resource.view"]),
            ("all-of-it", &["ledger.*", "audit.*"]),
        ]);
        for name in [
            "ledger.expire",
            "audit.retention.modify",
            "audit.hold.create",
            "audit.erasure.create",
            "a.b",
        ] {
            assert_eq!(set.policy_for(name), None);
            assert_eq!(set.class_of(name), PERMANENT);
        }
        assert_eq!(set.class_of("audit.search"), "all-of-it");
    }

    #[test]
    fn contradictions_are_refused() {
        for (policies, field) in [
            (set(&[]), "policies"),
            (set(&[("a", &["*"]), ("a", &["b.c"])]), "policies[1].name"),
            (
                set(&[("a", &["*"]), ("b", &["*"])]),
                "policies[1].event_types",
            ),
            (set(&[("a", &["*"]), ("b", &[])]), "policies[1].event_types"),
        ] {
            let error = policies.check().err().map(|error| error.field);
            assert_eq!(error.as_deref(), Some(field));
        }
    }
}
