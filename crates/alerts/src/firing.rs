//! A firing: a rule reached its threshold for one group within one window.

use jiff::Timestamp;
use reeve_audit::Severity;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::group::GroupKey;
use crate::rule::{RuleId, names};

/// Entries that a firing names: the first ones. The count continues.
pub const KEPT_ENTRIES: usize = 100;

/// A firing's identifier. It follows from the rule, the group and the entry that completed the
/// window, so that the same firing found twice is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FiringId(pub String);

impl FiringId {
    /// Returns the identifier of a firing.
    #[must_use]
    pub fn derive(rule: &RuleId, revision: u64, group: &GroupKey, sequence: u64) -> FiringId {
        let mut hash = Sha256::new();
        for part in [
            rule.0.as_bytes(),
            &revision.to_be_bytes(),
            group.0.as_bytes(),
            &sequence.to_be_bytes(),
        ] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }

        FiringId(format!("fir_{}", hex::encode(&hash.finalize()[..12])))
    }
}

names!(
    /// State of a firing.
    FiringStatus {
        /// Nobody has acknowledged it.
        Open => "open",
        /// Acknowledged by a user.
        Acknowledged => "acknowledged",
        /// A user has dealt with it.
        Resolved => "resolved",
    }
);

/// An entry that a firing counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiringEntry {
    /// Identifier of the entry.
    pub event_id: String,
    /// Position in the log.
    pub sequence: u64,
    /// Time at which it counts, milliseconds.
    pub at_ms: i64,
}

/// A firing with what people did about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Firing {
    /// Identifier of the firing.
    pub id: FiringId,
    pub rule: RuleId,
    /// Revision of the rule.
    pub revision: u64,
    /// Name of the rule at that time.
    pub rule_name: String,
    /// Severity of the rule at that time.
    pub severity: Severity,
    /// Names of the fields that the rule groups by.
    pub group_by: Vec<String>,
    /// Values of these fields.
    pub group: GroupKey,
    /// Start of its span.
    pub from: Timestamp,
    /// End of its span: entries up to this time join it.
    pub until: Timestamp,
    /// Time of the earliest entry.
    pub first_at: Timestamp,
    /// Time of the latest entry.
    pub last_at: Timestamp,
    /// Time of recording of the entry that completed the window.
    pub detected_at: Timestamp,
    /// Position of the entry that completed the window.
    pub sequence: u64,
    /// Number of entries until now.
    pub count: u64,
    /// The first of them, at most [`KEPT_ENTRIES`].
    pub entries: Vec<FiringEntry>,
    /// The rule was silenced: nobody was notified.
    pub silenced: bool,
    /// State of the firing.
    pub status: FiringStatus,
    /// User who looks after it.
    pub assignee: Option<String>,
    /// Note of the user who resolved it.
    pub note: Option<String>,
    /// User who changed it last.
    pub handled_by: Option<String>,
    /// Time of that change.
    pub handled_at: Option<Timestamp>,
    /// Grows by one with every change by people.
    pub version: u64,
}

/// Later entries of a firing that is kept already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiringGrowth {
    pub id: FiringId,
    /// Time of its earliest entry.
    pub first_at: Timestamp,
    /// Time of its latest entry.
    pub last_at: Timestamp,
    /// Number of entries until now.
    pub count: u64,
    /// Further entries that the firing lists, beside those that it lists already.
    pub entries: Vec<FiringEntry>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_follow_from_their_parts() {
        let id = |rule: &str, revision, group: &str, sequence| {
            FiringId::derive(
                &RuleId(rule.into()),
                revision,
                &GroupKey(group.into()),
                sequence,
            )
            .0
        };
        assert_eq!(id("r", 1, "[]", 7), id("r", 1, "[]", 7));

        let different = [
            id("r", 1, "[]", 7),
            id("r", 2, "[]", 7),
            id("r", 1, "[]", 8),
            id("r", 1, "[null]", 7),
            id("s", 1, "[]", 7),
        ];

        assert_eq!(
            different
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len(),
            5
        );
    }
}
