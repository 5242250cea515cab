//! Threads that compute password hashes.
//!
//! One Argon2 hash takes 19 MiB and tens of milliseconds of a core (`reeve_access::password`), and
//! anybody may ask for one without signing in. So they have threads of their own, beside the pool
//! on which the log is written, and only as many at once as there are cores. Whoever does not get a
//! turn soon is told to try again.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};

use crate::error::{Code, Problem};

/// Longest wait for a turn.
const WAIT: Duration = Duration::from_secs(2);

/// Seconds after which a refused caller may try again.
const RETRY_AFTER_S: u64 = 2;

/// Threads for password hashes, a bounded number at once.
#[derive(Debug)]
pub(crate) struct PasswordWorkers {
    turns: Arc<Semaphore>,
    wait: Duration,
}

impl Default for PasswordWorkers {
    fn default() -> Self {
        PasswordWorkers::new(thread::available_parallelism().map_or(1, usize::from))
    }
}

impl PasswordWorkers {
    /// Returns workers that compute at most so many hashes at once.
    #[must_use]
    pub(crate) fn new(most: usize) -> Self {
        PasswordWorkers {
            turns: Arc::new(Semaphore::new(most.max(1))),
            wait: WAIT,
        }
    }

    /// Runs a computation on a thread of its own.
    ///
    /// # Errors
    /// 429 when others have all turns for too long, 500 when there is no thread.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = tokio::time::timeout(self.wait, self.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| busy())?.map_err(Problem::internal)?;
        let (answer, answered) = oneshot::channel();
        let begun = thread::Builder::new()
            .name("password".to_owned())
            .spawn(move || {
                // The turn is held by the thread: a caller who goes away does not make room for
                // another thread.
                let _turn = turn;
                // Nobody waits any more if this fails.
                let _ = answer.send(work());
            });
        begun.map_err(Problem::internal)?;

        answered.await.map_err(Problem::internal)
    }
}

fn busy() -> Problem {
    let message = format!(
        "Many people sign in at this moment. Try again in {RETRY_AFTER_S} s, or use an API token."
    );
    Problem::new(Code::TooManyRequests, message).retry_after(RETRY_AFTER_S)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn no_more_at_once_than_there_are_turns() {
        let workers = Arc::new(PasswordWorkers::new(2));
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut asked = tokio::task::JoinSet::new();

        for _ in 0..20 {
            let (workers, running, most) = (workers.clone(), running.clone(), most.clone());
            asked.spawn(async move {
                let work = move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                };
                workers.run(work).await
            });
        }

        assert!(asked.join_all().await.iter().all(Result::is_ok));
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
    }

    #[tokio::test]
    async fn whoever_gets_no_turn_is_told_when_to_try_again() {
        let workers = Arc::new(PasswordWorkers {
            wait: Duration::from_millis(10),
            ..PasswordWorkers::new(1)
        });
        let (end, ended) = mpsc::channel::<()>();
        let first = tokio::spawn({
            let workers = workers.clone();
            async move { workers.run(move || ended.recv().is_ok()).await }
        });
        while workers.turns.available_permits() > 0 {
            tokio::task::yield_now().await;
        }

        let refused = workers.run(|| ()).await.unwrap_err();
        assert_eq!(refused.status().as_u16(), 429);
        end.send(()).unwrap();
        assert!(first.await.unwrap().unwrap());
    }
}
