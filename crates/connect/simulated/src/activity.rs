//! What people and programs of the company do all day, as audit entries: a pure function of the seed and the minute.

use jiff::Timestamp;
use reeve_audit::Entry;

use crate::account::SimulatedAccount;
use crate::settings::Settings;
use std::sync::Arc;

/// What the activity is about.
#[derive(Debug)]
pub(crate) struct Scene;

impl Scene {
    pub(crate) fn of(_: &[Arc<SimulatedAccount>], _: &Settings) -> Self {
        Scene
    }
}

pub(crate) fn between(_: &Scene, _: Timestamp, _: Timestamp) -> Vec<Entry> {
    Vec::new()
}
