//! Samples: readings beside a runbook for which it is known whether the condition holds. They are
//! its test.

use std::collections::BTreeMap;

use reeve_audit::FieldCode;
use reeve_estate::{Metric, ResourceState};
use serde::Deserialize;
use serde_json::Value;

use super::faults::{Faults, states};

/// Points of a sample's series.
const MOST_POINTS: u32 = 3000;

/// Reading for which it is known whether the condition holds.
#[derive(Debug, Clone, PartialEq)]
pub struct RunbookSample {
    /// Case that it is an example of.
    pub name: String,
    pub holds: bool,
    pub(super) state: ResourceState,
    pub(super) storage_gib: Option<f64>,
    pub(super) document: Option<Value>,
    /// Values with the number of five-minute points that have them, the newest last.
    pub(super) metrics: BTreeMap<String, Vec<(f64, u32)>>,
    pub(super) log: BTreeMap<String, u64>,
}

/// A sample as the text of a runbook has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SampleFile {
    name: String,
    holds: bool,
    state: Option<String>,
    storage_gib: Option<f64>,
    /// The document as JSON.
    document: Option<String>,
    #[serde(default)]
    metrics: BTreeMap<String, Vec<(f64, u32)>>,
    #[serde(default)]
    log: BTreeMap<String, u64>,
}

impl SampleFile {
    pub(super) fn checked(self, path: &str, faults: &mut Faults) -> Option<RunbookSample> {
        let state = self.state.as_deref().unwrap_or("running");
        let field = format!("{path}.state");
        let state = faults.named(&field, state, ResourceState::parse, &states())?;
        let document = match self.document.as_deref().map(serde_json::from_str) {
            None => None,
            Some(Ok(document)) => Some(document),
            Some(Err(error)) => {
                let message = format!("is no JSON: {error}");
                faults.add(format!("{path}.document"), FieldCode::InvalidValue, message);
                None
            }
        };
        for (name, values) in &self.metrics {
            let field = format!("{path}.metrics.{name}");
            let points: u32 = values.iter().fold(0, |sum, one| sum.saturating_add(one.1));
            if Metric::parse(name).is_none() {
                faults.add(&field, FieldCode::Unknown, "is no metric");
            }
            if points == 0 || points > MOST_POINTS {
                let message = format!("must have 1 to {MOST_POINTS} points");
                faults.add(field, FieldCode::OutOfRange, message);
            }
        }
        Some(RunbookSample {
            name: self.name,
            holds: self.holds,
            state,
            storage_gib: self.storage_gib,
            document,
            metrics: self.metrics,
            log: self.log,
        })
    }
}
