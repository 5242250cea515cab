//! Destinations of exports. Secrets go in and never come out.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::events;
use reeve_audit::{FieldCode, FieldError, Json as AuditJson, ResourceRef};
use reeve_exports::{CarryError, DestinationId, DestinationSecret, ExportDestination};

use crate::app::App;
use crate::change::{Recorded, acted, created, modified, same_version, secret_again};
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::audit_logs::exports::problem;
use crate::wire::export::{
    ExportDestinationBody, ExportDestinationCreate, ExportDestinationPatch,
    ExportDestinationTestBody,
};
use crate::wire::form::list::{List, Paging};

/// Most destinations that an installation may have.
const MOST: u64 = 200;
/// Longest secret, bytes: a service account's key has 2,400.
const MAX_SECRET: usize = 16_384;

/// Lists destinations by name.
#[utoipa::path(get, path = "/api/v1/audit-logs/export-destinations", tag = "audit-logs", operation_id = "export_destinations_list",
    params(Paging), responses((status = 200, body = List<ExportDestinationBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<ExportDestinationBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let all = app.exports.destination_list().await?;
    Ok(Json(window.page(all.iter(), ExportDestinationBody::new)))
}

/// Add a destination.
#[utoipa::path(post, path = "/api/v1/audit-logs/export-destinations", tag = "audit-logs", operation_id = "export_destinations_create",
    request_body = ExportDestinationCreate,
    responses((status = 201, body = ExportDestinationBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<ExportDestinationCreate>,
) -> Result<(StatusCode, Json<ExportDestinationBody>), Problem> {
    let (name, settings, prefix) = given
        .settings
        .draft(given.name, given.kind, given.prefix)
        .read()
        .map_err(misplaced)?;
    let secret = checked(given.secret)?;
    app.carrier
        .check(&settings, Some(&secret))
        .map_err(|error| problem(vec![error]))?;
    let id = DestinationId(uuid::Uuid::now_v7().to_string());
    let destination = ExportDestination {
        id,
        name,
        settings,
        prefix,
        created_at: app.now(),
        version: 1,
    };

    let kind = &events::EXPORT_DESTINATION_CREATE;
    app.change(
        created(&caller, kind, "export_destination.create", &destination),
        app.exports.destination_insert(&destination, &secret, MOST),
    )
    .await?;

    Ok((
        StatusCode::CREATED,
        Json(ExportDestinationBody::new(&destination)),
    ))
}

/// Returns one destination.
#[utoipa::path(get, path = "/api/v1/audit-logs/export-destinations/{id}", tag = "audit-logs", operation_id = "export_destinations_get",
    params(("id" = String, Path)),
    responses((status = 200, body = ExportDestinationBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ExportDestinationBody>, Problem> {
    Ok(Json(ExportDestinationBody::new(
        &app.exports.destination_get(&DestinationId(id)).await?,
    )))
}

/// Change a destination. Other settings need the secret again, so that nobody can send it to a
/// place of their own.
#[utoipa::path(patch, path = "/api/v1/audit-logs/export-destinations/{id}", tag = "audit-logs", operation_id = "export_destinations_patch",
    params(("id" = String, Path)), request_body = ExportDestinationPatch,
    responses((status = 200, body = ExportDestinationBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<ExportDestinationPatch>,
) -> Result<Json<ExportDestinationBody>, Problem> {
    let before = app.exports.destination_get(&DestinationId(id)).await?;
    same_version("destination", before.version, given.version)?;
    let now = ExportDestinationBody::new(&before);
    let settings = given.settings.unwrap_or(now.settings);
    let draft = settings.draft(
        given.name.unwrap_or(now.name),
        now.kind.to_string(),
        given.prefix.unwrap_or(now.prefix),
    );
    let (name, settings, prefix) = draft.read().map_err(misplaced)?;
    let secret = given.secret.map(checked).transpose()?;
    let kept = app.exports.destination_secret(&before.id).await?;

    let is_other = settings != before.settings;
    secret_again(is_other && secret.is_none(), !kept.0.is_empty())?;

    app.carrier
        .check(&settings, secret.as_ref())
        .map_err(|error| problem(vec![error]))?;
    let after = ExportDestination {
        name,
        settings,
        prefix,
        version: before.version + 1,
        ..before.clone()
    };

    let kind = &events::EXPORT_DESTINATION_MODIFY;
    let states = (&before, &after);
    let entry = modified(&caller, kind, "export_destination.modify", states)
        .with_metadata("secret_replaced", secret.is_some());

    app.change(
        entry,
        app.exports.destination_update(&after, secret.as_ref()),
    )
    .await?;
    Ok(Json(ExportDestinationBody::new(&after)))
}

/// Remove a destination. Exports that name it end without delivery; their files can be downloaded.
#[utoipa::path(delete, path = "/api/v1/audit-logs/export-destinations/{id}", tag = "audit-logs", operation_id = "export_destinations_delete",
    params(("id" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let before = app.exports.destination_get(&DestinationId(id)).await?;
    let removal = app.exports.destination_delete(&before.id);
    let kind = &events::EXPORT_DESTINATION_DELETE;
    app.remove(&caller, kind, "export_destination.delete", &before, removal)
        .await
}

/// Write a small file to a destination, and answer with what came of it.
#[utoipa::path(post, path = "/api/v1/audit-logs/export-destinations/{id}/test", tag = "audit-logs", operation_id = "export_destinations_test",
    params(("id" = String, Path)),
    responses((status = 200, body = ExportDestinationTestBody), (status = 404, body = ProblemBody)))]
pub(super) async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ExportDestinationTestBody>, Problem> {
    let destination = app.exports.destination_get(&DestinationId(id)).await?;
    let secret = app.exports.destination_secret(&destination.id).await?;
    let announced = app
        .announce(acted(
            &caller,
            &events::EXPORT_DESTINATION_TEST,
            "export_destination.test",
            &destination,
        ))
        .await?;

    let outcome = probe(&app, &destination, &secret).await;
    app.conclude(
        announced,
        outcome.as_ref().err().map(|error| error.message.as_str()),
    )
    .await;

    Ok(Json(match outcome {
        Ok(address) => ExportDestinationTestBody {
            reachable: true,
            address: Some(address),
            error: None,
        },
        Err(error) => ExportDestinationTestBody {
            reachable: false,
            address: None,
            error: Some(error.message),
        },
    }))
}

async fn probe(
    app: &App,
    destination: &ExportDestination,
    secret: &DestinationSecret,
) -> Result<String, CarryError> {
    let failed = |error: std::io::Error| {
        CarryError::passing(format!("the file to send could not be made: {error}"))
    };

    let folder = app.settings.exports_dir.clone();
    let file = folder.join(format!(".test-{}", uuid::Uuid::now_v7()));
    tokio::fs::create_dir_all(&folder).await.map_err(failed)?;
    tokio::fs::write(
        &file,
        b"Written by Reeve to test this destination. It can be removed.\n",
    )
    .await
    .map_err(failed)?;

    let outcome = app
        .carrier
        .put(destination, secret, "reeve-destination-test.txt", &file)
        .await;
    if let Err(error) = tokio::fs::remove_file(&file).await {
        tracing::warn!(%error, "a file that tested a destination was not removed");
    }

    outcome
}

/// Names the fields of a draft by their places in the body.
fn misplaced(errors: Vec<FieldError>) -> Problem {
    let placed = errors.into_iter().map(|error| match error.path.as_str() {
        "kind" => FieldError {
            path: "type".to_owned(),
            ..error
        },
        "name" | "prefix" => error,
        setting => FieldError {
            path: format!("settings.{setting}"),
            ..error
        },
    });
    problem(placed.collect())
}

fn checked(secret: String) -> Result<DestinationSecret, Problem> {
    if secret.len() <= MAX_SECRET {
        return Ok(DestinationSecret(secret));
    }
    let message = format!("must have at most {MAX_SECRET} bytes");
    Err(problem(vec![FieldError::new(
        "secret",
        FieldCode::TooLong,
        message,
    )]))
}

impl Recorded for ExportDestination {
    fn resource(&self) -> ResourceRef {
        ResourceRef::new("export_destination", self.id.0.clone())
    }

    fn record(&self) -> AuditJson {
        AuditJson::from(serde_json::to_value(ExportDestinationBody::new(self)).unwrap_or_default())
    }
}
