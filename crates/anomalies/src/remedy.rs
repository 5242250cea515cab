//! Judgement of remedies: which change of the registry relieves an anomaly of a resource, as a
//! proposal of the agent type that owns such changes. Pure. The remedy of security anomalies is the
//! isolation of a machine, a rule of `security_intelligence`.

mod capacity;
#[cfg(test)]
pub(crate) mod fixtures;
mod proposal;
mod spending;

use reeve_estate::{Catalogue, Resource};
use reeve_recommend::agent::AgentType;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::judgement::proposal::Proposal;

pub(crate) use capacity::capacity;
pub(crate) use spending::{Usage, spending};

/// Prices, and the approvals that they ask for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) matrix: &'a ApprovalMatrix,
}

/// A change that relieves an anomaly.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remedy {
    /// Resource that the change applies to.
    pub(crate) resource: Resource,
    /// Agent type that owns the finding.
    pub(crate) agent_type: AgentType,
    /// Change that relieves the anomaly.
    pub(crate) proposal: Proposal,
    /// Reason why there is no plan for it.
    pub(crate) by_hand: Option<String>,
}
