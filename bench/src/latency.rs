//! Times of many like things, as the numbers one asks for.

use std::time::Duration;

/// Times, sorted when they are asked.
#[derive(Debug, Default, Clone)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Adds those of another.
    pub(crate) fn extend(&mut self, other: Latencies) {
        self.0.extend(other.0);
    }

    /// Returns the number of measurements.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Milliseconds that `share` of them did not pass (nearest rank); 0 where there is none.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted
            .get(rank.saturating_sub(1))
            .map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }

    /// Returns the longest time, in milliseconds.
    pub(crate) fn max(&self) -> f64 {
        self.quantile(1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Latencies;

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        let mut times = Latencies::default();
        for millis in (1..=200).rev() {
            times.push(Duration::from_millis(millis));
        }

        for (share, expected) in [(0.5, 100.0), (0.99, 198.0), (1.0, 200.0), (0.0, 1.0)] {
            assert!((times.quantile(share) - expected).abs() < 1e-9, "{share}");
        }
        assert_eq!(Latencies::default().max(), 0.0);
    }
}
