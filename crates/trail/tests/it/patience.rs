//! A live trail whose host looks at other things while a search runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::query::Query;
use reeve_ledger::{
    EntryPage, EntryReader, ReadOn, SearchRequest, StoredEntry, Stretch, TrailError,
};
use reeve_trail::Trail;
use tokio::sync::Semaphore;

use crate::company::Company;

/// A reader whose stretches take as long as the test wants; the first finds nothing.
struct SlowReader {
    stretches: AtomicUsize,
    may_end: Semaphore,
    fast: Trail,
}

#[async_trait]
impl EntryReader for SlowReader {
    async fn read_on(&self, request: &ReadOn) -> Result<Stretch, TrailError> {
        let begun = self.stretches.fetch_add(1, Ordering::SeqCst);
        self.may_end.acquire().await.unwrap().forget();

        if begun == 0 {
            return Ok(Stretch {
                entries: Vec::new(),
                to: request.from + 1,
            });
        }

        let mut scan = self
            .fast
            .scan(request.query.clone(), request.from..request.to, request.now);
        Ok(scan.next().await?.unwrap_or_default())
    }

    async fn search(&self, _: &SearchRequest) -> Result<EntryPage, TrailError> {
        Err(TrailError::Backend("not asked".to_owned()))
    }

    async fn by_event_id(&self, _: &str) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        Ok(None)
    }

    async fn by_sequence(&self, _: u64) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_search_that_outlasts_its_waits_is_not_begun_again() {
    let company = Company::found().await;
    company.record(&["ann", "bob", "ann", "ann"], 10).await;

    // Entries in memory are taken as they are; a reader is asked for sealed ones alone.
    company.ledger.seal().await.unwrap();
    let reader = Arc::new(SlowReader {
        stretches: AtomicUsize::new(0),
        may_end: Semaphore::new(0),
        fast: company.service_wide(),
    });
    let trail = Trail::service_wide(company.ledger.clone(), reader.clone());
    let mut live = trail.live(Query::parse("user:ann").unwrap(), Some(0));

    for stretch in 1..=2 {
        for _ in 0..20 {
            assert!(
                tokio::time::timeout(Duration::ZERO, live.next(Timestamp::now))
                    .await
                    .is_err()
            );
        }
        assert_eq!(
            reader.stretches.load(Ordering::SeqCst),
            stretch,
            "a wait that ends must not begin another search"
        );
        reader.may_end.add_permits(1);
        if stretch == 1 {
            // The empty stretch is taken, and the next one begins behind it.
            assert!(
                tokio::time::timeout(Duration::ZERO, live.next(Timestamp::now))
                    .await
                    .is_err()
            );
            assert_eq!(live.reached(), Some(1));
        }
    }

    let found = live.next(Timestamp::now).await.unwrap();
    assert_eq!(found.sequence, 2);
    assert_eq!(live.next(Timestamp::now).await.unwrap().sequence, 3);
}
