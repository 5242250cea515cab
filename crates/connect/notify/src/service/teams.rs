//! Microsoft Teams, by a workflow that begins with "When a Teams webhook request is received": a
//! message with one Adaptive Card
//! (<https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook>).
//! A message has at most 28 KB; the connectors of old are switched off.

use reeve_notify::notification::{ChannelSecret, ChannelSettings, Gravity, Item, Message, OPEN};
use serde_json::{Value, json};

use super::{Post, to_webhook};
use crate::outcome::cut;

/// Largest message, with room for the bytes that Teams adds.
const LARGEST: usize = 24 * 1024;

/// Returns the request that posts an Adaptive Card to the workflow.
pub(super) fn post(_: &ChannelSettings, secret: &ChannelSecret, message: &Message) -> Post {
    to_webhook(secret, payload(message))
}

fn payload(message: &Message) -> Value {
    let color = match message.gravity {
        Gravity::Info => "default",
        Gravity::Warning => "warning",
        Gravity::Error | Gravity::Critical => "attention",
    };

    let mut body = vec![json!({
        "type": "TextBlock", "text": cut(&message.title, 300), "weight": "bolder", "size": "medium", "wrap": true,
        "color": color,
    })];
    let mut size = 0;

    for (index, item) in message.items.iter().enumerate() {
        let block = container(item);
        size += block.to_string().len();
        if size > LARGEST {
            let left = message.items.len() - index;
            body.push(json!({ "type": "TextBlock", "text": format!("{left} more in Reeve"), "wrap": true }));
            break;
        }
        body.push(block);
    }

    let card = json!({
        "type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.4",
        "body": body,
    });
    json!({ "type": "message", "attachments": [{
        "contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": null, "content": card,
    }] })
}

fn container(item: &Item) -> Value {
    let facts: Vec<Value> = item
        .facts
        .iter()
        .take(20)
        .map(|(name, value)| json!({ "title": cut(name, 40), "value": cut(value, 400) }))
        .collect();

    let mut items =
        vec![json!({ "type": "TextBlock", "text": cut(&item.title, 300), "wrap": true })];
    if !facts.is_empty() {
        items.push(json!({ "type": "FactSet", "facts": facts }));
    }

    if let Some(link) = &item.link {
        items.push(
            json!({ "type": "ActionSet", "actions": [{ "type": "Action.OpenUrl", "title": OPEN, "url": link }] }),
        );
    }

    json!({ "type": "Container", "separator": true, "items": items })
}
