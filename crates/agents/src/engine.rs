//! The engine: everything between a finding and a proven change.
//!
//! A run judges a scope and keeps its recommendations; a person, a schedule or an agent asks for one to be executed; the
//! engine asks mode, guardrails and the approval matrix, claims the recommendation exclusively, and carries the plan out
//! step by step in the background: recorded before it is done and after, verified by observing, undone by itself when it
//! does not stick. Whatever cannot be recorded is not done. Everything is kept in the store at each step, so that
//! [`Engine::resume`] finishes or undoes what a crash interrupted.

mod agent_input;
mod approve;
mod auto;
mod caller;
mod circumstances;
mod configure;
mod diagnose;
mod drive;
mod due;
mod error;
mod except;
mod exclude;
mod execute;
mod feedback;
mod goal;
mod guard;
mod holder;
mod judgement;
mod learning;
mod limits;
mod propose;
mod quarantine;
mod remedy;
mod respond;
mod resume;
mod rollback;
mod rollout;
mod run;
mod runner;
mod scope_check;
mod snapshot;
mod standing;
mod state;
pub(crate) mod story;
mod twin;
mod upsert;
mod watching;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use reeve_estate::{Catalogue, EstateStore, SampleStore};
use tokio::sync::watch;

pub use agent_input::AgentInput;
pub use caller::Caller;
pub use due::Due;
pub use error::EngineError;
pub use exclude::ExclusionInput;
pub use feedback::FeedbackInput;
pub use guard::{Asked, check as check_guardrails};
pub use propose::{Foretold, covers};
pub use remedy::Remedy;
pub use rollout::RolloutInput;
pub use scope_check::{ConnectedAccount, ScopeChoices};
pub use standing::{BudgetUse, Standing};

use crate::action::{Action, ActionId};
use crate::agent::AgentId;
use crate::approval::Approval;
use crate::ports::{AgentStore, Clock, Clouds, Recorder};

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
    ports: Ports,
    /// Guardrails are asked and recommendations claimed by one at a time: two requests at once cannot both be the last
    /// one that a limit allows.
    turn: tokio::sync::Mutex<()>,
    /// Guardrails are read and replaced by one at a time. It is held for a moment only, so that the kill switch never waits.
    policy: tokio::sync::Mutex<()>,
    /// Agents whose run is under way.
    runs: Mutex<BTreeSet<AgentId>>,
    /// Actions that a task of this process carries out.
    active: Mutex<BTreeSet<ActionId>>,
    /// When each watched change was last looked at.
    looks: Mutex<BTreeMap<ActionId, jiff::Timestamp>>,
    /// How many tasks carry out actions.
    tasks: watch::Sender<usize>,
    /// What was learned, where confidence is calibrated by it.
    models: std::sync::OnceLock<Arc<dyn crate::models::ModelStore>>,
    /// Where rollouts are kept.
    rollouts: std::sync::OnceLock<Arc<dyn crate::rollout::RolloutStore>>,
    /// When each rollout was last looked at.
    rollout_looks: Mutex<BTreeMap<crate::rollout::RolloutId, jiff::Timestamp>>,
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
            models: std::sync::OnceLock::new(),
            rollouts: std::sync::OnceLock::new(),
            rollout_looks: Mutex::new(BTreeMap::new()),
        })
    }

    /// Waits until no action runs in the background: for an orderly stop.
    pub async fn settle(&self) {
        let mut tasks = self.tasks.subscribe();
        // The sender lives in `self`, so the channel cannot close while this waits.
        let _ = tasks.wait_for(|running| *running == 0).await;
    }

    /// Whether a run of the agent is under way.
    #[must_use]
    pub fn is_running(&self, agent: &AgentId) -> bool {
        self.runs.lock().contains(agent)
    }
}

/// An identifier that sorts by time.
fn fresh_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
