//! Time and turns of queries over the estate, which look into every configuration.
//!
//! A query over a hundred thousand configurations reads and decompresses all of them. So such
//! queries share half of the processors, and one that is not done in the time of a search is
//! cancelled, with advice on how to narrow it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Code, Problem};

/// Limits that all queries over the estate share.
#[derive(Debug)]
pub(crate) struct EstateSearches {
    limit: Duration,
    turns: Arc<Semaphore>,
}

impl EstateSearches {
    /// Limits of this much time for each query.
    pub(crate) fn new(limit: Duration) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        EstateSearches {
            limit,
            turns: Arc::new(Semaphore::new((processors / 2).max(1))),
        }
    }

    /// Waits for a turn; the next piece of work is done while the answer is held.
    pub(crate) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.turns).acquire_owned().await.ok()
    }

    /// Ends a query that began too long ago.
    ///
    /// # Errors
    /// Its time is over.
    pub(crate) fn check(&self, began: Instant) -> Result<(), Problem> {
        if began.elapsed() < self.limit {
            return Ok(());
        }

        let limit_s = self.limit.as_secs_f64();
        let detail = format!(
            "The search was cancelled after {limit_s} s, so that it does not slow down others."
        );
        let hint = "Add the type of the resources (resource.type:volume), an account or a connection, or ask for tags and attributes in place of members of the configuration.";

        Err(
            Problem::new(Code::QueryTooCostly, format!("{detail} {hint}"))
                .with_hint(Some(hint.to_owned())),
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn a_query_without_time_is_cancelled_and_queries_take_turns() {
        assert!(
            EstateSearches::new(Duration::ZERO)
                .check(Instant::now())
                .is_err()
        );

        let searches = EstateSearches::new(Duration::from_secs(60));
        searches.check(Instant::now()).unwrap();
        let mut held = Vec::new();
        while searches.turns.available_permits() > 0 {
            held.push(searches.turn().await.unwrap());
        }

        assert!(
            searches.turns.clone().try_acquire_owned().is_err(),
            "all turns are taken"
        );
        held.pop();
        assert!(searches.turn().await.is_some());
    }
}
