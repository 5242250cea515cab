//! Traffic of NAT gateways and load balancers, and the limits below which it is none.
//!
//! CloudWatch keeps no point of a balancer's requests and connections while there are none, which
//! looks like a metric that nobody reads. Its capacity units are always reported (Elastic Load
//! Balancing user guide, "CloudWatch metrics"), so that they say that it was measured and how much
//! went through. AWS itself calls a balancer idle below 100 requests a day (Trusted Advisor, "Idle
//! Load Balancers").

use reeve_estate::{Metric, ResourceKind};
use reeve_learn::calibrate::Daily;
use reeve_learn::{Backtest, DAY_MS, Summary, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::words::{figures, percent, thousands};

use crate::confidence::{DAY_COVERAGE, backtest};
use crate::load::Load;

/// Share of the points of a window that must be there.
const COVERAGE: f64 = 0.9;
/// Capacity units below which hardly anything went through: three connections at once, or 1 MB an
/// hour.
const MOST_UNITS: f64 = 0.001;
/// Requests a day below which a balancer is idle.
const MOST_REQUESTS: f64 = 100.0;

/// Measured traffic of a gateway or a balancer.
pub(super) struct Traffic {
    /// Metric that is reported whether there is traffic or not: bytes a second out of a gateway,
    /// units of a balancer.
    reported: Load,
    /// Requests a second, of balancers that had some.
    requests: Option<Load>,
    limit: f64,
}

/// Traffic of a window.
pub(super) struct Found {
    /// `true` if enough of the window was measured.
    pub(super) is_covered: bool,
    /// `true` if there was none to speak of.
    pub(super) is_none: bool,
    /// Points and coverage in words.
    pub(super) measured: String,
    /// Description of the traffic for the explanation.
    pub(super) words: String,
}

impl Traffic {
    /// The traffic that was reported of the judged resource; `None` where none was.
    pub(super) fn measure(facts: &Facts<'_>) -> Option<Traffic> {
        if facts.resource.kind == ResourceKind::LoadBalancer {
            let requests = Load::measured(facts, Metric::RequestRate);
            return Some(Traffic {
                reported: Load::measured(facts, Metric::CapacityUnits)?,
                requests,
                limit: MOST_UNITS,
            });
        }
        Some(Traffic {
            reported: Load::measured(facts, Metric::NetworkOut)?,
            requests: None,
            limit: 0.0,
        })
    }

    /// Name of what is measured of a kind of resource.
    pub(super) fn noun(kind: ResourceKind) -> &'static str {
        if kind == ResourceKind::LoadBalancer {
            "the use of capacity units"
        } else {
            "outgoing traffic"
        }
    }

    /// The traffic of a window of days; `None` without points in it.
    pub(super) fn over(&self, window: Window, days: i64) -> Option<Found> {
        let summary = self.reported.summary(window)?;
        let measured = format!(
            "{} points, {} of the last {days} days",
            thousands(summary.count),
            percent(summary.coverage * 100.0)
        );
        let busiest = self.busiest_day(window);
        let words = match (self.limit > 0.0, busiest) {
            (true, Some(requests)) => format!(
                "At most {} capacity units at once and {} requests a day in {days} days; {MOST_UNITS} and {MOST_REQUESTS} count as none",
                figures(summary.max),
                figures(requests)
            ),
            (true, None) => format!(
                "At most {} capacity units at once and not one request in {days} days; {MOST_UNITS} counts as none",
                figures(summary.max)
            ),
            (false, _) if summary.max <= 0.0 => {
                format!("Not one byte went out through it in {days} days")
            }
            (false, _) => format!(
                "Up to {} bytes a second went out through it in {days} days",
                figures(summary.max)
            ),
        };

        Some(Found {
            is_covered: summary.coverage >= COVERAGE,
            is_none: self.is_none(&summary, busiest),
            measured,
            words,
        })
    }

    /// Returns `true` if there was no traffic in a window that was measured well enough; `None` for
    /// another.
    pub(super) fn is_none_in(&self, window: Window) -> Option<bool> {
        let figures = self
            .reported
            .summary(window)
            .filter(|figures| figures.coverage >= DAY_COVERAGE)?;
        Some(self.is_none(&figures, self.busiest_day(window)))
    }

    /// Tries the finding on the days of a history.
    pub(super) fn backtest(&self, history: Window, days: i64) -> Backtest {
        backtest(history, &self.reported, days, |before, day| {
            self.is_none_in(before)
                .filter(|none| *none)
                .and_then(|_| self.is_none_in(day))
        })
    }

    /// Distance of each day from the limit.
    pub(super) fn margins(&self, history: Window) -> Daily {
        let margin = |day| {
            let figures = self
                .reported
                .summary(day)
                .filter(|figures| figures.coverage >= DAY_COVERAGE)?;
            Some(match self.limit {
                limit if limit > 0.0 => (1.0 - figures.max / limit).max(-1.0),
                _ if figures.max <= 0.0 => 1.0,
                _ => -1.0,
            })
        };
        history.blocks(DAY_MS).into_iter().map(margin).collect()
    }

    fn is_none(&self, figures: &Summary, busiest: Option<f64>) -> bool {
        let few = busiest.is_none_or(|requests| requests < MOST_REQUESTS);
        few && if self.limit > 0.0 {
            figures.max < self.limit
        } else {
            figures.max <= 0.0
        }
    }

    /// Most requests of a day; `None` where no request was counted in the window.
    fn busiest_day(&self, window: Window) -> Option<f64> {
        let requests = self.requests.as_ref()?;
        let seconds = requests.period_ms as f64 / 1000.0;
        let points = |day: &Window| {
            let inside = requests
                .points
                .iter()
                .filter(|(at, _)| (day.start_ms..day.end_ms).contains(at));
            inside.map(|(_, rate)| rate * seconds).sum::<f64>()
        };

        window
            .blocks(DAY_MS)
            .iter()
            .map(points)
            .reduce(f64::max)
            .filter(|most| *most > 0.0)
    }
}
