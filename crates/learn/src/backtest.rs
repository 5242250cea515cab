//! Confidence that is counted: the share of held-out windows in which a proposal would have held,
//! with a prior.
//!
//! Each held-out window is judged by what came before it alone: a rule looks at the past, proposes,
//! and the window that follows says whether the proposal would have held. The count of holds is
//! binomial; a Beta prior makes few windows worth little. The mean of the posterior is the
//! confidence.

use crate::window::Window;

/// The prior: holds and failures believed in before anything was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Pseudo-count of windows in which a proposal held.
    pub held: f64,
    /// Failures believed in. What could not be measured adds to it.
    pub failed: f64,
}

impl Prior {
    /// Laplace's: one of each, so that no evidence is a coin toss.
    pub const UNIFORM: Prior = Prior {
        held: 1.0,
        failed: 1.0,
    };

    /// The prior with more failures believed in.
    #[must_use]
    pub fn doubting(self, failures: f64) -> Prior {
        Prior {
            held: self.held,
            failed: self.failed + failures.max(0.0),
        }
    }
}

/// Counts of a backtest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backtest {
    /// Held-out windows in which the proposal would have held.
    pub held: u64,
    /// Held-out windows that could be judged.
    pub windows: u64,
}

impl Backtest {
    /// Judges each held-out window, oldest first. `judge` gets the window and answers whether the
    /// proposal, made from what came before the window, would have held in it; `None` when the
    /// window cannot be judged (no data, no proposal).
    pub fn over(held_out: &[Window], mut judge: impl FnMut(Window) -> Option<bool>) -> Backtest {
        let mut count = Backtest::default();
        for window in held_out {
            if let Some(held) = judge(*window) {
                count.windows += 1;
                count.held += u64::from(held);
            }
        }
        count
    }

    /// The mean of the posterior, 0 to 1.
    #[must_use]
    pub fn confidence(self, prior: Prior) -> f64 {
        let (held, failed) = (prior.held.max(0.0), prior.failed.max(0.0));
        let weight = held + failed + self.windows as f64;
        if weight > 0.0 {
            (held + self.held as f64) / weight
        } else {
            0.0
        }
    }

    /// The posterior's standard deviation, 0 to 0.5: how far the confidence itself is to be
    /// trusted.
    #[must_use]
    pub fn uncertainty(self, prior: Prior) -> f64 {
        let a = prior.held.max(0.0) + self.held as f64;
        let b = prior.failed.max(0.0) + self.windows.saturating_sub(self.held) as f64;
        let sum = a + b;

        if sum > 0.0 {
            (a * b / (sum * sum * (sum + 1.0))).sqrt()
        } else {
            0.5
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn few_windows_are_worth_little() {
        let check = |held, windows, expected: f64| {
            assert!(
                (Backtest { held, windows }.confidence(Prior::UNIFORM) - expected).abs() < 1e-12,
                "{held} of {windows}"
            );
        };
        check(0, 0, 0.5);

        check(1, 1, 2.0 / 3.0);
        check(16, 16, 17.0 / 18.0);
        check(8, 16, 0.5);
        check(0, 16, 1.0 / 18.0);
    }

    #[test]
    fn windows_that_cannot_be_judged_do_not_count() {
        let windows = Window {
            start_ms: 0,
            end_ms: 40,
        }
        .blocks(10);

        let count = Backtest::over(&windows, |window| {
            (window.start_ms >= 10).then_some(window.start_ms >= 20)
        });
        assert_eq!(
            count,
            Backtest {
                held: 2,
                windows: 3
            }
        );
    }

    #[test]
    fn missing_days_lower_the_score() {
        let count = Backtest {
            held: 16,
            windows: 16,
        };
        assert!(count.confidence(Prior::UNIFORM.doubting(2.0)) < count.confidence(Prior::UNIFORM));
        assert!((count.confidence(Prior::UNIFORM.doubting(2.0)) - 17.0 / 20.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn confidence_is_a_probability_and_grows_with_holds(windows in 0u64..500, a in 0u64..500, b in 0u64..500, doubt in 0f64..10.0) {
            let (low, high) = (a.min(b).min(windows), a.max(b).min(windows));
            let prior = Prior::UNIFORM.doubting(doubt);
            let (less, more) = (Backtest { held: low, windows }, Backtest { held: high, windows });
            prop_assert!(less.confidence(prior) > 0.0 && more.confidence(prior) < 1.0);
            prop_assert!(less.confidence(prior) <= more.confidence(prior));
            prop_assert!((0.0..=0.5).contains(&less.uncertainty(prior)));
        }
    }
}
