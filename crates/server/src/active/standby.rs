//! A standby: forwards requests to the active server, watches it, and becomes active when it is
//! gone.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::forward::{self, ForwardTarget};
use super::holder::ActiveHolder;
use super::lock::{self, ActiveLock, Turn};
use crate::connections::{self, ConnectionBounds};

/// Time between two looks at the active server.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Time without a sign of life after which the active server is ended and replaced.
const SILENCE: Duration = Duration::from_secs(5);

/// Time between two attempts to end a server that does not respond.
const AGAIN_AFTER: Duration = Duration::from_secs(30);

/// Longest time for requests that were forwarded when this server takes over.
const LAST_REQUESTS: Duration = Duration::from_secs(1);

/// Reason why a standby became active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakeoverCause {
    /// The active server ended.
    Ended,
    /// The active server did not respond and was ended by this one.
    NotResponding,
}

impl TakeoverCause {
    /// Name in the log.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            TakeoverCause::Ended => "ended",
            TakeoverCause::NotResponding => "not_responding",
        }
    }
}

/// Serves as a standby until the active server is gone; `None` when the token is cancelled before.
///
/// # Errors
/// The data directory cannot be used.
pub(crate) async fn wait(
    data_dir: &Path,
    listener: TcpListener,
    bounds: ConnectionBounds,
    stop: &CancellationToken,
) -> Result<Option<(ActiveLock, TakeoverCause)>> {
    let target = Arc::new(ForwardTarget::default());
    // Known before the first request, which may come as soon as the address is told.
    match ActiveLock::take(data_dir)? {
        Turn::Active(lock) => return Ok(Some((lock, TakeoverCause::Ended))),
        Turn::Held(holder) => target.set(holder),
    }

    let forwarding = stop.child_token();
    let serving = tokio::spawn(connections::serve(
        listener,
        forward::router(target.clone())?,
        bounds,
        forwarding.clone(),
    ));

    let mut watch = Watch::default();
    let taken = loop {
        match ActiveLock::take(data_dir)? {
            Turn::Active(lock) => break Some((lock, watch.cause)),
            Turn::Held(holder) => {
                watch.look(lock::beats(data_dir), holder.as_ref());
                // Half a record is read again soon; until then the last one holds.
                if holder.is_some() {
                    target.set(holder);
                }
            }
        }
        tokio::select! { () = stop.cancelled() => break None, () = tokio::time::sleep(LOOK_EVERY) => {} }
    };

    forwarding.cancel();
    if tokio::time::timeout(LAST_REQUESTS, serving).await.is_err() {
        tracing::warn!("some forwarded requests did not end in time and were aborted");
    }

    Ok(taken)
}

/// Observation of the active server. Time during which this server was itself asleep does not count
/// as silence.
struct Watch {
    beats: Option<u64>,
    instance: String,
    silent: Duration,
    looked: Instant,
    ended: Option<Instant>,
    cause: TakeoverCause,
}

impl Default for Watch {
    fn default() -> Self {
        Watch {
            beats: None,
            instance: String::new(),
            silent: Duration::ZERO,
            looked: Instant::now(),
            ended: None,
            cause: TakeoverCause::Ended,
        }
    }
}

impl Watch {
    fn look(&mut self, beats: Option<u64>, holder: Option<&ActiveHolder>) {
        let passed = self.looked.elapsed().min(LOOK_EVERY * 2);
        self.looked = Instant::now();
        let instance = holder.map_or("", |holder| holder.instance.as_str());

        if beats != self.beats || (!instance.is_empty() && instance != self.instance) {
            instance.clone_into(&mut self.instance);
            (self.beats, self.silent) = (beats, Duration::ZERO);
            (self.ended, self.cause) = (None, TakeoverCause::Ended);
            return;
        }

        self.silent += passed;
        if self.silent < SILENCE || self.ended.is_some_and(|at| at.elapsed() < AGAIN_AFTER) {
            return;
        }

        let Some(process) = holder.and_then(|holder| holder.process.as_ref()) else {
            return;
        };

        self.ended = Some(Instant::now());
        match process.end() {
            Ok(()) => {
                self.cause = TakeoverCause::NotResponding;
                tracing::warn!(
                    pid = process.pid,
                    silent_s = self.silent.as_secs(),
                    "the active server did not respond and was ended"
                );
            }
            Err(error) => tracing::error!(
                pid = process.pid, silent_s = self.silent.as_secs(), %error,
                "the active server does not respond and cannot be ended from here: end it where it runs, and this server takes over"
            ),
        }
    }
}
