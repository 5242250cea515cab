//! Tests of alerts over the built program: a burst of failures fires once, notifies a real
//! receiver, and survives a restart; every reason for not firing is named; invalid fields are
//! refused by name.

pub(crate) mod bounds;
mod demo;
mod kill;
mod receivers;
mod watching;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
const PATH: &str = "audit-logs/alerts";
const ALLOWED: [(&str, &str); 1] = [("REEVE_OUTBOUND", r#"{ allow = ["127.0.0.0/8"] }"#)];

type Received = Arc<Mutex<Vec<Value>>>;

async fn receiver() -> (String, Received) {
    async fn take(State(received): State<Received>, body: Bytes) {
        received
            .lock()
            .unwrap()
            .push(serde_json::from_slice(&body).unwrap());
    }

    let received = Received::default();
    let router = Router::new()
        .route("/hook", post(take))
        .with_state(received.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (url, received)
}

/// A rule with the values of requirements B-095 to B-102 and B-202.
fn rule() -> Value {
    json!({
        "name": "Multiple failed logins",
        "condition": "event_type:authentication.login AND status:failed",
        "threshold": { "count": 5, "window": "5m" },
        "group_by": "actor.email",
        "notification": { "channels": ["webhook"], "recipients": ["security@acme.example"] },
        "severity": "high",
    })
}

async fn fail(api: &Api, email: &str, times: usize) {
    let entry = json!({
        "event_type": "authentication.login",
        "actor": { "type": "user", "id": email, "email": email },
        "action": { "operation": "login", "status": "failed", "method": "api" },
    });
    let _ = api
        .post("audit-logs", Value::Array(vec![entry; times]))
        .await
        .expect(201);
}

/// Waits until a rule has so many firings that count so many entries together.
async fn firings(api: &Api, rule: &str, number: usize, entries: u64) -> Vec<Value> {
    until("the firings", PATIENCE, || async {
        let items = api
            .get(&format!("{PATH}/firings?rule_id={rule}"))
            .await
            .expect(200)
            .items()
            .to_vec();
        let counted: u64 = items
            .iter()
            .map(|firing| firing["count"].as_u64().unwrap())
            .sum();
        (items.len() == number && counted == entries).then_some(items)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_fires_once_and_is_reported_over_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &ALLOWED).unwrap();
    let admin = service.admin();
    let (url, received) = receiver().await;
    let _ = admin
        .post(
            "intelligence/webhooks",
            json!({ "event": "alert_fired", "url": url }),
        )
        .await
        .expect(201);

    let made = admin.post(PATH, rule()).await.expect(201);
    for (field, value) in rule().as_object().unwrap() {
        assert_eq!(
            &made.body[field], value,
            "{field} is answered as it was sent"
        );
    }

    assert_eq!(made.body["state"], "enabled");

    let id = made.text_at("/id");
    // A rule that takes everything must not answer to itself.
    let all = json!({ "name": "Everything", "condition": "event_type:*", "threshold": { "count": 1, "window": "1s" } });
    let all = admin.post(PATH, all).await.expect(201).text_at("/id");

    fail(&admin, "ann@acme.example", 4).await;
    fail(&admin, "bob@acme.example", 4).await;
    service.stop().unwrap();
    let service = Service::serve(home.path(), &ALLOWED).unwrap();
    let admin = service.admin();
    fail(&admin, "ann@acme.example", 1).await;
    let firing = firings(&admin, &id, 1, 5).await.remove(0);
    assert_eq!(
        firing["group"],
        json!({ "actor.email": "ann@acme.example" })
    );
    assert_eq!(firing["entries"].as_array().unwrap().len(), 5);

    let first = firing["entries"][0]["event_id"].as_str().unwrap();
    let entry = admin.get(&format!("audit-logs/{first}")).await.expect(200);
    assert_eq!(
        entry.text_at("/actor/email"),
        "ann@acme.example",
        "the entries that caused it"
    );

    let firing_id = firing["id"].as_str().unwrap();
    let recorded = until("the entry of the firing", PATIENCE, || async {
        let answer = admin.get(&format!("audit-logs/reeve:{firing_id}")).await;
        (answer.status == 200).then_some(answer.body)
    })
    .await;
    assert_eq!(recorded["event_type"], "audit.alert.fire");
    assert_eq!(
        recorded["metadata"]["group"],
        json!({ "actor.email": "ann@acme.example" })
    );

    let delivered = until("the webhook", PATIENCE, || async {
        received.lock().unwrap().first().cloned()
    })
    .await;
    assert_eq!(
        (&delivered["type"], &delivered["data"]["id"]),
        (&json!("alert_fired"), &json!(firing_id))
    );

    fail(&admin, "ann@acme.example", 3).await;
    let grown = firings(&admin, &id, 1, 8).await.remove(0);
    assert_eq!(
        grown["id"], firing["id"],
        "the same attack joins its firing"
    );
    fail(&admin, "bob@acme.example", 1).await;
    firings(&admin, &id, 2, 13).await;
    until("the second message", PATIENCE, || async {
        (received.lock().unwrap().len() == 2).then_some(())
    })
    .await;

    let caused = admin
        .get(&format!("{PATH}/firings?rule_id={all}&limit=1000"))
        .await
        .expect(200);
    for firing in caused.items() {
        for entry in firing["entries"].as_array().unwrap() {
            let entry = admin
                .get(&format!(
                    "audit-logs/{}",
                    entry["event_id"].as_str().unwrap()
                ))
                .await
                .expect(200);
            assert_ne!(
                entry.body["event_type"], "audit.alert.fire",
                "a firing causes no firing"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn firings_are_handled_and_each_step_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, analyst) = admin
        .person("sec@acme.example", &["security_analyst"], &[])
        .await;
    let (_, operator) = admin.person("op@acme.example", &["operator"], &[]).await;
    let id = admin.post(PATH, rule()).await.expect(201).text_at("/id");
    fail(&admin, "ann@acme.example", 5).await;
    let firing = firings(&admin, &id, 1, 5).await.remove(0);
    let path = format!("{PATH}/firings/{}", firing["id"].as_str().unwrap());
    let _ = operator
        .post(&format!("{path}/acknowledge"), json!({ "version": 1 }))
        .await
        .problem(403, "forbidden");
    let _ = analyst
        .delete(&format!("{PATH}/{id}"))
        .await
        .problem(403, "forbidden");
    let seen = analyst
        .post(&format!("{path}/acknowledge"), json!({ "version": 1 }))
        .await
        .expect(200);
    assert_eq!(
        (&seen.body["status"], &seen.body["version"]),
        (&json!("acknowledged"), &json!(2))
    );

    let _ = admin
        .post(&format!("{path}/acknowledge"), json!({ "version": 1 }))
        .await
        .problem(409, "conflict");
    let wrong = admin
        .post(
            &format!("{path}/assign"),
            json!({ "assignee": "nobody@acme.example" }),
        )
        .await;

    assert_eq!(
        wrong
            .problem(422, "invalid_fields")
            .text_at("/errors/0/field"),
        "assignee"
    );

    let assigned = analyst
        .post(
            &format!("{path}/assign"),
            json!({ "assignee": "SEC@acme.example" }),
        )
        .await
        .expect(200);
    assert_eq!(assigned.body["assignee"], "sec@acme.example");

    let resolved = analyst
        .post(
            &format!("{path}/resolve"),
            json!({ "note": "A forgotten password" }),
        )
        .await
        .expect(200);

    assert_eq!(
        (&resolved.body["status"], &resolved.body["note"]),
        (&json!("resolved"), &json!("A forgotten password"))
    );

    let open = admin
        .get(&format!("{PATH}/firings?status=open&rule_id={id}"))
        .await
        .expect(200);
    assert_eq!(open.body["total"], 0);

    let log = admin
        .post(
            "audit-logs/search",
            json!({ "query": "event_type:audit.alert.handle status:success" }),
        )
        .await
        .expect(200);
    assert_eq!(log.body["total"], 3, "{}", log.text);

    let silent = admin
        .post(
            &format!("{PATH}/{id}/silence"),
            json!({ "until": "now+2h" }),
        )
        .await
        .expect(200);
    assert!(silent.body["silenced_until"].is_string());

    fail(&admin, "bob@acme.example", 5).await;
    let found = firings(&admin, &id, 2, 10).await;
    assert_eq!(found[0]["silenced"], true, "the latest first");

    let _ = admin
        .post(
            &format!("{PATH}/{id}/silence"),
            json!({ "until": "now-2h" }),
        )
        .await
        .problem(422, "invalid_fields");
    let _ = admin.delete(&format!("{PATH}/{id}")).await.expect(204);

    assert_eq!(
        admin
            .get(&format!("{PATH}/firings?rule_id={id}"))
            .await
            .expect(200)
            .body["total"],
        2,
        "firings stay"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_fields_are_refused_by_name() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    for (pointer, value, field) in [
        ("/name", json!(""), "name"),
        ("/condition", json!("stauts:failed"), "condition"),
        ("/threshold/count", json!(0), "threshold.count"),
        ("/threshold/window", json!("5 minutes"), "threshold.window"),
        (
            "/group_by",
            json!(["actor.email", "timestamp"]),
            "group_by[1]",
        ),
        (
            "/notification/recipients",
            json!(["not an address"]),
            "notification.recipients[0]",
        ),
        ("/severity", json!("grave"), "severity"),
    ] {
        let mut body = rule();
        *body.pointer_mut(pointer).unwrap() = value;
        let refused = admin.post(PATH, body).await.problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field);
    }

    let made = admin.post(PATH, rule()).await.expect(201);
    let one = format!("{PATH}/{}", made.text_at("/id"));
    let _ = admin.post(PATH, rule()).await.problem(409, "conflict");
    let changed = admin
        .patch(
            &one,
            json!({ "version": 1, "threshold": { "count": 3, "window": "90s" } }),
        )
        .await
        .expect(200);

    assert_eq!(
        changed.body["threshold"],
        json!({ "count": 3, "window": "90s" })
    );
    assert_eq!(
        changed.body["group_by"], "actor.email",
        "what is left out stays"
    );

    let _ = admin
        .patch(&one, json!({ "version": 1, "name": "Late" }))
        .await
        .problem(409, "conflict");
    let log = admin
        .post(
            "audit-logs/search",
            json!({ "query": "event_type:audit.alert.* status:success NOT actor.type:system" }),
        )
        .await
        .expect(200);

    assert_eq!(
        log.body["total"], 2,
        "created and modified; what was refused is no success: {}",
        log.text
    );
}

async fn failed_check(api: &Api, rule: &str) -> Vec<String> {
    let diagnosis = api
        .get(&format!("{PATH}/{rule}/diagnosis"))
        .await
        .expect(200);
    let checks = diagnosis.body["checks"].as_array().unwrap();
    let failed = checks.iter().filter(|check| check["ok"] == false);
    failed
        .map(|check| check["check"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_reason_for_not_firing_is_named() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &ALLOWED).unwrap();
    let admin = service.admin();
    let mut draft = rule();
    draft["state"] = json!("draft");
    let id = admin.post(PATH, draft).await.expect(201).text_at("/id");
    assert_eq!(
        failed_check(&admin, &id).await,
        ["state", "condition", "threshold", "channel"]
    );

    let _ = admin
        .post(&format!("{PATH}/{id}/enable"), json!({}))
        .await
        .expect(200);
    let (url, _received) = receiver().await;
    let _ = admin
        .post(
            "intelligence/webhooks",
            json!({ "event": "alert_fired", "url": url }),
        )
        .await
        .expect(201);

    assert_eq!(failed_check(&admin, &id).await, ["condition", "threshold"]);

    let tested = admin
        .post(&format!("{PATH}/{id}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(
        (
            &tested.body["ok"],
            tested.body["targets"].as_array().map(Vec::len)
        ),
        (&json!(true), Some(1))
    );

    fail(&admin, "ann@acme.example", 4).await;
    assert_eq!(failed_check(&admin, &id).await, ["threshold"]);
    fail(&admin, "ann@acme.example", 1).await;
    assert!(failed_check(&admin, &id).await.is_empty());

    let _ = admin
        .post(
            &format!("{PATH}/{id}/silence"),
            json!({ "until": "now+1h" }),
        )
        .await
        .expect(200);

    assert_eq!(failed_check(&admin, &id).await, ["silence"]);

    let _ = admin
        .post(&format!("{PATH}/{id}/silence"), json!({}))
        .await
        .expect(200);
    firings(&admin, &id, 1, 5).await;
    let old = json!({
        "event_type": "authentication.login", "timestamp": "2020-01-01T00:00:00Z",
        "actor": { "email": "ann@acme.example" }, "action": { "status": "failed" },
    });
    let _ = admin.post("audit-logs", old).await.expect(201);
    until("the late entry", PATIENCE, || async {
        (failed_check(&admin, &id).await == ["watermark"]).then_some(())
    })
    .await;
    let _ = admin
        .post(&format!("{PATH}/{id}/disable"), json!({}))
        .await
        .expect(200);
    assert_eq!(failed_check(&admin, &id).await, ["state", "watermark"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_preview_counts_and_needs_the_permission_to_configure_alerts() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, ann) = admin
        .person("ann@acme.example", &["regular_user"], &[])
        .await;
    fail(&admin, "ann@acme.example", 6).await;
    fail(&admin, "bob@acme.example", 5).await;
    let mut asked = rule();
    for field in ["name", "notification", "severity"] {
        asked.as_object_mut().unwrap().remove(field);
    }

    let seen = |answer: &Value| (answer["matched"].as_u64(), answer["fired"].as_u64());
    let whole = admin
        .post(&format!("{PATH}/preview"), asked.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(seen(&whole), (Some(11), Some(2)));

    let buckets = whole["buckets"].as_array().unwrap();
    assert_eq!(buckets.len(), 120);
    assert_eq!(
        buckets
            .iter()
            .map(|bucket| bucket["fired"].as_u64().unwrap())
            .sum::<u64>(),
        2
    );

    let _ = ann
        .post(&format!("{PATH}/preview"), asked.clone())
        .await
        .problem(403, "forbidden");
    asked["condition"] = json!("event_type:authentication.login AND timestamp:>now-1h");
    let relative = admin
        .post(&format!("{PATH}/preview"), asked)
        .await
        .expect(200)
        .body;
    assert_eq!(seen(&relative).1, Some(2));

    let _ = ann.get(PATH).await.problem(403, "forbidden");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ready_rules_are_enabled_by_one_call() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let listed = admin.get(&format!("{PATH}/ready")).await.expect(200);
    let classes: std::collections::BTreeSet<_> = listed
        .items()
        .iter()
        .map(|rule| rule["class"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(classes.len(), 5);
    // A new installation has the rules that watch Reeve itself.
    let expected = |rule: &Value| {
        let watches_reeve = rule["key"].as_str().unwrap().starts_with("reeve-");
        if watches_reeve { "enabled" } else { "draft" }
    };
    let mut rules = listed.items().iter();
    assert!(rules.all(|rule| rule["state"] == expected(rule)));

    let made = admin
        .post(&format!("{PATH}/ready/failed-sign-ins/enable"), json!({}))
        .await
        .expect(201);
    let id = made.text_at("/id");
    let _ = admin
        .post(&format!("{PATH}/{id}/disable"), json!({}))
        .await
        .expect(200);
    let again = admin
        .post(&format!("{PATH}/ready/failed-sign-ins/enable"), json!({}))
        .await
        .expect(200);
    assert_eq!(
        (again.text_at("/id"), &again.body["state"]),
        (id.clone(), &json!("enabled"))
    );
    fail(&admin, "ann@acme.example", 5).await;
    firings(&admin, &id, 1, 5).await;
    let _ = admin
        .post(&format!("{PATH}/ready/no-such/enable"), json!({}))
        .await
        .problem(404, "not_found");
}
