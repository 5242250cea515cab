//! Streams that stay open: how many each user has, and ending all of them when the service stops.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use reeve_access::UserId;

/// Streams one user may have open.
pub const STREAMS_EACH: usize = 10;

/// The open streams.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    open: Arc<Mutex<HashMap<UserId, usize>>>,
    stop: CancellationToken,
}

/// The right to keep one stream open; given back when it is dropped.
#[derive(Debug)]
pub struct StreamSlot {
    streams: Streams,
    user: UserId,
}

impl Streams {
    /// A place for one more stream of a user; `None` when they have as many as one may.
    #[must_use]
    pub fn open(&self, user: &UserId) -> Option<StreamSlot> {
        let mut open = self.open.lock();
        let count = open.entry(user.clone()).or_default();
        if *count >= STREAMS_EACH {
            return None;
        }
        *count += 1;

        Some(StreamSlot {
            streams: self.clone(),
            user: user.clone(),
        })
    }

    /// Ends every stream, and those that are opened from now on.
    pub fn close(&self) {
        self.stop.cancel();
    }

    /// Returns `true` if the streams are to end.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Waits until the streams are to end.
    pub async fn closed(&self) {
        self.stop.cancelled().await;
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock();
        if let Some(count) = open.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_by_user_and_given_back() {
        let streams = Streams::default();
        let (ann, bob) = (UserId("ann".into()), UserId("bob".into()));
        let mut held: Vec<_> = (0..STREAMS_EACH).map(|_| streams.open(&ann)).collect();
        assert!(held.iter().all(Option::is_some) && streams.open(&ann).is_none());
        assert!(streams.open(&bob).is_some());
        held.pop();
        assert!(streams.open(&ann).is_some());
        held.clear();
        assert!(
            streams.open.lock().is_empty(),
            "nobody is remembered for nothing"
        );
    }
}
