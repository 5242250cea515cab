//! Error budget of an objective.
//!
//! A period of a metric is bad where its value misses the objective. The budget is the share of the
//! window's periods that may be bad. It burns too fast where a long and a short window agree: the
//! long one shows that the use matters, the short one that it has not ended (Google, The Site
//! Reliability Workbook, "Alerting on SLOs", multiwindow, multi-burn-rate alerts).

use reeve_learn::{DAY_MS, HOUR_MS, Point, Window};
use serde::{Deserialize, Serialize};

use crate::words::{figures, percent};

const MINUTE_MS: i64 = 60_000;
/// Age of the newest sample up to which a burn is one of now.
const FRESH_MS: i64 = HOUR_MS;
/// Rate over an hour and five minutes that uses 2 % of a budget of 30 days in that hour.
const FAST: f64 = 14.4;
/// Rate over six hours and half an hour that uses 5 % of a budget of 30 days in these hours.
const STEADY: f64 = 6.0;
/// Share of a budget from which it counts as full.
const FULL: f64 = 0.75;

/// Rates of use, as multiples of the rate that uses a budget up just at the end of its window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Burn {
    pub five_minutes: f64,
    pub half_hour: f64,
    pub hour: f64,
    pub six_hours: f64,
}

impl Burn {
    /// Returns `true` if a budget is used so fast that people have to look now.
    #[must_use]
    pub fn is_fast(&self) -> bool {
        self.hour >= FAST && self.five_minutes >= FAST
    }

    /// Returns `true` if a budget will not last: it is used fast, or steadily over hours.
    #[must_use]
    pub fn is_too_fast(&self) -> bool {
        self.is_fast() || (self.six_hours >= STEADY && self.half_hour >= STEADY)
    }
}

/// Error budget of an objective at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveBudget {
    /// Share of the budget that is left, at most 1; negative where more was used than there was.
    pub left: f64,
    pub burn: Burn,
    /// `true` if a period of the last day was bad.
    pub is_recent: bool,
    /// Periods of the window that missed the objective.
    pub bad_periods: u64,
    /// Periods of the window that were measured.
    pub periods: u64,
}

impl ObjectiveBudget {
    /// Counts the budget of a window that ends now over the series of all resources of a service.
    /// `allowed` is the share of periods that may be bad, above zero. `None` without a day of
    /// points.
    #[must_use]
    pub fn new(
        series: &[&[Point]],
        window: Window,
        allowed: f64,
        is_bad: impl Fn(f64) -> bool,
    ) -> Option<ObjectiveBudget> {
        let counts = |window: Window| {
            let parts = series.iter().map(|points| window.select(points));
            parts.fold((0_u64, 0_u64), |(bad, all), part| {
                let missed = part.iter().filter(|(_, value)| is_bad(*value)).count();
                (bad + missed as u64, all + part.len() as u64)
            })
        };
        let within = || series.iter().map(|points| window.select(points));
        let first = within().filter_map(|part| part.first()).map(|(at, _)| *at);
        let newest = within().filter_map(|part| part.last()).map(|(at, _)| *at);
        let (first, newest) = (first.min()?, newest.max()?);
        if window.end_ms - first < DAY_MS {
            return None;
        }

        let is_fresh = window.end_ms - newest <= FRESH_MS;
        let rate = |length_ms: i64| match counts(Window::ending(newest + 1, length_ms)) {
            (bad, all) if is_fresh && all > 0 => bad as f64 / all as f64 / allowed,
            _ => 0.0,
        };
        let (bad_periods, periods) = counts(window);
        Some(ObjectiveBudget {
            left: 1.0 - bad_periods as f64 / periods.max(1) as f64 / allowed,
            burn: Burn {
                five_minutes: rate(5 * MINUTE_MS),
                half_hour: rate(30 * MINUTE_MS),
                hour: rate(HOUR_MS),
                six_hours: rate(6 * HOUR_MS),
            },
            is_recent: counts(Window::ending(window.end_ms, DAY_MS)).0 > 0,
            bad_periods,
            periods,
        })
    }

    /// Returns `true` if the objective is missed: the budget is used up, or will not last.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        (self.left <= 0.0 && self.is_recent) || self.burn.is_too_fast()
    }

    /// Returns `true` if most of the budget is left and nothing uses it faster than allowed.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.left >= FULL && self.burn.hour < 1.0 && self.burn.six_hours < 1.0
    }

    /// The budget in words.
    #[must_use]
    pub fn words(&self) -> String {
        format!(
            "{} of the error budget is left, it burns {} times as fast as allowed over the last hour and {} times over six",
            percent(self.left * 100.0),
            figures(self.burn.hour),
            figures(self.burn.six_hours),
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn window() -> Window {
        Window::ending(30 * DAY_MS, 30 * DAY_MS)
    }

    fn budget(bad: fn(i64) -> bool) -> ObjectiveBudget {
        let points: Vec<Point> = (0..8640)
            .map(|five| (five * 5 * MINUTE_MS, f64::from(u8::from(bad(five)))))
            .collect();
        ObjectiveBudget::new(&[&points], window(), 0.01, |value| value > 0.5).unwrap()
    }

    #[test]
    fn a_budget_is_used_by_bad_periods_and_burns_by_two_windows() {
        let good = budget(|_| false);
        assert!(good.is_full() && !good.is_broken());
        assert_eq!((good.left, good.burn), (1.0, Burn::default()));

        // 36 of the 86.4 periods that may be bad were bad long ago.
        let half = budget(|five| five < 36);
        assert!((half.left - (1.0 - 36.0 / 86.4)).abs() < 1e-9 && !half.is_broken());
        assert!(!half.is_full());
        // Used up long ago: nothing burns any more.
        assert!(!budget(|five| five < 100).is_broken());
        assert!(budget(|five| five % 50 == 0).is_broken(), "used up");

        let fast = budget(|five| five >= 8640 - 6);
        assert!(fast.burn.is_fast() && fast.is_broken() && fast.left > 0.0);
        // The same half an hour, two hours ago: the long window still sees it, the short one does
        // not.
        let over = budget(|five| (8640 - 30..8640 - 24).contains(&five));
        assert!(over.burn.six_hours >= STEADY && !over.is_broken());
        // Every twelfth period, for six hours: too slow for the hour, too fast to last.
        let steady = budget(|five| five >= 8640 - 72 && five % 12 == 11);
        assert!(!steady.burn.is_fast() && steady.burn.is_too_fast());
    }

    #[test]
    fn a_silent_series_burns_nothing() {
        let points: Vec<Point> = (0..8000).map(|five| (five * 5 * MINUTE_MS, 1.0)).collect();
        let silent = ObjectiveBudget::new(&[&points], window(), 0.01, |value| value > 0.5).unwrap();
        assert_eq!(silent.burn, Burn::default());
        assert_eq!(ObjectiveBudget::new(&[], window(), 0.01, |_| true), None);
    }
}
