//! Threads that decode and compare, so that requests are answered meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::try_join_all;
use reeve_ledger::TrailError;

/// Workers of one search at a time.
const WORKERS: usize = 4;

/// Items that several workers take in turn. A worker takes its next item when it is done with the
/// last one, because items differ much in their work: one segment has a row to read and another has
/// fifty.
#[derive(Debug)]
pub(super) struct Queue<I> {
    items: Vec<I>,
    next: AtomicUsize,
}

impl<I> Queue<I> {
    /// Returns the next item that no worker has taken.
    pub(super) fn take(&self) -> Option<&I> {
        self.items.get(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// Shares items out to as many workers as there are items, up to [`WORKERS`], and returns what each
/// worker made of its items.
pub(super) async fn share_out<I, T, F>(
    items: Vec<I>,
    work: impl Fn(Arc<Queue<I>>) -> F + Send,
) -> Result<Vec<T>, TrailError>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    F: Future<Output = Result<T, TrailError>> + Send + 'static,
{
    let workers = items.len().min(WORKERS);
    let queue = Arc::new(Queue {
        items,
        next: AtomicUsize::new(0),
    });
    try_join_all((0..workers).map(|_| on_worker(work(Arc::clone(&queue))))).await
}

/// Runs work on a thread of its own.
pub(super) async fn on_worker<T: Send + 'static>(
    work: impl Future<Output = Result<T, TrailError>> + Send + 'static,
) -> Result<T, TrailError> {
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(work))
        .await
        .map_err(|error| TrailError::Backend(format!("the search was broken off: {error}")))?
}
