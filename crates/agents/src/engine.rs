//! The engine: everything between a finding and a proven change.
//!
//! A run judges a scope and keeps its recommendations; a person, a schedule or an agent asks for one to be executed; the
//! engine asks mode, guardrails and the approval matrix, claims the recommendation exclusively, and carries the plan out
//! step by step in the background: recorded before it is done and after, verified by observing, undone by itself when it
//! does not stick. Whatever cannot be recorded is not done. Everything is kept in the store at each step, so that
//! [`Engine::resume`] finishes or undoes what a crash interrupted.

mod agent_input;
mod caller;
mod error;

use std::sync::Arc;

use reeve_estate::{Catalogue, EstateStore, SampleStore};

pub use agent_input::AgentInput;
pub use caller::Caller;
pub use error::EngineError;

use crate::action::Action;
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
}

impl Engine {
    /// An engine over these ports. Call [`Engine::resume`] once before serving.
    #[must_use]
    pub fn new(ports: Ports) -> Arc<Engine> {
        Arc::new(Engine { ports })
    }
}
