//! Level shifts that stayed: the past is moved to the level of today, so that its shape still
//! counts.
//!
//! One binary segmentation (Scott and Knott, 1974) over medians of blocks from which the usual
//! shape of a week or day was taken. What returned (an incident, a weekend) is no shift: only a
//! change that lasts to the end of the series is one.

use super::frame::median;

/// A change of level that stayed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Slot at which the new level starts.
    pub slot: usize,
    /// Change of the level, in the series' unit.
    pub size: f64,
    /// Factor of the level where the swing grew with it; 1 where it did not.
    pub factor: f64,
}

/// Blocks a season is divided into.
const BLOCKS_PER_UNIT: usize = 4;
/// Blocks a level must have lasted.
const LEAST_BLOCKS: usize = 4;

/// The latest shift. `season` is the longest season known, `unit` the shortest.
pub(super) fn latest(values: &[f64], unit: usize, season: usize) -> Option<Shift> {
    let width = (unit / BLOCKS_PER_UNIT).max(1);
    let rest = without_shape(values, season, width);
    let blocks = medians(&rest, width);
    let (at, size) = split(&blocks)?;
    let noise = spread_around(&blocks, at);
    if size.abs() <= 5.0 * noise {
        return None;
    }

    // Blocks are aligned to the end of the series.
    let offset = values.len() - blocks.len() * width;
    let slot = offset + at * width;
    Some(Shift {
        slot,
        size,
        factor: factor(values, slot),
    })
}

/// Moves everything before a shift to the level after it.
pub(super) fn align(values: &mut [f64], shift: &Shift) {
    for value in &mut values[..shift.slot] {
        *value = if (shift.factor - 1.0).abs() > f64::EPSILON {
            *value * shift.factor
        } else {
            *value + shift.size
        };
    }
}

/// The values less the median of their phase.
fn without_shape(values: &[f64], season: usize, width: usize) -> Vec<f64> {
    if season == 0 || values.len() < 2 * season {
        return values.to_vec();
    }

    let phases = season.div_ceil(width);
    let mut of_phase: Vec<Vec<f64>> = vec![Vec::new(); phases];
    for (index, value) in values
        .iter()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
    {
        of_phase[index % season / width].push(*value);
    }

    let shape: Vec<f64> = of_phase
        .iter_mut()
        .map(|seen| median(seen).unwrap_or(0.0))
        .collect();
    values
        .iter()
        .enumerate()
        .map(|(index, value)| value - shape[index % season / width])
        .collect()
}

fn medians(values: &[f64], width: usize) -> Vec<f64> {
    let mut scratch = Vec::with_capacity(width);
    values
        .rchunks_exact(width)
        .rev()
        .map(|block| {
            scratch.clear();
            scratch.extend(block.iter().filter(|value| value.is_finite()));
            median(&mut scratch).unwrap_or(f64::NAN)
        })
        .collect()
}

/// The split with the largest gain in squared error, and the difference of the medians beside it.
fn split(blocks: &[f64]) -> Option<(usize, f64)> {
    let known = |range: &[f64]| {
        range
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect::<Vec<f64>>()
    };
    let total: f64 = known(blocks).iter().sum();

    let count = known(blocks).len() as f64;
    let (mut sum, mut seen, mut best) = (0.0, 0.0, None::<(usize, f64)>);

    for (at, block) in blocks.iter().enumerate() {
        // Blocks in which nothing was measured bear no witness.
        if seen >= LEAST_BLOCKS as f64 && count - seen >= LEAST_BLOCKS as f64 {
            let difference = (total - sum) / (count - seen) - sum / seen;
            let gain = difference * difference * seen * (count - seen);
            if best.is_none_or(|(_, most)| gain > most) {
                best = Some((at, gain));
            }
        }
        if block.is_finite() {
            sum += block;
            seen += 1.0;
        }
    }

    let (at, _) = best?;
    let (mut before, mut after) = (known(&blocks[..at]), known(&blocks[at..]));
    let size = median(&mut after)? - median(&mut before)?;

    (size != 0.0).then_some((at, size))
}

/// Typical distance of the blocks from their side's median: the mean of both, so that quiet halves
/// do not hide a swing.
fn spread_around(blocks: &[f64], at: usize) -> f64 {
    let spread = |side: &[f64]| {
        let mut known: Vec<f64> = side
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect();
        let Some(middle) = median(&mut known) else {
            return 0.0;
        };
        known
            .iter()
            .map(|value| (value - middle).abs())
            .sum::<f64>()
            / known.len() as f64
    };
    0.5 * (spread(&blocks[..at]) + spread(&blocks[at..])) + 1e-9 * blocks[at].abs()
}

/// By which factor the level changed, if the swing changed alike; else 1.
fn factor(values: &[f64], slot: usize) -> f64 {
    let figures = |side: &[f64]| {
        let known: Vec<f64> = side
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect();
        let count = known.len().max(1) as f64;
        let mean = known.iter().sum::<f64>() / count;
        (
            mean,
            known.iter().map(|value| (value - mean).abs()).sum::<f64>() / count,
        )
    };

    let ((level_before, swing_before), (level_after, swing_after)) =
        (figures(&values[..slot]), figures(&values[slot..]));
    let all_positive = values.iter().all(|value| value.is_nan() || *value >= 0.0);

    if !all_positive
        || level_before <= 0.0
        || swing_before <= 0.0
        || level_after <= 0.0
        || swing_after <= 0.0
    {
        return 1.0;
    }

    let (levels, swings) = (
        (level_after / level_before).ln(),
        (swing_after / swing_before).ln(),
    );
    if (swings - levels).abs() < swings.abs() {
        levels.exp()
    } else {
        1.0
    }
}
