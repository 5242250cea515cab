//! Tests of claims: the source's values are never changed, and one `event_id` belongs to one claim,
//! even across restarts.

use reeve_testkit::service::Service;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_id_stands_for_one_claim_across_restarts() {
    let home = tempfile::tempdir().unwrap();
    // Sealed and unsealed entries alike.
    let settings = [("REEVE_SEAL_AFTER_ENTRIES", "40")];
    let service = Service::serve(home.path(), &settings).unwrap();
    let claim = |n: usize, severity: &str| {
        // Every third comes without a time: the time of its receipt is no part of the claim.
        let mut claim = json!({ "event_id": format!("claim-{n}"), "event_type": "test.deed", "severity": severity });
        if !n.is_multiple_of(3) {
            claim["timestamp"] = json!("2026-01-02T03:04:05.000Z");
        }
        claim
    };

    let batch =
        |severity: &str| Value::from((0..60).map(|n| claim(n, severity)).collect::<Vec<_>>());
    let first = service
        .admin()
        .post("audit-logs", batch("low"))
        .await
        .expect(201);
    let size = service.admin().size().await;
    let mut service = service;

    for life in ["as it was", "ended in order", "killed"] {
        match life {
            "ended in order" => {
                service.stop().unwrap();
                service = Service::serve(home.path(), &settings).unwrap();
            }
            "killed" => {
                service.kill().unwrap();
                service = Service::serve(home.path(), &settings).unwrap();
            }
            _ => {}
        }
        let admin = service.admin();
        let before = admin.size().await;
        assert!(before >= size, "{life}");
        // As a batch, and one of them alone in another spelling.
        let again = admin.post("audit-logs", batch("low")).await.expect(201);
        assert_eq!(again.body, first.body, "{life}");
        let spelled = br#"{"severity":"low","timestamp":"2026-01-02T04:04:05+01:00","event_type":"test.deed","event_id":"claim-1"}"#;
        let alone = admin
            .send(
                "POST",
                "audit-logs",
                Some("application/json"),
                spelled.to_vec(),
            )
            .await
            .expect(201);
        assert_eq!(alone.body, first.items()[1], "{life}");
        for n in [0, 1, 59] {
            let _ = admin
                .post("audit-logs", claim(n, "high"))
                .await
                .problem(409, "event_id_conflict");
        }
        let mut changed = batch("low");
        changed[30]["severity"] = json!("high");
        let refused = admin
            .post("audit-logs", changed)
            .await
            .problem(409, "event_id_conflict");
        assert_eq!(refused.body["errors"][0]["index"], 30, "{life}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_and_future_times_are_kept_as_claims() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let times = [
        "0001-01-01T00:00:00.000Z",
        "1969-12-31T23:59:59.999Z",
        "2099-06-05T04:03:02.001Z",
        "9998-12-31T23:59:59.000Z",
    ];

    let batch: Vec<Value> = times
        .iter()
        .enumerate()
        .map(|(n, at)| json!({ "event_id": format!("at-{n}"), "event_type": "test.deed", "timestamp": at }))
        .collect();
    let receipts = admin.post("audit-logs", batch.into()).await.expect(201);

    for (n, (at, receipt)) in times.iter().zip(receipts.items()).enumerate() {
        let entry = admin
            .get(&format!("audit-logs/at-{n}"))
            .await
            .expect(200)
            .body;
        assert_eq!(
            (&entry["timestamp"], &entry["recorded_at"]),
            (&json!(at), &receipt["recorded_at"])
        );
        assert_ne!(entry["timestamp"], entry["recorded_at"]);
        // Found by what was claimed; numbered by when it came.
        let window = reeve_testkit::http::encoded(&format!(
            "event_type:test.deed timestamp:>={at} timestamp:<={at}"
        ));
        let found = admin
            .get(&format!("audit-logs?query={window}"))
            .await
            .expect(200);
        assert_eq!(found.items().len(), 1, "{at}");
        assert_eq!(
            found.items()[0]["integrity"]["sequence"],
            receipt["sequence"]
        );
    }
}
