//! Interruption risk: calibration and skill on simulated fleets whose truth is known, beside the
//! base rate and the price.

use std::collections::BTreeMap;

use anyhow::Result;
use reeve_learn::interruption::{
    HORIZONS_MS, History, Instance, InterruptionEnding, InterruptionModel, InterruptionSignal,
    Lifetime,
};

use crate::data::Data;

mod fleet;
pub(crate) mod pools;
mod skill;

use fleet::{Fleet, World};
use skill::Forecasts;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
const NAMES: [&str; 3] = ["10 minutes", "1 hour", "1 day"];

/// Measures calibration and skill, and prints their tables.
pub(crate) fn run(data: &Data) -> Result<()> {
    let choosing = std::env::var_os("REEVE_BENCH_CHOOSING").is_some();
    let seed = if choosing { 31 } else { 2_028 };
    println!(
        "180 instances in 30 pools; ninety days of history (seven where young), then thirty days judged hourly (seed {seed})."
    );
    println!(
        "Skill is one minus the score over that of the base rate of the history; ECE is adaptive, ten bins.\n"
    );
    println!(
        "| world | horizon | cases | interrupted | Brier skill | log-loss skill | AUC | ECE | mean said | price only: log-loss skill | pool's rate only |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");

    for world in World::ALL {
        let days = world.days_before() + 30;
        judge(
            world,
            &fleet::fleet(world, days, seed),
            world.days_before() * DAY_MS,
        );
    }

    cold_start();
    println!();
    pools::run(data)
}

fn judge(world: World, fleet: &Fleet, split_ms: i64) {
    let history = before(fleet, split_ms);
    let (mut model, price) = (
        InterruptionModel::fit(&history),
        InterruptionModel::fit(&price_only(&history)),
    );
    let mut scores: [[Forecasts; 3]; 3] = Default::default();
    let mut signals: BTreeMap<&str, &InterruptionSignal> = BTreeMap::new();
    let (mut next_signal, mut next_end) = (
        0,
        fleet.lives.partition_point(|life| life.end_ms < split_ms),
    );

    for hour in split_ms / HOUR_MS..fleet.end_ms / HOUR_MS - 24 {
        let at = hour * HOUR_MS;
        while let Some(signal) = fleet
            .signals
            .get(next_signal)
            .filter(|signal| signal.at_ms <= at)
        {
            signals.insert(&signal.pool, signal);
            next_signal += 1;
        }
        while let Some(life) = fleet.lives.get(next_end).filter(|life| life.end_ms <= at) {
            if life.ending == InterruptionEnding::Interrupted {
                model.note_interruption(&life.pool, &life.family, life.end_ms);
            }
            next_end += 1;
        }
        for life in fleet.lives[next_end..]
            .iter()
            .filter(|life| life.start_ms <= at)
        {
            model.note_running(&life.pool, &life.family, 1.0 / 24.0);
            let signal = signals.get(life.pool.as_str());
            ask(&mut scores, life, at, signal.copied(), &model, &price);
        }
    }

    let base = base_rates(&history);
    for (index, name) in NAMES.iter().enumerate() {
        skill::row(
            &format!("{world:?}"),
            name,
            &scores.each_ref().map(|one| &one[index]),
            base[index],
        );
    }
}

fn ask(
    scores: &mut [[Forecasts; 3]; 3],
    life: &Lifetime,
    at: i64,
    signal: Option<&InterruptionSignal>,
    model: &InterruptionModel,
    price: &InterruptionModel,
) {
    let instance = Instance {
        pool: life.pool.clone(),
        family: life.family.clone(),
        age_ms: at - life.start_ms,
        availability: signal.and_then(|signal| signal.availability),
        price_ratio: signal.and_then(|signal| signal.price_ratio),
    };

    let blind = Instance {
        pool: "any".into(),
        family: "any".into(),
        age_ms: 7 * DAY_MS,
        availability: None,
        ..instance.clone()
    };

    let rate_only = Instance {
        age_ms: 7 * DAY_MS,
        availability: None,
        price_ratio: None,
        ..instance.clone()
    };

    // A model asked half a year later has forgotten what was recent: only the pool's rate is left.
    let risks = [
        model.risk(&instance, at),
        price.risk(&blind, at),
        model.risk(&rate_only, at + 180 * DAY_MS),
    ];

    for (kind, risk) in risks.iter().enumerate() {
        for (index, chance) in [risk.ten_minutes, risk.hour, risk.day]
            .into_iter()
            .enumerate()
        {
            let within = life.end_ms - at <= HORIZONS_MS[index];
            let interrupted = within && life.ending == InterruptionEnding::Interrupted;
            if !within || interrupted {
                scores[kind][index].add(chance.value, interrupted);
            }
        }
    }
}

fn before(fleet: &Fleet, split_ms: i64) -> History {
    let lifetimes = fleet
        .lives
        .iter()
        .filter(|life| life.start_ms < split_ms)
        .map(|life| {
            if life.end_ms < split_ms {
                life.clone()
            } else {
                Lifetime {
                    end_ms: split_ms,
                    ending: InterruptionEnding::Running,
                    ..life.clone()
                }
            }
        });
    History {
        lifetimes: lifetimes.collect(),
        signals: fleet
            .signals
            .iter()
            .filter(|signal| signal.at_ms < split_ms)
            .cloned()
            .collect(),
    }
}

/// The history with nothing left but prices: one pool, no ages, no availability.
fn price_only(history: &History) -> History {
    let mut blind = history.clone();
    blind
        .signals
        .iter_mut()
        .for_each(|signal| signal.availability = None);
    blind
}

fn base_rates(history: &History) -> [f64; 3] {
    let hours: f64 = history
        .lifetimes
        .iter()
        .map(|life| (life.end_ms - life.start_ms) as f64 / HOUR_MS as f64)
        .sum();

    let events = history
        .lifetimes
        .iter()
        .filter(|life| life.ending == InterruptionEnding::Interrupted)
        .count() as f64;
    HORIZONS_MS.map(|horizon| 1.0 - (-events / hours * horizon as f64 / HOUR_MS as f64).exp())
}

fn cold_start() {
    let model = InterruptionModel::fit(&History::default());
    let instance = Instance {
        pool: "p".into(),
        family: "f".into(),
        age_ms: DAY_MS,
        availability: None,
        price_ratio: None,
    };
    let day = model.risk(&instance, 0).day;

    println!(
        "\nWithout any history a day's risk is {:.4}, between {:.4} and {:.4}.",
        day.value, day.low, day.high
    );
}
