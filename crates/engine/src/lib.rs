//! The engine: everything between a finding and a proven change.
//!
//! A run judges a scope and keeps its recommendations; a person, a schedule or an agent asks for one to be executed; the
//! engine asks mode, guardrails and the approval matrix, claims the recommendation exclusively, and carries the plan out
//! step by step in the background: recorded before it is done and after, verified by observing, undone by itself when it
//! does not stick. Whatever cannot be recorded is not done. Everything is kept in the store at each step, so that
//! [`Engine::resume`] finishes or undoes what a crash interrupted.

mod agent_input;
mod approve;
mod auto;
mod circumstances;
mod configure;
mod diagnose;
mod drive;
mod due;
mod engine;
mod except;
mod exclude;
mod execute;
mod feedback;
mod guard;
mod holder;
mod learning;
mod limits;
pub mod models;
mod propose;
mod quarantine;
mod remedy;
mod respond;
mod responses;
mod resume;
mod rollback;
mod rollout;
mod run;
mod runner;
mod scope_check;
mod snapshot;
mod standing;
mod state;
mod story;
pub mod sweep;
mod twin;
mod upsert;
mod watching;

pub use agent_input::AgentInput;
pub use due::Due;
pub use engine::{Engine, Execution, Ports};
pub use exclude::ExclusionInput;
pub use feedback::FeedbackInput;
pub use guard::{Asked, check as check_guardrails};
pub use responses::Responder;
pub use rollout::RolloutInput;
pub use scope_check::{ConnectedAccount, ScopeChoices};
pub use standing::{BudgetUse, Standing};

use engine::fresh_id;
use reeve_recommend::{Caller, EngineError, Remedy};
