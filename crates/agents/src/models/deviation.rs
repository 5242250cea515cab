//! `deviation`: which hours of a resource's CPU are unlike itself. Nobody labels the estate's own
//! anomalies, so the model is judged on held-out days into which known ones are put: three hours
//! that jump, at places that the resource's name decides. What was not put there counts as normal,
//! so that precision is a lower bound.

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_learn::calibrate::Confusion;
use reeve_learn::week::hour_of_week;
use reeve_learn::{Point, WeeklyShape, percentile};
use reeve_recommend::models::{
    DeviationBand, DeviationModel, JoinStates, Material, ModelEvaluation, ModelState as _,
    ModelType, NotTrained, SCALES, Trained, Trainer, between,
};

use super::profiles::{self, ENOUGH_HOURS};

/// The smallest scale, percent of CPU: quiet resources flutter.
const SMALLEST_SCALE: f64 = 0.5;
/// Hours between two anomalies that are put in.
const EVERY_HOURS: usize = 60;
/// Duration of each injected deviation, hours.
const LASTS_HOURS: usize = 3;
/// Least height of an injected deviation, percent of CPU.
const JUMP: f64 = 25.0;

/// The trainer of deviations.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelDeviation;

fn band(points: &[Point]) -> Option<DeviationBand> {
    let shape = WeeklyShape::fit(points).filter(|_| points.len() >= ENOUGH_HOURS)?;
    let overall = points.iter().map(|(_, value)| value).sum::<f64>() / points.len() as f64;
    let hours: Vec<f64> = shape
        .means
        .iter()
        .map(|mean| (mean.unwrap_or(overall) * 100.0).round() / 100.0)
        .collect();

    let away: Vec<f64> = points
        .iter()
        .map(|(at, value)| (value - hours[hour_of_week(*at)]).abs())
        .collect();
    let (middle, far) = (percentile(&away, 50.0)?, percentile(&away, 99.0)?);
    Some(DeviationBand {
        hours,
        scale: (1.4826 * middle).max(far / SCALES).max(SMALLEST_SCALE),
    })
}

impl Trainer for ModelDeviation {
    fn name(&self) -> &'static str {
        DeviationModel::NAME
    }

    fn kind(&self) -> ModelType {
        ModelType::AnomalyDetection
    }

    fn threshold(&self) -> f64 {
        0.9
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
        let begin = material.days_ago(self.history_days());
        profiles::train(material, begin, until, band)
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
        let kept = DeviationModel::read(state)?;
        let mut counted = Confusion::default();

        for (resource, points) in material.hourly(Metric::CpuUtilization) {
            let Some(usual) = kept
                .resources
                .get(&resource.id.0)
                .filter(|usual| usual.hours.len() == 168)
            else {
                continue;
            };
            let first: usize = resource.id.0.bytes().map(usize::from).sum::<usize>() % EVERY_HOURS;
            for (place, (at, value)) in between(&points, from, material.now).iter().enumerate() {
                let put_in = (place + EVERY_HOURS - first) % EVERY_HOURS < LASTS_HOURS;
                let value = if put_in {
                    value + JUMP.max(usual.scale)
                } else {
                    *value
                };
                counted.count(usual.is_outside(*at, value, SCALES), put_in);
            }
        }

        ModelEvaluation::from_counts(counted)
    }

    fn figures(&self, material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64> {
        super::demand::daily_peaks(material, from, until)
    }
}
