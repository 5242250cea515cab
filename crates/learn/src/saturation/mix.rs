//! Candidates combined: the weighted mean of the gains in the middle.
//!
//! Weights come from few independent errors, so a candidate that is far off today may have come by
//! a good one. The lowest and the highest fifth of the weights are left out (a trimmed mean, as
//! Jose and Winkler 2008 combine forecasts).

use super::line::SaturationLine;

/// The share of the weights that is left out at each end.
const LEFT_OUT: f64 = 0.2;
/// An origin weighs at least this much, whatever had not been seen there.
const LEAST_SEEN: f64 = 0.02;

/// Candidates, each with its weight; weights sum up to one.
#[derive(Debug, Clone)]
pub(super) struct Mix {
    /// Weight, gain when last asked, candidate: in the order of those gains, which changes little
    /// from one time to the next.
    parts: Vec<(f64, f64, SaturationLine)>,
}

impl Mix {
    /// Combines candidates with their weights, in the same order. Those without weight are left
    /// out.
    pub(super) fn new(weights: &[f64], lines: Vec<SaturationLine>) -> Mix {
        let all = weights
            .iter()
            .zip(lines)
            .map(|(weight, line)| (*weight, 0.0, line));
        Mix {
            parts: all.filter(|(weight, ..)| *weight > 0.0).collect(),
        }
    }

    /// The middle of the gains that are read off each candidate.
    pub(super) fn gain(&mut self, value: impl Fn(&SaturationLine) -> f64) -> f64 {
        self.parts
            .iter_mut()
            .for_each(|(_, gain, line)| *gain = value(line));
        self.parts.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
        middle_of_sorted(self.parts.iter().map(|(weight, gain, _)| (*weight, *gain)))
    }

    /// The weighted mean of all.
    pub(super) fn mean(&self, value: impl Fn(&SaturationLine) -> f64) -> f64 {
        self.parts
            .iter()
            .map(|(weight, _, line)| weight * value(line))
            .sum()
    }

    /// The share of the weights whose candidates had been seen: an error of what stood in for one
    /// is not that one's.
    pub(super) fn seen(&self) -> f64 {
        seen(
            self.parts
                .iter()
                .map(|(weight, _, line)| (*weight, line.unseen)),
        )
    }
}

/// The share of weights of candidates that had been seen.
pub(super) fn seen(parts: impl Iterator<Item = (f64, bool)>) -> f64 {
    parts
        .map(|(weight, unseen)| if unseen { 0.0 } else { weight })
        .sum::<f64>()
        .max(LEAST_SEEN)
}

/// The weighted mean of the gains in the middle, of weights (which sum up to one) and gains.
pub(super) fn middle(parts: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut sorted: Vec<(f64, f64)> = parts.filter(|(weight, _)| *weight > 0.0).collect();
    sorted.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
    middle_of_sorted(sorted.into_iter())
}

fn middle_of_sorted(sorted: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut before, mut sum, mut kept) = (0.0, 0.0, 0.0);
    for (weight, gain) in sorted {
        let inside = ((before + weight).min(1.0 - LEFT_OUT) - f64::max(before, LEFT_OUT)).max(0.0);
        (before, sum, kept) = (before + weight, sum + inside * gain, kept + inside);
    }
    sum / f64::max(kept, f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_candidate_that_is_far_off_moves_nothing() {
        let gains =
            |last: f64| middle([(0.3, 2.0), (0.15, last), (0.35, 1.0), (0.2, 3.0)].into_iter());
        assert_eq!(gains(1e9), gains(4.0));
        // From the weights between 0.2 and 0.8: 0.15 of the first, 0.3 of the second, 0.15 of the
        // third.
        assert!((gains(4.0) - (0.15 + 0.6 + 0.45) / 0.6).abs() < 1e-12);
        assert!((middle([(1.0, 7.0), (0.0, f64::NAN)].into_iter()) - 7.0).abs() < 1e-12);
    }

    #[test]
    fn a_replacement_for_a_period_does_not_count_as_seen() {
        let line = |unseen| SaturationLine {
            offset: 0.0,
            rate: 1.0,
            growth: 0.0,
            replay: None,
            unseen,
        };

        let mix = Mix::new(
            &[0.25, 0.0, 0.75],
            vec![line(false), line(false), line(true)],
        );
        assert_eq!((mix.parts.len(), mix.seen()), (2, 0.25));
        assert_eq!(Mix::new(&[1.0], vec![line(true)]).seen(), LEAST_SEEN);
    }
}
