//! Abrupt changes of level: releases (a restart, a collection, a purge) and upward shifts (a
//! deployment, a new tenant).
//!
//! A break is a bucket boundary where the medians on both sides differ by far more than they do
//! elsewhere, and stay apart. Trends are sought within the pieces between breaks, so neither a
//! sawtooth nor one shift can pass for a trend, nor hide one.

use super::buckets::{median, spread};

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Break {
    /// The first bucket after it.
    pub(crate) index: usize,
    /// By how much the level moved; a release is negative.
    pub(crate) size: f64,
}

/// Buckets compared on each side.
const SIDE: usize = 3;
/// Buckets over which a change must last.
const LASTING: usize = 8;
/// Drop that counts as a release, as a multiple of the usual difference.
const RELEASE: f64 = 6.0;
/// Rise that counts as a shift, as a multiple of the usual difference. It is set high, since taking
/// a climb for a shift would hide a leak.
const SHIFT: f64 = 8.0;
/// More upward shifts than this are a staircase, which is growth.
const MOST_SHIFTS: usize = 2;

/// The breaks of a series, oldest first.
pub(crate) fn find(values: &[f64]) -> Vec<Break> {
    if values.len() < 4 * SIDE {
        return Vec::new();
    }

    let jumps: Vec<f64> = (0..values.len())
        .map(|index| jump(values, index, SIDE))
        .collect();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let range = sorted[sorted.len() * 9 / 10] - sorted[sorted.len() / 10];
    let usual = spread(&jumps).max(0.02 * range);
    let mut found: Vec<Break> = candidates(values, &jumps, usual);
    found.sort_by(|a, b| {
        b.size
            .abs()
            .total_cmp(&a.size.abs())
            .then(a.index.cmp(&b.index))
    });

    let mut kept: Vec<Break> = Vec::new();
    for one in found {
        if kept
            .iter()
            .all(|other| other.index.abs_diff(one.index) > SIDE)
        {
            kept.push(one);
        }
    }

    if kept.iter().filter(|one| one.size > 0.0).count() > MOST_SHIFTS {
        kept.retain(|one| one.size < 0.0);
    }

    kept.sort_by_key(|one| one.index);
    kept
}

fn candidates(values: &[f64], jumps: &[f64], usual: f64) -> Vec<Break> {
    let mut found = Vec::new();
    for (index, size) in jumps
        .iter()
        .copied()
        .enumerate()
        .take(values.len() - 1)
        .skip(2)
    {
        let bar = usual * if size < 0.0 { RELEASE } else { SHIFT };
        if size.abs() > bar && bar > 0.0 {
            let lasting = jump(values, index, LASTING);
            if lasting * size > 0.0 && lasting.abs() > 0.4 * size.abs() {
                found.push(Break {
                    index: sharpest(values, index),
                    size,
                });
            }
        }
    }

    found
}

/// Median of the buckets from `index` on, minus the median of those before it.
fn jump(values: &[f64], index: usize, side: usize) -> f64 {
    let mut before = values[index.saturating_sub(side)..index].to_vec();
    let mut after = values[index..(index + side).min(values.len())].to_vec();
    if before.is_empty() || after.is_empty() {
        0.0
    } else {
        median(&mut after) - median(&mut before)
    }
}

/// The boundary within reach with the largest single step in the direction of the jump.
fn sharpest(values: &[f64], index: usize) -> usize {
    let sign = jump(values, index, SIDE).signum();
    let step = |at: usize| sign * (values[at] - values[at - 1]);
    let reach = index.saturating_sub(SIDE - 1).max(1)..(index + SIDE).min(values.len());
    reach
        .max_by(|a, b| step(*a).total_cmp(&step(*b)))
        .unwrap_or(index)
}
