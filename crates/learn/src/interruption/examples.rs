//! Examples from a history: what was known at a moment, and whether an interruption followed within
//! a horizon.
//!
//! Running instances are looked at once an hour. For ten minutes that misses five in six
//! interruptions, so the moment before each is added and the hourly ones weigh six. A day's
//! outcomes overlap from hour to hour, so each counts a twenty-fourth. An instance that its owner
//! stopped within the horizon says nothing and is left out.

use std::collections::BTreeMap;

use super::logistic::Example;
use super::memory::Memory;
use super::{
    HORIZONS_MS, History, Instance, InterruptionEnding, InterruptionSignal, Lifetime, features,
};
use crate::window::{DAY_MS, HOUR_MS};

/// Hourly looks a fit takes at most; beyond that, instances are looked at less often.
const MOST_LOOKS: i64 = 200_000;
/// Time for which a signal stays valid.
const FRESH_MS: i64 = 6 * HOUR_MS;

#[derive(Clone, Copy)]
enum Moment {
    Look,
    Before,
    Interrupted,
}

/// The memory at the end of a history, and the examples for each horizon.
pub(super) fn gather(history: &History) -> (Memory, Vec<Vec<Example>>) {
    let lives: Vec<&Lifetime> = history
        .lifetimes
        .iter()
        .filter(|life| life.end_ms > life.start_ms)
        .collect();

    let hours: i64 = lives
        .iter()
        .map(|life| (life.end_ms - life.start_ms) / HOUR_MS + 1)
        .sum();
    let step = HOUR_MS * (hours / MOST_LOOKS + 1);
    let mut moments: Vec<(i64, usize, Moment)> = Vec::new();

    for (index, life) in lives.iter().enumerate() {
        // Looks are spread over the step, or every instance started together would be looked at
        // together.
        let offset = (index as i64 * 7_919_000) % step;
        let looks = (0..)
            .map(|number| life.start_ms + offset + number * step)
            .take_while(|at| *at < life.end_ms);
        moments.extend(looks.map(|at| (at, index, Moment::Look)));
        if life.ending == InterruptionEnding::Interrupted {
            let before = 1 + (index as i64 * 104_729) % (HORIZONS_MS[0] - 1);
            moments.push((
                (life.end_ms - before).max(life.start_ms),
                index,
                Moment::Before,
            ));
            moments.push((life.end_ms, index, Moment::Interrupted));
        }
    }

    moments.sort_by_key(|(at, index, moment)| (*at, matches!(moment, Moment::Interrupted), *index));
    let signals = by_pool(&history.signals);
    let (mut memory, mut sets) = (Memory::default(), vec![Vec::new(); 3]);

    for (at, index, moment) in moments {
        let life = lives[index];
        match moment {
            Moment::Interrupted => memory.interrupted(&life.pool, &life.family, at),
            Moment::Look | Moment::Before => {
                let instance = instance(life, at, &signals);
                let known = memory.recall(&life.pool, &life.family, at);
                for (horizon, set) in HORIZONS_MS.iter().zip(&mut sets) {
                    let found = outcome(life, at, *horizon, moment, step);
                    set.extend(found.map(|(outcome, weight)| Example {
                        features: features::features(&instance, &known, *horizon),
                        outcome,
                        weight,
                    }));
                }
                if matches!(moment, Moment::Look) {
                    memory.ran(
                        &life.pool,
                        &life.family,
                        step.min(life.end_ms - at) as f64 / DAY_MS as f64,
                    );
                }
            }
        }
    }

    (memory, sets)
}

/// Returns the outcome (`true` for an interruption) with its weight; `None` where it is unknown or
/// another example covers it.
fn outcome(
    life: &Lifetime,
    at: i64,
    horizon: i64,
    moment: Moment,
    step: i64,
) -> Option<(bool, f64)> {
    let within = life.end_ms - at <= horizon;
    let interrupted = within && life.ending == InterruptionEnding::Interrupted;
    if within && !interrupted {
        return None;
    }

    match (moment, horizon < step) {
        (Moment::Before, true) => interrupted.then_some((true, 1.0)),
        (Moment::Before, false) | (Moment::Interrupted, _) => None,
        (Moment::Look, true) => (!interrupted).then_some((false, step as f64 / horizon as f64)),
        (Moment::Look, false) => Some((interrupted, step as f64 / horizon as f64)),
    }
}

fn by_pool(signals: &[InterruptionSignal]) -> BTreeMap<&str, Vec<&InterruptionSignal>> {
    let mut pools: BTreeMap<&str, Vec<&InterruptionSignal>> = BTreeMap::new();
    for signal in signals {
        pools.entry(&signal.pool).or_default().push(signal);
    }

    pools
        .values_mut()
        .for_each(|list| list.sort_by_key(|signal| signal.at_ms));
    pools
}

fn instance(
    life: &Lifetime,
    at: i64,
    signals: &BTreeMap<&str, Vec<&InterruptionSignal>>,
) -> Instance {
    let last = signals.get(life.pool.as_str()).and_then(|list| {
        let after = list.partition_point(|signal| signal.at_ms <= at);
        after
            .checked_sub(1)
            .map(|index| list[index])
            .filter(|signal| at - signal.at_ms <= FRESH_MS)
    });
    Instance {
        pool: life.pool.clone(),
        family: life.family.clone(),
        age_ms: at - life.start_ms,
        availability: last.and_then(|signal| signal.availability),
        price_ratio: last.and_then(|signal| signal.price_ratio),
    }
}
