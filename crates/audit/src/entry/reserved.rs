//! Event types that nobody but Reeve may submit. The catalogue of all types is
//! [`events`](crate::events).
//!
//! Types that other systems have as well (`authentication.login`, `policy.modify`) stay open to
//! everybody: there [`Submitter`](super::Submitter) tells Reeve's own entries from others'.

use super::EventType;

/// Categories that only Reeve writes: what its agents do, approvals of that, access to the log, and
/// the log itself.
pub const RESERVED_CATEGORIES: [&str; 6] = [
    "approval",
    "audit",
    "checkpoint",
    "intelligence",
    "ledger",
    "recommendation",
];

impl EventType {
    /// Returns `true` if only Reeve writes entries of this type.
    pub fn is_reserved(&self) -> bool {
        RESERVED_CATEGORIES.contains(&self.category())
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
            ("audit.export", true),
            ("ledger.key_rotate", true),
            ("intelligences.approval", false),
            ("authentication.login", false),
            ("policy.modify", false),
            ("resource.modify", false),
            ("authorization.denied", false),
        ] {
            assert_eq!(
                EventType::from_static(name).is_reserved(),
                reserved,
                "{name}"
            );
        }
    }
}
