//! The service behind runbooks: those of people, the outcomes of all, and their breakers; and the
//! source of the facts that a judgement reads of them.

mod edit;
mod facts;
mod log_entry;
mod measuring;
mod past;
mod settle;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{DescriptionStore, SampleStore};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::LogReader;
use reeve_recommend::runbook::breaker::{Application, Breaker};
use reeve_recommend::runbook::{Runbook, RunbookName, RunbookStore, WrittenRunbook, builtin};
use tokio::sync::Mutex;

use crate::agent::scope::ScopeService;
use crate::records::Records;

pub use facts::Runbooks;
pub use past::{PastIssue, PastIssues, Tried};

/// Days for which applications are kept and counted.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 90);

/// Ports of the service.
#[derive(Clone)]
pub struct RunbookPorts {
    pub runbooks: Arc<dyn RunbookStore>,
    pub scopes: Arc<ScopeService>,
    pub samples: Arc<dyn SampleStore>,
    pub descriptions: Arc<dyn DescriptionStore>,
    pub log: Arc<dyn LogReader>,
}

/// A runbook with its breakers and its last applications.
#[derive(Debug, Clone)]
pub struct RunbookState {
    pub runbook: Runbook,
    /// Breakers that are open.
    pub open: Vec<Breaker>,
    /// Applications of the last 90 days, the newest first.
    pub applications: Vec<Application>,
}

/// Runbooks, their applications and their breakers.
pub struct RunbookService {
    records: Arc<Records>,
    ports: RunbookPorts,
    /// Outcomes are settled by one at a time, each with the breakers that it opens; the time of the
    /// last look at recommendations.
    settling: Mutex<Option<Timestamp>>,
}

impl RunbookService {
    /// Creates the service over the records of agents and its own ports.
    #[must_use]
    pub fn new(records: Arc<Records>, ports: RunbookPorts) -> Self {
        RunbookService {
            records,
            ports,
            settling: Mutex::default(),
        }
    }

    /// Returns every runbook with its state: those of the program and those of people, by name.
    ///
    /// # Errors
    /// The store failed.
    pub async fn list(&self) -> Result<Vec<RunbookState>, EngineError> {
        let now = self.records.clock.now();
        let store = &*self.ports.runbooks;
        let breakers = store.breaker_list().await?;
        let applications = store.application_list(now - KEPT).await?;
        let states = readable(store).await?.into_iter().map(|runbook| {
            let of = |name: &RunbookName| *name == runbook.name;
            RunbookState {
                open: breakers
                    .iter()
                    .filter(|one| of(&one.runbook) && one.is_open(now))
                    .cloned()
                    .collect(),
                applications: applications
                    .iter()
                    .filter(|one| of(&one.runbook))
                    .cloned()
                    .collect(),
                runbook,
            }
        });
        Ok(states.collect())
    }

    /// Returns one runbook with its state.
    ///
    /// # Errors
    /// Not found; the store failed.
    pub async fn get(&self, name: &RunbookName) -> Result<RunbookState, EngineError> {
        let all = self.list().await?;
        let found = all.into_iter().find(|state| state.runbook.name == *name);
        found.ok_or_else(|| not_found(name))
    }
}

fn not_found(name: &RunbookName) -> EngineError {
    EngineError::NotFound {
        what: "runbook",
        id: name.0.clone(),
    }
}

/// Returns every runbook by name. One of people that this release cannot read is left out: an
/// upgrade must not end every run.
async fn readable(store: &dyn RunbookStore) -> Result<Vec<Runbook>, EngineError> {
    let mut all = builtin().to_vec();
    for stored in store.runbook_list().await? {
        let name = stored.name.clone();
        match Runbook::written(stored) {
            Ok(runbook) => all.push(runbook),
            Err(faults) => tracing::warn!(
                runbook = name.0,
                ?faults,
                "a runbook that was stored cannot be read by this release"
            ),
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// Returns the form in which people's runbooks are stored.
fn stored(runbook: &Runbook, by: &str, at: Timestamp, version: u64) -> WrittenRunbook {
    WrittenRunbook {
        name: runbook.name.clone(),
        source: runbook.source.clone(),
        changed_by: by.to_owned(),
        changed_at: at,
        version,
    }
}
