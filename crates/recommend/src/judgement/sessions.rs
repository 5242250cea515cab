//! Sessions of machines: whether a machine serves anybody now. A judgement asks before it proposes
//! to end a machine, and the engine asks again right before the step that ends it.

use reeve_estate::{Metric, ResourceId};
use reeve_learn::{Point, Window};
use serde::{Deserialize, Serialize};

/// Requests in flight below which none is.
pub const IN_FLIGHT: f64 = 0.01;

reeve_estate::named!(
    /// Measurement that shows that a machine serves nobody.
    SessionSource {
        /// `active_sessions` of the machine.
        Sessions => "active_sessions",
        /// Requests a second times seconds to an answer, of the load balancers before its group.
        Requests => "requests_in_flight",
    }
);

impl SessionSource {
    /// Returns the metrics that it is measured by.
    #[must_use]
    pub fn metrics(self) -> &'static [Metric] {
        match self {
            SessionSource::Sessions => &[Metric::ActiveSessions],
            SessionSource::Requests => &[Metric::RequestRate, Metric::ResponseTime],
        }
    }
}

/// What has to be true of a machine before it may be ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleWatch {
    pub source: SessionSource,
    /// Resources that are measured: the machine, or the load balancers before its group.
    pub measured_at: Vec<ResourceId>,
    /// Minutes without a session.
    pub quiet_minutes: u32,
}

/// Returns the highest value of a metric in a window that was measured to its end; `None` where it
/// was not: a source that fell silent says nothing about now.
#[must_use]
pub fn most(points: &[Point], step_ms: i64, window: Window) -> Option<f64> {
    let within = window.select(points);
    let (newest, _) = within.last()?;
    let is_whole = within.len() as i64 * step_ms >= window.length_ms() * 2 / 3 - step_ms;
    if window.end_ms - newest > 3 * step_ms || !is_whole {
        return None;
    }
    within.iter().map(|(_, value)| *value).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_or_patchy_source_says_nothing() {
        let step = 300_000;
        let window = Window::ending(20 * step, 6 * step);
        let points = |backs: &[i64]| -> Vec<Point> {
            backs
                .iter()
                .map(|back| ((20 - back) * step, *back as f64))
                .collect()
        };
        assert_eq!(most(&points(&[6, 5, 4, 3, 2, 1]), step, window), Some(6.0));
        assert_eq!(most(&points(&[6, 5, 4]), step, window), None, "silent");
        assert_eq!(most(&points(&[6, 1]), step, window), None, "patchy");
        assert_eq!(most(&[], step, window), None);
    }
}
