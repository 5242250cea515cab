//! A stream to a real Kafka and one to a strict receiver of OTLP, over the whole service.

#[path = "../../../connect/streams/tests/it/collector.rs"]
mod collector;

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::kafka::{Kafka, PLAIN_USER};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use collector::{API_KEY, Collector};

const PATIENCE: Duration = Duration::from_secs(90);
const STREAMS: &str = "audit-logs/integrations";
const QUERY: &str = "event_type:resource.modify";

/// Appends entries about seven resources.
async fn append(api: &Api, from: usize, count: usize) {
    let entries: Vec<Value> = (from..from + count)
        .map(|n| {
            json!({ "event_id": format!("streamed-{n:05}"), "event_type": "resource.modify", "timestamp": "2026-05-01T00:00:00Z",
                "actor": { "type": "user", "id": "ann" }, "resource": { "type": "bucket", "id": format!("bucket-{}", n % 7) },
                "action": { "operation": "x", "status": "success", "method": "api" } })
        })
        .collect();
    let _ = api.post("audit-logs", json!(entries)).await.expect(201);
}

async fn sent(admin: &Api, path: &str, count: u64) {
    until("the confirmations", PATIENCE, async || {
        let status = admin.get(&format!("{path}/status")).await.expect(200).body;
        let is_done = status["sent_entries"] == count && status["lag_entries"] == 0;
        is_done.then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kafka_that_was_down_gets_everything_in_order() {
    let mut kafka = Kafka::start(None).unwrap();
    kafka.create_topic("audit", 3).unwrap();
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let settings = json!({ "brokers": format!("127.0.0.1:{}", kafka.ports().sasl), "topic": "audit", "tls": false,
        "sasl": "plain", "username": PLAIN_USER.0, "key": "resource_id", "compression": "gzip" });
    let mut body =
        json!({ "name": "Kafka", "type": "kafka", "query": QUERY, "settings": settings });
    let refused = admin
        .post(STREAMS, body.clone())
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "secret");
    body["secret"] = json!(PLAIN_USER.1);
    let made = admin.post(STREAMS, body).await.expect(201);
    assert_eq!(made.body["settings"], settings);
    assert!(!made.text.contains("SharedAccessKey"));
    let path = format!("{STREAMS}/{}", made.text_at("/id"));
    append(&admin, 0, 50).await;
    sent(&admin, &path, 50).await;

    kafka.kill().unwrap();
    append(&admin, 50, 150).await;
    until("the failure", PATIENCE, async || {
        let status = admin.get(&format!("{path}/status")).await.expect(200).body;
        status["failing_since"].is_string().then_some(())
    })
    .await;
    kafka.resume().unwrap();
    sent(&admin, &path, 200).await;

    let read = kafka.records("audit", 200).unwrap();
    for bucket in 0..7 {
        let key = format!("bucket-{bucket}");
        let of_bucket: Vec<&str> = read
            .iter()
            .filter(|record| record.key == key)
            .map(|record| record.headers.as_str())
            .collect();
        let expected: Vec<String> = (bucket..200)
            .step_by(7)
            .map(|n| format!("event_id:streamed-{n:05},"))
            .collect();
        let is_same = of_bucket.len() == expected.len()
            && of_bucket
                .iter()
                .zip(&expected)
                .all(|(read, expected)| read.starts_with(expected));
        assert!(is_same, "{key}: {of_bucket:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_record_that_is_rejected_alone_becomes_a_dead_letter() {
    let collector = Collector::start().await;
    collector.with(|exported| exported.poison = Some("streamed-00013".to_owned()));
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let body = json!({ "name": "Collector", "type": "otlp", "query": QUERY, "secret": API_KEY,
        "settings": { "url": collector.url, "header": "x-api-key" } });
    let made = admin.post(STREAMS, body).await.expect(201);
    assert_eq!(made.body["format"], "otlp");
    let path = format!("{STREAMS}/{}", made.text_at("/id"));
    let tested = admin
        .post(&format!("{path}/test"), Value::Null)
        .await
        .expect(200);
    assert_eq!(tested.body["delivered"], true, "{tested:?}");
    collector.with(|exported| exported.records.clear());

    append(&admin, 0, 40).await;
    let letters = format!("{path}/dead-letters");
    let letter = until("the dead letter", PATIENCE, async || {
        admin
            .get(&letters)
            .await
            .expect(200)
            .items()
            .first()
            .cloned()
    })
    .await;
    assert_eq!(letter["event_id"], "streamed-00013");
    assert_eq!(
        letter["reason"],
        "1 of 1 log records were not taken: too old"
    );
    until("the others", PATIENCE, async || {
        let mut uids = collector.uids();
        uids.sort_unstable();
        uids.dedup();
        (uids.len() == 39).then_some(())
    })
    .await;

    // Once the receiver takes it, the letter is sent again by a person.
    collector.with(|exported| exported.poison = None);
    let again = format!("{letters}/{}/replay", letter["sequence"]);
    assert_eq!(
        admin.post(&again, Value::Null).await.expect(200).body["delivered"],
        true
    );
    assert!(collector.uids().contains(&"streamed-00013".to_owned()));
}
