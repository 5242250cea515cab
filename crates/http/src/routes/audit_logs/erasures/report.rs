//! The report about an erasure for a data-protection officer, as JSON and as PDF.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use reeve_audit::events;
use reeve_audit::query::Query;
use reeve_ledger::SearchRequest;
use reeve_retention::ErasureRequest;
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::incident_report::{IncidentReport, ReportSection};
use crate::log_entry;
use crate::routes::audit_logs::ask;
use crate::time;
use crate::wire::log::erasure::{ErasureBody, ErasureReport, HeldEntries, MadeCopy};

/// Copies that a report lists at most, the newest first; their number is complete.
const MOST_COPIES: usize = 100;

/// Entries about copies of entries: what was handed out before an erasure still has them.
const COPIES: &str =
    "event_type:(audit.export OR audit.report OR system.backup) AND action.status:success";

/// Facts that hold for every erasure.
const REMAINS: [&str; 5] = [
    "The 32-byte commitment of each erased entry stays in the log's tree. It is a salted hash whose salt was deleted, and it proves that nothing else was changed.",
    "The entries about this request stay in the log. They name its digest and sequences, not the person.",
    "This request, with the person it names, stays in the state database as the record of the erasure.",
    "Backups, exports and reports made before the erasure, and entries that were streamed or sent to other systems before it, still have the entries. A backup forgets them once it is replaced by a later one.",
    "Findings, alerts and incidents that quote an entry in the state database are not part of the log and are not changed.",
];

/// Form of the report.
#[derive(serde::Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::routes::audit_logs) struct ReportParams {
    /// `json`, the default, or `pdf`.
    #[serde(default)]
    #[param(inline)]
    format: ReportForm,
}

/// Form of the report.
#[derive(Clone, Copy, Default, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::routes::audit_logs) enum ReportForm {
    #[default]
    Json,
    Pdf,
}

/// Report about an erasure for a data-protection officer: what was asked, by whom it was approved,
/// what was erased where and when, what a legal hold kept, and what remains.
#[utoipa::path(get, path = "/api/v1/audit-logs/erasures/{id}/report", tag = "audit-logs", operation_id = "erasures_report", params(("id" = String, Path), ReportParams),
    responses((status = 200, content((ErasureReport = "application/json"), (Vec<u8> = "application/pdf"))), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(in crate::routes::audit_logs) async fn report(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(ReportParams { format }): Params<ReportParams>,
) -> Result<Response, Problem> {
    let request = app.retention_store.erasure_get(&id).await?;
    let report = content(&app, &caller, &request).await?;
    let entry = log_entry::read_log(
        &caller,
        &events::AUDIT_VIEW,
        "download_erasure_report",
        json!({ "erasure": id }),
        None,
    );
    app.record_reading(entry).await?;
    if matches!(format, ReportForm::Json) {
        return Ok(Json(report).into_response());
    }

    let typesetter = app.typesetter.clone();
    let document = document(&report, caller.principal.email.clone(), app.now());
    // Layout takes a moment.
    let made = tokio::task::spawn_blocking(move || typesetter.typeset(document)).await;
    let pdf = made
        .map_err(|error| Problem::internal(format!("typesetting stopped: {error}")))?
        .map_err(Problem::internal)?;
    let name = format!("attachment; filename=\"erasure-{id}.pdf\"");
    let headers = [
        (header::CONTENT_TYPE, "application/pdf".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, pdf).into_response())
}

async fn content(
    app: &App,
    caller: &Caller,
    request: &ErasureRequest,
) -> Result<ErasureReport, Problem> {
    let holds = app.retention_store.hold_list().await?;
    let held = request.outcome.held.iter().map(|(id, entries)| {
        let hold = holds.iter().find(|hold| hold.id == *id);
        HeldEntries {
            hold: id.clone(),
            case: hold.map_or_else(String::new, |hold| hold.case.clone()),
            entries: *entries,
        }
    });

    let query = Query::parse(COPIES).map_err(|error| Problem::internal(error.to_string()))?;
    let until = request.outcome.finished_at.unwrap_or_else(|| app.now());
    let query = query.and(reeve_audit::query::time_range(None, Some(until)));
    let search = SearchRequest {
        count_total: true,
        ..SearchRequest::newest(query, MOST_COPIES, app.now())
    };
    let page = app.trail(caller).search(&search).await;
    let page = page.map_err(ask::problem)?;
    let copies = page.entries.iter().map(|stored| MadeCopy {
        event_type: stored.entry.event_type.as_str().to_owned(),
        event_id: stored.entry.event_id.as_str().to_owned(),
        at: time::text(stored.recorded_at),
        by: stored.entry.actor.email.clone().unwrap_or_default(),
    });

    Ok(ErasureReport {
        generated_at: time::text(app.now()),
        request: ErasureBody::new(request, false),
        held: held.collect(),
        copies: copies.collect(),
        copies_total: page.total.unwrap_or_default(),
        remains: REMAINS.map(str::to_owned).to_vec(),
    })
}

/// The report as sections of a document.
fn document(report: &ErasureReport, reader: String, now: jiff::Timestamp) -> IncidentReport {
    let request = &report.request;
    IncidentReport {
        id: request.id.clone(),
        title: "Erasure of a person's entries".to_owned(),
        lead: format!(
            "{} entries were erased; the request is {}.",
            request.erased, request.status
        ),
        reader,
        generated_at: now,
        sections: vec![
            asked(request),
            approved(request),
            erased(request),
            kept(report),
            copies(report),
            ReportSection {
                title: "What remains".to_owned(),
                bullets: report.remains.clone(),
                ..ReportSection::default()
            },
        ],
    }
}

fn asked(request: &ErasureBody) -> ReportSection {
    let given = |text: &Option<String>| text.clone().unwrap_or_else(|| "not given".to_owned());
    let query = match request.query.as_str() {
        "" => "none",
        query => query,
    };
    ReportSection {
        title: "What was asked".to_owned(),
        paragraphs: vec![request.reason.clone()],
        bullets: vec![
            format!("Request: {}", request.id),
            format!("Person, actor.id: {}", given(&request.actor_id)),
            format!("Person, actor.email: {}", given(&request.email)),
            format!("Query: {query}"),
            format!("From: {}", given(&request.start_time)),
            format!("Until: {}", given(&request.end_time)),
            format!("Entries of the log before sequence {}", request.log_size),
            format!("Legal basis: {}", request.legal_basis),
            format!(
                "Requested by {} at {}",
                request.requested_by, request.requested_at
            ),
            format!("Digest in the log: {}", request.digest),
        ],
        ..ReportSection::default()
    }
}

fn approved(request: &ErasureBody) -> ReportSection {
    let mut bullets: Vec<String> = request
        .approvals
        .iter()
        .map(|approval| format!("Approved by {} at {}", approval.by, approval.at))
        .collect();
    if let (Some(by), Some(at), Some(reason)) = (
        &request.rejected_by,
        &request.rejected_at,
        &request.rejection_reason,
    ) {
        bullets.push(format!("Rejected or withdrawn by {by} at {at}: {reason}"));
    }
    let mut paragraphs = Vec::new();
    if bullets.is_empty() {
        paragraphs.push("No person has approved it yet.".to_owned());
    }
    ReportSection {
        title: "Approvals".to_owned(),
        paragraphs,
        bullets,
        ..ReportSection::default()
    }
}

fn erased(request: &ErasureBody) -> ReportSection {
    let columns = vec![
        ("Segment", 0.52),
        ("Entries", 0.12),
        ("Tombstone", 0.14),
        ("At", 0.22),
    ];
    let rows = request.parts.iter().map(|part| {
        let segment = part.segment.trim_start_matches("lake/entries/");
        vec![
            segment.to_owned(),
            part.entries.to_string(),
            part.entry.to_string(),
            part.at.clone(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let mut paragraphs = vec![format!(
        "{} entries in {} parts; {} bytes of files were deleted.",
        request.erased,
        rows.len(),
        request.freed_bytes
    )];
    if request.unsealed > 0 {
        paragraphs.push(format!(
            "{} entries are not sealed yet; they are erased after the next seal.",
            request.unsealed
        ));
    }
    if let Some(needed) = &request.needed_restore {
        paragraphs.push(format!(
            "{} segments of the cold tier may have entries of the person and were not searched; they are once the entries from {} to {} are restored.",
            needed.segments, needed.start_time, needed.end_time
        ));
    }
    ReportSection {
        title: "What was erased".to_owned(),
        paragraphs,
        table: (!rows.is_empty()).then_some((columns, rows)),
        ..ReportSection::default()
    }
}

fn kept(report: &ErasureReport) -> ReportSection {
    let held = report.held.iter().map(|held| {
        format!(
            "{} entries by the legal hold {} ({})",
            held.entries, held.hold, held.case
        )
    });
    let mut bullets: Vec<String> = held.collect();
    if report.request.evidence > 0 {
        bullets.push(format!(
            "{} entries that prove deletions or legal holds, which are never erased",
            report.request.evidence
        ));
    }
    let mut paragraphs = Vec::new();
    if bullets.is_empty() {
        paragraphs.push("Nothing: neither a legal hold nor evidence of deletions.".to_owned());
    }
    ReportSection {
        title: "What was kept".to_owned(),
        paragraphs,
        bullets,
        ..ReportSection::default()
    }
}

fn copies(report: &ErasureReport) -> ReportSection {
    let columns = vec![("Copy", 0.22), ("At", 0.26), ("By", 0.26), ("Entry", 0.26)];
    let rows = report.copies.iter().map(|copy| {
        vec![
            copy.event_type.clone(),
            copy.at.clone(),
            copy.by.clone(),
            copy.event_id.clone(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    ReportSection {
        title: "Copies made before".to_owned(),
        paragraphs: vec![format!(
            "The log has {} exports, reports and backups from before the end of the request. Whether one has entries of the person depends on its query; {} are listed.",
            report.copies_total,
            rows.len()
        )],
        table: (!rows.is_empty()).then_some((columns, rows)),
        ..ReportSection::default()
    }
}
