//! Quantiles of past errors, widened by what a finite past cannot know (split conformal prediction:
//! Vovk, 2005; Lei and others, 2018), and the normal distribution where there is no past to speak
//! of.

/// Quantile levels kept: multiples of 1/40.
pub(super) const LEVELS: usize = 40;

/// The quantile function of errors, in units of their natural size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spread {
    /// Quantiles at 0, 1/40, ..., 1.
    pub at: [f64; LEVELS + 1],
}

impl Spread {
    /// Computes the spread of `(error, weight)` pairs from `origins` origins, of which about
    /// `evidence` do not overlap.
    pub(super) fn new(mut errors: Vec<(f64, f64)>, origins: f64, evidence: f64) -> Spread {
        errors.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = errors.iter().map(|(_, weight)| weight).sum();
        let quantile = |level: f64| weighted(&errors, level * total);

        // The bias is only taken as far as there is evidence for it.
        let bias = quantile(0.5) * evidence / (evidence + 4.0);
        let wider = 1.0 + 1.2 / evidence;
        let at = std::array::from_fn(|index| {
            let level = index as f64 / LEVELS as f64;
            // The finite-sample correction of conformal prediction; the several steps judged at an
            // origin count as two.
            let lift = 0.5 / (2.0 * origins);
            let reach = (level - 0.5) * (1.0 + 2.0 * lift) + 0.5;
            let reach = if level < 0.5 {
                reach - lift
            } else {
                reach + lift
            };
            let error = if index == LEVELS / 2 {
                quantile(0.5)
            } else {
                quantile(reach.clamp(0.0, 1.0))
            };
            bias + (error - quantile(0.5)) * wider
        });

        Spread { at }
    }

    /// The error at a level between 0 and 1.
    pub(super) fn error(&self, level: f64) -> f64 {
        let place = level.clamp(0.0, 1.0) * LEVELS as f64;
        let below = (place.floor() as usize).min(LEVELS - 1);
        let share = place - below as f64;
        self.at[below] * (1.0 - share) + self.at[below + 1] * share
    }

    /// Widens around the middle until 5 % and 95 % lie this far apart.
    pub(super) fn widen_to(&mut self, width: f64) {
        let (middle, own) = (self.error(0.5), self.width());
        if own > 0.0 && own < width {
            self.at
                .iter_mut()
                .for_each(|error| *error = middle + (*error - middle) * width / own);
        }
    }

    /// Moves the errors so that their middle is none.
    pub(super) fn centre(&mut self) {
        let middle = self.error(0.5);
        self.at.iter_mut().for_each(|error| *error -= middle);
    }

    /// Distance of the 5 % and 95 % quantiles.
    pub(super) fn width(&self) -> f64 {
        self.error(0.95) - self.error(0.05)
    }
}

fn weighted(sorted: &[(f64, f64)], until: f64) -> f64 {
    let mut run = 0.0;
    for (value, weight) in sorted {
        run += weight;
        if run >= until {
            return *value;
        }
    }
    sorted.last().map_or(0.0, |(value, _)| *value)
}

/// The standard normal quantile (Acklam's rational approximation, relative error under 1.2e-9).
pub(super) fn normal_quantile(level: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];

    const B: [f64; 5] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
    ];

    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];

    const D: [f64; 4] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
    ];

    let polynomial = |terms: &[f64], x: f64| terms.iter().fold(0.0, |sum, term| sum * x + term);
    let level = level.clamp(1e-12, 1.0 - 1e-12);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        polynomial(&C, q) / (polynomial(&D, q) * q + 1.0)
    };

    if level < 0.024_25 {
        tail(level)
    } else if level > 1.0 - 0.024_25 {
        -tail(1.0 - level)
    } else {
        let q = level - 0.5;
        let r = q * q;
        polynomial(&A, r) * q / (polynomial(&B, r) * r + 1.0)
    }
}

/// Returns the ratio of Student's 5 % quantile to the normal one, by degrees of freedom (Cornish
/// and Fisher's expansion; exact enough from two on, bounded below that).
pub(super) fn student_factor(freedom: f64) -> f64 {
    let (z, n) = (1.644_853_627_f64, freedom.max(1.5));
    let first = (z.powi(2) + 1.0) / (4.0 * n);
    let second = (5.0 * z.powi(4) + 16.0 * z.powi(2) + 3.0) / (96.0 * n * n);
    1.0 + first + second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_quantiles() {
        let check = |found: f64, expected: f64, within: f64| {
            assert!((found - expected).abs() < within, "{found} {expected}")
        };
        check(normal_quantile(0.975), 1.959_964, 1e-6);

        check(normal_quantile(0.05), -1.644_854, 1e-6);
        check(normal_quantile(0.001), -3.090_232, 1e-6);
        check(normal_quantile(0.5), 0.0, 1e-12);

        // Student's t at 95 %: 2.015 for 5 degrees of freedom, 1.812 for 10.
        check(student_factor(5.0) * 1.644_854, 2.015, 0.02);
        check(student_factor(10.0) * 1.644_854, 1.812, 0.005);
    }

    #[test]
    fn a_finite_past_widens() {
        let errors: Vec<(f64, f64)> = (0..1_000)
            .map(|i| (f64::from(i) / 500.0 - 1.0, 1.0))
            .collect();
        let sure = Spread::new(errors.clone(), 1e6, 1e6);
        assert!((sure.error(0.95) - 0.9).abs() < 0.01 && (sure.error(0.05) + 0.9).abs() < 0.01);
        assert!(Spread::new(errors, 50.0, 5.0).width() > 1.2 * sure.width());
        assert!(sure.at.is_sorted());
    }
}
