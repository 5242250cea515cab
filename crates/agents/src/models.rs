//! Trainers of the models that agents read, one a model name.

mod demand;
mod deviation;
mod profiles;
mod trust;
mod usage;

pub use demand::Demand;
pub use deviation::Deviation;
pub use trust::Confidence;
pub use usage::Usage;

use std::sync::Arc;

use reeve_recommend::models::Trainer;

/// Every trainer there is.
#[must_use]
pub fn trainers() -> Vec<Arc<dyn Trainer>> {
    vec![Arc::new(Confidence), Arc::new(Demand), Arc::new(Deviation), Arc::new(Usage)]
}
