//! The judgement of `performance_optimizer`: more capacity where an anomaly shows that it is short
//! (`shortage`), and before a predictive rule expects it to be (`foreseen`).

mod agent;
mod foreseen;
mod shortage;

pub use agent::PerformanceOptimizer;

/// A group gets at most so many times its members; its own policies do the rest.
const MOST_TIMES: f64 = 2.0;

/// Returns so many times the members of a group, and at least one more.
fn enlarged(desired: u32, times: f64) -> u32 {
    ((f64::from(desired) * times).ceil() as u32).max(desired.saturating_add(1))
}
