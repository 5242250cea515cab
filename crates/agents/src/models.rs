//! Trainers of the models that agents read, one a model name.

mod demand;
mod deviation;
mod forecast;
mod profiles;
mod trust;
mod usage;
mod workload;

pub use demand::ModelDemand;
pub use deviation::ModelDeviation;
pub use trust::Confidence;
pub use usage::Usage;
pub use workload::Workloads;
