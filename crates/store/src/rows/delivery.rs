//! A delivery with its attempts, and a notice that waits for its digest.

use jiff::Timestamp;
use reeve_notify::delivery::{
    DeliveryAttempt, DeliveryId, DeliveryStatus, DeliveryTarget, NotificationDelivery, Topic,
};
use reeve_notify::notification::{ChannelId, Message, Notice, NoticeId};
use reeve_notify::webhook::WebhookId;
use reeve_recommend::agent::{AgentId, Timing};
use serde::{Deserialize, Serialize};

use super::RowError;

/// A delivery, all but its body.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeliveryRow {
    id: DeliveryId,
    target_kind: String,
    target_id: String,
    event: String,
    subject: String,
    status: DeliveryStatus,
    tries: u32,
    attempts: Vec<DeliveryAttempt>,
    created_at: Timestamp,
    next_attempt_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    version: u64,
}

impl From<&NotificationDelivery> for DeliveryRow {
    fn from(delivery: &NotificationDelivery) -> Self {
        DeliveryRow {
            id: delivery.id.clone(),
            target_kind: delivery.target.kind().to_owned(),
            target_id: delivery.target.id().to_owned(),
            event: delivery.event.clone(),
            subject: delivery.subject.clone(),
            status: delivery.status,
            tries: delivery.tries,
            attempts: delivery.attempts.clone(),
            created_at: delivery.created_at,
            next_attempt_at: delivery.next_attempt_at,
            finished_at: delivery.finished_at,
            version: delivery.version,
        }
    }
}

impl DeliveryRow {
    pub(crate) fn into_delivery(self) -> Result<NotificationDelivery, RowError> {
        let target = match self.target_kind.as_str() {
            "webhook" => DeliveryTarget::Webhook(WebhookId(self.target_id)),
            "channel" => DeliveryTarget::Channel(ChannelId(self.target_id)),
            _ => {
                return Err(RowError::Unknown {
                    field: "target_kind",
                    value: self.target_kind,
                });
            }
        };
        Ok(NotificationDelivery {
            id: self.id,
            target,
            event: self.event,
            subject: self.subject,
            status: self.status,
            tries: self.tries,
            attempts: self.attempts,
            created_at: self.created_at,
            next_attempt_at: self.next_attempt_at,
            finished_at: self.finished_at,
            version: self.version,
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NoticeRow {
    agent_id: AgentId,
    topic: Topic,
    timing: Timing,
    subject: String,
    message: String,
    at: Timestamp,
    due_at: Timestamp,
}

impl From<&Notice> for NoticeRow {
    fn from(notice: &Notice) -> Self {
        NoticeRow {
            agent_id: notice.agent.clone(),
            topic: notice.topic,
            timing: notice.timing,
            subject: notice.subject.clone(),
            message: notice.message.encode(),
            at: notice.at,
            due_at: notice.due_at,
        }
    }
}

impl NoticeRow {
    pub(crate) fn into_notice(self, id: NoticeId) -> Result<Notice, RowError> {
        let message = Message::decode(&self.message).map_err(|_| RowError::Unknown {
            field: "message",
            value: self.message.clone(),
        })?;
        Ok(Notice {
            id,
            agent: self.agent_id,
            topic: self.topic,
            timing: self.timing,
            subject: self.subject,
            message,
            at: self.at,
            due_at: self.due_at,
        })
    }
}
