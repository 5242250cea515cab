//! Erased entries: those of an approved request count as erased, and every other rewriting is found.

use jiff::Timestamp;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, ActorType, Draft, Entry, EventKind, Json, ResourceRef,
    events,
};
use reeve_lake::EntrySegments;
use reeve_ledger::Erasure;
use reeve_verify::Report;
use serde_json::{Value, json};

use crate::log::Log;

const REQUEST: &str = "request-1";

pub(crate) fn entry(
    kind: &EventKind,
    resource: ResourceRef,
    person: &str,
    metadata: Value,
) -> Draft {
    let mut entry = Entry::for_event(kind)
        .by(Actor::new(ActorType::User, person))
        .on(resource)
        .with_action("erase", ActionStatus::Success, ActionMethod::Api);
    for (name, value) in metadata.as_object().cloned().unwrap_or_default() {
        entry = entry.with_metadata(&name, Json::from(value));
    }
    Draft::by_reeve(entry, Timestamp::now()).unwrap()
}

/// A log with a seal, and the entries about a request that these people approved.
pub(crate) async fn requested(approvers: &[&str]) -> Log {
    let mut log = Log::new().await;
    log.append(3, 100).await;
    log.seal().await;
    let about = |kind: &EventKind, person: &str| {
        let resource = ResourceRef::new("erasure_request", REQUEST);
        entry(kind, resource, person, json!({ "digest": "00" }))
    };
    let mut entries = vec![about(&events::ERASURE_CREATE, "anna")];
    entries.extend(
        approvers
            .iter()
            .map(|by| about(&events::ERASURE_APPROVE, by)),
    );
    log.ledger.as_ref().unwrap().append(entries).await.unwrap();
    log
}

/// Erases every third entry of each segment; `change` may falsify what the tombstones say. Returns
/// the number of erased entries.
async fn erase(log: &Log, change: impl Fn(&mut Value)) -> u64 {
    let store = EntrySegments::open(log.dir()).await.unwrap();
    erase_in(log, &store, change).await
}

/// The same, where the segments lie in these tiers.
pub(crate) async fn erase_in(log: &Log, store: &EntrySegments, change: impl Fn(&mut Value)) -> u64 {
    let ledger = log.ledger.as_ref().unwrap();
    let mut count = 0;
    for segment in ledger.segments().iter() {
        let sequences = store.sequences(segment).await.unwrap();
        let chosen: Vec<u64> = sequences.into_iter().step_by(3).collect();
        let rewritten = ledger.rewrite(&segment.path, &chosen).await.unwrap();
        let mut stated = json!({
            "request": REQUEST,
            "first_sequence": segment.first_sequence,
            "last_sequence": segment.last_sequence,
            "class": segment.class,
            "tier": segment.tier(),
            "entries": chosen.len(),
            "sequences": rewritten.sequences,
            "commitments_root": rewritten.root.to_string(),
            "sha256": segment.sha256,
            "path_after": rewritten.after.path,
            "sha256_after": rewritten.after.sha256,
            "holds": [],
        });
        change(&mut stated);
        let resource = ResourceRef::new("segment", &segment.path);
        let erasure = Erasure {
            rewritten,
            request: REQUEST.to_owned(),
            entry: entry(&events::ERASE, resource, "reeve", stated),
        };
        ledger.erase(erasure).await.unwrap();
        count += chosen.len() as u64;
    }
    assert!(ledger.remove_replaced().await.unwrap() > 0);
    count
}

async fn verified(mut log: Log) -> Report {
    log.close().await;
    log.verify()
}

pub(crate) fn found(report: &Report, text: &str) {
    let all: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert!(
        all.iter().any(|finding| finding.contains(text)),
        "{text}: {all:#?}"
    );
}

#[tokio::test]
async fn entries_of_an_approved_request_count_as_erased() {
    let mut log = requested(&["berta", "carl"]).await;
    let first = erase(&log, |_| {}).await;
    // Entries of a segment are erased again, the tombstones are sealed, and a start goes on.
    let second = erase(&log, |_| {}).await;
    log.seal().await;
    log.close().await;
    log.reopen().await;
    log.append(1, 10).await;
    log.seal().await;

    let report = verified(log).await;
    assert_eq!(report.findings, []);
    assert_eq!(report.missing.total, 0);
    assert_eq!(report.counts.erased, first + second);
    assert_eq!(report.counts.entries(), report.size);
    let ranges: u64 = report.erased.iter().map(|range| range.entries).sum();
    assert_eq!(ranges, first + second);
    let text = report.to_string();
    assert!(text.contains(&format!("by request {REQUEST}")), "{text}");
    assert_eq!(
        report.to_json()["checked"]["erased_entries"],
        first + second
    );
}

#[tokio::test]
async fn an_erasure_without_two_approvals_by_others_is_found() {
    for (approvers, cause) in [
        (&["berta"][..], "had approvals by 1 people"),
        (&["berta", "anna"][..], "had approvals by 1 people"),
        (&["berta", "berta"][..], "had approvals by 1 people"),
    ] {
        let log = requested(approvers).await;
        erase(&log, |_| {}).await;
        let report = verified(log).await;
        found(&report, cause);
        assert_eq!(report.erased, []);
    }
}

#[tokio::test]
async fn a_tombstone_that_says_something_else_is_found() {
    type Change = fn(&mut Value);
    let cases: [(&str, Change); 6] = [
        ("describes other entries", |stated| {
            stated["tier"] = json!("warm")
        }),
        ("is not their tombstone", |stated| {
            stated["sequences"] = json!("none")
        }),
        ("describes other entries", |stated| {
            stated["sequences"] = json!([[0, 1]])
        }),
        ("another root", |stated| {
            stated["commitments_root"] = json!("00")
        }),
        ("names another file", |stated| {
            stated["sha256_after"] = json!("00")
        }),
        ("does not have the request", |stated| {
            stated["request"] = json!("request-2")
        }),
    ];
    for (cause, change) in cases {
        let log = requested(&["berta", "carl"]).await;
        erase(&log, change).await;
        found(&verified(log).await, cause);
    }
}

#[tokio::test]
async fn an_erasure_that_ignored_a_hold_is_found() {
    let log = requested(&["berta", "carl"]).await;
    let hold = ResourceRef::new("legal_hold", "hold-1");
    let placed = entry(&events::HOLD_CREATE, hold, "dora", json!({}));
    log.ledger
        .as_ref()
        .unwrap()
        .append(vec![placed])
        .await
        .unwrap();
    erase(&log, |_| {}).await;
    found(&verified(log).await, "the legal hold hold-1");
}
