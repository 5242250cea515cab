//! The bound on what waits for the sequencer: canonical bytes, not submissions, so that many small
//! ones and few large ones cost the same memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that may wait, and how many do.
#[derive(Debug)]
pub(crate) struct Room {
    waiting: AtomicUsize,
    capacity: usize,
}

/// Room taken, given back when dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    room: Arc<Room>,
    bytes: usize,
}

impl Room {
    /// Room for this many bytes.
    pub(crate) fn new(capacity: usize) -> Arc<Room> {
        Arc::new(Room {
            waiting: AtomicUsize::new(0),
            capacity,
        })
    }

    /// The most that can be taken at once.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Takes room, or `None` when there is not enough.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Option<Reservation> {
        let fits = |waiting: usize| {
            waiting
                .checked_add(bytes)
                .filter(|sum| *sum <= self.capacity)
        };

        self.waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, fits)
            .ok()?;
        Some(Reservation {
            room: self.clone(),
            bytes,
        })
    }

    /// Returns the canonical bytes that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.room.waiting.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn room_is_taken_and_given_back() {
        let room = Room::new(10);
        let first = room.take(6).unwrap();
        assert!(room.take(5).is_none());

        let second = room.take(4).unwrap();
        assert!(room.take(1).is_none());
        assert_eq!(room.waiting(), 10);
        drop(first);
        assert!(room.take(usize::MAX).is_none());
        assert!(room.take(6).is_some());
        drop(second);
        assert_eq!(room.waiting(), 0);
    }
}
