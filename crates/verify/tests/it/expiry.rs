//! Expired ranges: what a policy allowed counts as expired, and every other deletion is found.

use std::collections::BTreeMap;
use std::fs;

use jiff::Timestamp;
use reeve_audit::{ActionMethod, ActionStatus, Draft, Entry, EventKind, Json, ResourceRef, events};
use reeve_lake::EntrySegments;
use reeve_ledger::{SegmentMeta, SegmentStore as _, Tombstone, root_of};
use reeve_verify::Report;
use serde_json::{Value, json};

use crate::log::Log;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn entry(kind: &EventKind, id: &str, recorded_at: Timestamp, metadata: Value) -> Draft {
    let mut entry = Entry::for_event(kind)
        .on(ResourceRef::new("segment", id))
        .with_action("expire", ActionStatus::Success, ActionMethod::Scheduled);
    for (name, value) in metadata.as_object().cloned().unwrap_or_default() {
        entry = entry.with_metadata(&name, Json::from(value));
    }
    Draft::by_reeve(entry, recorded_at).unwrap()
}

/// A log with two seals, of which the class `view` may expire in 2040.
async fn sealed() -> Log {
    let mut log = Log::new().await;
    for _ in 0..2 {
        log.append(3, 100).await;
        log.seal().await;
    }
    log
}

fn of_class(log: &Log, class: &str) -> Vec<SegmentMeta> {
    let all = log.ledger.as_ref().unwrap().segments();
    all.iter()
        .filter(|segment| segment.class == class)
        .cloned()
        .collect()
}

/// The metadata of the tombstone of a segment.
async fn stated(log: &Log, segment: &SegmentMeta) -> Value {
    let store = EntrySegments::open(log.dir()).await.unwrap();
    let content = store.content(segment).await.unwrap();
    let ledger = log.ledger.as_ref().unwrap();
    let rows = ledger
        .restore(store.read(segment).await.unwrap())
        .await
        .unwrap();
    let time = |ms: i64| Timestamp::from_millisecond(ms).unwrap().to_string();
    json!({
        "first_sequence": segment.first_sequence,
        "last_sequence": segment.last_sequence,
        "entries": segment.count,
        "event_types": content.event_types,
        "sha256": segment.sha256,
        "commitments_root": root_of(&rows).to_string(),
        "class": segment.class,
        "policy_version": 0,
        "newest_timestamp": time(content.max_timestamp_ms),
        "newest_recorded_at": time(content.max_recorded_at_ms),
        "holds": [],
    })
}

/// Expires the segments of a class; `change` may falsify what the tombstones say.
async fn expire(log: &Log, class: &str, when: &str, change: impl Fn(&mut Value)) {
    let ledger = log.ledger.as_ref().unwrap();
    for segment in of_class(log, class) {
        let mut metadata = stated(log, &segment).await;
        change(&mut metadata);
        let policy_version = metadata["policy_version"].as_u64().unwrap_or_default();
        let tombstone = Tombstone {
            path: segment.path.clone(),
            entry: entry(&events::EXPIRE, &segment.path, at(when), metadata),
            policy_version,
        };
        let receipt = ledger.expire(tombstone).await.unwrap();
        let bytes = ledger.free(&segment.path).await.unwrap();
        assert!(bytes >= segment.bytes);
        let freed = json!({ "expiry": receipt.event_id, "freed_bytes": bytes });
        let freed = entry(&events::FREE, &segment.path, at(when), freed);
        ledger.freed(&segment.path, freed).await.unwrap();
    }
}

async fn verified(mut log: Log) -> Report {
    log.close().await;
    log.verify()
}

fn found(report: &Report, text: &str) {
    let all: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert!(
        all.iter().any(|finding| finding.contains(text)),
        "{text}: {all:#?}"
    );
}

#[tokio::test]
async fn what_a_policy_allowed_counts_as_expired() {
    let log = sealed().await;
    let (bytes, views) = (
        fs::read(log.path("ledger/commitments")).unwrap(),
        of_class(&log, "view"),
    );
    expire(&log, "view", "2040-01-01T00:00:00Z", |_| {}).await;
    // The proof of the expiry is sealed like any entry, and a later start and seal keep it.
    log.seal().await;
    let mut log = log;
    log.close().await;
    log.reopen().await;
    log.append(1, 10).await;
    let kept = fs::read(log.path("ledger/commitments")).unwrap();
    assert_eq!(&kept[..bytes.len()], bytes);
    assert!(
        views
            .iter()
            .all(|segment| !log.path(&segment.path).exists())
    );

    let report = verified(log).await;
    assert_eq!(report.findings, []);
    let entries: u64 = views.iter().map(|segment| segment.count).sum();
    assert_eq!((report.counts.expired, report.missing.total), (entries, 0));
    assert_eq!(report.expired.len(), 2);
    assert!(
        report.to_string().contains("by version 0 of the policies"),
        "{report}"
    );
    assert_eq!(report.to_json()["checked"]["expired_entries"], entries);
    assert_eq!(report.counts.entries(), report.size);
}

#[tokio::test]
async fn a_file_that_was_deleted_by_hand_is_missing() {
    let log = sealed().await;
    expire(&log, "view", "2040-01-01T00:00:00Z", |_| {}).await;
    let change = of_class(&log, "change").remove(0);
    fs::remove_file(log.path(&change.path)).unwrap();
    let report = verified(log).await;
    assert_eq!(report.missing.total, change.count);
    assert!(report.counts.expired > 0);
    found(
        &report,
        "the segment is missing, but ledger/manifest.journal lists it",
    );
}

#[tokio::test]
async fn deletions_that_no_policy_allowed_are_found() {
    type Change = fn(&mut Value);
    let cases: [(&str, &str, &str, Change); 7] = [
        (
            "view",
            "2026-12-30T00:00:00Z",
            "after its tombstone",
            |_| {},
        ),
        (
            "default",
            "2030-01-01T00:00:00Z",
            "after its tombstone",
            |_| {},
        ),
        (
            "view",
            "2040-01-01T00:00:00Z",
            "version 7 of the policies was not in force",
            |stated| {
                stated["policy_version"] = json!(7);
            },
        ),
        (
            "view",
            "2040-01-01T00:00:00Z",
            "describes another segment",
            |stated| {
                stated["sha256"] = json!("00");
            },
        ),
        (
            "view",
            "2040-01-01T00:00:00Z",
            "another root of its commitments",
            |stated| {
                stated["commitments_root"] = json!("00");
            },
        ),
        ("view", "2040-01-01T00:00:00Z", "never expire", |stated| {
            let count = stated["entries"].clone();
            stated["event_types"] = json!(BTreeMap::from([("ledger.expire", count)]));
        }),
        (
            "view",
            "2040-01-01T00:00:00Z",
            "is not its tombstone",
            |stated| {
                stated["holds"] = json!("none");
            },
        ),
    ];

    for (class, when, message, change) in cases {
        let log = sealed().await;
        expire(&log, class, when, change).await;
        let report = verified(log).await;
        found(&report, message);
    }
}

#[tokio::test]
async fn policies_and_holds_of_the_log_decide() {
    let policies = |version: u64, hot_days: u32| {
        let after = json!({ "version": version, "policies": [
            { "name": "all", "event_types": ["*"], "hot_days": hot_days, "warm_days": 0, "cold_years": 0 }
        ] });
        let entry = Entry::for_event(&events::RETENTION_MODIFY)
            .on(ResourceRef::new("retention", "policies"))
            .with_action("modify", ActionStatus::Success, ActionMethod::Api)
            .after(Json::from(after));
        Draft::by_reeve(entry, Timestamp::now()).unwrap()
    };
    let hold = |kind: &EventKind| entry(kind, "hold-1", Timestamp::now(), json!({}));
    let released = [hold(&events::HOLD_CREATE), hold(&events::HOLD_RELEASE)];
    let placed = [hold(&events::HOLD_CREATE)];
    let soon = "2030-01-01T00:00:00Z";

    for (before, version, looked_at, message) in [
        (vec![policies(1, 30)], 1, json!([]), None),
        (
            vec![policies(1, 30)],
            0,
            json!([]),
            Some("was not in force"),
        ),
        (
            vec![policies(1, 30), policies(2, 36_500)],
            1,
            json!([]),
            Some("was not in force"),
        ),
        (
            vec![policies(1, 36_500)],
            1,
            json!([]),
            Some("after its tombstone"),
        ),
        (released.to_vec(), 0, json!([]), None),
        (placed.to_vec(), 0, json!(["hold-1"]), None),
        (placed.to_vec(), 0, json!([]), Some("the legal hold hold-1")),
    ] {
        let log = sealed().await;
        log.ledger.as_ref().unwrap().append(before).await.unwrap();
        expire(&log, "view", soon, |stated| {
            stated["policy_version"] = json!(version);
            stated["holds"] = looked_at.clone();
        })
        .await;
        let report = verified(log).await;
        match message {
            None => assert_eq!(report.findings, []),
            Some(message) => found(&report, message),
        }
    }
}

#[tokio::test]
async fn a_mark_that_was_written_by_hand_does_not_hold() {
    let log = sealed().await;
    expire(&log, "view", "2040-01-01T00:00:00Z", |_| {}).await;
    let mut log = log;
    log.close().await;

    // Without the key: the record is not attested, and the mark does not count.
    let path = log.path("ledger/manifest.journal");
    let text = fs::read_to_string(&path).unwrap();
    let forged = text.replacen("\"kind\":\"expire\"", "\"kind\":\"seal\"", 1);
    assert_ne!(forged, text);
    fs::write(&path, forged).unwrap();
    assert!(!log.verify().is_intact());

    // With the key, and a mark that names another entry as its tombstone.
    fs::write(&path, &text).unwrap();
    log.edit_manifest(|text| {
        let at = text.find("\"expired\":{\"entry\":").unwrap();
        let (before, after) = text.split_at(at);
        let after = after.replace("\"expired\":{\"entry\":6", "\"expired\":{\"entry\":5");
        format!("{before}{after}")
    });
    found(&log.verify(), "is not its tombstone");
}
