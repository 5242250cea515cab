//! The runner of one stream: reads ahead, sends, judges the answer, moves the cursor.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use reeve_access::with_lists;
use reeve_audit::query::Query;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, ResourceRef, Severity, events};
use reeve_estate::StoreError;
use reeve_streams::{
    BatchLimits, DeadLetter, DeliveryJudgement, SendError, Stream, StreamDelivery, StreamRecord,
    StreamSink, StreamState, Transition,
};
use reeve_trail::{Follower, Trail};

use crate::adapters::streams::record_of;
use crate::tasks::context::TaskContext;

/// Time between two looks at the end of the log.
const BEAT: Duration = Duration::from_millis(100);
/// Time between two writes of a cursor that moved past entries that the query does not find.
const PASSED_OVER: Duration = Duration::from_secs(1);
/// Time after which the lists of a query are read again.
const LISTS: Duration = Duration::from_secs(60);
/// Wait after the log or the store could not be read.
const AFTER_ERROR: Duration = Duration::from_secs(5);
/// Entries and canonical bytes of a stretch.
const STRETCH: (usize, usize) = (2_000, 4 << 20);

/// Records that were read ahead.
struct Ahead {
    records: VecDeque<StreamRecord>,
    /// The next sequence to read.
    position: u64,
    /// Entries that cannot be written in the stream's format.
    unwritable: Vec<DeadLetter>,
    /// Time at which the first of the records was read.
    since: Instant,
}

/// The follower of a stream, with its query as the lists stood.
struct Source {
    follower: Follower,
    made_at: Instant,
}

/// Runs one version of a stream.
pub(super) struct StreamRunner {
    context: Arc<TaskContext>,
    trail: Trail,
    stream: Stream,
    sink: Result<Arc<dyn StreamSink>, SendError>,
    limits: BatchLimits,
    delivery: StreamDelivery,
    ahead: Ahead,
    source: Option<Source>,
    /// Time of the last write of the cursor.
    kept_at: Instant,
}

impl StreamRunner {
    pub(super) fn new(
        context: Arc<TaskContext>,
        trail: Trail,
        stream: Stream,
        sink: Result<Arc<dyn StreamSink>, SendError>,
        mut state: StreamState,
    ) -> StreamRunner {
        // A change, a resumption and a restart of the service are reasons to try again.
        state.retry_now();
        StreamRunner {
            limits: BatchLimits::of(stream.settings.kind()),
            ahead: Ahead {
                records: VecDeque::new(),
                position: state.cursor,
                unwritable: Vec::new(),
                since: Instant::now(),
            },
            delivery: StreamDelivery::new(state),
            source: None,
            kept_at: Instant::now(),
            context,
            trail,
            stream,
            sink,
        }
    }

    /// Runs until the cursor was moved by another: a replay, or a server that took over.
    pub(super) async fn run(mut self) {
        loop {
            match self.step().await {
                Ok(Step::Again) => {}
                Ok(Step::Wait(pause)) => tokio::time::sleep(pause).await,
                Ok(Step::Displaced) => return,
                Err(error) => {
                    let message = format!("{}: {error:#}", self.stream.name);
                    self.context.journal.failed("streams.run", message).await;
                    tokio::time::sleep(AFTER_ERROR).await;
                }
            }
        }
    }

    async fn step(&mut self) -> Result<Step> {
        if let Some(wait) = self.delivery.wait(self.context.now()) {
            return Ok(Step::Wait(
                Duration::try_from(wait).unwrap_or(BEAT).max(BEAT),
            ));
        }
        let follower = self.follower().await?;
        fill(
            &self.context,
            &self.stream,
            &follower,
            &self.limits,
            &mut self.ahead,
        )
        .await?;
        if self.ahead.records.is_empty() {
            return self.pass_over().await;
        }
        let age = self.ahead.since.elapsed();
        let is_full = self.limits.is_full(self.ahead.records.make_contiguous());
        if !is_full && age < self.limits.linger {
            return Ok(Step::Wait((self.limits.linger - age).min(BEAT)));
        }

        self.send(&follower).await
    }

    /// Sends the next batch, and reads the one after it meanwhile.
    async fn send(&mut self, follower: &Follower) -> Result<Step> {
        let count = self
            .delivery
            .count(self.ahead.records.make_contiguous(), &self.limits);
        let batch: Vec<StreamRecord> = self.ahead.records.drain(..count).collect();
        self.ahead.since = Instant::now();

        let sink = self.sink.clone();
        let sending = async {
            match &sink {
                Ok(sink) => sink.send(&batch).await,
                Err(error) => Err(error.clone()),
            }
        };
        let (answer, read) = tokio::join!(
            sending,
            fill(
                &self.context,
                &self.stream,
                follower,
                &self.limits,
                &mut self.ahead
            )
        );
        if let Err(error) = read {
            // The answer counts in any case; the log is read again by the next step.
            self.context
                .journal
                .failed("streams.read", format!("{error:#}"))
                .await;
        }

        let judged = self.delivery.judge(&batch, answer, self.context.now());
        let undone = batch.into_iter().skip(judged.done);
        for record in undone.rev() {
            self.ahead.records.push_front(record);
        }
        self.keep(judged).await
    }

    /// Moves the cursor past entries that the query does not find.
    async fn pass_over(&mut self) -> Result<Step> {
        let is_moved = self.ahead.position > self.delivery.state.cursor;
        let is_due = self.kept_at.elapsed() >= PASSED_OVER;
        if (is_moved && is_due) || !self.ahead.unwritable.is_empty() {
            return match self.keep(DeliveryJudgement::default()).await? {
                Step::Displaced => Ok(Step::Displaced),
                Step::Again | Step::Wait(_) => Ok(Step::Wait(BEAT)),
            };
        }
        Ok(Step::Wait(BEAT))
    }

    /// Keeps the state with the dead letters, and records what the log should know.
    async fn keep(&mut self, judged: DeliveryJudgement) -> Result<Step> {
        let from = self.delivery.state.cursor;
        let next = self.ahead.records.front();
        self.delivery.state.cursor = next.map_or(self.ahead.position, |record| record.sequence);
        let mut letters = self.ahead.unwritable.clone();
        letters.extend(judged.dead_letter.clone());

        let store = &self.context.streams;
        let (id, state) = (&self.stream.id, &self.delivery.state);
        match store.stream_advance(id, from, state, &letters).await {
            Ok(()) => {}
            Err(StoreError::Conflict(_)) => return Ok(Step::Displaced),
            Err(error) => {
                self.delivery.state.cursor = from;
                // What was confirmed is sent again: the receiver sees the same identifiers.
                self.ahead.records.clear();
                self.ahead.position = from;
                return Err(error.into());
            }
        }

        self.ahead.unwritable.clear();
        self.kept_at = Instant::now();
        if let Some(transition) = judged.transition {
            let letter = letters.last();
            let entry = entry(&self.stream, &self.delivery.state, transition, letter);
            self.context.journal.record_outcome(entry).await;
        }
        Ok(Step::Again)
    }

    /// Returns the follower of the stream's query, with the lists as they stand.
    async fn follower(&mut self) -> Result<Follower> {
        if let Some(source) = &self.source
            && source.made_at.elapsed() < LISTS
        {
            return Ok(source.follower.clone());
        }
        let query = match self.stream.query.as_str() {
            "" => Query::all(),
            text => with_lists(self.context.lists.as_ref(), &Query::parse(text)?).await?,
        };
        let (entries, bytes) = STRETCH;
        let follower = self
            .trail
            .follow(query)
            .with_entries(entries)
            .with_bytes(bytes);
        self.source = Some(Source {
            follower: follower.clone(),
            made_at: Instant::now(),
        });
        Ok(follower)
    }
}

/// Next thing to do.
enum Step {
    Again,
    Wait(Duration),
    /// The state was changed by another.
    Displaced,
}

/// Reads ahead until a batch is full or the log ends.
async fn fill(
    context: &TaskContext,
    stream: &Stream,
    follower: &Follower,
    limits: &BatchLimits,
    ahead: &mut Ahead,
) -> Result<()> {
    let end = follower.end();
    while !limits.is_full(ahead.records.make_contiguous()) {
        let Some(stretch) = follower.next(ahead.position, end, context.now()).await? else {
            return Ok(());
        };
        if ahead.records.is_empty() {
            ahead.since = Instant::now();
        }
        for stored in &stretch.entries {
            match record_of(stream, stored) {
                Ok(record) => ahead.records.push_back(record),
                Err(error) => ahead.unwritable.push(DeadLetter {
                    sequence: stored.sequence,
                    event_id: stored.entry.event_id.as_str().to_owned(),
                    reason: error.to_string(),
                    refused_at: context.now(),
                    replays: 0,
                }),
            }
        }
        ahead.position = stretch.to;
    }
    Ok(())
}

/// Entry about a stream that fails, works again, or had an entry refused.
fn entry(
    stream: &Stream,
    state: &StreamState,
    transition: Transition,
    letter: Option<&DeadLetter>,
) -> Entry {
    let (operation, status, severity) = match transition {
        Transition::Failing => ("stream.fail", ActionStatus::Failed, Severity::High),
        Transition::Recovered => ("stream.recover", ActionStatus::Success, Severity::Info),
        Transition::DeadLetter => ("stream.dead_letter", ActionStatus::Failed, Severity::Medium),
    };
    let entry = Entry::for_event(&events::STREAM)
        .by(Actor::system())
        .on(ResourceRef::new("stream", stream.id.0.clone()))
        .with_action(operation, status, ActionMethod::System)
        .with_severity(severity)
        .with_metadata("name", stream.name.clone())
        .with_metadata("receiver", stream.settings.receiver())
        .with_metadata("cursor", state.cursor);
    match (transition, letter, &state.last_failure) {
        (Transition::DeadLetter, Some(letter), _) => entry
            .with_metadata("refused_sequence", letter.sequence)
            .with_metadata("refused_event_id", letter.event_id.clone())
            .with_metadata("reason", letter.reason.clone()),
        (Transition::Failing, _, Some(failure)) => {
            entry.with_metadata("reason", failure.message.clone())
        }
        _ => entry,
    }
}
