//! Points and half-open windows of time, in milliseconds since the epoch.

/// One point: when its period starts (milliseconds since the epoch) and its value.
pub type Point = (i64, f64);

/// An hour in milliseconds.
pub const HOUR_MS: i64 = 3_600_000;
/// A day in milliseconds.
pub const DAY_MS: i64 = 24 * HOUR_MS;
/// A week in milliseconds.
pub const WEEK_MS: i64 = 7 * DAY_MS;

/// Returns the median distance of neighbouring times (of two middles the later), without those that
/// share a time; `None` if all do. Times must be sorted.
#[must_use]
pub fn median_step_ms(times: impl IntoIterator<Item = i64>) -> Option<i64> {
    let mut times = times.into_iter();
    let mut before = times.next()?;
    let steps = times.map(|at| at.saturating_sub(std::mem::replace(&mut before, at)));
    upper_median(steps.filter(|step| *step > 0))
}

/// Returns the median of whole numbers, of two middles the greater.
pub(crate) fn upper_median(values: impl Iterator<Item = i64>) -> Option<i64> {
    let mut sorted: Vec<i64> = values.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

/// A half-open window `[start_ms, end_ms)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First millisecond in it.
    pub start_ms: i64,
    /// First millisecond after it.
    pub end_ms: i64,
}

impl Window {
    /// The window of a length that ends here; empty for a length that is not positive.
    #[must_use]
    pub const fn ending(end_ms: i64, length_ms: i64) -> Self {
        let length_ms = if length_ms > 0 { length_ms } else { 0 };
        Window {
            start_ms: end_ms.saturating_sub(length_ms),
            end_ms,
        }
    }

    /// Returns the length in milliseconds; zero if the window ends before it starts.
    #[must_use]
    pub const fn length_ms(self) -> i64 {
        let length = self.end_ms.saturating_sub(self.start_ms);
        if length > 0 { length } else { 0 }
    }

    /// Returns `true` if the window contains the time.
    #[must_use]
    pub const fn contains(self, at_ms: i64) -> bool {
        self.start_ms <= at_ms && at_ms < self.end_ms
    }

    /// The points inside it. The series must be sorted by time.
    #[must_use]
    pub fn select(self, points: &[Point]) -> &[Point] {
        let from = points.partition_point(|(at, _)| *at < self.start_ms);
        let to = points.partition_point(|(at, _)| *at < self.end_ms);
        points.get(from..to).unwrap_or(&[])
    }

    /// Blocks of equal length that end where the window ends, oldest first; a remainder at its
    /// start is left out.
    #[must_use]
    pub fn blocks(self, block_ms: i64) -> Vec<Window> {
        if block_ms <= 0 {
            return Vec::new();
        }

        let count = self.length_ms() / block_ms;
        (0..count)
            .rev()
            .map(|back| Window::ending(self.end_ms - back * block_ms, block_ms))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_the_median_of_distances() {
        assert_eq!(median_step_ms([0, 10, 10, 20, 90]), Some(10));
        assert_eq!(median_step_ms([0, 10, 30]), Some(20), "the greater middle");
        assert_eq!(median_step_ms([5, 5]), None);
        assert_eq!(median_step_ms([]), None);
    }

    #[test]
    fn blocks_end_where_the_window_ends() {
        let window = Window {
            start_ms: 0,
            end_ms: 25,
        };
        let blocks = window.blocks(10);
        assert_eq!(
            blocks,
            [
                Window {
                    start_ms: 5,
                    end_ms: 15
                },
                Window {
                    start_ms: 15,
                    end_ms: 25
                }
            ]
        );

        assert!(window.blocks(0).is_empty());
    }

    #[test]
    fn a_window_takes_its_start_and_leaves_its_end() {
        let points = [(0, 1.0), (10, 2.0), (20, 3.0)];
        assert_eq!(
            Window {
                start_ms: 10,
                end_ms: 20
            }
            .select(&points),
            [(10, 2.0)]
        );

        assert_eq!(Window::ending(20, -5).length_ms(), 0);
        assert!(
            Window {
                start_ms: 30,
                end_ms: 20
            }
            .select(&points)
            .is_empty()
        );
    }
}
