//! The story of a recommendation, read out of the log by its id.

use reeve_testkit::http::Api;
use serde_json::{Value, json};

/// The entries of a recommendation, oldest first.
async fn entries(reader: &Api, of: &Value) -> Vec<Value> {
    let id = of["id"].as_str().unwrap();
    let search = json!({ "query": format!("metadata.recommendation_id:\"{id}\""), "limit": 1000 });
    let found = reader.post("audit-logs/search", search).await.expect(200);
    let mut entries = found.items().to_vec();
    assert_eq!(found.body["total"], entries.len());
    entries.sort_by_key(|entry| entry["integrity"]["sequence"].as_u64());
    assert!(
        entries
            .iter()
            .all(|entry| entry["metadata"]["recommendation_id"] == id)
    );

    entries
}

fn line(entry: &Value) -> String {
    let text = |pointer| {
        entry
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    format!("{} {}", text("/action/operation"), text("/action/status"))
}

/// Checks that the chapters are in the log in this order, with any entries between them.
#[track_caller]
fn in_order<'a>(entries: &'a [Value], chapters: &[&str]) -> Vec<&'a Value> {
    let all: Vec<String> = entries.iter().map(line).collect();
    let mut from = 0;
    let mut found = Vec::new();

    for chapter in chapters {
        let at = all[from..].iter().position(|one| one == chapter);
        let at = at.unwrap_or_else(|| panic!("no {chapter:?} after {from} in {all:#?}"));
        found.push(&entries[from + at]);
        from += at + 1;
    }

    found
}

/// The resize from finding to outcome; the event id of the entry that says the size changed.
pub(super) async fn of_the_resize(reader: &Api, of: &Value) -> String {
    let entries = entries(reader, of).await;
    let chapters = [
        "recommendation.create success",
        "approval.request pending",
        "approval.sign success",
        "action.start pending",
        "recommendation.execute success",
        "precondition pending",
        "precondition success",
        "snapshot pending",
        "snapshot success",
        "stop pending",
        "stop success",
        "modify pending",
        "modify success",
        "start pending",
        "start success",
        "verify pending",
        "verify success",
        "action.succeed success",
    ];
    let found = in_order(&entries, &chapters);

    let by = |entry: &Value| {
        entry["actor"]["email"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };

    assert_eq!(
        (by(found[1]), by(found[2])),
        (
            "operator@acme.example".into(),
            "manager@acme.example".into()
        )
    );

    assert_eq!(
        found[1]["changes"]["after"]["plan_hash"],
        of["plan"]["hash"]
    );

    let (stop, modify, start) = (found[10], found[12], found[14]);
    assert_eq!(
        (
            &stop["changes"]["before"]["state"],
            &stop["changes"]["after"]["state"]
        ),
        (&json!("running"), &json!("stopped"))
    );

    assert_eq!(
        (
            &modify["changes"]["before"]["instance_type"],
            &modify["changes"]["after"]["instance_type"]
        ),
        (&json!("m5.2xlarge"), &json!("m5.xlarge"))
    );

    assert_eq!(start["changes"]["after"]["state"], "running");

    let outcome = found[17];
    assert_eq!(
        (
            &outcome["changes"]["after"]["status"],
            &outcome["changes"]["after"]["instance_type"]
        ),
        (&json!("succeeded"), &json!("m5.xlarge"))
    );

    modify["event_id"].as_str().unwrap().to_owned()
}

/// The stop: snapshots first, both signatures before anything, and nothing deleted.
pub(super) async fn of_the_stop(reader: &Api, of: &Value) {
    let entries = entries(reader, of).await;
    let chapters = [
        "recommendation.create success",
        "approval.request pending",
        "approval.sign success",
        "approval.sign success",
        "action.start pending",
        "snapshot success",
        "snapshot success",
        "snapshot success",
        "stop pending",
        "stop success",
        "verify success",
        "action.succeed success",
    ];
    let found = in_order(&entries, &chapters);
    assert_eq!(found[2]["metadata"]["signature"], "director");

    assert_eq!(found[3]["metadata"]["signature"], "security");
    assert!(
        !entries
            .iter()
            .any(|entry| line(entry).contains("delete") || line(entry).contains("terminate"))
    );
}
