//! The channel types against strict fakes that refuse what the documented services refuse, and a
//! mail server that offers no TLS.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod google_chat;
mod mail;
mod opsgenie;

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use jiff::Timestamp;
use reeve_connect_notify::People;
use reeve_connect_outbound::OutboundPolicy;
use reeve_notify::notification::{
    Channel, ChannelId, ChannelKind, ChannelSecret, ChannelSettings, Gravity, Item, Message,
    Notifier as _,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

const PAGES: &str = "https://reeve.acme.example/intelligence/recommendations/i-";
const KEY: &str = "0123456789abcdef0123456789abcdef";

fn local() -> People {
    People::new(OutboundPolicy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        plain_http: false,
        ..OutboundPolicy::default()
    })
}

pub(crate) fn settings(kind: ChannelKind, given: &Value) -> ChannelSettings {
    ChannelSettings::parse(kind, given.as_object().unwrap()).unwrap()
}

pub(crate) fn channel(settings: ChannelSettings) -> Channel {
    Channel {
        id: ChannelId("c-1".into()),
        name: "ops".into(),
        settings,
        topics: Vec::new(),
        enabled: true,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        version: 1,
    }
}

/// A digest with so many items, with what a service could read as its own.
pub(crate) fn message(items: usize) -> Message {
    let item = |n| Item {
        title: format!("Resize <!channel> & i-{n} {}", "x".repeat(500)),
        facts: (0..10)
            .map(|f| (format!("fact {f}"), "<https://evil.example|a> ".repeat(30)))
            .collect(),
        link: Some(format!(
            "https://reeve.acme.example/intelligence/recommendations/i-{n}"
        )),
    };
    Message {
        title: format!(
            "Daily: {items}\r\nBcc: all@acme.example {}",
            "y".repeat(2000)
        ),
        gravity: Gravity::Error,
        items: (0..items).map(item).collect(),
        about: "daily_digest:a-1".into(),
        to: Vec::new(),
        attachment: None,
    }
}

type Bodies = Arc<Mutex<Vec<Value>>>;

async fn serve(take: fn(&Value) -> Result<StatusCode, String>) -> (String, Bodies) {
    type Shared = (Bodies, fn(&Value) -> Result<StatusCode, String>);
    async fn handle(
        State((bodies, take)): State<Shared>,
        Json(body): Json<Value>,
    ) -> (StatusCode, String) {
        match take(&body) {
            Ok(status) => {
                bodies.lock().unwrap().push(body);
                (status, "ok".into())
            }
            Err(reason) => (StatusCode::BAD_REQUEST, reason),
        }
    }

    let bodies = Bodies::default();
    let router = Router::new()
        .route("/in", post(handle))
        .with_state((bodies.clone(), take));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (url, bodies)
}

fn text_of(value: &Value, most: usize) -> Result<&str, String> {
    let text = value
        .as_str()
        .ok_or_else(|| format!("{value} is no text"))?;
    let length = text.chars().count();

    if length == 0 || length > most {
        Err(format!("{length} characters, at most {most}"))
    } else {
        Ok(text)
    }
}

/// Checks a message by Slack's reference of blocks; a mention or a link from data is a defect.
fn slack(body: &Value) -> Result<StatusCode, String> {
    text_of(&body["text"], 40_000)?;
    let blocks = body["blocks"].as_array().ok_or("invalid_blocks")?;
    if blocks.is_empty() || blocks.len() > 50 {
        return Err(format!("{} blocks", blocks.len()));
    }

    for block in blocks {
        let text = &block["text"];
        match (block["type"].as_str(), text["type"].as_str()) {
            (Some("header"), Some("plain_text")) => text_of(&text["text"], 150)?,
            (Some("section"), Some("mrkdwn")) => text_of(&text["text"], 3000)?,
            other => return Err(format!("invalid_blocks: {other:?}")),
        };
    }

    let text = body.to_string();
    let links = text
        .matches("<https://reeve.acme.example/intelligence/recommendations/i-")
        .count();
    if text.contains("<!")
        || text.matches("<http").count() != links
        || text.matches("|Open in Reeve>").count() != links
    {
        return Err("a mention or a link that nobody meant".into());
    }

    if links == 0 {
        return Err("no link to the page".into());
    }

    Ok(StatusCode::OK)
}

/// Checks a message with an Adaptive Card as Teams does: 28 KB at most.
fn teams(body: &Value) -> Result<StatusCode, String> {
    if body.to_string().len() > 28 * 1024 {
        return Err(format!("{} bytes", body.to_string().len()));
    }

    let card = &body["attachments"][0];
    if body["type"] != "message" || card["contentType"] != "application/vnd.microsoft.card.adaptive"
    {
        return Err("not a message with a card".into());
    }

    let card = &card["content"];
    if card["type"] != "AdaptiveCard" || card["version"] != "1.4" {
        return Err("not a card of version 1.4".into());
    }

    for block in card["body"].as_array().ok_or("no body")? {
        match block["type"].as_str() {
            Some("TextBlock") => text_of(&block["text"], 1000).map(|_| ())?,
            Some("Container") if block["items"].is_array() => {
                let action = &block["items"][2]["actions"][0];
                text_of(&action["title"], 100)?;
                if action["type"] != "Action.OpenUrl"
                    || !text_of(&action["url"], 500)?.starts_with(PAGES)
                {
                    return Err(format!("no link to the page: {action}"));
                }
            }
            other => return Err(format!("{other:?}")),
        }
    }

    Ok(StatusCode::ACCEPTED)
}

/// Checks an event by the schema of the Events API v2.
fn pagerduty(body: &Value) -> Result<StatusCode, String> {
    if text_of(&body["routing_key"], 32)? != KEY || body["event_action"] != "trigger" {
        return Err("invalid event: routing_key, event_action".into());
    }

    text_of(&body["dedup_key"], 255)?;
    text_of(&body["payload"]["summary"], 1024)?;
    text_of(&body["payload"]["source"], 255)?;
    let severity = text_of(&body["payload"]["severity"], 20)?;
    if !["critical", "error", "warning", "info"].contains(&severity) {
        return Err(format!("invalid event: severity {severity}"));
    }

    for link in body["links"].as_array().ok_or("invalid event: links")? {
        text_of(&link["text"], 255)?;
        if !text_of(&link["href"], 500)?.starts_with(PAGES) {
            return Err(format!("no link to the page: {link}"));
        }
    }

    if body["links"][0].is_null() {
        return Err("no link to the page".into());
    }
    if !body["payload"]["custom_details"].is_object() || body.to_string().len() > 512 * 1024 {
        return Err("invalid event: custom_details, or more than 512 KB".into());
    }

    Ok(StatusCode::ACCEPTED)
}

#[tokio::test]
async fn each_service_takes_one_item_and_many() {
    let people = local();
    for items in [1, 3, 120] {
        let (url, taken) = serve(slack).await;
        let sent = people
            .send(
                &channel(settings(ChannelKind::Slack, &json!({}))),
                &ChannelSecret(url),
                &message(items),
            )
            .await;
        assert!(sent.ok, "slack: {sent:?}");
        assert_eq!(taken.lock().unwrap().len(), 1);
        let (url, taken) = serve(teams).await;
        let sent = people
            .send(
                &channel(settings(ChannelKind::Teams, &json!({}))),
                &ChannelSecret(url),
                &message(items),
            )
            .await;
        assert!(sent.ok, "teams: {sent:?}");
        assert_eq!(taken.lock().unwrap().len(), 1);
        let (url, taken) = serve(pagerduty).await;
        let settings = settings(ChannelKind::Pagerduty, &json!({ "url": url }));
        let sent = people
            .send(
                &channel(settings),
                &ChannelSecret(KEY.into()),
                &message(items),
            )
            .await;
        assert!(sent.ok, "pagerduty: {sent:?}");
        let event = taken.lock().unwrap().pop().unwrap();
        assert_eq!(
            (&event["dedup_key"], &event["payload"]["severity"]),
            (&json!("daily_digest:a-1"), &json!("error"))
        );
    }
}

#[tokio::test]
async fn permanent_refusals_are_not_retried() {
    let people = local();
    let (url, _) = serve(|_| Err("no_service".into())).await;
    let refused = people
        .send(
            &channel(settings(ChannelKind::Slack, &json!({}))),
            &ChannelSecret(url),
            &message(1),
        )
        .await;

    assert!(
        (refused.ok, refused.gone, refused.status) == (false, true, Some(400)),
        "{refused:?}"
    );

    let (url, _) = serve(|_| Ok(StatusCode::TOO_MANY_REQUESTS)).await;
    let busy = people
        .send(
            &channel(settings(ChannelKind::Slack, &json!({}))),
            &ChannelSecret(url.clone()),
            &message(1),
        )
        .await;

    assert!(
        (busy.ok, busy.gone, busy.status) == (false, false, Some(429)),
        "{busy:?}"
    );

    // PagerDuty says 202 and nothing else.
    let (url, _) = serve(|_| Ok(StatusCode::OK)).await;
    let odd = people
        .send(
            &channel(settings(ChannelKind::Pagerduty, &json!({ "url": url }))),
            &ChannelSecret(KEY.into()),
            &message(1),
        )
        .await;
    assert!(!odd.ok && !odd.gone, "{odd:?}");

    let strict = People::new(OutboundPolicy::default());
    let inside = strict
        .send(
            &channel(settings(ChannelKind::Teams, &json!({}))),
            &ChannelSecret("https://127.0.0.1/x".into()),
            &message(1),
        )
        .await;

    assert!(
        inside
            .error
            .as_deref()
            .is_some_and(|error| error.contains("not a public address")),
        "{inside:?}"
    );

    assert!(
        !inside.error.unwrap().contains("/x"),
        "the address is a secret"
    );
}

pub(crate) fn email(host: &str, port: u16) -> Value {
    json!({
        "host": host,
        "port": port,
        "username": "reeve",
        "from": "Reeve <reeve@acme.example>",
        "to": ["ops@acme.example"],
    })
}

pub(crate) fn email_channel(given: &Value) -> Channel {
    channel(settings(ChannelKind::Email, given))
}

/// Starts a mail server without TLS; returns its port and the lines that it received.
async fn clear() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = lines.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (read, mut write) = stream.into_split();
            let mut lines = BufReader::new(read).lines();
            if write
                .write_all(b"220 clear.example ESMTP\r\n")
                .await
                .is_err()
            {
                continue;
            }
            while let Ok(Some(line)) = lines.next_line().await {
                let answer: &[u8] = match line.split(' ').next() {
                    Some("EHLO") => b"250-clear.example\r\n250 AUTH PLAIN LOGIN\r\n",
                    Some("QUIT") => b"221 bye\r\n",
                    _ => b"502 not here\r\n",
                };
                heard.lock().unwrap().push(line);
                if write.write_all(answer).await.is_err() {
                    break;
                }
            }
        }
    });

    (port, lines)
}

#[tokio::test]
async fn mail_is_not_sent_in_the_clear_nor_to_the_inside() {
    let (port, lines) = clear().await;
    let secret = ChannelSecret("hunter2".into());
    let refused = local()
        .send(
            &email_channel(&email("127.0.0.1", port)),
            &secret,
            &message(1),
        )
        .await;
    assert!(!refused.ok && refused.error.is_some(), "{refused:?}");

    let transcript = lines.lock().unwrap().join("\n");
    assert!(
        transcript.contains("EHLO") && !transcript.contains("AUTH") && !transcript.contains("MAIL"),
        "{transcript}"
    );

    let strict = People::new(OutboundPolicy::default());
    for host in ["127.0.0.1", "localhost"] {
        let refused = strict
            .send(&email_channel(&email(host, port)), &secret, &message(1))
            .await;
        assert!(
            refused
                .error
                .as_deref()
                .is_some_and(|error| error.contains("not a public address")),
            "{refused:?}"
        );
    }
}

#[test]
fn settings_that_cannot_be_right() {
    let people = People::new(OutboundPolicy::default());
    let secret = ChannelSecret("hunter2".into());
    let given = email("smtp.acme.example", 587);
    let check = |given: &Value, secret| people.check(&settings(ChannelKind::Email, given), secret);
    assert_eq!(check(&given, &secret), Ok(()));

    let cases = [
        ("to", json!([])),
        ("to", json!(["ops@acme.example", "nobody"])),
        ("to", json!(vec!["ops@acme.example"; 51])),
        ("host", json!("a b")),
        ("host", json!("mail.example/x")),
        ("from", json!("x\r\nBcc: y@z")),
        ("port", json!(0)),
    ];

    for (name, value) in cases {
        let mut given = given.clone();
        given[name] = value;
        let fault = check(&given, &secret).unwrap_err();
        assert_eq!(fault.field, format!("settings.{name}"), "{given}");
    }

    let none = ChannelSecret(String::new());
    let fault = check(&given, &none).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "secret: is required: the password of the username"
    );
    let mut anonymous = given;
    anonymous["username"] = Value::Null;
    assert_eq!(check(&anonymous, &none), Ok(()));

    for wrong in [
        "",
        "hooks.slack.com",
        "http://hooks.slack.com/x",
        "https://10.0.0.1/x",
    ] {
        let slack = settings(ChannelKind::Slack, &json!({}));
        let refused = people.check(&slack, &ChannelSecret(wrong.into()));
        assert_eq!(refused.unwrap_err().field, "secret", "{wrong}");
    }

    let events = settings(ChannelKind::Pagerduty, &json!({}));
    assert_eq!(
        events.text("url"),
        "https://events.pagerduty.com/v2/enqueue"
    );
    assert_eq!(people.check(&events, &ChannelSecret(KEY.into())), Ok(()));
    assert_eq!(
        people.check(&events, &secret).unwrap_err().to_string(),
        "secret: must be the integration key of 32 letters and digits"
    );

    let inside = json!({ "url": "https://169.254.169.254/" });
    let fault = people
        .check(
            &settings(ChannelKind::Pagerduty, &inside),
            &ChannelSecret(KEY.into()),
        )
        .unwrap_err();
    assert_eq!(fault.field, "settings.url");
}
