//! A data directory of a version that did not sign its manifest: refused at a start, taken up once
//! on request, and on record. A backup of such a version is restored the same way.

use std::path::Path;

use reeve_testkit::http::Api;
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve_command, verify};
use serde_json::json;

use crate::earlier::unsign;

async fn append(api: &Api, count: u64) {
    let batch: Vec<_> = (0..count)
        .map(|_| json!({ "event_type": "test.deed" }))
        .collect();
    let _ = api.post("audit-logs", json!(batch)).await.expect(201);
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Starts the service with consent.
fn accepting(home: &Path) -> Service {
    let mut command = reeve_command().unwrap();
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--accept-unsigned",
        "--data-dir",
        text(home),
    ]);

    command.env("REEVE_ADMIN_TOKEN", ADMIN_TOKEN);
    Service::start(command).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_without_signatures_starts_once_on_request_and_on_record() {
    let home = tempfile::tempdir().unwrap();
    let sealing = [("REEVE_SEAL_AFTER_ENTRIES", "20")];
    let service = Service::serve(home.path(), &sealing).unwrap();
    append(&service.admin(), 30).await;
    assert!(service.stop().unwrap().0.success());
    unsign(home.path());
    let refused = format!("{:#}", Service::serve(home.path(), &sealing).err().unwrap());
    assert!(
        refused.contains("manifest.journal") && refused.contains("--accept-unsigned"),
        "{refused}"
    );
    assert_eq!(verify(&[text(home.path())]).unwrap().0, Some(1));
    assert_eq!(
        verify(&[text(home.path()), "--accept-unsigned"]).unwrap().0,
        Some(0)
    );

    let service = accepting(home.path());
    let found = service
        .admin()
        .get("audit-logs?query=event_type:ledger.accept_unsigned")
        .await
        .expect(200);
    assert_eq!(found.body["total"], 1);

    let entry = &found.body["items"][0];
    assert_eq!(
        (&entry["severity"], &entry["submitted_by"]["type"]),
        (&json!("high"), &json!("reeve"))
    );

    let metadata = &entry["metadata"];
    assert_eq!(
        metadata["entries"], metadata["signed_entries"],
        "{metadata}"
    );

    let health = service.admin().get("/metrics").await.text;
    assert!(
        health.contains("reeve_log_faults{fault=\"clock\"} 0"),
        "{health}"
    );
    assert!(service.stop().unwrap().0.success());

    // From then on all is signed.
    let service = Service::serve(home.path(), &sealing).unwrap();
    let found = service
        .admin()
        .get("audit-logs?query=event_type:ledger.accept_unsigned")
        .await
        .expect(200);
    assert_eq!(found.body["total"], 1);
    assert!(service.stop().unwrap().0.success());
    assert_eq!(verify(&[text(home.path())]).unwrap().0, Some(0));
}
