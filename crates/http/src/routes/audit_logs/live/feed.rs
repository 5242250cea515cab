//! Feed of one live view: the caller's live trail, as long as the caller's credentials hold.

use std::sync::Arc;
use std::time::Duration;

use reeve_access::Principal;
use reeve_ledger::StoredEntry;
use reeve_trail::{Live, LiveError};
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::routes::audit_logs::live::credentials::LiveCredentials;
use crate::streams::StreamSlot;

/// Interval of the keep-alive of a quiet stream.
const QUIET: Duration = Duration::from_secs(15);
/// Interval at which the caller's credentials are checked again.
const CHECK: Duration = Duration::from_secs(2);

/// The next thing to tell.
pub(super) enum LiveMoment {
    /// An entry that the query finds and the caller may see.
    Entry(Arc<StoredEntry>),
    /// Nothing for a while; everything up to this sequence has been looked at.
    Quiet {
        /// The sequence, once there is any entry.
        reached: Option<u64>,
    },
    /// The stream ends, and why.
    End(&'static str),
}

/// The feed of one live view.
pub(super) struct Feed {
    app: Arc<App>,
    principal: Arc<Principal>,
    credentials: LiveCredentials,
    live: Live,
    check_at: Instant,
    quiet_at: Instant,
    _slot: StreamSlot,
}

impl Feed {
    /// A feed of a live trail.
    pub(super) fn open(
        app: Arc<App>,
        principal: Arc<Principal>,
        credentials: LiveCredentials,
        live: Live,
        slot: StreamSlot,
    ) -> Self {
        let (check_at, quiet_at) = (Instant::now() + CHECK, Instant::now() + QUIET);
        Feed {
            app,
            principal,
            credentials,
            live,
            check_at,
            quiet_at,
            _slot: slot,
        }
    }

    /// The next thing to tell; waits for it.
    pub(super) async fn next(&mut self) -> LiveMoment {
        loop {
            if let Some(end) = self.due().await {
                return end;
            }
            tokio::select! {
                biased;
                () = self.app.streams.closed() => return LiveMoment::End("stopping"),
                () = sleep_until(self.check_at) => {}
                () = sleep_until(self.quiet_at) => {
                    self.quiet_at = Instant::now() + QUIET;
                    return LiveMoment::Quiet { reached: self.live.reached() };
                }
                next = self.live.next(|| self.app.now()) => match next {
                    Ok(stored) => {
                        self.quiet_at = Instant::now() + QUIET;
                        return LiveMoment::Entry(stored);
                    }
                    Err(LiveError::Closed) => return LiveMoment::End("stopping"),
                    Err(LiveError::Trail(error)) => {
                        tracing::warn!(%error, "a live view could not read the log; it is ended");
                        return LiveMoment::End("unavailable");
                    }
                },
            }
        }
    }

    /// Returns `true` if the stream is to end; asked at most every few seconds.
    async fn due(&mut self) -> Option<LiveMoment> {
        if self.app.streams.is_closed() {
            return Some(LiveMoment::End("stopping"));
        }
        if Instant::now() < self.check_at {
            return None;
        }

        self.check_at = Instant::now() + CHECK;
        // Whoever is not exactly who they were when the stream was opened opens another one.
        match self
            .credentials
            .still_name(&self.app, &self.principal)
            .await
        {
            Ok(true) => None,
            Ok(false) => Some(LiveMoment::End("signed_out")),
            Err(problem) if problem.status().is_client_error() => {
                Some(LiveMoment::End("signed_out"))
            }
            Err(_) => Some(LiveMoment::End("unavailable")),
        }
    }
}
