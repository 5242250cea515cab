//! The nightly check of the service by itself, on record: the state is compared with its last
//! digest, and the log is verified as `reeve-verify` does. Only the active server has tasks, so
//! that one server does it.
//!
//! The verification reads the whole log, about 400,000 entries a second on one core
//! (docs/benchmarks.md); the digest reads a few tables.

mod digest;

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use reeve_http::app::App;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use digest::StateDigester;

/// Time within which the check begins, so that servers of many logs on one machine do not all begin
/// together.
const SPREAD_S: u64 = 3600;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (app, stop) = (service.app.clone(), stop.clone());
    let pace = Pace {
        hour: service.config.self_check_hour,
        every: service.config.self_check_every_s.map(Duration::from_secs),
        spread: spread(service.ledger.origin()),
    };

    let digester = StateDigester {
        app: app.clone(),
        store: service.store.clone(),
        trail: service.trail.clone(),
        every: pace.every,
    };

    tracker.spawn(async move {
        loop {
            let wait = pace.wait(app.now());
            tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(wait) => {} }
            let check = async {
                if let Err(error) = digester.run().await {
                    app.journal
                        .failed("self_checks", format!("{error:#}"))
                        .await;
                }
                verify(&app).await;
            };
            // A verification of a large log takes minutes, and an end does not wait for it.
            tokio::select! { () = stop.cancelled() => return, () = check => {} }
        }
    });
}

async fn verify(app: &App) {
    match app.verify_by_itself().await {
        Some(Ok(found)) if found.findings_total > 0 => {
            tracing::error!(
                findings = found.findings_total,
                "the log is damaged: see the entry audit.verify"
            );
        }
        Some(Ok(found)) => tracing::info!(entries = found.size, "the log was verified"),
        Some(Err(error)) => tracing::error!(%error, "the log could not be verified"),
        None => tracing::info!("another verification of the log is in progress"),
    }
}

/// Times of the check.
struct Pace {
    hour: u8,
    every: Option<Duration>,
    spread: Duration,
}

impl Pace {
    /// Returns the time until the next check.
    fn wait(&self, now: Timestamp) -> Duration {
        if let Some(every) = self.every {
            return every;
        }

        let today = now
            .to_zoned(TimeZone::UTC)
            .start_of_day()
            .map_or(now, |day| day.timestamp());
        let at = Duration::from_secs(u64::from(self.hour) * 3600) + self.spread;
        let due = today + SignedDuration::try_from(at).unwrap_or_default();
        let due = if due > now {
            due
        } else {
            due + SignedDuration::from_hours(24)
        };

        due.duration_since(now).unsigned_abs()
    }
}

/// A time within [`SPREAD_S`] that is the log's own.
fn spread(origin: &str) -> Duration {
    let digest = Sha256::digest(origin);
    let number = u64::from(digest[0]) << 8 | u64::from(digest[1]);
    Duration::from_secs(number % SPREAD_S)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn it_is_due_once_a_day_in_its_hour() {
        let pace = Pace {
            hour: 3,
            every: None,
            spread: Duration::from_secs(600),
        };
        let wait = |now: &str| pace.wait(now.parse().unwrap()).as_secs();
        assert_eq!(wait("2026-11-24T02:00:00Z"), 4200);
        assert_eq!(wait("2026-11-24T03:10:00Z"), 86_400);
        assert_eq!(wait("2026-11-24T23:10:00Z"), 4 * 3600);

        let often = Pace {
            every: Some(Duration::from_secs(5)),
            ..pace
        };
        assert_eq!(often.wait(Timestamp::UNIX_EPOCH), Duration::from_secs(5));
        assert!(spread("log.example/a") < Duration::from_secs(SPREAD_S));
        assert_ne!(spread("log.example/a"), spread("log.example/b"));
    }
}
