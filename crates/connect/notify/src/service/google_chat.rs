//! Google Chat's incoming webhooks (<https://developers.google.com/workspace/chat/quickstart/webhooks>):
//! a message with one card (`cardsV2`). A message has at most 32,000 bytes, a card 100 widgets;
//! what comes after them is dropped without an error.

use reeve_notify::notification::{ChannelSecret, ChannelSettings, Item, Message, OPEN};
use serde_json::{Value, json};

use super::{Post, to_webhook};
use crate::outcome::{NotifyOutcome, cut};

/// Largest message, with room for the fields that Google adds.
const LARGEST: usize = 28_000;
/// Widgets of all items, with room for the line that counts what was left out.
const WIDGETS: usize = 99;
/// Facts of one item.
const FACTS: usize = 10;

/// Returns the request. The address holds a key and a token, and is the secret.
pub(super) fn post(_: &ChannelSettings, secret: &ChannelSecret, message: &Message) -> Post {
    to_webhook(secret, payload(message))
}

fn payload(message: &Message) -> Value {
    let mut sections = Vec::new();
    let (mut size, mut widgets) = (0, 0);
    for (index, item) in message.items.iter().enumerate() {
        let (section, count) = section(item);
        size += section.to_string().len();
        widgets += count;
        if size > LARGEST || widgets > WIDGETS {
            let left = message.items.len() - index;
            let text = format!("{left} more in Reeve");
            sections.push(json!({ "widgets": [{ "textParagraph": { "text": text } }] }));
            break;
        }
        sections.push(section);
    }

    let mut card = json!({ "header": { "title": cut(&message.title, 200) } });
    if !sections.is_empty() {
        card["sections"] = Value::Array(sections);
    }

    // The fallback is plain text, for notifications. A member `text` would be read as markup, in
    // which a name of the estate could mention people.
    json!({
        "fallbackText": cut(&message.title, 500),
        "cardsV2": [{ "cardId": "reeve", "card": card }],
    })
}

/// A section of the card, and the number of its widgets.
fn section(item: &Item) -> (Value, usize) {
    let mut widgets: Vec<Value> = (item.facts.iter().take(FACTS))
        .map(|(name, value)| {
            json!({ "decoratedText": {
                "topLabel": cut(name, 40),
                "text": escaped(&cut(value, 200)),
                "wrapText": true,
            } })
        })
        .collect();

    if let Some(link) = &item.link {
        let button = json!({ "text": OPEN, "onClick": { "openLink": { "url": link } } });
        widgets.push(json!({ "buttonList": { "buttons": [button] } }));
    }
    // A section without a widget is refused.
    if widgets.is_empty() {
        widgets.push(json!({ "textParagraph": { "text": escaped(&cut(&item.title, 300)) } }));
    }

    let count = widgets.len();
    let section = json!({ "header": escaped(&cut(&item.title, 300)), "widgets": widgets });
    (section, count)
}

/// Escapes the markup of cards, so that text in a resource's name cannot become a link.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A webhook or a space that was deleted answers 403 or 404, a token that was changed 401, and a
/// message that Google does not understand 400: trying again does not help.
pub(super) fn judged(outcome: NotifyOutcome) -> NotifyOutcome {
    if matches!(outcome.status, Some(400 | 401 | 403 | 404)) {
        outcome.for_good()
    } else {
        outcome
    }
}
