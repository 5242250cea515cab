//! A segment that is lost or changed: the search fails and names it.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rand::SeedableRng;
use rand::rngs::StdRng;
use reeve_audit::query::{Query, QueryColumn};
use reeve_ledger::{
    Aggregation, EntryReader, GroupBy, Order, SearchRequest, SegmentMeta, SegmentStore, TrailError,
};

use crate::generate::{self, NOW_S};
use crate::log::Log;

async fn log(folder: &Path) -> Arc<Log> {
    let mut random = StdRng::seed_from_u64(21);
    let log = Log::open(folder).await;

    for number in 0..400 {
        let entry = generate::entry(&mut random, number);
        let received = generate::received(&mut random, &entry);
        log.append(entry, received);
    }

    log.seal(100).await;
    log.seal(300).await;
    log
}

fn everything() -> SearchRequest {
    SearchRequest {
        query: Query::all(),
        limit: 1_000,
        offset: 0,
        order: Order::NewestFirst,
        sort: None,
        cursor: None,
        count_total: true,
        aggregations: vec![Aggregation {
            by: GroupBy::Column(QueryColumn::Severity),
            limit: 10,
        }],
        now: Timestamp::from_second(NOW_S).unwrap(),
    }
}

/// Counts alone: the indexes know them.
fn counts() -> SearchRequest {
    SearchRequest {
        limit: 0,
        count_total: false,
        ..everything()
    }
}

/// Searches that show entries are refused; so are the others when the file is not there or not as
/// long as it was.
async fn refused(log: &Arc<Log>, segment: &SegmentMeta, why: &str, others: &[SearchRequest]) {
    let (mut page, mut one) = (everything(), everything());
    (page.count_total, page.aggregations) = (false, Vec::new());
    (one.query, one.limit) = ("alice".parse().unwrap(), 400);

    for request in [everything(), page, one].iter().chain(others) {
        match log.search().search(request).await {
            Err(TrailError::Damaged(message)) => {
                assert!(
                    message.contains(&segment.path) && message.contains(why),
                    "{message}"
                )
            }
            other => panic!("the search must fail, not answer {other:?}"),
        }
    }

    assert!(
        log.store
            .read(segment)
            .await
            .is_err_and(|error| error.to_string().contains(&segment.path))
    );
}

#[tokio::test]
async fn a_lost_segment_is_named_and_its_return_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path()).await;

    for segment in log.segments() {
        let path = folder.path().join(&segment.path);
        let aside = folder.path().join("aside");
        std::fs::rename(&path, &aside).unwrap();
        refused(&log, &segment, "missing", &[counts()]).await;
        std::fs::rename(&aside, &path).unwrap();
        assert_eq!(
            log.search()
                .search(&everything())
                .await
                .unwrap()
                .entries
                .len(),
            400
        );
    }
}

#[tokio::test]
async fn a_flipped_byte_anywhere_is_noticed_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path()).await;
    let segment = log.segments().remove(1);
    let path = folder.path().join(&segment.path);
    let whole = std::fs::read(&path).unwrap();
    let right = log.search().search(&counts()).await.unwrap().aggregations;

    for part in 0..20 {
        let at = part * (whole.len() - 1) / 19;
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        let log = log.reopen(folder.path()).await;
        refused(&log, &segment, "SHA-256", &[]).await;
        assert_eq!(
            log.search().search(&counts()).await.unwrap().aggregations,
            right,
            "no row was read for it"
        );
    }

    std::fs::write(&path, &whole).unwrap();
    let log = log.reopen(folder.path()).await;
    assert_eq!(
        log.search().search(&everything()).await.unwrap().total,
        Some(400)
    );
}

#[tokio::test]
async fn a_segment_cut_short_is_noticed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path()).await;
    assert_eq!(
        log.search().search(&everything()).await.unwrap().total,
        Some(400)
    );

    let segment = log.segments().remove(0);
    let path = folder.path().join(&segment.path);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    refused(&log, &segment, "bytes instead of", &[counts()]).await;
}

#[tokio::test]
async fn segments_outside_the_asked_span_are_not_needed() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path()).await;
    for segment in log.segments() {
        std::fs::remove_file(folder.path().join(&segment.path)).unwrap();
    }

    let mut request = everything();
    request.query = "timestamp:>2027-01-01".parse().unwrap();
    assert_eq!(log.search().search(&request).await.unwrap().total, Some(0));
}
