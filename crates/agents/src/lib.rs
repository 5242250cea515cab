//! Intelligence: the agents, their recommendations, and everything between a finding and a proven change.
//!
//! Judgement ([`cost`]) is pure: it sees a snapshot of the estate and returns proposals. The [`engine`] owns what happens
//! next: lifecycle, guardrails, approvals, execution, verification, rollback. Nothing here knows HTTP, SQL, a cloud or the
//! ledger; what it needs stands in [`ports`]. No action can happen unrecorded: the engine writes through [`Recorder`].

pub mod action;
pub mod agent;
pub mod agent_type;
pub mod anomaly;
pub mod applicability;
pub mod approval;
pub mod behaviour;
pub mod budget;
pub mod change_control;
pub mod charges;
pub mod cost;
pub mod delivery;
pub mod diagnosis;
pub mod engine;
pub mod exception;
pub mod exclusion;
pub mod guardrail;
pub mod lifecycle;
pub mod models;
pub mod notification;
pub mod origin;
pub mod patch;
pub mod plan;
pub mod ports;
pub mod predictive;
pub mod ranking;
pub mod recommendation;
pub mod rollout;
pub mod sweep;
pub mod together;
pub mod webhook;

pub use action::{Action, ActionId, ActionStatus, Purpose, StepOutcome, Watch, WatchVerdict};
pub use agent::{
    Agent, AgentId, AgentType, AutoApply, Impact, Mode, Notifications, RunReport, Scope, Timing, next_run,
};
pub use agent_type::{AgentTypeInfo, FindingSource, agent_types};
pub use applicability::{Applicability, ApplicabilityState};
pub use approval::{Approval, ApprovalId, ApprovalStatus, Delegation, Signature, Signed};
pub use change_control::{ChangeControl, Day, Direction, Freeze, IacRule, MaintenanceWindow};
pub use engine::{AgentInput, Caller, Engine, EngineError, Execution, Ports};
pub use exception::{Exception, ExceptionRequest};
pub use exclusion::{Exclusion, ExclusionId};
pub use guardrail::{Block, Guardrails};
pub use lifecycle::Status;
pub use models::{Model, ModelId, ModelStatus, ModelStore, ModelType, Registry, RetrainCause};
pub use origin::{Cause, Origin};
pub use patch::{Patch, Tool, patch};
pub use plan::{Plan, Step, StepKind};
pub use ports::{AgentStore, Clock, Clouds, LogReader, ReadError, RecordError, Recorder};
pub use ranking::{Opinions, Ranking};
pub use recommendation::{Explanation, Feedback, Priority, Recommendation, RecommendationId, RecommendationType};
pub use rollout::{Rollout, RolloutId, RolloutSettings, RolloutStatus, RolloutStore};
