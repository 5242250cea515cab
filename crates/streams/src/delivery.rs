//! Judgement of each answer of a receiver.
//!
//! A refused batch is halved until one entry is left, or cut where the receiver names the entry. An
//! entry that is refused alone becomes a dead letter, and the stream continues behind it. A receiver
//! that refuses entry after entry is set up wrongly: the stream waits rather than turning the log
//! into dead letters.

use jiff::{SignedDuration, Timestamp};

use crate::dead_letter::DeadLetter;
use crate::limits::BatchLimits;
use crate::port::{Acked, SendError};
use crate::record::StreamRecord;
use crate::state::{StreamFailure, StreamState};

/// Longest wait after a failure that may pass, seconds: a receiver that returns is found within it.
const LONGEST_WAIT_S: i64 = 60;
/// Wait after a failure that a person has to end, seconds. The receiver may be repaired on its own
/// side, so the stream tries again.
const WAIT_FOR_PERSON_S: i64 = 300;
/// Longest wait that a receiver may ask for, seconds.
const LONGEST_RETRY_AFTER_S: u64 = 3600;
/// Entries refused alone, one after the other, after which the receiver counts as set up wrongly.
const REFUSED_IN_A_ROW: u32 = 10;
/// Time of failures after which the log records them.
const PATIENCE: SignedDuration = SignedDuration::from_mins(5);
/// Shortest time between two entries in the log about dead letters of a stream: the entry itself is
/// sent by the stream and may be refused too.
const BETWEEN_DEAD_LETTERS: SignedDuration = SignedDuration::from_hours(1);

/// Change of a stream that the log records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// It fails, and a person should look.
    Failing,
    /// It sends again.
    Recovered,
    /// An entry became a dead letter.
    DeadLetter,
}

/// Consequence of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryJudgement {
    /// Records at the front of the batch that are done with.
    pub done: usize,
    /// The first of the batch, if it was refused alone.
    pub dead_letter: Option<DeadLetter>,
    /// Change for the log.
    pub transition: Option<Transition>,
}

/// A stream that sends: its state, and the bound that the last refusal gave.
#[derive(Debug, Clone)]
pub struct StreamDelivery {
    pub state: StreamState,
    /// Most records of the next batch, after a refusal.
    bound: Option<usize>,
    /// Entries refused alone since the last success.
    refused_alone: u32,
}

impl StreamDelivery {
    /// Takes up a stream where it stands.
    #[must_use]
    pub fn new(state: StreamState) -> StreamDelivery {
        StreamDelivery {
            state,
            bound: None,
            refused_alone: 0,
        }
    }

    /// Returns how many records make the next batch.
    #[must_use]
    pub fn count(&self, records: &[StreamRecord], limits: &BatchLimits) -> usize {
        limits.count(records).min(self.bound.unwrap_or(usize::MAX))
    }

    /// Returns the time that is left before the next attempt.
    #[must_use]
    pub fn wait(&self, now: Timestamp) -> Option<SignedDuration> {
        let left = self.state.retry_at?.duration_since(now);
        left.is_positive().then_some(left)
    }

    /// Judges the answer to a batch, which has one record at least.
    pub fn judge(
        &mut self,
        batch: &[StreamRecord],
        answer: Result<Acked, SendError>,
        now: Timestamp,
    ) -> DeliveryJudgement {
        match answer {
            Ok(Acked { through }) => self.succeeded(batch, through, now),
            Err(SendError::Refused { message, index }) => self.refused(batch, message, index, now),
            Err(SendError::Passing {
                message,
                retry_after_s,
            }) => self.failed(message, false, retry_after_s, now),
            Err(SendError::Configuration { message }) => self.failed(message, true, None, now),
        }
    }

    fn succeeded(
        &mut self,
        batch: &[StreamRecord],
        through: u64,
        now: Timestamp,
    ) -> DeliveryJudgement {
        let done = batch
            .iter()
            .take_while(|record| record.sequence <= through)
            .count();
        if done == 0 {
            // A receiver that confirms nothing of what it answers with success.
            let message = "the receiver confirmed none of the entries".to_owned();
            return self.failed(message, false, None, now);
        }

        let bytes: usize = batch
            .iter()
            .take(done)
            .map(|record| record.body.len())
            .sum();
        self.state.sent_entries += done as u64;
        self.state.sent_batches += 1;
        self.state.sent_bytes += bytes as u64;
        self.state.throughput.add(done as u64, now);
        self.state.last_sent_at = Some(now);
        // Twice as much as went through, so that a large batch is reached in a few steps.
        self.bound = self.bound.map(|bound| bound.saturating_mul(2));
        self.refused_alone = 0;

        DeliveryJudgement {
            done,
            dead_letter: None,
            transition: self.works_again(),
        }
    }

    fn works_again(&mut self) -> Option<Transition> {
        self.state.failures = 0;
        self.state.failing_since = None;
        self.state.retry_at = None;
        let was_recorded = std::mem::take(&mut self.state.failure_is_recorded);
        was_recorded.then_some(Transition::Recovered)
    }

    fn refused(
        &mut self,
        batch: &[StreamRecord],
        message: String,
        index: Option<usize>,
        now: Timestamp,
    ) -> DeliveryJudgement {
        if batch.len() > 1 {
            let named = index.filter(|index| *index < batch.len());
            self.bound = Some(named.unwrap_or(batch.len() / 2).max(1));
            return DeliveryJudgement::default();
        }

        self.refused_alone += 1;
        if self.refused_alone > REFUSED_IN_A_ROW {
            let message =
                format!("{REFUSED_IN_A_ROW} entries were refused one after the other: {message}");
            return self.failed(message, true, None, now);
        }

        // The receiver answers, so the stream does not fail.
        self.state.last_failure = Some(StreamFailure {
            at: now,
            message: message.clone(),
            needs_person: false,
        });
        let is_due = self
            .state
            .dead_letter_recorded_at
            .is_none_or(|at| now.duration_since(at) >= BETWEEN_DEAD_LETTERS);
        if is_due {
            self.state.dead_letter_recorded_at = Some(now);
        }

        DeliveryJudgement {
            done: 1,
            dead_letter: batch.first().map(|record| DeadLetter {
                sequence: record.sequence,
                event_id: record.event_id.clone(),
                reason: message,
                refused_at: now,
                replays: 0,
            }),
            transition: is_due.then_some(Transition::DeadLetter),
        }
    }

    fn failed(
        &mut self,
        message: String,
        needs_person: bool,
        retry_after_s: Option<u64>,
        now: Timestamp,
    ) -> DeliveryJudgement {
        let state = &mut self.state;
        let growing = 1_i64 << state.failures.min(6);
        let wait_s = match retry_after_s {
            _ if needs_person => WAIT_FOR_PERSON_S,
            Some(asked) => i64::try_from(asked.min(LONGEST_RETRY_AFTER_S)).unwrap_or(growing),
            None => growing.min(LONGEST_WAIT_S),
        };
        state.failures = state.failures.saturating_add(1);
        state.retry_at = Some(now + SignedDuration::from_secs(wait_s.max(1)));
        let since = *state.failing_since.get_or_insert(now);
        state.last_failure = Some(StreamFailure {
            at: now,
            message,
            needs_person,
        });

        let is_news =
            !state.failure_is_recorded && (needs_person || now.duration_since(since) >= PATIENCE);
        if is_news {
            state.failure_is_recorded = true;
        }

        DeliveryJudgement {
            transition: is_news.then_some(Transition::Failing),
            ..DeliveryJudgement::default()
        }
    }
}

#[cfg(test)]
mod tests;
