//! Bounds of an evaluation: lateness of entries, and memory.

/// Bounds of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Delay, in milliseconds, by which an entry may be older than the latest one of its group and still count. A day:
    /// clouds deliver some of their activity hours later.
    pub lateness_ms: i64,
    /// Most entries of a group that wait for a threshold. At least the largest threshold, or that rule could never fire.
    pub most_pending: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { lateness_ms: 86_400_000, most_pending: 20_000 }
    }
}
