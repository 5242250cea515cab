//! Bytes of request bodies that are held in memory at once, over all connections.
//!
//! The limit of one body bounds one request; many large ones together would still exhaust the
//! memory of the machine.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Code, Problem};

/// Bytes of a body that need no room: small requests never wait for large ones. The bound on
/// connections bounds them.
const FREE: usize = 64 * 1024;

/// Bytes that one permit stands for.
const UNIT: usize = 64 * 1024;

/// Longest wait for room. Bodies that wait for each other would otherwise wait for ever.
const WAIT: Duration = Duration::from_secs(5);

/// Room for the bodies of requests.
#[derive(Debug, Clone)]
pub(crate) struct BodyBudget {
    units: Arc<Semaphore>,
    wait: Duration,
}

impl BodyBudget {
    /// Returns room for so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        BodyBudget {
            units: Arc::new(Semaphore::new(
                (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS),
            )),
            wait: WAIT,
        }
    }

    /// Begins a body without room.
    pub(crate) fn begin(&self) -> Room {
        Room {
            budget: self.clone(),
            permit: None,
            units: 0,
        }
    }
}

/// Room that one body has.
#[derive(Debug)]
pub(crate) struct Room {
    budget: BodyBudget,
    permit: Option<OwnedSemaphorePermit>,
    units: usize,
}

impl Room {
    /// Makes room for a body of so many bytes in all.
    ///
    /// # Errors
    /// 429 when the bodies of other requests leave no room for too long.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Result<(), Problem> {
        let needed = bytes.saturating_sub(FREE).div_ceil(UNIT);
        let more = u32::try_from(needed.saturating_sub(self.units)).map_err(Problem::internal)?;
        if more == 0 {
            return Ok(());
        }

        let taken = tokio::time::timeout(
            self.budget.wait,
            self.budget.units.clone().acquire_many_owned(more),
        )
        .await;
        let taken = taken.map_err(|_| busy())?.map_err(Problem::internal)?;
        match &mut self.permit {
            Some(permit) => permit.merge(taken),
            None => self.permit = Some(taken),
        }

        self.units = needed;
        Ok(())
    }

    /// Returns the body. Its room is taken until the last of its bytes is dropped.
    pub(crate) fn hold(self, bytes: Bytes) -> Bytes {
        if self.permit.is_none() {
            bytes
        } else {
            Bytes::from_owner(Held { bytes, _room: self })
        }
    }
}

struct Held {
    bytes: Bytes,
    _room: Room,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn busy() -> Problem {
    Problem::new(
        Code::TooManyRequests,
        "The bodies of other requests leave no room; nothing was written. Send it again.",
    )
    .retry_after(2)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn bodies_that_are_held_leave_no_room_for_more() {
        let budget = BodyBudget {
            wait: Duration::from_millis(10),
            ..BodyBudget::new(10 * UNIT)
        };
        let mut first = budget.begin();
        first.grow(FREE + 8 * UNIT).await.unwrap();
        let body = first.hold(Bytes::from(vec![7; 100]));
        budget.begin().grow(FREE).await.unwrap();
        let mut second = budget.begin();
        second.grow(FREE + 2 * UNIT).await.unwrap();
        assert_eq!(
            second
                .grow(FREE + 3 * UNIT)
                .await
                .unwrap_err()
                .status()
                .as_u16(),
            429
        );

        let part = body.slice(..50);
        drop(body);
        assert!(
            second.grow(FREE + 3 * UNIT).await.is_err(),
            "a part of the body is still held"
        );
        assert_eq!(part.as_ref(), [7; 50]);
        drop(part);
        second.grow(FREE + 3 * UNIT).await.unwrap();
    }
}
