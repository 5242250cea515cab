//! Opsgenie, against a fake that checks requests by the reference of the Alert API.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use reeve_connect_notify::People;
use reeve_connect_outbound::OutboundPolicy;
use reeve_notify::delivery::DeliveryAttempt;
use reeve_notify::notification::{ChannelKind, ChannelSecret, Notifier as _};
use serde_json::{Value, json};

use crate::{channel, local, message, settings, text_of};

const KEY: &str = "eb243592-faa2-4ba2-a551-1afdf565c889";

/// Checks a request to create an alert; the answer is the status that Opsgenie gives.
fn create_alert(headers: &HeaderMap, alert: &Value) -> Result<(), (StatusCode, String)> {
    let key = headers
        .get("authorization")
        .and_then(|key| key.to_str().ok());
    if key != Some(&format!("GenieKey {KEY}")) {
        let reason = "Could not authenticate";
        return Err((StatusCode::UNAUTHORIZED, reason.to_owned()));
    }

    let check = || -> Result<(), String> {
        const MEMBERS: [&str; 6] = [
            "message",
            "alias",
            "description",
            "details",
            "source",
            "priority",
        ];
        let object = alert.as_object().ok_or("no object")?;
        if let Some(name) = object.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            return Err(format!("unknown member {name}"));
        }

        let title = text_of(&alert["message"], 130)?;
        if title.contains(['\r', '\n']) {
            return Err("line end in message".to_owned());
        }
        text_of(&alert["alias"], 512)?;
        let description = text_of(&alert["description"], 15_000)?;
        if !description.contains(crate::PAGES) {
            return Err("no link to the page".to_owned());
        }

        let mut size = 0;
        for (name, value) in alert["details"].as_object().ok_or("details is no map")? {
            let value = value.as_str().ok_or("details must be texts")?;
            size += name.chars().count() + value.chars().count();
        }
        if size > 8000 {
            return Err(format!("{size} characters of details"));
        }

        text_of(&alert["source"], 100)?;
        match alert["priority"].as_str() {
            Some("P1" | "P2" | "P3" | "P4" | "P5") => Ok(()),
            other => Err(format!("priority {other:?}")),
        }
    };

    check().map_err(|reason| (StatusCode::UNPROCESSABLE_ENTITY, reason))
}

/// Starts the service. An alert with the alias of an open one counts up that one.
async fn serve() -> (String, Arc<Mutex<Vec<Value>>>) {
    type Alerts = Arc<Mutex<Vec<Value>>>;
    async fn handle(
        State(alerts): State<Alerts>,
        headers: HeaderMap,
        Json(mut alert): Json<Value>,
    ) -> (StatusCode, String) {
        if let Err(refusal) = create_alert(&headers, &alert) {
            return refusal;
        }

        let mut alerts = alerts.lock().unwrap();
        match alerts
            .iter_mut()
            .find(|open| open["alias"] == alert["alias"])
        {
            Some(open) => open["count"] = json!(open["count"].as_u64().unwrap() + 1),
            None => {
                alert["count"] = json!(1);
                alerts.push(alert);
            }
        }
        let answer =
            json!({ "result": "Request will be processed", "took": 0.1, "requestId": "1" });
        (StatusCode::ACCEPTED, answer.to_string())
    }

    let alerts = Alerts::default();
    let router = Router::new()
        .route("/v2/alerts", post(handle))
        .with_state(alerts.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v2/alerts", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (url, alerts)
}

async fn send(url: &str, key: &str, items: usize) -> DeliveryAttempt {
    let settings = settings(ChannelKind::Opsgenie, &json!({ "url": url }));
    local()
        .send(
            &channel(settings),
            &ChannelSecret(key.into()),
            &message(items),
        )
        .await
}

#[tokio::test]
async fn an_alert_is_created_once_for_the_same_subject() {
    let (url, alerts) = serve().await;
    for items in [1, 3, 120] {
        let sent = send(&url, KEY, items).await;
        assert!(sent.ok, "{items}: {sent:?}");
    }

    let alerts = alerts.lock().unwrap();
    let seen: Vec<_> = alerts
        .iter()
        .map(|alert| (&alert["alias"], &alert["priority"], &alert["count"]))
        .collect();
    assert_eq!(
        seen,
        [(&json!("daily_digest:a-1"), &json!("P2"), &json!(3))]
    );
}

#[tokio::test]
async fn a_revoked_key_is_not_tried_again() {
    let (url, alerts) = serve().await;
    let refused = send(&url, "00000000-0000-0000-0000-000000000000", 1).await;
    assert!(
        (refused.ok, refused.gone, refused.status) == (false, true, Some(401)),
        "{refused:?}"
    );
    assert!(alerts.lock().unwrap().is_empty());

    // Opsgenie answers 202 and nothing else; a proxy that says 200 has taken nothing.
    let (url, _) = crate::serve(|_| Ok(StatusCode::OK)).await;
    let odd = send(&url, KEY, 1).await;
    assert!(!odd.ok && !odd.gone, "{odd:?}");
}

#[test]
fn the_address_is_of_a_region_and_the_key_is_an_api_key() {
    let people = People::new(OutboundPolicy::default());
    let check = |given: Value, key: &str| {
        let settings = settings(ChannelKind::Opsgenie, &given);
        people.check(&settings, &ChannelSecret(key.into()))
    };

    let us = settings(ChannelKind::Opsgenie, &json!({}));
    assert_eq!(us.text("url"), "https://api.opsgenie.com/v2/alerts");
    assert_eq!(check(json!({}), KEY), Ok(()));
    let eu = json!({ "url": "https://api.eu.opsgenie.com/v2/alerts" });
    assert_eq!(check(eu, KEY), Ok(()));

    for wrong in ["", "eb243592", "eb243592-faa2-4ba2-a551-1afdf565c88!"] {
        let fault = check(json!({}), wrong).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "secret: must be the API key of 36 letters, digits and dashes"
        );
    }
    let inside = json!({ "url": "https://10.0.0.1/v2/alerts" });
    assert_eq!(check(inside, KEY).unwrap_err().field, "settings.url");
}
