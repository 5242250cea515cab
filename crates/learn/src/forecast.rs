//! Forecasts with intervals that hold.
//!
//! Simple forecasts (levels, seasons, trends: `frame`) are made at many past origins, weighed by
//! what they missed there (`stack`), and their errors by horizon and time of season become the
//! interval (`spread`). Before that, the history is made comparable: glitches left out (`glitch`),
//! long silences shortened (`silence`), resets of counters undone, effects of events taken out,
//! level shifts that stayed aligned. The method, what was measured and what did not help:
//! `docs/learning/forecasting.md`.

mod effect;
mod findings;
mod fit;
mod frame;
mod glitch;
mod model;
mod season;
mod settings;
mod shift;
mod short;
mod silence;
mod spread;
mod stack;
mod track;

pub use effect::ForecastEffect;
pub use findings::ForecastFindings;
pub use fit::fit;
pub use model::{Band, ForecastModel};
pub use settings::{Effort, ForecastAbstention, ForecastEvent, ForecastKind, ForecastSettings};
pub use shift::Shift;

#[cfg(test)]
mod tests;
