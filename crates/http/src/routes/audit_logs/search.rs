//! Listing and searching.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_audit::query::Sort;
use reeve_audit::{FieldCode, events};
use reeve_ledger::{Aggregation, EntryPage, MOST_SORTED, Order, SearchRequest};
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::{PagingWindow, encode, window};
use crate::routes::audit_logs::ask::Asked;
use crate::routes::audit_logs::{aggregations, ask, bodies};
use crate::wire::log::search::{
    EntryListBody, EntryListParams, FiltersBody, LeftOutBody, SearchAnswer, SearchBody, SearchOrder,
};

/// Values that are listed of each counted field, unless the request says otherwise.
const VALUES: u32 = 100;

/// A page of entries, newest first.
#[utoipa::path(get, path = "/api/v1/audit-logs", tag = "audit-logs", params(EntryListParams),
    responses((status = 200, body = EntryListBody), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<EntryListParams>,
) -> Result<Json<EntryListBody>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filters = FiltersBody::default();
    let asked = Asked {
        query: params.query.as_deref(),
        start_time: params.start_time.as_deref(),
        end_time: params.end_time.as_deref(),
        filters: &filters,
    };

    let way = Way {
        sort: sort(params.sort.as_deref(), window)?,
        ..Way::default()
    };
    let page = run(&app, &caller, &asked, window, way, "list_entries").await?;
    let (total, next_cursor) = (page.total.unwrap_or_default(), page.next_cursor.map(encode));

    Ok(Json(EntryListBody {
        items: page
            .entries
            .iter()
            .map(|stored| bodies::entry(stored))
            .collect(),
        total,
        next_cursor,
        left_out: LeftOutBody::of(page.left_out),
    }))
}

/// Search with the query language, times and simple filters; count values on the side.
#[utoipa::path(post, path = "/api/v1/audit-logs/search", tag = "audit-logs", request_body = SearchBody,
    responses((status = 200, body = SearchAnswer), (status = 422, body = ProblemBody)))]
pub(super) async fn search(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<SearchBody>,
) -> Result<Json<SearchAnswer>, Problem> {
    let window = window(body.limit, body.offset, body.cursor.as_deref())?;
    let counted = aggregations::read(
        "aggregations",
        &body.aggregations,
        body.aggregation_limit,
        VALUES,
    )?;

    let asked = Asked {
        query: body.query.as_deref(),
        start_time: body.start_time.as_deref(),
        end_time: body.end_time.as_deref(),
        filters: &body.filters,
    };

    let sort = sort(body.sort.as_deref(), window)?;
    if sort.is_some() && body.order.is_some() {
        return Err(Problem::field(
            "order",
            FieldCode::Conflicting,
            "cannot be given together with sort",
        ));
    }

    let way = Way {
        sort,
        order: match body.order.unwrap_or_default() {
            SearchOrder::NewestFirst => Order::NewestFirst,
            SearchOrder::OldestFirst => Order::OldestFirst,
        },
        uncounted: body.count == Some(false),
        counted,
    };
    let page = run(&app, &caller, &asked, window, way, "search_entries").await?;

    Ok(Json(SearchAnswer {
        items: page
            .entries
            .iter()
            .map(|stored| bodies::entry(stored))
            .collect(),
        total: page.total,
        next_cursor: page.next_cursor.map(encode),
        aggregations: aggregations::named(body.aggregations, page.aggregations),
        left_out: LeftOutBody::of(page.left_out),
    }))
}

/// Order of matches, and counts beside them.
#[derive(Default)]
struct Way {
    order: Order,
    sort: Option<Sort>,
    uncounted: bool,
    counted: Vec<Aggregation>,
}

/// Reads the column that entries are sorted by; the empty name is none.
fn sort(name: Option<&str>, window: PagingWindow) -> Result<Option<Sort>, Problem> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Ok(None);
    };

    let sort = name.parse::<Sort>().map_err(|error| {
        let hint = error.hint.clone();
        Problem::field("sort", FieldCode::InvalidValue, error.to_string()).with_hint(hint)
    })?;
    let reached = window.offset.saturating_add(window.limit);

    if reached > MOST_SORTED as u64 {
        let message = format!(
            "a sorted search reaches {MOST_SORTED} entries with offset and limit, not {reached}"
        );
        return Err(
            Problem::field("offset", FieldCode::OutOfRange, message).with_hint(Some(
                "give next_cursor of the page before in place of offset".to_owned(),
            )),
        );
    }

    Ok(Some(sort))
}

/// Runs a search and records that it ran.
async fn run(
    app: &App,
    caller: &Caller,
    asked: &Asked<'_>,
    window: PagingWindow,
    way: Way,
    operation: &str,
) -> Result<EntryPage, Problem> {
    let now = app.now();
    let query = ask::with_lists(app, &ask::query(asked, now)?).await?;
    let Way {
        order,
        sort,
        uncounted,
        counted,
    } = way;

    let request = SearchRequest {
        order,
        sort,
        count_total: !uncounted,
        ..ask::request(query, window, counted, now)
    };

    let page = app
        .trail(caller)
        .search(&request)
        .await
        .map_err(ask::problem)?;

    let request = json!({
        "query": asked.query,
        "start_time": asked.start_time,
        "end_time": asked.end_time,
        "filters": recorded_filters(asked.filters),
        "limit": window.limit,
        "offset": window.offset,
        "sort": sort.map(|sort| sort.to_string()),
    });

    let found = page.total.or(Some(page.entries.len() as u64));
    app.record_reading(log_entry::read_log(
        caller,
        &events::AUDIT_SEARCH,
        operation,
        request,
        found,
    ))
    .await?;

    Ok(page)
}

fn recorded_filters(filters: &FiltersBody) -> serde_json::Value {
    filters
        .given()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
