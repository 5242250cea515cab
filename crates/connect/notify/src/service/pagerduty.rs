//! PagerDuty's Events API, version 2 (<https://developer.pagerduty.com/docs/send-alert-event>): one
//! `trigger` event a message, the same `dedup_key` for the same thing told again.

use reeve_notify::notification::{ChannelSecret, ChannelSettings, Message};
use serde_json::{Map, Value, json};

use super::Post;
use crate::outcome::{NotifyOutcome, cut};

/// Items in an event's details.
const DETAILS: usize = 50;

/// Returns the request that triggers an incident.
pub(super) fn post(settings: &ChannelSettings, secret: &ChannelSecret, message: &Message) -> Post {
    Post {
        url: settings.text("url").to_owned(),
        authorization: None,
        body: payload(&secret.0, message),
    }
}

fn payload(routing_key: &str, message: &Message) -> Value {
    let mut details = Map::new();
    for (index, item) in message.items.iter().take(DETAILS).enumerate() {
        let facts: Map<String, Value> = item
            .facts
            .iter()
            .map(|(name, value)| (cut(name, 100), Value::String(cut(value, 1000))))
            .collect();
        details.insert(
            format!("{}. {}", index + 1, cut(&item.title, 200)),
            Value::Object(facts),
        );
    }

    // A link's text tells the items of a digest apart.
    let links: Vec<Value> = (message.items.iter().take(DETAILS))
        .filter_map(|item| {
            Some(json!({ "href": item.link.as_ref()?, "text": cut(&item.title, 200) }))
        })
        .collect();

    json!({
        "routing_key": routing_key,
        "event_action": "trigger",
        "dedup_key": cut(&message.about, 255),
        "client": "Reeve",
        "links": links,
        "payload": {
            "summary": cut(&message.title, 1024),
            "source": "reeve",
            "severity": message.gravity.as_str(),
            "custom_details": details,
        },
    })
}

/// 202 is the one answer that says it was taken; 400 says that the event is wrong, which it will be
/// again.
pub(super) fn judged(outcome: NotifyOutcome) -> NotifyOutcome {
    match outcome.status {
        Some(400) => outcome.for_good(),
        Some(status) => NotifyOutcome {
            ok: status == 202,
            ..outcome
        },
        None => outcome,
    }
}
