//! A sample of a series' past from which quantiles are read: bounded memory, evenly spread over the
//! past that counts.

use std::collections::VecDeque;

/// Values kept at most.
const PLACES: usize = 168;

/// Sample of the past, thinned out evenly as it grows until one value represents `widest` of them;
/// from then on the oldest are dropped.
#[derive(Debug, Clone)]
pub(crate) struct AnomalySample {
    /// In the order of their times.
    kept: VecDeque<f32>,
    /// Values sorted by size.
    sorted: Vec<f32>,
    /// Number of values of the series that one kept value represents.
    stride: u32,
    /// Values since the last one that was kept.
    skipped: u32,
}

impl Default for AnomalySample {
    fn default() -> Self {
        Self {
            kept: VecDeque::new(),
            sorted: Vec::new(),
            stride: 1,
            skipped: 0,
        }
    }
}

impl AnomalySample {
    /// The greatest stride at which the sample reaches back two weeks, for a series of so many
    /// points a day.
    pub(crate) fn widest_stride(per_day: f64) -> u32 {
        (per_day * 14.0 / PLACES as f64) as u32
    }

    /// Number of values kept.
    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The values kept, oldest first.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.kept.iter().map(|value| f64::from(*value))
    }

    /// A quantile between 0 and 1, interpolated; 0 of an empty sample.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let place = share * self.sorted.len().saturating_sub(1) as f64;
        let below = place.floor() as usize;
        let at = |place: usize| {
            self.sorted
                .get(place)
                .map_or(0.0, |value| f64::from(*value))
        };

        let above = (below + 1).min(self.sorted.len().saturating_sub(1));
        at(below) + (at(above) - at(below)) * (place - below as f64)
    }

    /// Offers the next value of the series.
    pub(crate) fn add(&mut self, value: f64, widest: u32) {
        self.skipped += 1;
        if self.skipped < self.stride {
            return;
        }

        self.skipped = 0;
        if self.kept.len() == PLACES {
            self.give_way(widest);
        }

        let value = value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
        self.kept.push_back(value);
        self.sorted
            .insert(self.sorted.partition_point(|one| *one < value), value);
    }

    /// Makes room: every second value goes while the stride may grow, after that the oldest.
    fn give_way(&mut self, widest: u32) {
        if self.stride * 2 <= widest {
            self.stride *= 2;
            self.kept = self.kept.iter().skip(1).step_by(2).copied().collect();
            self.sorted = self.kept.iter().copied().collect();
            self.sorted.sort_unstable_by(f32::total_cmp);
        } else if let Some(oldest) = self.kept.pop_front() {
            self.sorted
                .remove(self.sorted.partition_point(|one| *one < oldest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_past_that_counts() {
        let mut all = AnomalySample::default();
        assert_eq!(all.quantile(0.5), 0.0);
        (0..101).for_each(|value| all.add(f64::from(value), 1));
        assert_eq!(
            (
                all.quantile(0.0),
                all.quantile(0.5),
                all.quantile(0.9),
                all.len()
            ),
            (0.0, 50.0, 90.0, 101)
        );

        // Of 4,000 values at a stride of up to 4, those of the last 672 at the most count.
        let mut thinned = AnomalySample::default();
        (0..4_000).for_each(|value| thinned.add(f64::from(value), 4));
        assert_eq!(thinned.len(), PLACES);
        assert!(thinned.quantile(0.0) > 3_300.0 && thinned.quantile(1.0) > 3_990.0);
        assert!(
            (thinned.quantile(0.5) - 3_664.0).abs() < 10.0,
            "{}",
            thinned.quantile(0.5)
        );
    }
}
