//! Models that agent types learn without a folder of their own for them.

use std::sync::Arc;

use reeve_recommend::models::Trainer;

use crate::models::ModelDeviation;

/// Trainers of the model of the usual range of the metrics of a scope.
pub(crate) fn deviation() -> Vec<Arc<dyn Trainer>> {
    vec![Arc::new(ModelDeviation)]
}
