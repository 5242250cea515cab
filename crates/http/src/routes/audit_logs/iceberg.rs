//! A read-only catalogue of the sealed entries for other engines: five routes of Iceberg's REST
//! catalogue. There is no route that writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, RawQuery, State};
use reeve_audit::events;
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::log_entry;
use crate::wire::log::iceberg::{
    IcebergConfigBody, IcebergNamespaceBody, IcebergNamespacesBody, IcebergTableBody,
    IcebergTableName, IcebergTablesBody,
};

/// The one namespace.
const NAMESPACE: &str = "audit";

/// Routes of the catalogue, as engines ask for them.
const ENDPOINTS: [&str; 4] = [
    "GET /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
];

/// Settings of the Iceberg catalogue, whose address is `/api/v1/audit-logs/iceberg`.
#[utoipa::path(get, path = "/api/v1/audit-logs/iceberg/v1/config", tag = "audit-logs", operation_id = "iceberg_config",
    responses((status = 200, body = IcebergConfigBody)))]
pub(super) async fn config() -> Json<IcebergConfigBody> {
    Json(IcebergConfigBody {
        defaults: BTreeMap::new(),
        overrides: BTreeMap::new(),
        endpoints: ENDPOINTS.map(str::to_owned).to_vec(),
    })
}

/// Namespaces of the Iceberg catalogue.
#[utoipa::path(get, path = "/api/v1/audit-logs/iceberg/v1/namespaces", tag = "audit-logs", operation_id = "iceberg_namespaces",
    params(("parent" = Option<String>, Query, description = "Namespace whose children are asked for; there are none.")),
    responses((status = 200, body = IcebergNamespacesBody)))]
pub(super) async fn namespaces(RawQuery(query): RawQuery) -> Json<IcebergNamespacesBody> {
    let query = query.unwrap_or_default();
    let has_parent = form_urlencoded::parse(query.as_bytes())
        .any(|(name, value)| name == "parent" && !value.is_empty());
    // A client that walks the tree of namespaces would find the same one below itself for ever.
    let namespaces = match has_parent {
        true => Vec::new(),
        false => vec![vec![NAMESPACE.to_owned()]],
    };
    Json(IcebergNamespacesBody { namespaces })
}

/// The namespace of the Iceberg catalogue.
#[utoipa::path(get, path = "/api/v1/audit-logs/iceberg/v1/namespaces/{namespace}", tag = "audit-logs", operation_id = "iceberg_namespace",
    params(("namespace" = String, Path, description = "`audit`")),
    responses((status = 200, body = IcebergNamespaceBody), (status = 404, body = ProblemBody)))]
pub(super) async fn namespace(
    Path(namespace): Path<String>,
) -> Result<Json<IcebergNamespaceBody>, Problem> {
    known(&namespace)?;
    Ok(Json(IcebergNamespaceBody {
        namespace: vec![namespace],
        properties: BTreeMap::new(),
    }))
}

/// Tables of the Iceberg catalogue: `entries`, and `entries_warm` where the warm tier has a place.
#[utoipa::path(get, path = "/api/v1/audit-logs/iceberg/v1/namespaces/{namespace}/tables", tag = "audit-logs", operation_id = "iceberg_tables",
    params(("namespace" = String, Path, description = "`audit`")),
    responses((status = 200, body = IcebergTablesBody), (status = 404, body = ProblemBody)))]
pub(super) async fn tables(
    State(app): State<Arc<App>>,
    Path(namespace): Path<String>,
) -> Result<Json<IcebergTablesBody>, Problem> {
    known(&namespace)?;
    let names = app.lake_catalogue.tables().into_iter();
    let identifiers = names.map(|name| IcebergTableName {
        namespace: vec![NAMESPACE.to_owned()],
        name: name.to_owned(),
    });
    Ok(Json(IcebergTablesBody {
        identifiers: identifiers.collect(),
    }))
}

/// One Iceberg table, with the segments that readers of the log see now. Each call is recorded:
/// whoever has the answer can read these entries without Reeve.
#[utoipa::path(get, path = "/api/v1/audit-logs/iceberg/v1/namespaces/{namespace}/tables/{table}", tag = "audit-logs", operation_id = "iceberg_table",
    params(("namespace" = String, Path, description = "`audit`"), ("table" = String, Path)),
    responses((status = 200, body = IcebergTableBody), (status = 404, body = ProblemBody), (status = 500, body = ProblemBody)))]
pub(super) async fn table(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((namespace, table)): Path<(String, String)>,
) -> Result<Json<IcebergTableBody>, Problem> {
    known(&namespace)?;
    let loaded = app.lake_catalogue.load(&table).await;
    let loaded = loaded
        .map_err(Problem::internal)?
        .ok_or_else(|| Problem::not_found("table", &table))?;

    let asked = json!({
        "table": table,
        "snapshot": loaded.metadata["current-snapshot-id"],
        "segments": loaded.segments,
    });
    let entry = log_entry::read_log(
        &caller,
        &events::LAKE_READ,
        "load_table",
        asked,
        Some(loaded.entries),
    );
    app.record_reading(entry).await?;

    Ok(Json(IcebergTableBody {
        metadata_location: loaded.metadata_location,
        metadata: loaded.metadata,
        config: BTreeMap::new(),
    }))
}

fn known(namespace: &str) -> Result<(), Problem> {
    match namespace == NAMESPACE {
        true => Ok(()),
        false => Err(Problem::not_found("namespace", namespace)),
    }
}
