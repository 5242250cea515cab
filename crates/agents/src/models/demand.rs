//! `demand`: what each resource's CPU does in each hour of the week. Judged by a decision that people take from such a
//! forecast: which hours of the coming week are among a resource's busiest fifth.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_learn::calibrate::Confusion;
use reeve_learn::week::hour_of_week;
use reeve_learn::{DAY_MS, Point, WeeklyShape, percentile};
use serde::{Deserialize, Serialize};

use super::profiles::{self, ENOUGH_HOURS, Profiles};
use reeve_recommend::models::ModelType;
use reeve_recommend::models::{Evaluation, NotTrained, Trained, Trainer};
use reeve_recommend::models::{Material, between};

/// Its busiest fifth of hours lies above this percentile.
const BUSY_PERCENTILE: f64 = 80.0;

/// The trainer of demand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Demand;

/// What is learned of one resource.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    /// Means by hour of the week, Monday 00:00 UTC first, in hundredths of a percent.
    hours: Vec<u32>,
    /// Above this an hour is busy, in hundredths of a percent.
    busy: u32,
}

fn hundredths(value: f64) -> u32 {
    (value.clamp(0.0, 1e6) * 100.0).round() as u32
}

fn profile(points: &[Point]) -> Option<Profile> {
    let shape = WeeklyShape::of(points).filter(|_| points.len() >= ENOUGH_HOURS)?;
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let overall = values.iter().sum::<f64>() / values.len() as f64;
    // An hour of the week that was never seen is like the same hour of other days.
    let same_hour = |hour: usize| {
        let seen: Vec<f64> = shape.means.iter().skip(hour % 24).step_by(24).copied().flatten().collect();
        if seen.is_empty() { overall } else { seen.iter().sum::<f64>() / seen.len() as f64 }
    };
    let hours = (0..shape.means.len()).map(|h| hundredths(shape.means[h].unwrap_or_else(|| same_hour(h)))).collect();
    Some(Profile { hours, busy: hundredths(percentile(&values, BUSY_PERCENTILE)?) })
}

impl Trainer for Demand {
    fn name(&self) -> &'static str {
        "demand"
    }

    fn kind(&self) -> ModelType {
        ModelType::Forecast
    }

    fn threshold(&self) -> f64 {
        0.7
    }

    fn metrics(&self) -> &'static [Metric] {
        &[Metric::CpuUtilization]
    }

    fn history_days(&self) -> i64 {
        35
    }

    fn held_out_days(&self) -> i64 {
        7
    }

    fn train(&self, material: &Material, until: Timestamp) -> Result<Trained, NotTrained> {
        Profiles::train(material, material.days_ago(self.history_days()), until, profile)
    }

    fn evaluate(&self, state: &str, material: &Material, from: Timestamp) -> Result<Evaluation, NotTrained> {
        let kept = profiles::read::<Profile>(state)?;
        let mut counted = Confusion::default();
        for (resource, points) in material.hourly(Metric::CpuUtilization) {
            let Some(profile) = kept.resources.get(&resource.id.0).filter(|p| p.hours.len() == 168) else { continue };
            for (at, value) in between(&points, from, material.now) {
                counted.count(profile.hours[hour_of_week(*at)] > profile.busy, hundredths(*value) > profile.busy);
            }
        }
        let scores =
            counted.scores().ok_or_else(|| NotTrained("no hour could be judged on the held-out days".to_owned()))?;
        Ok(Evaluation { scores, held_out: counted.total() })
    }

    fn figures(&self, material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64> {
        daily_peaks(material, from, until)
    }
}

/// The highest hour of each day of each resource.
pub(super) fn daily_peaks(material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64> {
    let mut peaks: BTreeMap<(&str, i64), f64> = BTreeMap::new();
    let hourly = material.hourly(Metric::CpuUtilization);
    for (resource, points) in &hourly {
        for (at, value) in between(points, from, until) {
            let peak = peaks.entry((resource.id.as_str(), at.div_euclid(DAY_MS))).or_insert(0.0);
            *peak = peak.max(*value);
        }
    }
    peaks.into_values().collect()
}
