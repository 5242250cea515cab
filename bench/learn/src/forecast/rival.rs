//! Forecasts that know nothing: negative controls, with the empirical interval of their own past
//! errors.

use super::score::Method;

/// A naive forecast from one origin.
pub(super) struct Rival {
    pub method: Method,
    middle: Vec<f64>,
    errors: [f64; 2],
}

impl Rival {
    /// All of them. `past` ends at the origin; `day` is in steps.
    pub(super) fn all(past: &[f64], day: usize, horizon: usize) -> Vec<Rival> {
        [
            (Method::Daily, day),
            (Method::Weekly, 7 * day),
            (Method::Last, 1),
        ]
        .into_iter()
        .map(|(method, period)| {
            // A week nobody saw is answered by the day before.
            let period = if past.len() >= period { period } else { day };
            Rival {
                method,
                middle: repeat(past, period, horizon),
                errors: errors(past, period),
            }
        })
        .collect()
    }

    /// The 5 %, 50 % and 95 % of a step, from 1.
    pub(super) fn at(&self, step: usize) -> [f64; 3] {
        let middle = self.middle[step - 1];
        [middle + self.errors[0], middle, middle + self.errors[1]]
    }
}

/// The last season again and again; what it did not measure is taken from the season before, then
/// from the last value.
fn repeat(past: &[f64], period: usize, horizon: usize) -> Vec<f64> {
    let last = past
        .iter()
        .rev()
        .copied()
        .find(|value| value.is_finite())
        .unwrap_or(0.0);

    let season = |step: usize| {
        let mut at = past.len() - period + (step - 1) % period;
        while !past[at].is_finite() {
            at = at.checked_sub(period)?;
        }
        Some(past[at])
    };

    (1..=horizon)
        .map(|step| season(step).unwrap_or(last))
        .collect()
}

/// The 5 % and 95 % of what it missed in the past, a season ahead.
fn errors(past: &[f64], period: usize) -> [f64; 2] {
    let mut found: Vec<f64> = (period..past.len())
        .map(|at| past[at] - past[at - period])
        .collect();
    found.retain(|error| error.is_finite());
    found.sort_unstable_by(f64::total_cmp);
    let quantile = |share: f64| {
        found
            .get((share * found.len() as f64) as usize)
            .copied()
            .unwrap_or(0.0)
    };

    [quantile(0.05), quantile(0.95)]
}
