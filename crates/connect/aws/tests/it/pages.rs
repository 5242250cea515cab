//! Listings of many pages: what breaks off half way says so, a throttled account takes nobody
//! else's retries, and hundreds of thousands of resources are read in bounded memory.

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_estate::{
    Connection, ConnectionId, Described, DescriptionReading, DescriptionSink, Inventory,
    InventorySink, Observe, ReadOutcome, Resource, ResourceKind, StoreError,
};

use crate::strict::{Answers, answering};
use crate::{connection, open};

const PAGE: usize = 1000;

/// Counts what it is handed, and keeps the accounts.
#[derive(Default)]
struct Counted {
    snapshots: Mutex<usize>,
    readings: Mutex<Vec<DescriptionReading>>,
}

#[async_trait]
impl DescriptionSink for Counted {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        *self.snapshots.lock() += page
            .iter()
            .filter(|one| one.resource.kind.as_str() == "snapshot")
            .count();
        Ok(())
    }

    async fn end(&self, reading: DescriptionReading) -> Result<(), StoreError> {
        self.readings.lock().push(reading);
        Ok(())
    }
}

/// One page of snapshots, with the token of the next one if there is one.
fn snapshots(page: usize, items: usize, next: Option<usize>) -> String {
    let mut text = "<DescribeSnapshotsResponse><snapshotSet>".to_owned();
    for number in 0..items {
        text.push_str(&format!(
            "<item><snapshotId>snap-{page}-{number}</snapshotId><volumeId>vol-{number}</volumeId><status>completed</status>\
             <startTime>2026-01-01T00:00:00.000Z</startTime><progress>100%</progress><ownerId>123456789012</ownerId>\
             <volumeSize>100</volumeSize><description>Created by CreateImage({number})</description>\
             <tagSet><item><key>Name</key><value>nightly {number}</value></item></tagSet></item>"
        ));
    }

    let next = next
        .map(|page| format!("<nextToken>{page}</nextToken>"))
        .unwrap_or_default();
    text + "</snapshotSet>" + &next + "</DescribeSnapshotsResponse>"
}

/// Returns `true` for a request that asks for public snapshots alone. These tests have none.
fn asks_for_public_ones(body: &str) -> bool {
    body.contains("RestorableBy.1=all")
}

/// Page that a request asks for.
fn asked(body: &str) -> usize {
    body.split('&')
        .find_map(|pair| pair.strip_prefix("NextToken="))
        .map_or(0, |token| token.parse().unwrap())
}

async fn described(connection: &Connection) -> (usize, DescriptionReading) {
    let counted = Counted::default();
    open(connection).await.describe(&counted).await.unwrap();
    let snapshot = ResourceKind::parse("snapshot").unwrap();
    let readings = counted.readings.into_inner();
    let reading = readings
        .into_iter()
        .find(|reading| reading.kind == snapshot)
        .unwrap();
    (counted.snapshots.into_inner(), reading)
}

#[tokio::test]
async fn a_listing_that_breaks_off_half_way_is_not_complete() {
    for (status, code, outcome) in [
        (403, "UnauthorizedOperation", ReadOutcome::Denied),
        (503, "RequestLimitExceeded", ReadOutcome::Throttled),
        (500, "InternalError", ReadOutcome::Failed),
    ] {
        let answers: Answers = Box::new(move |action, body, _| match (action, asked(body)) {
            ("DescribeSnapshots", _) if asks_for_public_ones(body) => {
                Some(Ok(snapshots(0, 0, None)))
            }
            ("DescribeSnapshots", page @ 0..2) => Some(Ok(snapshots(page, 3, Some(page + 1)))),
            ("DescribeSnapshots", _) => Some(Err((status, code))),
            _ => None,
        });
        let (seen, reading) =
            described(&connection(&answering(answers).await, &["us-east-1"])).await;
        assert_eq!(
            (seen, reading.seen, reading.outcome),
            (6, 6, outcome),
            "{code}"
        );
        assert!(
            reading.complete_at.is_none() && !reading.message.is_empty(),
            "{reading:?}"
        );
        assert_eq!(reading.permission, "ec2:DescribeSnapshots");
    }
}

#[tokio::test]
async fn a_throttled_account_takes_nobody_elses_retries() {
    let throttled: Answers = Box::new(|action, _, _| match action {
        "GetCallerIdentity" => None,
        _ => Some(Err((503, "RequestLimitExceeded"))),
    });
    let regions = [
        "us-east-1",
        "us-east-2",
        "us-west-1",
        "us-west-2",
        "eu-west-1",
        "eu-west-2",
        "eu-west-3",
        "eu-north-1",
    ];

    let one = Connection {
        id: ConnectionId("throttled".into()),
        ..connection(&answering(throttled).await, &regions)
    };
    let (_, reading) = described(&one).await;
    assert_eq!(reading.outcome, ReadOutcome::Throttled);

    // The other account needs each of its retries.
    let passing: Answers = Box::new(|action, _, calls| match action {
        "DescribeSnapshots" if calls < 5 => Some(Err((503, "RequestLimitExceeded"))),
        "DescribeSnapshots" => Some(Ok(snapshots(0, 1, None))),
        _ => None,
    });

    let other = Connection {
        id: ConnectionId("other".into()),
        ..connection(&answering(passing).await, &["us-east-1"])
    };
    let (seen, reading) = described(&other).await;
    assert_eq!(
        (seen, reading.outcome),
        (1, ReadOutcome::Complete),
        "{reading:?}"
    );
}

/// Largest resident memory of this process so far, KiB; `None` where the system does not say.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?
        .trim()
        .strip_suffix(" kB")?
        .trim()
        .parse()
        .ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_thousands_of_resources_are_read_in_bounded_memory() {
    const PAGES: usize = 285;

    let answers: Answers = Box::new(|action, body, _| {
        let page = asked(body);
        let next = (page + 1 < PAGES).then_some(page + 1);
        if asks_for_public_ones(body) {
            return Some(Ok(snapshots(0, 0, None)));
        }
        (action == "DescribeSnapshots").then(|| Ok(snapshots(page, PAGE, next)))
    });
    let connection = connection(&answering(answers).await, &["us-east-1"]);
    let before = peak_kib();
    let (seen, reading) = described(&connection).await;
    assert_eq!(
        (seen, reading.seen, reading.outcome),
        (PAGES * PAGE, (PAGES * PAGE) as u64, ReadOutcome::Complete)
    );

    if let (Some(before), Some(after)) = (before, peak_kib()) {
        println!("{seen} snapshots: the peak of memory went from {before} to {after} KiB");
        // All of them at once are more than 500 MiB.
        assert!(
            after - before < 150 * 1024,
            "{before} KiB before, {after} KiB after"
        );
    }
}

/// Counts the volumes that it is handed, and those of the largest page; it fails after some pages.
#[derive(Default)]
struct Volumes {
    pages: Mutex<Vec<usize>>,
    fails_after: Option<usize>,
}

#[async_trait]
impl InventorySink for Volumes {
    async fn page(&self, page: Vec<Resource>) -> Result<(), StoreError> {
        let priced = |volume: &Resource| {
            volume.kind == ResourceKind::Volume && volume.monthly_cost.is_some()
        };
        assert!(page.iter().all(priced), "{page:?}");

        let mut pages = self.pages.lock();
        if self.fails_after.is_some_and(|most| pages.len() >= most) {
            return Err(StoreError::Backend("the disk is gone".to_owned()));
        }

        pages.push(page.len());
        Ok(())
    }
}

/// One page of volumes, with the token of the next one if there is one.
fn volumes(page: usize, items: usize, next: Option<usize>) -> String {
    let mut text = "<DescribeVolumesResponse><volumeSet>".to_owned();
    for number in 0..items {
        text.push_str(&format!(
            "<item><volumeId>vol-{page}-{number}</volumeId><size>100</size><status>available</status>\
             <volumeType>gp3</volumeType></item>"
        ));
    }

    let next = next
        .map(|page| format!("<nextToken>{page}</nextToken>"))
        .unwrap_or_default();
    text + "</volumeSet>" + &next + "</DescribeVolumesResponse>"
}

async fn inventory(answers: Answers, sink: &Volumes) -> Inventory {
    let connection = connection(&answering(answers).await, &["us-east-1"]);
    open(&connection)
        .await
        .inventory_by_pages(sink)
        .await
        .unwrap()
}

#[tokio::test]
async fn an_inventory_hands_volumes_over_page_by_page_and_keeps_none() {
    let answers: Answers = Box::new(|action, body, _| {
        let page = asked(body);
        (action == "DescribeVolumes")
            .then(|| Ok(volumes(page, 500, (page < 19).then_some(page + 1))))
    });
    let sink = Volumes::default();
    let rest = inventory(answers, &sink).await;
    assert_eq!(sink.pages.into_inner(), vec![500; 20]);
    assert_eq!(
        (
            rest.resources.len(),
            rest.complete.contains(&ResourceKind::Volume)
        ),
        (0, true)
    );
}

#[tokio::test]
async fn volumes_are_not_complete_where_a_page_or_the_sink_failed() {
    let breaking: Answers = Box::new(|action, body, _| match (action, asked(body)) {
        ("DescribeVolumes", page @ 0..2) => Some(Ok(volumes(page, 3, Some(page + 1)))),
        ("DescribeVolumes", _) => Some(Err((500, "InternalError"))),
        _ => None,
    });
    let sink = Volumes::default();
    let rest = inventory(breaking, &sink).await;
    assert_eq!(
        sink.pages.into_inner().iter().sum::<usize>(),
        6,
        "what was read is handed over"
    );
    assert!(!rest.complete.contains(&ResourceKind::Volume) && !rest.problems.is_empty());

    let whole: Answers = Box::new(|action, body, _| {
        let page = asked(body);
        (action == "DescribeVolumes").then(|| Ok(volumes(page, 3, (page < 9).then_some(page + 1))))
    });
    let sink = Volumes {
        fails_after: Some(2),
        ..Volumes::default()
    };
    let rest = inventory(whole, &sink).await;
    assert_eq!(
        sink.pages.into_inner(),
        [3, 3],
        "reading stops with the sink"
    );
    assert!(!rest.complete.contains(&ResourceKind::Volume));
    assert!(
        rest.problems
            .iter()
            .any(|problem| problem.contains("the disk is gone")),
        "{:?}",
        rest.problems
    );
}
