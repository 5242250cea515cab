//! Clock, settings and mark of change that the accounts share.

use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;

use crate::settings::SimulatedSettings;

/// State shared by the accounts.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) settings: SimulatedSettings,
    pub(crate) changed: AtomicBool,
}

impl World {
    pub(crate) fn now(&self) -> Timestamp {
        (self.settings.now)()
    }

    /// Marks the state as changed, to be stored.
    pub(crate) fn touch(&self) {
        self.changed.store(true, Ordering::Release);
    }
}
