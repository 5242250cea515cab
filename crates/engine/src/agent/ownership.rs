//! The holder of findings: an agent of the findings' own type, or nobody.
//!
//! Findings were once given to any agent in scope, which made a permission for savings a permission
//! to cut machines off. An agent holds findings of its own type alone; what no agent holds is kept
//! as advice that people may execute.

use reeve_estate::{Connection, Resource};
use reeve_recommend::agent::{Agent, AgentId, AgentType, Mode};
use reeve_recommend::caller::Caller;

/// Agent type of findings, and the agent of that type that holds them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnershipHolder<'a> {
    pub(crate) agent_type: AgentType,
    /// `None` where no agent of the type covers the resource.
    pub(crate) agent: Option<&'a Agent>,
}

impl<'a> OwnershipHolder<'a> {
    /// An agent and its own findings.
    pub(crate) fn from_agent(agent: &'a Agent) -> Self {
        OwnershipHolder {
            agent_type: agent.agent_type,
            agent: Some(agent),
        }
    }

    /// The holder of a finding on a resource: an agent of the type whose scope includes it, those
    /// in active mode first, then the oldest.
    pub(crate) fn covering(
        agent_type: AgentType,
        resource: &Resource,
        agents: &'a [Agent],
        connections: &[Connection],
    ) -> Self {
        let own = |agent: &&Agent| {
            agent.agent_type == agent_type && agent.scope.includes(resource, connections)
        };

        let agent = agents
            .iter()
            .filter(own)
            .min_by_key(|agent| agent.mode != Mode::Active);
        OwnershipHolder { agent_type, agent }
    }

    pub(crate) fn id(&self) -> Option<AgentId> {
        self.agent.map(|agent| agent.id.clone())
    }

    /// The caller in whose name findings are recorded.
    pub(crate) fn caller(&self) -> Caller {
        self.agent
            .map_or_else(Caller::system, |agent| Caller::agent(&agent.id))
    }
}
