//! Price tables: those in force, and files that replace bundled ones.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use reeve_access::Permission;
use reeve_audit::{Entry, EventKind, FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_estate::catalogue::price_file::digest;
use reeve_estate::{PriceFile, PriceKind, PriceTableInfo, Provider};
use serde_json::json;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Caller, Params, media_type, read_encoded};
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::paging::window;
use crate::prices::PriceImport;
use crate::wire::estate::price::PriceTableBody;
use crate::wire::form::list::{List, Paging};

/// Largest file as it is sent, bytes. The bundled table of machines has 5 MB, and 1 MB compressed.
const MAX_BODY_BYTES: usize = 32 << 20;
/// Media types of a file; a compressed one is recognized by its first bytes.
const MEDIA_TYPES: [&str; 4] = [
    "text/csv",
    "text/plain",
    "application/zstd",
    "application/octet-stream",
];

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::EstateView), routes!(list))
        .add(Access::Needs(Permission::EstateManage), routes!(import))
        .add(Access::Needs(Permission::EstateManage), routes!(delete))
}

/// Price tables in force. Of a provider and kind the earlier one goes before the later one.
#[utoipa::path(get, path = "/api/v1/prices", tag = "estate", operation_id = "prices_list", params(Paging),
    responses((status = 200, body = List<PriceTableBody>), (status = 422, body = ProblemBody)))]
async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<PriceTableBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let (tables, imports, now) = (
        app.prices.catalogue().price_tables(),
        app.prices.imports(),
        app.now(),
    );

    Ok(Json(window.page(
        tables.iter(),
        |table: &PriceTableInfo| {
            PriceTableBody::new(table, imports.get(&(table.provider, table.kind)), now)
        },
    )))
}

/// Import a price file. It replaces the imported file of its provider and kind, and is in force at
/// once; a file with a defect changes nothing.
#[utoipa::path(post, path = "/api/v1/prices", tag = "estate", operation_id = "prices_import",
    request_body(content = String, content_type = "text/csv", description = "A price file: CSV with a head, as it is or compressed with zstd, at most 32 MiB and 64 MiB after unpacking"),
    responses((status = 201, body = PriceTableBody), (status = 400, body = ProblemBody), (status = 413, body = ProblemBody),
        (status = 415, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn import(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Request,
) -> Result<(StatusCode, Json<PriceTableBody>), Problem> {
    if media_type(&request).is_some_and(|kind| !MEDIA_TYPES.contains(&kind.as_str())) {
        let message = format!("Send the file as one of {}.", MEDIA_TYPES.join(", "));
        return Err(Problem::new(Code::UnsupportedMediaType, message));
    }

    let body = read_encoded(request, MAX_BODY_BYTES, &app).await?;
    let bytes = body.len() as u64;

    // A table of 5 MB takes a tenth of a second.
    let parsed = tokio::task::spawn_blocking(move || (PriceFile::parse(&body), digest(&body)));
    let (file, sha256) = parsed.await.map_err(Problem::internal)?;
    let file = file.map_err(|error| {
        Problem::field(
            error.field,
            FieldCode::InvalidPriceFile,
            format!("line {}: {}", error.line, error.message),
        )
    })?;

    let import = PriceImport {
        sha256,
        bytes,
        imported_at: app.now(),
        imported_by: caller.email.clone(),
    };

    let table = PriceTableInfo::of(&file);
    let before = app
        .prices
        .imports()
        .get(&(file.provider, file.kind))
        .map(state);

    let mut entry = entry(
        &caller,
        &events::PRICE_FILE_IMPORT,
        "import_price_file",
        file.provider,
        file.kind,
    )
    .after(described(&table, &import));

    if let Some(before) = before {
        entry = entry.before(before);
    }

    let body = PriceTableBody::new(&table, Some(&import), app.now());
    app.change(entry, app.prices.put(file, import)).await?;
    Ok((StatusCode::CREATED, Json(body)))
}

/// Remove an imported price file; the bundled prices are in force again.
#[utoipa::path(delete, path = "/api/v1/prices/{provider}/{kind}", tag = "estate", operation_id = "prices_delete",
    params(("provider" = String, Path), ("kind" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((provider, kind)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let missing = || Problem::not_found("price file", &format!("{provider}/{kind}"));
    let key = Provider::parse(&provider)
        .zip(PriceKind::parse(&kind))
        .ok_or_else(missing)?;
    let before = app.prices.imports().get(&key).map(state);
    let entry = entry(
        &caller,
        &events::PRICE_FILE_DELETE,
        "delete_price_file",
        key.0,
        key.1,
    );

    app.change(
        entry.before(before.ok_or_else(missing)?),
        app.prices.delete(key.0, key.1),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

fn entry(
    caller: &Caller,
    event: &EventKind,
    operation: &str,
    provider: Provider,
    kind: PriceKind,
) -> Entry {
    let id = format!("{}/{}", provider.as_str(), kind.as_str());
    log_entry::did(caller, event, operation, ResourceRef::new("price_file", id))
}

fn state(import: &PriceImport) -> AuditJson {
    json!({ "sha256": import.sha256, "bytes": import.bytes }).into()
}

fn described(table: &PriceTableInfo, import: &PriceImport) -> AuditJson {
    json!({
        "source": table.origin.source,
        "date": table.origin.date,
        "regions": table.regions,
        "prices": table.prices,
        "sha256": import.sha256,
        "bytes": import.bytes,
    })
    .into()
}
