//! Numbers learnt from the estate's own series: quantiles, summaries, gaps, bursts, weekly shape,
//! and confidence from a backtest.
//!
//! Pure and synchronous: series come in as `(milliseconds since the epoch, value)` pairs, oldest
//! first, and nothing here reads a clock, a file or a network. What is not finite is left out of
//! every statistic, never read as zero; what was not measured shows as missing coverage, never as
//! idle.

pub mod anomaly;
pub mod attack_chain;
pub mod backtest;
pub mod behavior;
pub mod burst;
pub mod calibrate;
pub mod causes;
pub mod commitment;
pub mod compare;
pub mod correlation;
pub mod forecast;
pub mod gap;
pub mod grid;
pub mod interruption;
pub mod leak;
pub mod quantile;
pub mod saturation;
pub mod scaling;
pub mod sizing;
pub mod summary;
pub mod trend;
pub mod week;
pub mod window;
pub mod workload;

pub use backtest::{Backtest, Prior};
pub use burst::{Burst, bursts};
pub use gap::{Gap, gaps};
pub use quantile::percentile;
pub use summary::Summary;
pub use week::WeeklyShape;
pub use window::{DAY_MS, HOUR_MS, Point, WEEK_MS, Window};
