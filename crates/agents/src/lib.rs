//! reeve-agents
