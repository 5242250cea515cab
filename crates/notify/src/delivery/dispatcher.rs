//! The one route of deliveries, to webhooks and channels alike: claimed, sent, kept, recorded. Safe
//! to run at any time, and in several processes over one store.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt as _;
use jiff::Timestamp;
use reeve_access::{Workspace, WorkspaceStore};
use reeve_audit::{ActionStatus, Entry, Json, ResourceRef, Severity, events};
use reeve_estate::StoreError;
use reeve_recommend::caller::Caller;
use reeve_recommend::ports::{Clock, RecordError, Recorder};
use reeve_siem::ocsf;
use serde_json::json;

use super::happening::body_of;
use super::port::{DeliveryStore, Outgoing};
use super::record::{DeliveryAttempt, DeliveryStatus, DeliveryTarget, NotificationDelivery};
use crate::notification::{Channel, ChannelStore, Gravity, Item, Message, Notifier};
use crate::webhook::{Webhook, WebhookFormat, WebhookMessage, WebhookSender, WebhookStore};

/// Deliveries of one target in one round.
const OF_EACH: u64 = 20;
/// Targets that are sent to at the same time.
const AT_ONCE: usize = 16;

/// Results of one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sent {
    /// Deliveries that the receiver accepted.
    pub delivered: u64,
    /// To be tried again.
    pub failed: u64,
    /// Deliveries that were given up.
    pub dead: u64,
}

/// Reason why a round stopped.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The store of deliveries failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log did not take an entry.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Sends deliveries to webhooks and channels.
pub struct Dispatcher {
    pub deliveries: Arc<dyn DeliveryStore>,
    /// The workspace, for its name.
    pub workspace: Arc<dyn WorkspaceStore>,
    /// Source of subscriptions.
    pub webhooks: Arc<dyn WebhookStore>,
    pub channels: Arc<dyn ChannelStore>,
    /// Client that sends to webhooks.
    pub sender: Arc<dyn WebhookSender>,
    /// Client that sends to channels.
    pub notifier: Arc<dyn Notifier>,
    /// Writer of the audit log.
    pub recorder: Arc<dyn Recorder>,
    pub clock: Arc<dyn Clock>,
}

impl Dispatcher {
    /// Sends everything that is due. Targets do not wait for each other; one that fails is left
    /// alone for the rest of the round.
    ///
    /// # Errors
    /// The due deliveries cannot be read. A failure of one target is logged and tried again in the
    /// next pass.
    pub async fn send_due(&self) -> Result<Sent, DispatchError> {
        let due = self
            .deliveries
            .delivery_due(self.clock.now(), OF_EACH)
            .await?;
        let mut targets: BTreeMap<DeliveryTarget, Vec<NotificationDelivery>> = BTreeMap::new();

        for delivery in due {
            targets
                .entry(delivery.target.clone())
                .or_default()
                .push(delivery);
        }

        let rounds = futures::stream::iter(targets.into_values().map(|queue| self.send_to(queue)));
        let done: Vec<Sent> = rounds.buffer_unordered(AT_ONCE).collect().await;
        Ok(done.iter().fold(Sent::default(), |sum, one| Sent {
            delivered: sum.delivered + one.delivered,
            failed: sum.failed + one.failed,
            dead: sum.dead + one.dead,
        }))
    }

    async fn send_to(&self, queue: Vec<NotificationDelivery>) -> Sent {
        let mut sent = Sent::default();
        for delivery in queue {
            match self.send(&delivery).await {
                Ok(DeliveryStatus::Delivered) => sent.delivered += 1,
                Ok(DeliveryStatus::DeadLetter) => sent.dead += 1,
                Ok(DeliveryStatus::Pending) => {
                    sent.failed += 1;
                    break;
                }
                // Somebody else has it.
                Err(DispatchError::Store(
                    StoreError::Conflict(_) | StoreError::NotFound { .. },
                )) => {}
                Err(error) => {
                    tracing::warn!(delivery = delivery.id.0, %error, "a delivery could not be made; it is tried again");
                    break;
                }
            }
        }

        sent
    }

    /// Makes one attempt at a delivery and keeps its result. Returns the status of the delivery
    /// after it.
    ///
    /// # Errors
    /// The store or the log failed, or another process has claimed the delivery. It may have been
    /// sent nevertheless.
    pub async fn send(
        &self,
        delivery: &NotificationDelivery,
    ) -> Result<DeliveryStatus, DispatchError> {
        let claimed = delivery.claimed(self.clock.now());
        self.deliveries.delivery_update(&claimed).await?;
        let body = self.deliveries.delivery_body(&delivery.id).await?;
        let receiver = self.receiver(&delivery.target).await?;
        let (after, is_gone) = match receiver.off_reason() {
            Some(reason) => (claimed.given_up(reason, self.clock.now()), false),
            None => {
                let attempt = self.attempt(&receiver, &claimed, body).await?;
                let is_gone = attempt.gone;
                (claimed.after(attempt, self.clock.now()), is_gone)
            }
        };

        self.deliveries.delivery_update(&after).await?;
        if is_gone && let Receiver::Webhook(webhook) = &receiver {
            self.switch_off(webhook).await?;
        }
        if after.status != DeliveryStatus::Pending {
            self.recorder.record(vec![ended(&after)]).await?;
        }

        Ok(after.status)
    }

    /// Reads the receiver of a target.
    async fn receiver(&self, target: &DeliveryTarget) -> Result<Receiver, DispatchError> {
        Ok(match target {
            DeliveryTarget::Webhook(id) => Receiver::Webhook(self.webhooks.webhook_get(id).await?),
            DeliveryTarget::Channel(id) => Receiver::Channel(self.channels.channel_get(id).await?),
        })
    }

    /// Sends a body to a receiver: to a subscription signed by every secret that signs now, to a
    /// channel as a message in its own form.
    async fn attempt(
        &self,
        receiver: &Receiver,
        delivery: &NotificationDelivery,
        body: String,
    ) -> Result<DeliveryAttempt, DispatchError> {
        match receiver {
            Receiver::Webhook(webhook) => {
                let now = self.clock.now();
                let secrets = self
                    .webhooks
                    .webhook_secrets(&webhook.id)
                    .await?
                    .signing(now);
                let (url, id) = (webhook.url.clone(), delivery.id.0.clone());
                Ok(self
                    .sender
                    .send(&WebhookMessage {
                        url,
                        id,
                        at: now,
                        body,
                        secrets,
                    })
                    .await)
            }
            Receiver::Channel(channel) => {
                let mut message = Message::decode(&body)
                    .map_err(|error| StoreError::Backend(error.to_string()))?;
                match self.workspace.workspace_get().await {
                    Ok(workspace) if workspace.name == Workspace::default().name => {}
                    // People who look after several installations see by the subject which one it
                    // is.
                    Ok(workspace) => {
                        message.title = format!("[{}] {}", workspace.name, message.title)
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a message is sent without the workspace's name")
                    }
                }
                let secret = self.channels.channel_secret(&channel.id).await?;
                Ok(self.notifier.send(channel, &secret, &message).await)
            }
        }
    }

    /// Tries a receiver with a message of its own, once. The delivery is kept beside the others of
    /// the receiver.
    ///
    /// # Errors
    /// The receiver does not exist or the store failed.
    pub async fn test(
        &self,
        target: DeliveryTarget,
    ) -> Result<NotificationDelivery, DispatchError> {
        let receiver = self.receiver(&target).await?;
        let body = receiver.test_body(self.clock.now());
        let begun = self.begin_test(target, &body).await?;
        let attempt = self.attempt(&receiver, &begun, body).await?;
        self.end_test(&begun, attempt).await
    }

    async fn begin_test(
        &self,
        target: DeliveryTarget,
        body: &str,
    ) -> Result<NotificationDelivery, DispatchError> {
        let mut delivery =
            NotificationDelivery::new(target, "test", String::new(), self.clock.now());
        delivery.subject = format!("test:{}", delivery.id.0);
        let claimed = NotificationDelivery {
            version: 1,
            ..delivery.claimed(self.clock.now())
        };
        self.deliveries
            .delivery_insert(&Outgoing {
                delivery: claimed.clone(),
                body: body.to_owned(),
            })
            .await?;

        Ok(claimed)
    }

    async fn end_test(
        &self,
        begun: &NotificationDelivery,
        attempt: DeliveryAttempt,
    ) -> Result<NotificationDelivery, DispatchError> {
        let ended = begun.tested(attempt, self.clock.now());
        self.deliveries.delivery_update(&ended).await?;
        Ok(ended)
    }

    /// A receiver that says 410 wants nothing any more: switched off until a person switches it on
    /// again.
    async fn switch_off(&self, webhook: &Webhook) -> Result<(), DispatchError> {
        let reason = "the receiver answered 410 Gone";
        let off = Webhook {
            enabled: false,
            disabled_reason: Some(reason.to_owned()),
            updated_at: self.clock.now(),
            version: webhook.version + 1,
            ..webhook.clone()
        };

        let caller = Caller::system();
        let entry = Entry::for_event(&events::POLICY_MODIFY)
            .by(caller.actor)
            .on(ResourceRef::new("webhook", webhook.id.0.clone()))
            .with_action("webhook.disable", ActionStatus::Success, caller.method)
            .with_metadata("reason", reason)
            .before(Json::object([("enabled", Json::from(true))]))
            .after(Json::object([("enabled", Json::from(false))]));
        self.recorder.record(vec![entry]).await?;

        match self.webhooks.webhook_update(&off, None).await {
            // Changed by a person in between: the next delivery says 410 again.
            Err(StoreError::Conflict(_) | StoreError::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Current settings of a delivery's target.
#[derive(Debug)]
enum Receiver {
    Webhook(Webhook),
    Channel(Channel),
}

impl Receiver {
    /// Returns the reason why nothing is sent to a receiver that is switched off.
    fn off_reason(&self) -> Option<&'static str> {
        match self {
            Receiver::Webhook(webhook) if !webhook.enabled => Some("the webhook is disabled"),
            Receiver::Channel(channel) if !channel.enabled => Some("the channel is disabled"),
            Receiver::Webhook(_) | Receiver::Channel(_) => None,
        }
    }

    /// Returns the body of a test.
    fn test_body(&self, now: Timestamp) -> String {
        match self {
            Receiver::Webhook(webhook) if webhook.format == WebhookFormat::Ocsf => {
                ocsf::test_finding(now).to_string()
            }
            Receiver::Webhook(webhook) => {
                let (id, event) = (&webhook.id.0, webhook.event.as_str());
                body_of(
                    "test",
                    now,
                    &json!({ "webhook_id": id, "event": event, "message": "Test message from Reeve" }),
                )
            }
            Receiver::Channel(channel) => Message {
                title: "Test message from Reeve".to_owned(),
                gravity: Gravity::Info,
                items: vec![Item {
                    title: format!(
                        "The channel {} can receive notifications from Reeve",
                        channel.name
                    ),
                    facts: Vec::new(),
                    link: None,
                }],
                about: format!("test:{}", channel.id.0),
                to: Vec::new(),
                attachment: None,
            }
            .encode(),
        }
    }
}

/// The entry of a delivery that arrived or is given up.
fn ended(delivery: &NotificationDelivery) -> Entry {
    let caller = Caller::system();
    let (operation, status, severity) = match delivery.status {
        DeliveryStatus::Delivered => ("delivery.succeed", ActionStatus::Success, Severity::Info),
        _ => ("delivery.give_up", ActionStatus::Failed, Severity::Medium),
    };
    let last = delivery.attempts.last();
    let outcome = last.and_then(|attempt| match (&attempt.error, attempt.status) {
        (Some(error), _) => Some(error.clone()),
        (None, Some(status)) => Some(format!("answered {status}")),
        (None, None) => None,
    });

    Entry::for_event(&events::DELIVERY)
        .by(caller.actor)
        .on(ResourceRef::new(
            delivery.target.kind(),
            delivery.target.id(),
        ))
        .with_severity(severity)
        .with_action(operation, status, caller.method)
        .with_metadata("delivery_id", delivery.id.0.clone())
        .with_metadata("event", delivery.event.clone())
        .with_metadata("attempts", delivery.tries)
        .with_metadata("outcome", outcome.unwrap_or_default())
}
