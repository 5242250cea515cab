//! Smoothed tracks of a series: each value is known at its own index, so that a forecast from any
//! origin is a look-up.
//!
//! A *level* track is exponential smoothing from step to step (Brown, 1956); a *seasonal* track is
//! exponential smoothing from season to season, each phase for itself (the seasonal half of
//! Winters, 1960), with the weight `1/k` while fewer than `1/alpha` seasons were seen. A gap
//! carries the last state on.

/// Exponential smoothing with a half-life in steps; before the first finite value it is not a
/// number.
pub(super) fn level(values: &[f64], half_life: f64) -> Vec<f64> {
    let alpha = 1.0 - 0.5f64.powf(1.0 / half_life.max(1e-3));
    let mut seen = 0u32;
    let mut state = f64::NAN;

    values
        .iter()
        .map(|value| {
            if value.is_finite() {
                seen = seen.saturating_add(1);
                let weight = alpha.max(1.0 / f64::from(seen));
                state = if state.is_nan() {
                    *value
                } else {
                    state + weight * (value - state)
                };
            }
            state
        })
        .collect()
}

/// A seasonal track: what its phase was worth after each index.
#[derive(Debug, Clone)]
pub(super) struct Seasonal {
    /// Period of the season, in steps.
    pub period: usize,
    /// Steps after an index at which its value is complete (half the width it is smoothed over).
    pub lead: usize,
    pub values: Vec<f64>,
}

impl Seasonal {
    /// Smooths from season to season with weight `alpha`, after smoothing over `2 * lead + 1`
    /// neighbouring steps.
    pub(super) fn fit(values: &[f64], period: usize, alpha: f64, lead: usize) -> Self {
        let source = if lead > 0 {
            neighbours(values, lead)
        } else {
            Vec::new()
        };
        let input = if lead > 0 { source.as_slice() } else { values };
        let mut track: Vec<f64> = Vec::with_capacity(input.len());

        for (index, value) in input.iter().enumerate() {
            let before = if index >= period {
                track[index - period]
            } else {
                f64::NAN
            };
            let weight = alpha.max(1.0 / (index / period + 1) as f64);
            track.push(match (before.is_finite(), value.is_finite()) {
                (true, true) => before + weight * (value - before),
                (true, false) => before,
                (false, _) => *value,
            });
        }

        Seasonal {
            period,
            lead,
            values: track,
        }
    }

    /// The median of the last `times` seasons at each phase, smoothed over `2 * lead + 1`
    /// neighbouring steps after that.
    pub(super) fn middle(values: &[f64], period: usize, times: usize, lead: usize) -> Self {
        let mut seen = Vec::with_capacity(times);
        let medians: Vec<f64> = (0..values.len())
            .map(|index| {
                seen.clear();
                seen.extend(
                    (0..times)
                        .map_while(|back| values.get(index.checked_sub(back * period)?))
                        .filter(|value| value.is_finite()),
                );
                seen.sort_unstable_by(f64::total_cmp);
                match seen.len() {
                    0 => f64::NAN,
                    count if count % 2 == 0 => 0.5 * seen[count / 2 - 1] + 0.5 * seen[count / 2],
                    count => seen[count / 2],
                }
            })
            .collect();

        Seasonal {
            period,
            lead,
            values: if lead > 0 {
                neighbours(&medians, lead)
            } else {
                medians
            },
        }
    }

    /// Returns the season's value for `target` when everything up to `origin` is known, with the
    /// number of steps it is before the target; `None` when the phase was never seen.
    pub(super) fn at(&self, origin: usize, target: usize) -> Option<(f64, usize)> {
        let back = (target + self.lead)
            .saturating_sub(origin)
            .div_ceil(self.period)
            * self.period;
        let value = *self.values.get(target.checked_sub(back)?)?;
        value.is_finite().then_some((value, back))
    }
}

/// The trend at each index, per step: the smoothed change over a season, so that the season itself
/// is none. It is believed as far as the changes agree with each other: noise that comes and goes
/// has no slope.
pub(super) fn slopes(values: &[f64], unit: usize) -> Vec<f64> {
    let changes: Vec<f64> = (0..values.len())
        .map(|index| {
            index.checked_sub(unit).map_or(f64::NAN, |before| {
                (values[index] - values[before]) / unit as f64
            })
        })
        .collect();
    let sizes: Vec<f64> = changes.iter().map(|change| change.abs()).collect();

    let half_life = 3.0 * unit as f64;
    let (mean, size) = (level(&changes, half_life), level(&sizes, half_life));
    mean.iter()
        .zip(size)
        .map(|(mean, size)| {
            let agreement = if size > 0.0 { mean.abs() / size } else { 0.0 };
            let belief = ((agreement - 0.7) / 0.25).clamp(0.0, 1.0);
            if belief > 0.0 { belief * mean } else { 0.0 }
        })
        .collect()
}

/// The mean of the finite values within `reach` steps on each side.
pub(super) fn neighbours(values: &[f64], reach: usize) -> Vec<f64> {
    let mut sums = Vec::with_capacity(values.len() + 1);
    let mut counts: Vec<u32> = Vec::with_capacity(values.len() + 1);
    let (mut sum, mut count) = (0.0, 0);
    sums.push(sum);
    counts.push(count);

    for value in values {
        if value.is_finite() {
            sum += value;
            count += 1;
        }
        sums.push(sum);
        counts.push(count);
    }

    (0..values.len())
        .map(|index| {
            let (from, to) = (
                index.saturating_sub(reach),
                (index + reach + 1).min(values.len()),
            );
            let inside = counts[to] - counts[from];
            if inside > 0 {
                (sums[to] - sums[from]) / f64::from(inside)
            } else {
                f64::NAN
            }
        })
        .collect()
}
