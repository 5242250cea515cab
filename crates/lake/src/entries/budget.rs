//! The time that one search may take, and how much of the machine.
//!
//! A query of 256 words over a large log could keep all processors busy for half a minute, while appends waited for them. Two bounds:
//! a search that runs longer than [`HEAVY`] goes on only in turns, of which half the processors' number are given at a time, to all such
//! searches together; and one that is not done in its time is given up, with what to narrow.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reeve_ledger::TrailError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// From here on a search takes turns with others: most take a tenth of this.
const HEAVY: Duration = Duration::from_millis(200);
/// Time for a search unless configured otherwise.
const LIMIT: Duration = Duration::from_secs(10);

/// Hands out budgets that share their turns.
#[derive(Debug)]
pub(super) struct Budgets {
    limit: Duration,
    turns: Arc<Semaphore>,
}

impl Default for Budgets {
    fn default() -> Self {
        Budgets::new(LIMIT)
    }
}

impl Budgets {
    /// Budgets of this much time each.
    pub(super) fn new(limit: Duration) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Budgets { limit, turns: Arc::new(Semaphore::new((processors / 2).max(1))) }
    }

    /// The budget of a search that begins now.
    pub(super) fn begin(&self) -> Arc<Budget> {
        Arc::new(Budget { began: Instant::now(), limit: self.limit, turns: Arc::clone(&self.turns) })
    }
}

/// Time and turns of one search.
#[derive(Debug)]
pub(super) struct Budget {
    began: Instant,
    limit: Duration,
    turns: Arc<Semaphore>,
}

impl Budget {
    /// Waits for this search's turn, where it takes turns; the next piece of work is done while the answer is held. Nothing that asks
    /// for a turn itself may be called meanwhile.
    pub(super) async fn turn(&self) -> Result<Option<OwnedSemaphorePermit>, TrailError> {
        let spent = self.began.elapsed();
        if spent < HEAVY.min(self.limit) {
            return Ok(None);
        }
        let left = self.limit.saturating_sub(spent);
        if left.is_zero() {
            return Err(self.given_up());
        }
        let turn = tokio::time::timeout(left, Arc::clone(&self.turns).acquire_owned()).await;
        // The semaphore is never closed.
        turn.map_err(|_| self.given_up()).map(Result::ok)
    }

    /// Ends work that cannot wait, where no time is left; [`Budget::is_over`] tells this error from those of files.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.began.elapsed() < self.limit { Ok(()) } else { Err(io::ErrorKind::TimedOut.into()) }
    }

    /// Passes on that the time was over; other errors are the caller's.
    pub(super) fn is_over(&self, error: &io::Error) -> Result<(), TrailError> {
        if error.kind() == io::ErrorKind::TimedOut { Err(self.given_up()) } else { Ok(()) }
    }

    /// Error of a search whose time is over.
    pub(super) fn given_up(&self) -> TrailError {
        TrailError::TooCostly { limit_s: self.limit.as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn a_search_without_time_is_given_up_and_others_go_on() {
        let over = Budgets::new(Duration::ZERO).begin();
        assert!(matches!(over.turn().await, Err(TrailError::TooCostly { .. })));
        assert!(over.is_over(&over.check().unwrap_err()).is_err());
        assert!(over.is_over(&io::ErrorKind::InvalidData.into()).is_ok());
        let fresh = Budgets::default().begin();
        assert!(fresh.turn().await.unwrap().is_none(), "a short search takes no turns");
        fresh.check().unwrap();
    }

    #[tokio::test]
    async fn long_searches_take_turns() {
        let budgets = Budgets::default();
        let long = |limit: u64| Budget {
            began: Instant::now().checked_sub(Duration::from_secs(1)).unwrap(),
            limit: Duration::from_millis(limit),
            turns: Arc::clone(&budgets.turns),
        };
        let turns = budgets.turns.available_permits();
        let mut held = Vec::new();
        for _ in 0..turns {
            held.push(long(60_000).turn().await.unwrap().unwrap());
        }
        assert_eq!(budgets.turns.available_permits(), 0);
        assert!(budgets.begin().turn().await.unwrap().is_none(), "a short search does not wait for long ones");
        assert!(matches!(long(1_005).turn().await, Err(TrailError::TooCostly { .. })), "waiting costs time too");
        drop(held);
        assert!(long(60_000).turn().await.unwrap().is_some());
    }
}
