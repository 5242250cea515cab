//! Bill sources: buckets that FOCUS files are read from.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::Permission;
use reeve_audit::{Entry, EventKind, FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_estate::connection::rules;
use reeve_estate::connection::rules::InvalidConnection;
use reeve_estate::{Connection, ConnectionCredentials, ConnectionId, Provider};
use reeve_sources::{BillSource, BillSourceId, read_bucket, read_name, read_prefix};
use serde_json::json;
use utoipa_axum::routes;

use crate::app::App;
use crate::change::same_version;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::paging::window;
use crate::wire::estate::SyncStartedBody;
use crate::wire::estate::bill_source::{BillSourceBody, BillSourceCreate, BillSourcePatch};
use crate::wire::form::list::{List, Paging};

/// Most sources that an installation may have.
const MOST: usize = 100;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::EstateView), routes!(list))
        .add(Access::Needs(Permission::EstateManage), routes!(create))
        .add(Access::Needs(Permission::EstateView), routes!(get))
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(patch, delete),
        )
        .add(Access::Needs(Permission::EstateManage), routes!(sync))
}

/// Bill sources, oldest first.
#[utoipa::path(get, path = "/api/v1/bills/sources", tag = "estate", operation_id = "bill_sources_list", params(Paging),
    responses((status = 200, body = List<BillSourceBody>)))]
async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<BillSourceBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.bill_sources.bill_source_list().await?;
    Ok(Json(window.page(all.iter(), |(source, sync)| {
        BillSourceBody::new(source, sync.as_ref())
    })))
}

/// Add a source. It is read at once, and then on schedule.
#[utoipa::path(post, path = "/api/v1/bills/sources", tag = "estate", operation_id = "bill_sources_create", request_body = BillSourceCreate,
    responses((status = 201, body = BillSourceBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<BillSourceCreate>,
) -> Result<(StatusCode, Json<BillSourceBody>), Problem> {
    let connection = connection(&app, body.connection_id).await?;
    let now = app.now();
    let source = BillSource {
        id: BillSourceId(uuid::Uuid::now_v7().to_string()),
        name: read_name(&body.name)?,
        bucket: read_bucket(&body.bucket)?,
        prefix: read_prefix(&body.prefix)?,
        region: region(body.region, connection.regions.first())?,
        connection: connection.id,
        enabled: true,
        created_at: now,
        updated_at: now,
        version: 1,
    };

    if app.bill_sources.bill_source_list().await?.len() >= MOST {
        return Err(Problem::new(
            Code::Conflict,
            format!("There are {MOST} bill sources already; remove one first."),
        ));
    }

    app.change(
        entry(
            &caller,
            &events::INTEGRATION_CREATE,
            "create_bill_source",
            &source,
        )
        .after(state(&source)),
        app.bill_sources.bill_source_insert(&source),
    )
    .await?;

    Ok((
        StatusCode::CREATED,
        Json(BillSourceBody::new(&source, None)),
    ))
}

/// Returns one source.
#[utoipa::path(get, path = "/api/v1/bills/sources/{id}", tag = "estate", operation_id = "bill_sources_get", params(("id" = String, Path)),
    responses((status = 200, body = BillSourceBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<BillSourceBody>, Problem> {
    let (source, sync) = app.bill_sources.bill_source_get(&BillSourceId(id)).await?;
    Ok(Json(BillSourceBody::new(&source, sync.as_ref())))
}

/// Change a source.
#[utoipa::path(patch, path = "/api/v1/bills/sources/{id}", tag = "estate", operation_id = "bill_sources_patch", params(("id" = String, Path)),
    request_body = BillSourcePatch,
    responses((status = 200, body = BillSourceBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<BillSourcePatch>,
) -> Result<Json<BillSourceBody>, Problem> {
    let (before, sync) = app.bill_sources.bill_source_get(&BillSourceId(id)).await?;
    same_version("bill source", before.version, body.version)?;
    let mut after = BillSource {
        updated_at: app.now(),
        version: before.version + 1,
        ..before.clone()
    };

    if let Some(name) = &body.name {
        after.name = read_name(name)?;
    }
    if let Some(id) = body.connection_id {
        after.connection = connection(&app, id).await?.id;
    }
    if let Some(bucket) = &body.bucket {
        after.bucket = read_bucket(bucket)?;
    }
    if let Some(prefix) = &body.prefix {
        after.prefix = read_prefix(prefix)?;
    }

    after.region = region(body.region, Some(&before.region))?;
    after.enabled = body.enabled.unwrap_or(before.enabled);
    app.change(
        entry(
            &caller,
            &events::INTEGRATION_MODIFY,
            "modify_bill_source",
            &after,
        )
        .before(state(&before))
        .after(state(&after)),
        app.bill_sources.bill_source_update(&after),
    )
    .await?;

    Ok(Json(BillSourceBody::new(&after, sync.as_ref())))
}

/// Remove a source with the files that were read from it.
#[utoipa::path(delete, path = "/api/v1/bills/sources/{id}", tag = "estate", operation_id = "bill_sources_delete", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let (source, _) = app.bill_sources.bill_source_get(&BillSourceId(id)).await?;
    app.change(
        entry(
            &caller,
            &events::INTEGRATION_DELETE,
            "delete_bill_source",
            &source,
        )
        .before(state(&source)),
        app.bill_sources.bill_source_delete(&source.id),
    )
    .await?;

    Ok(StatusCode::NO_CONTENT)
}

/// Read a bucket now; the result is read from the source.
#[utoipa::path(post, path = "/api/v1/bills/sources/{id}/sync", tag = "estate", operation_id = "bill_sources_sync", params(("id" = String, Path)),
    responses((status = 202, body = SyncStartedBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn sync(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<SyncStartedBody>), Problem> {
    let (source, _) = app.bill_sources.bill_source_get(&BillSourceId(id)).await?;
    if !source.enabled {
        return Err(Problem::new(
            Code::Conflict,
            "The bill source is disabled. Switch it on first.",
        ));
    }

    let begin = async {
        let begun = app.bill_syncer.sync(&source, &caller.email);
        begun.then_some(()).ok_or_else(|| {
            Problem::new(Code::Conflict, "A sync of this source is running already.")
        })
    };

    app.change(
        entry(
            &caller,
            &events::INTEGRATION_SYNC,
            "sync_bill_source",
            &source,
        ),
        begin,
    )
    .await?;

    Ok((
        StatusCode::ACCEPTED,
        Json(SyncStartedBody {
            status: "syncing".to_owned(),
        }),
    ))
}

async fn connection(app: &App, id: String) -> Result<Connection, Problem> {
    let wrong = |message: &str| Problem::field("connection_id", FieldCode::InvalidValue, message);
    let all = app.estate.connection_list().await?;
    let found = all
        .into_iter()
        .find(|connection| connection.id == ConnectionId(id.clone()));
    let found = found.ok_or_else(|| wrong("is not the identifier of a connection"))?;
    if found.provider != Provider::Aws || found.credentials == ConnectionCredentials::Simulated {
        return Err(wrong("is not a connection to AWS"));
    }

    Ok(found)
}

fn region(given: Option<String>, otherwise: Option<&String>) -> Result<String, Problem> {
    let given = given
        .map(|region| region.trim().to_owned())
        .filter(|region| !region.is_empty());
    let region = given.or_else(|| otherwise.cloned()).unwrap_or_default();
    rules::check_regions(std::slice::from_ref(&region)).map_err(|error| {
        Problem::from(InvalidConnection {
            field: "region".to_owned(),
            ..error
        })
    })?;
    Ok(region)
}

fn entry(caller: &Caller, kind: &EventKind, operation: &str, source: &BillSource) -> Entry {
    log_entry::did(
        caller,
        kind,
        operation,
        ResourceRef::new("bill_source", source.id.0.clone()),
    )
}

fn state(source: &BillSource) -> AuditJson {
    AuditJson::from(json!({
        "name": source.name,
        "connection": source.connection.0,
        "bucket": source.bucket,
        "prefix": source.prefix,
        "region": source.region,
        "enabled": source.enabled,
    }))
}
