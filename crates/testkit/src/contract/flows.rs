//! Contract of every [`FlowStore`].

use anyhow::Result;
use reeve_estate::{ConnectionId, EstateStore};
use reeve_flows::{
    DayCoverage, FlowAction, FlowBatch, FlowCounts, FlowDirection, FlowKey, FlowQuery, FlowSource,
    FlowStore, LogCursor, MOST_FLOWS, SourceState,
};

use super::estate::connection;

fn source(connection: &str, id: &str) -> Result<FlowSource> {
    Ok(FlowSource {
        connection: ConnectionId(connection.to_owned()),
        id: id.to_owned(),
        region: "eu-west-1".to_owned(),
        of: "vpc-1".to_owned(),
        destination: "s3://flows".to_owned(),
        state: SourceState::Reading,
        detail: String::new(),
        cursor: LogCursor {
            day: Some(20_000),
            objects: ["a".to_owned()].into(),
            until_ms: None,
        },
        records: 7,
        skipped: 0,
        unreadable: 1,
        newest_at: None,
        read_at: "2026-11-20T10:00:00Z".parse()?,
    })
}

fn flow(day: i32, peer: &str, port: u16, action: FlowAction) -> Result<(FlowKey, FlowCounts)> {
    let key = FlowKey {
        interface: "eni-1".to_owned(),
        day,
        direction: FlowDirection::Ingress,
        peer: peer.parse()?,
        protocol: 6,
        port,
        action,
    };
    let start = i64::from(day) * 86_400;
    let counts = FlowCounts {
        first_s: start + 10,
        last_s: start + 70,
        flows: 1,
        answers: 1,
        packets: 12,
        bytes: 900,
        largest_packets: 6,
    };
    Ok((key, counts))
}

fn batch(flows: Vec<(FlowKey, FlowCounts)>, hours: u32) -> FlowBatch {
    let covered = |day: i32| {
        let coverage = DayCoverage {
            hours,
            records: 1,
            skipped: 0,
        };
        (("eni-1".to_owned(), day), coverage)
    };
    let days: std::collections::BTreeSet<i32> = flows.iter().map(|(key, _)| key.day).collect();
    FlowBatch {
        coverage: days.into_iter().map(covered).collect(),
        flows,
        ..FlowBatch::default()
    }
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run<S: FlowStore + EstateStore>(store: &S) -> Result<()> {
    store.connection_insert(&connection("c-1", 1)?).await?;
    let (first, second) = (source("c-1", "fl-1")?, source("c-1", "fl-2")?);
    let accepted = FlowAction::Accepted;

    store
        .flow_put(
            &batch(vec![flow(20_000, "10.0.0.7/32", 443, accepted)?], 0b1),
            &first,
        )
        .await?;
    let again = vec![
        flow(20_000, "10.0.0.7/32", 443, accepted)?,
        flow(20_001, "10.0.0.7/32", 443, accepted)?,
        flow(20_001, "203.0.113.7/32", 22, FlowAction::Refused)?,
    ];
    store.flow_put(&batch(again, 0b10), &second).await?;
    assert_eq!(store.flow_sources().await?, [first.clone(), second]);

    let query = FlowQuery {
        connection: Some(ConnectionId("c-1".to_owned())),
        interfaces: vec!["eni-1".to_owned(), "eni-2".to_owned()],
        from_day: 0,
        until_day: None,
        action: Some(accepted),
        since_s: None,
    };
    let seen = store.flow_seen(&query).await?;
    assert_eq!(seen.len(), 2, "each interface once, also without flows");
    let [only] = seen[0].flows.as_slice() else {
        panic!("{seen:?}");
    };
    let counts = &only.counts;
    assert_eq!((counts.flows, counts.answers, counts.packets), (3, 3, 36));
    let days: Vec<(i32, u64)> = only.days.iter().map(|day| (day.day, day.flows)).collect();
    assert_eq!(days, [(20_000, 4), (20_001, 2)]);
    let hours: Vec<u32> = seen[0]
        .coverage
        .iter()
        .map(|day| day.coverage.hours)
        .collect();
    assert_eq!(hours, [0b11, 0b10]);
    assert!(seen[1].flows.is_empty() && seen[1].coverage.is_empty());

    let later = FlowQuery {
        action: None,
        since_s: Some(20_001 * 86_400),
        ..query.clone()
    };
    assert_eq!(store.flow_seen(&later).await?[0].flows.len(), 2);
    let elsewhere = FlowQuery {
        connection: Some(ConnectionId("c-2".to_owned())),
        ..query.clone()
    };
    assert!(store.flow_seen(&elsewhere).await?[0].flows.is_empty());

    let first_day = FlowQuery {
        until_day: Some(20_001),
        ..query.clone()
    };
    let seen = store.flow_seen(&first_day).await?;
    assert_eq!(
        (seen[0].flows[0].counts.flows, seen[0].coverage.len()),
        (2, 1)
    );

    // A scan of many addresses does not grow the store.
    let mut scan = Vec::new();
    for number in 0..MOST_FLOWS + 5 {
        let peer = format!("203.0.{}.{}/32", number / 250, number % 250);
        scan.push(flow(20_002, &peer, 22, FlowAction::Refused)?);
    }
    store.flow_put(&batch(scan, 0b1), &first).await?;
    let scanned = FlowQuery {
        from_day: 20_002,
        action: None,
        ..query.clone()
    };
    let seen = store.flow_seen(&scanned).await?;
    assert_eq!(seen[0].flows.len(), 1);
    assert_eq!(seen[0].flows[0].counts.flows, (MOST_FLOWS + 5) as u64);

    assert_eq!(store.flow_expire(20_001).await?, 1);
    assert_eq!(store.flow_seen(&query).await?[0].coverage.len(), 2);

    let own = ConnectionId("c-1".to_owned());
    store.flow_sources_keep(&own, &["fl-1".to_owned()]).await?;
    assert_eq!(store.flow_sources().await?.len(), 1);
    let orphan = store.flow_source_put(&source("c-9", "fl-1")?).await;
    assert!(orphan.is_err(), "{orphan:?}");

    store.connection_delete(&own).await?;
    assert!(store.flow_sources().await?.is_empty());
    assert!(store.flow_seen(&query).await?[0].coverage.is_empty());
    Ok(())
}
