//! Firings: listed, acknowledged, assigned, resolved.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_access::{AccessError, UserId};
use reeve_alerts::{Firing, FiringFilter, FiringId, FiringStatus, RuleId};
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_trail::Trail;
use serde_json::json;

use crate::app::App;
use crate::change::same_version;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::routes::audit_logs::ask;
use crate::wire::alert::{FiringBody, FiringHandling, FiringParams};
use crate::wire::form::list::List;

const MAX_NOTE: usize = 2000;
/// Firings that are looked at for a caller with a scope, the latest ones.
const MOST_LOOKED_AT: u64 = 1000;

/// Firings, the latest first.
#[utoipa::path(get, path = "/api/v1/audit-logs/alerts/firings", tag = "audit-logs", params(FiringParams),
    responses((status = 200, body = List<FiringBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<FiringParams>,
) -> Result<Json<List<FiringBody>>, Problem> {
    let window = window(asked.limit, asked.offset, asked.cursor.as_deref())?;
    let status = asked.status.as_deref().map(|text| {
        FiringStatus::parse(text).ok_or_else(|| {
            Problem::field(
                "status",
                FieldCode::InvalidValue,
                "must be open, acknowledged or resolved",
            )
        })
    });
    let read = json!({ "rule_id": asked.rule_id, "status": asked.status, "limit": window.limit, "offset": window.start() });

    let filter = FiringFilter {
        rule: asked.rule_id.map(RuleId),
        status: status.transpose()?,
        limit: window.limit,
        offset: window.start(),
    };
    let (firings, total) = if caller.principal.scope.is_some() {
        within_scope(&app, &caller, filter).await?
    } else {
        app.alerts.firing_list(&filter).await?
    };

    let entry = log_entry::read_log(
        &caller,
        &events::AUDIT_VIEW,
        "list_firings",
        read,
        Some(total),
    );
    app.record_poll(&caller, entry).await?;

    let next_cursor = window.next(firings.len(), total);
    Ok(Json(List {
        items: firings.iter().map(FiringBody::new).collect(),
        total,
        next_cursor,
    }))
}

/// One firing with the entries that caused it.
#[utoipa::path(get, path = "/api/v1/audit-logs/alerts/firings/{id}", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = FiringBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<FiringBody>, Problem> {
    let firing = app.alerts.firing_get(&FiringId(id)).await?;
    if !is_visible(&app.trail(&caller), &caller, &firing).await? {
        return Err(Problem::not_found("firing", &firing.id.0));
    }
    let read = json!({ "firing_id": firing.id.0 });
    app.record_reading(log_entry::read_log(
        &caller,
        &events::AUDIT_VIEW,
        "view_firing",
        read,
        None,
    ))
    .await?;

    Ok(Json(FiringBody::new(&firing)))
}

/// Returns the firings that a caller with a scope may see, and their number: among the latest, as
/// each is held against the log.
async fn within_scope(
    app: &App,
    caller: &Caller,
    filter: FiringFilter,
) -> Result<(Vec<Firing>, u64), Problem> {
    let latest = FiringFilter {
        limit: MOST_LOOKED_AT,
        offset: 0,
        ..filter.clone()
    };
    let (latest, _) = app.alerts.firing_list(&latest).await?;
    let trail = app.trail(caller);
    let mut visible = Vec::new();
    for firing in latest {
        if is_visible(&trail, caller, &firing).await? {
            visible.push(firing);
        }
    }

    let total = visible.len() as u64;
    let (skipped, limit) = (filter.offset as usize, filter.limit as usize);
    let page = visible.into_iter().skip(skipped).take(limit).collect();
    Ok((page, total))
}

/// Returns `true` if a caller may see a firing. Within a scope that takes every entry of it: a
/// firing that counts more entries than it names is not seen.
async fn is_visible(trail: &Trail, caller: &Caller, firing: &Firing) -> Result<bool, Problem> {
    if caller.principal.scope.is_none() {
        return Ok(true);
    }
    if firing.count > firing.entries.len() as u64 {
        return Ok(false);
    }

    for entry in &firing.entries {
        let seen = trail.by_sequence(entry.sequence).await;
        if seen.map_err(ask::problem)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Acknowledge a firing: somebody has seen it.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/firings/{id}/acknowledge", tag = "audit-logs",
    params(("id" = String, Path)), request_body = FiringHandling,
    responses((status = 200, body = FiringBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn acknowledge(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<FiringHandling>,
) -> Result<Json<FiringBody>, Problem> {
    let before = app.alerts.firing_get(&FiringId(id)).await?;
    if before.status == FiringStatus::Resolved {
        return Err(Problem::new(
            Code::Conflict,
            "The firing is resolved already.",
        ));
    }

    let after = Firing {
        status: FiringStatus::Acknowledged,
        ..before.clone()
    };
    change(
        &app,
        &caller,
        "alert.acknowledge",
        &before,
        after,
        given.version,
    )
    .await
}

/// Assign a firing to a user, or to nobody.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/firings/{id}/assign", tag = "audit-logs",
    params(("id" = String, Path)), request_body = FiringHandling,
    responses((status = 200, body = FiringBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn assign(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<FiringHandling>,
) -> Result<Json<FiringBody>, Problem> {
    let before = app.alerts.firing_get(&FiringId(id)).await?;
    let Some(name) = given.assignee.as_deref() else {
        return Err(Problem::field(
            "assignee",
            FieldCode::MissingField,
            "must name a user, or be empty to unassign it",
        ));
    };

    let after = Firing {
        assignee: user(&app, name).await?,
        ..before.clone()
    };
    change(&app, &caller, "alert.assign", &before, after, given.version).await
}

/// Resolve a firing: it is dealt with.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/firings/{id}/resolve", tag = "audit-logs",
    params(("id" = String, Path)), request_body = FiringHandling,
    responses((status = 200, body = FiringBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn resolve(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<FiringHandling>,
) -> Result<Json<FiringBody>, Problem> {
    if given
        .note
        .as_ref()
        .is_some_and(|note| note.chars().count() > MAX_NOTE)
    {
        return Err(Problem::field(
            "note",
            FieldCode::TooLong,
            format!("may have at most {MAX_NOTE} characters"),
        ));
    }

    let before = app.alerts.firing_get(&FiringId(id)).await?;
    let after = Firing {
        status: FiringStatus::Resolved,
        note: given.note.clone(),
        ..before.clone()
    };

    change(
        &app,
        &caller,
        "alert.resolve",
        &before,
        after,
        given.version,
    )
    .await
}

/// The e-mail address of a user by id or address; `None` for the empty text.
async fn user(app: &App, name: &str) -> Result<Option<String>, Problem> {
    let name = name.trim();
    if name.is_empty() {
        return Ok(None);
    }

    let found = match app.access.user_by_email(&name.to_lowercase()).await {
        Err(AccessError::NotFound { .. }) => app.access.user_get(&UserId(name.to_owned())).await,
        found => found,
    };
    match found {
        Ok(user) => Ok(Some(user.email)),
        Err(AccessError::NotFound { .. }) => Err(Problem::field(
            "assignee",
            FieldCode::NotFound,
            "is not the id or e-mail address of a user",
        )),
        Err(error) => Err(error.into()),
    }
}

async fn change(
    app: &App,
    caller: &Caller,
    operation: &str,
    before: &Firing,
    after: Firing,
    read: Option<u64>,
) -> Result<Json<FiringBody>, Problem> {
    same_version("firing", before.version, read)?;
    let after = Firing {
        handled_by: Some(caller.principal.email.clone()),
        handled_at: Some(app.now()),
        version: before.version + 1,
        ..after
    };

    let entry = log_entry::did(
        caller,
        &events::ALERT_HANDLE,
        operation,
        ResourceRef::new("alert_firing", after.id.0.clone()),
    )
    .with_metadata("rule_id", after.rule.0.clone())
    .before(record(before))
    .after(record(&after));
    app.change(entry, app.alerts.firing_handle(&after)).await?;

    Ok(Json(FiringBody::new(&after)))
}

/// As it stands in the log.
fn record(firing: &Firing) -> AuditJson {
    AuditJson::from(json!({
        "status": firing.status.as_str(),
        "assignee": firing.assignee,
        "note": firing.note,
    }))
}

/// A firing, as `GET audit-logs/alerts/firings/{id}` answers.
#[must_use]
pub fn firing_record(firing: &Firing) -> serde_json::Value {
    // A body of text and numbers is always JSON.
    serde_json::to_value(FiringBody::new(firing)).unwrap_or_default()
}
