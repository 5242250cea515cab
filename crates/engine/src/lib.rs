//! The engine: everything between a finding and a proven change.
//!
//! A run judges a scope and keeps its recommendations; a person, a schedule or an agent requests
//! one to be executed; the engine checks mode, guardrails and the approval matrix, claims the
//! recommendation exclusively, and carries the plan out step by step in the background: recorded
//! before it is done and after, verified by observing, undone by itself when it does not stick.
//! Whatever cannot be recorded is not done. Everything is kept in the store at each step, so that
//! [`ExecutionService::resume`] finishes or undoes what a crash interrupted.
//!
//! It is a set of services. Each has a constructor that takes its ports and the services that it
//! uses; the program joins them. All work on [`Records`]: the store of agents, the log and the
//! clock.

mod agent_input;
mod approvals;
mod approve;
mod auto;
mod automatic;
mod circumstances;
mod commitments;
mod configure;
mod descriptions;
mod diagnose;
mod due;
mod except;
mod exclude;
mod execution;
mod expire;
mod feedback;
mod fleets;
mod guard;
mod guardrail_usage;
mod holder;
mod judged;
mod lately;
mod learning;
mod limits;
mod load_history;
mod log_entry;
pub mod models;
mod past;
mod preview;
mod propose;
mod quarantine;
mod recommendations;
mod records;
mod remedy;
mod request;
mod respond;
mod responses;
mod rollout;
mod run;
mod run_findings;
mod scope;
pub mod sweep;
mod upsert;
mod workload;

pub use agent_input::AgentInput;
pub use approvals::Approvals;
pub use automatic::AutomaticExecution;
pub use configure::AgentService;
pub use due::{Due, Scheduler};
pub use exclude::ExclusionInput;
pub use execution::{Execution, ExecutionPorts, ExecutionService, Trial};
pub use feedback::FeedbackInput;
pub use guard::{Asked, Lately, check as check_guardrails};
pub use guardrail_usage::{BudgetUse, GuardrailUsage};
pub use learning::ModelService;
pub use limits::GuardrailService;
pub use preview::{Preview, PreviewOutcome};
pub use recommendations::RecommendationService;
pub use records::Records;
pub use responses::ResponseService;
pub use rollout::{RolloutInput, RolloutService};
pub use run::{RunPorts, RunService};
pub use scope::{ConnectedAccount, ScopeChoices, ScopeService};
pub use upsert::Findings;
pub use workload::{ResourceWorkload, WorkloadService};

use records::fresh_id;
use reeve_recommend::{Caller, EngineError, Remedy};
