//! A simulated estate of resources that do known kinds of work.

use reeve_learn::Point;
use reeve_learn::workload::WorkloadClass;

use crate::chance::Chance;

pub(crate) struct Resource {
    /// True class of the workload.
    pub(crate) class: WorkloadClass,
    /// Processor use, percent.
    pub(crate) cpu: Vec<Point>,
    /// Network traffic; empty where not measured.
    pub(crate) network: Vec<Point>,
    /// Disk traffic; empty where not measured.
    pub(crate) disk: Vec<Point>,
}

/// Habits of an estate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Estate {
    /// Behaves as most estates do.
    Usual,
    /// More noise, other time zones, more resources that do not behave as their kind does.
    Foreign,
}

const STEP_MS: i64 = 900_000;
const STEPS_A_DAY: i64 = 96;

struct Traits {
    shift_h: f64,
    noise: f64,
    atypical: bool,
    days: i64,
}

/// A resource, one of four classes with equal chance.
pub(crate) fn resource(estate: Estate, chance: &mut Chance) -> Resource {
    let class = WorkloadClass::ALL[chance.below(4)];
    let foreign = estate == Estate::Foreign;
    let traits = Traits {
        shift_h: if foreign {
            chance.between(-12.0, 12.0)
        } else {
            chance.between(-8.0, 8.0)
        },
        noise: chance.scale(0.05, if foreign { 0.8 } else { 0.4 }),
        atypical: chance.happens(if foreign { 0.3 } else { 0.15 }),
        days: if chance.happens(0.1) {
            3 + chance.below(4) as i64
        } else {
            14 + chance.below(15) as i64
        },
    };

    let load = match class {
        WorkloadClass::Production => production(&traits, chance),
        WorkloadClass::Development => development(&traits, chance),
        WorkloadClass::Batch => batch(&traits, chance),
        WorkloadClass::Analytics => analytics(&traits, chance),
    };
    let (network, disk) = traffic(class, &load, chance);

    Resource {
        class,
        cpu: points(load),
        network,
        disk,
    }
}

fn points(values: Vec<f64>) -> Vec<Point> {
    // From a Monday.
    values
        .into_iter()
        .enumerate()
        .map(|(at, value)| {
            (
                1_794_787_200_000 + at as i64 * STEP_MS,
                value.clamp(0.0, 100.0),
            )
        })
        .collect()
}

/// Local hour and whether it is a weekend.
fn clock(step: i64, traits: &Traits) -> (f64, bool) {
    let hours = step as f64 / 4.0 + traits.shift_h;
    (
        hours.rem_euclid(24.0),
        (hours / 24.0).floor().rem_euclid(7.0) >= 5.0,
    )
}

fn production(traits: &Traits, chance: &mut Chance) -> Vec<f64> {
    let level = chance.scale(5.0, 60.0);
    let swing = if traits.atypical {
        chance.between(0.0, 0.15)
    } else {
        chance.between(0.25, 0.9)
    };

    let weekend = if chance.happens(0.3) {
        chance.between(1.0, 1.3)
    } else {
        chance.between(0.5, 1.0)
    };

    let (peak, mut wander) = (chance.between(12.0, 21.0), 0.0);
    (0..traits.days * STEPS_A_DAY)
        .map(|step| {
            let (hour, off) = clock(step, traits);
            wander = 0.9 * wander + 0.4 * chance.normal();
            let day = 1.0 + swing * ((hour - peak) / 12.0 * std::f64::consts::PI).cos();
            let spike = if chance.happens(0.002) {
                chance.between(1.0, 3.0)
            } else {
                1.0
            };
            level
                * day
                * if off { weekend } else { 1.0 }
                * spike
                * (1.0 + traits.noise * wander).max(0.1)
        })
        .collect()
}

fn development(traits: &Traits, chance: &mut Chance) -> Vec<f64> {
    let (idle, busy) = (chance.between(0.3, 4.0), chance.scale(8.0, 60.0));
    let (presence, activity) = (chance.between(0.6, 1.0), chance.between(0.1, 0.6));
    let (mut here, mut working) = (true, false);

    (0..traits.days * STEPS_A_DAY)
        .map(|step| {
            let (hour, off) = clock(step, traits);
            if step % STEPS_A_DAY == 0 {
                here = chance.happens(if off { 0.08 } else { presence });
            }
            let office = traits.atypical || (8.0..19.0).contains(&hour);
            working = here
                && office
                && if working {
                    chance.happens(0.75)
                } else {
                    chance.happens(activity * 0.5)
                };
            let load = if working {
                busy * chance.between(0.3, 1.3)
            } else {
                idle
            };
            load * (1.0 + traits.noise * chance.normal()).max(0.1)
        })
        .collect()
}

fn batch(traits: &Traits, chance: &mut Chance) -> Vec<f64> {
    let (idle, full) = (chance.between(0.2, 3.0), chance.between(50.0, 98.0));
    let scheduled = !traits.atypical && chance.happens(0.6);
    let every = [4.0, 6.0, 8.0, 12.0, 24.0, 24.0, 24.0][chance.below(7)];
    let (length, start) = (
        chance.scale(0.5, 6.0f64.min(every * 0.7)),
        chance.between(0.0, 24.0),
    );
    let (mut left, mut this) = (0.0, length);

    (0..traits.days * STEPS_A_DAY)
        .map(|step| {
            let (hour, _) = clock(step, traits);
            if scheduled {
                let since = (hour - start).rem_euclid(every);
                if since < 0.25 {
                    this = length * chance.between(0.7, 1.3);
                }
                left = f64::from(since < this);
            } else if left <= 0.0 {
                left = if chance.happens(0.25 / (3.0 * length)) {
                    chance.exponential(length) + 0.25
                } else {
                    0.0
                };
            } else {
                left -= 0.25;
            }
            let load = if left > 0.0 { full } else { idle };
            load * (1.0 + 0.5 * traits.noise * chance.normal()).max(0.1)
        })
        .collect()
}

fn analytics(traits: &Traits, chance: &mut Chance) -> Vec<f64> {
    let (quiet, heavy) = (chance.between(1.0, 12.0), chance.between(30.0, 95.0));
    let (rate, load_hour) = (chance.between(0.05, 0.3), chance.between(0.0, 7.0));
    let load_length = if traits.atypical {
        0.0
    } else {
        chance.between(0.5, 3.0)
    };

    let weekend = chance.between(0.1, 0.8);
    let (mut query, mut size) = (0.0f64, 0.0);
    (0..traits.days * STEPS_A_DAY)
        .map(|step| {
            let (hour, off) = clock(step, traits);
            let office = (7.0..20.0).contains(&hour);
            let likely = rate * if off { weekend } else { 1.0 } * if office { 1.0 } else { 0.2 };
            if query <= 0.0 && chance.happens(likely) {
                (query, size) = (
                    chance.exponential(0.8) + 0.25,
                    heavy * chance.between(0.3, 1.1),
                );
            }
            query -= 0.25;
            let loading = (hour - load_hour).rem_euclid(24.0) < load_length;
            let load = quiet
                + if query > 0.0 { size } else { 0.0 }
                + if loading { 0.6 * heavy } else { 0.0 };
            load * (1.0 + traits.noise * chance.normal()).max(0.1)
        })
        .collect()
}

fn traffic(class: WorkloadClass, cpu: &[f64], chance: &mut Chance) -> (Vec<Point>, Vec<Point>) {
    // How much traffic goes with a unit of work, and how closely: serving moves packets, jobs and
    // questions move blocks.
    let (net, disk, close) = match class {
        WorkloadClass::Production => (chance.scale(30.0, 600.0), chance.scale(3.0, 150.0), 0.3),
        WorkloadClass::Development => (chance.scale(3.0, 150.0), chance.scale(3.0, 150.0), 0.8),
        WorkloadClass::Batch => (chance.scale(3.0, 200.0), chance.scale(10.0, 600.0), 0.7),
        WorkloadClass::Analytics => (chance.scale(10.0, 300.0), chance.scale(50.0, 2_000.0), 0.6),
    };

    let mut series = |factor: f64, measured: f64| {
        if !chance.happens(measured) {
            return Vec::new();
        }
        let values = cpu
            .iter()
            .map(|load| factor * load * (close * chance.normal()).exp())
            .collect::<Vec<f64>>();
        values
            .into_iter()
            .enumerate()
            .map(|(at, value)| (1_794_787_200_000 + at as i64 * STEP_MS, value))
            .collect()
    };

    (series(net, 0.85), series(disk, 0.7))
}
