//! Alert rules: kept, enabled, silenced, tried. Changes are recorded in the log before and after
//! they are made.

mod diagnosis;
pub(crate) mod firings;
mod import;
mod preview;
pub(crate) mod ready;
mod receivers;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use jiff::SignedDuration;
use reeve_access::{ListError, Permission};
use reeve_alerts::{AlertRule, DegradedRule, RuleId, RuleSettings, RuleState};
use reeve_audit::query::point_in_time;
use reeve_audit::{
    Entry, EventKind, FieldCode, FieldError, Json as AuditJson, ResourceRef, events,
};
use utoipa_axum::routes;

use crate::app::App;
use crate::change::same_version;
use crate::error::{FieldProblem, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::paging::window;
use crate::wire::alert;
use crate::wire::alert::{
    AlertDegradedBody, AlertRuleBody, AlertRuleCreate, AlertRulePatch, AlertSilenceRequest,
};
use crate::wire::form::enumeration::Name;
use crate::wire::form::list::{List, Paging};

/// Most rules that an installation may have.
const MOST: u64 = 10_000;
/// Time after which a rule that met no bound any more counts wholly again: groups are forgotten by
/// then.
const DEGRADED_FOR: SignedDuration = SignedDuration::from_hours(25);

/// Reading rules and firings needs the whole log's visibility: both tell of entries of everybody.
const READ: Access = Access::Needs(Permission::AuditViewAll);
const CHANGE: Access = Access::Needs(Permission::AuditAlerts);
const TRIAGE: Access = Access::NeedsAll(&[Permission::AuditViewAll, Permission::AuditTriage]);

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(READ, routes!(list))
        .add(CHANGE, routes!(create))
        .add(READ, routes!(get))
        .add(CHANGE, routes!(patch, delete))
        .add(CHANGE, routes!(enable))
        .add(CHANGE, routes!(disable))
        .add(CHANGE, routes!(silence))
        .add(CHANGE, routes!(receivers::test))
        .add(READ, routes!(diagnosis::get))
        .add(CHANGE, routes!(preview::preview))
        .add(CHANGE, routes!(import::import))
        .add(READ, routes!(ready::list))
        .add(CHANGE, routes!(ready::enable))
        .add(READ, routes!(firings::list))
        .add(READ, routes!(firings::get))
        .add(TRIAGE, routes!(firings::acknowledge))
        .add(TRIAGE, routes!(firings::assign))
        .add(TRIAGE, routes!(firings::resolve))
}

/// Alert rules by name.
#[utoipa::path(get, path = "/api/v1/audit-logs/alerts", tag = "audit-logs", params(Paging),
    responses((status = 200, body = List<AlertRuleBody>)))]
async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<AlertRuleBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let (rules, total) = app
        .alerts
        .alert_rule_page(window.limit, window.start())
        .await?;
    let next_cursor = window.next(rules.len(), total);
    let degraded = degraded(&app).await?;

    Ok(Json(List {
        items: rules.iter().map(|rule| body(rule, &degraded)).collect(),
        total,
        next_cursor,
    }))
}

/// Add an alert rule. It counts entries that are recorded from then on.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts", tag = "audit-logs", request_body = AlertRuleCreate,
    responses((status = 201, body = AlertRuleBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<AlertRuleCreate>,
) -> Result<(StatusCode, Json<AlertRuleBody>), Problem> {
    let state = alert::state(given.state.as_deref()).ok_or_else(|| {
        Problem::field(
            "state",
            FieldCode::InvalidValue,
            "must be draft, enabled or disabled",
        )
    })?;
    let settings = RuleSettings::read(given.draft()).map_err(field_problems)?;
    receivers::check(&app, &settings).await?;
    known_lists(&app, &settings).await?;
    let rule = add(&app, &caller, settings, state).await?;
    Ok((StatusCode::CREATED, Json(AlertRuleBody::new(&rule))))
}

/// Refuses a condition that compares with a list that does not exist: its rule would never fire.
async fn known_lists(app: &App, settings: &RuleSettings) -> Result<(), Problem> {
    match reeve_access::with_lists(app.lists.as_ref(), &settings.query).await {
        Ok(_) => Ok(()),
        Err(ListError::Unknown(name)) => Err(Problem::field(
            "condition",
            FieldCode::InvalidQuery,
            format!("there is no list `{name}`"),
        )),
        Err(ListError::Store(error)) => Err(error.into()),
    }
}

/// Returns a rule of the first version.
fn new_rule(app: &App, settings: RuleSettings, state: RuleState, created_by: &str) -> AlertRule {
    let now = app.now();
    AlertRule {
        id: RuleId(uuid::Uuid::now_v7().to_string()),
        settings,
        state,
        silenced_until: None,
        revision: 1,
        version: 1,
        created_by: created_by.to_owned(),
        created_at: now,
        updated_at: now,
    }
}

/// Records and keeps a new rule.
async fn add(
    app: &App,
    caller: &Caller,
    settings: RuleSettings,
    state: RuleState,
) -> Result<AlertRule, Problem> {
    let rule = new_rule(app, settings, state, &caller.principal.email);
    let entry = entry(caller, &events::ALERT_CREATE, "alert.create", &rule).after(record(&rule));
    app.change(entry, app.alerts.alert_rule_insert(&rule, MOST))
        .await?;

    Ok(rule)
}

/// Returns one alert rule.
#[utoipa::path(get, path = "/api/v1/audit-logs/alerts/{id}", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = AlertRuleBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<AlertRuleBody>, Problem> {
    let rule = app.alerts.alert_rule_get(&RuleId(id)).await?;
    Ok(Json(body(&rule, &degraded(&app).await?)))
}

/// Change an alert rule. Another condition, threshold or grouping starts counting anew.
#[utoipa::path(patch, path = "/api/v1/audit-logs/alerts/{id}", tag = "audit-logs", params(("id" = String, Path)),
    request_body = AlertRulePatch,
    responses((status = 200, body = AlertRuleBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<AlertRulePatch>,
) -> Result<Json<AlertRuleBody>, Problem> {
    let before = app.alerts.alert_rule_get(&RuleId(id)).await?;
    same_version("alert rule", before.version, given.version)?;
    let settings = RuleSettings::read(given.applied(&before)).map_err(field_problems)?;
    receivers::check(&app, &settings).await?;
    known_lists(&app, &settings).await?;

    change(
        &app,
        &caller,
        "alert.modify",
        &before,
        before.with_settings(settings, app.now()),
    )
    .await
}

/// Remove an alert rule. Its firings stay.
#[utoipa::path(delete, path = "/api/v1/audit-logs/alerts/{id}", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let rule = app.alerts.alert_rule_get(&RuleId(id)).await?;
    let entry = entry(&caller, &events::ALERT_DELETE, "alert.delete", &rule).before(record(&rule));
    app.change(entry, app.alerts.alert_rule_delete(&rule.id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enable an alert rule. It counts entries that are recorded from then on.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/{id}/enable", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = AlertRuleBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn enable(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AlertRuleBody>, Problem> {
    let before = app.alerts.alert_rule_get(&RuleId(id)).await?;
    change(
        &app,
        &caller,
        "alert.enable",
        &before,
        before.with_state(RuleState::Enabled, app.now()),
    )
    .await
}

/// Disable an alert rule: its entries are no longer counted.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/{id}/disable", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = AlertRuleBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn disable(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AlertRuleBody>, Problem> {
    let before = app.alerts.alert_rule_get(&RuleId(id)).await?;
    change(
        &app,
        &caller,
        "alert.disable",
        &before,
        before.with_state(RuleState::Disabled, app.now()),
    )
    .await
}

/// Silence an alert rule: it goes on firing, and notifies nobody until then.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/{id}/silence", tag = "audit-logs", params(("id" = String, Path)),
    request_body = AlertSilenceRequest,
    responses((status = 200, body = AlertRuleBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
async fn silence(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<AlertSilenceRequest>,
) -> Result<Json<AlertRuleBody>, Problem> {
    let now = app.now();
    let until = given.until.filter(|text| !text.is_empty());
    let until = until.map(|text| {
        let message = "must be in the future, such as 2027-01-01T00:00:00Z or now+2h";
        point_in_time(&text, now)
            .filter(|until| *until > now)
            .ok_or_else(|| Problem::field("until", FieldCode::InvalidTime, message))
    });

    let before = app.alerts.alert_rule_get(&RuleId(id)).await?;
    change(
        &app,
        &caller,
        "alert.silence",
        &before,
        before.silenced(until.transpose()?, now),
    )
    .await
}

/// Returns the rules that count only in part at present.
async fn degraded(app: &App) -> Result<Vec<DegradedRule>, Problem> {
    let now = app.now();
    let lasts = |degraded: &DegradedRule| {
        degraded
            .at
            .checked_add(DEGRADED_FOR)
            .is_ok_and(|until| until > now)
    };

    Ok(app
        .alerts
        .alert_degraded()
        .await?
        .into_iter()
        .filter(lasts)
        .collect())
}

fn body(rule: &AlertRule, degraded: &[DegradedRule]) -> AlertRuleBody {
    let met = degraded.iter().find(|degraded| degraded.rule == rule.id);
    AlertRuleBody {
        degraded: met.map(AlertDegradedBody::new),
        ..AlertRuleBody::new(rule)
    }
}

/// Records and keeps a change.
async fn change(
    app: &App,
    caller: &Caller,
    operation: &str,
    before: &AlertRule,
    after: AlertRule,
) -> Result<Json<AlertRuleBody>, Problem> {
    let entry = entry(caller, &events::ALERT_MODIFY, operation, before)
        .before(record(before))
        .after(record(&after));
    app.change(entry, app.alerts.alert_rule_update(&after))
        .await?;
    Ok(Json(AlertRuleBody::new(&after)))
}

fn entry(caller: &Caller, kind: &EventKind, operation: &str, rule: &AlertRule) -> Entry {
    log_entry::did(
        caller,
        kind,
        operation,
        ResourceRef::new("alert_rule", rule.id.0.clone()),
    )
}

/// As it stands in the log.
fn record(rule: &AlertRule) -> AuditJson {
    AuditJson::from(serde_json::to_value(AlertRuleBody::new(rule)).unwrap_or_default())
}

/// Returns the answer that names every failing field of settings.
pub(super) fn field_problems(errors: Vec<FieldError>) -> Problem {
    let field = |error: FieldError| FieldProblem {
        field: error.path,
        code: Name(error.code),
        message: error.message,
        index: None,
    };
    Problem::fields(errors.into_iter().map(field).collect())
}
