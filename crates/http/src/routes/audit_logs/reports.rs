//! Reports: kept, run, followed, downloaded. A task of the server does the work; what is kept here
//! is the request.
//!
//! Everything needs `audit.reports`, and runs `audit.view_all` as well: a run reads what the user
//! who asked for it may see, and every reader of reports may download it. A caller with a scope is
//! answered the part of a report that lies in it, and the runs that do (`reeve_reports::OutsideScope`).

mod reviews;
mod runs;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::{ListError, Permission};
use reeve_audit::{Entry, EventKind, FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_reports::{ReportDefinition, ReportId, ReportKind, read_definition, read_request};
use utoipa_axum::routes;

use crate::app::App;
use crate::change::same_version;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::paging::window;
use crate::routes::audit_logs::alerts::field_problems;
use crate::routes::audit_logs::ask;
use crate::routes::workspace::named_zone;
use crate::wire::form::list::{List, Paging};
use crate::wire::report::{ReportBody, ReportCreate, ReportPatch, ReportTemplateBody, templates};

/// Most reports that an installation may have.
const MOST: u64 = 1000;

const REPORTS: Access = Access::Needs(Permission::AuditReports);
/// A run shows entries of everybody, whoever asked for it.
const RUNS: Access = Access::NeedsAll(&[Permission::AuditReports, Permission::AuditViewAll]);

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(REPORTS, routes!(list, create))
        .add(REPORTS, routes!(get, patch, delete))
        .add(REPORTS, routes!(list_templates))
        .add(RUNS, routes!(runs::run))
        .add(RUNS, routes!(runs::list))
        .add(RUNS, routes!(runs::get))
        .add(RUNS, routes!(runs::cancel))
        .add(RUNS, routes!(runs::download))
        .add(RUNS, routes!(reviews::create))
}

/// Lists reports by name.
#[utoipa::path(get, path = "/api/v1/audit-logs/reports", tag = "audit-logs", operation_id = "reports_list", params(Paging),
    responses((status = 200, body = List<ReportBody>)))]
async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(paging): Params<Paging>,
) -> Result<Json<List<ReportBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let all = app.reports.report_list().await?;
    let now = app.now();
    let all: Vec<_> = all
        .into_iter()
        .filter_map(|report| visible(&caller, report, now))
        .collect();
    Ok(Json(window.page(all.iter(), ReportBody::new)))
}

/// Add a report. It runs when asked, and by its schedule if it has one.
#[utoipa::path(post, path = "/api/v1/audit-logs/reports", tag = "audit-logs", operation_id = "reports_create",
    request_body = ReportCreate,
    responses((status = 201, body = ReportBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<ReportCreate>,
) -> Result<(StatusCode, Json<ReportBody>), Problem> {
    let now = app.now();
    let id = ReportId(uuid::Uuid::now_v7().to_string());
    let report = checked(&app, &caller, &given, (id, now, 1)).await?;
    let entry =
        entry(&caller, &events::REPORT_CREATE, "report.create", &report).after(record(&report));
    app.change(entry, app.reports.report_insert(&report, MOST))
        .await?;
    Ok((StatusCode::CREATED, Json(ReportBody::new(&report))))
}

/// Returns one report.
#[utoipa::path(get, path = "/api/v1/audit-logs/reports/{id}", tag = "audit-logs", operation_id = "reports_get",
    params(("id" = String, Path)),
    responses((status = 200, body = ReportBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ReportBody>, Problem> {
    let report = app.reports.report_get(&ReportId(id)).await?;
    let id = report.id.0.clone();
    let report = visible(&caller, report, app.now());
    let report = report.ok_or_else(|| Problem::not_found("report", &id))?;
    Ok(Json(ReportBody::new(&report)))
}

/// Returns the part of a report that its reader may see: with a scope what a run of theirs would
/// answer, without the receivers of other runs. `None` for a report with nothing in the scope.
fn visible(
    caller: &Caller,
    report: ReportDefinition,
    now: jiff::Timestamp,
) -> Option<ReportDefinition> {
    let Some(scope) = caller.principal.scope.as_deref() else {
        return Some(report);
    };
    let request = report.request.within(scope, now).ok()?;
    Some(ReportDefinition {
        request,
        channels: Vec::new(),
        recipients: Vec::new(),
        ..report
    })
}

/// Change a report. Scheduled runs have the rights of whoever changed it last.
#[utoipa::path(patch, path = "/api/v1/audit-logs/reports/{id}", tag = "audit-logs", operation_id = "reports_patch",
    params(("id" = String, Path)), request_body = ReportPatch,
    responses((status = 200, body = ReportBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<ReportPatch>,
) -> Result<Json<ReportBody>, Problem> {
    let before = app.reports.report_get(&ReportId(id)).await?;
    same_version("report", before.version, given.version)?;
    let given = given.applied(&before);
    let after = checked(
        &app,
        &caller,
        &given,
        (before.id.clone(), before.created_at, before.version + 1),
    )
    .await?;

    let entry = entry(&caller, &events::REPORT_MODIFY, "report.modify", &before);
    app.change(
        entry.before(record(&before)).after(record(&after)),
        app.reports.report_update(&after),
    )
    .await?;
    Ok(Json(ReportBody::new(&after)))
}

/// Remove a report. Its runs stay.
#[utoipa::path(delete, path = "/api/v1/audit-logs/reports/{id}", tag = "audit-logs", operation_id = "reports_delete",
    params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let report = app.reports.report_get(&ReportId(id)).await?;
    let entry =
        entry(&caller, &events::REPORT_DELETE, "report.delete", &report).before(record(&report));
    app.change(entry, app.reports.report_delete(&report.id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The compliance templates: every control with its queries and gaps.
#[utoipa::path(get, path = "/api/v1/audit-logs/report-templates", tag = "audit-logs", operation_id = "report_templates_list",
    responses((status = 200, body = List<ReportTemplateBody>)))]
async fn list_templates() -> Json<List<ReportTemplateBody>> {
    let items = templates();
    let total = items.len() as u64;
    Json(List {
        items,
        total,
        next_cursor: None,
    })
}

/// Makes a report out of what was sent.
async fn checked(
    app: &App,
    caller: &Caller,
    given: &ReportCreate,
    (id, created_at, version): (ReportId, jiff::Timestamp, u64),
) -> Result<ReportDefinition, Problem> {
    let now = app.now();
    let zone = named_zone(
        app,
        given
            .schedule
            .as_ref()
            .and_then(|schedule| schedule.time_zone.as_deref()),
    )
    .await?;
    let (mut request, draft) = given.drafts(&zone);

    request.start_time = ask::instant("start_time", given.start_time.as_deref(), now)?;
    request.end_time = ask::instant("end_time", given.end_time.as_deref(), now)?;
    let (request, schedule) = match (read_request(request), read_definition(&draft, now)) {
        (Ok(request), Ok(schedule)) => (request, schedule),
        (request, schedule) => {
            let errors = request
                .err()
                .into_iter()
                .chain(schedule.err())
                .flatten()
                .collect();
            return Err(field_problems(errors));
        }
    };

    if let ReportKind::Custom { query, .. } = &request.kind {
        known_lists(app, query).await?;
    }

    let principal = &caller.principal;
    Ok(ReportDefinition {
        id,
        name: draft.name,
        request,
        next_run_at: schedule.as_ref().and_then(|schedule| schedule.next(now)),
        schedule,
        channels: draft.channels,
        recipients: draft.recipients,
        owner: principal.user.0.clone(),
        owner_email: principal.email.clone(),
        owner_token: principal.token.as_ref().map(|token| token.id.clone()),
        created_at,
        updated_at: now,
        version,
    })
}

/// Refuses a query that compares with a list that does not exist: no run of the report would
/// succeed.
async fn known_lists(app: &App, query: &str) -> Result<(), Problem> {
    let query = ask::parse(Some(query))?;
    match reeve_access::with_lists(app.lists.as_ref(), &query).await {
        Ok(_) => Ok(()),
        Err(ListError::Unknown(name)) => Err(Problem::field(
            "query",
            FieldCode::InvalidQuery,
            format!("there is no list `{name}`"),
        )),
        Err(ListError::Store(error)) => Err(error.into()),
    }
}

fn entry(caller: &Caller, kind: &EventKind, operation: &str, report: &ReportDefinition) -> Entry {
    log_entry::did(
        caller,
        kind,
        operation,
        ResourceRef::new("report", report.id.0.clone()),
    )
}

/// As it stands in the log.
fn record(report: &ReportDefinition) -> AuditJson {
    AuditJson::from(serde_json::to_value(ReportBody::new(report)).unwrap_or_default())
}
