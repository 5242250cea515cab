//! State of the simulated estate, kept in a file so that a demo continues where it was.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use jiff::civil::Date;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use reeve_connect_simulated::SimulatedEstate;

const FILE: &str = "simulated.json";

#[derive(Serialize, Deserialize)]
struct Kept {
    /// Up to when activity was recorded, ms since the epoch.
    told_until_ms: Option<i64>,
    /// The simulated estate's own form.
    estate: Value,
}

/// The estate, and up to when its activity was recorded.
pub(super) struct DemoState {
    pub(super) estate: Arc<SimulatedEstate>,
    path: PathBuf,
    recorded_until: Mutex<Option<Timestamp>>,
    billed_until: Mutex<Option<Date>>,
}

impl DemoState {
    /// Opens the estate of a data directory, or begins one.
    pub(super) fn open(data_dir: &Path, seed: u64) -> Result<DemoState> {
        let path = data_dir.join(FILE);
        if !path.exists() {
            let state = DemoState {
                estate: SimulatedEstate::new(seed, Timestamp::now()),
                path,
                recorded_until: Mutex::default(),
                billed_until: Mutex::default(),
            };
            state.save()?;
            return Ok(state);
        }

        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{} could not be read", path.display()))?;
        let damaged = || {
            format!(
                "{} is damaged; remove it to begin a new demo",
                path.display()
            )
        };
        let kept: Kept = serde_json::from_str(&text).with_context(damaged)?;
        let estate = SimulatedEstate::restore(&kept.estate).with_context(damaged)?;

        let recorded_until = kept
            .told_until_ms
            .and_then(|ms| Timestamp::from_millisecond(ms).ok());
        Ok(DemoState {
            estate,
            path,
            recorded_until: Mutex::new(recorded_until),
            billed_until: Mutex::default(),
        })
    }

    /// Returns the time up to which activity was recorded.
    pub(super) fn recorded_until(&self) -> Option<Timestamp> {
        *self.recorded_until.lock()
    }

    /// Notes that activity was recorded up to a time.
    pub(super) fn recorded(&self, until: Timestamp) {
        *self.recorded_until.lock() = Some(until);
    }

    /// Last day whose charges were written by this process.
    pub(super) fn billed_until(&self) -> Option<Date> {
        *self.billed_until.lock()
    }

    /// Notes that charges were written up to a day.
    pub(super) fn billed(&self, until: Date) {
        *self.billed_until.lock() = Some(until);
    }

    /// Keeps everything, whole or not at all.
    pub(super) fn save(&self) -> Result<()> {
        let kept = Kept {
            told_until_ms: self.recorded_until().map(Timestamp::as_millisecond),
            estate: self.estate.snapshot(),
        };
        let beside = self.path.with_extension("json.new");
        std::fs::write(&beside, serde_json::to_vec(&kept)?)
            .with_context(|| format!("{} could not be written", beside.display()))?;
        std::fs::rename(&beside, &self.path)
            .with_context(|| format!("{} could not be replaced", self.path.display()))?;

        Ok(())
    }
}
