//! Runs of reports: asked for, followed, cancelled, downloaded.

use std::sync::Arc;

use axum::Json;
use axum::body::Body as HttpBody;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use reeve_access::AuditScope;
use reeve_audit::{Entry, FieldCode, ResourceRef, events};
use reeve_notify::delivery::{DeliveryTarget, Topic};
use reeve_reports::{ReportId, ReportRun, RunFilter, RunId, RunState, visible_reviews};
use serde_json::json;
use tokio_util::io::ReaderStream;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::wire::form::list::List;
use crate::wire::report::{
    DownloadParams, ReportDeliveryBody, ReportReviewBody, ReportRunBody, RunListParams,
};

/// Bytes read from a file at a time.
const CHUNK: usize = 256 << 10;
/// Reviews answered, the latest.
const REVIEWS: u64 = 1000;
/// Runs that are looked at for a caller with a scope, the latest ones.
const SCANNED: u64 = 1000;
/// Tries of a change that meets the progress of a running report.
const TRIES: usize = 5;

/// Run a report now. Follow the run until its state is `succeeded`, `failed` or `cancelled`.
#[utoipa::path(post, path = "/api/v1/audit-logs/reports/{id}/run", tag = "audit-logs", operation_id = "reports_run",
    params(("id" = String, Path)),
    responses((status = 202, body = ReportRunBody, headers(("location" = String, description = "Address of the run"))),
        (status = 404, body = ProblemBody)))]
pub(super) async fn run(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<
    (
        StatusCode,
        [(header::HeaderName, String); 1],
        Json<ReportRunBody>,
    ),
    Problem,
> {
    let report = app.reports.report_get(&ReportId(id)).await?;
    let id = RunId(uuid::Uuid::now_v7().to_string());
    let run = ReportRun::requested(&report, id, &caller.principal, app.now())
        .within(caller.principal.scope.as_deref())
        .map_err(|outside| Problem::new(Code::NotFound, format!("Nothing to run: {outside}.")))?;
    app.reports.run_insert(&run, None).await?;
    let place = format!("/api/v1/audit-logs/reports/runs/{}", run.id.0);

    Ok((
        StatusCode::ACCEPTED,
        [(header::LOCATION, place)],
        Json(ReportRunBody::new(&run)),
    ))
}

/// Runs, the latest first.
#[utoipa::path(get, path = "/api/v1/audit-logs/reports/runs", tag = "audit-logs", operation_id = "report_runs_list",
    params(RunListParams),
    responses((status = 200, body = List<ReportRunBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<RunListParams>,
) -> Result<Json<List<ReportRunBody>>, Problem> {
    let window = window(asked.limit, asked.offset, asked.cursor.as_deref())?;
    if let Some(kind) = asked
        .kind
        .as_deref()
        .filter(|kind| !matches!(*kind, "compliance" | "custom"))
    {
        return Err(Problem::field(
            "kind",
            FieldCode::InvalidValue,
            format!("{kind:?} must be compliance or custom"),
        ));
    }

    let filter = RunFilter {
        report: asked.report_id.map(ReportId),
        kind: asked.kind,
        limit: window.limit,
        offset: window.start(),
    };
    let (runs, total) = match caller.principal.scope.as_deref() {
        Some(scope) => within(&app, scope, filter).await?,
        None => app.reports.run_list(&filter).await?,
    };

    let next_cursor = window.next(runs.len(), total);
    Ok(Json(List {
        items: runs.iter().map(ReportRunBody::new).collect(),
        total,
        next_cursor,
    }))
}

/// Returns the runs that lie in a scope, and their number: among the latest, as what a run read is
/// known only after it was found.
async fn within(
    app: &App,
    scope: &AuditScope,
    filter: RunFilter,
) -> Result<(Vec<ReportRun>, u64), Problem> {
    let latest = RunFilter {
        limit: SCANNED,
        offset: 0,
        ..filter.clone()
    };
    let (mut runs, _) = app.reports.run_list(&latest).await?;
    runs.retain(|run| run.lies_in(scope));

    let total = runs.len() as u64;
    let bound = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let page = runs.into_iter().skip(bound(filter.offset));
    Ok((page.take(bound(filter.limit)).collect(), total))
}

/// A run that the caller may see.
async fn visible(app: &App, caller: &Caller, id: &RunId) -> Result<ReportRun, Problem> {
    let run = app.reports.run_get(id).await?;
    match caller.principal.scope.as_deref() {
        Some(scope) if !run.lies_in(scope) => Err(Problem::not_found("run", &id.0)),
        _ => Ok(run),
    }
}

/// A run that the caller may cancel: within a scope a run of their own.
async fn cancellable(app: &App, caller: &Caller, id: &RunId) -> Result<ReportRun, Problem> {
    let run = visible(app, caller, id).await?;
    if caller.principal.scope.is_some() && run.user != caller.user.0 {
        let reason = "A user with a scope cancels their own runs alone.";
        return Err(Problem::new(Code::Forbidden, reason));
    }
    Ok(run)
}

/// One run with its findings.
#[utoipa::path(get, path = "/api/v1/audit-logs/reports/runs/{id}", tag = "audit-logs", operation_id = "report_runs_get",
    params(("id" = String, Path)),
    responses((status = 200, body = ReportRunBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ReportRunBody>, Problem> {
    let run = visible(&app, &caller, &RunId(id)).await?;
    // Before its end a run has no findings, and pages ask for its progress every second.
    if run.state == RunState::Succeeded {
        let read = json!({ "run_id": run.id.0 });
        app.record_reading(log_entry::read_log(
            &caller,
            &events::AUDIT_VIEW,
            "view_report",
            read,
            None,
        ))
        .await?;
    }

    // Channels are settings of the service, which a scope does not open.
    let scope = caller.principal.scope.as_deref();
    let deliveries = match scope {
        Some(_) => Vec::new(),
        None => deliveries(&app, &run).await?,
    };
    let reviews = visible_reviews(&*app.reports, &run.report, scope, REVIEWS).await?;
    let reviews = reviews.iter().map(ReportReviewBody::new).collect();

    Ok(Json(ReportRunBody {
        deliveries,
        reviews,
        ..ReportRunBody::new(&run)
    }))
}

/// Returns the deliveries to the channels of a run that has ended.
async fn deliveries(app: &App, run: &ReportRun) -> Result<Vec<ReportDeliveryBody>, Problem> {
    if !matches!(run.state, RunState::Succeeded | RunState::Failed) {
        return Ok(Vec::new());
    }

    let (names, subject) = (run.receiving_channels(), run.delivery_subject());
    let channels = app.dispatcher.channels.channel_list().await?;
    let mut deliveries = Vec::new();

    for name in &names {
        let one = std::slice::from_ref(name);
        if !channels
            .iter()
            .any(|channel| channel.is_named(one, Topic::Reports))
        {
            deliveries.push(ReportDeliveryBody::unknown(name));
        }
    }

    for channel in channels
        .iter()
        .filter(|channel| channel.is_named(&names, Topic::Reports))
    {
        let target = DeliveryTarget::Channel(channel.id.clone());
        if let Some(delivery) = app
            .dispatcher
            .deliveries
            .delivery_about(&target, &subject)
            .await?
        {
            deliveries.push(ReportDeliveryBody::new(&channel.name, &delivery));
        }
    }

    Ok(deliveries)
}

/// Cancel a run that waits or runs. A running report stops within moments.
#[utoipa::path(post, path = "/api/v1/audit-logs/reports/runs/{id}/cancel", tag = "audit-logs",
    operation_id = "report_runs_cancel", params(("id" = String, Path)),
    responses((status = 200, body = ReportRunBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn cancel(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ReportRunBody>, Problem> {
    let id = RunId(id);
    for _ in 0..TRIES {
        let before = cancellable(&app, &caller, &id).await?;
        if before.state.is_ended() {
            return Err(Problem::new(
                Code::Conflict,
                format!("The run has ended: it {}.", before.state.as_str()),
            ));
        }
        let queued = before.state == RunState::Queued;
        let mut after = ReportRun {
            cancelling: true,
            version: before.version + 1,
            ..before
        };
        if queued {
            (after.state, after.ended_at) = (RunState::Cancelled, Some(app.now()));
        }
        match app.reports.run_update(&after).await {
            Ok(()) if queued => {
                let outcome = entry(&caller, "report.cancel", &after);
                app.journal.record_outcome(outcome).await;
                return Ok(Json(ReportRunBody::new(&after)));
            }
            Ok(()) => return Ok(Json(ReportRunBody::new(&after))),
            Err(reeve_access::AccessError::Conflict(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }

    Err(Problem::new(
        Code::Conflict,
        "The run is being updated. Try again.",
    ))
}

/// Download a file of a run. Each download is recorded.
#[utoipa::path(get, path = "/api/v1/audit-logs/reports/runs/{id}/download", tag = "audit-logs",
    operation_id = "report_runs_download", params(("id" = String, Path), DownloadParams),
    responses((status = 200, description = "The file", content_type = "application/octet-stream", body = String),
        (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn download(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<DownloadParams>,
) -> Result<Response, Problem> {
    let run = visible(&app, &caller, &RunId(id)).await?;
    let format = params.format.to_ascii_lowercase();
    let (kind, bytes) = match format.as_str() {
        "pdf" => ("application/pdf", run.files.pdf.bytes),
        "csv" => (
            "text/csv; charset=utf-8; header=present",
            run.files.csv.bytes,
        ),
        "json" => ("application/json", run.files.json.bytes),
        "manifest" => ("application/json", run.files.manifest_bytes),
        other => {
            let message = format!("{other:?} must be pdf, csv, json or manifest");
            return Err(Problem::field("format", FieldCode::InvalidValue, message));
        }
    };

    if run.state != RunState::Succeeded {
        return Err(Problem::new(
            Code::Conflict,
            format!("The run has no files: it is {}.", run.state.as_str()),
        ));
    }

    if bytes == 0 {
        return Err(Problem::new(
            Code::NotFound,
            "The run is of a release that wrote no manifest. Run the report again.",
        ));
    }

    let suffix = if format == "manifest" {
        "manifest.json"
    } else {
        format.as_str()
    };

    let path = app
        .settings
        .reports_dir
        .join(&run.id.0)
        .join(format!("report.{suffix}"));
    let file = tokio::fs::File::open(&path).await;
    let file = file.map_err(|error| Problem::internal(format!("{}: {error}", path.display())))?;
    let download = entry(&caller, "report.download", &run);
    app.record_reading(download.with_metadata("format", format.clone()))
        .await?;
    let name = run.file_name(suffix);
    let mut response = Response::new(HttpBody::from_stream(ReaderStream::with_capacity(
        file, CHUNK,
    )));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-store"),
    );
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }

    Ok(response)
}

fn entry(caller: &Caller, operation: &str, run: &ReportRun) -> Entry {
    let report = json!({ "run_id": run.id.0, "report_id": run.report.0, "name": run.report_name });
    let report = reeve_audit::Json::from(report);
    log_entry::did(
        caller,
        &events::REPORT,
        operation,
        ResourceRef::new("report_run", run.id.0.clone()),
    )
    .with_metadata("report", report)
}
