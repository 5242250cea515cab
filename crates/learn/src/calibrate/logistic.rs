//! Logistic regression with a Gaussian prior, by Newton's method, and its Laplace approximation:
//! coefficients with a precision matrix, which a later example updates in one step (the extended
//! Kalman filter of Spiegelhalter and Lauritzen 1990).

use super::matrix::Symmetric;
use super::sigmoid;

/// Newton steps at most; it has converged long before on what is regularised.
const STEPS: usize = 40;

/// A Gaussian belief over coefficients.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LogisticBelief {
    pub(super) mean: Vec<f64>,
    pub(super) precision: Symmetric,
}

/// One row: figures, outcome, weight.
#[derive(Debug, Clone)]
pub(super) struct LogisticRow {
    pub(super) x: Vec<f64>,
    pub(super) held: bool,
    pub(super) weight: f64,
}

impl LogisticBelief {
    /// Independent coefficients around these, so precise.
    pub(super) fn around(mean: &[f64], precision: &[f64]) -> Self {
        LogisticBelief {
            mean: mean.to_vec(),
            precision: Symmetric::diagonal(precision),
        }
    }

    /// The belief after these rows.
    pub(super) fn fit(&self, rows: &[&LogisticRow]) -> LogisticBelief {
        let mut mean = self.mean.clone();
        let mut loss = self.loss(&mean, rows);

        for _ in 0..STEPS {
            let (gradient, curvature) = self.slopes(&mean, rows);
            let Some(factor) = curvature.factor() else {
                break;
            };
            let step = factor.solve(&gradient);
            let mut scale = 1.0;
            let mut better = None;
            while scale > 1e-3 {
                let next: Vec<f64> = mean.iter().zip(&step).map(|(m, s)| m - scale * s).collect();
                let candidate = self.loss(&next, rows);
                if candidate.is_finite() && candidate <= loss {
                    better = Some((next, candidate));
                    break;
                }
                scale /= 2.0;
            }
            let Some((next, candidate)) = better else {
                break;
            };
            let gained = loss - candidate;
            (mean, loss) = (next, candidate);
            if gained < 1e-9 * (1.0 + loss.abs()) {
                break;
            }
        }

        let (_, precision) = self.slopes(&mean, rows);
        LogisticBelief { mean, precision }
    }

    /// The belief after one more row, in one step.
    pub(super) fn update(&mut self, row: &LogisticRow) {
        let p = sigmoid(dot(&self.mean, &row.x));
        let mut next = self.precision.clone();
        next.add_outer(&row.x, row.weight * (p * (1.0 - p)).max(1e-4));
        let Some(factor) = next.factor() else { return };
        let error = row.weight * (f64::from(u8::from(row.held)) - p);
        let push: Vec<f64> = row.x.iter().map(|x| x * error).collect();
        let step = factor.solve(&push);
        for (mean, step) in self.mean.iter_mut().zip(step) {
            *mean += step.clamp(-1.0, 1.0);
        }

        self.precision = next;
    }

    /// The linear predictor and its variance.
    pub(super) fn predict(&self, x: &[f64]) -> (f64, f64) {
        let variance = self
            .precision
            .factor()
            .map_or(4.0, |factor| factor.inverse_form(x));
        (dot(&self.mean, x), variance)
    }

    fn loss(&self, mean: &[f64], rows: &[&LogisticRow]) -> f64 {
        let away: Vec<f64> = mean.iter().zip(&self.mean).map(|(a, b)| a - b).collect();
        let n = away.len();
        let mut total = 0.0;

        for i in 0..n {
            for j in 0..n {
                total += 0.5 * away[i] * self.precision.cells[i * n + j] * away[j];
            }
        }

        for row in rows {
            let z = dot(mean, &row.x);
            // ln(1 + e^z) without overflow.
            let soft = z.max(0.0) + (-z.abs()).exp().ln_1p();
            total += row.weight * (soft - if row.held { z } else { 0.0 });
        }

        total
    }

    fn slopes(&self, mean: &[f64], rows: &[&LogisticRow]) -> (Vec<f64>, Symmetric) {
        let n = mean.len();
        let mut curvature = self.precision.clone();
        let mut gradient = vec![0.0; n];

        for (i, cell) in gradient.iter_mut().enumerate() {
            *cell = (0..n)
                .map(|j| self.precision.cells[i * n + j] * (mean[j] - self.mean[j]))
                .sum();
        }

        for row in rows {
            let p = sigmoid(dot(mean, &row.x));
            let error = row.weight * (p - f64::from(u8::from(row.held)));
            for (cell, x) in gradient.iter_mut().zip(&row.x) {
                *cell += error * x;
            }
            curvature.add_outer(&row.x, row.weight * (p * (1.0 - p)).max(1e-9));
        }

        (gradient, curvature)
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
