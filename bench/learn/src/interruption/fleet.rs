//! A fleet of spot instances whose true hazard is known: pools of unequal risk, availability that
//! comes and goes, bursts of interruptions, and worlds that break the model's assumptions.

use reeve_learn::interruption::{InterruptionEnding, InterruptionSignal, Lifetime};

use crate::chance::Chance;

/// Rules by which interruptions happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    /// Much as the model assumes.
    AsAssumed,
    /// Whole families are taken back at once, by shocks no signal announces.
    Shocks,
    /// The hazard follows the hour of the day, which the model does not look at.
    HourOfDay,
    /// Availability says nothing, and the old are at risk rather than the young.
    Misleading,
    /// The availability of pools is not measured.
    Unmeasured,
    /// A week of history only.
    Young,
}

impl World {
    pub(crate) const ALL: [World; 6] = [
        World::AsAssumed,
        World::Shocks,
        World::HourOfDay,
        World::Misleading,
        World::Unmeasured,
        World::Young,
    ];

    /// Days of history before the month that is judged.
    pub(crate) const fn days_before(self) -> i64 {
        if matches!(self, World::Young) { 7 } else { 90 }
    }
}

/// Simulated history with its ground truth.
pub(crate) struct Fleet {
    /// Lives, by their end.
    pub(crate) lives: Vec<Lifetime>,
    /// Hourly signals, by time.
    pub(crate) signals: Vec<InterruptionSignal>,
    /// True hazard per hour of each pool at each hour, age and bursts left out.
    pub(crate) truth: Vec<Vec<f64>>,
    /// End of the simulation, in milliseconds from zero.
    pub(crate) end_ms: i64,
}

const POOLS: usize = 30;
const INSTANCES: usize = 6;
const SLOT_MS: i64 = 600_000;

struct Pool {
    base: f64,
    available: f64,
    burst: f64,
    price: f64,
}

/// A fleet over some days.
pub(crate) fn fleet(world: World, days: i64, seed: u64) -> Fleet {
    let mut chance = Chance::new(seed, world as u64);
    let mut pools: Vec<Pool> = (0..POOLS)
        .map(|_| {
            let base = 0.008 / 24.0 * (1.0 * chance.normal()).exp();
            Pool {
                base,
                available: 0.6,
                burst: 0.0,
                price: chance.between(0.2, 0.5),
            }
        })
        .collect();

    let mut starts = vec![vec![0i64; INSTANCES]; POOLS];
    let mut fleet = Fleet {
        lives: Vec::new(),
        signals: Vec::new(),
        truth: vec![Vec::new(); POOLS],
        end_ms: days * 86_400_000,
    };

    for slot in 0..days * 144 {
        let at = slot * SLOT_MS;
        let shocked = (world == World::Shocks && chance.happens(1.0 / 1_500.0))
            .then(|| chance.below(POOLS / 5));
        for (number, pool) in pools.iter_mut().enumerate() {
            step(pool, &mut chance);
            let hazard = hourly(pool, world, at);
            if slot % 6 == 0 {
                fleet.truth[number].push(hazard);
                fleet.signals.push(signal(pool, number, world, at));
            }
            let burst = pool.burst;
            for start in &mut starts[number] {
                let shock = shocked == Some(number % (POOLS / 5)) && chance.happens(0.6);
                let risk = hazard * (1.0 + burst) * age_factor(world, at - *start) / 6.0;
                let interrupted = shock || chance.happens(1.0 - (-risk).exp());
                if !interrupted && !chance.happens(1.0 / (5.0 * 144.0)) {
                    continue;
                }
                let end_ms = at + (chance.unit() * SLOT_MS as f64) as i64;
                let ending = if interrupted {
                    InterruptionEnding::Interrupted
                } else {
                    InterruptionEnding::Stopped
                };
                // Bounded, or a pool that feeds on its own bursts would never calm down and any
                // forecast would look skilled.
                pool.burst = (pool.burst + f64::from(interrupted) * 6.0).min(12.0);
                fleet.lives.push(life(number, *start, end_ms, ending));
                *start = end_ms + 1;
            }
        }
    }

    for (number, pool) in starts.iter().enumerate() {
        fleet.lives.extend(
            pool.iter()
                .map(|start| life(number, *start, fleet.end_ms, InterruptionEnding::Running)),
        );
    }

    fleet.lives.sort_by_key(|life| life.end_ms);
    fleet
}

fn step(pool: &mut Pool, chance: &mut Chance) {
    // Availability wanders around a middle, with a memory of a day; shortages come once a week or
    // so.
    let shortage = if chance.happens(1.0 / 1_000.0) {
        -0.5
    } else {
        0.0
    };
    pool.available += (0.65 - pool.available) / 144.0 + 0.02 * chance.normal() + shortage;

    pool.available = pool.available.clamp(0.0, 1.0);
    pool.burst *= (-1.0f64 / 12.0).exp();
    pool.price = (pool.price + 0.000_5 * chance.normal()).clamp(0.1, 0.9);
}

fn hourly(pool: &Pool, world: World, at: i64) -> f64 {
    let hour = at.rem_euclid(86_400_000) as f64 / 3_600_000.0;
    match world {
        World::HourOfDay => {
            pool.base * (2.0 * ((hour - 15.0) / 12.0 * std::f64::consts::PI).cos()).exp()
        }
        World::Misleading => pool.base,
        _ => pool.base * (3.0 * (0.6 - pool.available)).exp(),
    }
}

fn age_factor(world: World, age_ms: i64) -> f64 {
    let hours = age_ms as f64 / 3_600_000.0;
    match world {
        World::Misleading => (0.3 + hours / 48.0).min(3.0),
        _ => 1.0 + 1.5 * (-hours / 3.0).exp(),
    }
}

fn signal(pool: &Pool, number: usize, world: World, at_ms: i64) -> InterruptionSignal {
    let measured = world != World::Unmeasured;
    InterruptionSignal {
        pool: format!("pool-{number}"),
        at_ms,
        availability: measured.then_some((pool.available * 10.0).round() / 10.0),
        price_ratio: Some(pool.price),
    }
}

fn life(number: usize, start_ms: i64, end_ms: i64, ending: InterruptionEnding) -> Lifetime {
    Lifetime {
        pool: format!("pool-{number}"),
        family: format!("family-{}", number % (POOLS / 5)),
        start_ms,
        end_ms,
        ending,
    }
}
