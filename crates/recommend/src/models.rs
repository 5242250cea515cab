//! Models: the versions of what trainers learn for agents, the contract of trainers, and where
//! models are kept.
//!
//! A model is one version of what one [`Trainer`] learned for one agent. Of each (agent, name) at
//! most one version serves.

mod calibrator;
mod demand;
mod deviation;
mod learned;
mod material;
mod material_source;
mod model;
mod port;
mod profiles;
mod trainer;
mod usage;
mod workload;

pub use calibrator::{HELD_OUT_DAYS, calibrator_from, has_seen, known_before, state_of};
pub use demand::{Demand, DemandForecast, DemandModel, DemandOutlook, MonthlyPeak, date};
pub use deviation::{DeviationBand, DeviationModel, SCALES};
pub use learned::{LearnedModels, ModelReference, ModelState, ModelUse, unusable};
pub use material::{Material, between};
pub use material_source::MaterialSource;
pub use model::{Model, ModelId, ModelStatus, ModelType, RetrainCause};
pub use port::{MAX_STATE_BYTES, ModelFilter, ModelStore, TrustNote};
pub use profiles::Profiles;
pub use trainer::{JoinStates, ModelEvaluation, NotTrained, Trained, Trainer};
pub use usage::{Recurrence, Usage, UsageModel};
pub use workload::WorkloadModel;
