//! The judgement of `performance_optimizer`: more capacity where an anomaly shows that it is short
//! (`shortage`), and before a predictive rule expects it to be (`foreseen`).

mod agent;
mod foreseen;
mod shortage;

pub use agent::PerformanceOptimizer;
