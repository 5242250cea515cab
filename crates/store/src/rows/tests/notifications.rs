//! Fixtures of notifications: subscriptions, channels, deliveries, notices.

use reeve_notify::notification::{Channel, ChannelKind, NoticeId};
use reeve_testkit::contract::deliveries as samples;

use super::super::{channel, decode, delivery, webhook};
use super::check;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/", $name, ".json"))
    };
}

#[test]
fn webhook_v1() {
    let sample = samples::webhook("w-1", 0).unwrap();
    check(&webhook::WebhookRow::from(&sample), fixture!("webhook-v1"));
    let row: webhook::WebhookRow = decode(fixture!("webhook-v1")).unwrap();
    assert_eq!(row.into_webhook().unwrap(), sample);
}

#[test]
fn channel_v1() {
    let settings = samples::settings(
        ChannelKind::Email,
        r#"{ "host": "mail.example", "username": "reeve", "from": "reeve@acme.example", "to": ["ops@acme.example"] }"#,
    )
    .unwrap();
    let sample: Channel = samples::channel("c-1", 0, settings).unwrap();
    check(&channel::ChannelRow::from(&sample), fixture!("channel-v1"));

    let row: channel::ChannelRow = decode(fixture!("channel-v1")).unwrap();
    assert_eq!(row.into_channel().unwrap(), sample);

    // Exactly the bytes that were ever written: no setting is added, none changes its place.
    let written = crate::rows::encode(&channel::ChannelRow::from(&sample)).unwrap();
    assert_eq!(written, fixture!("channel-v1").trim_end());
}

#[test]
fn delivery_v1() {
    let row: delivery::DeliveryRow = decode(fixture!("delivery-v1")).unwrap();
    let read = row.into_delivery().unwrap();
    assert_eq!(
        (read.tries, read.attempts.len(), read.attempts[0].status),
        (8, 2, Some(503))
    );
    check(&delivery::DeliveryRow::from(&read), fixture!("delivery-v1"));
}

#[test]
fn notice_v1() {
    let row: delivery::NoticeRow = decode(fixture!("notice-v1")).unwrap();
    let read = row.into_notice(NoticeId("n-1".into())).unwrap();
    assert_eq!(
        read.message.items[0].facts,
        [("resource".to_owned(), "i-1".to_owned())]
    );
    check(&delivery::NoticeRow::from(&read), fixture!("notice-v1"));
}
