//! The tier that a segment belongs in, and how much lies in each.

use jiff::Timestamp;
use reeve_audit::Tier;

use crate::course::Extent;
use crate::policy::TierDates;

/// Content of a tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierContent {
    pub tier: Tier,
    /// Address of its place; `None` where none is configured, and for the local disk.
    pub place: Option<String>,
    /// Number of the segments in it.
    pub segments: u64,
    /// Extent of what lies in it.
    pub extent: Extent,
    /// Extent of what lies in nearer tiers and is due in this one.
    pub due: Extent,
}

impl TierDates {
    /// Returns the tier that entries belong in at a moment; the cold one also after their end.
    pub fn tier_at(&self, now: Timestamp) -> Tier {
        match now {
            now if now < self.warm_at => Tier::Hot,
            now if now < self.cold_at => Tier::Warm,
            _ => Tier::Cold,
        }
    }

    /// Returns the tier that a segment is moved to now: the farthest that it is due in and that has
    /// a place. Nothing is moved back, and nothing that is about to be deleted.
    pub fn destination(
        &self,
        lies: Tier,
        has_place: impl Fn(Tier) -> bool,
        now: Timestamp,
    ) -> Option<Tier> {
        if self.delete_at <= now {
            return None;
        }
        let due = self.tier_at(now);
        [Tier::Cold, Tier::Warm]
            .into_iter()
            .find(|tier| *tier <= due && has_place(*tier))
            .filter(|tier| *tier > lies)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_segment_goes_to_the_farthest_tier_that_is_due_and_has_a_place() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let dates = TierDates {
            warm_at: at(10),
            cold_at: at(20),
            delete_at: at(30),
        };
        let (warm, cold) = (Some(Tier::Warm), Some(Tier::Cold));
        let (both, one, none) = (
            [Tier::Warm, Tier::Cold].as_slice(),
            [Tier::Warm].as_slice(),
            [].as_slice(),
        );
        for (lies, places, now, expected) in [
            (Tier::Hot, both, 9, None),
            (Tier::Hot, both, 10, warm),
            (Tier::Hot, both, 20, cold),
            (Tier::Hot, one, 20, warm),
            (Tier::Hot, none, 20, None),
            (Tier::Hot, both, 30, None),
            (Tier::Warm, both, 15, None),
            (Tier::Warm, both, 20, cold),
            (Tier::Warm, one, 20, None),
            (Tier::Cold, both, 5, None),
            (Tier::Cold, both, 25, None),
        ] {
            let tier = dates.destination(lies, |tier| places.contains(&tier), at(now));
            assert_eq!(tier, expected, "{lies} at {now}");
        }
    }
}
