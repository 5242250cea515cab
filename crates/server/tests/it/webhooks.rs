//! Tests of webhooks: a recommendation on a real peer's machine arrives once and signed, over a
//! restart; secrets stay out of the log; private addresses are refused unless the configuration
//! allows them.

mod intelligence;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use jiff::Timestamp;
use reeve_testkit::http::until;
use reeve_testkit::moto::Moto;
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

const PATIENCE: Duration = Duration::from_secs(90);
const ALLOWED: [(&str, &str); 1] = [EMULATORS];

pub(crate) type Received = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// A receiver at `/hook`, and what it was sent. Anything else it says is gone.
pub(crate) async fn receiver() -> (String, Received) {
    async fn take(State(received): State<Received>, headers: HeaderMap, body: Bytes) {
        received.lock().unwrap().push((headers, body));
    }

    async fn gone() -> StatusCode {
        StatusCode::GONE
    }

    let received = Received::default();
    let router = Router::new()
        .route("/hook", post(take))
        .fallback(gone)
        .with_state(received.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (url, received)
}

/// The messages of a type, each verified.
pub(crate) fn verified(received: &Received, secret: &str, kind: &str) -> Vec<Value> {
    let receiver = Webhook::new(secret).unwrap();
    let received = received.lock().unwrap();
    let bodies = received.iter().map(|(headers, body)| {
        receiver.verify(body, headers).unwrap();
        serde_json::from_slice::<Value>(body).unwrap()
    });
    bodies.filter(|body| body["type"] == kind).collect()
}

#[tokio::test]
async fn invalid_fields_and_private_addresses_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let fine = json!({ "event": "action_completed", "url": "https://hooks.example/reeve", "filter": "impact=medium" });
    let cases = [
        ("event", json!("recommendation_made")),
        ("url", json!("http://hooks.example/reeve")),
        ("url", json!("https://127.0.0.1/reeve")),
        ("url", json!("https://[::ffff:169.254.169.254]/latest")),
        ("url", json!("https://user:password@hooks.example/")),
        ("filter", json!("impact=enormous")),
        ("filter", json!("region=eu")),
        ("name", json!("x".repeat(101))),
    ];

    for (field, value) in cases {
        let mut body = fine.clone();
        body[field] = value.clone();
        let refused = admin
            .post("intelligence/webhooks", body)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field, "{value}");
    }

    let made = admin.post("intelligence/webhooks", fine).await.expect(201);
    let path = format!("intelligence/webhooks/{}", made.text_at("/id"));
    let read = admin.get(&path).await.expect(200);
    assert!(read.body.get("secret").is_none(), "shown once");

    let _ = admin
        .patch(&path, json!({ "event": "anomaly_detected" }))
        .await
        .problem(422, "invalid_fields");
    let changed = admin
        .patch(
            &path,
            json!({ "filter": "", "enabled": false, "version": 1 }),
        )
        .await
        .expect(200);

    assert_eq!(
        (&changed.body["filter"], &changed.body["version"]),
        (&json!(""), &json!(2))
    );

    let _ = admin
        .patch(&path, json!({ "enabled": true, "version": 1 }))
        .await
        .problem(409, "conflict");
    let log = admin
        .post(
            "audit-logs/search",
            json!({ "query": "event_type:policy.modify webhook action.status:success" }),
        )
        .await
        .expect(200);
    assert_eq!(log.body["total"], 2, "made and changed: {}", log.text);

    let whole = admin
        .post(
            "audit-logs/search",
            json!({ "query": "whsec_*", "limit": 1 }),
        )
        .await
        .expect(200);
    assert_eq!(whole.body["total"], 0, "no secret in the log");

    let _ = admin.delete(&path).await.expect(204);
    let _ = admin.get(&path).await.problem(404, "not_found");
}

/// Fourteen days at two percent.
fn quiet() -> Vec<(Timestamp, f64)> {
    let now = Timestamp::now().as_second() / 300 * 300;
    (1..=14 * 288_i64)
        .rev()
        .map(|n| {
            (
                Timestamp::from_second(now - n * 300).unwrap(),
                2.0 + (n % 12) as f64 / 10.0,
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recommendation_arrives_once_over_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &ALLOWED).unwrap();
    let admin = service.admin();
    let (url, received) = receiver().await;
    let body = json!({ "event": "recommendation_ready", "url": url, "filter": "type=cost" });
    let made = admin.post("intelligence/webhooks", body).await.expect(201);
    let (id, secret) = (made.text_at("/id"), made.text_at("/secret"));
    let path = format!("intelligence/webhooks/{id}");
    let tested = admin
        .post(&format!("{path}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(
        (
            &tested.body["status"],
            &tested.body["attempts"][0]["status"]
        ),
        (&json!("delivered"), &json!(200))
    );

    assert_eq!(verified(&received, &secret, "test").len(), 1);

    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines("us-east-1", "m5.2xlarge", 1, &[("Name", "reports")])
        .await
        .unwrap()
        .remove(0);
    let dimensions = [("InstanceId", machine.as_str())];
    let cpu = Metric {
        namespace: "AWS/EC2",
        name: "CPUUtilization",
        unit: "Percent",
        dimensions: &dimensions,
    };
    moto.metric("us-east-1", cpu, &quiet()).await.unwrap();

    let connection = json!({
        "name": "acme", "provider": "aws", "endpoint": moto.endpoint(),
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });
    let connection = admin
        .post("connections", connection)
        .await
        .expect(201)
        .text_at("/id");

    until("the first sync", PATIENCE, || async {
        let now = admin
            .get(&format!("connections/{connection}"))
            .await
            .expect(200)
            .body;
        (now["status"] == "ready").then_some(())
    })
    .await;

    let agent = json!({ "agent_type": "cost_optimizer", "name": "Optimizer" });
    let _ = admin.post("intelligence/agents", agent).await.expect(201);
    let delivered = until("the recommendation", PATIENCE, || async {
        verified(&received, &secret, "recommendation_ready")
            .into_iter()
            .next()
    })
    .await;

    let found = admin
        .get("intelligence/recommendations")
        .await
        .expect(200)
        .body["items"][0]
        .clone();
    assert_eq!(delivered["data"]["id"], found["id"]);

    assert_eq!(
        delivered["data"]["explanation"], found["explanation"],
        "the record as the interface gives it"
    );

    service.stop().unwrap();
    let service = Service::serve(home.path(), &ALLOWED).unwrap();
    let admin = service.admin();

    // A test after the restart goes the same way and comes last, so whatever was doubled would be
    // there before it.
    let _ = admin
        .post(&format!("{path}/test"), json!({}))
        .await
        .expect(200);
    let log = until("the log of deliveries", PATIENCE, || async {
        let log = admin
            .get(&format!("{path}/deliveries"))
            .await
            .expect(200)
            .body;
        (log["total"] == 3).then_some(log)
    })
    .await;

    assert!(
        log["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["status"] == "delivered"),
        "{log}"
    );

    assert_eq!(
        verified(&received, &secret, "recommendation_ready").len(),
        1,
        "told once"
    );

    let delivery = log["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["event"] == "recommendation_ready")
        .unwrap();

    let replay = format!(
        "{path}/deliveries/{}/replay",
        delivery["id"].as_str().unwrap()
    );
    let _ = admin.post(&replay, json!({})).await.expect(202);
    until("the replay", PATIENCE, || async {
        (verified(&received, &secret, "recommendation_ready").len() == 2).then_some(())
    })
    .await;
    let ids: Vec<_> = received
        .lock()
        .unwrap()
        .iter()
        .map(|(headers, _)| headers["webhook-id"].clone())
        .collect();

    assert_eq!(
        ids.iter()
            .filter(|id| id.to_str().unwrap() == delivery["id"].as_str().unwrap())
            .count(),
        2
    );
}
