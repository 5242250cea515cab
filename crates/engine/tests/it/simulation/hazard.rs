//! Faults drawn from a seed: the process dies between any two calls of a port, calls or their
//! answers are lost, the log is unavailable for minutes, the cloud refuses, ignores, throttles.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::sync::watch;

use crate::cloud::Fault;

/// Lost part of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// It was not done.
    Request,
    Answer,
}

struct Inner {
    rng: StdRng,
    /// `true` if calls fail at all.
    faulty: bool,
    /// Moments passed since the process began.
    passed: u64,
    /// The moment it dies at.
    dies_at: Option<u64>,
    dead: bool,
    silent_until: Timestamp,
    counts: BTreeMap<&'static str, u64>,
}

/// The source of all that goes wrong in one life.
pub(crate) struct Hazard {
    inner: Mutex<Inner>,
    died: watch::Sender<bool>,
}

impl Hazard {
    pub(crate) fn new(seed: u64) -> Self {
        let inner = Inner {
            rng: StdRng::seed_from_u64(seed),
            faulty: false,
            passed: 0,
            dies_at: None,
            dead: false,
            silent_until: Timestamp::UNIX_EPOCH,
            counts: BTreeMap::new(),
        };
        Hazard {
            inner: Mutex::new(inner),
            died: watch::Sender::new(false),
        }
    }

    /// A process begins, and dies at a moment.
    pub(crate) fn begin(&self, faulty: bool, dies_at: Option<u64>) {
        let mut inner = self.inner.lock();
        (inner.faulty, inner.dies_at, inner.passed, inner.dead) = (faulty, dies_at, 0, false);
        inner.silent_until = Timestamp::UNIX_EPOCH;
        drop(inner);
        self.died.send_replace(false);
    }

    /// Returns when the process has died.
    pub(crate) async fn died(&self) {
        let mut died = self.died.subscribe();
        // The sender lives in `self`.
        let _ = died.wait_for(|dead| *dead).await;
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.inner.lock().dead
    }

    /// Nothing can continue and nobody waits for a time: the process is given up.
    pub(crate) fn stuck(&self) {
        self.died.send_replace(true);
    }

    pub(crate) fn below(&self, n: usize) -> usize {
        self.inner.lock().rng.random_range(0..n.max(1))
    }

    pub(crate) fn chance(&self, share: f64) -> bool {
        self.inner.lock().rng.random_bool(share)
    }

    pub(crate) fn count(&self, what: &'static str) {
        *self.inner.lock().counts.entry(what).or_default() += 1;
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.inner.lock().counts.clone()
    }

    /// A moment between two calls: others may go first, or the process dies here.
    pub(crate) async fn moment(&self) {
        let (dead, yields) = {
            let mut inner = self.inner.lock();
            inner.passed += 1;
            inner.dead |= inner.dies_at == Some(inner.passed);
            let yields = inner.faulty && inner.rng.random_bool(0.2);
            (inner.dead, yields)
        };

        if dead {
            self.died.send_replace(true);
            std::future::pending::<()>().await;
        }
        if yields {
            tokio::task::yield_now().await;
        }
    }

    fn draw(&self, share: f64, request: &'static str, answer: &'static str) -> Option<Lost> {
        let mut inner = self.inner.lock();
        if !inner.faulty || !inner.rng.random_bool(share) {
            return None;
        }

        let (lost, name) = if inner.rng.random_bool(0.5) {
            (Lost::Request, request)
        } else {
            (Lost::Answer, answer)
        };
        *inner.counts.entry(name).or_default() += 1;

        Some(lost)
    }

    /// Returns the fault of a write to the store.
    pub(crate) fn store(&self) -> Option<Lost> {
        self.draw(0.006, "store: write lost", "store: answer lost")
    }

    /// Returns `true` if a read of the store fails.
    pub(crate) fn read_fails(&self) -> bool {
        self.draw(0.001, "store: read failed", "store: read failed")
            .is_some()
    }

    /// Returns the fault of appending an entry.
    pub(crate) fn log(&self, now: Timestamp) -> Option<Lost> {
        let mut inner = self.inner.lock();
        if inner.faulty && now >= inner.silent_until && inner.rng.random_bool(0.003) {
            let seconds = inner.rng.random_range(1..300);
            inner.silent_until = now + SignedDuration::from_secs(seconds);
            *inner
                .counts
                .entry("log: silent for up to 5 min")
                .or_default() += 1;
        }

        if now < inner.silent_until {
            return Some(Lost::Request);
        }

        drop(inner);
        self.draw(0.006, "log: entry refused", "log: answer lost")
    }

    /// Returns `true` if an observation of the cloud gets no answer.
    pub(crate) fn blind(&self) -> bool {
        self.draw(0.03, "cloud: look unanswered", "cloud: look unanswered")
            .is_some()
    }

    /// Returns the fault of a change requested from the cloud.
    pub(crate) fn cloud(&self) -> Option<Fault> {
        const FAULTS: [(f64, Fault, &str); 7] = [
            (0.04, Fault::LoseAnswer, "cloud: done, answer lost"),
            (0.04, Fault::LoseRequest, "cloud: request lost"),
            (0.06, Fault::Throttle, "cloud: throttled"),
            (0.015, Fault::Deny, "cloud: denied"),
            (0.03, Fault::NoCapacity, "cloud: no capacity"),
            (0.03, Fault::Ignore, "cloud: accepted, not done"),
            (0.01, Fault::Slow, "cloud: took 25 minutes"),
        ];

        let mut inner = self.inner.lock();
        if !inner.faulty {
            return None;
        }

        let mut left: f64 = inner.rng.random();
        for (share, fault, name) in FAULTS {
            left -= share;
            if left < 0.0 {
                *inner.counts.entry(name).or_default() += 1;
                return Some(fault);
            }
        }

        None
    }
}
