//! The registry of models: what each agent has learned, how good it is on weeks it never saw, and
//! when it learns anew.
//!
//! A model is one version of what one [`Trainer`](reeve_recommend::models::Trainer) learned for one
//! agent. Of each (agent, name) at most one version serves. It is trained anew when its accuracy on
//! the newest held-out days falls below its threshold, when the data it sees no longer looks like
//! what it learned from, when the agent's configuration changed, when its time is up, or when a
//! person asks. The new version and the one that serves are then judged on the same held-out days,
//! which neither has seen; the old one serves until the new one wins, and a promotion compares what
//! it replaces, so that two never serve. Every training, promotion, refusal and retirement is
//! recorded before it is done. Requirements.

mod drift;
mod log_entry;
mod material_parts;
mod parts;
mod registry;
mod verdict;

pub use drift::{Drift, drift};
pub use material_parts::MaterialParts;
pub use registry::{Kept, ModelOutcome, Registry, RegistrySettings};
