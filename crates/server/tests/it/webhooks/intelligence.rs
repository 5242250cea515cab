//! Anomalies and actions arrive outside: signed at a webhook that takes them, and at a channel,
//! each once.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{PATIENCE, Received, receiver, until, verified};
use crate::quarantine::Watched;
use reeve_testkit::service::EMULATORS;

/// Bodies that a channel's receiver got, as text.
fn texts(received: &Received) -> Vec<String> {
    received
        .lock()
        .unwrap()
        .iter()
        .map(|(_, body)| String::from_utf8_lossy(body).into_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_anomaly_and_the_actions_on_it_reach_webhooks_and_channels_once() {
    let watched = Watched::serve(&[EMULATORS]).await;
    let admin = watched.service.admin();
    let subscribe = async |event: &str, filter: &str| {
        let (url, received) = receiver().await;
        let body = json!({ "event": event, "url": url, "filter": filter });
        (
            admin
                .post("intelligence/webhooks", body)
                .await
                .expect(201)
                .text_at("/secret"),
            received,
        )
    };
    let (anomaly_secret, anomalies) = subscribe("anomaly_detected", "type=security").await;

    let (_, other_class) = subscribe("anomaly_detected", "type=cost").await;
    let (action_secret, actions) = subscribe("action_completed", "").await;
    let (all_url, all) = receiver().await;
    let (actions_url, actions_only) = receiver().await;
    let slack = |name: &str, url: &str, topics: Value| json!({ "name": name, "type": "slack", "secret": url, "topics": topics });

    for channel in [
        slack("All", &all_url, json!([])),
        slack("Actions", &actions_url, json!(["actions_taken"])),
    ] {
        let _ = admin
            .post("intelligence/notification-channels", channel)
            .await
            .expect(201);
    }

    watched.take_over().await;
    let action = watched.cut_off().await;
    watched.release(&action).await;
    let delivered = until("both ends of the action", PATIENCE, || async {
        let delivered = verified(&actions, &action_secret, "action_completed");
        (delivered.len() >= 2).then_some(delivered)
    })
    .await;

    let record = admin
        .get(&format!("intelligence/actions/{action}"))
        .await
        .expect(200)
        .body;

    for body in &delivered {
        assert_eq!(
            (&body["data"]["id"], &body["data"]["recommendation_id"]),
            (&record["id"], &record["recommendation_id"])
        );
    }

    let found = admin
        .get("intelligence/anomalies?type=security")
        .await
        .expect(200);
    let expected: BTreeSet<&str> = found
        .items()
        .iter()
        .filter_map(|one| one["id"].as_str())
        .collect();

    let bodies = until("the anomalies", PATIENCE, || async {
        let bodies = verified(&anomalies, &anomaly_secret, "anomaly_detected");
        (bodies.len() >= expected.len()).then_some(bodies)
    })
    .await;

    let ids: Vec<&str> = bodies
        .iter()
        .filter_map(|body| body["data"]["id"].as_str())
        .collect();
    assert_eq!(
        (ids.len(), ids.iter().copied().collect::<BTreeSet<_>>()),
        (expected.len(), expected),
        "each once"
    );

    assert!(
        bodies.iter().all(|body| body["data"]["type"] == "security"),
        "{bodies:?}"
    );
    assert!(other_class.lock().unwrap().is_empty(), "the filter decides");

    until("the messages of the channels", PATIENCE, || async {
        let (everything, of_actions) = (texts(&all), texts(&actions_only));
        let is_there = |texts: &[String], word: &str| texts.iter().any(|text| text.contains(word));
        let anomalies = everything
            .iter()
            .filter(|text| text.contains("Anomaly: "))
            .count()
            == ids.len();
        let ends = ["Change applied: ", "Change rolled back: "]
            .iter()
            .all(|word| is_there(&everything, word) && is_there(&of_actions, word));
        (anomalies && ends).then_some(())
    })
    .await;

    assert_eq!(texts(&actions_only).len(), 2, "{:?}", texts(&actions_only));
    // No public address is known: each message says where to look. Slack escapes the sign between
    // two labels.
    for text in texts(&all) {
        let label = if text.contains("Anomaly: ") {
            "Anomalies"
        } else {
            "Recommendations"
        };
        assert!(
            text.contains(&format!(
                "In Reeve: Intelligence Automation &gt; {label} &gt; "
            )),
            "{text}"
        );
    }
}
