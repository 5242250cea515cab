//! Members of a scaling group and their measurements together: at each time the highest and the lowest value of all members.
//!
//! A metric belongs to the group only where every member was measured: the value of a member that nobody measured could be the
//! highest.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{Metric, Resource, ResourceId, Series};

/// Share of a member's time that must be measured.
const COVERAGE: f64 = 0.9;

/// One metric of all members.
#[derive(Debug, Clone)]
struct Envelope {
    period_s: u32,
    /// Members that were measured throughout.
    members: usize,
    /// Lowest and highest value by the beginning of its period.
    points: BTreeMap<i64, (f64, f64)>,
}

/// The members of a group that serve, and what was measured of them.
#[derive(Debug, Clone)]
pub struct Fleet {
    /// Members.
    pub members: Vec<Resource>,
    envelopes: BTreeMap<Metric, Envelope>,
    start: Timestamp,
    now: Timestamp,
}

impl Fleet {
    /// A group of members without measurements, which are added for the time from `start` to `now`.
    #[must_use]
    pub fn new(members: Vec<Resource>, start: Timestamp, now: Timestamp) -> Self {
        Fleet { members, envelopes: BTreeMap::new(), start, now }
    }

    /// Adds series of members, each whole.
    pub fn add(&mut self, series: &[Series]) {
        for one in series.iter().filter(|one| !one.points.is_empty()) {
            let whole = self.members.iter().find(|member| member.id == one.resource).map(|it| self.is_whole(it, one));
            let Some(whole) = whole else { continue };
            let envelope = self.envelopes.entry(one.metric).or_insert_with(|| Envelope {
                period_s: one.period_s.max(1),
                members: 0,
                points: BTreeMap::new(),
            });
            envelope.members += usize::from(whole);
            // Members are measured at seconds of their own: their periods are laid on one grid.
            let period = i64::from(envelope.period_s);
            for (at, value) in one.points.iter().filter(|(_, value)| value.is_finite()) {
                let both = envelope.points.entry(at.as_second().div_euclid(period)).or_insert((*value, *value));
                *both = (both.0.min(*value), both.1.max(*value));
            }
        }
    }

    /// Returns `true` if a series covers the time in which the member served.
    fn is_whole(&self, member: &Resource, series: &Series) -> bool {
        let served = member.created_at.map_or(self.start, |created| created.max(self.start));
        let Some((first, _)) = series.points.first() else { return false };
        // A history that begins later than the window is short, not incomplete: rules have windows of their own.
        let from = served.max(*first);
        let expected = self.now.duration_since(from).as_secs_f64() / f64::from(series.period_s.max(1));
        series.points.len() as f64 >= COVERAGE * expected.floor()
    }

    /// Returns the members that a metric was not measured of throughout.
    #[must_use]
    pub fn unmeasured(&self, metric: Metric) -> usize {
        self.members.len() - self.envelopes.get(&metric).map_or(0, |envelope| envelope.members.min(self.members.len()))
    }

    /// Returns the highest values of every metric that all members have, as series of a resource.
    #[must_use]
    pub fn highest(&self, resource: &ResourceId) -> Vec<Series> {
        let common = self.envelopes.iter().filter(|(metric, _)| self.unmeasured(**metric) == 0);
        common.map(|(metric, envelope)| envelope.series(resource, *metric, |(_, high)| high)).collect()
    }

    /// Returns the lowest values of a metric that all members have; `None` for another.
    #[must_use]
    pub fn lowest(&self, resource: &ResourceId, metric: Metric) -> Option<Series> {
        let envelope = self.envelopes.get(&metric).filter(|_| self.unmeasured(metric) == 0)?;
        Some(envelope.series(resource, metric, |(low, _)| low))
    }
}

impl Envelope {
    fn series(&self, resource: &ResourceId, metric: Metric, value: impl Fn((f64, f64)) -> f64) -> Series {
        let at = |place: i64| Timestamp::from_second(place * i64::from(self.period_s)).ok();
        let points = self.points.iter().filter_map(|(place, both)| Some((at(*place)?, value(*both)))).collect();
        Series { resource: resource.clone(), metric, points, period_s: self.period_s }
    }
}
