//! The engine itself: its ports and its state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use reeve_estate::{Catalogue, EstateStore, SampleStore};
use reeve_recommend::AgentTypes;
use reeve_recommend::action::{Action, ActionId};
use reeve_recommend::agent::AgentId;
use reeve_recommend::approval::Approval;
use reeve_recommend::change::Changes;
use reeve_recommend::models::ModelStore;
use reeve_recommend::ports::{AgentStore, Clock, Clouds, Recorder};
use reeve_recommend::rollout::{RolloutId, RolloutStore};
use tokio::sync::watch;

/// What the engine is made of.
pub struct Ports {
    /// Agents, recommendations, approvals, actions.
    pub agents: Arc<dyn AgentStore>,
    /// Connections and inventory.
    pub estate: Arc<dyn EstateStore>,
    /// Metric samples.
    pub samples: Arc<dyn SampleStore>,
    /// The acting side of connections.
    pub clouds: Arc<dyn Clouds>,
    /// The audit log.
    pub recorder: Arc<dyn Recorder>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Specifications and prices.
    pub catalogue: Arc<Catalogue>,
    /// Changes by name.
    pub changes: Changes,
    /// Agent types that this service runs.
    pub agent_types: AgentTypes,
    /// Models, where confidence is calibrated by them; `None` leaves every confidence to the backtest.
    pub models: Option<Arc<dyn ModelStore>>,
    /// Rollouts; `None` where none are kept.
    pub rollouts: Option<Arc<dyn RolloutStore>>,
}

/// What came of asking for an execution.
#[derive(Debug, Clone, PartialEq)]
pub enum Execution {
    /// It runs in the background; the action's record shows how far it is.
    Started(Action),
    /// It waits for signatures and begins by itself when the last one is there.
    PendingApproval(Approval),
}

/// The agents' engine.
pub struct Engine {
    pub(crate) ports: Ports,
    /// Guardrails are asked and recommendations claimed by one at a time: two requests at once cannot both be the last
    /// one that a limit allows.
    pub(crate) turn: tokio::sync::Mutex<()>,
    /// Guardrails are read and replaced by one at a time. It is held for a moment only, so that the kill switch never waits.
    pub(crate) policy: tokio::sync::Mutex<()>,
    /// Agents whose run is under way.
    pub(crate) runs: Mutex<BTreeSet<AgentId>>,
    /// Actions that a task of this process carries out.
    pub(crate) active: Mutex<BTreeSet<ActionId>>,
    /// When each watched change was last looked at.
    pub(crate) looks: Mutex<BTreeMap<ActionId, jiff::Timestamp>>,
    /// How many tasks carry out actions.
    pub(crate) tasks: watch::Sender<usize>,
    /// When each rollout was last looked at.
    pub(crate) rollout_looks: Mutex<BTreeMap<RolloutId, jiff::Timestamp>>,
}

impl Engine {
    /// An engine over these ports. Call [`Engine::resume`] once before serving.
    #[must_use]
    pub fn new(ports: Ports) -> Arc<Engine> {
        Arc::new(Engine {
            ports,
            turn: tokio::sync::Mutex::new(()),
            policy: tokio::sync::Mutex::new(()),
            runs: Mutex::new(BTreeSet::new()),
            active: Mutex::new(BTreeSet::new()),
            looks: Mutex::new(BTreeMap::new()),
            tasks: watch::Sender::new(0),
            rollout_looks: Mutex::new(BTreeMap::new()),
        })
    }

    /// Waits until no action runs in the background: for an orderly stop.
    pub async fn settle(&self) {
        let mut tasks = self.tasks.subscribe();
        // The sender lives in `self`, so the channel cannot close while this waits.
        let _ = tasks.wait_for(|running| *running == 0).await;
    }

    /// Agent types that this service runs.
    #[must_use]
    pub fn agent_types(&self) -> &AgentTypes {
        &self.ports.agent_types
    }

    /// Whether a run of the agent is under way.
    #[must_use]
    pub fn is_running(&self, agent: &AgentId) -> bool {
        self.runs.lock().contains(agent)
    }
}

/// An identifier that sorts by time.
pub(crate) fn fresh_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
