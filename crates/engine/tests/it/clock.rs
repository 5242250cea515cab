//! A clock that tests move. Either time passes at once for whoever waits, or, in a simulation of
//! many tasks, everybody waits for their own moment and the earliest comes when nothing else can
//! continue.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_recommend::ports::Clock;
use tokio::sync::oneshot;

/// Monday 2026-11-16, 00:00 UTC.
const BEGIN_S: i64 = 1_794_787_200;

/// Sleeping tasks, by the time that they wait for and the order of their arrival.
type Waiting = BTreeMap<(Timestamp, u64), oneshot::Sender<()>>;

pub(crate) struct TestClock {
    now: Mutex<Timestamp>,
    /// `None`: time passes at once for whoever waits.
    waiting: Option<Mutex<(Waiting, u64)>>,
}

impl TestClock {
    /// Whoever waits moves it.
    pub(crate) fn eager() -> Self {
        TestClock {
            now: Mutex::new(Timestamp::from_second(BEGIN_S).unwrap()),
            waiting: None,
        }
    }

    /// It moves by [`TestClock::step`] alone.
    pub(crate) fn patient() -> Self {
        TestClock {
            waiting: Some(Mutex::default()),
            ..TestClock::eager()
        }
    }

    pub(crate) fn advance(&self, by: SignedDuration) {
        *self.now.lock() += by;
    }

    /// Wakes whoever waits for the earliest moment; `false` when nobody waits.
    pub(crate) fn step(&self) -> bool {
        let first = self
            .waiting
            .as_ref()
            .and_then(|waiting| waiting.lock().0.pop_first());
        let Some(((at, _), wake)) = first else {
            return false;
        };

        let mut now = self.now.lock();
        *now = at.max(*now);
        drop(now);

        // Who gave up waiting needs no waking.
        let _ = wake.send(());
        true
    }

    /// Forgets everybody who waits: their process has died.
    pub(crate) fn forget(&self) {
        if let Some(waiting) = &self.waiting {
            waiting.lock().0.clear();
        }
    }
}

#[async_trait]
impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        *self.now.lock()
    }

    async fn sleep(&self, duration: Duration) {
        let by = SignedDuration::try_from(duration).unwrap();
        let Some(waiting) = &self.waiting else {
            self.advance(by);
            return tokio::task::yield_now().await;
        };

        let (wake, woken) = oneshot::channel();
        {
            let mut waiting = waiting.lock();
            waiting.1 += 1;
            let key = (self.now() + by, waiting.1);
            waiting.0.insert(key, wake);
        }

        // A sender that is gone belongs to a process that died; nothing wakes from that.
        if woken.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
