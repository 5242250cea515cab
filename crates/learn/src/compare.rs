//! Before and after: whether a metric got worse, by a rank test and an effect size, with "not
//! enough data" as an answer of its own.
//!
//! Mann and Whitney's U with the correction for ties (1947; Hollander and Wolfe, section 4.1) says
//! whether it is chance, Cliff's delta (1993) how large it is: the probability that a later value
//! is worse than an earlier one, less that it is better. Neighbouring samples resemble each other,
//! so the number of independent ones is estimated from their lag-one correlation (Bartlett 1946)
//! and the test is given that many.

/// Direction in which a metric gets worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worse {
    /// A higher value is worse, such as a latency.
    Higher,
    /// A lower value is worse, such as a throughput.
    Lower,
}

/// Thresholds from which a difference counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Largest one-sided p-value that counts as a difference.
    pub p_value: f64,
    /// Smallest effect that counts, Cliff's delta, 0 to 1.
    pub effect: f64,
    /// Fewest samples on each side.
    pub samples: usize,
}

/// Verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonVerdict {
    /// No worse, as far as the samples show.
    Holds,
    /// Worse, beyond chance and beyond the bar.
    Degraded,
    /// Too few samples to say.
    NotEnoughData,
}

/// Result of [`compare`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    pub verdict: ComparisonVerdict,
    pub before: usize,
    pub after: usize,
    /// One-sided probability of such a difference by chance.
    pub p_value: f64,
    /// Cliff's delta, positive when after is worse.
    pub effect: f64,
}

/// Compares samples in order of time. What is not finite is left out.
#[must_use]
pub fn compare(before: &[f64], after: &[f64], worse: Worse, bar: Bar) -> Comparison {
    let sign = if worse == Worse::Higher { 1.0 } else { -1.0 };
    let clean = |values: &[f64]| -> Vec<f64> {
        values
            .iter()
            .filter(|v| v.is_finite())
            .map(|v| v * sign)
            .collect()
    };
    let (before, after) = (clean(before), clean(after));

    let (n, m) = (before.len(), after.len());
    let mut comparison = Comparison {
        verdict: ComparisonVerdict::NotEnoughData,
        before: n,
        after: m,
        p_value: 1.0,
        effect: 0.0,
    };

    if n < bar.samples.max(2) || m < bar.samples.max(2) {
        return comparison;
    }

    let (u, ties) = mann_whitney(&before, &after);
    let pairs = n as f64 * m as f64;
    comparison.effect = 2.0 * u / pairs - 1.0;
    let total = (n + m) as f64;
    let variance = pairs / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));

    if variance > 0.0 {
        // With dependent samples the variance of U grows as the number of independent ones shrinks.
        let shrink = independent_share(&before).min(independent_share(&after));
        let z = (u - pairs / 2.0) / (variance / shrink).sqrt();
        comparison.p_value = upper_tail(z);
    }

    let degraded = comparison.p_value <= bar.p_value && comparison.effect >= bar.effect;
    comparison.verdict = if degraded {
        ComparisonVerdict::Degraded
    } else {
        ComparisonVerdict::Holds
    };
    comparison
}

/// U of `after` over `before` (ties count half) and the sum of `t³ - t` over ties.
fn mann_whitney(before: &[f64], after: &[f64]) -> (f64, f64) {
    let mut all: Vec<(f64, bool)> = before
        .iter()
        .map(|v| (*v, false))
        .chain(after.iter().map(|v| (*v, true)))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut rank_sum, mut ties, mut at) = (0.0, 0.0, 0);

    while at < all.len() {
        let end = at
            + all[at..]
                .iter()
                .take_while(|(value, _)| *value == all[at].0)
                .count();
        let tied = (end - at) as f64;
        let rank = (at + end + 1) as f64 / 2.0;
        rank_sum += rank * all[at..end].iter().filter(|(_, later)| *later).count() as f64;
        ties += tied.powi(3) - tied;
        at = end;
    }

    let m = after.len() as f64;
    (rank_sum - m * (m + 1.0) / 2.0, ties)
}

/// The share of samples that count as independent, by the lag-one correlation; 1 where they do not
/// resemble each other.
fn independent_share(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let spread: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    if spread <= 0.0 {
        return 1.0;
    }

    let beside: f64 = values
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum();
    let r = (beside / spread).clamp(0.0, 0.98);
    (1.0 - r) / (1.0 + r)
}

/// The upper tail of the normal distribution (Abramowitz and Stegun 7.1.26, error below 1.5e-7).
fn upper_tail(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly = t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = 0.5 * poly * (-x * x).exp();
    if z >= 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAR: Bar = Bar {
        p_value: 0.01,
        effect: 0.2,
        samples: 12,
    };

    /// A small generator, so that the tests say the same everywhere.
    fn noise(seed: u64, count: usize) -> Vec<f64> {
        let mut state = seed;
        (0..count)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            })
            .collect()
    }

    #[test]
    fn a_textbook_case() {
        // Hollander and Wolfe, table 4.1: permeability at term and at 12 to 26 weeks; U = 35 of 50,
        // no ties.
        let term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let early = [1.15, 0.88, 0.90, 0.74, 1.21];
        let bar = Bar {
            p_value: 0.2,
            effect: 0.1,
            samples: 2,
        };
        let found = compare(&early, &term, Worse::Higher, bar);
        assert_eq!(found.effect, 2.0 * 35.0 / 50.0 - 1.0);
        assert_eq!((found.before, found.after), (5, 10));
    }

    #[test]
    fn worse_is_seen_and_better_is_not() {
        let before = noise(1, 300);
        let after: Vec<f64> = noise(2, 60).iter().map(|v| v + 0.5).collect();
        assert_eq!(
            compare(&before, &after, Worse::Higher, BAR).verdict,
            ComparisonVerdict::Degraded
        );
        assert_eq!(
            compare(&before, &after, Worse::Lower, BAR).verdict,
            ComparisonVerdict::Holds
        );
    }

    #[test]
    fn few_samples_say_nothing() {
        let found = compare(&noise(1, 300), &[9.0; 11], Worse::Higher, BAR);
        assert_eq!(
            (found.verdict, found.p_value),
            (ComparisonVerdict::NotEnoughData, 1.0)
        );

        let gaps = [f64::NAN; 40];
        assert_eq!(
            compare(&noise(1, 300), &gaps, Worse::Higher, BAR).verdict,
            ComparisonVerdict::NotEnoughData
        );
    }

    #[test]
    fn the_same_metric_is_rarely_called_degraded_even_when_samples_drag() {
        // Each value leans on the one before, as metrics do; nothing changes in between.
        let dragging = |seed: u64| {
            let mut level = 0.5;
            let mut step = |v: f64| {
                level = 0.9 * level + 0.1 * v;
                level
            };
            noise(seed, 600)
                .into_iter()
                .map(&mut step)
                .collect::<Vec<f64>>()
        };

        let called = (0..400u64)
            .filter(|seed| {
                let values = dragging(seed * 7 + 3);
                compare(&values[..500], &values[500..], Worse::Higher, BAR).verdict
                    == ComparisonVerdict::Degraded
            })
            .count();

        assert!(
            called <= 12,
            "{called} of 400, where 4 are expected at most"
        );
    }

    #[test]
    fn an_indicator_compares_shares() {
        // 1 % of samples saturated before, 6 % after: an effect of five points.
        let share = |count: usize, total: usize| {
            (0..total)
                .map(|at| f64::from(u8::from(at % (total / count) == 0)))
                .collect()
        };
        let (before, after): (Vec<f64>, Vec<f64>) = (share(20, 2000), share(36, 600));

        let bar = Bar {
            effect: 0.03,
            ..BAR
        };
        let found = compare(&before, &after, Worse::Higher, bar);
        assert!((found.effect - 0.05).abs() < 0.011, "{found:?}");
        assert_eq!(found.verdict, ComparisonVerdict::Degraded);
    }
}
