//! Exchange with other security tools over real HTTP: alerts in four formats come in and join an
//! incident, findings go out as OCSF, closing goes both ways, and threat lists are STIX bundles.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use reeve_testkit::http::{Answer, Api, until};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::webhooks::{Received, receiver};

const PATIENCE: Duration = Duration::from_secs(90);
const ALERTS: &str = "intelligence/inbound-alerts";
const SOURCES: &str = "intelligence/alert-sources";
const ELASTIC: &str = include_str!("../../../siem/tests/fixtures/alert-elastic.json");
const SPLUNK: &str = include_str!("../../../siem/tests/fixtures/alert-splunk.json");
const OCSF: &str = include_str!("../../../siem/tests/fixtures/alert-ocsf.json");
const CEF: &str = "CEF:0|Acme|Sentry|7|100|Port scan|9|externalId=42 src=203.0.113.7 dhost=web-1\n\
                   not CEF at all\n";

/// Adds a source. Returns its path, and a client with its token.
async fn source(admin: &Api, service: &Service, body: Value) -> (String, Api) {
    let made = admin.post(SOURCES, body).await.expect(201);
    let path = format!("{SOURCES}/{}", made.text_at("/id"));
    (path, service.nobody().with_token(&made.text_at("/token")))
}

async fn push(tool: &Api, body: &str) -> Answer {
    tool.send("POST", ALERTS, Some("application/json"), body.into())
        .await
}

fn bodies(received: &Received) -> Vec<Value> {
    let received = received.lock().unwrap();
    let bodies = received.iter();
    bodies
        .map(|(_, body)| serde_json::from_slice(body).unwrap_or_default())
        .collect()
}

/// The finding of an anomaly that a webhook got last, once it has this `type_uid`.
async fn finding(received: &Received, anomaly: &str, type_uid: u64) -> Value {
    until("the finding", PATIENCE, async || {
        let mut newest_first = bodies(received).into_iter().rev();
        newest_first
            .find(|body| body["finding_info"]["uid"] == anomaly && body["type_uid"] == type_uid)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_come_in_findings_go_out_and_closing_goes_both_ways() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();

    // A security anomaly, and a webhook that gets it as OCSF.
    let (url, received) = receiver().await;
    let hook = json!({ "event": "anomaly_detected", "format": "ocsf", "url": url });
    let _ = admin.post("intelligence/webhooks", hook).await.expect(201);
    let budget = json!({ "event": "budget_alert", "format": "ocsf", "url": url });
    let refused = admin
        .post("intelligence/webhooks", budget)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "format");
    let list = json!({ "indicators": "203.0.113.7,Scanner,2026-05-03" });
    let _ = admin
        .put("intelligence/threat-lists/mine", list)
        .await
        .expect(200);
    let call = json!([{ "event_type": "api.call", "timestamp": jiff::Timestamp::now().to_string(),
        "actor": { "type": "user", "id": "AIDA1", "email": "ann@example.com", "ip_address": "203.0.113.7" },
        "action": { "operation": "ListBuckets", "status": "success", "method": "api" } }]);
    let _ = admin.post("audit-logs", call).await.expect(201);
    let anomaly = until("the anomaly", PATIENCE, async || {
        let path = "intelligence/anomalies?type=security&status=open";
        let all = admin.get(path).await.expect(200);
        all.items().first().cloned()
    })
    .await;
    let id = anomaly["id"].as_str().unwrap();
    let created = finding(&received, id, 200_401).await;
    assert_eq!(created["metadata"]["version"], "1.5.0");
    assert_eq!(created["status"], "New");

    // The token of a source pushes alerts and nothing else; no other token pushes any.
    let (tool_url, called) = receiver().await;
    let callback = json!({ "method": "POST", "url": tool_url,
        "body": "{\"signal_ids\":[\"{id}\"],\"status\":\"closed\",\"reason\":\"{comment}\"}" });
    let elastic = json!({ "name": "Elastic", "format": "elastic", "callback": callback, "credentials": "ApiKey k" });
    let (elastic_path, elastic) = source(&admin, &service, elastic).await;
    let _ = elastic.get(ALERTS).await.expect(401);
    let _ = elastic.get("resources").await.expect(401);
    let _ = push(&admin, ELASTIC).await.expect(403);

    // Fixtures are of a morning; what happened in an attack of now is of now.
    let now = jiff::Timestamp::now().to_string();
    let mut alert: Value = serde_json::from_str(ELASTIC).unwrap();
    alert["_source"]["@timestamp"] = json!(now);
    let taken = push(&elastic, &alert.to_string()).await.expect(200);
    assert_eq!(
        (&taken.body["new"], &taken.body["refused"]),
        (&json!(1), &json!([]))
    );
    let again = push(&elastic, &alert.to_string()).await.expect(200);
    assert_eq!(
        (&again.body["new"], &again.body["known"]),
        (&json!(0), &json!(1))
    );

    // Whichever of the two opened the incident, the other joins it.
    let kept = until("one incident of both", PATIENCE, async || {
        let kept = admin.get(ALERTS).await.expect(200).items()[0].clone();
        let path = format!("intelligence/anomalies/{id}");
        let anomaly = admin.get(&path).await.expect(200).body;
        (kept["incident_id"] == anomaly["incident_id"]).then_some(kept)
    })
    .await;
    assert_eq!(kept["sender_severity"], "critical");
    // The machine that it names is not in the estate.
    assert_eq!(kept["severity"], "high");
    assert_eq!(
        kept["weight_factors"][2]["reason"],
        "i-0abc is not in the estate."
    );

    // The other formats, with refusals by line.
    let made = source(
        &admin,
        &service,
        json!({ "name": "Splunk", "format": "splunk" }),
    )
    .await;
    let (splunk_path, splunk) = made;
    let _ = push(&splunk, SPLUNK).await.expect(200);
    let (_, ocsf) = source(
        &admin,
        &service,
        json!({ "name": "Sentry", "format": "ocsf" }),
    )
    .await;
    let _ = push(&ocsf, OCSF).await.expect(200);
    let (cef_path, cef) = source(
        &admin,
        &service,
        json!({ "name": "Scanner", "format": "cef" }),
    )
    .await;
    let mixed = push(&cef, CEF).await.expect(200);
    assert_eq!(
        (&mixed.body["new"], &mixed.body["refused"][0]["line"]),
        (&json!(1), &json!(2))
    );
    let none = push(&cef, "nothing").await.problem(422, "invalid_fields");
    assert!(none.text_at("/errors/0/message").starts_with("line 1: "));
    let state = admin.get(&cef_path).await.expect(200);
    assert_eq!(
        (&state.body["taken"], &state.body["refused"]),
        (&json!(1), &json!(2))
    );

    // Closed here, closed at the sender.
    let path = format!("{ALERTS}/{}", kept["id"].as_str().unwrap());
    let verdict = json!({ "verdict": "false_positive", "comments": "a \"drill\"" });
    let closed = admin
        .post(&format!("{path}/close"), verdict)
        .await
        .expect(200);
    assert_eq!(closed.text_at("/status"), "closed");
    until("the call of the sender", PATIENCE, async || {
        let now = admin.get(&path).await.expect(200);
        now.body["callback"]["done_at"].is_string().then_some(())
    })
    .await;
    let call = bodies(&called);
    assert_eq!(call.len(), 1);
    assert_eq!(call[0]["signal_ids"], json!(["3f1c"]));
    assert_eq!(call[0]["reason"], "a \"drill\" (false_positive)");
    let header = called.lock().unwrap()[0].0["authorization"].clone();
    assert_eq!(header, "ApiKey k");
    let judged = admin.get(&elastic_path).await.expect(200);
    assert_eq!(judged.body["false_positives"], 1);

    // Closed at the sender, closed here.
    let mut over: Value = serde_json::from_str(SPLUNK).unwrap();
    over["result"]["status"] = json!("5");
    let taken = push(&splunk, &over.to_string()).await.expect(200);
    assert_eq!(taken.body["closed"], 1);
    let splunk_id = splunk_path.rsplit('/').next().unwrap();
    let theirs = admin
        .get(&format!("{ALERTS}?source={splunk_id}&status=closed"))
        .await
        .expect(200);
    assert_eq!(theirs.items().len(), 1);
    assert!(theirs.items()[0].get("closed_by").is_none());

    // A finding keeps its identifier up to its end.
    let one = format!("intelligence/anomalies/{id}");
    let _ = admin
        .post(&format!("{one}/acknowledge"), json!({}))
        .await
        .expect(200);
    let updated = finding(&received, id, 200_402).await;
    assert_eq!(updated["status"], "In Progress");
    let _ = admin
        .post(&format!("{one}/feedback"), json!({ "kind": "false" }))
        .await
        .expect(200);
    let ended = finding(&received, id, 200_403).await;
    assert_eq!(ended["status"], "Suppressed");

    // A rotated token opens nothing any more.
    let rotated = admin
        .post(&format!("{elastic_path}/rotate-token"), json!({}))
        .await
        .expect(200);
    let _ = push(&elastic, ELASTIC).await.expect(401);
    let next = service.nobody().with_token(&rotated.text_at("/token"));
    let _ = push(&next, ELASTIC).await.expect(200);

    let log = admin
        .post(
            "audit-logs/search",
            json!({ "query": "event_type:intelligence.inbound_alert action.status:success", "limit": 50 }),
        )
        .await
        .expect(200);
    let operations: Vec<&str> = log
        .items()
        .iter()
        .filter_map(|item| item["action"]["operation"].as_str())
        .collect();
    for operation in ["receive", "close", "close_at_sender", "close_by_sender"] {
        let name = format!("inbound_alert.{operation}");
        assert!(
            operations.contains(&name.as_str()),
            "{name}: {operations:?}"
        );
    }
}

/// Server with a list that can be switched off.
async fn feed() -> (String, std::sync::Arc<std::sync::atomic::AtomicBool>) {
    use std::sync::atomic::{AtomicBool, Ordering};

    let works = std::sync::Arc::new(AtomicBool::new(true));
    let answer = async |State(works): State<std::sync::Arc<AtomicBool>>| {
        if works.load(Ordering::Relaxed) {
            Ok("203.0.113.7,Scanner,2026-05-03\n")
        } else {
            Err(StatusCode::SERVICE_UNAVAILABLE)
        }
    };
    let router = Router::new()
        .route("/list", get(answer))
        .with_state(works.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/list", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, works)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn threat_lists_are_read_from_addresses_and_are_stix_bundles() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let lists = "intelligence/threat-lists";

    let (url, works) = feed().await;
    let feed = json!({ "url": url, "format": "text", "every_hours": 6 });
    let put = admin
        .put(&format!("{lists}/scanners/feed"), feed)
        .await
        .expect(200);
    assert!(put.body.get("error").is_none(), "{}", put.text);
    works.store(false, std::sync::atomic::Ordering::Relaxed);
    let failed = admin
        .post(&format!("{lists}/scanners/feed/refresh"), json!({}))
        .await
        .expect(200);
    assert!(failed.text_at("/error").contains("503"));
    let kept = admin.get(&format!("{lists}/scanners")).await.expect(200);
    assert_eq!(kept.body["indicator_count"], 1);
    assert!(kept.text_at("/feed/error").contains("503"));

    let bundle = admin
        .get(&format!("{lists}/scanners/stix"))
        .await
        .expect(200);
    let mut bundle = bundle.body;
    let objects = bundle["objects"].as_array_mut().unwrap();
    assert_eq!(objects[0]["pattern"], "[ipv4-addr:value = '203.0.113.7']");
    let mut domain = objects[0].clone();
    domain["pattern"] = json!("[domain-name:value = 'evil.example']");
    objects.push(domain);
    let imported = admin
        .put(&format!("{lists}/copy/stix"), bundle)
        .await
        .expect(200);
    assert_eq!(
        (
            &imported.body["indicator_count"],
            &imported.body["not_used_count"]
        ),
        (&json!(1), &json!(1))
    );
    let copy = admin.get(&format!("{lists}/copy")).await.expect(200);
    assert_eq!(
        copy.text_at("/indicators"),
        "203.0.113.7,Scanner,2026-05-03"
    );
}
