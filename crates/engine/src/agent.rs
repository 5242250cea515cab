//! Agents: their configuration, their scopes, and the agent that a finding belongs to.

pub(crate) mod configuration;
pub(crate) mod input;
pub(crate) mod ownership;
pub(crate) mod scope;
