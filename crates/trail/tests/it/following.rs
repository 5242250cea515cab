//! Reading on: in order, none twice, none left out, and never more in memory than was asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::Role;
use reeve_audit::query::Query;
use reeve_ledger::{
    EntryPage, EntryReader, ReadOn, SearchRequest, StoredEntry, Stretch, TrailError,
};
use reeve_trail::Trail;

use crate::company::Company;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_of_large_entries_stays_within_its_bytes() {
    const LARGE: usize = 700 << 10;

    let company = Company::found().await;
    // Small ones first: what they weigh must not be taken for what the next weigh.
    company.record(&["ann"; 40], 10).await;
    for _ in 0..6 {
        company.record(&["ann"; 5], LARGE).await;
    }

    company.ledger.seal().await.unwrap();
    company.record(&["ann", "bob", "ann"], LARGE).await;
    let trail = company.trail_of("ann", Role::RegularUser);

    for most in [1, LARGE, 3 << 20] {
        let mut scan = trail
            .scan(Query::all(), 0..trail.end(), Timestamp::now())
            .with_stretches_of(1000, most);
        let mut sequences = Vec::new();
        while let Some(stretch) = scan.next().await.unwrap() {
            let bytes: usize = stretch
                .entries
                .iter()
                .map(|stored| stored.canonical.len())
                .sum();
            assert!(
                bytes <= most || stretch.entries.len() == 1,
                "{} entries of {bytes} bytes",
                stretch.entries.len()
            );
            sequences.extend(stretch.entries.iter().map(|stored| stored.sequence));
        }
        let expected: Vec<u64> = (0..73).filter(|sequence| *sequence != 71).collect();
        assert_eq!(sequences, expected, "within {most} bytes");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_goes_on_from_its_position_and_ends_where_it_was_to_end() {
    let company = Company::found().await;
    company.record(&["ann"; 30], 10).await;
    company.ledger.seal().await.unwrap();
    company.record(&["ann"; 30], 10).await;
    let (trail, now) = (company.service_wide(), Timestamp::now());
    let end = trail.end();
    let mut sequences = Vec::new();
    let mut position = 5;

    // A new scan for each stretch, as after a restart each time.
    loop {
        let mut scan = trail
            .scan(Query::all(), position..end, now)
            .with_stretches_of(7, 1 << 20);
        let Some(stretch) = scan.next().await.unwrap() else {
            break;
        };
        assert_eq!(scan.position(), stretch.to);
        position = stretch.to;
        sequences.extend(stretch.entries.iter().map(|stored| stored.sequence));
        // What arrives meanwhile is of the next scan.
        company.record(&["bob"], 10).await;
    }

    assert_eq!(sequences, (5..60).collect::<Vec<u64>>());
    assert_eq!(position, 60);
    assert!(trail.end() > 60);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_share_the_newest_entries() {
    let company = Company::found().await;
    company.record(&["ann"; 3], 10).await;
    company.ledger.seal().await.unwrap();
    company.record(&["bob", "ann", "bob"], 10).await;
    let (trail, now) = (company.service_wide(), Timestamp::now());
    let (all, some) = (
        trail.follow(Query::all()),
        trail.follow(Query::parse("user:bob").unwrap()),
    );
    let end = trail.end();
    let alerts = all.next(3, end, now).await.unwrap().unwrap();
    let anomalies = all.next(3, end, now).await.unwrap().unwrap();
    let deliveries = some.next(3, end, now).await.unwrap().unwrap();
    assert_eq!(
        (alerts.entries.len(), alerts.to, deliveries.to),
        (3, end, end)
    );
    assert_eq!(
        deliveries
            .entries
            .iter()
            .map(|stored| stored.sequence)
            .collect::<Vec<_>>(),
        [3, 5]
    );

    assert!(
        std::sync::Arc::ptr_eq(&alerts.entries[0], &anomalies.entries[0]),
        "parsed once"
    );
    assert!(
        std::sync::Arc::ptr_eq(&alerts.entries[2], &deliveries.entries[1]),
        "parsed once"
    );

    // What is sealed comes from its segment.
    let sealed = all.next(0, end, now).await.unwrap().unwrap();
    assert_eq!(
        sealed.entries.first().map(|stored| stored.sequence),
        Some(0)
    );
}

/// A reader that counts the entries which it reads from segments.
struct CountingReader {
    trail: Trail,
    read: AtomicUsize,
}

#[async_trait]
impl EntryReader for CountingReader {
    async fn read_on(&self, request: &ReadOn) -> Result<Stretch, TrailError> {
        let mut scan = self
            .trail
            .scan(request.query.clone(), request.from..request.to, request.now)
            .with_stretches_of(request.entries, request.bytes);
        let stretch = scan.next().await?.unwrap_or_default();
        self.read.fetch_add(stretch.entries.len(), Ordering::SeqCst);
        Ok(stretch)
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sealed_entries_are_read_once_for_all_followers() {
    const SEALED: usize = 300;

    let company = Company::found().await;
    for _ in 0..SEALED / 3 {
        company.record(&["ann", "bob", "ann"], 10).await;
    }
    company.ledger.seal().await.unwrap();
    company.record(&["bob"; 5], 10).await;

    let reader = Arc::new(CountingReader {
        trail: company.service_wide(),
        read: AtomicUsize::new(0),
    });
    let trail = Trail::service_wide(company.ledger.clone(), reader.clone());
    let now = Timestamp::now();

    // Followers with stretches of their own sizes, two of them side by side, one with a query.
    let follow = async |query: Query, entries: usize, bytes: usize| {
        let follower = trail
            .follow(query)
            .with_entries(entries)
            .with_bytes(bytes)
            .reading_together();
        let (mut position, mut sequences) = (0, Vec::new());
        while let Some(stretch) = follower.next(position, follower.end(), now).await.unwrap() {
            assert!(stretch.to > position && stretch.entries.len() <= entries);
            position = stretch.to;
            sequences.extend(stretch.entries.iter().map(|stored| stored.sequence));
        }
        sequences
    };
    let (alerts, anomalies) = tokio::join!(
        follow(Query::all(), 100, 1 << 20),
        follow(Query::all(), 7, 1 << 20)
    );
    let deliveries = follow(Query::parse("user:bob").unwrap(), 1000, 1).await;

    let everything: Vec<u64> = (0..SEALED as u64 + 5).collect();
    assert_eq!(alerts, everything);
    assert_eq!(anomalies, everything);
    let expected: Vec<u64> = everything
        .iter()
        .copied()
        .filter(|sequence| *sequence >= SEALED as u64 || sequence % 3 == 1)
        .collect();
    assert_eq!(deliveries, expected);
    assert_eq!(reader.read.load(Ordering::SeqCst), SEALED);
}
