//! Google Chat, against a fake that checks messages by the reference of cards.

use axum::http::StatusCode;
use reeve_connect_notify::People;
use reeve_connect_outbound::OutboundPolicy;
use reeve_notify::delivery::DeliveryAttempt;
use reeve_notify::notification::{ChannelKind, ChannelSecret, Message, Notifier as _};
use serde_json::{Value, json};

use crate::{PAGES, channel, local, message, serve, settings, text_of};

/// Checks a message as `spaces.messages.create` does; unknown members are refused by name.
fn create_message(message: &Value) -> Result<StatusCode, String> {
    let size = message.to_string().len();
    if size > 32_000 {
        return Err(format!("{size} bytes"));
    }

    only(message, &["fallbackText", "cardsV2"])?;
    text_of(&message["fallbackText"], 4096)?;
    let cards = message["cardsV2"].as_array().ok_or("no cards")?;
    let mut widgets = 0;
    for card in cards {
        only(card, &["cardId", "card"])?;
        text_of(&card["cardId"], 63)?;
        only(&card["card"], &["header", "sections"])?;
        only(&card["card"]["header"], &["title", "subtitle"])?;
        text_of(&card["card"]["header"]["title"], 200)?;
        for section in card["card"]["sections"].as_array().ok_or("no sections")? {
            only(section, &["header", "widgets"])?;
            let found = section["widgets"].as_array().ok_or("no widgets")?;
            if found.is_empty() {
                return Err("a section without widgets".to_owned());
            }
            widgets += found.len();
            if let Some(header) = section.get("header") {
                is_escaped(text_of(header, 2000)?)?;
            }
            found.iter().try_for_each(widget)?;
        }
    }

    if widgets > 100 {
        return Err(format!("{widgets} widgets: those after 100 are dropped"));
    }

    Ok(StatusCode::OK)
}

fn widget(widget: &Value) -> Result<(), String> {
    let object = widget.as_object().ok_or("no widget")?;
    match object.iter().next() {
        Some((name, text)) if object.len() == 1 && name == "decoratedText" => {
            only(text, &["topLabel", "text", "wrapText"])?;
            text_of(&text["topLabel"], 100)?;
            is_escaped(text_of(&text["text"], 2000)?)
        }
        Some((name, text)) if object.len() == 1 && name == "textParagraph" => {
            is_escaped(text_of(&text["text"], 2000)?)
        }
        Some((name, list)) if object.len() == 1 && name == "buttonList" => {
            let button = &list["buttons"][0];
            text_of(&button["text"], 100)?;
            let url = text_of(&button["onClick"]["openLink"]["url"], 2000)?;
            match url.starts_with(PAGES) {
                true => Ok(()),
                false => Err(format!("no link to the page: {url}")),
            }
        }
        other => Err(format!("Unknown name: {other:?}")),
    }
}

fn only(value: &Value, members: &[&str]) -> Result<(), String> {
    let object = value
        .as_object()
        .ok_or_else(|| format!("{value} is no object"))?;
    match object.keys().find(|name| !members.contains(&name.as_str())) {
        Some(name) => Err(format!(
            "Invalid JSON payload received. Unknown name {name:?}"
        )),
        None => Ok(()),
    }
}

/// Markup that comes from data is a defect.
fn is_escaped(text: &str) -> Result<(), String> {
    match text.contains(['<', '>']) {
        true => Err(format!("markup in {text}")),
        false => Ok(()),
    }
}

async fn send(url: String, message: &Message) -> DeliveryAttempt {
    let settings = settings(ChannelKind::GoogleChat, &json!({}));
    local()
        .send(&channel(settings), &ChannelSecret(url), message)
        .await
}

#[tokio::test]
async fn a_card_holds_one_item_and_counts_what_does_not_fit() {
    for items in [1, 3, 120] {
        let (url, taken) = serve(create_message).await;
        let sent = send(url, &message(items)).await;
        assert!(sent.ok, "{items}: {sent:?}");

        let taken = taken.lock().unwrap();
        let text = taken[0].to_string();
        assert!(text.contains("&lt;!channel&gt; &amp; i-0"), "{text}");
        assert_eq!(text.contains(" more in Reeve"), items == 120, "{items}");
    }

    let mut short = message(1);
    short.items[0].facts.clear();
    short.items[0].link = None;
    let (url, taken) = serve(create_message).await;
    assert!(send(url, &short).await.ok);
    assert_eq!(taken.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_deleted_webhook_is_not_tried_again() {
    for (status, is_gone) in [(403, true), (404, true), (429, false), (503, false)] {
        let (url, _) = match status {
            403 => serve(|_| Ok(StatusCode::FORBIDDEN)).await,
            404 => serve(|_| Ok(StatusCode::NOT_FOUND)).await,
            429 => serve(|_| Ok(StatusCode::TOO_MANY_REQUESTS)).await,
            _ => serve(|_| Ok(StatusCode::SERVICE_UNAVAILABLE)).await,
        };
        let refused = send(url, &message(1)).await;
        assert!(
            (refused.ok, refused.gone, refused.status) == (false, is_gone, Some(status)),
            "{refused:?}"
        );
    }
}

#[test]
fn the_secret_is_an_address_that_may_be_asked() {
    let people = People::new(OutboundPolicy::default());
    let chat = settings(ChannelKind::GoogleChat, &json!({}));
    let hook = "https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token=t";
    assert_eq!(people.check(&chat, &ChannelSecret(hook.into())), Ok(()));
    for wrong in ["", "chat.googleapis.com", "https://10.0.0.1/v1/spaces"] {
        let fault = people
            .check(&chat, &ChannelSecret(wrong.into()))
            .unwrap_err();
        assert_eq!(fault.field, "secret", "{wrong}");
    }
}
