//! The judgement of `spot_optimizer`: groups that may move to spot capacity, groups with too few
//! pools, machines that are taken back, and their way back.
//!
//! | finding | rule | change |
//! |---|---|---|
//! | a scaling group on demand that can lose members | `recommend_spot_eligible` | `use_mixed_instances` |
//! | a scaling group on spot capacity with too few pools | `diversify_instance_types` | `use_mixed_instances` |
//! | a spot machine with a notice | `auto_fallback` | `replace_machine`, in the emergency lane |
//! | an on-demand machine that took the place of a spot machine | `recommend_spot_eligible` | `replace_machine` |
//!
//! The hazard is the model of `reeve_learn::interruption`, learned from the estate's own
//! interruptions; docs/agents/spot_optimizer.md.

mod agent;
mod finding;
mod group;
mod machine;
mod market;
mod notice;
mod pools;
mod replacement;
mod savings;
mod settings;

#[cfg(test)]
mod tests;

use reeve_recommend::recommendation::RecommendationType;

pub use agent::SpotOptimizer;
pub use pools::market_types;

/// Type of every finding.
const KIND: RecommendationType = RecommendationType::SpotInstances;
/// Aspects of a resource that findings are about.
const ELIGIBLE: &str = "eligible";
const DIVERSIFY: &str = "pools";
const NOTICE: &str = "notice";
const RETURN: &str = "return";
