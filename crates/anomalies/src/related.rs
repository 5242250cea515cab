//! Security anomalies that may be parts of one attack: joined by address, network, account,
//! resource or time.

use jiff::SignedDuration;
use reeve_recommend::recommendation::origin::AnomalyId;

use super::record::{Anomaly, AnomalyClass};

/// Time between two anomalies of one attack, from the end of one to the beginning of the other.
pub const ONE_ATTACK: SignedDuration = SignedDuration::from_hours(6);
/// Beginnings this close together are related without anything else in common.
const SAME_TIME: SignedDuration = SignedDuration::from_mins(30);
/// Related anomalies that are shown.
const MOST_SHOWN: usize = 20;

/// An anomaly that may belong to the same attack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedAnomaly {
    pub id: AnomalyId,
    pub title: String,
    /// Common property, as a noun phrase.
    pub common: String,
}

impl Anomaly {
    /// Returns the security anomalies among these that may be parts of the same attack, with what
    /// they have in common.
    #[must_use]
    pub fn related(&self, others: &[Anomaly]) -> Vec<RelatedAnomaly> {
        if self.class != AnomalyClass::Security {
            return Vec::new();
        }

        let near = others.iter().filter(|other| self.is_near(other));
        let joined = near.filter_map(|other| {
            let common = self.common_with(other)?;
            Some(RelatedAnomaly {
                id: other.id.clone(),
                title: other.title.clone(),
                common,
            })
        });

        joined.take(MOST_SHOWN).collect()
    }

    /// Returns `true` for another security anomaly that is at most six hours apart.
    pub(super) fn is_near(&self, other: &Anomaly) -> bool {
        other.id != self.id
            && other.class == AnomalyClass::Security
            && other.started_at.duration_since(self.last_at) <= ONE_ATTACK
            && self.started_at.duration_since(other.last_at) <= ONE_ATTACK
    }

    fn common_with(&self, other: &Anomaly) -> Option<String> {
        let shared = self.activity.as_ref().zip(other.activity.as_ref());
        let shared = shared.and_then(|(own, theirs)| own.keys().shared_with(&theirs.keys()));
        let place = || (self.place.id == other.place.id).then(|| "the same subject".to_owned());
        let time = || {
            let apart = self.started_at.duration_since(other.started_at).abs();
            (apart <= SAME_TIME).then(|| "begun within 30 minutes of it".to_owned())
        };

        shared.or_else(place).or_else(time)
    }
}
