//! The beta curve: `logit q = a ln p - b ln (1 - p) + c` (Kull, Silva Filho, Flach, "Beta
//! calibration", AISTATS 2017), with a prior around the identity, so that few predictions bend it
//! little.

use super::logistic::{LogisticBelief, LogisticRow, dot};
use super::sigmoid;

/// Strength of the prior that the curve is the identity, in pseudo-observations.
const FIRM: f64 = 12.0;

/// A monotone map of probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// Coefficient of `ln p`; 1 in the identity.
    pub a: f64,
    /// Coefficient of `-ln (1 - p)`; 1 in the identity.
    pub b: f64,
    /// Shift; 0 in the identity.
    pub c: f64,
}

impl Curve {
    /// The curve that maps each probability to itself.
    pub const IDENTITY: Curve = Curve {
        a: 1.0,
        b: 1.0,
        c: 0.0,
    };

    /// Fitted to predictions and what came.
    #[must_use]
    pub fn fit(pairs: &[(f64, bool)]) -> Curve {
        let rows: Vec<LogisticRow> = pairs
            .iter()
            .map(|(p, held)| LogisticRow {
                x: terms(*p),
                held: *held,
                weight: 1.0,
            })
            .collect();

        let prior = LogisticBelief::around(&[1.0, 1.0, 0.0], &[FIRM; 3]);
        let fitted = prior.fit(&rows.iter().collect::<Vec<_>>()).mean;

        // Both slopes must stay positive, or the curve would turn confidence round.
        match fitted.as_slice() {
            [a, b, c] if *a > 0.05 && *b > 0.05 && c.is_finite() => Curve {
                a: *a,
                b: *b,
                c: *c,
            },
            _ => Curve::IDENTITY,
        }
    }

    /// Returns the calibrated probability of a raw one; both lie between 0 and 1.
    #[must_use]
    pub fn apply(&self, p: f64) -> f64 {
        sigmoid(dot(&[self.a, self.b, self.c], &terms(p)))
    }
}

fn terms(p: f64) -> Vec<f64> {
    let p = if p.is_finite() {
        p.clamp(5e-4, 1.0 - 5e-4)
    } else {
        0.5
    };
    vec![p.ln(), -(1.0 - p).ln(), 1.0]
}
