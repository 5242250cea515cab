//! CPU, credits and memory.

use jiff::Timestamp;

use super::{PERIOD_S, SLOTS_PER_DAY, SLOTS_PER_HOUR, SimulatedSignal};
use crate::load::Load;
use crate::noise::draw;

/// A processor that wants more than it has shows this and a little more, percent.
const FULL: f64 = 92.5;
/// Machines whose calls fail after the story of the closed door, and the slots from the beginning
/// in which they do.
const CHECKOUT: &str = "checkout-api-";
const RETRIES: std::ops::Range<i64> = -5..9;

impl SimulatedSignal<'_> {
    /// Percent of all cores of the size it has.
    pub(super) fn cpu(&self, slot: i64) -> f64 {
        let era = self.era(slot);
        let wanted = (self.demand(slot) + self.retries(slot)) * era.cpu;
        let starved = era
            .credits
            .filter(|_| self.credits(slot).is_some_and(|left| left <= 0.0));
        if let Some(credits) = starved.filter(|credits| wanted > credits.baseline) {
            return credits.baseline * (0.97 + 0.03 * self.noise(2, slot));
        }

        if wanted >= FULL {
            FULL + 6.4 * self.noise(3, slot)
        } else {
            wanted.max(0.05)
        }
    }

    /// Returns the demand in percent of all cores of the original size; beyond 100 if that is too
    /// small.
    fn demand(&self, slot: i64) -> f64 {
        let (quick, slow) = (self.noise(1, slot), self.drift(1, slot));
        match self.asset.load {
            Load::Idle => 0.1 + 0.3 * quick,
            Load::Oversized(p95) => p95 * (0.3 + 0.65 * self.season(slot)) * (0.85 + 0.2 * quick),
            Load::Web(peak) | Load::Database(peak) => self.busy(peak, slot),
            Load::Office(level) => self.office(level, slot),
            Load::Throttled if self.days(slot) < -6.0 => self.busy(74.0, slot),
            Load::Throttled => 118.0 + 20.0 * slow + 6.0 * quick,
            Load::Drained if self.days(slot) < -8.0 => 16.0 + 6.0 * slow + 3.0 * quick,
            Load::Drained => 35.0 + 5.0 * slow + 3.0 * quick,
            Load::Bursty if self.bursts(slot) => 82.0 + 5.0 * quick,
            Load::Bursty => 3.2 + 1.6 * quick,
            Load::Batch if (1.0..4.0).contains(&self.hour(slot)) => {
                76.0 + 10.0 * slow + 5.0 * quick
            }
            Load::Batch => 1.8 + 1.2 * quick,
            Load::Weekly if self.weekly(slot) => 36.0 + 6.0 * quick,
            Load::Weekly => 0.1 + 0.15 * quick,
            Load::MonthEnd if self.closing(slot) => 62.0 + 18.0 * slow + 5.0 * quick,
            Load::MonthEnd => 2.4 + 1.5 * quick,
            Load::Memory => 5.0 + 4.0 * self.season(slot) + 2.0 * quick,
            Load::Network(_) => 7.0 + 2.0 * slow + 2.0 * quick,
            Load::Steady(level) => level * (0.93 + 0.1 * slow + 0.04 * quick),
            Load::Leak => 8.0 + 6.0 * self.season(slot) + 2.0 * quick,
            Load::DatabaseIdle => 0.7 + 0.6 * quick,
            Load::DatabaseOversized => 2.5 + 3.5 * self.season(slot) + 0.8 * quick,
            Load::DatabaseFilling => 14.0 + 16.0 * self.season(slot) + 4.0 * quick,
            Load::Requests(_) | Load::Gateway(_) | Load::Disk(_) | Load::Unmeasured => 0.0,
        }
    }

    /// Work of the checkout while its calls fail, beside its usual demand: after its security group
    /// lost a rule shortly before the beginning ("closed-door" among the stories), until the rule
    /// is back.
    fn retries(&self, slot: i64) -> f64 {
        let resource = &self.asset.resource;
        let fails = RETRIES.contains(&(slot - self.anchor));
        match fails && resource.name.starts_with(CHECKOUT) {
            true => 38.0 + 2.0 * self.noise(7, slot),
            false => 0.0,
        }
    }

    fn busy(&self, peak: f64, slot: i64) -> f64 {
        peak * (0.22 + 0.78 * self.season(slot))
            * (0.88 + 0.08 * self.drift(4, slot) + 0.08 * self.noise(4, slot))
    }

    fn office(&self, level: f64, slot: i64) -> f64 {
        let at_work = !self.weekend(slot) && (8.0..18.5).contains(&self.hour(slot));
        if at_work {
            level * (0.6 + 0.4 * self.drift(5, slot))
        } else {
            0.8 + 0.6 * self.noise(5, slot)
        }
    }

    /// Ten minutes in every four hours.
    pub(super) fn bursts(&self, slot: i64) -> bool {
        let (block, at) = (slot.div_euclid(48), slot.rem_euclid(48));
        let begins = (draw(self.asset.key ^ 0xb125, block) % 46).cast_signed();
        (begins..begins + 2).contains(&at)
    }

    /// The first ten minutes after two on a Sunday.
    pub(super) fn weekly(&self, slot: i64) -> bool {
        // The epoch was a Thursday.
        let sunday = (slot.div_euclid(SLOTS_PER_DAY) + 3).rem_euclid(7) == 6;
        sunday
            && (2 * SLOTS_PER_HOUR..2 * SLOTS_PER_HOUR + 2)
                .contains(&slot.rem_euclid(SLOTS_PER_DAY))
    }

    /// The last two days of a month and the first, by day.
    fn closing(&self, slot: i64) -> bool {
        if !(6.0..22.0).contains(&self.hour(slot)) {
            return false;
        }

        let day = |days: i64| {
            let second = (slot + self.zone) * PERIOD_S + days * 86_400;
            Timestamp::from_second(second)
                .map_or(15, |at| at.to_zoned(jiff::tz::TimeZone::UTC).day())
        };

        // In two days it is the first, the second or the third: today is one of the last two, or
        // the first.
        day(0) == 1 || day(2) <= 2
    }

    /// Credits left; `None` for what is not burstable.
    pub(super) fn credits(&self, slot: i64) -> Option<f64> {
        let era = self.era(slot);
        let credits = era.credits?;

        if era.from > i64::MIN {
            let hours = (slot - era.from) as f64 / SLOTS_PER_HOUR as f64;
            let gain =
                credits.an_hour(credits.baseline) - credits.an_hour(self.demand(slot) * era.cpu);
            return Some((gain * hours).clamp(0.0, credits.most()));
        }

        let full = credits.most() * (0.94 + 0.06 * self.drift(6, slot));
        if self.asset.load != Load::Drained {
            return Some(full);
        }

        // Three days from full to empty, five days before the beginning.
        let left = (-5.0 - self.days(slot)) / 3.0;
        Some(full * left.clamp(0.0, 1.0))
    }

    /// Percent of the memory of the size it has.
    pub(super) fn memory(&self, slot: i64) -> f64 {
        let (quick, slow) = (self.noise(7, slot), self.drift(7, slot));
        let used = match self.asset.load {
            Load::Idle | Load::Weekly => 9.0 + quick,
            Load::Oversized(_) => 21.0 + 8.0 * self.season(slot) + 2.0 * quick,
            Load::DatabaseOversized => 17.0 + 6.0 * self.season(slot) + quick,
            Load::Memory => 86.5 + 2.5 * slow + quick,
            Load::Leak => {
                // 37 percent, and sixteen more every day, until the process is started again after
                // three and a half days.
                let cycle = 84 * SLOTS_PER_HOUR;
                let shift = (draw(self.asset.key, 8) % cycle.cast_unsigned()).cast_signed();
                37.0 + 55.0 * (slot + shift).rem_euclid(cycle) as f64 / cycle as f64 + quick
            }
            Load::Steady(_) => 54.0 + 4.0 * slow + quick,
            Load::MonthEnd | Load::Batch => 22.0 + self.demand(slot) * 0.5 + quick,
            _ => 38.0 + self.demand(slot).min(100.0) * 0.25 + quick,
        };

        (used * self.era(slot).memory).min(99.2)
    }
}
