//! Event types of the entries that Reeve writes about itself, and those of them that nobody else may submit.
//!
//! Types that other systems have as well (`authentication.login`, `policy.modify`) stay open to everybody: there
//! [`Submitter`](super::Submitter) tells Reeve's own entries from others'.

use super::EventType;

/// Categories that only Reeve writes: what its agents do, approvals of that, access to the log, and the log itself.
pub const RESERVED_CATEGORIES: [&str; 6] =
    ["approval", "audit", "checkpoint", "intelligence", "ledger", "recommendation"];

/// What `reeve audit export` appends with its user's token once the file is whole: the word of that user, who has the file.
const OPEN: &str = "audit.export";

/// Every event type that Reeve writes about itself. An entry by Reeve of another type is a mistake that tests notice.
pub const OWN_EVENT_TYPES: [&str; 44] = [
    "audit.alert.create",
    "audit.alert.delete",
    "audit.alert.fire",
    "audit.alert.handle",
    "audit.alert.modify",
    "audit.alert.test",
    "audit.live",
    "audit.search",
    "audit.verify",
    "audit.view",
    "authentication.login",
    "authentication.logout",
    "authentication.session_expired",
    "authorization.denied",
    "integration.create",
    "integration.delete",
    "integration.delivery",
    "integration.modify",
    "integration.sync",
    "integration.test",
    "intelligence.action",
    "intelligence.agent.run",
    "intelligence.anomaly",
    "intelligence.approval",
    "intelligence.check",
    "intelligence.model",
    "intelligence.prediction",
    "intelligence.recommendation",
    "intelligence.rollout",
    "ledger.key_rotate",
    "policy.modify",
    "resource.modify",
    "resource.snapshot",
    "saved_search.create",
    "saved_search.delete",
    "saved_search.modify",
    "team.create",
    "team.delete",
    "team.modify",
    "token.create",
    "token.delete",
    "user.create",
    "user.delete",
    "user.modify",
];

impl EventType {
    /// Returns `true` if only Reeve writes entries of this type.
    pub fn is_reserved(&self) -> bool {
        RESERVED_CATEGORIES.contains(&self.category()) && self.as_str() != OPEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_other_systems_stay_open() {
        for (name, reserved) in [
            ("intelligence.approval", true),
            ("intelligence.agent.run", true),
            ("approval.sign", true),
            ("audit.search", true),
            ("audit.export", false),
            ("audit.exports", true),
            ("ledger.key_rotate", true),
            ("intelligences.approval", false),
            ("authentication.login", false),
            ("policy.modify", false),
            ("resource.modify", false),
            ("authorization.denied", false),
        ] {
            assert_eq!(EventType::from_static(name).is_reserved(), reserved, "{name}");
        }
    }

    #[test]
    fn the_catalogue_is_sorted_and_sound() {
        assert!(OWN_EVENT_TYPES.is_sorted_by(|a, b| a < b));
        for name in OWN_EVENT_TYPES {
            assert!(EventType::new(name).is_ok(), "{name}");
        }
    }
}
