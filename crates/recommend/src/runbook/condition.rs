//! Conditions of runbooks: tests over metrics, states, configuration documents, scheduled events and
//! uses in the log, each with a bounded cost. A test that lacks its data is undecided, and so is the
//! condition: nothing is mended that was not seen.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{GIB, Metric, ResourceState, SampleSeries, TimeSpan, Unit, named};
use serde_json::Value;

use super::course::{Course, CourseStanding};
use super::document::{self, DocumentTest, EventTest};
use crate::judgement::activity::Activity;
use crate::words::{bytes, figures, first_of};

named!(
    /// Statistic of a metric over a window.
    Statistic {
        Mean => "mean",
        Min => "min",
        Max => "max",
    }
);

named!(
    /// Resource whose series a test reads.
    SeriesOf {
        /// The resource itself.
        Own => "own",
        /// The machine that a volume is attached to as its only one.
        Machine => "machine",
        /// The only load balancer that leads to a scaling group.
        Balancer => "balancer",
    }
);

named!(
    /// Side of a limit on which a metric is an issue.
    Side {
        Above => "above",
        Below => "below",
    }
);

/// Test of a metric: a statistic over a window beyond a limit, without a break for a time, until it
/// is back beyond a second limit.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricTest {
    pub metric: Metric,
    pub of: SeriesOf,
    pub statistic: Statistic,
    /// Window of the statistic.
    pub over: TimeSpan,
    pub side: Side,
    pub limit: f64,
    /// Value at which the issue is over. It differs from the limit, so that a metric at the limit
    /// does not come and go.
    pub clears_at: f64,
    /// Time for which the statistic must be beyond the limit before the issue is one.
    pub dwell: TimeSpan,
    /// `true` for bytes as a percentage of the storage that the resource has.
    pub percent_of_storage: bool,
}

/// Test of the number of uses of the resource by others.
#[derive(Debug, Clone, PartialEq)]
pub struct LogTest {
    /// Operations that count; empty for any.
    pub operations: Vec<String>,
    pub at_least: u64,
    /// Days before now that count.
    pub days: u32,
}

/// A test of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    Metric(MetricTest),
    /// Lifecycle states of the resource, one of which holds.
    State(Vec<ResourceState>),
    Document(DocumentTest),
    Event(EventTest),
    Log(LogTest),
}

/// Answer of a test or of a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionAnswer {
    /// `None` where data is missing.
    pub holds: Option<bool>,
    /// Values that it rests on.
    pub words: String,
    /// Time since which a metric is beyond its limit; `None` of tests without a past.
    pub since: Option<Timestamp>,
    /// Samples that it rests on.
    pub points: u64,
    /// `true` for a metric that is beyond its limit, and not for long enough yet.
    pub is_pending: bool,
}

impl ConditionAnswer {
    fn new(holds: impl Into<Option<bool>>, words: impl Into<String>) -> ConditionAnswer {
        ConditionAnswer {
            holds: holds.into(),
            words: words.into(),
            since: None,
            points: 0,
            is_pending: false,
        }
    }

    pub(super) fn missing(words: impl Into<String>) -> ConditionAnswer {
        ConditionAnswer::new(None, words)
    }

    pub(super) fn decided(holds: bool, words: impl Into<String>) -> ConditionAnswer {
        ConditionAnswer::new(holds, words)
    }
}

/// Series and counts of a resource that conditions are evaluated over.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measurements {
    pub own: Vec<SampleSeries>,
    /// Series of the machine; `None` for resources that are no volume or not the only one of a
    /// machine.
    pub machine: Option<Vec<SampleSeries>>,
    /// Series of the load balancer; `None` where there is none or several.
    pub balancer: Option<Vec<SampleSeries>>,
    /// Uses by the number of days before now.
    pub uses: BTreeMap<u32, Activity>,
}

impl Measurements {
    fn series(&self, of: SeriesOf, metric: Metric) -> Result<&SampleSeries, &'static str> {
        let (all, why) = match of {
            SeriesOf::Own => (Some(&self.own), ""),
            SeriesOf::Machine => (
                self.machine.as_ref(),
                "it is not the only volume of a machine, so that its share is not known",
            ),
            SeriesOf::Balancer => (
                self.balancer.as_ref(),
                "no load balancer, or more than one, leads to it",
            ),
        };
        let found = all
            .ok_or(why)?
            .iter()
            .find(|series| series.metric == metric);
        found
            .filter(|series| !series.points.is_empty())
            .ok_or("it was not measured")
    }
}

/// Everything that the condition of one resource is evaluated over.
#[derive(Debug, Clone, Copy)]
pub struct ConditionReading<'a> {
    pub state: ResourceState,
    /// Storage that the resource has.
    pub storage_gib: Option<f64>,
    /// Its configuration; `None` where it was not read.
    pub document: Option<&'a Value>,
    pub measured: &'a Measurements,
    /// Time before which samples describe another state of the resource.
    pub since: Option<Timestamp>,
    pub now: Timestamp,
}

impl MetricTest {
    /// Returns the course of the test over the samples of a resource; the error is the reason why
    /// there is none.
    ///
    /// # Errors
    /// The metric was not measured, or the storage of the resource is not known.
    pub fn course(&self, reading: &ConditionReading<'_>) -> Result<Course, &'static str> {
        let series = reading.measured.series(self.of, self.metric)?;
        let scale = if self.percent_of_storage {
            let gib = reading.storage_gib.filter(|gib| *gib > 0.0);
            let gib = gib.ok_or("its storage is not known")?;
            100.0 / (gib * GIB)
        } else {
            1.0
        };
        let since = reading.since.map_or(i64::MIN, Timestamp::as_millisecond);
        let until = reading.now.as_millisecond();
        let points: Vec<(i64, f64)> = series
            .points
            .iter()
            .map(|(at, value)| (at.as_millisecond(), value * scale))
            .filter(|(at, value)| (since..=until).contains(at) && value.is_finite())
            .collect();
        Ok(Course::of(
            self,
            &points,
            i64::from(series.period_s.max(1)) * 1000,
        ))
    }

    fn answer(&self, reading: &ConditionReading<'_>) -> ConditionAnswer {
        let label = self.label();
        let course = match self.course(reading) {
            Ok(course) => course,
            Err(why) => return ConditionAnswer::missing(format!("{label}: {why}")),
        };

        let value = course.last.map_or_else(
            || "not measured".to_owned(),
            |last| format!("{} ({} of {})", self.shown(last), self.statistic, self.over),
        );
        let verb = if self.metric.row().is_plural {
            "are"
        } else {
            "is"
        };
        let words = format!("{label} {verb} {value}, {}", self.wanted());
        let standing = course.standing(reading.now.as_millisecond());
        let answer = ConditionAnswer {
            points: course.points,
            is_pending: matches!(standing, CourseStanding::Pending { .. }),
            ..ConditionAnswer::new(
                match standing {
                    CourseStanding::On { .. } => Some(true),
                    CourseStanding::Off | CourseStanding::Pending { .. } => Some(false),
                    CourseStanding::Unknown => None,
                },
                words,
            )
        };
        match standing {
            CourseStanding::On { since_ms } => {
                let since = Timestamp::from_millisecond(since_ms).ok();
                let at = since.map_or_else(String::new, crate::words::minute);
                ConditionAnswer {
                    words: format!("{}, since {at}", answer.words),
                    since,
                    ..answer
                }
            }
            CourseStanding::Unknown => ConditionAnswer {
                words: format!("{label}: the samples are too few or too old to decide"),
                ..answer
            },
            CourseStanding::Off | CourseStanding::Pending { .. } => answer,
        }
    }

    /// Returns the metric in words, with the resource that it is of.
    #[must_use]
    pub fn label(&self) -> String {
        let label = self.metric.row().label;
        match self.of {
            SeriesOf::Own => label.to_owned(),
            SeriesOf::Machine => format!("{label} of its machine"),
            SeriesOf::Balancer => format!("{label} at its load balancer"),
        }
    }

    fn shown(&self, value: f64) -> String {
        match self.metric.unit() {
            _ if self.percent_of_storage => format!("{} % of the storage", figures(value)),
            Unit::Percent => format!("{} %", figures(value)),
            Unit::Bytes => bytes(value),
            Unit::Seconds => format!("{} s", figures(value)),
            _ => figures(value),
        }
    }

    fn wanted(&self) -> String {
        let clears = if self.clears_at == self.limit {
            String::new()
        } else {
            format!(" (over at {})", self.shown(self.clears_at))
        };
        let dwell = if self.dwell.seconds() == 0 {
            String::new()
        } else {
            format!(" for {}", self.dwell)
        };
        format!(
            "the issue is {} {}{clears}{dwell}",
            self.side,
            self.shown(self.limit)
        )
    }
}

impl LogTest {
    fn answer(&self, reading: &ConditionReading<'_>) -> ConditionAnswer {
        let Some(activity) = reading.measured.uses.get(&self.days) else {
            return ConditionAnswer::missing("the uses in the log were not counted");
        };
        let count: u64 = if self.operations.is_empty() {
            activity.uses
        } else {
            self.operations.iter().map(|one| activity.count(one)).sum()
        };
        let words = format!(
            "the log has {count} uses{} in {} days, the issue is at least {}",
            self.of_operations(),
            self.days,
            self.at_least
        );
        ConditionAnswer::decided(count >= self.at_least, words)
    }

    fn of_operations(&self) -> String {
        if self.operations.is_empty() {
            String::new()
        } else {
            format!(" by {}", first_of(&self.operations, 4, ", "))
        }
    }
}

impl Test {
    /// Answers the test for a resource.
    #[must_use]
    pub fn answer(&self, reading: &ConditionReading<'_>) -> ConditionAnswer {
        match self {
            Test::Metric(metric) => metric.answer(reading),
            Test::State(states) => {
                let state = reading.state;
                ConditionAnswer::decided(states.contains(&state), format!("its state is {state}"))
            }
            Test::Document(test) => document::answer(test, reading.document),
            Test::Event(test) => document::answer_event(test, reading.document, reading.now),
            Test::Log(log) => log.answer(reading),
        }
    }

    /// Describes the test.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Test::Metric(metric) => format!(
                "{}, {} of {}: {}",
                metric.label(),
                metric.statistic,
                metric.over,
                metric.wanted()
            ),
            Test::State(states) => {
                let names: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
                format!("State: {}", names.join(" or "))
            }
            Test::Document(test) => test.words(),
            Test::Event(test) => test.words(),
            Test::Log(log) => format!(
                "Uses in the log{}: at least {} in {} days",
                log.of_operations(),
                log.at_least,
                log.days
            ),
        }
    }

    /// Returns `true` if stored samples tell whether the test held in the past.
    #[must_use]
    pub const fn has_past(&self) -> bool {
        matches!(self, Test::Metric(_))
    }
}

/// Time in which a condition held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConditionSpan {
    pub from: Timestamp,
    pub to: Timestamp,
}

impl ConditionSpan {
    /// Returns the length.
    #[must_use]
    pub fn length(&self) -> SignedDuration {
        self.to.duration_since(self.from)
    }
}
