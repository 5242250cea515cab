//! Hit rates of caches over a window, weighed by the keys that were looked up.

use reeve_learn::{Point, Window};

/// Use of a cache in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CacheUse {
    /// Share of the looked-up keys that it had, percent.
    pub(super) hit_percent: f64,
    /// Keys looked up a second, on average over the measured time.
    pub(super) lookups: f64,
}

impl CacheUse {
    /// Measures a window by the series of the hit rate and of the lookups. `None` where nothing was
    /// looked up.
    pub(super) fn of(hit_rate: &[Point], lookups: &[Point], window: Window) -> Option<CacheUse> {
        let asked = window.select(lookups);
        let total: f64 = asked.iter().map(|(_, value)| value).sum();
        let mut rates = window.select(hit_rate).iter().peekable();
        let (mut hits, mut weighed) = (0.0, 0.0);

        // A period without lookups has no hit rate.
        for (at, count) in asked {
            while rates.next_if(|(time, _)| time < at).is_some() {}
            if let Some((_, percent)) = rates.next_if(|(time, _)| time == at) {
                hits += percent / 100.0 * count;
                weighed += count;
            }
        }
        (weighed > 0.0).then(|| CacheUse {
            hit_percent: hits / weighed * 100.0,
            lookups: total / asked.len() as f64,
        })
    }

    /// Keys a second that it did not have.
    pub(super) fn misses(self) -> f64 {
        self.lookups * (1.0 - self.hit_percent / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_period_counts_for_more_than_a_quiet_one() {
        let window = Window {
            start_ms: 0,
            end_ms: 100,
        };
        let lookups = [(0, 0.0), (10, 90.0), (20, 10.0), (200, 5.0)];
        let hit_rate = [(10, 100.0), (20, 0.0), (200, 0.0)];
        let found = CacheUse::of(&hit_rate, &lookups, window);
        assert_eq!(found.map(|one| one.hit_percent.round()), Some(90.0));
        assert_eq!(found.map(|one| one.lookups.round()), Some(33.0));
        assert_eq!(found.map(|one| one.misses().round()), Some(3.0));
        assert_eq!(CacheUse::of(&[], &lookups, window), None);
    }
}
