//! Saved searches: kept by one, shared with a team or everyone, and asked anew by whoever opens
//! them, as that reader.
//!
//! Changes are recorded in the log before and after they are made. Only the owner changes one; an
//! administrator may remove what is shared. What is not shared with the caller does not exist for
//! them.

mod read;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::{AccessError, MAX_SAVED_SEARCHES, Permission, SavedSearch};
use reeve_audit::{Json as AuditJson, ResourceRef, events};
use serde_json::json;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::wire::form::list::{List, Paging};
use crate::wire::log::saved_search::{
    SavedSearchBody, SavedSearchCreate, SavedSearchPatch, SavedSearchPut,
};
use crate::wire::log::search::FiltersBody;
use crate::{log_entry, time};

/// One's own saved searches and those shared with one, by name.
#[utoipa::path(get, path = "/api/v1/audit-logs/saved-searches", tag = "audit-logs", params(Paging),
    responses((status = 200, body = List<SavedSearchBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(paging): Params<Paging>,
) -> Result<Json<List<SavedSearchBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let (searches, total) = app
        .saved_searches
        .saved_search_list(&caller.user, window.limit, window.start())
        .await?;
    let next_cursor = window.next(searches.len(), total);
    let mut items = Vec::with_capacity(searches.len());
    for search in searches {
        items.push(body(&app, &caller, search).await?);
    }

    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

/// Save a search.
#[utoipa::path(post, path = "/api/v1/audit-logs/saved-searches", tag = "audit-logs", request_body = SavedSearchCreate,
    responses((status = 201, body = SavedSearchBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<SavedSearchCreate>,
) -> Result<(StatusCode, Json<SavedSearchBody>), Problem> {
    let now = app.now();
    let search = SavedSearch {
        id: uuid::Uuid::now_v7().to_string(),
        owner: caller.user.clone(),
        version: 1,
        created_at_ms: now.as_millisecond(),
        updated_at_ms: now.as_millisecond(),
        ..read::created(given, now)?
    };

    app.change(
        log_entry::did(
            &caller,
            &events::SAVED_SEARCH_CREATE,
            "create_saved_search",
            resource(&search),
        )
        .after(state(&search)),
        app.saved_searches
            .saved_search_insert(&search, MAX_SAVED_SEARCHES),
    )
    .await?;

    Ok((
        StatusCode::CREATED,
        Json(body(&app, &caller, search).await?),
    ))
}

/// Returns one saved search.
#[utoipa::path(get, path = "/api/v1/audit-logs/saved-searches/{id}", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = SavedSearchBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<SavedSearchBody>, Problem> {
    let search = app
        .saved_searches
        .saved_search_get(&id, &caller.user)
        .await?;
    Ok(Json(body(&app, &caller, search).await?))
}

/// Replace a saved search, from the version that was read.
#[utoipa::path(put, path = "/api/v1/audit-logs/saved-searches/{id}", tag = "audit-logs", params(("id" = String, Path)),
    request_body = SavedSearchPut,
    responses((status = 200, body = SavedSearchBody), (status = 403, body = ProblemBody), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<SavedSearchPut>,
) -> Result<Json<SavedSearchBody>, Problem> {
    let before = own(&app, &caller, &id, given.version).await?;
    let after = read::put(&before, given, app.now())?;
    change(&app, &caller, &before, after).await
}

/// Change a saved search, from the version that was read.
#[utoipa::path(patch, path = "/api/v1/audit-logs/saved-searches/{id}", tag = "audit-logs", params(("id" = String, Path)),
    request_body = SavedSearchPatch,
    responses((status = 200, body = SavedSearchBody), (status = 403, body = ProblemBody), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<SavedSearchPatch>,
) -> Result<Json<SavedSearchBody>, Problem> {
    let before = own(&app, &caller, &id, given.version).await?;
    let after = read::patched(&before, given, app.now())?;
    change(&app, &caller, &before, after).await
}

/// Remove a saved search: one's own, or, as administrator, a shared one.
#[utoipa::path(delete, path = "/api/v1/audit-logs/saved-searches/{id}", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 204), (status = 403, body = ProblemBody), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let search = app
        .saved_searches
        .saved_search_get(&id, &caller.user)
        .await?;
    if search.owner != caller.user && !caller.may(Permission::Administer) {
        return Err(not_own(
            "Only its owner or an administrator can delete a saved search.",
        ));
    }

    app.change(
        log_entry::did(
            &caller,
            &events::SAVED_SEARCH_DELETE,
            "delete_saved_search",
            resource(&search),
        )
        .before(state(&search)),
        app.saved_searches.saved_search_delete(&id),
    )
    .await?;

    Ok(StatusCode::NO_CONTENT)
}

/// The caller's own, at the version that was read.
async fn own(app: &App, caller: &Caller, id: &str, version: u64) -> Result<SavedSearch, Problem> {
    let search = app
        .saved_searches
        .saved_search_get(id, &caller.user)
        .await?;
    if search.owner != caller.user {
        return Err(not_own(
            "Only its owner can change a saved search. Save a copy under your own name.",
        ));
    }

    if search.version != version {
        let message = format!(
            "The saved search was changed by someone else: version {} is stored, you sent version {version}. Reload it and try again.",
            search.version
        );
        return Err(Problem::new(Code::Conflict, message));
    }

    Ok(search)
}

fn not_own(message: &str) -> Problem {
    Problem::new(Code::Forbidden, message)
}

async fn change(
    app: &App,
    caller: &Caller,
    before: &SavedSearch,
    after: SavedSearch,
) -> Result<Json<SavedSearchBody>, Problem> {
    let entry = log_entry::did(
        caller,
        &events::SAVED_SEARCH_MODIFY,
        "change_saved_search",
        resource(before),
    )
    .before(state(before))
    .after(state(&after));
    app.change(entry, app.saved_searches.saved_search_update(&after))
        .await?;

    Ok(Json(body(app, caller, after).await?))
}

fn resource(search: &SavedSearch) -> ResourceRef {
    ResourceRef::new("saved_search", search.id.clone())
}

/// As it stands in the log.
fn state(search: &SavedSearch) -> AuditJson {
    AuditJson::from(json!({
        "name": search.name,
        "description": search.description,
        "query": search.query,
        "filters": search.filters,
        "start_time": search.start_time,
        "end_time": search.end_time,
        "columns": search.columns,
        "shared_with": search.shared_with.as_str(),
    }))
}

async fn body(app: &App, caller: &Caller, search: SavedSearch) -> Result<SavedSearchBody, Problem> {
    let own = search.owner == caller.user;
    let owner_name = if own {
        caller.name.clone()
    } else {
        match app.access.user_get(&search.owner).await {
            Ok(user) => user.name,
            // Removed since, and the search with them.
            Err(AccessError::NotFound { .. }) => String::new(),
            Err(error) => return Err(error.into()),
        }
    };

    Ok(SavedSearchBody {
        owner_name,
        own,
        filters: FiltersBody::new(&search.filters),
        id: search.id,
        name: search.name,
        description: search.description,
        query: search.query,
        start_time: search.start_time,
        end_time: search.end_time,
        columns: search.columns,
        shared_with: search.shared_with.into(),
        owner_id: search.owner.0,
        version: search.version,
        created_at: time::text_ms(search.created_at_ms),
        updated_at: time::text_ms(search.updated_at_ms),
    })
}
