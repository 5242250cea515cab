//! Fields of the query language, for forms that complete them.

use axum::Json;
use reeve_audit::query::fields;

use crate::wire::form::list::List;
use crate::wire::log::search::QueryFieldBody;

/// Fields that a query can name, short forms included. Members of `metadata`, `changes` and tags
/// are named after a dot.
#[utoipa::path(get, path = "/api/v1/audit-logs/fields", tag = "audit-logs",
    responses((status = 200, body = List<QueryFieldBody>)))]
pub(super) async fn list() -> Json<List<QueryFieldBody>> {
    let items: Vec<_> = fields().map(QueryFieldBody::from).collect();
    let total = items.len() as u64;
    Json(List {
        items,
        total,
        next_cursor: None,
    })
}
