//! Every way of reading is narrowed.

use jiff::Timestamp;
use reeve_access::Role;
use reeve_audit::query::{Query, QueryColumn};
use reeve_ledger::{Aggregation, GroupBy, SearchRequest};
use reeve_trail::Trail;

use crate::company::Company;

const QUESTIONS: [&str; 3] = [
    "event_type:test.*",
    "actor.id:bob OR event_type:*",
    "NOT actor.id:ann",
];

/// The sequences that each way of reading gives for a query, which must agree.
async fn seen(trail: &Trail, query: &str) -> Vec<u64> {
    let (query, now) = (Query::parse(query).unwrap(), Timestamp::now());
    let page = trail
        .search(&SearchRequest::newest(query.clone(), 100, now))
        .await
        .unwrap();
    let mut searched: Vec<u64> = page.entries.iter().map(|stored| stored.sequence).collect();
    searched.reverse();

    let by = vec![Aggregation {
        by: GroupBy::Column(QueryColumn::EventType),
        limit: 10,
    }];
    let (total, counts) = trail.count(query.clone(), by, now).await.unwrap();
    assert_eq!(
        total,
        searched.len() as u64,
        "the total counts what is shown"
    );

    let counted: u64 = counts[0].values.iter().map(|(_, count)| count).sum();
    assert_eq!((counted, counts[0].other, counts[0].missing), (total, 0, 0));

    let mut scanned = Vec::new();
    let mut scan = trail
        .scan(query.clone(), 0..trail.end(), now)
        .with_stretches_of(2, 1 << 20);
    while let Some(stretch) = scan.next().await.unwrap() {
        scanned.extend(stretch.entries.iter().map(|stored| stored.sequence));
    }

    assert_eq!(scanned, searched);

    let mut live = trail.live(query, None);
    assert_eq!(live.reached(), trail.end().checked_sub(1));

    let nothing = tokio::time::timeout(std::time::Duration::ZERO, live.next(Timestamp::now)).await;
    assert!(nothing.is_err(), "nothing is new");
    searched
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trail_shows_its_callers_rows_and_no_others() {
    let company = Company::found().await;
    company.record(&["ann", "bob", "ann", "bob"], 10).await;
    company.ledger.seal().await.unwrap();
    company.record(&["bob", "ann", "bob"], 10).await;
    let (ann, bob, all) = (
        vec![0, 2, 5],
        vec![1, 3, 4, 6],
        (0..7).collect::<Vec<u64>>(),
    );

    let own = company.trail_of("ann", Role::RegularUser);
    let everything = company.trail_of("auditor", Role::ComplianceOfficer);
    assert_eq!(seen(&own, QUESTIONS[0]).await, ann);
    assert_eq!(
        seen(&own, QUESTIONS[1]).await,
        ann,
        "a wider query goes around nothing"
    );
    assert_eq!(seen(&own, QUESTIONS[2]).await, Vec::<u64>::new());
    for trail in [&everything, &company.service_wide()] {
        assert_eq!(seen(trail, QUESTIONS[0]).await, all);
        assert_eq!(seen(trail, QUESTIONS[2]).await, bob);
    }

    for sequence in all {
        let stored = everything.by_sequence(sequence).await.unwrap().unwrap();
        let shown = ann.contains(&sequence);
        let event_id = stored.entry.event_id.as_str();
        assert_eq!(
            own.by_sequence(sequence).await.unwrap().is_some(),
            shown,
            "{sequence}"
        );
        assert_eq!(
            own.by_event_id(event_id).await.unwrap().is_some(),
            shown,
            "{sequence}"
        );
        assert_eq!(
            own.proof(&stored).await.unwrap().is_some(),
            shown,
            "a proof carries the entry"
        );
        assert!(everything.proof(&stored).await.unwrap().is_some());
    }

    assert!(everything.by_sequence(7).await.unwrap().is_none());

    let nobody = company.trail_of("eve", Role::RegularUser);
    assert_eq!(seen(&nobody, QUESTIONS[0]).await, Vec::<u64>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_trail_shows_what_it_missed_and_what_is_new() {
    let company = Company::found().await;
    company.record(&["bob", "ann", "ann"], 10).await;
    let own = company.trail_of("ann", Role::RegularUser);
    let mut live = own.live(Query::all(), Some(1));
    company.record(&["bob"], 10).await;
    company.ledger.seal().await.unwrap();

    // More than the broadcast's ring holds.
    for _ in 0..50 {
        company.record(&["bob"; 200], 10).await;
    }

    company.record(&["ann", "bob", "ann"], 10).await;
    for expected in [2, 10_004, 10_006] {
        assert_eq!(live.next(Timestamp::now).await.unwrap().sequence, expected);
    }
}
