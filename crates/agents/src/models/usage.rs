//! `usage`: whether a resource serves production or development, from the shape of its load alone. It learns from the
//! resources whose tags say so, and is judged by the same tags on days it did not see.

use jiff::Timestamp;
use reeve_estate::{Metric, Resource};
use reeve_learn::calibrate::Confusion;
use reeve_learn::steadiness::coefficient_of_variation;
use reeve_learn::week::hour_of_week;
use reeve_learn::{Point, WeeklyShape, percentile};
use serde::{Deserialize, Serialize};

use reeve_recommend::models::ModelType;
use reeve_recommend::models::{Evaluation, NotTrained, Trained, Trainer};
use reeve_recommend::models::{Material, between};
use reeve_recommend::{is_production, non_production};

/// Resources of each kind it takes.
const ENOUGH: usize = 3;
/// Hours a window has to have.
const ENOUGH_HOURS: usize = 4 * 24;
const FIGURES: usize = 6;

/// The trainer of usage.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage;

/// The middle of each kind, and the spread that figures are measured in.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    format: u32,
    production: Vec<f64>,
    development: Vec<f64>,
    spread: Vec<f64>,
}

/// What the tags say; `None` when they say nothing.
fn label(resource: &Resource) -> Option<bool> {
    if is_production(resource) { Some(true) } else { non_production(resource).then_some(false) }
}

/// Level, peak, weekend and night shares, strength of the week, unevenness.
fn shape(points: &[Point]) -> Option<[f64; FIGURES]> {
    if points.len() < ENOUGH_HOURS {
        return None;
    }
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let mean = |part: &dyn Fn(usize) -> bool| {
        let chosen: Vec<f64> =
            points.iter().filter(|(at, _)| part(hour_of_week(*at))).map(|(_, value)| *value).collect();
        if chosen.is_empty() { None } else { Some(chosen.iter().sum::<f64>() / chosen.len() as f64) }
    };
    let all = mean(&|_| true)?.max(0.05);
    let share = |part: Option<f64>| part.map_or(0.0, |part| (part.max(0.01) / all).ln().clamp(-3.0, 3.0));
    let night = |hour: usize| !(6..20).contains(&(hour % 24));
    Some([
        all.ln(),
        percentile(&values, 95.0)?.max(0.05).ln(),
        share(mean(&|hour| hour >= 5 * 24)),
        share(mean(&night)),
        WeeklyShape::of(points)?.strength.unwrap_or(0.0),
        coefficient_of_variation(&values).unwrap_or(0.0).min(5.0),
    ])
}

fn tagged(material: &Material, from: Timestamp, until: Timestamp) -> Vec<(bool, [f64; FIGURES], usize)> {
    let hourly = material.hourly(Metric::CpuUtilization);
    let of = |(resource, points): &(&Resource, Vec<Point>)| {
        let seen = between(points, from, until);
        Some((label(resource)?, shape(seen)?, seen.len()))
    };
    hourly.iter().filter_map(of).collect()
}

fn middle(of: &[[f64; FIGURES]]) -> Vec<f64> {
    (0..FIGURES).map(|at| of.iter().map(|figures| figures[at]).sum::<f64>() / of.len().max(1) as f64).collect()
}

impl Trainer for Usage {
    fn name(&self) -> &'static str {
        "usage"
    }

    fn kind(&self) -> ModelType {
        ModelType::Classification
    }

    fn threshold(&self) -> f64 {
        0.6
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
        let seen = tagged(material, material.days_ago(self.history_days()), until);
        let of = |wanted: bool| -> Vec<[f64; FIGURES]> {
            seen.iter().filter(|(label, _, _)| *label == wanted).map(|(_, figures, _)| *figures).collect()
        };
        let (production, development) = (of(true), of(false));
        if production.len() < ENOUGH || development.len() < ENOUGH {
            let (p, d) = (production.len(), development.len());
            return Err(NotTrained(format!(
                "{p} resources are tagged production and {d} development, {ENOUGH} of each are needed"
            )));
        }
        let (production, development) = (middle(&production), middle(&development));
        let spread = (0..FIGURES)
            .map(|at| {
                let away = |(label, figures, _): &(bool, [f64; FIGURES], usize)| {
                    let middle = if *label { &production } else { &development };
                    (figures[at] - middle[at]).powi(2)
                };
                (seen.iter().map(away).sum::<f64>() / seen.len() as f64).sqrt().max(0.05)
            })
            .collect();
        let kept = serde_json::to_string(&Kept { format: 1, production, development, spread });
        let state = kept.map_err(|error| NotTrained(error.to_string()))?;
        let samples = seen.iter().map(|(_, _, hours)| *hours as u64).sum();
        Ok(Trained { state, span_days: material.span_days(Metric::CpuUtilization, until), samples })
    }

    fn evaluate(&self, state: &str, material: &Material, from: Timestamp) -> Result<Evaluation, NotTrained> {
        let kept: Kept = serde_json::from_str(state).map_err(|error| NotTrained(format!("the kept state: {error}")))?;
        if [&kept.production, &kept.development, &kept.spread].iter().any(|part| part.len() != FIGURES) {
            return Err(NotTrained("the kept state has another number of figures".to_owned()));
        }
        let mut counted = Confusion::default();
        for (label, figures, _) in tagged(material, from, material.now) {
            let distance = |to: &[f64]| {
                (0..FIGURES).map(|at| ((figures[at] - to[at]) / kept.spread[at].max(0.05)).powi(2)).sum::<f64>()
            };
            counted.count(distance(&kept.production) <= distance(&kept.development), label);
        }
        let scores = counted
            .scores()
            .ok_or_else(|| NotTrained("no tagged resource was seen on the held-out days".to_owned()))?;
        Ok(Evaluation { scores, held_out: counted.total() })
    }

    fn figures(&self, material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64> {
        super::demand::daily_peaks(material, from, until)
    }
}
