//! Vocabulary that all agents share, and the interfaces ([`ports`]) through which engine, store and
//! adapters meet. Nothing here runs.

pub mod action;
pub mod activity;
pub mod agent;
pub mod agent_name;
pub mod agent_type;
pub mod applicability;
pub mod approval;
mod approval_matrix;
pub mod assessment;
pub mod caller;
pub mod change;
pub mod change_control;
pub mod combined;
pub mod contract;
pub mod diagnosis;
pub mod error;
pub mod exception;
pub mod exclusion;
pub mod guardrail;
pub mod judgement;
pub mod lifecycle;
pub mod models;
pub mod origin;
pub mod ownership;
pub mod patch;
pub mod plan;
pub mod portfolio;
pub mod ports;
pub mod procedure;
pub mod proposal;
pub mod protection;
pub mod ranking;
pub mod recommendation;
pub mod record;
pub mod relief;
pub mod responses;
pub mod rollout;
pub mod settings;
mod title;
pub mod totals;
pub mod trust;
pub mod words;
pub mod workload;

pub use action::{Action, ActionId, ActionStatus, Purpose, StepOutcome, Watch, WatchVerdict};
pub use activity::Activity;
pub use agent::{
    Agent, AgentId, AgentType, AutoApply, Impact, Mode, Notifications, RunReport, Scope, Timing,
};
pub use agent_type::{AgentTypeInfo, FindingSource, TableValue, agent_types};
pub use applicability::{Applicability, ApplicabilityState};
pub use approval::{Approval, ApprovalId, ApprovalStatus, Delegation, Signature, Signed};
pub use approval_matrix::ApprovalMatrix;
pub use assessment::{Hazards, is_production, non_production, risk};
pub use caller::Caller;
pub use change::{Change, Changes};
pub use change_control::{ChangeControl, Day, Direction, Freeze, IacRule, MaintenanceWindow};
pub use contract::{AgentDefinition, AgentTypes, Needs};
pub use error::EngineError;
pub use exception::{Exception, ExceptionRequest};
pub use exclusion::{Exclusion, ExclusionId};
pub use guardrail::{Block, GuardrailName, Guardrails};
pub use judgement::{
    AccountFacts, Facts, Fleet, HISTORY_DAYS, HORIZON_DAYS, Judgement, RelationIndex,
};
pub use lifecycle::Status;
pub use origin::{AnomalyId, Cause, Origin, RuleId};
pub use ownership::{is_opted_out, owned_by_code};
pub use plan::{Loss, LossKind, Plan, PlannedChange, Step, StepKind};
pub use ports::{
    AgentStore, ChargeReader, Clock, Clouds, LogReader, ReadError, RecordError, Recorder,
};
pub use procedure::{resize, subject};
pub use proposal::{Abstention, Proposal};
pub use ranking::{FeedbackWeights, Ranking};
pub use recommendation::*;
pub use responses::{Offer, Remedy, RemedyTarget, Responses};
pub use rollout::{Rollout, RolloutId, RolloutSettings, RolloutStatus, RolloutStore};
pub use settings::{Setting, SettingValue, Settings};
pub use title::{TITLE_CHARACTERS, shortened, title};
pub use totals::*;
pub use trust::{Trust, trust_group};
pub use workload::{Classification, Correction, Workload, WorkloadClass, WorkloadStore};
