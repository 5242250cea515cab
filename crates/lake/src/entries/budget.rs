//! The time that one search may take, and how much of the machine.
//!
//! A query of 256 words over a large log could keep all processors busy for half a minute, while
//! appends waited for them. Two bounds: a search that runs longer than [`HEAVY`] goes on only in
//! turns, of which half the processors' number are given at a time, to all such searches together;
//! and one that is not done in its time is given up, with what to narrow.
//!
//! A reader that goes on from where it stopped is never given up: it pauses when half of the time
//! is gone, at the end of the last part of the log that it has wholly searched. Work for a caller
//! that has gone away ends at its next look at the time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
        Budgets {
            limit,
            turns: Arc::new(Semaphore::new((processors / 2).max(1))),
        }
    }

    /// The budget of a search that begins now.
    pub(super) fn begin(&self) -> Arc<EntryBudget> {
        self.budget(self.limit, None)
    }

    /// The budget of a stretch that begins now. It pauses after half of the time of a search, and
    /// has no end.
    pub(super) fn begin_stretch(&self) -> Arc<EntryBudget> {
        self.budget(Duration::MAX, Some(self.limit / 2))
    }

    fn budget(&self, limit: Duration, pause: Option<Duration>) -> Arc<EntryBudget> {
        let turns = Arc::clone(&self.turns);
        Arc::new(EntryBudget {
            began: Instant::now(),
            limit,
            pause,
            turns,
            abandoned: AtomicBool::new(false),
        })
    }
}

/// Time and turns of one search.
#[derive(Debug)]
pub(super) struct EntryBudget {
    began: Instant,
    limit: Duration,
    /// Time after which a stretch ends where it is.
    pause: Option<Duration>,
    turns: Arc<Semaphore>,
    /// `true` once nobody waits for the answer.
    abandoned: AtomicBool,
}

/// Ends the work of a search when its caller goes away: threads do not end by themselves when the
/// future that waits for them is dropped.
#[derive(Debug)]
pub(super) struct Attended(Arc<EntryBudget>);

impl Drop for Attended {
    fn drop(&mut self) {
        self.0.abandoned.store(true, Ordering::Relaxed);
    }
}

impl EntryBudget {
    /// Returns a guard that is held as long as somebody waits for the answer.
    pub(super) fn attended(self: &Arc<Self>) -> Attended {
        Attended(Arc::clone(self))
    }

    /// Returns `true` once a stretch should end after what is wholly searched.
    pub(super) fn is_paused(&self) -> bool {
        self.pause
            .is_some_and(|pause| self.began.elapsed() >= pause)
    }

    fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Waits for this search's turn, where it takes turns; the next piece of work is done while the
    /// answer is held. Nothing that asks for a turn itself may be called meanwhile.
    pub(super) async fn turn(&self) -> Result<Option<OwnedSemaphorePermit>, TrailError> {
        if self.is_abandoned() {
            return Err(self.given_up());
        }

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

    /// Ends work that cannot wait, where no time is left; [`EntryBudget::is_over`] tells this error from
    /// those of files.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.began.elapsed() < self.limit && !self.is_abandoned() {
            Ok(())
        } else {
            Err(io::ErrorKind::TimedOut.into())
        }
    }

    /// Passes on that the time was over; other errors are the caller's.
    pub(super) fn is_over(&self, error: &io::Error) -> Result<(), TrailError> {
        if error.kind() == io::ErrorKind::TimedOut {
            Err(self.given_up())
        } else {
            Ok(())
        }
    }

    /// Error of a search whose time is over.
    pub(super) fn given_up(&self) -> TrailError {
        TrailError::TooCostly {
            limit_s: self.limit.as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn a_search_without_time_is_given_up_and_others_go_on() {
        let over = Budgets::new(Duration::ZERO).begin();
        assert!(matches!(
            over.turn().await,
            Err(TrailError::TooCostly { .. })
        ));
        assert!(over.is_over(&over.check().unwrap_err()).is_err());
        assert!(over.is_over(&io::ErrorKind::InvalidData.into()).is_ok());

        let fresh = Budgets::default().begin();
        assert!(
            fresh.turn().await.unwrap().is_none(),
            "a short search takes no turns"
        );
        fresh.check().unwrap();
    }

    #[tokio::test]
    async fn a_stretch_pauses_and_is_not_given_up_and_nobody_works_for_a_caller_that_left() {
        let stretch = Budgets::new(Duration::ZERO).begin_stretch();
        assert!(stretch.is_paused() && stretch.check().is_ok() && stretch.turn().await.is_ok());
        assert!(
            !Budgets::default().begin_stretch().is_paused()
                && !Budgets::new(Duration::ZERO).begin().is_paused()
        );
        drop(stretch.attended());
        assert!(stretch.check().is_err() && stretch.turn().await.is_err());
    }

    #[tokio::test]
    async fn long_searches_take_turns() {
        let budgets = Budgets::default();
        let long = |limit: u64| EntryBudget {
            began: Instant::now().checked_sub(Duration::from_secs(1)).unwrap(),
            limit: Duration::from_millis(limit),
            pause: None,
            turns: Arc::clone(&budgets.turns),
            abandoned: AtomicBool::new(false),
        };

        let turns = budgets.turns.available_permits();
        let mut held = Vec::new();
        for _ in 0..turns {
            held.push(long(60_000).turn().await.unwrap().unwrap());
        }

        assert_eq!(budgets.turns.available_permits(), 0);
        assert!(
            budgets.begin().turn().await.unwrap().is_none(),
            "a short search does not wait for long ones"
        );
        assert!(
            matches!(long(1_005).turn().await, Err(TrailError::TooCostly { .. })),
            "waiting costs time too"
        );
        drop(held);
        assert!(long(60_000).turn().await.unwrap().is_some());
    }
}
