//! Weights for the features, learnt from forecasts made at past origins: stacking (Wolpert, 1992)
//! by least absolute errors (iterated reweighting) with a ridge towards weights by inverse error,
//! and errors of weights that never saw them.

use super::frame::MOST;

/// One past forecast that can be judged: features and truth, both less the centre.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForecastCase {
    pub features: [f64; MOST],
    pub truth: f64,
    pub weight: f64,
    /// Weight in learning: lower if a season was not known yet.
    pub says: f64,
    /// Part of the past that the origin is in, for cross-validation.
    pub fold: usize,
    /// Natural size of errors at its target.
    pub scale: f64,
}

/// Parts the past is divided into; each is judged by weights learnt from the others.
pub(super) const FOLDS: usize = 4;

/// Weights and how much of the prior they are.
pub(super) type Share = ([f64; MOST], f64);

/// Weights, and what they would have missed.
pub(super) struct Stacked {
    pub weights: [f64; MOST],
    /// The error of each case by weights learnt without its fold.
    pub errors: Vec<f64>,
}

/// Largest loss that learnt weights may have, as a share of the plain forecast's loss, to be kept.
const WORTH: f64 = 0.95;

impl Stacked {
    /// Falls back on plain weights unless the learnt ones would have missed clearly less where they
    /// had not learnt. Returns `true` if it did.
    pub(super) fn keep_to(
        &mut self,
        plain: &[f64; MOST],
        cases: &[ForecastCase],
        count: usize,
    ) -> bool {
        let missed: Vec<f64> = cases
            .iter()
            .map(|case| case.truth - dot(plain, &case.features, count))
            .collect();
        let sum = |errors: &[f64]| {
            cases
                .iter()
                .zip(errors)
                .map(|(case, error)| case.weight * error.abs())
                .sum::<f64>()
        };
        let falls_back = sum(&self.errors) > WORTH * sum(&missed);

        if falls_back {
            (self.weights, self.errors) = (*plain, missed);
        }

        falls_back
    }
}

pub(super) fn dot(weights: &[f64; MOST], features: &[f64; MOST], count: usize) -> f64 {
    weights[..count]
        .iter()
        .zip(&features[..count])
        .map(|(weight, feature)| weight * feature)
        .sum()
}

/// Weights that keep the absolute error small; `ridge` is how strongly they are held to a prior:
/// weights by inverse error, mixed with those of `nearer` steps and then with the `usual` ones by
/// the share beside them, since far ahead little was seen that does not overlap. What is usual
/// counts the less, the more it would have missed here.
pub(super) fn stack(
    cases: &[ForecastCase],
    count: usize,
    nearer: Option<Share>,
    usual: Option<Share>,
    ridge: f64,
) -> Stacked {
    let mut prior = prior(cases, count);
    if let Some((weights, share)) = nearer {
        mix(&mut prior, &weights, share);
    }

    if let Some((weights, share)) = usual {
        let (own, other) = (loss(cases, count, &prior), loss(cases, count, &weights));
        let fit = if other > own {
            (own / other).powi(2)
        } else {
            1.0
        };
        mix(&mut prior, &weights, share * fit);
    }

    let mut weights = prior;
    let mut parts = [[[0.0; MOST + 1]; MOST]; FOLDS];
    for _ in 0..2 {
        parts = gather(cases, count, &weights);
        weights = solve(&sum(&parts, None), count, &prior, ridge);
    }

    let without: Vec<[f64; MOST]> = (0..FOLDS)
        .map(|fold| solve(&sum(&parts, Some(fold)), count, &prior, ridge))
        .collect();
    let errors = cases
        .iter()
        .map(|case| case.truth - dot(&without[case.fold % FOLDS], &case.features, count))
        .collect();
    Stacked { weights, errors }
}

fn mix(own: &mut [f64; MOST], others: &[f64; MOST], share: f64) {
    own.iter_mut()
        .zip(others)
        .for_each(|(own, other)| *own += share * (other - *own));
}

/// Returns the loss of the weights over the cases.
fn loss(cases: &[ForecastCase], count: usize, weights: &[f64; MOST]) -> f64 {
    cases
        .iter()
        .map(|case| {
            case.weight * case.says * (case.truth - dot(weights, &case.features, count)).abs()
        })
        .sum()
}

/// Weights by the inverse eighth power of the mean absolute error: nearly the best few, never only
/// one.
fn prior(cases: &[ForecastCase], count: usize) -> [f64; MOST] {
    let mut losses = [0.0; MOST];
    for case in cases {
        for (loss, feature) in losses[..count].iter_mut().zip(&case.features) {
            *loss += case.weight * case.says * (case.truth - feature).abs();
        }
    }

    let best = losses[..count]
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    let mut weights = [0.0; MOST];

    for (weight, loss) in weights[..count].iter_mut().zip(losses) {
        *weight = if loss <= best {
            1.0
        } else {
            (best / loss).powi(8)
        };
    }

    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

/// Normal equations; the last column is the right-hand side. The lower triangle is filled.
type Normal = [[f64; MOST + 1]; MOST];

fn gather(cases: &[ForecastCase], count: usize, weights: &[f64; MOST]) -> [Normal; FOLDS] {
    let errors: Vec<f64> = cases
        .iter()
        .map(|case| (case.truth - dot(weights, &case.features, count)).abs())
        .collect();
    let typical = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    let mut parts = [[[0.0; MOST + 1]; MOST]; FOLDS];

    for (case, error) in cases.iter().zip(errors) {
        // Least absolute errors are least squares weighted by the inverse error.
        let factor = case.weight * case.says / error.max(0.1 * typical).max(f64::MIN_POSITIVE);
        let part = &mut parts[case.fold % FOLDS];
        for row in 0..count {
            let scaled = factor * case.features[row];
            for (cell, feature) in part[row][..=row].iter_mut().zip(&case.features) {
                *cell += scaled * feature;
            }
            part[row][MOST] += scaled * case.truth;
        }
    }

    parts
}

fn sum(parts: &[Normal; FOLDS], without: Option<usize>) -> Normal {
    let mut total = [[0.0; MOST + 1]; MOST];
    for (_, part) in parts
        .iter()
        .enumerate()
        .filter(|(fold, _)| Some(*fold) != without)
    {
        for (row, add) in total.iter_mut().zip(part) {
            row.iter_mut()
                .zip(add)
                .for_each(|(cell, more)| *cell += more);
        }
    }

    total
}

/// Ridge regression towards the prior, by Cholesky's decomposition. What cannot be solved answers
/// the prior.
fn solve(normal: &Normal, count: usize, prior: &[f64; MOST], ridge: f64) -> [f64; MOST] {
    let mean = (0..count).map(|at| normal[at][at]).sum::<f64>() / count.max(1) as f64;
    if !(mean > 0.0 && mean.is_finite()) {
        return *prior;
    }

    let mut lower = [[0.0; MOST]; MOST];
    let mut right = [0.0; MOST];

    for row in 0..count {
        let penalty = ridge * (normal[row][row] + 0.05 * mean);
        right[row] = normal[row][MOST] + penalty * prior[row];
        for column in 0..=row {
            let mut cell = normal[row][column] + if row == column { penalty } else { 0.0 };
            for (own, above) in lower[row].iter().zip(&lower[column]).take(column) {
                cell -= own * above;
            }
            lower[row][column] = if row == column {
                cell.max(1e-12 * mean).sqrt()
            } else {
                cell / lower[column][column]
            };
        }
    }

    for row in 0..count {
        let known: f64 = (0..row).map(|inner| lower[row][inner] * right[inner]).sum();
        right[row] = (right[row] - known) / lower[row][row];
    }

    for row in (0..count).rev() {
        let known: f64 = (row + 1..count)
            .map(|inner| lower[inner][row] * right[inner])
            .sum();
        right[row] = (right[row] - known) / lower[row][row];
    }

    if right.iter().all(|weight| weight.is_finite()) {
        right
    } else {
        *prior
    }
}
