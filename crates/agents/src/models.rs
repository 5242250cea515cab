//! The registry of models: what each agent has learned, how good it is on weeks it never saw, and when it learns anew.
//!
//! A model is one version of what one [`Trainer`] learned for one agent. Of each (agent, name) at most one version serves.
//! It is trained anew when its accuracy on the newest held-out days falls below its threshold, when the data it sees no
//! longer looks like what it learned from, when the agent's configuration changed, when its time is up, or when a person
//! asks. The new version and the one that serves are then judged on the same held-out days, which neither has seen; the old
//! one serves until the new one wins, and a promotion compares what it replaces, so that two never serve. Every training,
//! promotion, refusal and retirement is recorded before it is done. Specification: "Model metrics".

mod demand;
mod deviation;
mod drift;
mod material;
mod model;
mod port;
mod profiles;
mod registry;
mod story;
mod trainer;
mod trust;
mod usage;
mod verdict;

pub use demand::Demand;
pub use deviation::Deviation;
pub use drift::{Drift, drift};
pub use material::Material;
pub use model::{Model, ModelId, ModelStatus, ModelType, RetrainCause};
pub use port::{MAX_STATE_BYTES, ModelFilter, ModelStore, TrustNote};
pub use registry::{Kept, Outcome, Registry, RegistrySettings};
pub use trainer::{Evaluation, NotTrained, Trained, Trainer};
pub use trust::{Confidence, calibrator_from, state_of};
pub use usage::Usage;

use std::sync::Arc;

/// Every trainer there is.
#[must_use]
pub fn trainers() -> Vec<Arc<dyn Trainer>> {
    vec![Arc::new(Confidence), Arc::new(Demand), Arc::new(Deviation), Arc::new(Usage)]
}
