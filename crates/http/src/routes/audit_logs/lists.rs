//! Lists of values that queries and alert rules compare with. Changes are recorded in the log
//! before and after they are made.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::{AccessError, ValueList};
use reeve_audit::query::Query;
use reeve_audit::{Json as AuditJson, ResourceRef, events};
use reeve_reports::{ReportDefinition, ReportKind};
use serde_json::json;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::routes::audit_logs::alerts::field_problems;
use crate::wire::form::list::{List, Paging};
use crate::wire::log::value_list::{ValueListBody, ValueListPut, ValueListValuesBody};

/// Values that an entry names of those that were added or removed, at most.
const NAMED: usize = 100;

/// Lists of values by name, without what they hold.
#[utoipa::path(get, path = "/api/v1/audit-logs/lists", tag = "audit-logs", params(Paging),
    responses((status = 200, body = List<ValueListBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<ValueListBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let all = app.lists.value_list_all().await?;
    Ok(Json(window.page(all.iter(), ValueListBody::from)))
}

/// One list with its values.
#[utoipa::path(get, path = "/api/v1/audit-logs/lists/{name}", tag = "audit-logs", params(("name" = String, Path)),
    responses((status = 200, body = ValueListValuesBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<ValueListValuesBody>, Problem> {
    let list = app.lists.value_list_get(&name).await?;
    Ok(Json(ValueListValuesBody {
        about: ValueListBody::from(&list),
        values: list.values,
    }))
}

/// Add a list, or replace the one of this name from the version that was read. Searches and alert
/// rules compare with the new values from then on.
#[utoipa::path(put, path = "/api/v1/audit-logs/lists/{name}", tag = "audit-logs", params(("name" = String, Path)),
    request_body = ValueListPut,
    responses((status = 200, body = ValueListBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    Body(given): Body<ValueListPut>,
) -> Result<Json<ValueListBody>, Problem> {
    let before = match app.lists.value_list_get(&name).await {
        Ok(list) => Some(list),
        Err(AccessError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let stored = before.as_ref().map_or(0, |list| list.version);

    if given.version != stored {
        let message = format!(
            "The list was changed by someone else: version {stored} is stored, you sent version {}. Reload it and try again.",
            given.version
        );
        return Err(Problem::new(Code::Conflict, message));
    }

    let list = ValueList {
        version: stored + 1,
        updated_at_ms: app.now().as_millisecond(),
        updated_by: caller.principal.email.clone(),
        ..ValueList::read(&name, &given.description, &given.values).map_err(field_problems)?
    };

    let mut entry = log_entry::did(
        &caller,
        &events::LIST_MODIFY,
        "list.modify",
        resource(&name),
    )
    .after(state(&list));

    if let Some(before) = &before {
        entry = entry.before(state(before));
    }

    let none = Vec::new();
    let held = before.as_ref().map_or(&none, |list| &list.values);
    let entry = entry
        .with_metadata("added", differing(&list.values, held))
        .with_metadata("removed", differing(held, &list.values));
    app.change(entry, app.lists.value_list_put(&list)).await?;

    Ok(Json(ValueListBody::from(&list)))
}

/// Remove a list. One that an alert rule or a report compares with stays.
#[utoipa::path(delete, path = "/api/v1/audit-logs/lists/{name}", tag = "audit-logs", params(("name" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    let list = app.lists.value_list_get(&name).await?;
    let rules = app.alerts.alert_rule_list().await?;
    if let Some(rule) = rules
        .iter()
        .find(|rule| rule.settings.query.expr.lists().contains(name.as_str()))
    {
        let message = format!(
            "The alert rule \"{}\" compares with this list. Change the rule first.",
            rule.settings.name
        );
        return Err(Problem::new(Code::Conflict, message));
    }

    let compares = |report: &&ReportDefinition| match &report.request.kind {
        ReportKind::Custom { query, .. } => {
            Query::parse(query).is_ok_and(|query| query.expr.lists().contains(name.as_str()))
        }
        ReportKind::Compliance { .. } => false,
    };
    if let Some(report) = app.reports.report_list().await?.iter().find(compares) {
        let message = format!(
            "The report \"{}\" compares with this list. Change the report first.",
            report.name
        );
        return Err(Problem::new(Code::Conflict, message));
    }

    let entry = log_entry::did(
        &caller,
        &events::LIST_DELETE,
        "list.delete",
        resource(&name),
    )
    .before(state(&list));
    app.change(entry, app.lists.value_list_delete(&name))
        .await?;

    Ok(StatusCode::NO_CONTENT)
}

fn resource(name: &str) -> ResourceRef {
    ResourceRef::new("value_list", name)
}

/// Returns a list as it stands in the log.
fn state(list: &ValueList) -> AuditJson {
    AuditJson::from(json!({
        "name": list.name, "description": list.description, "size": list.values.len(), "version": list.version,
    }))
}

/// Returns the first values of one sorted list that another one lacks.
fn differing(values: &[String], others: &[String]) -> AuditJson {
    let missing = values
        .iter()
        .filter(|value| others.binary_search(value).is_err());
    AuditJson::from(json!(missing.take(NAMED).collect::<Vec<_>>()))
}
