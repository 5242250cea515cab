//! Verifying the running log: what the job says is what the log has, while it is written and
//! sealed.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// Begins a verification and waits for its end.
async fn verified(api: &Api) -> Value {
    let begun = api.post("audit-logs/verify", json!({})).await.expect(202);
    let path = format!("audit-logs/verify/{}", begun.text_at("/id"));
    let ended = || async {
        let job = api.get(&path).await.expect(200).body;
        (job["status"] != "running").then_some(job)
    };
    until("the verification ends", Duration::from_secs(60), ended).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_running_log_is_verified_in_the_background() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[("REEVE_SEAL_AFTER_ENTRIES", "100")]).unwrap();
    let admin = service.admin();
    let batch: Vec<Value> = (0..50)
        .map(|n| json!({ "event_type": "test.deed", "resource": { "id": format!("r-{n}") } }))
        .collect();
    for _ in 0..8 {
        let _ = admin.post("audit-logs", json!(batch)).await.expect(201);
    }

    let before = admin.size().await;
    let (writer, admin_too) = (service.admin(), service.admin());
    let writing = tokio::spawn(async move {
        for _ in 0..20 {
            let _ = writer.post("audit-logs", json!(batch)).await.expect(201);
        }
    });
    let job = verified(&admin_too).await;
    writing.await.unwrap();
    let result = &job["result"];
    assert_eq!(
        (&job["status"], &result["holds"], &result["findings"]),
        (&json!("done"), &json!(true), &json!([])),
        "{job}"
    );
    assert!(result["checked"].as_u64().unwrap() > before, "{job}");
    assert_eq!(
        (&result["intact"], &result["expired"], &result["missing"]),
        (&result["checked"], &json!(0), &json!(0)),
        "{job}"
    );

    let recorded = admin
        .get("audit-logs?query=event_type:audit.verify")
        .await
        .expect(200);
    assert_eq!(recorded.body["total"], 2);
    assert_eq!(
        recorded.items()[0]["metadata"]["result"]["checked"],
        result["checked"]
    );
    assert_eq!(recorded.items()[0]["severity"], "info");

    let _ = admin
        .get("audit-logs/verify/no-such-job")
        .await
        .problem(404, "not_found");

    // One byte of a segment that is not what it was: told, and where.
    let folder = home.path().join("lake/entries/default");
    // The oldest: one that is just being sealed is in no manifest yet.
    let sealed = || async {
        let files = std::fs::read_dir(&folder)
            .ok()?
            .flatten()
            .map(|one| one.path());
        files
            .filter(|one| one.extension().is_some_and(|kind| kind == "parquet"))
            .min()
    };
    let file = until("there is a segment", Duration::from_secs(30), sealed).await;
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;

    std::fs::write(&file, &bytes).unwrap();
    let job = verified(&admin).await;
    assert_eq!(job["result"]["holds"], false, "{job}");

    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(
        job["result"]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["file"].as_str().unwrap().ends_with(name)),
        "{job}"
    );

    // While it is damaged, no search passes over what stands in it.
    let oldest = json!({ "query": "", "order": "oldest_first", "limit": 1000 });
    let _ = admin
        .post("audit-logs/search", oldest)
        .await
        .problem(500, "log_damaged");
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let recorded = admin
        .get("audit-logs?query=event_type:audit.verify")
        .await
        .expect(200);
    assert_eq!(
        (&recorded.body["total"], &recorded.items()[0]["severity"]),
        (&json!(4), &json!("critical"))
    );
}
