//! Budgets: amounts for a period and a part of the bills, with thresholds. Changes are recorded
//! before they are made.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::Permission;
use reeve_anomalies::budget::{
    Basis, Budget, BudgetAlert, BudgetId, BudgetScope, BudgetThreshold, MOST_BUDGETS,
    MOST_THRESHOLDS,
};
use reeve_audit::{
    Entry, EventKind, FieldCode, Json as AuditJson, ResourceRef, events, is_email_address,
};
use reeve_estate::Amount;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::wire::anomaly::budget::{
    BudgetAlertBody, BudgetBody, BudgetScopeBody, BudgetSettings, ThresholdBody,
};
use crate::wire::form::list::List;

/// Names in one list of a scope, channels and recipients at most.
const MOST_NAMES: usize = 50;
/// Longest name of any kind, characters.
const LONGEST: usize = 200;
/// Alerts that are listed.
const MOST_ALERTS: u64 = 200;
/// Greatest amount: what bills may hold.
const GREATEST: f64 = 1e12;
/// Thresholds of a budget that names none.
const USUAL: [BudgetThreshold; 4] = [
    BudgetThreshold {
        percent: 50,
        basis: Basis::Actual,
    },
    BudgetThreshold {
        percent: 80,
        basis: Basis::Actual,
    },
    BudgetThreshold {
        percent: 100,
        basis: Basis::Actual,
    },
    BudgetThreshold {
        percent: 100,
        basis: Basis::Forecast,
    },
];

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::EstateView), routes!(list))
        .add(Access::Needs(Permission::EstateManage), routes!(create))
        .add(Access::Needs(Permission::EstateView), routes!(alerts))
        .add(Access::Needs(Permission::EstateView), routes!(get))
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(put, delete),
        )
}

/// Budgets by name, each with how it stands.
#[utoipa::path(get, path = "/api/v1/budgets", tag = "costs", operation_id = "budgets_list", responses((status = 200, body = List<BudgetBody>)))]
async fn list(State(app): State<Arc<App>>) -> Result<Json<List<BudgetBody>>, Problem> {
    let all = app.budgets.budget_list().await?;
    let items: Vec<BudgetBody> = all
        .iter()
        .map(|(budget, standing)| BudgetBody::new(budget, standing.as_ref()))
        .collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// Thresholds that were reached, the newest first.
#[utoipa::path(get, path = "/api/v1/budgets/alerts", tag = "costs", operation_id = "budgets_alerts", responses((status = 200, body = List<BudgetAlertBody>)))]
async fn alerts(State(app): State<Arc<App>>) -> Result<Json<List<BudgetAlertBody>>, Problem> {
    let alerts = app.budgets.budget_alerts(None, MOST_ALERTS).await?;
    let items: Vec<BudgetAlertBody> = alerts.iter().map(BudgetAlertBody::new).collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// One budget, with how it stands.
#[utoipa::path(get, path = "/api/v1/budgets/{id}", tag = "costs", operation_id = "budgets_get", params(("id" = String, Path)),
    responses((status = 200, body = BudgetBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<BudgetBody>, Problem> {
    let all = app.budgets.budget_list().await?;
    let (budget, standing) = all
        .into_iter()
        .find(|(budget, _)| budget.id.0 == id)
        .ok_or_else(|| Problem::not_found("budget", &id))?;
    Ok(Json(BudgetBody::new(&budget, standing.as_ref())))
}

/// Add a budget. It is evaluated with the next look at the bills, within a minute.
#[utoipa::path(post, path = "/api/v1/budgets", tag = "costs", operation_id = "budgets_create", request_body = BudgetSettings,
    responses((status = 201, body = BudgetBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<BudgetSettings>,
) -> Result<(StatusCode, Json<BudgetBody>), Problem> {
    let id = BudgetId(uuid::Uuid::now_v7().to_string());
    let budget = budget(&app, id, body, None).await?;
    let entry =
        entry(&caller, &events::BUDGET_CREATE, "create_budget", &budget).after(record(&budget));
    app.change(entry, app.budgets.budget_insert(&budget, MOST_BUDGETS))
        .await?;
    Ok((StatusCode::CREATED, Json(BudgetBody::new(&budget, None))))
}

/// Replace a budget.
#[utoipa::path(put, path = "/api/v1/budgets/{id}", tag = "costs", operation_id = "budgets_put", params(("id" = String, Path)), request_body = BudgetSettings,
    responses((status = 200, body = BudgetBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<BudgetSettings>,
) -> Result<Json<BudgetBody>, Problem> {
    let before = app.budgets.budget_get(&BudgetId(id)).await?;
    if let Some(read) = body.version.filter(|read| *read != before.version) {
        let message = format!(
            "The budget was changed by someone else: version {} is stored, you sent version {read}. Reload it and try again.",
            before.version
        );
        return Err(Problem::new(Code::Conflict, message));
    }

    let after = budget(&app, before.id.clone(), body, Some(&before)).await?;
    let entry = entry(&caller, &events::BUDGET_MODIFY, "modify_budget", &after)
        .before(record(&before))
        .after(record(&after));
    app.change(entry, app.budgets.budget_update(&after)).await?;

    Ok(Json(BudgetBody::new(&after, None)))
}

/// Remove a budget with its alerts. The log keeps its story.
#[utoipa::path(delete, path = "/api/v1/budgets/{id}", tag = "costs", operation_id = "budgets_delete", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let budget = app.budgets.budget_get(&BudgetId(id)).await?;
    let entry =
        entry(&caller, &events::BUDGET_DELETE, "delete_budget", &budget).before(record(&budget));
    app.change(entry, app.budgets.budget_delete(&budget.id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

fn entry(caller: &Caller, kind: &EventKind, operation: &str, budget: &Budget) -> Entry {
    log_entry::did(
        caller,
        kind,
        operation,
        ResourceRef::new("budget", budget.id.0.clone()),
    )
    .with_metadata("budget_name", budget.name.clone())
}

/// A budget as it stands in the log.
fn record(budget: &Budget) -> AuditJson {
    AuditJson::from(serde_json::to_value(BudgetBody::new(budget, None)).unwrap_or_default())
}

/// An alert as others are told of it.
#[must_use]
pub fn budget_alert_record(alert: &BudgetAlert) -> serde_json::Value {
    serde_json::to_value(BudgetAlertBody::new(alert)).unwrap_or_default()
}

async fn budget(
    app: &App,
    id: BudgetId,
    body: BudgetSettings,
    before: Option<&Budget>,
) -> Result<Budget, Problem> {
    if !(body.amount > 0.0 && body.amount <= GREATEST) {
        return Err(Problem::field(
            "amount",
            FieldCode::InvalidValue,
            "must be more than 0, and at most 1,000,000,000,000",
        ));
    }

    let currency = match body.currency {
        Some(currency) => currency,
        None => app.workspace.workspace_get().await?.currency,
    };
    let now = app.now();

    Ok(Budget {
        id,
        name: name("name", &body.name)?,
        // Cents are whole, whatever a double makes of them.
        amount: Amount::from_f64(body.amount).rounded(2),
        currency: crate::routes::workspace::currency("currency", &currency)?,
        period: body.period.0,
        scope: scope(body.scope)?,
        thresholds: thresholds(body.thresholds)?,
        channels: names("channels", body.channels)?,
        recipients: recipients(body.recipients)?,
        created_at: before.map_or(now, |before| before.created_at),
        updated_at: now,
        version: before.map_or(1, |before| before.version + 1),
    })
}

fn name(field: &str, given: &str) -> Result<String, Problem> {
    let given = given.trim();
    if given.is_empty() || given.chars().count() > LONGEST || given.contains(char::is_control) {
        return Err(Problem::field(
            field,
            FieldCode::InvalidValue,
            format!("must have 1 to {LONGEST} characters without control characters"),
        ));
    }
    Ok(given.to_owned())
}

fn names(field: &str, given: Vec<String>) -> Result<Vec<String>, Problem> {
    if given.len() > MOST_NAMES {
        return Err(Problem::field(
            field,
            FieldCode::TooMany,
            format!("may have at most {MOST_NAMES} values"),
        ));
    }
    given
        .iter()
        .enumerate()
        .map(|(at, text)| name(&format!("{field}[{at}]"), text))
        .collect()
}

fn scope(given: BudgetScopeBody) -> Result<BudgetScope, Problem> {
    if given.tags.len() > MOST_NAMES {
        return Err(Problem::field(
            "scope.tags",
            FieldCode::TooMany,
            format!("may have at most {MOST_NAMES} values"),
        ));
    }

    let tags = given.tags.into_iter().enumerate().map(|(at, tag)| {
        Ok((
            name(&format!("scope.tags[{at}].name"), &tag.name)?,
            tag.value.chars().take(LONGEST).collect::<String>(),
        ))
    });

    Ok(BudgetScope {
        providers: names("scope.providers", given.providers)?,
        accounts: names("scope.accounts", given.accounts)?,
        services: names("scope.services", given.services)?,
        tags: tags.collect::<Result<Vec<_>, Problem>>()?,
    })
}

fn thresholds(given: Option<Vec<ThresholdBody>>) -> Result<Vec<BudgetThreshold>, Problem> {
    let Some(given) = given else {
        return Ok(USUAL.to_vec());
    };

    if given.is_empty() || given.len() > MOST_THRESHOLDS {
        return Err(Problem::field(
            "thresholds",
            FieldCode::InvalidValue,
            format!("must have 1 to {MOST_THRESHOLDS} thresholds"),
        ));
    }

    let mut found = BTreeSet::new();
    for (at, threshold) in given.iter().enumerate() {
        let message = "needs a percent from 1 to 1000, and actual or forecast as its basis";
        let parsed = threshold.parse().ok_or_else(|| {
            Problem::field(
                format!("thresholds[{at}]"),
                FieldCode::InvalidValue,
                message,
            )
        })?;
        if !found.insert((parsed.percent, parsed.basis)) {
            return Err(Problem::field(
                format!("thresholds[{at}]"),
                FieldCode::Duplicate,
                "is given twice",
            ));
        }
    }

    Ok(found
        .into_iter()
        .map(|(percent, basis)| BudgetThreshold { percent, basis })
        .collect())
}

fn recipients(given: Vec<String>) -> Result<Vec<String>, Problem> {
    let given = names("recipients", given)?;
    if let Some(at) = given.iter().position(|address| !is_email_address(address)) {
        return Err(Problem::field(
            format!("recipients[{at}]"),
            FieldCode::InvalidValue,
            "is not an e-mail address",
        ));
    }
    Ok(given)
}
