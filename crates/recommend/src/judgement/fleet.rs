//! Members of a scaling group and their measurements together: at each time the highest and the
//! lowest value of all members.
//!
//! A metric belongs to the group only where every member was measured: the value of a member that
//! nobody measured could be the highest.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{Metric, Resource, ResourceId, SampleSeries};

/// Share of a member's time that must be measured.
const COVERAGE: f64 = 0.9;

/// Measurements of a member by one metric.
#[derive(Debug, Clone, Copy)]
struct Measured {
    /// Beginning of the time in which the member served.
    served: Timestamp,
    first: Timestamp,
    points: usize,
    period_s: u32,
}

/// One metric of all members.
#[derive(Debug, Clone)]
struct Envelope {
    /// Longest period of the members' series.
    period_s: u32,
    members: Vec<Measured>,
    /// Lowest and highest value by the number of the period.
    points: BTreeMap<i64, (f64, f64)>,
}

/// The members of a group that serve, and what was measured of them.
#[derive(Debug, Clone)]
pub struct Fleet {
    pub members: Vec<Resource>,
    envelopes: BTreeMap<Metric, Envelope>,
    start: Timestamp,
    now: Timestamp,
}

impl Fleet {
    /// A group of members without measurements, which are added for the time from `start` to `now`.
    #[must_use]
    pub fn new(members: Vec<Resource>, start: Timestamp, now: Timestamp) -> Self {
        Fleet {
            members,
            envelopes: BTreeMap::new(),
            start,
            now,
        }
    }

    /// Adds series of members, each whole.
    pub fn add(&mut self, series: &[SampleSeries]) {
        for one in series {
            let Some(member) = self.members.iter().find(|member| member.id == one.resource) else {
                continue;
            };
            let served = member
                .created_at
                .map_or(self.start, |created| created.max(self.start));
            let finite = || one.points.iter().filter(|(_, value)| value.is_finite());
            let Some((first, _)) = finite().next() else {
                continue;
            };
            let period_s = one.period_s.max(1);
            let empty = || Envelope {
                period_s,
                members: Vec::new(),
                points: BTreeMap::new(),
            };
            let envelope = self.envelopes.entry(one.metric).or_insert_with(empty);
            envelope.members.push(Measured {
                served,
                first: *first,
                points: finite().count(),
                period_s,
            });
            envelope.widen(period_s);
            for (at, value) in finite() {
                envelope.put(at.as_second(), (*value, *value));
            }
        }
    }

    /// Returns the number of members that a metric was not measured of throughout. A history in
    /// which no member was measured is short, not incomplete, as rules have windows of their own;
    /// one that began later for a member alone is incomplete.
    #[must_use]
    pub fn unmeasured(&self, metric: Metric) -> usize {
        let Some(envelope) = self.envelopes.get(&metric) else {
            return self.members.len();
        };

        let begin = envelope
            .members
            .iter()
            .map(|member| member.first)
            .min()
            .unwrap_or(self.start);

        let whole = envelope.members.iter().filter(|member| {
            let time = self
                .now
                .duration_since(member.served.max(begin))
                .as_secs_f64();
            member.points as f64 >= COVERAGE * (time / f64::from(member.period_s)).floor()
        });

        self.members.len().saturating_sub(whole.count())
    }

    /// Returns the highest values of every metric that all members have, as series of a resource.
    #[must_use]
    pub fn highest(&self, resource: &ResourceId) -> Vec<SampleSeries> {
        let common = self
            .envelopes
            .iter()
            .filter(|(metric, _)| self.unmeasured(**metric) == 0);
        common
            .map(|(metric, envelope)| envelope.series(resource, *metric, |(_, high)| high))
            .collect()
    }

    /// Returns the lowest values of a metric that all members have; `None` for another.
    #[must_use]
    pub fn lowest(&self, resource: &ResourceId, metric: Metric) -> Option<SampleSeries> {
        let envelope = self
            .envelopes
            .get(&metric)
            .filter(|_| self.unmeasured(metric) == 0)?;
        Some(envelope.series(resource, metric, |(low, _)| low))
    }
}

impl Envelope {
    /// Lays the points on a grid of longer periods, so that each has a value of every member.
    fn widen(&mut self, period_s: u32) {
        if period_s > self.period_s {
            let before = i64::from(std::mem::replace(&mut self.period_s, period_s));
            for (place, both) in std::mem::take(&mut self.points) {
                self.put(place * before, both);
            }
        }
    }

    /// Adds a lowest and a highest value at a second. Members are measured at seconds of their own:
    /// their periods are laid on one grid.
    fn put(&mut self, second: i64, (low, high): (f64, f64)) {
        let both = self
            .points
            .entry(second.div_euclid(i64::from(self.period_s)))
            .or_insert((low, high));
        *both = (both.0.min(low), both.1.max(high));
    }

    fn series(
        &self,
        resource: &ResourceId,
        metric: Metric,
        value: impl Fn((f64, f64)) -> f64,
    ) -> SampleSeries {
        let at = |place: i64| Timestamp::from_second(place * i64::from(self.period_s)).ok();
        let points = self
            .points
            .iter()
            .filter_map(|(place, both)| Some((at(*place)?, value(*both))))
            .collect();

        SampleSeries {
            resource: resource.clone(),
            metric,
            points,
            period_s: self.period_s,
        }
    }
}
