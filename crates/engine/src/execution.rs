//! The service that carries plans out: its ports, and what it keeps of the actions under way.

mod drive;
mod ending;
mod execute;
mod flow_harm;
mod idle;
mod pressure;
pub(crate) mod request;
mod resume;
mod rollback;
mod runner;
mod savings;
mod snapshot;
mod succession;
mod twin;
mod watching;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use reeve_estate::{EstateStore, PriceCatalogue, SampleStore};
use reeve_flows::FlowStore;
use reeve_recommend::action::{Action, ActionId};
use reeve_recommend::approval::Approval;
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::ports::{ChargeReader, Clouds};
use tokio::sync::watch;

use self::request::ActionEnding;
use crate::answer::approvals::Approvals;
use crate::guard::limits::GuardrailService;
use crate::records::Records;

pub use twin::TwinTrial;

/// Ports of the [`ExecutionService`].
pub struct ExecutionPorts {
    pub estate: Arc<dyn EstateStore>,
    /// Charges of the bills, which tell what a change saved.
    pub charges: Arc<dyn ChargeReader>,
    /// Metric samples, which tell whether a change did harm.
    pub samples: Arc<dyn SampleStore>,
    /// The acting side of connections.
    pub clouds: Arc<dyn Clouds>,
    /// Specifications and prices, for simulated twins.
    pub catalogue: Arc<PriceCatalogue>,
    /// The registered changes, by name.
    pub changes: ChangeRegistry,
    /// Network flows, which tell whether a change of security groups does harm.
    pub flows: Arc<dyn FlowStore>,
}

/// Outcome of a request for an execution.
#[derive(Debug, Clone, PartialEq)]
pub enum Execution {
    /// It runs in the background; the action's record shows its progress.
    Started(Action),
    /// It waits for signatures and begins by itself with the last one.
    PendingApproval(Approval),
}

/// Executes, tests, verifies, rolls back and resumes plans.
pub struct ExecutionService {
    pub(super) records: Arc<Records>,
    pub(super) guardrails: Arc<GuardrailService>,
    pub(super) approvals: Arc<Approvals>,
    pub(super) ports: ExecutionPorts,
    /// Actions that a task of this process executes.
    pub(super) active: Mutex<BTreeSet<ActionId>>,
    /// Requests to end actions early that their tasks have not taken up yet.
    endings: Mutex<BTreeMap<ActionId, ActionEnding>>,
    /// Time of the last look at each watched change.
    pub(super) looks: Mutex<BTreeMap<ActionId, jiff::Timestamp>>,
    /// Time of the last review of standing savings.
    pub(super) savings_reviewed_at: Mutex<Option<jiff::Timestamp>>,
    /// Number of tasks that execute actions.
    pub(super) tasks: watch::Sender<usize>,
}

impl ExecutionService {
    /// Creates the service. Call [`ExecutionService::resume`] once before serving.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        guardrails: Arc<GuardrailService>,
        approvals: Arc<Approvals>,
        ports: ExecutionPorts,
    ) -> Self {
        let (active, looks) = (Mutex::new(BTreeSet::new()), Mutex::new(BTreeMap::new()));
        let (savings_reviewed_at, tasks) = (Mutex::new(None), watch::Sender::new(0));
        ExecutionService {
            records,
            guardrails,
            approvals,
            ports,
            active,
            endings: Mutex::default(),
            looks,
            savings_reviewed_at,
            tasks,
        }
    }

    /// Waits until no action runs in the background: for an orderly stop.
    pub async fn settle(&self) {
        let mut tasks = self.tasks.subscribe();
        // The sender lives in `self`, so the channel cannot close while this waits.
        let _ = tasks.wait_for(|running| *running == 0).await;
    }
}
