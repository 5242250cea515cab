//! Disks that fill: growth of several shapes plus the noise of real series, ending a day before the
//! true time of being full.

use reeve_learn::Point;

use crate::chance::Chance;
use crate::leak::series::deviation;

/// Growth of a disk's use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// The same growth every day.
    Linear,
    /// Ever faster: doubled two to six times a fortnight.
    Accelerating,
    /// The rate changed by a factor, two to six days ago.
    RateChanged,
    /// By day more than by night, less on weekends.
    OfficeHours,
    /// With a nightly rotation that deletes part of the day's growth.
    Rotated,
    /// Growth of a real series: its cumulative sum.
    Cumulated,
    /// With one clean-up at a random time.
    CleanedOnce,
}

impl Shape {
    pub(crate) const ALL: [Shape; 7] = [
        Shape::Linear,
        Shape::Accelerating,
        Shape::RateChanged,
        Shape::OfficeHours,
        Shape::Rotated,
        Shape::Cumulated,
        Shape::CleanedOnce,
    ];
}

/// A disk: its history, its capacity, and when it is full.
pub(crate) struct Disk {
    /// History until the forecast is made.
    pub(crate) history: Vec<Point>,
    /// Capacity of the disk.
    pub(crate) capacity: f64,
    /// The first time at or above it, in milliseconds after the last point of the history.
    pub(crate) full_after_ms: f64,
    /// Time at which it would be full by its true growth, from the last hour's mean, without noise.
    pub(crate) by_growth_ms: Option<f64>,
    /// Time at which it would be full by its true growth and the noise of past days, known apart:
    /// the best possible answer.
    pub(crate) by_both_ms: Option<f64>,
}

const DAY: usize = 288;

/// A disk that is full about `ahead` points after its history ends. `None` when the noise fills it
/// before.
pub(crate) fn disk(
    base: &[Point],
    shape: Shape,
    ahead: usize,
    chance: &mut Chance,
) -> Option<Disk> {
    let grown = growth(base, shape, ahead, chance);
    let now = base.len() - ahead;

    // Noise of a twentieth to a quarter of what grows in the last day.
    let recent = (grown[base.len() - 1] - grown[base.len() - 1 - DAY])
        .abs()
        .max(1e-9);
    let size = recent * chance.scale(0.05, 0.25) / deviation(base).max(1e-9);
    let level = chance.between(2.0, 30.0) * recent;
    let used: Vec<Point> = base
        .iter()
        .zip(&grown)
        .map(|((at, noise), grown)| (*at, level + grown + size * noise))
        .collect();

    // The capacity is what an hour's mean reaches around the time asked for; the truth is when a
    // quarter of an hour does.
    let reached = mean(&used[base.len() - 12..]);
    let full = (now..used.len() - 2).find(|index| mean(&used[*index..index + 3]) >= reached)?;
    let before = used[..now]
        .iter()
        .map(|(_, value)| *value)
        .fold(f64::MIN, f64::max);
    let headroom = reached - mean(&used[now - 12..now]);
    let by_growth = (now..used.len()).find(|index| grown[*index] - grown[now - 6] >= headroom);

    (full > now + ahead / 2 && before < reached).then(|| Disk {
        by_growth_ms: by_growth.map(|index| (used[index].0 - used[now - 1].0) as f64),
        by_both_ms: known(&used, &grown, now, reached)
            .map(|points| (points as i64 + 1) as f64 * 300_000.0),
        history: used[..now].to_vec(),
        capacity: reached,
        full_after_ms: (used[full].0 - used[now - 1].0) as f64,
    })
}

/// After how many points the true growth and the noise of each of the past days, moved half way to
/// today's, are full: their median. Past the end of what was simulated, growth goes on as in the
/// last day.
fn known(used: &[Point], grown: &[f64], now: usize, capacity: f64) -> Option<usize> {
    let (end, days) = (used.len(), now / DAY - 1);
    let noise = |index: usize| used[index].1 - grown[index];
    let around = |end: usize| (end - DAY / 4..end).map(noise).sum::<f64>() / (DAY / 4) as f64;
    let daily = grown[end - 1] - grown[end - 1 - DAY];
    let growth = |index: usize| {
        if index < end {
            grown[index]
        } else {
            daily + grown[index - DAY]
        }
    };

    let mut passages: Vec<usize> = (2..=days)
        .map(|back| {
            let shift = 0.5 * (around(now) - around(now - back * DAY));
            let level = |index: usize| growth(index) + noise(index - back * DAY) + shift;
            let full =
                |index: &usize| (*index..index + 3).map(level).sum::<f64>() / 3.0 >= capacity;
            (now..now + 2 * DAY - 3).find(full).unwrap_or(now + 2 * DAY) - now
        })
        .collect();
    let middle = passages.len() / 2;

    (!passages.is_empty()).then(|| *passages.select_nth_unstable(middle).1)
}

fn mean(points: &[Point]) -> f64 {
    points.iter().map(|(_, value)| value).sum::<f64>() / points.len().max(1) as f64
}

fn growth(base: &[Point], shape: Shape, ahead: usize, chance: &mut Chance) -> Vec<f64> {
    let n = base.len();
    let day = |index: usize| index as f64 / DAY as f64;
    let mut level = 0.0;

    match shape {
        Shape::Linear => (0..n).map(day).collect(),
        Shape::Accelerating => {
            let power = chance.between(2.0, 6.0) / 14.0;
            (0..n).map(|index| (power * day(index)).exp2()).collect()
        }
        Shape::RateChanged => {
            let at = n - ahead - (chance.between(2.0, 6.0) * DAY as f64) as usize;
            let factor = chance.scale(0.4, 4.0);
            (0..n)
                .map(|index| day(index.min(at)) + factor * day(index.saturating_sub(at)))
                .collect()
        }
        Shape::OfficeHours => {
            let night = chance.between(0.0, 0.4);
            let rates = base.iter().map(|(at, _)| {
                let off = (at.div_euclid(86_400_000) + 3).rem_euclid(7) >= 5;
                let hour = at.rem_euclid(86_400_000) / 3_600_000;
                if (8..20).contains(&hour) && !off {
                    1.0
                } else {
                    night
                }
            });
            cumulated(rates)
        }
        Shape::Rotated => {
            let share = chance.between(0.3, 0.8);
            let phase = chance.unit();
            let kept = |day: f64| (1.0 - share) * day.floor() + day - day.floor();
            (0..n).map(|index| kept(day(index) + phase)).collect()
        }
        Shape::Cumulated => {
            let low = base
                .iter()
                .map(|(_, value)| *value)
                .fold(f64::MAX, f64::min)
                .min(0.0);
            cumulated(base.iter().map(|(_, value)| value - low))
        }
        Shape::CleanedOnce => {
            let at = chance.between(0.2, 0.8) * (n - ahead) as f64;
            let freed = chance.between(0.3, 0.9);
            (0..n)
                .map(|index| {
                    level += 1.0 / DAY as f64;
                    if index == at as usize {
                        level *= 1.0 - freed;
                    }
                    level
                })
                .collect()
        }
    }
}

fn cumulated(rates: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut total = 0.0;
    rates
        .map(|rate| {
            total += rate / DAY as f64;
            total
        })
        .collect()
}
