//! The judgement of `performance_optimizer`: capacity that follows the load and what users get.
//!
//! | rule | of | finding |
//! |---|---|---|
//! | `scale_before_traffic_spike` | scaling groups | members before a rise that returns, where the prediction was better than the group's own rule (`ahead`, `trial`) |
//! | `scale_down_intelligently` | scaling groups | idle members that neither load nor forecast needs (`shrink`) |
//! | `optimize_instance_types` | load balancers | the type behind it that does more work for a dollar (`work`) |
//! | `metrics` | load balancers, machines, queues | objectives whose error budget is used up (`objective`) |
//! | `caching_strategy` | databases | a cache before mostly reads, or more use of the one beside it (`caching`) |
//! | `caching_strategy` | caches | a hit rate that stays low, with its cause by evictions (`cache`, `hits`) |
//!
//! It answers anomalies that show short capacity (`shortage`) and predictive rules that expect it
//! (`foreseen`). docs/agents/performance_optimizer.md.

mod agent;
mod ahead;
mod cache;
mod caching;
mod demand;
mod finding;
mod foreseen;
mod hits;
mod judge;
mod objective;
mod settings;
mod shortage;
mod shrink;
mod trial;
mod work;

#[cfg(test)]
mod tests;

pub use agent::PerformanceOptimizer;

/// A group gets at most so many times its members; its own policies do the rest.
const MOST_TIMES: f64 = 2.0;

/// Returns so many times the members of a group, and at least one more.
fn enlarged(desired: u32, times: f64) -> u32 {
    ((f64::from(desired) * times).ceil() as u32).max(desired.saturating_add(1))
}
