//! The catalogue of event types. It says nothing about what the log holds, so everybody who is
//! signed in may read it.

use axum::Json;
use reeve_audit::events;

use crate::wire::form::list::List;
use crate::wire::log::event_type::EventTypeBody;

/// Every event type that Reeve writes, and those that its importers give to other systems' entries.
#[utoipa::path(get, path = "/api/v1/audit-logs/event-types", tag = "audit-logs", responses((status = 200, body = List<EventTypeBody>)))]
pub(super) async fn list() -> Json<List<EventTypeBody>> {
    let items: Vec<EventTypeBody> = events::all().map(EventTypeBody::new).collect();
    Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    })
}
