//! State of a source that pushes: its latest points, and the samples that follow from them.
//!
//! Points are averaged (gauges) or differentiated (counters) over five minutes, the period of the
//! clouds' own metrics, so that a resource has one grid of points whoever measured them. A period's
//! sample is stored with every push that touches it: what is answered is durable, and a later push
//! replaces the sample. Order does not matter within the last ten to fifteen minutes of a series,
//! and points that are pushed again change nothing. Memory is bounded by the numbers of series that
//! are kept.

mod points;
mod recent;

use std::collections::{BTreeSet, HashMap};
use std::ops::AddAssign;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, ResourceId, Sample};

use crate::index::ResourceIndex;
use crate::labels::Labels;
use crate::rule::{MappingRule, Reading};
pub use points::PERIOD_S;
use points::{PERIOD_MS, Points, checked_period};
pub(crate) use recent::Recent;

/// Series that rules select, kept at most.
const MOST_SERIES: usize = 200_000;
/// Time after which a series that is not pushed any more makes room.
const IDLE: SignedDuration = SignedDuration::from_hours(1);
/// Age beyond which points are not stored.
const OLDEST: SignedDuration = SignedDuration::from_hours(35 * 24);
/// Difference of clocks up to which points lie in the future.
const AHEAD: SignedDuration = SignedDuration::from_mins(10);
/// The bits of the value by which Prometheus marks the end of a series; other values that are not
/// numbers are none of ours.
const STALE: u64 = 0x7ff0_0000_0000_0002;

/// A series as it was pushed.
#[derive(Debug, Clone, PartialEq)]
pub struct PushedSeries {
    /// Labels of the series, the metric's name among them.
    pub labels: Labels,
    /// (milliseconds since the epoch, value).
    pub points: Vec<(i64, f64)>,
}

/// Numbers of points by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IntakeCounts {
    /// Points that were pushed, used or not.
    pub received: u64,
    /// Part of a metric of a resource.
    pub mapped: u64,
    /// Of series that no rule selects.
    pub unselected: u64,
    /// Of series that belong to no resource.
    pub unmatched: u64,
    /// Marks of the end of a series.
    pub stale: u64,
    /// Infinite, or not numbers.
    pub not_finite: u64,
    /// Older than what can still be put in its place.
    pub too_old: u64,
    /// More than ten minutes ahead of Reeve's clock.
    pub in_future: u64,
    /// Of series beyond the number that is kept.
    pub over_limit: u64,
    /// Samples that were not stored, because their metric cannot have the value.
    pub out_of_range: u64,
}

impl AddAssign for IntakeCounts {
    fn add_assign(&mut self, other: IntakeCounts) {
        self.received += other.received;
        self.mapped += other.mapped;
        self.unselected += other.unselected;
        self.unmatched += other.unmatched;
        self.stale += other.stale;
        self.not_finite += other.not_finite;
        self.too_old += other.too_old;
        self.in_future += other.in_future;
        self.over_limit += other.over_limit;
        self.out_of_range += other.out_of_range;
    }
}

/// Samples of a push.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Taken {
    /// Samples to store; each replaces the one at its place.
    pub samples: Vec<Sample>,
    /// Numbers of the points by what became of them.
    pub counts: IntakeCounts,
}

/// Side of a division that a series is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Dividend,
    Divisor,
}

/// A series that rules select.
#[derive(Debug, Default)]
struct Series {
    points: Points,
    /// Groups that it is part of.
    groups: Vec<usize>,
    seen: Timestamp,
}

/// The series of one rule and resource.
#[derive(Debug)]
struct Group {
    rule: usize,
    resource: ResourceId,
    dividends: Vec<(Labels, usize)>,
    divisors: HashMap<Labels, usize>,
}

/// State of a source that pushes.
#[derive(Debug)]
pub struct Intake {
    rules: Arc<[MappingRule]>,
    by_name: HashMap<String, Vec<(usize, Part)>>,
    index: Arc<ResourceIndex>,
    places: HashMap<Labels, usize>,
    series: Vec<Series>,
    groups: Vec<Group>,
    by_resource: HashMap<(usize, ResourceId), usize>,
    pub(crate) recent: Recent,
}

impl Intake {
    /// Creates the state of a source with these rules over these resources.
    #[must_use]
    pub fn new(rules: Arc<[MappingRule]>, index: Arc<ResourceIndex>) -> Intake {
        let mut by_name: HashMap<String, Vec<(usize, Part)>> = HashMap::new();
        for (place, rule) in rules.iter().enumerate() {
            by_name
                .entry(rule.series.name().to_owned())
                .or_default()
                .push((place, Part::Dividend));
            if let Some(divisor) = &rule.divide_by {
                by_name
                    .entry(divisor.name().to_owned())
                    .or_default()
                    .push((place, Part::Divisor));
            }
        }

        Intake {
            rules,
            by_name,
            index,
            places: HashMap::new(),
            series: Vec::new(),
            groups: Vec::new(),
            by_resource: HashMap::new(),
            recent: Recent::default(),
        }
    }

    /// Returns the mapping rules, in the order of the source.
    #[must_use]
    pub fn rules(&self) -> &[MappingRule] {
        &self.rules
    }

    /// Returns the index of the resources that labels are compared with.
    #[must_use]
    pub fn index(&self) -> &Arc<ResourceIndex> {
        &self.index
    }

    /// Replaces the rules; the series that were pushed lately stay known.
    #[must_use]
    pub fn with_rules(self, rules: Arc<[MappingRule]>) -> Intake {
        Intake {
            recent: self.recent,
            ..Intake::new(rules, self.index)
        }
    }

    /// Returns the intake with another index of resources.
    #[must_use]
    pub fn with_index(mut self, index: Arc<ResourceIndex>) -> Intake {
        self.set_index(index);
        self
    }

    /// Takes the estate as it is now: series are matched with its resources anew, unless it is the
    /// same.
    pub fn set_index(&mut self, index: Arc<ResourceIndex>) {
        if *self.index == *index {
            return;
        }

        self.index = index;
        self.groups.clear();
        self.by_resource.clear();
        let places: Vec<(Labels, usize)> = self
            .places
            .iter()
            .map(|(labels, place)| (labels.clone(), *place))
            .collect();

        for (labels, place) in places {
            self.series[place].groups = self.join(&labels, place);
        }
    }

    /// Takes a push over, and returns the samples of the periods that it touches.
    pub fn take(
        &mut self,
        connection: &ConnectionId,
        pushed: Vec<PushedSeries>,
        now: Timestamp,
    ) -> Taken {
        let (mut counts, mut touched) = (IntakeCounts::default(), BTreeSet::new());
        for PushedSeries { labels, points } in pushed {
            let number = points.len() as u64;
            counts.received += number;
            self.recent.note(&labels, &points, now);
            if !self.is_selected(&labels) {
                counts.unselected += number;
                continue;
            }
            let Some(place) = self.place(labels, now) else {
                counts.over_limit += number;
                continue;
            };
            if self.series[place].groups.is_empty() {
                counts.unmatched += number;
                continue;
            }
            for point in points {
                self.insert(place, point, now, &mut counts, &mut touched);
            }
        }

        let mut samples = Vec::new();
        for (group, period) in touched {
            match self
                .value(group, period)
                .map(|value| self.rules[self.groups[group].rule].stored(value))
            {
                None => {}
                Some(None) => counts.out_of_range += 1,
                Some(Some(value)) => samples.extend(self.sample(connection, group, period, value)),
            }
        }

        Taken { samples, counts }
    }

    fn insert(
        &mut self,
        place: usize,
        (at_ms, value): (i64, f64),
        now: Timestamp,
        counts: &mut IntakeCounts,
        touched: &mut BTreeSet<(usize, i64)>,
    ) {
        let stale = value.to_bits() == STALE;
        let age = now.as_millisecond().saturating_sub(at_ms);
        let count = match () {
            () if !value.is_finite() && !stale => &mut counts.not_finite,
            () if i128::from(age) > OLDEST.as_millis() => &mut counts.too_old,
            () if i128::from(age) < -AHEAD.as_millis() => &mut counts.in_future,
            () if !self.series[place].points.insert(at_ms, value) => &mut counts.too_old,
            () if stale => &mut counts.stale,
            () => &mut counts.mapped,
        };
        *count += 1;

        // A time that no clock shows has no period: its beginning lies beyond the numbers.
        let Some(period) = checked_period(at_ms) else {
            return;
        };

        // A late point is also what a counter of the next period grows from.
        for group in &self.series[place].groups {
            touched.extend([(*group, period), (*group, period + PERIOD_MS)]);
        }
    }

    fn is_selected(&self, labels: &Labels) -> bool {
        let uses = labels
            .name()
            .and_then(|name| self.by_name.get(name))
            .map_or(&[][..], Vec::as_slice);
        uses.iter()
            .any(|(rule, part)| self.selects(*rule, *part, labels))
    }

    fn selects(&self, rule: usize, part: Part, labels: &Labels) -> bool {
        match part {
            Part::Dividend => self.rules[rule].series.matches(labels),
            Part::Divisor => self.rules[rule]
                .divide_by
                .as_ref()
                .is_some_and(|divisor| divisor.matches(labels)),
        }
    }

    /// The place of a series, a new one if it is not known; `None` if there is no room.
    fn place(&mut self, labels: Labels, now: Timestamp) -> Option<usize> {
        if let Some(place) = self.places.get(&labels) {
            self.series[*place].seen = now;
            return Some(*place);
        }
        if self.series.len() >= MOST_SERIES {
            self.drop_idle(now);
        }
        if self.series.len() >= MOST_SERIES {
            return None;
        }

        let place = self.series.len();
        self.series.push(Series {
            seen: now,
            ..Series::default()
        });
        self.series[place].groups = self.join(&labels, place);
        self.places.insert(labels, place);

        Some(place)
    }

    /// Enters a series into the groups of the resources that it belongs to.
    fn join(&mut self, labels: &Labels, place: usize) -> Vec<usize> {
        let uses = labels
            .name()
            .and_then(|name| self.by_name.get(name))
            .cloned()
            .unwrap_or_default();
        let mut joined = Vec::new();

        for (rule, part) in uses {
            if !self.selects(rule, part, labels) {
                continue;
            }
            let Ok(resource) = self.index.locate(&self.rules[rule], labels) else {
                continue;
            };
            let id = resource.id.clone();
            let next = self.groups.len();
            let group = *self.by_resource.entry((rule, id.clone())).or_insert(next);
            if group == next {
                let (dividends, divisors) = (Vec::new(), HashMap::new());
                self.groups.push(Group {
                    rule,
                    resource: id,
                    dividends,
                    divisors,
                });
            }
            match part {
                Part::Dividend => self.groups[group]
                    .dividends
                    .push((labels.without_name(), place)),
                Part::Divisor => drop(
                    self.groups[group]
                        .divisors
                        .insert(labels.without_name(), place),
                ),
            }
            joined.push(group);
        }

        joined
    }

    /// Forgets series that were not pushed for a while.
    fn drop_idle(&mut self, now: Timestamp) {
        let mut old: Vec<Option<Series>> = std::mem::take(&mut self.series)
            .into_iter()
            .map(Some)
            .collect();
        self.groups.clear();
        self.by_resource.clear();

        for (labels, place) in std::mem::take(&mut self.places) {
            let Some(series) = old[place]
                .take()
                .filter(|series| now.duration_since(series.seen) < IDLE)
            else {
                continue;
            };
            let place = self.series.len();
            self.series.push(Series {
                groups: Vec::new(),
                ..series
            });
            self.series[place].groups = self.join(&labels, place);
            self.places.insert(labels, place);
        }
    }

    fn value(&self, group: usize, period: i64) -> Option<f64> {
        let Group {
            rule,
            dividends,
            divisors,
            ..
        } = &self.groups[group];

        let rule = &self.rules[*rule];
        let value = |(labels, place): &(Labels, usize)| {
            let points = &self.series[*place].points;
            let value = match rule.reading {
                Reading::Gauge => points.mean(period)?,
                Reading::Counter => points.rate(period)?,
            };
            if rule.divide_by.is_none() {
                return Some(value);
            }
            let divisor = self.series[*divisors.get(labels)?].points.mean(period)?;
            (divisor != 0.0).then(|| value / divisor)
        };

        rule.combined(&dividends.iter().filter_map(value).collect::<Vec<_>>())
    }

    fn sample(
        &self,
        connection: &ConnectionId,
        group: usize,
        period: i64,
        value: f64,
    ) -> Option<Sample> {
        let Group { rule, resource, .. } = &self.groups[group];
        Some(Sample {
            connection: connection.clone(),
            resource: resource.clone(),
            metric: self.rules[*rule].metric,
            timestamp: Timestamp::from_millisecond(period).ok()?,
            value,
            period_s: PERIOD_S,
        })
    }
}

#[cfg(test)]
mod tests;
