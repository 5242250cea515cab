//! A segment as retention sees it, and the verdict on it.
//!
//! A segment is deleted as a whole or not at all. Its period is the longest of the policies of its
//! event types, so that a segment of an earlier version, whose class no longer says what is in it,
//! is kept as long as its longest-lived entry.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::policy::TierDates;
use crate::policy_set::PolicySet;

/// Content of a segment, as far as retention needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentSurvey {
    /// Number of entries by event type.
    pub event_types: BTreeMap<String, u64>,
    /// Latest `timestamp`.
    pub newest_timestamp: Timestamp,
    /// Latest `recorded_at`.
    pub newest_recorded_at: Timestamp,
}

/// Answer of the legal holds about a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldAnswer {
    /// Every hold in force was evaluated on every entry, and none includes any.
    Clear,
    /// Holds that include an entry, or that could not be evaluated, with the reason.
    Held(BTreeMap<String, String>),
}

/// Decision about a segment at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SegmentVerdict {
    /// An entry of it never expires.
    Permanent,
    /// It stays until a time.
    Kept(TierDates),
    /// Its period has passed, but holds keep it.
    Held(BTreeMap<String, String>),
    /// Its period has passed at this time, and it may be deleted.
    Due(Timestamp),
}

impl SegmentSurvey {
    /// Returns the clock of the segment: the later of the two times over all its entries.
    pub fn clock(&self) -> Timestamp {
        self.newest_timestamp.max(self.newest_recorded_at)
    }

    /// Returns the times at which the whole segment may leave the tiers: for each tier the latest
    /// of its event types. `None` if one of them never expires, or if nothing is known of it.
    pub fn tiers(&self, policies: &PolicySet) -> Option<TierDates> {
        let clock = self.clock();
        let mut latest: Option<TierDates> = None;
        for event_type in self.event_types.keys() {
            let dates = policies.policy_for(event_type)?.tiers(clock);
            latest = Some(latest.map_or(dates, |latest| TierDates {
                warm_at: latest.warm_at.max(dates.warm_at),
                cold_at: latest.cold_at.max(dates.cold_at),
                delete_at: latest.delete_at.max(dates.delete_at),
            }));
        }

        latest
    }

    /// Returns the policy that decides: the one whose entries stay longest.
    pub fn policy<'p>(&self, policies: &'p PolicySet) -> Option<&'p str> {
        let clock = self.clock();
        let named = self
            .event_types
            .keys()
            .filter_map(|event_type| policies.policy_for(event_type));
        named
            .max_by_key(|policy| policy.tiers(clock).delete_at)
            .map(|policy| policy.name.as_str())
    }

    /// Decides about the segment. `holds` is asked only once its period has passed.
    pub fn verdict(
        &self,
        policies: &PolicySet,
        now: Timestamp,
        holds: impl FnOnce() -> HoldAnswer,
    ) -> SegmentVerdict {
        match self.tiers(policies) {
            None => SegmentVerdict::Permanent,
            Some(dates) if dates.delete_at > now => SegmentVerdict::Kept(dates),
            Some(dates) => match holds() {
                HoldAnswer::Clear => SegmentVerdict::Due(dates.delete_at),
                HoldAnswer::Held(reasons) => SegmentVerdict::Held(reasons),
            },
        }
    }
}
