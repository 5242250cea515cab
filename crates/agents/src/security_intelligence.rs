//! The judgement of `security_intelligence`: exposure of an AWS estate, and the settings that close
//! the most paths.
//!
//! Requirement A-076. A full run reads the configurations of all kinds that decide about paths and
//! judges the estate as a whole (`reeve_exposure`): what the internet, other accounts and the
//! organisation reach. Each choke point is one finding about the resource that has the setting, with
//! the path as its evidence; one misconfiguration is one finding, however many resources it exposes.
//! Security groups are also judged by the flow logs of their interfaces (`least_privilege`, A-075).
//! An observed threat, or a playbook, wakes the agent, which isolates the machine ([`isolation`]),
//! deactivates the key, or blocks the user or role (`containment`).
//! docs/agents/security_intelligence.md.

mod agent;
mod break_glass;
mod containment;
mod finding;
pub mod isolation;
mod last_access;
mod least_privilege;
mod patches;
pub mod prediction;
mod privileges;
mod snapshot;
mod survey;
mod unused;
mod unused_finding;
mod unused_permissions;

#[cfg(test)]
mod tests;

pub(crate) use containment::is_against_attacks;
pub(crate) use unused_finding::POLICY_CHANGES;

/// Returns the names of the changes that close settings or contain attacks.
pub(crate) fn changes() -> impl Iterator<Item = &'static str> {
    finding::changes().chain(containment::changes())
}

pub use agent::SecurityIntelligence;
