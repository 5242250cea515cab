//! Settings of an estate: its seed, its beginning, its clock, the speed of changes and the rate of
//! faults.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::faults::Faults;

/// Source of the time, called whenever the estate is read.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Settings of an estate.
#[derive(Clone)]
pub struct SimulatedSettings {
    /// Seed; the same seed and beginning give the same estate.
    pub seed: u64,
    /// Beginning of the demonstration. Times in days before it (a machine launched five days ago, a
    /// database that began to fill) are relative to it. It does not change when the demonstration
    /// is started again.
    pub anchor: Timestamp,
    /// Clock of the estate.
    pub now: Now,
    /// Faults that calls are going to meet.
    pub faults: Faults,
    /// Speed of changes, as a multiple of the clouds' own: 1 for theirs, infinity for immediate
    /// ones.
    pub speed: f64,
    /// Makes calls take the time that they take in the clouds (a resize). `false` under a clock
    /// that tests advance.
    pub waits: bool,
}

impl fmt::Debug for SimulatedSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("seed", &self.seed)
            .field("anchor", &self.anchor)
            .field("faults", &self.faults)
            .field("speed", &self.speed)
            .finish_non_exhaustive()
    }
}

impl SimulatedSettings {
    /// The machine's clock, mild faults, the clouds' own speed.
    #[must_use]
    pub fn new(seed: u64, anchor: Timestamp) -> Self {
        SimulatedSettings {
            seed,
            anchor,
            now: Arc::new(Timestamp::now),
            faults: Faults::mild(),
            speed: 1.0,
            waits: true,
        }
    }

    /// With another clock, and without calls that wait.
    #[must_use]
    pub fn with_clock(mut self, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.now = Arc::new(now);
        self.waits = false;
        self
    }

    /// Returns the settings with other faults.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// With changes so many times faster; infinity makes them at once. What is not above 0 is taken
    /// as 1.
    #[must_use]
    pub fn with_speed(mut self, speed: f64) -> Self {
        self.speed = if speed > 0.0 { speed } else { 1.0 };
        self
    }

    /// Waits as long as a call of so many seconds takes here.
    pub(crate) async fn wait(&self, cloud_s: f64) {
        if self.waits {
            tokio::time::sleep(self.takes(cloud_s)).await;
        }
    }

    /// Returns the time that something takes here if it takes so many seconds in the clouds; a day
    /// at most.
    fn takes(&self, cloud_s: f64) -> Duration {
        Duration::from_secs_f64((cloud_s / self.speed).clamp(0.0, 86_400.0))
    }

    /// Returns the end of something that begins now.
    pub(crate) fn after(&self, now: Timestamp, cloud_s: f64) -> Timestamp {
        let takes = SignedDuration::try_from(self.takes(cloud_s)).unwrap_or(SignedDuration::ZERO);
        now.checked_add(takes).unwrap_or(now)
    }
}
