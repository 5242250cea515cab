//! `demand`: CPU of each resource by hour of the week, and its forecast for the weeks to come.
//! Judged by a decision that people take from such a forecast: which hours of the coming week are
//! among a resource's busiest fifth.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_learn::calibrate::Confusion;
use reeve_learn::week::hour_of_week;
use reeve_learn::{DAY_MS, Point, WeeklyShape, percentile};
use reeve_recommend::models::{
    Demand as Profile, DemandModel, JoinStates, Material, ModelEvaluation, ModelState as _,
    ModelType, NotTrained, Trained, Trainer, between,
};

use super::forecast::{forecast, hundredths};
use super::profiles::{self, ENOUGH_HOURS};

/// Its busiest fifth of hours is above this percentile.
const BUSY_PERCENTILE: f64 = 80.0;

/// The trainer of demand.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelDemand;

fn profile(points: &[Point], until: Timestamp) -> Option<Profile> {
    let shape = WeeklyShape::fit(points).filter(|_| points.len() >= ENOUGH_HOURS)?;
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let overall = values.iter().sum::<f64>() / values.len() as f64;

    // An hour of the week that was never seen is like the same hour of other days.
    let same_hour = |hour: usize| {
        let seen: Vec<f64> = shape
            .means
            .iter()
            .skip(hour % 24)
            .step_by(24)
            .copied()
            .flatten()
            .collect();
        if seen.is_empty() {
            overall
        } else {
            seen.iter().sum::<f64>() / seen.len() as f64
        }
    };

    let hours = (0..shape.means.len())
        .map(|h| hundredths(shape.means[h].unwrap_or_else(|| same_hour(h))))
        .collect();
    let busy = hundredths(percentile(&values, BUSY_PERCENTILE)?);
    Some(Profile {
        hours,
        busy,
        forecast: forecast(points, until),
    })
}

impl Trainer for ModelDemand {
    fn name(&self) -> &'static str {
        DemandModel::NAME
    }

    fn format(&self) -> u32 {
        2
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
        91
    }

    fn held_out_days(&self) -> i64 {
        7
    }

    fn train(&self, material: &Material, until: Timestamp) -> Result<Trained, NotTrained> {
        let begin = material.days_ago(self.history_days());
        profiles::train(material, begin, until, |points| profile(points, until))
    }

    fn join(&self) -> Option<JoinStates> {
        Some(profiles::join)
    }

    fn evaluate(
        &self,
        state: &str,
        material: &Material,
        from: Timestamp,
    ) -> Result<ModelEvaluation, NotTrained> {
        let kept = DemandModel::read(state)?;
        let mut counted = Confusion::default();

        for (resource, points) in material.hourly(Metric::CpuUtilization) {
            let Some(profile) = kept
                .resources
                .get(&resource.id.0)
                .filter(|p| p.hours.len() == 168)
            else {
                continue;
            };
            for (at, value) in between(&points, from, material.now) {
                counted.count(
                    profile.hours[hour_of_week(*at)] > profile.busy,
                    hundredths(*value) > profile.busy,
                );
            }
        }

        ModelEvaluation::from_counts(counted)
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
            let peak = peaks
                .entry((resource.id.as_str(), at.div_euclid(DAY_MS)))
                .or_insert(0.0);
            *peak = peak.max(*value);
        }
    }

    peaks.into_values().collect()
}
