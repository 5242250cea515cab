//! Databases on the wire: the load of a database by wait, its statements with their plans, advice
//! with figures before and after, and the changes that were made.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration::{
    ActionPurpose, ActionStatus, EffectUnit, ImpactLevel, Priority, RecommendationStatus,
    WatchVerdict,
};

/// Period of a load.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DatabaseParams {
    /// Hours before now (1 to 168); 24 unless given.
    pub hours: Option<u32>,
}

/// A database, and its last reading.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseBody {
    /// Identifier of the resource.
    pub id: String,
    pub name: String,
    pub connection_id: String,
    /// Host and port of the server, or the account that it is in.
    pub account: String,
    /// Reading over the database's own protocol; null where no connection has a login for it.
    pub reading: Option<DatabaseReadingBody>,
}

/// Last reading of the load of a database.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseReadingBody {
    /// Name of the engine; empty where the server was not reached.
    pub engine: String,
    /// Version as the server says it.
    pub version: String,
    pub read_at: String,
    /// Reason why the server was not read; null if it was.
    pub failure: Option<String>,
    /// Reason why no statements are known; null if they are.
    pub no_statements: Option<String>,
    /// Step that makes statements known.
    pub remedy: Option<String>,
    /// Reason why no plans are taken; null if they are.
    pub no_plans: Option<String>,
}

/// Load of a database over a period.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseLoadBody {
    pub database: DatabaseBody,
    pub hours: u32,
    /// Begin of the period.
    pub from: String,
    /// End of the period.
    pub to: String,
    /// Time that a point stands for, seconds.
    pub step_s: i64,
    /// Waits with the most sessions, at most eight, then `Other` where there are more.
    pub waits: Vec<DatabaseWaitBody>,
    /// Points with readings, by time.
    pub points: Vec<DatabasePointBody>,
    /// Looks at the sessions of the server in the period.
    pub looks: u64,
}

/// Wait of sessions.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseWaitBody {
    /// Name, such as `Lock:transactionid`; `CPU` for sessions that wait for nothing.
    pub name: String,
    /// Mean number of active sessions over the period.
    pub sessions: f64,
}

/// Load at a time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabasePointBody {
    pub at: String,
    /// Mean number of active sessions by wait, in the order of `waits`.
    pub sessions: Vec<f64>,
}

/// Statements of a database over a period.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseQueriesBody {
    pub database: DatabaseBody,
    pub hours: u32,
    /// Time over which calls were counted, seconds.
    pub counted_s: f64,
    /// Statements with the most time, at most 50.
    pub items: Vec<DatabaseQueryBody>,
    /// Number of statements that were called in the period and are known.
    pub total: u64,
}

/// Use of a statement over a period.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseQueryBody {
    /// Identifier that the server gives the statement.
    pub id: String,
    /// Normalized text without literals.
    pub text: String,
    pub calls: f64,
    pub total_ms: f64,
    /// Share of the time of all statements, percent.
    pub share_percent: f64,
    /// Mean time of a call, milliseconds.
    pub mean_ms: f64,
    /// Difference of the mean time from the period before, percent; null where it was not called.
    pub change_percent: Option<f64>,
    /// Rows that were returned or changed.
    pub rows: f64,
    /// Rows that were read to find them; null where the server does not count them.
    pub rows_examined: Option<f64>,
    /// Blocks found in the buffer; null where the server does not count them by statement.
    pub blocks_hit: Option<f64>,
    /// Blocks read from outside of the buffer; null where they are not counted.
    pub blocks_read: Option<f64>,
    /// Blocks of temporary files that were written, or sorts on disk.
    pub temporary_writes: f64,
    /// Use by time.
    pub trend: Vec<DatabaseQueryPointBody>,
    /// Time at which its plan was taken; null without one.
    pub plan_taken_at: Option<String>,
}

/// Use of a statement at a time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseQueryPointBody {
    pub at: String,
    pub calls: f64,
    pub total_ms: f64,
    /// Mean time of a call, milliseconds.
    pub mean_ms: f64,
}

/// Plan of a statement.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabasePlanBody {
    /// Identifier of the statement.
    pub id: String,
    /// Normalized text without literals.
    pub text: String,
    /// Time at which the plan was taken; null without a plan.
    pub taken_at: Option<String>,
    /// Last step of the plan, with the steps that it needs; null without a plan.
    pub root: Option<PlanNodeBody>,
}

/// Step of a plan. Costs and rows are estimates of the planner.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlanNodeBody {
    /// Operation, such as `Seq Scan`.
    pub operation: String,
    /// Table that is read, with its alias where it has another name.
    pub table: Option<String>,
    /// Index that is used.
    pub index: Option<String>,
    /// Conditions and sort keys, without literals.
    pub details: Vec<PlanDetailBody>,
    /// Cost before the first row.
    pub startup_cost: f64,
    /// Cost of all rows, with that of the steps below.
    pub total_cost: f64,
    pub rows: f64,
    /// Mean width of a row, bytes.
    pub width_bytes: f64,
    /// Steps that it needs.
    #[schema(no_recursion)]
    pub children: Vec<PlanNodeBody>,
}

/// Condition or key of a step.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlanDetailBody {
    /// Name, such as `Filter`.
    pub name: String,
    pub text: String,
}

/// Advice about a database, and the changes that were made.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseAdviceBody {
    pub database: DatabaseBody,
    /// Open recommendations about it, the most urgent first, at most 100.
    pub items: Vec<DatabaseAdviceItemBody>,
    /// Number of open recommendations.
    pub total: u64,
    /// Changes that Reeve made or tried, the newest first, at most 50.
    pub history: Vec<DatabaseChangeBody>,
    /// `true` if a `db_optimizer` exists.
    pub has_agent: bool,
}

/// Advice about a database.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseAdviceItemBody {
    /// Identifier of the recommendation.
    pub id: String,
    pub title: String,
    /// Rule that found it, such as `missing_index`.
    pub rule: String,
    pub priority: Priority,
    pub status: RecommendationStatus,
    pub impact_level: ImpactLevel,
    /// Percent.
    pub confidence: f64,
    /// The figure that it is about; null for findings of earlier releases.
    pub effect: Option<EffectBody>,
    /// Reasons with their numbers.
    pub reasons: Vec<String>,
    /// `true` if Reeve can make the change.
    pub has_plan: bool,
    pub created_at: String,
}

/// A figure before a change, and as it is expected afterwards.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EffectBody {
    pub before: f64,
    /// Null where no figure can be given.
    pub after: Option<f64>,
    pub unit: EffectUnit,
}

/// A change of a database that Reeve made or tried.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DatabaseChangeBody {
    /// Identifier of the action.
    pub id: String,
    pub recommendation_id: String,
    /// Title of the recommendation.
    pub title: String,
    pub purpose: ActionPurpose,
    pub status: ActionStatus,
    /// Person or agent that asked for it.
    pub by: String,
    pub started_at: String,
    pub finished_at: Option<String>,
    /// Reason of the rollback or failure.
    pub reason: Option<String>,
    /// The figure that was expected; null for changes of earlier releases.
    pub effect: Option<EffectBody>,
    /// Verdict of the watch over its effect; null before there is a watch.
    pub verdict: Option<WatchVerdict>,
    /// Numbers behind the verdict: calls and times before and after.
    pub verdict_detail: Option<String>,
}
