//! Notices of interruptions of the simulated spot machines, two minutes before each, and the market
//! of spot capacity: prices that move, and placement scores.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{PriceCatalogue, Provider, Purchase, ResourceKind};
use reeve_recommend::judgement::spot::{NoticeKind, SpotLife, SpotNotice};
use reeve_recommend::judgement::spot_market::{PoolPrice, ZoneScore, pool_price};

use crate::account::SimulatedAccount;
use crate::noise::{key, smooth, unit};
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
                        group: machine.group.clone(),
                        successor: None,
                    });
                }
            }
        }
        found.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.event.cmp(&b.event)));
        (found, now)
    }
}

/// Zones of each region.
const ZONES: [&str; 2] = ["a", "b"];
/// Hours between two changes of a price.
const PRICE_HOURS: i64 = 6;
/// Hours in which a price moves from one level to another.
const DRIFT_HOURS: i64 = 48;
/// Machines of which a zone has fewer from one step to the next, as the score counts them.
const SCARCE: u32 = 16;

impl SimulatedAccount {
    /// Returns the prices of the pools of instance types in a region over a time.
    #[must_use]
    pub fn spot_prices(
        &self,
        region: &str,
        types: &[String],
        (from, until): (Timestamp, Timestamp),
    ) -> Vec<PoolPrice> {
        let catalogue = PriceCatalogue::builtin();
        let mut found = Vec::new();
        for size in types {
            let average = catalogue.spot_average(self.plan.provider, region, size, None);
            let Some(average) = average.map(|price| price.usd_per_hour) else {
                continue;
            };
            for zone in ZONES.map(|zone| format!("{region}{zone}")) {
                let own = key(self.world.settings.seed, &format!("{size}/{zone}"));
                let hours = from.as_second().div_euclid(3600)..=until.as_second().div_euclid(3600);
                let changes: Vec<(Timestamp, f64)> = hours
                    .filter(|hour| hour.rem_euclid(PRICE_HOURS) == 0)
                    .filter_map(|hour| {
                        let level = 0.8 + 0.45 * smooth(own, hour, DRIFT_HOURS);
                        Some((Timestamp::from_second(hour * 3600).ok()?, average * level))
                    })
                    .collect();
                let pool = (size.as_str(), zone.as_str(), "Linux/UNIX");
                found.extend(pool_price(pool, &changes, (from, until)));
            }
        }
        found
    }

    /// Returns the placement scores of a region's zones: the more machines, the lower, and one day
    /// in eight capacity is short in a zone.
    #[must_use]
    pub fn placement_scores(
        &self,
        region: &str,
        types: &[String],
        machines: u32,
    ) -> Vec<ZoneScore> {
        let day = self.world.now().as_second().div_euclid(86_400);
        let wanted = machines / SCARCE + u32::from(types.len() < 3) * 4;
        let zones = ZONES.map(|zone| format!("{region}{zone}"));
        let scored = zones.into_iter().map(|zone| {
            let own = key(self.world.settings.seed ^ 0x5904, &zone);
            let most: u32 = if unit(own, day) < 0.125 { 2 } else { 9 };
            ZoneScore {
                zone,
                score: most.saturating_sub(wanted).max(1),
            }
        });
        scored.collect()
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
