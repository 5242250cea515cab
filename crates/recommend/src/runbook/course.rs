//! Course of a metric test over time: when a statistic over a window was beyond its limit for long
//! enough, and when it was back.
//!
//! One pass over the points. A hole in the samples ends an issue: what was not measured is neither
//! beyond the limit nor back.

use std::collections::VecDeque;

use super::condition::{MetricTest, Side, Statistic};

/// Share of a window that must have been measured.
const COVERED: f64 = 0.8;
/// Milliseconds by which the newest sample may be late beyond two of its periods: providers deliver
/// metrics late, and a sync reads them every few minutes.
const LATE_MS: i64 = 30 * 60 * 1000;

/// State of a test at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourseStanding {
    /// Not enough samples, or none that is recent.
    Unknown,
    Off,
    /// Beyond the limit, and not for long enough yet.
    Pending {
        since_ms: i64,
    },
    /// An issue, beyond the limit since a time.
    On {
        since_ms: i64,
    },
}

/// Course of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Times in which the test held, from the end of the dwell on; milliseconds, sorted.
    pub spans: Vec<(i64, i64)>,
    /// Newest value of the statistic.
    pub last: Option<f64>,
    /// Samples that were read.
    pub points: u64,
    standing: CourseStanding,
    /// End of the newest sample.
    end_ms: i64,
    period_ms: i64,
}

impl Course {
    /// Follows a test over points in order, each the start of a period.
    #[must_use]
    pub fn of(test: &MetricTest, points: &[(i64, f64)], period_ms: i64) -> Course {
        let ms = |seconds: u64| i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
        let (over, dwell) = (ms(test.over.seconds()), ms(test.dwell.seconds()));
        let hole = over.max(period_ms.saturating_mul(3));
        let mut window = Window::new(test.statistic, over, period_ms);
        let mut course = Course {
            spans: Vec::new(),
            last: None,
            points: points.len() as u64,
            standing: CourseStanding::Unknown,
            end_ms: i64::MIN,
            period_ms,
        };
        let mut on_from = 0;

        for (at, value) in points {
            let end = at.saturating_add(period_ms);
            if course.end_ms != i64::MIN && at.saturating_sub(course.end_ms) > hole {
                course.close(on_from);
                course.standing = CourseStanding::Unknown;
                window.clear();
            }
            course.end_ms = end;
            let Some(found) = window.push(end, *value) else {
                continue;
            };
            course.last = Some(found);

            course.standing = match course.standing {
                CourseStanding::On { .. } if test.is_back(found) => {
                    course.close(on_from);
                    CourseStanding::Off
                }
                on @ CourseStanding::On { .. } => on,
                CourseStanding::Unknown | CourseStanding::Off if test.is_beyond(found) => {
                    CourseStanding::Pending { since_ms: end }
                }
                pending @ CourseStanding::Pending { .. } if test.is_beyond(found) => pending,
                CourseStanding::Unknown | CourseStanding::Off | CourseStanding::Pending { .. } => {
                    CourseStanding::Off
                }
            };
            if let CourseStanding::Pending { since_ms } = course.standing
                && end.saturating_sub(since_ms) >= dwell
            {
                course.standing = CourseStanding::On { since_ms };
                on_from = end;
            }
        }

        course.close(on_from);
        course
    }

    /// Notes the time of an issue that ends with the newest sample.
    fn close(&mut self, from: i64) {
        if matches!(self.standing, CourseStanding::On { .. }) && from <= self.end_ms {
            self.spans.push((from, self.end_ms.max(from + 1)));
        }
    }

    /// Returns the state at a time; unknown where the newest sample is too old to tell.
    #[must_use]
    pub fn standing(&self, now_ms: i64) -> CourseStanding {
        let late = self.period_ms.saturating_mul(2).saturating_add(LATE_MS);
        if self.last.is_none() || now_ms.saturating_sub(self.end_ms) > late {
            return CourseStanding::Unknown;
        }
        self.standing
    }
}

impl MetricTest {
    fn is_beyond(&self, value: f64) -> bool {
        match self.side {
            Side::Above => value > self.limit,
            Side::Below => value < self.limit,
        }
    }

    fn is_back(&self, value: f64) -> bool {
        match self.side {
            Side::Above => value <= self.clears_at,
            Side::Below => value >= self.clears_at,
        }
    }
}

/// Moving window with its statistic.
struct Window {
    statistic: Statistic,
    over_ms: i64,
    /// Points that the window must have.
    least: usize,
    points: VecDeque<(i64, f64)>,
    /// Candidates for the extreme value, the extreme first.
    extremes: VecDeque<(i64, f64)>,
    sum: f64,
}

impl Window {
    fn new(statistic: Statistic, over_ms: i64, period_ms: i64) -> Window {
        let full = (over_ms as f64 / period_ms.max(1) as f64).max(1.0);
        Window {
            statistic,
            over_ms: over_ms.max(period_ms),
            least: ((full * COVERED).ceil() as usize).max(1),
            points: VecDeque::new(),
            extremes: VecDeque::new(),
            sum: 0.0,
        }
    }

    fn clear(&mut self) {
        self.points.clear();
        self.extremes.clear();
        self.sum = 0.0;
    }

    /// Adds the point of a period that ends at a time. Returns the statistic once enough of the
    /// window was measured.
    fn push(&mut self, end: i64, value: f64) -> Option<f64> {
        let replaces = |known: f64| match self.statistic {
            Statistic::Min => known >= value,
            Statistic::Max => known <= value,
            Statistic::Mean => true,
        };
        while self
            .extremes
            .back()
            .is_some_and(|(_, known)| replaces(*known))
        {
            self.extremes.pop_back();
        }
        self.extremes.push_back((end, value));
        self.points.push_back((end, value));
        self.sum += value;

        let start = end.saturating_sub(self.over_ms);
        while let Some((at, old)) = self.points.front().copied().filter(|(at, _)| *at <= start) {
            self.points.pop_front();
            self.sum -= old;
            if self.extremes.front().is_some_and(|(first, _)| *first == at) {
                self.extremes.pop_front();
            }
        }

        if self.points.len() < self.least {
            return None;
        }
        match self.statistic {
            Statistic::Mean => Some(self.sum / self.points.len() as f64),
            Statistic::Min | Statistic::Max => self.extremes.front().map(|(_, value)| *value),
        }
    }
}

#[cfg(test)]
mod tests;
