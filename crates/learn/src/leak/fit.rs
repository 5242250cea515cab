//! One growth shape fitted by least squares within pieces that each have a level of their own, with
//! a standard error that respects autocorrelation.
//!
//! The long-run variance of the residuals is pre-whitened with a first-order autoregression
//! (Andrews and Monahan 1992), whose coefficient is corrected for its small-sample bias (Kendall
//! 1954), then smoothed with Bartlett weights (Newey and West 1987). Degrees of freedom are those
//! of as many independent points as the autocorrelation leaves, so that a short series that wanders
//! is not taken at its word. The pieces' levels are removed by demeaning (Frisch, Waugh and
//! Lovell).

use super::tail::student_upper;

/// Input of a fit: values, the piece of each, and a covariate to correct for (weekends).
#[derive(Debug)]
pub(crate) struct LeakSeries<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) pieces: &'a [usize],
    pub(crate) covariate: &'a [f64],
}

/// Result of fitting one shape by least squares.
#[derive(Debug, Clone)]
pub(crate) struct LeakFit {
    /// Coefficient of the shape.
    pub(crate) slope: f64,
    /// Standard error of the slope.
    pub(crate) error: f64,
    /// Degrees of freedom that the autocorrelation leaves.
    pub(crate) freedom: f64,
    /// Independent points that the series is worth.
    pub(crate) worth: f64,
}

impl LeakFit {
    /// Probability of a slope at least this steep where there is none.
    pub(crate) fn p_value(&self) -> f64 {
        if self.error > 0.0 {
            student_upper(self.slope / self.error, self.freedom)
        } else {
            f64::from(self.slope <= 0.0)
        }
    }
}

/// A series with the pieces' levels and the covariate taken out, ready for many shapes.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pieces: &'a [usize],
    y: Vec<f64>,
    z: Vec<f64>,
    zz: f64,
    yy: f64,
}

impl<'a> Prepared<'a> {
    /// Removes the level of each piece.
    pub(crate) fn new(series: &LeakSeries<'a>) -> Self {
        let mut y = demeaned(series.values, series.pieces);
        let z = demeaned(series.covariate, series.pieces);
        let zz = Some(dot(&z, &z))
            .filter(|zz| *zz > 1e-9 * y.len() as f64)
            .unwrap_or(0.0);
        freed(&mut y, &z, zz);

        Prepared {
            pieces: series.pieces,
            yy: dot(&y, &y),
            y,
            z,
            zz,
        }
    }

    /// Mean square around the pieces' own levels: what is left when nothing grows.
    pub(crate) fn loss_without_growth(&self) -> f64 {
        self.yy / self.y.len().max(1) as f64
    }

    /// Slope and mean square of the residuals of a shape; `None` where it does not vary within the
    /// pieces.
    pub(crate) fn glance(&self, shape: &[f64]) -> Option<(f64, f64)> {
        let (xx, xy) = self.products(&self.residue(shape), shape)?;
        Some((
            xy / xx,
            (self.yy - xy * xy / xx).max(0.0) / self.y.len() as f64,
        ))
    }

    /// The whole fit of a shape.
    pub(crate) fn fit(&self, shape: &[f64]) -> Option<LeakFit> {
        let (n, x) = (self.y.len(), self.residue(shape));
        let (xx, xy) = self.products(&x, shape)?;
        let slope = xy / xx;
        let residuals: Vec<f64> = self.y.iter().zip(&x).map(|(y, x)| y - slope * x).collect();
        let pieces = self.pieces.last().map_or(1, |last| last + 1);
        let rho = autocorrelation(&residuals, self.pieces, pieces);
        let worth = (n as f64 * (1.0 - rho) / (1.0 + rho)).min(n as f64);
        let variance = long_run_variance(&residuals, self.pieces, rho) / xx;

        Some(LeakFit {
            slope,
            error: variance.sqrt(),
            freedom: (worth - 2.0).max(2.0),
            worth,
        })
    }

    fn residue(&self, shape: &[f64]) -> Vec<f64> {
        let mut x = demeaned(shape, self.pieces);
        freed(&mut x, &self.z, self.zz);
        x
    }

    fn products(&self, x: &[f64], shape: &[f64]) -> Option<(f64, f64)> {
        let xx = dot(x, x);
        (xx > 1e-9 * dot(shape, shape) && x.len() >= 8).then(|| (xx, dot(x, &self.y)))
    }
}

/// Takes a covariate out.
fn freed(values: &mut [f64], covariate: &[f64], square: f64) {
    if square > 0.0 {
        let on = dot(values, covariate) / square;
        values
            .iter_mut()
            .zip(covariate)
            .for_each(|(value, z)| *value -= on * z);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn demeaned(values: &[f64], pieces: &[usize]) -> Vec<f64> {
    let count = pieces.last().map_or(0, |last| last + 1);
    let mut sums = vec![(0.0, 0.0); count];
    for (value, piece) in values.iter().zip(pieces) {
        sums[*piece].0 += value;
        sums[*piece].1 += 1.0;
    }

    values
        .iter()
        .zip(pieces)
        .map(|(value, piece)| value - sums[*piece].0 / sums[*piece].1)
        .collect()
}

/// First-order autocorrelation within pieces, bias-corrected, 0 to 0.97.
fn autocorrelation(residuals: &[f64], pieces: &[usize], count: usize) -> f64 {
    let (mut lagged, mut square) = (0.0, 0.0);
    for i in 1..residuals.len() {
        if pieces[i] == pieces[i - 1] {
            lagged += residuals[i] * residuals[i - 1];
            square += (residuals[i].powi(2) + residuals[i - 1].powi(2)) / 2.0;
        }
    }

    if square <= 0.0 {
        return 0.0;
    }

    let rho = lagged / square;
    // Each piece's own level and the slope cost what one mean costs a plain series.
    let length = residuals.len() as f64 / (count as f64 + 1.0);
    (rho + (1.0 + 3.0 * rho) / length.max(4.0)).clamp(0.0, 0.97)
}

fn long_run_variance(residuals: &[f64], pieces: &[usize], rho: f64) -> f64 {
    let whitened: Vec<f64> = (1..residuals.len())
        .filter(|i| pieces[*i] == pieces[i - 1])
        .map(|i| residuals[i] - rho * residuals[i - 1])
        .collect();
    let n = whitened.len() as f64;
    if n < 4.0 {
        return dot(residuals, residuals) / residuals.len().max(1) as f64;
    }

    let bandwidth = n.cbrt().ceil() as usize;
    let mut variance = dot(&whitened, &whitened) / n;
    let own = variance;
    for lag in 1..=bandwidth {
        let weight = 1.0 - lag as f64 / (bandwidth as f64 + 1.0);
        variance += 2.0 * weight * dot(&whitened[lag..], &whitened[..whitened.len() - lag]) / n;
    }

    // Bartlett weights keep the sum positive in theory; a floor keeps rounding from making
    // certainty out of little data.
    variance.max(0.2 * own) / (1.0 - rho).powi(2)
}
