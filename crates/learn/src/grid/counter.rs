//! Counters: values that only grow until whatever counts restarts at zero.

/// A counter made continuous.
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    /// The values with every reset undone: never falling, ending at the last raw value.
    pub values: Vec<f64>,
    /// Slots at which it had restarted.
    pub resets: Vec<usize>,
}

/// Undoes the resets of a counter; `None` when the series does not look like one: at least 24
/// values, none negative, growing at half of its steps or more, and wherever it falls (at most once
/// in 24 steps) it falls to under a tenth. After a reset the count is what was counted since, as
/// Prometheus' `increase` reads it.
#[must_use]
pub fn unwrap_counter(values: &[f64]) -> Option<Counter> {
    let measured: Vec<(usize, f64)> = values
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, v)| v.is_finite())
        .collect();

    if measured.len() < 24 || measured.iter().any(|(_, value)| *value < 0.0) {
        return None;
    }

    let (mut grown, mut resets) = (0usize, Vec::new());
    for pair in measured.windows(2) {
        let ((_, before), (slot, after)) = (pair[0], pair[1]);
        if after > before {
            grown += 1;
        } else if after < before {
            if after > 0.1 * before {
                return None;
            }
            resets.push(slot);
        }
    }

    if grown * 2 < measured.len() || resets.len() * 24 > measured.len() {
        return None;
    }

    let mut unwrapped = values.to_vec();
    let mut behind = 0.0;
    let mut newer: Option<f64> = None;

    // From the newest backwards, so that the end keeps its raw value and only the past moves.
    for slot in (0..unwrapped.len()).rev() {
        let raw = values[slot];
        if !raw.is_finite() {
            continue;
        }
        if newer.is_some_and(|newer| newer < raw) {
            behind -= raw;
        }
        unwrapped[slot] = raw + behind;
        newer = Some(raw);
    }

    Some(Counter {
        values: unwrapped,
        resets,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_reset_is_undone_and_the_end_keeps_its_value() {
        let raw: Vec<f64> = (0..60)
            .map(|i| f64::from(if i < 40 { i * 5 } else { (i - 40) * 5 + 3 }))
            .collect();
        let counter = unwrap_counter(&raw).unwrap();
        assert_eq!(counter.resets, [40]);
        assert_eq!(counter.values.last(), raw.last());
        assert!(counter.values.windows(2).all(|pair| pair[1] >= pair[0]));
        assert_eq!(counter.values[39], 0.0);
        assert_eq!(counter.values[40] - counter.values[39], 3.0);
    }

    #[test]
    fn gauges_are_no_counters() {
        let wave: Vec<f64> = (0..100)
            .map(|i| 50.0 + 20.0 * (f64::from(i) / 5.0).sin())
            .collect();
        assert_eq!(unwrap_counter(&wave), None);
        assert_eq!(unwrap_counter(&[5.0; 100]), None);

        // A sawtooth that empties every hour is a season, not a restart.
        let sawtooth: Vec<f64> = (0..240).map(|i| f64::from(i % 12)).collect();
        assert_eq!(unwrap_counter(&sawtooth), None);
    }
}
