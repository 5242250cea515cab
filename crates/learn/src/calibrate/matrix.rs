//! Small symmetric positive definite systems: Cholesky's factorisation, for matrices of at most
//! some dozen rows.

/// A symmetric matrix by rows, `n * n` numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Symmetric {
    pub(super) n: usize,
    pub(super) cells: Vec<f64>,
}

impl Symmetric {
    /// With these numbers on the diagonal and zeros elsewhere.
    pub(super) fn diagonal(values: &[f64]) -> Self {
        let n = values.len();
        let mut cells = vec![0.0; n * n];
        for (i, value) in values.iter().enumerate() {
            cells[i * n + i] = *value;
        }
        Symmetric { n, cells }
    }

    /// Adds `weight * x xᵀ`.
    pub(super) fn add_outer(&mut self, x: &[f64], weight: f64) {
        for (i, a) in x.iter().enumerate().take(self.n) {
            for (j, b) in x.iter().enumerate().take(self.n) {
                self.cells[i * self.n + j] += weight * a * b;
            }
        }
    }

    /// The lower factor; `None` when it is not positive definite.
    pub(super) fn factor(&self) -> Option<Factor> {
        let n = self.n;
        let mut lower = vec![0.0; n * n];

        for i in 0..n {
            for j in 0..=i {
                let mut sum = self.cells[i * n + j];
                for k in 0..j {
                    sum -= lower[i * n + k] * lower[j * n + k];
                }
                if i == j {
                    if sum <= 0.0 || !sum.is_finite() {
                        return None;
                    }
                    lower[i * n + i] = sum.sqrt();
                } else {
                    lower[i * n + j] = sum / lower[j * n + j];
                }
            }
        }

        Some(Factor { n, lower })
    }
}

/// A lower triangular factor.
#[derive(Debug, Clone)]
pub(super) struct Factor {
    n: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// Solves `A x = b`.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut x = self.forward(b);

        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] -= self.lower[k * n + i] * x[k];
            }
            x[i] /= self.lower[i * n + i];
        }
        x
    }

    /// Computes `xᵀ A⁻¹ x`, the quadratic form of the inverse.
    pub(super) fn inverse_form(&self, x: &[f64]) -> f64 {
        self.forward(x).iter().map(|v| v * v).sum()
    }

    fn forward(&self, b: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut y = vec![0.0; n];

        for i in 0..n {
            let mut sum = b.get(i).copied().unwrap_or(0.0);
            for (k, known) in y.iter().enumerate().take(i) {
                sum -= self.lower[i * n + k] * known;
            }
            y[i] = sum / self.lower[i * n + i];
        }

        y
    }
}
