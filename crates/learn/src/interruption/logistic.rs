//! Logistic regression with a Gaussian prior on each coefficient, fitted by Newton's steps; the
//! posterior is approximated by a Gaussian at its mode (Laplace), so that a probability comes with
//! an interval that is wide where little was seen.

/// Prior of a coefficient: mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct InterruptionBelief {
    /// Mean of the coefficient.
    pub(crate) mean: f64,
    /// Standard deviation, above zero.
    pub(crate) deviation: f64,
}

/// A fitted model: coefficients and their covariance.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Logistic {
    pub(crate) coefficients: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

/// One observation: features, outcome, weight.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    pub(crate) features: Vec<f64>,
    pub(crate) outcome: bool,
    pub(crate) weight: f64,
}

const MOST_STEPS: usize = 30;

impl Logistic {
    /// Fits; without examples the model is the prior.
    pub(crate) fn fit(examples: &[Example], beliefs: &[InterruptionBelief]) -> Logistic {
        let mut coefficients: Vec<f64> = beliefs.iter().map(|belief| belief.mean).collect();
        let mut covariance = Vec::new();

        for _ in 0..MOST_STEPS {
            let (gradient, curvature) = derivatives(examples, beliefs, &coefficients);
            covariance = inverse(&curvature);
            let step: Vec<f64> = covariance.iter().map(|row| dot(row, &gradient)).collect();
            // Newton overshoots where curvature vanishes; a bounded step does not.
            let length = step.iter().fold(0.0f64, |most, one| most.max(one.abs()));
            let share = (2.0 / length.max(1e-300)).min(1.0);
            coefficients
                .iter_mut()
                .zip(&step)
                .for_each(|(coefficient, one)| *coefficient += share * one);
            if length < 1e-8 {
                break;
            }
        }

        Logistic {
            coefficients,
            covariance,
        }
    }

    /// The logit and its standard deviation.
    pub(crate) fn logit(&self, features: &[f64]) -> (f64, f64) {
        let spread: f64 = self
            .covariance
            .iter()
            .zip(features)
            .map(|(row, one)| one * dot(row, features))
            .sum();
        (dot(&self.coefficients, features), spread.max(0.0).sqrt())
    }
}

/// The probability of a logit.
pub(crate) fn probability(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

fn derivatives(
    examples: &[Example],
    beliefs: &[InterruptionBelief],
    at: &[f64],
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = beliefs.len();
    let mut gradient: Vec<f64> = beliefs
        .iter()
        .zip(at)
        .map(|(belief, now)| (belief.mean - now) / belief.deviation.powi(2))
        .collect();
    let mut curvature = vec![vec![0.0; size]; size];
    for (index, belief) in beliefs.iter().enumerate() {
        curvature[index][index] = belief.deviation.powi(-2);
    }

    for example in examples {
        let chance = probability(dot(at, &example.features));
        let away = example.weight * (f64::from(example.outcome) - chance);
        let bend = example.weight * (chance * (1.0 - chance)).max(1e-12);
        for (row, x) in example
            .features
            .iter()
            .enumerate()
            .filter(|(_, x)| **x != 0.0)
        {
            gradient[row] += away * x;
            for (cell, y) in curvature[row]
                .iter_mut()
                .zip(&example.features)
                .take(row + 1)
            {
                *cell += bend * x * y;
            }
        }
    }

    let lower = curvature.clone();
    for (row, cells) in curvature.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate().skip(row + 1) {
            *cell = lower[column][row];
        }
    }

    (gradient, curvature)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of a symmetric positive matrix, by Gauss and Jordan; the prior keeps every pivot
/// above zero.
fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut left = matrix.to_vec();
    let mut right: Vec<Vec<f64>> = (0..size)
        .map(|row| (0..size).map(|column| f64::from(row == column)).collect())
        .collect();

    for pivot in 0..size {
        let scale = left[pivot][pivot].max(1e-300);
        left[pivot]
            .iter_mut()
            .chain(&mut right[pivot])
            .for_each(|cell| *cell /= scale);
        let (pivot_left, pivot_right) = (left[pivot].clone(), right[pivot].clone());
        for row in (0..size).filter(|row| *row != pivot) {
            let factor = left[row][pivot];
            left[row]
                .iter_mut()
                .zip(&pivot_left)
                .for_each(|(cell, one)| *cell -= factor * one);
            right[row]
                .iter_mut()
                .zip(&pivot_right)
                .for_each(|(cell, one)| *cell -= factor * one);
        }
    }

    right
}
