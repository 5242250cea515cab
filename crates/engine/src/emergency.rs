//! The emergency lane: events that wake agent types are judged at once, and findings of the kinds
//! that people approved beforehand are applied at once.
//!
//! Kill switch, circuit breaker, freezes, exclusions, scopes, permissions of connections,
//! preconditions, verification, rollback and the log bind as always. Cool-down, maintenance windows
//! and the limits a run and a day do not; the lane has limits of its own (`limits.rs`), which are
//! settings of the agent. A finding that the lane does not apply is an ordinary recommendation that
//! says what is missing.

mod approvals;
mod judge;
mod limits;
mod log_entry;
mod overview;
mod respond;

use std::sync::Arc;

use reeve_estate::EstateStore;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::emergency::{Emergency, WakingEvent};

use crate::agent::scope::ScopeService;
use crate::answer::approvals::Approvals;
use crate::execution::ExecutionService;
use crate::finding::upsert::Findings;
use crate::guard::limits::GuardrailService;
use crate::records::Records;
use crate::run::RunService;

pub use approvals::StandingApprovalInput;
pub use overview::{EmergencyKind, EmergencyOverview, StandingState};

/// Services of the engine that the emergency lane uses.
pub struct EmergencyPorts {
    pub scopes: Arc<ScopeService>,
    pub runs: Arc<RunService>,
    pub findings: Arc<Findings>,
    pub approvals: Arc<Approvals>,
    pub guardrails: Arc<GuardrailService>,
    pub execution: Arc<ExecutionService>,
    pub estate: Arc<dyn EstateStore>,
    pub agent_types: AgentTypes,
}

/// Judges events, and applies what standing approvals allow.
pub struct EmergencyService {
    records: Arc<Records>,
    ports: EmergencyPorts,
    /// Entries of the log that wake any agent type. Every entry is held against these.
    waking_entries: Vec<WakingEvent>,
}

impl EmergencyService {
    /// Creates the service over the records of the engine and the services that it uses.
    #[must_use]
    pub fn new(records: Arc<Records>, ports: EmergencyPorts) -> Self {
        let kinds = ports.agent_types.iter().flat_map(|row| row.emergencies());
        let waking_entries = kinds
            .flat_map(|kind| kind.wakes)
            .filter(|event| matches!(event, WakingEvent::Entry { .. }))
            .copied()
            .collect();
        EmergencyService {
            records,
            ports,
            waking_entries,
        }
    }

    /// Returns the kind of emergency that findings of a rule are.
    fn emergency(&self, agent_type: AgentType, rule: &str) -> Option<Emergency> {
        let definition = self.ports.agent_types.get(agent_type)?;
        let mut kinds = definition.emergencies().iter();
        kinds.find(|kind| kind.rule == rule).copied()
    }
}
