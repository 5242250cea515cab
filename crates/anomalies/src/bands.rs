//! Trained bands: what the model `deviation` learned to be usual of a metric, beside the detector
//! that learns as it goes.
//!
//! The detector follows what it sees, so that a slow change becomes usual before it is reported. A
//! trained band stands still until the model is trained again. Where a series has one, hours in a
//! row outside it are an anomaly although the detector is content, and a single leap inside it is
//! none although the detector is startled.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_estate::{Metric, ResourceId, StoreError};
use reeve_learn::HOUR_MS;
use reeve_learn::anomaly::Sign;
use reeve_recommend::models::{
    DeviationBand, DeviationModel, ModelFilter, ModelId, ModelReference, ModelState, ModelStatus,
    ModelStore, SCALES, unusable,
};

use super::record::Reading;
use super::settings::Sensitivity;

/// Hours in a row outside the band that are an anomaly.
const HOURS: u32 = 3;
/// Hours inside it until the next deviation may be reported.
const BACK: u32 = 24;
/// Distance from the usual below which nothing is reported, percentage points: the values of quiet
/// resources vary by chance.
const LEAST: f64 = 10.0;
/// Precision on held-out days below which a model raises and silences nothing.
const LEAST_PRECISION: f64 = 0.5;

/// Bands of every serving model, the newest training first.
#[derive(Debug, Clone, Default)]
pub struct TrainedBands {
    models: Vec<(ModelReference, Arc<DeviationModel>)>,
}

/// Band of one series, with the model it was learned by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trained<'a> {
    model: &'a ModelReference,
    band: &'a DeviationBand,
}

impl TrainedBands {
    /// Loads the models that serve and may be used; states that `known` has are not read again.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn load(
        store: &dyn ModelStore,
        known: &TrainedBands,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let serving = ModelFilter {
            name: Some(DeviationModel::NAME.to_owned()),
            status: Some(ModelStatus::Serving),
            ..ModelFilter::default()
        };
        let mut models = Vec::new();

        for model in store.model_list(&serving).await?.0 {
            if unusable(&model, now).is_some() || model.precision < LEAST_PRECISION {
                continue;
            }
            let state = match known.state(&model.id) {
                Some(state) => state,
                None => match DeviationModel::read(&store.model_state(&model.id).await?) {
                    Ok(state) => Arc::new(state),
                    Err(error) => {
                        tracing::warn!(%error, model = %model.id.0, "a deviation model could not be read");
                        continue;
                    }
                },
            };
            models.push((ModelReference::from_model(&model), state));
        }

        models.sort_by(|(a, _), (b, _)| {
            b.trained_at
                .cmp(&a.trained_at)
                .then_with(|| a.id.cmp(&b.id))
        });
        Ok(TrainedBands { models })
    }

    fn state(&self, id: &ModelId) -> Option<Arc<DeviationModel>> {
        self.models
            .iter()
            .find(|(model, _)| model.id == *id)
            .map(|(_, state)| Arc::clone(state))
    }

    /// The band of a series; the model learns CPU alone.
    pub(super) fn get(&self, resource: &ResourceId, metric: Metric) -> Option<Trained<'_>> {
        let (model, band) = self
            .models
            .iter()
            .filter(|_| metric == Metric::CpuUtilization)
            .find_map(|(model, state)| Some((model, state.resources.get(&resource.0)?)))?;
        Some(Trained { model, band })
    }
}

/// Scales that the band reaches, by how readily something is called unusual.
const fn scales(sensitivity: Sensitivity) -> f64 {
    match sensitivity {
        Sensitivity::Low => SCALES * 1.5,
        Sensitivity::Medium => SCALES,
        Sensitivity::High => SCALES * 0.8,
    }
}

impl Trained<'_> {
    /// Returns `true` if an alarm of the detector is a single leap that stays within the band.
    pub(super) fn explains(
        &self,
        at: Timestamp,
        value: f64,
        sign: Option<Sign>,
        sensitivity: Sensitivity,
    ) -> bool {
        let is_leap = matches!(sign, Some(Sign::Spike | Sign::Jump | Sign::Season));
        is_leap
            && !self
                .band
                .is_outside(at.as_millisecond(), value, scales(sensitivity))
    }

    fn is_far(&self, at_ms: i64, value: f64, sensitivity: Sensitivity) -> bool {
        let far = self
            .band
            .expected(at_ms)
            .is_some_and(|mean| (value - mean).abs() >= LEAST);
        far && self.band.is_outside(at_ms, value, scales(sensitivity))
    }

    /// An hour outside the band as evidence that names the model.
    fn reading(
        &self,
        metric: Metric,
        at: Timestamp,
        value: f64,
        sensitivity: Sensitivity,
    ) -> Option<Reading> {
        let reach = scales(sensitivity);
        let expected = self.band.expected(at.as_millisecond())?;
        let (low, high) = self.band.edges(at.as_millisecond(), reach)?;
        let distance = (value - expected).abs() / (reach * self.band.scale);
        let side = if value >= expected { "above" } else { "below" };
        let sign = format!(
            "{HOURS} hours {side} the band learned for this hour of the week, {}",
            self.model.words()
        );

        Some(Reading {
            metric: Some(metric),
            at,
            value,
            expected,
            low,
            high,
            score: 1.0 - 0.5 / distance.max(1.0),
            indication: sign.into(),
        })
    }
}

/// Hours of one series beside its band.
#[derive(Debug, Clone, Default)]
pub(super) struct Hours {
    hour: Option<i64>,
    sum: f64,
    count: f64,
    outside: u32,
    inside: u32,
    is_told: bool,
}

impl Hours {
    /// Takes a point in; a reading where the hour that ended before it completes a stretch outside
    /// the band.
    pub(super) fn observe(
        &mut self,
        trained: &Trained<'_>,
        metric: Metric,
        (at, value): (Timestamp, f64),
        sensitivity: Sensitivity,
    ) -> Option<Reading> {
        let hour = at.as_millisecond().div_euclid(HOUR_MS);
        let ended = self.hour.replace(hour).filter(|before| *before != hour);
        let found = ended.and_then(|ended| {
            let mean = self.sum / self.count;
            (self.sum, self.count) = (0.0, 0.0);
            self.close(trained, metric, (ended, mean), sensitivity)
        });

        if value.is_finite() {
            (self.sum, self.count) = (self.sum + value, self.count + 1.0);
        }

        found
    }

    fn close(
        &mut self,
        trained: &Trained<'_>,
        metric: Metric,
        (hour, mean): (i64, f64),
        sensitivity: Sensitivity,
    ) -> Option<Reading> {
        if !mean.is_finite() {
            return None;
        }

        if !trained.is_far(hour * HOUR_MS, mean, sensitivity) {
            (self.outside, self.inside) = (0, self.inside.saturating_add(1));
            self.is_told &= self.inside < BACK;
            return None;
        }

        (self.outside, self.inside) = (self.outside.saturating_add(1), 0);
        if self.is_told || self.outside < HOURS {
            return None;
        }

        self.is_told = true;
        trained.reading(
            metric,
            Timestamp::from_millisecond(hour * HOUR_MS).ok()?,
            mean,
            sensitivity,
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use reeve_recommend::models::ModelType;

    fn band() -> (ModelReference, DeviationBand) {
        let model = ModelReference {
            id: ModelId("m-1".to_owned()),
            name: DeviationModel::NAME.to_owned(),
            kind: ModelType::AnomalyDetection,
            version: 2,
            trained_at: Timestamp::UNIX_EPOCH,
        };
        (
            model,
            DeviationBand {
                hours: vec![20.0; 168],
                scale: 2.0,
            },
        )
    }

    fn hour(hour: i64) -> Timestamp {
        Timestamp::from_millisecond(hour * HOUR_MS).unwrap()
    }

    #[test]
    fn a_leap_inside_the_band_is_usual_and_other_alarms_are_not_silenced() {
        let (model, band) = band();
        let trained = Trained {
            model: &model,
            band: &band,
        };
        let explains =
            |value, sign, sensitivity| trained.explains(hour(3), value, Some(sign), sensitivity);
        assert!(explains(29.0, Sign::Spike, Sensitivity::Medium));
        assert!(!explains(31.0, Sign::Spike, Sensitivity::Medium));
        assert!(
            !explains(29.0, Sign::Spike, Sensitivity::High),
            "the band is narrower"
        );
        assert!(explains(34.0, Sign::Season, Sensitivity::Low), "and wider");
        assert!(
            !explains(20.0, Sign::Flatline, Sensitivity::Medium)
                && !explains(25.0, Sign::Drift, Sensitivity::Medium)
        );
    }

    #[test]
    fn hours_in_a_row_outside_the_band_are_reported_once_until_it_was_back_for_a_day() {
        let (model, band) = band();
        let trained = Trained {
            model: &model,
            band: &band,
        };
        let mut hours = Hours::default();
        let mut readings = Vec::new();
        let mut feed = |from: i64, until: i64, value: f64| {
            for at in from..until {
                let point = (hour(at), value);
                let found =
                    hours.observe(&trained, Metric::CpuUtilization, point, Sensitivity::Medium);
                readings.extend(found.map(|reading| (at, reading)));
            }
        };
        feed(0, 10, 20.0);

        feed(10, 12, 45.0);
        feed(12, 15, 20.0);
        feed(15, 30, 45.0);
        feed(30, 40, 20.0);
        feed(40, 50, 45.0);
        feed(50, 80, 20.0);
        feed(80, 90, 45.0);

        // The third hour is known once the fourth begins.
        assert_eq!(
            readings.iter().map(|(at, _)| *at).collect::<Vec<_>>(),
            [18, 83]
        );

        let reading = &readings[0].1;
        assert_eq!(
            (reading.value, reading.expected, reading.low, reading.high),
            (45.0, 20.0, 10.0, 30.0)
        );

        let sign = reading.indication.to_string();
        assert!(sign.contains("3 hours above") && sign.contains("deviation model, version 2"));
        assert!(
            reading.score > 0.7 && reading.score < 1.0,
            "{}",
            reading.score
        );
    }
}
