//! Notices of interruptions of the simulated spot machines, two minutes before each.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Provider, Purchase, ResourceKind};
use reeve_recommend::judgement::spot::{NoticeKind, SpotLife, SpotNotice};

use crate::account::SimulatedAccount;
use crate::signal::{PERIOD_S, SLOTS_PER_DAY, interruption, slot_of};

/// Days of notices that are delivered at first.
const FIRST_DAYS: i64 = 60;
/// Time between a notice and the interruption, as AWS gives it.
const AHEAD: SignedDuration = SignedDuration::from_mins(2);

impl SimulatedAccount {
    /// Returns the notices after a time, or of the past sixty days, with the time until which they
    /// go. Accounts of other clouds have none.
    #[must_use]
    pub fn spot_notices(&self, since: Option<Timestamp>) -> (Vec<SpotNotice>, Timestamp) {
        let now = self.world.now();
        let since = since.unwrap_or(now - SignedDuration::from_hours(24 * FIRST_DAYS));
        let mut found = Vec::new();
        if self.plan.provider != Provider::Aws {
            return (found, now);
        }

        let is_spot = |kind, purchase| {
            kind == ResourceKind::VirtualMachine && purchase == Some(Purchase::Spot)
        };
        for asset in &self.assets {
            let machine = &asset.resource;
            if !is_spot(machine.kind, machine.purchase) {
                continue;
            }
            let (first, last) = (slot_of(since), slot_of(now + AHEAD));
            let days = first.div_euclid(SLOTS_PER_DAY)..=last.div_euclid(SLOTS_PER_DAY);
            for day in days {
                let Some((begins, _)) = interruption(asset.key, day * SLOTS_PER_DAY) else {
                    continue;
                };
                let Ok(lost) = Timestamp::from_second(begins * PERIOD_S) else {
                    continue;
                };
                let at = lost - AHEAD;
                if at > since && at <= now {
                    found.push(SpotNotice {
                        event: format!("simulated-{}-{begins}", machine.id),
                        kind: NoticeKind::Interruption,
                        resource: machine.id.clone(),
                        at,
                        received_at: now,
                        detail: Some("stop".to_owned()),
                        life: SpotLife::of_machine(machine).map(|life| SpotLife {
                            // A machine runs from the end of its last interruption on.
                            started_at: Some(lost - SignedDuration::from_hours(24)),
                            ..life
                        }),
                    });
                }
            }
        }
        found.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.event.cmp(&b.event)));
        (found, now)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_interruption_begins_within_its_day() {
        for key in 0..200 {
            if let Some((begins, _)) = interruption(key, 700 * SLOTS_PER_DAY) {
                assert_eq!(begins.div_euclid(SLOTS_PER_DAY), 700);
            }
        }
    }
}
