//! Vocabulary that all agents share, and the interfaces ([`ports`]) through which engine, store and
//! adapters meet. Nothing here runs.

pub mod action;
pub mod agent;
pub mod approval;
pub mod caller;
pub mod change;
pub mod diagnosis;
pub mod drift;
pub mod error;
pub mod guardrail;
pub mod judgement;
pub mod log_entry;
pub mod models;
pub mod objective;
pub mod observation;
pub mod plan;
pub mod ports;
pub mod predictive;
pub mod recommendation;
pub mod rollout;
pub mod runbook;
pub mod words;
