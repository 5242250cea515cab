//! Exact quantiles of raw points.
//!
//! Type 7 (linear interpolation between order statistics, the default of R, NumPy and spreadsheets)
//! after Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996.

/// The finite values, sorted.
#[must_use]
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut finite: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    finite.sort_unstable_by(f64::total_cmp);
    finite
}

/// The `percent`-th percentile, interpolated (type 7). `None` without finite values or for a
/// percent outside 0 to 100.
#[must_use]
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    percentile_of_sorted(&sorted(values), percent)
}

/// Returns the percentile of values that are already finite and sorted, see [`percentile`].
#[must_use]
pub fn percentile_of_sorted(sorted: &[f64], percent: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    if !(0.0..=100.0).contains(&percent) {
        return None;
    }

    let rank = percent / 100.0 * last as f64;
    let below = rank.floor() as usize;
    let low = *sorted.get(below)?;
    let high = *sorted.get((below + 1).min(last))?;

    // Clamped: interpolation may round one unit in the last place beyond its neighbours.
    Some((low + (rank - rank.floor()) * (high - low)).clamp(low, high))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn published_examples() {
        let check = |values: &[f64], percent: f64, interpolated: f64| {
            assert!(
                (percentile(values, percent).unwrap() - interpolated).abs() < 1e-12,
                "{values:?} {percent}"
            );
        };

        let five = [15.0, 20.0, 35.0, 40.0, 50.0];
        check(&five, 0.0, 15.0);
        check(&five, 5.0, 16.0);
        check(&five, 30.0, 23.0);
        check(&five, 40.0, 29.0);
        check(&five, 50.0, 35.0);
        check(&five, 100.0, 50.0);
        check(&[7.0], 99.0, 7.0);

        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        check(&hundred, 95.0, 95.05);
        check(&hundred, 99.0, 99.01);
    }

    #[test]
    fn refuses_what_has_no_answer() {
        assert_eq!(percentile(&[], 50.0), None);
        assert_eq!(percentile(&[f64::NAN, f64::INFINITY], 50.0), None);
        assert_eq!(percentile(&[1.0], 101.0), None);
        assert_eq!(percentile(&[1.0], f64::NAN), None);
        assert_eq!(percentile(&[1.0], -1.0), None);
        assert_eq!(percentile(&[f64::NAN, 4.0], 50.0), Some(4.0));
    }

    proptest! {
        #[test]
        fn interpolation_lies_between_its_neighbours(values in prop::collection::vec(-1e6f64..1e6, 1..200), percent in 0f64..=100.0) {
            let mut copy = values.clone();
            copy.sort_by(f64::total_cmp);
            let found = percentile(&values, percent).unwrap();
            let position = percent * (copy.len() - 1) as f64 / 100.0;
            let low = copy[(position - 1e-9).floor().max(0.0) as usize];
            let high = copy[((position + 1e-9).ceil() as usize).min(copy.len() - 1)];
            prop_assert!(low <= found && found <= high);
        }

        #[test]
        fn percentiles_grow_with_the_percent(values in prop::collection::vec(-1e3f64..1e3, 1..100), a in 0f64..=100.0, b in 0f64..=100.0) {
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            prop_assert!(percentile(&values, low).unwrap() <= percentile(&values, high).unwrap());
        }
    }
}
