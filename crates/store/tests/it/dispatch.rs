//! Tests of deliveries from the first attempt to the last, over the store: a manual clock, a
//! receiver with scripted answers, and a store that fails between sending and marking.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Entry, Obstacle};
use reeve_notify::delivery::{
    DeliveryAttempt, DeliveryStatus, DeliveryStore, DeliveryTarget, Dispatcher,
    NotificationDelivery, Outgoing, Sent,
};
use reeve_notify::notification::{
    Channel, ChannelFault, ChannelKind, ChannelSecret, ChannelSettings, ChannelStore, Message,
    Notifier,
};
use reeve_notify::webhook::{
    Secret, Secrets, Webhook, WebhookMessage, WebhookSender, WebhookStore,
};
use reeve_recommend::ports::{Clock, RecordError, Recorder};
use reeve_store::Store;
use reeve_testkit::contract::deliveries::{channel, settings, webhook};

use crate::place::Place;

/// Clock that tests set.
pub(crate) struct Hand(pub(crate) Mutex<Timestamp>);

#[async_trait]
impl Clock for Hand {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
    async fn sleep(&self, _duration: Duration) {}
}

/// Receiver of webhooks: the requests that arrived, and the status that it answers with.
#[derive(Default)]
struct Receiver {
    answers: Mutex<u16>,
    got: Mutex<Vec<(String, usize, Timestamp)>>,
    messages: Mutex<Vec<String>>,
}

#[async_trait]
impl WebhookSender for Receiver {
    fn check(&self, _url: &str) -> Result<(), Obstacle> {
        Ok(())
    }
    async fn send(&self, message: &WebhookMessage) -> DeliveryAttempt {
        self.got
            .lock()
            .unwrap()
            .push((message.id.clone(), message.secrets.len(), message.at));
        let status = *self.answers.lock().unwrap();
        DeliveryAttempt {
            at: message.at,
            duration_ms: 1,
            status: Some(status),
            answer: String::new(),
            error: None,
            ok: (200..300).contains(&status),
            gone: status == 410,
            retry_after_s: None,
        }
    }
}

#[async_trait]
impl Notifier for Receiver {
    fn check(&self, _: &ChannelSettings, _: &ChannelSecret) -> Result<(), ChannelFault> {
        Ok(())
    }
    async fn send(
        &self,
        channel: &Channel,
        secret: &ChannelSecret,
        message: &Message,
    ) -> DeliveryAttempt {
        self.messages
            .lock()
            .unwrap()
            .push(format!("{} {} {}", channel.id.0, secret.0, message.title));
        let at = Timestamp::UNIX_EPOCH;
        let (status, answer, error) = (None, String::new(), None);

        DeliveryAttempt {
            at,
            duration_ms: 1,
            status,
            answer,
            error,
            ok: true,
            gone: false,
            retry_after_s: None,
        }
    }
}

/// Entries that were recorded.
#[derive(Default)]
pub(crate) struct Log(pub(crate) Mutex<Vec<Entry>>);

#[async_trait]
impl Recorder for Log {
    async fn record(&self, entries: Vec<Entry>) -> Result<(), RecordError> {
        self.0.lock().unwrap().extend(entries);
        Ok(())
    }
    async fn record_once(&self, entry: Entry) -> Result<(), RecordError> {
        self.record(vec![entry]).await
    }
}

struct World {
    _place: Place,
    store: Store,
    receiver: Arc<Receiver>,
    log: Arc<Log>,
    clock: Arc<Hand>,
    dispatcher: Dispatcher,
}

async fn world() -> Result<World> {
    let place = Place::sqlite()?;
    let store = place.open().await?;
    let (receiver, log) = (Arc::new(Receiver::default()), Arc::new(Log::default()));
    *receiver.answers.lock().unwrap() = 200;
    let clock = Arc::new(Hand(Mutex::new(Timestamp::from_second(1_700_000_100)?)));
    let dispatcher = Dispatcher {
        workspace: Arc::new(store.clone()),
        deliveries: Arc::new(store.clone()),
        webhooks: Arc::new(store.clone()),
        channels: Arc::new(store.clone()),
        sender: receiver.clone(),
        notifier: receiver.clone(),
        recorder: log.clone(),
        clock: clock.clone(),
    };

    Ok(World {
        _place: place,
        store,
        receiver,
        log,
        clock,
        dispatcher,
    })
}

impl World {
    async fn subscribe(&self, id: &str) -> Result<Webhook> {
        let one = webhook(id, 0)?;
        self.store
            .webhook_insert(&one, &Secrets::first(Secret::from_random(&[1; 32])))
            .await?;
        Ok(one)
    }

    async fn queue(&self, webhook: &Webhook, subject: &str) -> Result<NotificationDelivery> {
        let delivery = NotificationDelivery::new(
            DeliveryTarget::Webhook(webhook.id.clone()),
            "recommendation_ready",
            subject.into(),
            self.clock.now(),
        );

        self.store
            .delivery_insert(&Outgoing {
                delivery: delivery.clone(),
                body: "{}".into(),
            })
            .await?;

        Ok(delivery)
    }

    fn answer(&self, status: u16) {
        *self.receiver.answers.lock().unwrap() = status;
    }

    fn later(&self, by: SignedDuration) {
        *self.clock.0.lock().unwrap() += by;
    }

    fn operations(&self) -> Vec<String> {
        self.log
            .0
            .lock()
            .unwrap()
            .iter()
            .filter_map(|entry| entry.action.operation.clone())
            .collect()
    }
}

#[tokio::test]
async fn a_failing_receiver_is_tried_for_a_day_then_a_dead_letter_is_replayed() -> Result<()> {
    let world = world().await?;
    let one = world.subscribe("w-1").await?;
    let delivery = world.queue(&one, "r-1").await?;
    world.answer(503);
    let start = world.clock.now();
    let mut rounds = Vec::new();

    // A minute at a time for thirty hours: what is due is sent, and nothing before.
    for _ in 0..30 * 60 {
        let sent = world.dispatcher.send_due().await?;
        if sent != Sent::default() {
            rounds.push((
                (world.clock.now() - start).total(jiff::Unit::Minute)? as i64,
                sent.dead,
            ));
        }
        world.later(SignedDuration::from_mins(1));
    }

    let minutes: Vec<_> = rounds.iter().map(|(minute, _)| *minute).collect();
    assert_eq!(minutes, [0, 1, 6, 36, 156, 456, 1056, 1656]);
    assert_eq!(rounds.iter().map(|(_, dead)| dead).sum::<u64>(), 1);

    let dead = world.store.delivery_get(&delivery.id).await?;
    assert_eq!(
        (dead.status, dead.tries, dead.attempts.len()),
        (DeliveryStatus::DeadLetter, 8, 8)
    );
    assert_eq!(world.operations(), ["delivery.give_up"]);
    world.answer(204);
    world
        .store
        .delivery_update(&dead.replayed(world.clock.now()))
        .await?;
    assert_eq!(world.dispatcher.send_due().await?.delivered, 1);

    let ids: BTreeSet<_> = world
        .receiver
        .got
        .lock()
        .unwrap()
        .iter()
        .map(|(id, ..)| id.clone())
        .collect();

    assert_eq!(
        ids,
        BTreeSet::from([delivery.id.0]),
        "every attempt carries the same identifier"
    );
    Ok(())
}

#[tokio::test]
async fn a_crash_between_sending_and_marking_sends_the_same_again() -> Result<()> {
    let world = world().await?;
    let one = world.subscribe("w-1").await?;
    let delivery = world.queue(&one, "r-1").await?;

    // As far as the crash: claimed and sent, never marked.
    let claimed = delivery.claimed(world.clock.now());
    world.store.delivery_update(&claimed).await?;
    let now = world.clock.now();
    let secrets = world.store.webhook_secrets(&one.id).await?.signing(now);
    let (url, id) = (one.url.clone(), claimed.id.0.clone());
    let attempt = world
        .dispatcher
        .sender
        .send(&WebhookMessage {
            url,
            id,
            at: now,
            body: "{}".into(),
            secrets,
        })
        .await;
    assert!(attempt.ok);

    assert_eq!(
        world.dispatcher.send_due().await?,
        Sent::default(),
        "whoever claimed it may still be at it"
    );
    world.later(SignedDuration::from_secs(91));
    assert_eq!(world.dispatcher.send_due().await?.delivered, 1);

    let got: Vec<_> = world
        .receiver
        .got
        .lock()
        .unwrap()
        .iter()
        .map(|(id, ..)| id.clone())
        .collect();

    assert_eq!(
        got,
        [delivery.id.0.clone(), delivery.id.0],
        "at least once, known by its identifier"
    );
    Ok(())
}

#[tokio::test]
async fn gone_switches_off_and_what_waits_is_given_up() -> Result<()> {
    let world = world().await?;
    let one = world.subscribe("w-1").await?;
    world.queue(&one, "r-1").await?;
    let second = world.queue(&one, "r-2").await?;
    world.answer(410);
    assert_eq!(
        world.dispatcher.send_due().await?,
        Sent {
            delivered: 0,
            failed: 0,
            dead: 2
        }
    );

    let off = world.store.webhook_get(&one.id).await?;
    assert!(
        !off.enabled
            && off
                .disabled_reason
                .as_deref()
                .is_some_and(|reason| reason.contains("410")),
        "{off:?}"
    );

    assert_eq!(
        world.receiver.got.lock().unwrap().len(),
        1,
        "a receiver that is gone is asked once"
    );

    assert_eq!(
        world.operations(),
        ["webhook.disable", "delivery.give_up", "delivery.give_up"]
    );

    let given_up = world.store.delivery_get(&second.id).await?;
    assert!(
        given_up.attempts[0]
            .error
            .as_deref()
            .is_some_and(|why| why.contains("disabled")),
        "{given_up:?}"
    );

    Ok(())
}

#[tokio::test]
async fn one_that_fails_keeps_no_other_waiting_and_a_rotation_signs_twice() -> Result<()> {
    let world = world().await?;
    let one = world.subscribe("w-1").await?;
    let secrets = world
        .store
        .webhook_secrets(&one.id)
        .await?
        .rotated(Secret::from_random(&[2; 32]), world.clock.now());

    world
        .store
        .webhook_update(
            &Webhook {
                version: 2,
                ..one.clone()
            },
            Some(&secrets),
        )
        .await?;

    world.queue(&one, "r-1").await?;
    world.queue(&one, "r-2").await?;
    let slack = channel("c-1", 0, settings(ChannelKind::Slack, "{}")?)?;
    world
        .store
        .channel_insert(&slack, &ChannelSecret("shh".into()))
        .await?;
    let message = Message {
        title: "hello".into(),
        gravity: reeve_notify::notification::Gravity::Info,
        items: Vec::new(),
        about: "x".into(),
        to: Vec::new(),
        attachment: None,
    };

    let delivery = NotificationDelivery::new(
        DeliveryTarget::Channel(slack.id.clone()),
        "approval_requested",
        "a-1".into(),
        world.clock.now(),
    );

    world
        .store
        .delivery_insert(&Outgoing {
            delivery,
            body: message.encode(),
        })
        .await?;

    world.answer(500);
    assert_eq!(
        world.dispatcher.send_due().await?,
        Sent {
            delivered: 1,
            failed: 1,
            dead: 0
        }
    );

    assert_eq!(*world.receiver.messages.lock().unwrap(), ["c-1 shh hello"]);
    assert_eq!(
        world.receiver.got.lock().unwrap()[0].1,
        2,
        "both secrets sign"
    );
    world.later(SignedDuration::from_hours(25));
    world.answer(200);
    assert_eq!(world.dispatcher.send_due().await?.delivered, 2);
    assert!(
        world.receiver.got.lock().unwrap()[1..]
            .iter()
            .all(|(_, secrets, _)| *secrets == 1)
    );

    Ok(())
}
