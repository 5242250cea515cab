//! Slack's incoming webhooks
//! (<https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks>): `text` for
//! notifications and `blocks` for the window. A message has at most 50 blocks, a header 150
//! characters, a section 3,000.

use reeve_notify::notification::{ChannelSecret, ChannelSettings, Item, Message, OPEN};
use serde_json::{Value, json};

use super::{Post, to_webhook};
use crate::outcome::{NotifyOutcome, cut};

/// Sections that fit beside the header and the last line.
const SECTIONS: usize = 48;

/// Returns the request that posts a message to an incoming webhook.
pub(super) fn post(_: &ChannelSettings, secret: &ChannelSecret, message: &Message) -> Post {
    to_webhook(secret, payload(message))
}

fn payload(message: &Message) -> Value {
    let mut blocks = vec![json!({
        "type": "header", "text": { "type": "plain_text", "text": cut(&message.title, 150), "emoji": false },
    })];
    blocks.extend(
        message
            .items
            .iter()
            .take(SECTIONS)
            .map(|item| section(&text(item))),
    );

    let left = message.items.len().saturating_sub(SECTIONS);
    if left > 0 {
        blocks.push(section(&format!("{left} more in Reeve")));
    }

    json!({ "text": escaped(&cut(&message.title, 1000)), "blocks": blocks })
}

fn section(text: &str) -> Value {
    json!({ "type": "section", "text": { "type": "mrkdwn", "text": text } })
}

fn text(item: &Item) -> String {
    // Cut before escaping, so that no escape is cut through: escaped, a character takes five at
    // most.
    let mut text = format!("*{}*", escaped(&cut(&item.title, 100)));
    let link = item
        .link
        .as_ref()
        .map(|link| format!("\n<{}|{OPEN}>", escaped(link)))
        .unwrap_or_default();

    for (name, value) in &item.facts {
        let line = format!(
            "\n{}: {}",
            escaped(&cut(name, 40)),
            escaped(&cut(value, 200))
        );
        if [&text, &line, &link]
            .iter()
            .map(|part| part.chars().count())
            .sum::<usize>()
            > 3000
        {
            break;
        }
        text.push_str(&line);
    }

    text.push_str(&link);
    text
}

/// Escapes `&`, `<` and `>`, so that text in a resource's name cannot become a mention or a link in
/// Slack.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A webhook that was taken back answers 403, 404 or 410, and a payload that Slack does not
/// understand 400: trying again does not help.
pub(super) fn judged(outcome: NotifyOutcome) -> NotifyOutcome {
    if matches!(outcome.status, Some(400 | 403 | 404 | 410)) {
        outcome.for_good()
    } else {
        outcome
    }
}
