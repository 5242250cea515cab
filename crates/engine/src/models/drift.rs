//! Drift test: compares present data with the training data by the two-sample test of Kolmogorov
//! and Smirnov and an effect size, because with thousands of samples every difference is
//! significant.

/// Quantiles that stand for a training's data.
const KEPT: usize = 101;
/// Chance of a false alarm at most: c(α) = sqrt(-ln(α/2)/2) for 0.001.
const CRITICAL: f64 = 1.949;
/// Distances below this do not matter, however certain.
const EFFECT: f64 = 0.2;

/// Result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The largest distance between the two cumulative distributions, 0 to 1.
    pub distance: f64,
    /// `true` if the difference is both significant and large.
    pub drifted: bool,
}

/// Returns the reference to compare later figures with: evenly spaced quantiles.
pub(super) fn reference(figures: &[f64]) -> Vec<f64> {
    let sorted = reeve_learn::quantile::sorted(figures);
    if sorted.len() <= KEPT {
        return sorted;
    }
    (0..KEPT)
        .map(|at| sorted[at * (sorted.len() - 1) / (KEPT - 1)])
        .collect()
}

/// Compares kept quantiles with new figures; `None` without either.
#[must_use]
pub fn drift(reference: &[f64], figures: &[f64]) -> Option<Drift> {
    let (old, new) = (
        reeve_learn::quantile::sorted(reference),
        reeve_learn::quantile::sorted(figures),
    );
    if old.is_empty() || new.is_empty() {
        return None;
    }

    let share = |sorted: &[f64], at: f64| {
        sorted.partition_point(|value| *value <= at) as f64 / sorted.len() as f64
    };

    let distance = old
        .iter()
        .chain(&new)
        .map(|at| (share(&old, *at) - share(&new, *at)).abs())
        .fold(0.0, f64::max);
    let (n, m) = (old.len() as f64, new.len() as f64);
    let certain = distance > CRITICAL * ((n + m) / (n * m)).sqrt();

    Some(Drift {
        distance,
        drifted: certain && distance > EFFECT,
    })
}
