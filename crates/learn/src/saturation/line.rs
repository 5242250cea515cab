//! A candidate extrapolation: the gain that a line, an exponential or a repeated period foresees.

/// A candidate at an origin: gain over a number of steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct SaturationLine {
    /// Difference between its own level and the local one.
    pub(super) offset: f64,
    /// Gain in one bucket, in the unit of the series.
    pub(super) rate: f64,
    /// Relative growth of the rate per bucket.
    pub(super) growth: f64,
    /// First and last bucket of a period whose gains are repeated.
    pub(super) replay: Option<(usize, usize)>,
    /// `true` if the line only replaces a period that had not been seen yet.
    pub(super) unseen: bool,
}

impl SaturationLine {
    /// The gain, given the smoothed levels that a period is read from.
    pub(super) fn gain(&self, steps: f64, levels: &[f64]) -> f64 {
        if let Some((start, end)) = self.replay {
            let period = (end - start) as f64;
            let within = steps % period;
            let (index, share) = (start + within.floor() as usize, within.fract());
            let part = levels[index] * (1.0 - share) + levels[(index + 1).min(end)] * share;
            return (steps / period).floor() * (levels[end] - levels[start]) + part - levels[start];
        }

        if self.growth > 1e-9 {
            // Beyond a factor of seven nothing seen so far supports it.
            let exponent = (self.growth * steps).min(2.0);
            let beyond = steps - exponent / self.growth;
            return self.offset
                + self.rate * (exponent.exp_m1() / self.growth + exponent.exp() * beyond);
        }

        self.offset + self.rate * steps
    }
}
