//! The judgement of `security_intelligence`: exposure of an AWS estate, and the settings that close
//! the most paths.
//!
//! Requirement A-076. A full run reads the configurations of all kinds that decide about paths and
//! judges the estate as a whole (`reeve_exposure`): what the internet, other accounts and the
//! organisation reach. Each choke point is one finding about the resource that has the setting, with
//! the path as its evidence; one misconfiguration is one finding, however many resources it exposes.
//! An observed threat wakes the agent, which isolates the machine ([`isolation`]).
//! docs/agents/security_intelligence.md.

mod agent;
mod finding;
pub mod isolation;
pub mod prediction;
mod privileges;
mod survey;

#[cfg(test)]
mod tests;

pub(crate) use finding::changes;

pub use agent::SecurityIntelligence;
