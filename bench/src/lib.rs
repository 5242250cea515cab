//! Figures that the program and the benchmarks both take.

mod memory;

pub use memory::{Memory, memory};
