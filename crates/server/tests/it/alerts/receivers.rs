//! A firing reaches all five kinds of receiver: a real mail server over TLS, and receivers of the
//! other four over HTTP.

use std::sync::Arc;
use std::sync::Mutex;

use axum::Router;
use axum::extract::{Json, State};
use axum::http::StatusCode;
use axum::routing::post;
use reeve_testkit::http::until;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use crate::mail::MailServer;

use super::{PATH, PATIENCE, Received, fail, firings, receiver, rule};

/// PagerDuty's events come to an address that can be configured, and are taken with 202.
async fn pager() -> (String, Received) {
    async fn take(State(received): State<Received>, Json(body): Json<Value>) -> StatusCode {
        received.lock().unwrap().push(body);
        StatusCode::ACCEPTED
    }

    let received: Received = Arc::new(Mutex::default());
    let router = Router::new()
        .route("/v2/enqueue", post(take))
        .with_state(received.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v2/enqueue", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (url, received)
}

async fn first(received: &Received) -> Value {
    until("the message", PATIENCE, || async {
        received.lock().unwrap().first().cloned()
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_firing_reaches_every_kind_of_channel_and_the_rules_own_recipients() {
    let mut mail = MailServer::start().await;
    let home = tempfile::tempdir().unwrap();
    let outbound = mail.outbound(home.path());
    let service = Service::serve(
        &home.path().join("data"),
        &[("REEVE_OUTBOUND", outbound.as_str())],
    )
    .unwrap();
    let admin = service.admin();
    let ((slack_url, slack), (teams_url, teams)) = (receiver().await, receiver().await);
    let ((pager_url, pager), (hook_url, hook)) = (pager().await, receiver().await);
    let channels = [
        mail.channel("Mail", "hunter2"),
        json!({ "name": "Slack", "type": "slack", "secret": slack_url }),
        json!({ "name": "Teams", "type": "teams", "secret": teams_url }),
        json!({ "name": "Pager", "type": "pagerduty", "secret": "0123456789abcdef0123456789abcdef", "settings": { "url": pager_url } }),
    ];

    for channel in channels {
        let _ = admin
            .post("intelligence/notification-channels", channel)
            .await
            .expect(201);
    }

    let _ = admin
        .post(
            "intelligence/webhooks",
            json!({ "event": "alert_fired", "url": hook_url }),
        )
        .await
        .expect(201);

    let mut all = rule();
    all["notification"]["channels"] = json!(["email", "slack", "teams", "pagerduty", "webhook"]);
    all["runbook"] = json!("https://runbooks.acme.example/logins");
    all["attack"] = json!(["TA0006", "T1110.001"]);
    let id = admin.post(PATH, all).await.expect(201).text_at("/id");
    fail(&admin, "ann@acme.example", 5).await;
    let firing = firings(&admin, &id, 1, 5).await.remove(0);

    let mail = mail.mail().await;
    assert_eq!(
        mail["to"],
        json!(["security@acme.example"]),
        "the rule's recipients in place of the channel's"
    );

    assert!(
        mail["text"]
            .as_str()
            .unwrap()
            .contains("Multiple failed logins"),
        "{mail}"
    );

    for (name, received) in [("slack", &slack), ("teams", &teams)] {
        let text = first(received).await.to_string();
        assert!(
            text.contains("Multiple failed logins") && text.contains("ann@acme.example"),
            "{name}: {text}"
        );
    }

    // Instructions and samples: whoever is woken sees what happened, and where to look.
    let texts = [
        mail["text"].to_string(),
        first(&slack).await.to_string(),
        first(&teams).await.to_string(),
    ];

    for text in texts.iter().chain([
        &first(&pager).await.to_string(),
        &first(&hook).await.to_string(),
    ]) {
        for part in [
            "https://runbooks.acme.example/logins",
            "T1110.001",
            "login: failed",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    let samples = first(&hook).await["data"]["samples"].clone();
    assert_eq!(
        samples.as_array().map(Vec::len),
        Some(3),
        "a few of five: {samples}"
    );
    assert_eq!(samples[0]["event_id"], firing["entries"][0]["event_id"]);
    assert_eq!(samples[0]["facts"]["User"], "ann@acme.example");

    let page = first(&pager).await;
    assert_eq!(
        page["dedup_key"],
        format!("alert_fired:{}", firing["id"].as_str().unwrap())
    );
    assert_eq!(first(&hook).await["data"]["id"], firing["id"]);

    let deliveries: Vec<usize> = [&slack, &teams, &pager, &hook]
        .map(|received| received.lock().unwrap().len())
        .into();
    assert_eq!(deliveries, [1, 1, 1, 1], "each once");
    assert!(service.stop().unwrap().0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recipients_without_a_channel_are_reached_through_e_mail_or_refused() {
    let mut mail = MailServer::start().await;
    let home = tempfile::tempdir().unwrap();
    let outbound = mail.outbound(home.path());
    let service = Service::serve(
        &home.path().join("data"),
        &[("REEVE_OUTBOUND", outbound.as_str())],
    )
    .unwrap();
    let admin = service.admin();
    let mut bare = rule();
    bare["notification"] = json!({ "recipients": ["security@acme.example"] });
    let refused = admin
        .post(PATH, bare.clone())
        .await
        .problem(422, "invalid_fields");
    assert_eq!(
        refused.text_at("/errors/0/field"),
        "notification.recipients"
    );

    let _ = admin
        .post(
            "intelligence/notification-channels",
            mail.channel("Mail", "hunter2"),
        )
        .await
        .expect(201);

    let id = admin.post(PATH, bare).await.expect(201).text_at("/id");
    let diagnosis = admin
        .get(&format!("{PATH}/{id}/diagnosis"))
        .await
        .expect(200);
    let channel = diagnosis.body["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["check"] == "channel")
        .unwrap();
    assert_eq!(channel["ok"], true, "{channel}");

    fail(&admin, "ann@acme.example", 5).await;
    let mail = mail.mail().await;
    assert_eq!(mail["to"], json!(["security@acme.example"]));
}
