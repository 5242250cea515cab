//! Running totals of sign-ins by address and of unusual calls by principal, which findings carry.
//! They are made again from the log's entries after a start, as everything else that the watch over
//! behavior remembers.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Entry;

use super::attack::{AttackTechnique, NoTechnique};
use super::security_activity::SecurityActivity;

/// Time without attempts after which a total begins anew: as long as findings extend an anomaly.
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(6);
/// Totals that are kept: an attack from more addresses at once is told by its newest ones.
const MOST_TOTALS: usize = 10_000;

/// Total of one place.
#[derive(Debug)]
struct Total {
    last_at: Timestamp,
    activity: SecurityActivity,
    /// `true` once a finding had it: everything further belongs to that anomaly, however ordinary
    /// by itself.
    told: bool,
}

/// Totals by address or principal.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    totals: HashMap<String, Total>,
}

impl Attempts {
    /// Adds a sign-in from an address. Successes count from the first failure on: an address that
    /// never failed has no total.
    pub(super) fn sign_in(&mut self, address: &str, entry: &Entry, succeeded: bool) {
        if succeeded && !self.is_known(address, entry.timestamp) {
            return;
        }
        self.total(address, entry.timestamp, true)
            .add(entry, succeeded);
    }

    /// Adds an unusual call to its principal's or machine's total.
    pub(super) fn call(&mut self, place: &str, entry: &Entry, succeeded: bool) {
        self.total(place, entry.timestamp, false)
            .add(entry, succeeded);
    }

    /// Adds the technique that the newest attempt shows to the total of its place.
    pub(super) fn show(
        &mut self,
        place: &str,
        technique: Result<&'static AttackTechnique, NoTechnique>,
    ) {
        if let Some(total) = self.totals.get_mut(place) {
            total.activity.show(technique);
        }
    }

    /// Marks the place of a total as a resource that was used, not a principal.
    pub(super) fn mark_resource(&mut self, place: &str) {
        if let Some(total) = self.totals.get_mut(place) {
            total.activity.of_resource = true;
        }
    }

    /// Returns the total of a place.
    pub(super) fn of(&self, place: &str) -> Option<&SecurityActivity> {
        self.totals.get(place).map(|total| &total.activity)
    }

    /// Returns `true` if a finding had the total already.
    pub(super) fn is_told(&self, place: &str) -> bool {
        self.totals.get(place).is_some_and(|total| total.told)
    }

    /// Marks the total as told.
    pub(super) fn tell(&mut self, place: &str) {
        if let Some(total) = self.totals.get_mut(place) {
            total.told = true;
        }
    }

    fn is_known(&self, place: &str, at: Timestamp) -> bool {
        self.totals
            .get(place)
            .is_some_and(|total| at.duration_since(total.last_at) <= FORGOTTEN_AFTER)
    }

    fn total(&mut self, place: &str, at: Timestamp, sign_ins: bool) -> &mut SecurityActivity {
        if !self.is_known(place, at) {
            self.totals.remove(place);
            self.make_room(at);
        }

        let fresh = || Total {
            last_at: at,
            activity: SecurityActivity {
                sign_ins,
                ..SecurityActivity::default()
            },
            told: false,
        };
        let total = self.totals.entry(place.to_owned()).or_insert_with(fresh);
        total.last_at = at.max(total.last_at);

        &mut total.activity
    }

    /// Drops totals that are over, and the older half where there are still too many.
    fn make_room(&mut self, now: Timestamp) {
        if self.totals.len() < MOST_TOTALS {
            return;
        }

        self.totals
            .retain(|_, total| now.duration_since(total.last_at) <= FORGOTTEN_AFTER);
        if self.totals.len() >= MOST_TOTALS {
            let mut times: Vec<Timestamp> =
                self.totals.values().map(|total| total.last_at).collect();
            times.sort_unstable();
            let middle = times[times.len() / 2];
            self.totals.retain(|_, total| total.last_at > middle);
        }
    }
}

#[cfg(test)]
mod tests {
    use reeve_audit::{Actor, EventType};

    use super::*;

    #[test]
    fn totals_begin_anew_after_a_rest_and_are_bounded() {
        let mut attempts = Attempts::default();
        let at = |hour: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour);
        let entry = |hour: i64| {
            Entry::new(EventType::from_static("authentication.login"))
                .by(Actor::user("ann"))
                .at(at(hour))
        };
        attempts.sign_in("a", &entry(0), true);

        assert!(attempts.of("a").is_none(), "nothing failed yet");
        attempts.sign_in("a", &entry(1), false);
        attempts.sign_in("a", &entry(2), true);
        assert_eq!(
            attempts.of("a").map(|one| (one.refused, one.succeeded)),
            Some((1, 1))
        );
        attempts.sign_in("a", &entry(9), false);
        assert_eq!(attempts.of("a").map(SecurityActivity::attempts), Some(1));
        for n in 0..2 * MOST_TOTALS {
            attempts.call(&format!("p{n}"), &entry(9 + n as i64 / 5000), true);
        }

        assert!(attempts.totals.len() <= MOST_TOTALS);
    }
}
