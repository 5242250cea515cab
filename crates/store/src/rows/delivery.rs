//! A delivery with its attempts, and a notice that waits for its digest.

use reeve_notify::delivery::{Attempt, Delivery, DeliveryId, DeliveryStatus, Target, Topic};
use reeve_notify::notification::{ChannelId, Message, Notice, NoticeId};
use reeve_notify::webhook::WebhookId;
use reeve_recommend::AgentId;
use reeve_recommend::Timing;
use serde::{Deserialize, Serialize};

use super::{RowError, named, time, time_or_none};

/// A delivery, all but its body.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeliveryRow {
    id: String,
    target_kind: String,
    target_id: String,
    event: String,
    subject: String,
    status: String,
    tries: u32,
    attempts: Vec<AttemptRow>,
    created_at: String,
    next_attempt_at: Option<String>,
    finished_at: Option<String>,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct AttemptRow {
    at: String,
    duration_ms: u64,
    status: Option<u16>,
    answer: String,
    error: Option<String>,
    ok: bool,
    gone: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
}

impl From<&Delivery> for DeliveryRow {
    fn from(delivery: &Delivery) -> Self {
        let attempt = |attempt: &Attempt| AttemptRow {
            at: attempt.at.to_string(),
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            answer: attempt.answer.clone(),
            error: attempt.error.clone(),
            ok: attempt.ok,
            gone: attempt.gone,
            retry_after_s: attempt.retry_after_s,
        };
        DeliveryRow {
            id: delivery.id.0.clone(),
            target_kind: delivery.target.kind().to_owned(),
            target_id: delivery.target.id().to_owned(),
            event: delivery.event.clone(),
            subject: delivery.subject.clone(),
            status: delivery.status.as_str().to_owned(),
            tries: delivery.tries,
            attempts: delivery.attempts.iter().map(attempt).collect(),
            created_at: delivery.created_at.to_string(),
            next_attempt_at: delivery.next_attempt_at.map(|at| at.to_string()),
            finished_at: delivery.finished_at.map(|at| at.to_string()),
            version: delivery.version,
        }
    }
}

impl DeliveryRow {
    pub(crate) fn into_delivery(self) -> Result<Delivery, RowError> {
        let target = match self.target_kind.as_str() {
            "webhook" => Target::Webhook(WebhookId(self.target_id)),
            "channel" => Target::Channel(ChannelId(self.target_id)),
            _ => {
                return Err(RowError::Unknown {
                    field: "target_kind",
                    value: self.target_kind,
                });
            }
        };
        Ok(Delivery {
            id: DeliveryId(self.id),
            target,
            event: self.event,
            subject: self.subject,
            status: named("status", &self.status, DeliveryStatus::parse)?,
            tries: self.tries,
            attempts: self
                .attempts
                .into_iter()
                .map(AttemptRow::into_attempt)
                .collect::<Result<_, _>>()?,
            created_at: time(&self.created_at)?,
            next_attempt_at: time_or_none(self.next_attempt_at.as_deref())?,
            finished_at: time_or_none(self.finished_at.as_deref())?,
            version: self.version,
        })
    }
}

impl AttemptRow {
    fn into_attempt(self) -> Result<Attempt, RowError> {
        Ok(Attempt {
            at: time(&self.at)?,
            duration_ms: self.duration_ms,
            status: self.status,
            answer: self.answer,
            error: self.error,
            ok: self.ok,
            gone: self.gone,
            retry_after_s: self.retry_after_s,
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NoticeRow {
    agent_id: String,
    topic: String,
    timing: String,
    subject: String,
    message: String,
    at: String,
    due_at: String,
}

impl From<&Notice> for NoticeRow {
    fn from(notice: &Notice) -> Self {
        NoticeRow {
            agent_id: notice.agent.0.clone(),
            topic: notice.topic.as_str().to_owned(),
            timing: notice.timing.as_str().to_owned(),
            subject: notice.subject.clone(),
            message: notice.message.encode(),
            at: notice.at.to_string(),
            due_at: notice.due_at.to_string(),
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
            agent: AgentId(self.agent_id),
            topic: named("topic", &self.topic, Topic::parse)?,
            timing: named("timing", &self.timing, Timing::parse)?,
            subject: self.subject,
            message,
            at: time(&self.at)?,
            due_at: time(&self.due_at)?,
        })
    }
}
