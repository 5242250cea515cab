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

mod acceptance;
mod agent;
mod answer;
mod automatic;
mod drift;
mod emergency;
mod execution;
mod finding;
mod guard;
mod log_entry;
pub mod models;
mod objective;
mod records;
mod response;
mod rollout;
mod run;
mod runbook;
mod schedule;
pub mod sweep;

pub use acceptance::AcceptanceInput;
pub use agent::configuration::AgentService;
pub use agent::input::AgentInput;
pub use agent::scope::{ConnectedAccount, ScopeChoices, ScopeService};
pub use answer::RecommendationService;
pub use answer::accepted_results::{AcceptedResult, accepted_results};
pub use answer::approvals::Approvals;
pub use answer::exclusions::ExclusionInput;
pub use answer::feedback::FeedbackInput;
pub use automatic::AutomaticExecution;
pub use automatic::preview::{Preview, PreviewOutcome};
pub use drift::pin::BaselineInput;
pub use drift::{DriftPorts, DriftService};
pub use emergency::{
    EmergencyKind, EmergencyOverview, EmergencyPorts, EmergencyService, StandingApprovalInput,
    StandingState,
};
pub use execution::{Execution, ExecutionPorts, ExecutionService, TwinTrial};
pub use finding::upsert::Findings;
pub use guard::limits::GuardrailService;
pub use guard::usage::{BudgetUse, GuardrailUsage};
pub use guard::{GuardRequest, RecentActions, check as check_guardrails};
pub use objective::{ObjectiveCourse, ObjectiveService};
pub use records::Records;
pub use response::ResponseService;
pub use rollout::{RolloutInput, RolloutService};
pub use run::caches::Caches;
pub use run::calibration::ModelService;
pub use run::corrections::Corrections;
pub use run::fleets::Fleets;
pub use run::flows::Flows;
pub use run::log_facts::LogFacts;
pub use run::machines::Machines;
pub use run::objectives::Objectives;
pub use run::regions::Regions;
pub use run::service_loads::ServiceLoads;
pub use run::spot_markets::SpotMarkets;
pub use run::spots::Spots;
pub use run::targets::Targets;
pub use run::workloads::{ResourceWorkload, WorkloadService, Workloads};
pub use run::{RunPorts, RunService};
pub use runbook::{
    PastIssue, PastIssues, RunbookPorts, RunbookService, RunbookState, Runbooks, Tried,
};
pub use schedule::{Due, Scheduler};
