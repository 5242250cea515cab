//! Opsgenie's Alert API (<https://docs.opsgenie.com/docs/alert-api>): one alert a message. The same
//! thing told again has the same alias, so that it counts up the open alert instead of opening
//! another, and so that an alert can be acknowledged and closed by it.

use reeve_notify::notification::{ChannelSecret, ChannelSettings, Gravity, Message};
use serde_json::{Map, Value, json};

use super::Post;
use crate::outcome::{NotifyOutcome, cut};

/// Characters of an alert's description, which is cut by Opsgenie above 15,000.
const DESCRIPTION: usize = 15_000;
/// Characters of all names and values of an alert's details, of at most 8,000.
const DETAILS: usize = 7_500;

/// Returns the request. The key goes in a header: what is wrong with an alert may be logged.
pub(super) fn post(settings: &ChannelSettings, secret: &ChannelSecret, message: &Message) -> Post {
    Post {
        url: settings.text("url").to_owned(),
        authorization: Some(format!("GenieKey {}", secret.0)),
        body: payload(message),
    }
}

fn payload(message: &Message) -> Value {
    // Opsgenie reads a line end in the title as the end of the alert's text in e-mails and calls.
    let title: String = (message.title.chars())
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();

    json!({
        "message": cut(&title, 130),
        "alias": cut(&message.about, 512),
        "description": cut(&message.text(), DESCRIPTION),
        "details": details(message),
        "source": "reeve",
        "priority": match message.gravity {
            Gravity::Critical => "P1",
            Gravity::Error => "P2",
            Gravity::Warning => "P3",
            Gravity::Info => "P5",
        },
    })
}

/// Facts of the first item, by which alerts are filtered and routed; all items are in the
/// description.
fn details(message: &Message) -> Map<String, Value> {
    let mut details = Map::new();
    let mut size = 0;
    for (name, value) in message.items.first().iter().flat_map(|item| &item.facts) {
        let (name, value) = (cut(name, 100), cut(value, 1000));
        size += name.chars().count() + value.chars().count();
        if size > DETAILS {
            break;
        }
        details.insert(name, Value::String(value));
    }

    details
}

/// 202 is the one answer that says it was taken. A key that was revoked (401, 403) and an alert that
/// Opsgenie does not understand (400, 422) are refused again.
pub(super) fn judged(outcome: NotifyOutcome) -> NotifyOutcome {
    match outcome.status {
        Some(400 | 401 | 403 | 422) => outcome.for_good(),
        Some(status) => NotifyOutcome {
            ok: status == 202,
            ..outcome
        },
        None => outcome,
    }
}
