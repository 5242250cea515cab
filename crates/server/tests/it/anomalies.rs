//! Anomalies over HTTP: an address on an operator's list is told with its evidence, what was said is taken back, lists come by the
//! interface and as files.

use std::time::Duration;

use reeve_testkit::http::until;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);

fn deed(address: &str, agent: &str) -> Value {
    json!({
        "event_type": "api.call",
        "timestamp": jiff::Timestamp::now().to_string(),
        "actor": { "type": "user", "id": "ann", "email": "ann@example.com", "ip_address": address, "user_agent": agent },
        "action": { "operation": "ListBuckets", "status": "success", "method": "api" },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deed_from_a_listed_address_is_told_with_its_evidence() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("threat-lists")).unwrap();
    std::fs::write(home.path().join("threat-lists/agents.txt"), "user_agent:sqlmap, injection\n").unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, viewer) = admin.person("vera@example.com", &["regular_user"], &[]).await;

    let lists = "intelligence/threat-lists";
    let wrong = admin.put(&format!("{lists}/may"), json!({ "indicators": "203.0.113.0/24\nexample.com" })).await;
    let refused = wrong.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "indicators[2]");
    let text = "203.0.113.0/24, Scanners of May, 2026-05-03\n";
    let put = admin.put(&format!("{lists}/may"), json!({ "indicators": text })).await.expect(200);
    assert_eq!((&put.body["indicator_count"], &put.body["source"]), (&json!(1), &json!("api")));
    let _ = viewer.put(&format!("{lists}/may"), json!({ "indicators": "" })).await.expect(403);
    let read = admin.get(&format!("{lists}/may")).await.expect(200);
    assert_eq!(read.text_at("/indicators"), text);
    let known = until("the list that lies as a file", PATIENCE, async || {
        let all = admin.get(lists).await.expect(200);
        (all.items().len() == 2).then_some(all)
    })
    .await;
    assert_eq!((&known.items()[0]["name"], &known.items()[0]["source"]), (&json!("agents.txt"), &json!("file")));
    let _ = admin.delete(&format!("{lists}/agents.txt")).await.problem(409, "conflict");

    // The lists are read before the entries of the same look.
    let _ = admin
        .post(
            "audit-logs",
            json!([deed("203.0.113.77", "curl/8"), deed("198.51.100.1", "sqlmap/1.7"), deed("198.51.100.1", "curl/8")]),
        )
        .await
        .expect(201);
    let path = "intelligence/anomalies?type=security&status=open,acknowledged";
    let told = until("both anomalies", PATIENCE, async || {
        let all = admin.get(path).await.expect(200);
        let listed = |one: &&Value| one["title"].as_str().unwrap().contains("threat list");
        let found: Vec<Value> = all.items().iter().filter(listed).cloned().collect();
        (found.len() == 2).then_some(found)
    })
    .await;
    let of = |kind: &str| told.iter().find(|one| one["resource"]["kind"] == kind).unwrap();
    let (address, person) = (of("address"), of("principal"));
    assert_eq!(
        (&address["resource"]["id"], &person["resource"]["id"]),
        (&json!("203.0.113.77"), &json!("ann@example.com"))
    );
    let evidence = address["evidence"][0].as_str().unwrap();
    assert!(
        evidence.contains("203.0.113.0/24 (Scanners of May), dated 2026-05-03 on threat list \"may\""),
        "{evidence}"
    );
    let stages: Vec<&str> =
        address["responses"].as_array().unwrap().iter().map(|one| one["stage"].as_str().unwrap()).collect();
    assert_eq!(stages, ["alert", "investigate", "recommend", "execute"]);

    let one = format!("intelligence/anomalies/{}", address["id"].as_str().unwrap());
    let _ = admin.post(&format!("{one}/reopen"), json!({})).await.problem(409, "conflict");
    let said = admin.post(&format!("{one}/feedback"), json!({ "kind": "false" })).await.expect(200);
    assert_eq!(said.text_at("/status"), "resolved");
    let _ = viewer.post(&format!("{one}/reopen"), json!({})).await.expect(403);
    let open = admin.post(&format!("{one}/reopen"), json!({})).await.expect(200);
    assert_eq!((&open.body["status"], open.body["feedback"][0]["withdrawn_by"].is_string()), (&json!("open"), true));
    let log = admin.post("audit-logs/search", json!({ "query": "anomaly.reopen" })).await.expect(200);
    assert_eq!(log.body["total"], 1, "{}", log.text);
    let _ = admin.get(&format!("{one}/course")).await.problem(422, "invalid_fields");
    let _ = admin.get("intelligence/anomalies?status=open,closed").await.problem(422, "invalid_fields");
}

#[tokio::test]
async fn settings_name_what_is_done_and_take_the_specifications_names() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/anomaly-settings";
    let read = admin.get(path).await.expect(200);
    assert_eq!(read.body["cost"]["action"], "alert_and_analyze");
    assert_eq!(read.body["performance"]["action"], "auto_investigate");
    assert_eq!(
        (&read.body["security"]["action"], &read.body["security"]["threat_intelligence"]),
        (&json!("alert_and_quarantine"), &json!(true))
    );
    let mut wanted = read.body.clone();
    wanted["performance"]["metrics"] = json!(["latency", "error_rate", "throughput"]);
    wanted["performance"]["action"] = json!("auto_remediate");
    wanted["security"]["threat_intelligence"] = Value::Null;
    let stored = admin.put(path, wanted.clone()).await.expect(200);
    assert_eq!(stored.body["performance"]["metrics"], json!(["response_time", "error_rate", "request_rate"]));
    assert_eq!(
        (&stored.body["performance"]["action"], &stored.body["security"]["threat_intelligence"]),
        (&json!("auto_remediate"), &json!(true))
    );
    wanted["version"] = stored.body["version"].clone();
    wanted["cost"]["action"] = json!("alert_and_quarantine");
    let refused = admin.put(path, wanted).await.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "cost.action");
}
