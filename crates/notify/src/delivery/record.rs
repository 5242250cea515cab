//! A delivery and its attempts.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::notification::ChannelId;
use crate::webhook::WebhookId;

/// Waits after the first failed attempt, the second, and so on: the schedule that Standard Webhooks
/// recommends, over 27 hours. A delivery that fails once more is a dead letter.
pub const SCHEDULE: [SignedDuration; 7] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(10),
];

/// Largest part of a response body that is stored, bytes.
pub const EXCERPT: usize = 1024;

/// A receiver may ask to be left alone for as long as the schedule's own longest wait, and no
/// longer.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(10);

/// Attempts that are kept of one delivery: the newest.
const KEPT: usize = 24;

/// Time that a process has for a claimed delivery before another process may claim it.
const CLAIM: SignedDuration = SignedDuration::from_secs(90);

/// A delivery's identifier, made by Reeve; receivers know a repeated message by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeliveryId(pub String);

named!(
    /// Status of a delivery.
    DeliveryStatus {
        /// Waiting for its first attempt or the next.
        Pending => "pending",
        /// The receiver accepted it.
        Delivered => "delivered",
        /// Given up; it can be replayed.
        DeadLetter => "dead_letter",
    }
);

/// Target of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryTarget {
    Webhook(WebhookId),
    Channel(ChannelId),
}

impl DeliveryTarget {
    /// Returns `webhook` or `channel`, the name in the store and the log.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            DeliveryTarget::Webhook(_) => "webhook",
            DeliveryTarget::Channel(_) => "channel",
        }
    }

    /// Returns the identifier of the webhook or channel.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            DeliveryTarget::Webhook(WebhookId(id)) | DeliveryTarget::Channel(ChannelId(id)) => id,
        }
    }
}

/// One attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAttempt {
    /// Start of the attempt.
    pub at: Timestamp,
    pub duration_ms: u64,
    /// The answer's HTTP or SMTP status, where there was one.
    pub status: Option<u16>,
    /// The answer's beginning, at most [`EXCERPT`] bytes.
    pub answer: String,
    /// Reason why there was no answer.
    pub error: Option<String>,
    /// `true` if the message arrived.
    pub ok: bool,
    /// `true` if the receiver answered 410 (Gone), which ends the subscription.
    pub gone: bool,
    /// Delay that the receiver requested (`Retry-After`), seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

/// One message to one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationDelivery {
    pub id: DeliveryId,
    /// Target of the delivery.
    pub target: DeliveryTarget,
    /// Event (`recommendation_ready`, `test`, `daily_digest`, ...).
    pub event: String,
    /// Key that prevents repeated messages: unique for a target.
    pub subject: String,
    pub status: DeliveryStatus,
    /// Attempts since it was made or last replayed.
    pub tries: u32,
    /// Attempts, the oldest first.
    pub attempts: Vec<DeliveryAttempt>,
    pub created_at: Timestamp,
    /// Time of the next attempt, while pending.
    pub next_attempt_at: Option<Timestamp>,
    /// Time at which it arrived or was given up.
    pub finished_at: Option<Timestamp>,
    /// Grows by one with every change.
    pub version: u64,
}

impl NotificationDelivery {
    /// A new one, due at once.
    #[must_use]
    pub fn new(
        target: DeliveryTarget,
        event: &str,
        subject: String,
        now: Timestamp,
    ) -> NotificationDelivery {
        NotificationDelivery {
            id: DeliveryId(format!("msg_{}", uuid::Uuid::now_v7().simple())),
            target,
            event: event.to_owned(),
            subject,
            status: DeliveryStatus::Pending,
            tries: 0,
            attempts: Vec::new(),
            created_at: now,
            next_attempt_at: Some(now),
            finished_at: None,
            version: 1,
        }
    }

    /// Claimed by whoever is about to send it.
    #[must_use]
    pub fn claimed(&self, now: Timestamp) -> NotificationDelivery {
        let until = now.saturating_add(CLAIM).unwrap_or(now);
        NotificationDelivery {
            next_attempt_at: Some(until),
            version: self.version + 1,
            ..self.clone()
        }
    }

    /// After an attempt: arrived, due again, or given up.
    #[must_use]
    pub fn after(&self, attempt: DeliveryAttempt, now: Timestamp) -> NotificationDelivery {
        let mut next = NotificationDelivery {
            tries: self.tries + 1,
            version: self.version + 1,
            ..self.clone()
        };
        let asked = i64::try_from(attempt.retry_after_s.unwrap_or(0)).unwrap_or(i64::MAX);
        let asked = SignedDuration::from_secs(asked).min(LONGEST_WAIT);
        let wait = SCHEDULE
            .get(next.tries as usize - 1)
            .filter(|_| !attempt.gone);
        (next.status, next.next_attempt_at) = match wait {
            _ if attempt.ok => (DeliveryStatus::Delivered, None),
            Some(wait) => (
                DeliveryStatus::Pending,
                now.saturating_add(asked.max(*wait)).ok(),
            ),
            None => (DeliveryStatus::DeadLetter, None),
        };

        next.finished_at = (next.status != DeliveryStatus::Pending).then_some(now);
        next.attempts.push(attempt);
        let surplus = next.attempts.len().saturating_sub(KEPT);
        next.attempts.drain(..surplus);

        next
    }

    /// After the one attempt of a test, which is not tried again.
    #[must_use]
    pub fn tested(&self, attempt: DeliveryAttempt, now: Timestamp) -> NotificationDelivery {
        let status = if attempt.ok {
            DeliveryStatus::Delivered
        } else {
            DeliveryStatus::DeadLetter
        };

        let after = self.after(attempt, now);
        NotificationDelivery {
            status,
            next_attempt_at: None,
            finished_at: Some(now),
            ..after
        }
    }

    /// Given up without an attempt, with the reason: its target is switched off, or cannot be read.
    #[must_use]
    pub fn given_up(&self, reason: &str, now: Timestamp) -> NotificationDelivery {
        let attempt = DeliveryAttempt {
            at: now,
            duration_ms: 0,
            status: None,
            answer: String::new(),
            error: Some(reason.to_owned()),
            ok: false,
            gone: true,
            retry_after_s: None,
        };
        self.after(attempt, now)
    }

    /// To be tried from the start again, under the same identifier.
    #[must_use]
    pub fn replayed(&self, now: Timestamp) -> NotificationDelivery {
        NotificationDelivery {
            status: DeliveryStatus::Pending,
            tries: 0,
            next_attempt_at: Some(now),
            finished_at: None,
            version: self.version + 1,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn attempt(at: Timestamp, status: u16) -> DeliveryAttempt {
        let (ok, gone) = ((200..300).contains(&status), status == 410);
        let (status, answer) = (Some(status), String::new());
        DeliveryAttempt {
            at,
            duration_ms: 3,
            status,
            answer,
            error: None,
            ok,
            gone,
            retry_after_s: None,
        }
    }

    #[test]
    fn a_receiver_that_asks_for_time_gets_it_within_bounds() {
        let now = Timestamp::UNIX_EPOCH;
        let delivery = NotificationDelivery::new(
            DeliveryTarget::Webhook(WebhookId("w".into())),
            "test",
            "s".into(),
            now,
        );

        for (asked, waits) in [
            (None, 5),
            (Some(0), 5),
            (Some(3), 5),
            (Some(120), 120),
            (Some(u64::MAX), 36_000),
        ] {
            let busy = DeliveryAttempt {
                retry_after_s: asked,
                ..attempt(now, 429)
            };
            let next = delivery.after(busy, now).next_attempt_at.unwrap();
            assert_eq!(next.as_second(), waits, "{asked:?}");
        }

        // It asks for time, not for more attempts.
        let mut last = delivery;
        for _ in 0..=SCHEDULE.len() {
            last = last.after(
                DeliveryAttempt {
                    retry_after_s: Some(60),
                    ..attempt(now, 503)
                },
                now,
            );
        }

        assert_eq!(last.status, DeliveryStatus::DeadLetter);
    }

    #[test]
    fn a_day_of_attempts_then_a_dead_letter_then_a_replay() {
        let start: Timestamp = "2026-11-21T00:00:00Z".parse().unwrap();
        let mut delivery = NotificationDelivery::new(
            DeliveryTarget::Webhook(WebhookId("w".into())),
            "test",
            "s".into(),
            start,
        );

        let mut now = start;
        let mut at = Vec::new();

        while let Some(next) = delivery.next_attempt_at {
            now = next;
            at.push((now - start).total(jiff::Unit::Second).unwrap() as i64);
            delivery = delivery.claimed(now).after(attempt(now, 503), now);
        }

        assert_eq!(
            at,
            [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 99_305],
            "seconds after the first attempt"
        );

        assert_eq!(
            (delivery.status, delivery.tries),
            (DeliveryStatus::DeadLetter, 8)
        );
        assert_eq!(delivery.finished_at, Some(now));

        let id = delivery.id.clone();
        let again = delivery.replayed(now);
        assert_eq!(
            (again.status, again.tries, again.next_attempt_at),
            (DeliveryStatus::Pending, 0, Some(now))
        );

        let done = again.after(attempt(now, 204), now);
        assert_eq!(
            (done.status, done.next_attempt_at, done.attempts.len()),
            (DeliveryStatus::Delivered, None, 9)
        );
        assert_eq!(done.id, id, "the receiver knows it again");
    }

    #[test]
    fn gone_is_not_tried_again() {
        let now = Timestamp::UNIX_EPOCH;
        let delivery = NotificationDelivery::new(
            DeliveryTarget::Channel(ChannelId("c".into())),
            "test",
            "s".into(),
            now,
        );

        assert_eq!(
            delivery.after(attempt(now, 410), now).status,
            DeliveryStatus::DeadLetter
        );

        let given_up = delivery.given_up("the webhook is disabled", now);
        assert_eq!(given_up.status, DeliveryStatus::DeadLetter);

        let mut replayed = delivery;
        for _ in 0..100 {
            replayed = replayed.after(attempt(now, 500), now).replayed(now);
        }

        assert_eq!(replayed.attempts.len(), KEPT);
    }
}
