//! Counts of the connections of clients, for metrics. The server that accepts them keeps the
//! counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// Connections that are open, and those that were refused because too many are.
#[derive(Debug, Default)]
pub struct ConnectionCounts {
    open: AtomicU64,
    refused: AtomicU64,
}

impl ConnectionCounts {
    /// Counts a connection that was accepted.
    pub fn opened(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the end of a connection.
    pub fn closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts a connection that was closed at once.
    pub fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn open_now(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// Returns the number of connections refused since the start.
    #[must_use]
    pub fn refused_so_far(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}
