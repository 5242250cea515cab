//! An estate to recommend on: machines and databases whose loads grow, shift, burst, sleep, wake,
//! saturate and disappear.
//!
//! Every resource draws its traits once and then lives day by day. The days after the
//! recommendation are drawn from another stream of chance than the days before it, so that the same
//! past can be given several futures: what nobody could have known is thereby measured, not
//! assumed.

use crate::chance::Chance;

/// Points a day; each covers 15 minutes.
pub(super) const SLOTS: usize = 96;
/// Days before the recommendation.
pub(super) const PAST_DAYS: usize = 30;
/// Days after the past, which the recommendation must hold for.
pub(super) const FUTURE_DAYS: usize = 14;

/// Usage pattern of a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Habit {
    /// Follows day and week.
    Site,
    /// Busy in office hours alone.
    Office,
    /// Busy with a nightly job.
    Night,
    /// The same load all day.
    Steady,
    /// Next to nothing, and sometimes something.
    Asleep,
    /// Full load until the work is done.
    Saturated,
}

/// Properties drawn once for a resource.
#[derive(Debug, Clone)]
pub(super) struct Traits {
    pub(super) habit: Habit,
    pub(super) production: bool,
    pub(super) database: bool,
    /// Cores' share in use at a busy time, percent.
    level: f64,
    /// Growth of the level a day.
    growth: f64,
    /// Spread of a day's own factor.
    daily: f64,
    /// Spread of the level's wandering a day.
    wander: f64,
    /// Bursts a day, and their size in levels.
    bursts: f64,
    burst_size: f64,
    /// Chance a day of a lasting shift.
    shifts: f64,
    /// Chance a day that it is switched off for good.
    ends: f64,
    /// Chance a day that a sleeper is used.
    wakes: f64,
    /// A sleeper's day of the month, where it has one.
    closing_day: Option<usize>,
    /// Days the saturation had lasted, and its chance to end a day.
    saturated_days: usize,
    saturation_ends: f64,
    memory: f64,
    memory_growth: f64,
    memory_share: f64,
}

impl Traits {
    pub(super) fn draw(chance: &mut Chance) -> Self {
        let habits = [
            (0.27, Habit::Site),
            (0.16, Habit::Office),
            (0.10, Habit::Night),
            (0.20, Habit::Steady),
            (0.17, Habit::Asleep),
            (0.10, Habit::Saturated),
        ];

        let mut at = chance.unit();
        let habit = habits.iter().find(|(share, _)| {
            at -= share;
            at < 0.0
        });
        let habit = habit.map_or(Habit::Site, |(_, habit)| *habit);
        let production = chance.happens(0.55);

        Traits {
            habit,
            production,
            database: habit == Habit::Asleep && chance.happens(0.3),
            level: if chance.happens(0.75) {
                chance.scale(2.0, 26.0)
            } else {
                chance.between(26.0, 85.0)
            },
            growth: if chance.happens(0.4) {
                0.006 * chance.normal() + 0.003
            } else {
                0.0
            },
            daily: chance.scale(0.02, 0.25),
            wander: if chance.happens(0.5) {
                chance.scale(0.005, 0.08)
            } else {
                0.0
            },
            bursts: if chance.happens(0.45) {
                chance.scale(0.02, 3.0)
            } else {
                0.0
            },
            burst_size: chance.between(0.5, 2.5),
            shifts: if production { 0.004 } else { 0.01 },
            ends: if production { 0.001 } else { 0.01 },
            wakes: if chance.happens(0.55) {
                0.0
            } else {
                chance.scale(0.01, 0.3)
            },
            closing_day: chance.happens(0.2).then(|| chance.below(30)),
            saturated_days: 3 + chance.below(26),
            saturation_ends: if chance.happens(0.5) {
                0.01
            } else {
                chance.between(0.05, 0.3)
            },
            memory: chance.between(8.0, 75.0),
            memory_growth: if chance.happens(0.25) {
                chance.between(0.0, 0.5)
            } else {
                0.0
            },
            memory_share: chance.between(0.05, 0.5),
        }
    }
}

/// Metrics by slot; `None` while it was off.
#[derive(Debug, Clone, Default)]
pub(super) struct Measured {
    pub(super) cpu: Vec<Option<f64>>,
    pub(super) memory: Vec<Option<f64>>,
    pub(super) network: Vec<Option<f64>>,
    pub(super) connections: Vec<Option<f64>>,
}

/// State of a resource between two days.
#[derive(Debug, Clone)]
pub(super) struct Life {
    traits: Traits,
    day: usize,
    /// Logarithm of the level's drift.
    drift: f64,
    gone: bool,
    saturated: bool,
    memory: f64,
    pub(super) measured: Measured,
}

impl Life {
    pub(super) fn begin(traits: Traits) -> Self {
        let memory = traits.memory;
        let saturated = false;
        Life {
            traits,
            day: 0,
            drift: 0.0,
            gone: false,
            saturated,
            memory,
            measured: Measured::default(),
        }
    }

    /// Lives so many days by this chance. `weekday` is that of the first day ever, 0 is Monday.
    pub(super) fn live(&mut self, days: usize, weekday: usize, chance: &mut Chance) {
        for _ in 0..days {
            self.one_day((self.day + weekday) % 7, chance);
            self.day += 1;
        }
    }

    fn one_day(&mut self, weekday: usize, chance: &mut Chance) {
        let t = self.traits.clone();
        self.drift += t.growth + t.wander * chance.normal();
        if chance.happens(t.shifts) {
            self.drift += 0.15 + 0.45 * chance.normal();
        }

        self.gone |= chance.happens(t.ends);
        self.memory += t.memory_growth * chance.between(0.3, 1.7);

        if t.habit == Habit::Saturated {
            self.saturated = match self.day {
                day if day + t.saturated_days < PAST_DAYS => false,
                day if day + t.saturated_days == PAST_DAYS => true,
                _ => self.saturated && !chance.happens(t.saturation_ends),
            };
        }

        let factor = self.drift.exp() * (t.daily * chance.normal()).exp();
        let awake = chance.happens(t.wakes) || t.closing_day == Some(self.day % 30);
        let bursts = self.bursts_of_the_day(chance);
        let woken = (chance.below(SLOTS - 8), 2 + chance.below(24));

        for slot in 0..SLOTS {
            let demand = self.demand(slot, weekday, factor, awake.then_some(woken), chance);
            let burst: f64 = bursts
                .iter()
                .filter(|(at, long, _)| (*at..at + long).contains(&slot))
                .map(|b| b.2)
                .sum();
            self.measure(demand + burst * t.level, chance);
        }
    }

    fn bursts_of_the_day(&self, chance: &mut Chance) -> Vec<(usize, usize, f64)> {
        let t = &self.traits;
        let mut found = Vec::new();
        let mut left = t.bursts;
        while left > 0.0
            && found.len() < 6
            && chance.happens(left.min(1.0))
            && t.habit != Habit::Asleep
        {
            found.push((
                chance.below(SLOTS),
                1 + chance.below(4),
                t.burst_size * chance.exponential(1.0),
            ));
            left -= 1.0;
        }

        found
    }

    fn demand(
        &self,
        slot: usize,
        weekday: usize,
        factor: f64,
        awake: Option<(usize, usize)>,
        chance: &mut Chance,
    ) -> f64 {
        let t = &self.traits;
        let hour = slot as f64 / 4.0;
        let quick = 1.0 + 0.06 * chance.normal();
        let weekend = if weekday >= 5 { 0.6 } else { 1.0 };
        let sun = 0.5 - 0.5 * ((hour - 3.0) / 24.0 * std::f64::consts::TAU).cos();

        match t.habit {
            Habit::Site => t.level * factor * weekend * (0.25 + 0.75 * sun) * quick,
            Habit::Office if weekday < 5 && (8.0..18.0).contains(&hour) => t.level * factor * quick,
            Habit::Office | Habit::Night
                if !(1.0..4.0).contains(&hour) || t.habit == Habit::Office =>
            {
                1.0 * quick
            }
            Habit::Night => t.level * factor * quick,
            Habit::Steady | Habit::Office => t.level * factor * quick,
            Habit::Asleep => match awake {
                Some((from, long)) if (from..from + long).contains(&slot) => 12.0 * factor * quick,
                _ => 0.22 * (1.0 + 0.3 * chance.normal()).clamp(0.2, 2.0),
            },
            Habit::Saturated if self.saturated => 125.0 * quick,
            Habit::Saturated => 45.0 * factor * quick,
        }
    }

    fn measure(&mut self, demand: f64, chance: &mut Chance) {
        if self.gone {
            for series in [
                &mut self.measured.cpu,
                &mut self.measured.memory,
                &mut self.measured.network,
            ] {
                series.push(None);
            }
            return self.measured.connections.push(None);
        }

        let demand = demand.max(0.05);
        let cpu = if demand >= 96.0 {
            96.0 + 3.0 * chance.unit()
        } else {
            demand
        };
        self.measured.cpu.push(Some(cpu));

        let memory = self.memory + self.traits.memory_share * cpu * 0.6 + 1.5 * chance.normal();
        self.measured.memory.push(Some(memory.clamp(2.0, 99.0)));
        let idle = self.traits.habit == Habit::Asleep && demand < 1.0;
        self.measured.network.push(Some(if idle {
            400.0 + 200.0 * chance.unit()
        } else {
            9_000.0 * cpu
        }));

        self.measured
            .connections
            .push(Some(if idle { 0.0 } else { (cpu * 2.0).ceil() }));
    }
}
