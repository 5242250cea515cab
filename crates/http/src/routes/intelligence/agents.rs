//! Agents: types, configuration, status, runs.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::FieldCode;
use reeve_engine::{AgentInput, ConnectedAccount};
use reeve_recommend::agent::contract::{AgentDefinition, settings_of};
use reeve_recommend::agent::{Agent, AgentId};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::bodies;
use crate::routes::intelligence::problems::{asking, problem};
use crate::routes::workspace::schedule_zone;
use crate::time;
use crate::wire::agent::settings::{SettingBody, flattened, nested};
use crate::wire::agent::{
    AccountChoiceBody, AgentBody, AgentCreate, AgentPatch, AgentStatusBody, AgentTypeBody,
    AutoApplyBody, NotificationsBody, RunBody, ScopeChoicesBody, ScopePatch, ServiceChoiceBody,
};
use crate::wire::form::list::List;

/// The nine agent types, with their capabilities and actions.
#[utoipa::path(get, path = "/api/v1/intelligence/agent-types", tag = "intelligence", responses((status = 200, body = List<AgentTypeBody>)))]
pub(super) async fn types(State(app): State<Arc<App>>) -> Json<List<AgentTypeBody>> {
    let body = |definition: &Arc<dyn AgentDefinition>| {
        let configurable = settings_of(&**definition)
            .iter()
            .map(SettingBody::from)
            .collect();
        AgentTypeBody::new(definition.info(), configurable)
    };
    let items: Vec<AgentTypeBody> = app.agent_service.agent_types().iter().map(body).collect();

    Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    })
}

/// Accounts and services that the scope of an agent or a rule may name: those that are connected.
#[utoipa::path(get, path = "/api/v1/intelligence/scope-choices", tag = "intelligence", responses((status = 200, body = ScopeChoicesBody)))]
pub(super) async fn scope_choices(
    State(app): State<Arc<App>>,
) -> Result<Json<ScopeChoicesBody>, Problem> {
    let found = app.scopes.scope_choices().await.map_err(problem)?;
    let account = |one: ConnectedAccount| AccountChoiceBody {
        connection: one.connection,
        account: one.account,
        resources: one.resources,
    };

    let service = |(name, resources)| ServiceChoiceBody { name, resources };
    let accounts = found.accounts.into_iter().map(account).collect();
    Ok(Json(ScopeChoicesBody {
        accounts,
        services: found.services.into_iter().map(service).collect(),
    }))
}

/// Returns all configured agents.
#[utoipa::path(get, path = "/api/v1/intelligence/agents", tag = "intelligence", responses((status = 200, body = List<AgentBody>)))]
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<List<AgentBody>>, Problem> {
    let mut items = Vec::new();
    for agent in app.agents.agent_list(None).await? {
        items.push(body_of(&app, &agent).await?);
    }
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// One agent and where it stands.
#[utoipa::path(get, path = "/api/v1/intelligence/agents/{agent_id}", tag = "intelligence", params(("agent_id" = String, Path)),
    responses((status = 200, body = AgentBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<AgentBody>, Problem> {
    let agent = app.agents.agent_get(&AgentId(id)).await?;
    Ok(Json(body_of(&app, &agent).await?))
}

/// Create an agent. It learns unless another mode is given, and does not act by itself unless told
/// to.
#[utoipa::path(post, path = "/api/v1/intelligence/agents", tag = "intelligence", request_body = AgentCreate,
    responses((status = 201, body = AgentBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<AgentCreate>,
) -> Result<(StatusCode, Json<AgentBody>), Problem> {
    let schedule_time_zone =
        schedule_zone(&app, body.schedule.as_deref(), body.schedule_time_zone).await?;
    let input = input(Given {
        agent_type: Some(body.agent_type),
        name: Some(body.name),
        mode: body.mode,
        scope: Some(body.scope),
        learning_period: body.learning_period,
        confidence_threshold: body.confidence_threshold,
        auto_apply: body.auto_apply,
        notifications: body.notifications,
        schedule: body.schedule,
        schedule_time_zone,
        settings: body.settings,
        reason: body.reason,
    })?;

    let agent = app
        .agent_service
        .agent_create(input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, Json(body_of(&app, &agent).await?)))
}

/// Configure an agent.
#[utoipa::path(patch, path = "/api/v1/intelligence/agents/{agent_id}", tag = "intelligence", params(("agent_id" = String, Path)),
    request_body = AgentPatch,
    responses((status = 200, body = AgentBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<AgentPatch>,
) -> Result<Json<AgentBody>, Problem> {
    let schedule_time_zone =
        schedule_zone(&app, body.schedule.as_deref(), body.schedule_time_zone).await?;
    let input = input(Given {
        agent_type: None,
        name: body.name,
        mode: body.mode,
        scope: body.scope,
        learning_period: body.learning_period,
        confidence_threshold: body.confidence_threshold,
        auto_apply: body.auto_apply,
        notifications: body.notifications,
        schedule: body.schedule,
        schedule_time_zone,
        settings: body.settings,
        reason: body.reason,
    })?;

    let agent = app
        .agent_service
        .agent_configure(&AgentId(id), input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(body_of(&app, &agent).await?))
}

/// Remove an agent. Its open recommendations end; its record stays in the log.
#[utoipa::path(delete, path = "/api/v1/intelligence/agents/{agent_id}", tag = "intelligence", params(("agent_id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.agent_service
        .agent_delete(&AgentId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Run an agent now and answer with what it saw.
#[utoipa::path(post, path = "/api/v1/intelligence/agents/{agent_id}/run", tag = "intelligence", params(("agent_id" = String, Path)),
    responses((status = 200, body = RunBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn run(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RunBody>, Problem> {
    let report = app
        .runs
        .agent_run(&AgentId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::run(&report)))
}

struct Given {
    agent_type: Option<String>,
    name: Option<String>,
    mode: Option<String>,
    scope: Option<ScopePatch>,
    learning_period: Option<String>,
    confidence_threshold: Option<serde_json::Value>,
    auto_apply: Option<AutoApplyBody>,
    notifications: Option<NotificationsBody>,
    schedule: Option<String>,
    schedule_time_zone: Option<String>,
    settings: Option<serde_json::Map<String, serde_json::Value>>,
    reason: Option<String>,
}

fn input(given: Given) -> Result<AgentInput, Problem> {
    let confidence_threshold = match given.confidence_threshold {
        None | Some(serde_json::Value::Null) => None,
        Some(serde_json::Value::String(text)) => Some(text),
        Some(serde_json::Value::Number(number)) => Some(number.to_string()),
        Some(_) => {
            return Err(Problem::field(
                "confidence_threshold",
                FieldCode::WrongType,
                "must be a percentage, as in 85 or \"85%\"",
            ));
        }
    };

    let scope = given.scope.unwrap_or_default();
    let auto = given.auto_apply;
    let notify = given.notifications;

    Ok(AgentInput {
        agent_type: given.agent_type,
        name: given.name,
        mode: given.mode,
        accounts: scope.accounts,
        services: scope.services,
        learning_period: given.learning_period,
        confidence_threshold,
        auto_apply_enabled: auto.as_ref().and_then(|auto| auto.enabled),
        auto_apply_max_impact: auto.as_ref().and_then(|auto| auto.max_impact.clone()),
        auto_apply_approval_required: auto.and_then(|auto| auto.approval_required),
        notify_recommendations: notify
            .as_ref()
            .and_then(|notify| notify.recommendations.clone()),
        notify_actions_taken: notify
            .as_ref()
            .and_then(|notify| notify.actions_taken.clone()),
        notify_anomalies: notify.and_then(|notify| notify.anomalies),
        schedule: given.schedule,
        schedule_time_zone: given.schedule_time_zone,
        settings: flattened(given.settings.as_ref())
            .map_err(|errors| problem(EngineError::Invalid(errors)))?,
        reason: given.reason,
    })
}

async fn body_of(app: &App, agent: &Agent) -> Result<AgentBody, Problem> {
    let open = RecommendationFilter {
        agent: Some(agent.id.0.clone()),
        status: Status::ALL
            .iter()
            .copied()
            .filter(|status| !status.is_end())
            .collect(),
        limit: 1,
        ..RecommendationFilter::default()
    };
    let (_, open_recommendations) = app.agents.recommendation_list(&open).await?;

    let (learning_days, learning_percent) =
        app.agent_service.learning(agent).await.map_err(problem)?;
    let running = app.runs.is_running(&agent.id);
    let status = AgentStatusBody {
        state: if running { "running" } else { "idle" }.to_owned(),
        learning_days,
        learning_percent,
        last_run: agent.last_run.as_ref().map(bodies::run),
        last_change_run: agent.last_change_run.as_ref().map(bodies::run),
        next_run_at: app.next_run(agent).map(time::text),
        open_recommendations,
    };

    let known = app.agent_service.agent_types().settings(agent.agent_type);
    let settings = nested(&known, &agent.settings);
    Ok(bodies::agent(agent, settings, status))
}
