//! State of the model `deviation`: the usual CPU of each resource by hour of the week, and how far
//! it strays.

use reeve_learn::week::{HOURS, hour_of_week};
use serde::{Deserialize, Serialize};

use crate::models::learned::ModelState;
use crate::models::profiles::Profiles;
use crate::models::trainer::NotTrained;

/// Scales around the mean of an hour that the band reaches.
pub const SCALES: f64 = 5.0;

/// Bands of every resource that was learned.
pub type DeviationModel = Profiles<DeviationBand>;

impl ModelState for DeviationModel {
    const NAME: &'static str = "deviation";

    fn read(text: &str) -> Result<Self, NotTrained> {
        Profiles::parse(text)
    }
}

/// Usual CPU of one resource, percent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviationBand {
    /// Means by hour of the week, Monday 00:00 UTC first.
    pub hours: Vec<f64>,
    /// Spread of the values around the expected ones.
    pub scale: f64,
}

impl DeviationBand {
    /// Mean of the hour of a time; `None` for a state with another number of hours.
    #[must_use]
    pub fn expected(&self, at_ms: i64) -> Option<f64> {
        (self.hours.len() == HOURS).then(|| self.hours[hour_of_week(at_ms)])
    }

    /// Lower and upper edge at a time, so many scales from the mean.
    #[must_use]
    pub fn edges(&self, at_ms: i64, scales: f64) -> Option<(f64, f64)> {
        let reach = scales * self.scale;
        self.expected(at_ms)
            .map(|mean| ((mean - reach).max(0.0), mean + reach))
    }

    /// Returns `true` if the mean of an hour is outside the band.
    #[must_use]
    pub fn is_outside(&self, at_ms: i64, value: f64, scales: f64) -> bool {
        self.expected(at_ms)
            .is_some_and(|mean| (value - mean).abs() > scales * self.scale)
    }
}
