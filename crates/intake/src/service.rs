//! Service that takes the events of sources in: read, append, answer for each, keep the unreadable.
//!
//! Entries are durable before anything is answered, and before rejected events are kept: a sender
//! that gets no answer sends the body again, and everything in it is known then.

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;

use futures::lock::Mutex;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Draft, FieldError, Submitter, SubmitterType, events};
use reeve_estate::StoreError;
use reeve_ledger::{AppendError, Receipt};
use reeve_recommend::ports::{Clock, RecordError, Recorder};
use serde::{Deserialize, Serialize};

use crate::format::{Encoding, ReadEvent, read};
use crate::log_entry;
use crate::port::{EntryAppender, LogSourceStore};
use crate::quarantine::{MAX_QUARANTINED, QuarantineId, QuarantinedEvent};
use crate::rejection::Rejection;
use crate::source::{LogSource, LogSourceId, SourceProgress};

/// Entries appended at once after a body with a conflict was refused as a whole: each conflict
/// repeats the work for one such part alone.
const PART: usize = 64;
/// Rejections of one source within this time are one entry of the log, after the first.
const REJECTIONS: SignedDuration = SignedDuration::from_mins(10);

/// Ports of the service.
pub struct IntakePorts {
    pub sources: Arc<dyn LogSourceStore>,
    pub log: Arc<dyn EntryAppender>,
    /// Writer of Reeve's own entries.
    pub recorder: Arc<dyn Recorder>,
    pub clock: Arc<dyn Clock>,
}

/// Reason why a body was not taken. Nothing of it is answered for.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Record(#[from] RecordError),
    /// An event in quarantine was not kept as a whole.
    #[error("the event was too long to be kept as a whole, so it cannot be retried")]
    Truncated,
}

/// Outcome of one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum EventOutcome {
    /// It is a new entry.
    Accepted { event_id: String, sequence: u64 },
    /// Its entry was in the log.
    Duplicate {
        event_id: String,
        sequence: Option<u64>,
    },
    /// It cannot be an entry.
    Rejected(Rejection),
}

/// Answer to a body: an outcome for each event, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Received {
    pub outcomes: Vec<EventOutcome>,
    /// Rejected events that are in quarantine. Fewer than were rejected if it is full.
    pub quarantined: u64,
    /// Time of the newest event.
    pub newest: Option<Timestamp>,
}

impl Received {
    /// Returns the numbers of accepted, known and rejected events.
    #[must_use]
    pub fn counts(&self) -> (u64, u64, u64) {
        let mut counts = (0, 0, 0);
        for outcome in &self.outcomes {
            match outcome {
                EventOutcome::Accepted { .. } => counts.0 += 1,
                EventOutcome::Duplicate { .. } => counts.1 += 1,
                EventOutcome::Rejected(_) => counts.2 += 1,
            }
        }
        counts
    }
}

/// Service that takes the events of sources in.
pub struct SourceIntake {
    ports: IntakePorts,
    /// Held while the course of a source is read, changed and written: bodies arrive at once.
    noting: Mutex<()>,
}

impl SourceIntake {
    /// Puts the ports together.
    #[must_use]
    pub fn new(ports: IntakePorts) -> SourceIntake {
        SourceIntake {
            ports,
            noting: Mutex::new(()),
        }
    }

    /// Returns the store of sources.
    #[must_use]
    pub fn sources(&self) -> &dyn LogSourceStore {
        &*self.ports.sources
    }

    /// Takes a body of a source. `address` is the sender's, where it is known.
    ///
    /// # Errors
    /// The log or the store took nothing; the sender should try again.
    pub async fn receive(
        &self,
        source: &LogSource,
        (body, encoding): (&[u8], Encoding),
        address: Option<IpAddr>,
    ) -> Result<Received, IntakeError> {
        let format = (source.kind, source.mapping.as_ref());
        let now = self.ports.clock.now();
        let events = read(&source.name, format, (body, encoding), now);
        self.take(source, body, events, address).await
    }

    /// Takes the events of a body that is read already. A body in which no event can be told is
    /// rejected as a whole.
    ///
    /// # Errors
    /// As [`SourceIntake::receive`].
    pub async fn take(
        &self,
        source: &LogSource,
        body: &[u8],
        events: Result<Vec<ReadEvent>, Rejection>,
        address: Option<IpAddr>,
    ) -> Result<Received, IntakeError> {
        let now = self.ports.clock.now();
        let events = match events {
            Ok(events) => events,
            Err(rejection) => return self.reject_whole(source, body, rejection, now).await,
        };
        let (received, rejected) = self.append(source, events, address).await?;
        let quarantined = self.quarantine(source, &rejected, now).await?;
        let received = Received {
            quarantined,
            ..received
        };
        self.note(source, &received, now).await?;
        Ok(received)
    }

    /// Keeps something that came from a source and names no event: a message or a file that cannot be
    /// read.
    ///
    /// # Errors
    /// The log or the store failed.
    pub async fn reject(
        &self,
        source: &LogSource,
        raw: &[u8],
        reason: &str,
    ) -> Result<(), IntakeError> {
        let now = self.ports.clock.now();
        let rejection = Rejection::new("", reason);
        self.reject_whole(source, raw, rejection, now).await?;
        Ok(())
    }

    /// Notes a digest that proves its hour, or records the reason for which it does not.
    ///
    /// # Errors
    /// The log or the store failed.
    pub async fn prove(
        &self,
        source: &LogSource,
        file: &str,
        proof: Result<Timestamp, impl Display>,
    ) -> Result<(), IntakeError> {
        let now = self.ports.clock.now();
        let proof = proof.map_err(|reason| reason.to_string());
        if let Err(reason) = &proof {
            let entry = log_entry::unproven(source, file, reason, now)?;
            self.ports.recorder.record_once(entry).await?;
        }
        self.change_progress(&source.id, |progress| match proof {
            Ok(end) => {
                progress.digests_valid += 1;
                progress.last_digest_at = progress.last_digest_at.max(Some(end));
            }
            Err(reason) => progress.fail(format!("{file}: {reason}"), now),
        })
        .await?;
        Ok(())
    }

    /// Keeps a body in which no event can be told.
    async fn reject_whole(
        &self,
        source: &LogSource,
        body: &[u8],
        rejection: Rejection,
        now: Timestamp,
    ) -> Result<Received, IntakeError> {
        let event = QuarantinedEvent::new(&source.id, body, rejection.clone(), now);
        let received = Received {
            outcomes: vec![EventOutcome::Rejected(rejection)],
            quarantined: self.quarantine(source, &[event], now).await?,
            newest: None,
        };
        self.note(source, &received, now).await?;
        Ok(received)
    }

    async fn append(
        &self,
        source: &LogSource,
        events: Vec<ReadEvent>,
        address: Option<IpAddr>,
    ) -> Result<(Received, Vec<QuarantinedEvent>), IntakeError> {
        let now = self.ports.clock.now();
        let submitter = Arc::new(submitter(source, address));
        let mut outcomes = vec![None; events.len()];
        let (mut rejected, mut waiting) = (Vec::new(), Vec::new());
        for (index, event) in events.into_iter().enumerate() {
            match permitted(source, event.draft, &submitter) {
                Ok(draft) => waiting.push(Waiting {
                    index,
                    draft,
                    digest_id: event.digest_id,
                }),
                Err(rejection) => {
                    let kept =
                        QuarantinedEvent::new(&source.id, &event.raw, rejection.clone(), now);
                    rejected.push(kept);
                    outcomes[index] = Some(EventOutcome::Rejected(rejection));
                }
            }
        }

        let newest = waiting.iter().map(|one| one.draft.entry.timestamp).max();
        self.append_all(waiting, &submitter, &mut outcomes).await?;
        let received = Received {
            outcomes: outcomes.into_iter().flatten().collect(),
            quarantined: 0,
            newest,
        };
        Ok((received, rejected))
    }

    /// Appends entries. One whose identifier another entry has gets the identifier of its bytes; when
    /// that is taken too, the very same event was recorded under an earlier mapping.
    async fn append_all(
        &self,
        mut waiting: Vec<Waiting>,
        submitter: &Arc<Submitter>,
        outcomes: &mut [Option<EventOutcome>],
    ) -> Result<(), IntakeError> {
        let mut size = waiting.len();
        while !waiting.is_empty() {
            let part: Vec<Draft> = waiting
                .iter()
                .take(size)
                .map(|one| one.draft.clone())
                .collect();
            let length = part.len();
            match self.ports.log.append(part).await {
                Ok(receipts) => {
                    for (one, receipt) in waiting.drain(..length).zip(receipts) {
                        outcomes[one.index] = Some(outcome(receipt));
                    }
                }
                Err(AppendError::Conflict { index, event_id }) if index < length => {
                    size = PART;
                    let one = &mut waiting[index];
                    match one.under_digest(submitter) {
                        Some(draft) => one.draft = draft,
                        None => {
                            let one = waiting.remove(index);
                            let known = EventOutcome::Duplicate {
                                event_id,
                                sequence: None,
                            };
                            outcomes[one.index] = Some(known);
                        }
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn quarantine(
        &self,
        source: &LogSource,
        rejected: &[QuarantinedEvent],
        now: Timestamp,
    ) -> Result<u64, IntakeError> {
        let Some(last) = rejected.last() else {
            return Ok(0);
        };
        let kept = self
            .ports
            .sources
            .quarantine_insert(rejected, MAX_QUARANTINED)
            .await?;

        let _turn = self.noting.lock().await;
        let mut progress = self.ports.sources.log_source_progress(&source.id).await?;
        progress.fail(last.rejection.to_string(), now);
        progress.rejections_unrecorded += rejected.len() as u64;
        let is_due = progress
            .rejections_recorded_at
            .is_none_or(|at| now.duration_since(at) >= REJECTIONS);
        if is_due {
            let count = progress.rejections_unrecorded;
            let entry = log_entry::rejections(source, count, &last.rejection.to_string(), now);
            self.ports.recorder.record(vec![entry]).await?;
            progress.rejections_unrecorded = 0;
            progress.rejections_recorded_at = Some(now);
        }
        self.ports
            .sources
            .log_source_progress_put(&source.id, &progress)
            .await?;
        Ok(kept)
    }

    /// Adds a body to the course of its source, and ends a silence that was reported.
    async fn note(
        &self,
        source: &LogSource,
        received: &Received,
        now: Timestamp,
    ) -> Result<(), IntakeError> {
        let (accepted, duplicates, rejected) = received.counts();
        self.change_progress(&source.id, |progress| {
            progress.accepted += accepted;
            progress.duplicates += duplicates;
            progress.rejected += rejected;
            progress.last_received_at = Some(now);
            if let Some(newest) = received.newest {
                progress.last_event_at = progress.last_event_at.max(Some(newest));
                let lag = now.as_millisecond() - newest.as_millisecond();
                progress.lag_ms = u64::try_from(lag.max(0)).ok();
            }
            // A silence that was reported ends where the watch sees it, with its entry.
            if progress.silent_since.is_none() {
                progress.rhythm.note(now);
            }
        })
        .await?;
        Ok(())
    }

    /// Changes the course of a source.
    ///
    /// # Errors
    /// The store failed.
    pub async fn change_progress(
        &self,
        id: &LogSourceId,
        change: impl FnOnce(&mut SourceProgress) + Send,
    ) -> Result<SourceProgress, StoreError> {
        let _turn = self.noting.lock().await;
        let mut progress = self.ports.sources.log_source_progress(id).await?;
        change(&mut progress);
        self.ports
            .sources
            .log_source_progress_put(id, &progress)
            .await?;
        Ok(progress)
    }

    /// Tries an event in quarantine again, with the source as it is now. One that becomes an entry
    /// leaves the quarantine.
    ///
    /// # Errors
    /// The event does not exist or was not kept as a whole; the log or the store failed.
    pub async fn retry(
        &self,
        source: &LogSource,
        id: &QuarantineId,
    ) -> Result<EventOutcome, IntakeError> {
        let sources = &self.ports.sources;
        let mut event = sources.quarantine_get(&source.id, id).await?;
        if !event.is_whole {
            return Err(IntakeError::Truncated);
        }
        let now = self.ports.clock.now();
        let format = (source.kind, source.mapping.as_ref());
        let events = read(&source.name, format, (&event.raw, Encoding::Text), now);
        let outcome = match events {
            Ok(events) => {
                let (received, _) = self.append(source, events, None).await?;
                let rejected = received
                    .outcomes
                    .iter()
                    .find(|one| matches!(one, EventOutcome::Rejected(_)));
                rejected.or(received.outcomes.first()).cloned()
            }
            Err(rejection) => Some(EventOutcome::Rejected(rejection)),
        };
        let outcome = outcome
            .unwrap_or_else(|| EventOutcome::Rejected(Rejection::new("", "the body has no event")));

        if let EventOutcome::Rejected(rejection) = &outcome {
            event.rejection = rejection.clone();
            event.attempts += 1;
            sources.quarantine_update(&event).await?;
        } else {
            sources.quarantine_delete(&source.id, id).await?;
            self.change_progress(&source.id, |progress| match &outcome {
                EventOutcome::Accepted { .. } => progress.accepted += 1,
                _ => progress.duplicates += 1,
            })
            .await?;
        }
        Ok(outcome)
    }

    /// Looks for sources that became silent or speak again, and records both. Returns the sources
    /// whose state changed, with their course.
    ///
    /// # Errors
    /// The log or the store failed.
    pub async fn watch(&self) -> Result<Vec<(LogSource, SourceProgress)>, IntakeError> {
        let now = self.ports.clock.now();
        let mut changed = Vec::new();
        for source in self.ports.sources.log_source_list().await? {
            let _turn = self.noting.lock().await;
            let mut progress = self.ports.sources.log_source_progress(&source.id).await?;
            let was_silent = progress.silent_since;
            let received = progress.last_received_at;
            let has_digests = !source.misses_digests(&progress, now);
            let is_over = has_digests
                && was_silent.is_some_and(|since| received.is_some_and(|at| at > since));
            let is_silent = was_silent.is_none()
                && source.enabled
                && (!has_digests
                    || source
                        .silent_after(&progress)
                        .is_some_and(|after| now > after));
            let (kind, operation) = match (
                is_over || !source.enabled && was_silent.is_some(),
                is_silent,
            ) {
                (true, _) => (&events::SOURCE_RECOVER, "recover_source"),
                (false, true) => (&events::SOURCE_SILENT, "report_silence"),
                (false, false) => continue,
            };

            let since = was_silent.or(received).unwrap_or(now);
            let entry = log_entry::about(kind, operation, &source, now)
                .with_metadata("silent_since", reeve_audit::format_instant(since))
                .with_metadata("longest_gap_ms", progress.rhythm.longest_gap_ms);
            self.ports.recorder.record(vec![entry]).await?;
            if is_silent {
                progress.silent_since = Some(since);
            } else {
                progress.silent_since = None;
                progress.rhythm.end_silence(received.unwrap_or(now));
            }
            self.ports
                .sources
                .log_source_progress_put(&source.id, &progress)
                .await?;
            changed.push((source, progress));
        }
        Ok(changed)
    }
}

/// An entry that is not appended yet.
struct Waiting {
    /// Place of its event in the body.
    index: usize,
    draft: Draft,
    digest_id: reeve_audit::EventId,
}

impl Waiting {
    /// Returns the entry under the identifier of its bytes; `None` if it has that already.
    fn under_digest(&self, submitter: &Arc<Submitter>) -> Option<Draft> {
        if self.draft.entry.event_id == self.digest_id {
            return None;
        }
        let mut entry = self.draft.entry.clone();
        entry.event_id = self.digest_id.clone();
        let draft = Draft::from_entry(entry, self.draft.recorded_at).ok()?;
        Draft::submitted_by(vec![draft], submitter).ok()?.pop()
    }
}

fn outcome(receipt: Receipt) -> EventOutcome {
    match receipt.duplicate {
        true => EventOutcome::Duplicate {
            event_id: receipt.event_id,
            sequence: Some(receipt.sequence),
        },
        false => EventOutcome::Accepted {
            event_id: receipt.event_id,
            sequence: receipt.sequence,
        },
    }
}

fn submitter(source: &LogSource, address: Option<IpAddr>) -> Submitter {
    Submitter {
        id: Some(source.name.clone()),
        token_id: Some(source.id.0.clone()),
        ip_address: address,
        ..Submitter::new(SubmitterType::Source)
    }
}

/// Puts the source on a draft, unless it may not write the entry.
fn permitted(
    source: &LogSource,
    draft: Result<Draft, Rejection>,
    submitter: &Arc<Submitter>,
) -> Result<Draft, Rejection> {
    let draft = draft?;
    if let Some(rejection) = source.refuses(&draft.entry.event_type) {
        return Err(rejection);
    }
    let refused = |(_, error): (usize, FieldError)| Rejection::of(&[error]);
    let mut drafts = Draft::submitted_by(vec![draft], submitter).map_err(refused)?;
    drafts
        .pop()
        .ok_or_else(|| Rejection::new("", "there is no entry"))
}
