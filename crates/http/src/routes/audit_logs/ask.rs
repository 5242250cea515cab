//! Builds a search from request parameters: query, times, filters. Row visibility is added by the
//! trail.

use jiff::Timestamp;
use reeve_access::ListError;
use reeve_audit::FieldCode;
use reeve_audit::query::{
    Expr, Query, QueryError, filter as filter_term, point_in_time, time_range,
};
use reeve_ledger::{Aggregation, Order, SearchRequest, TrailError};

use crate::app::App;
use crate::error::{Code, Problem};
use crate::paging::PagingWindow;
use crate::wire::log::search::FiltersBody;

/// A search as its caller asked it.
pub(super) struct Asked<'a> {
    /// In the query language.
    pub(super) query: Option<&'a str>,
    /// From this time on.
    pub(super) start_time: Option<&'a str>,
    /// Up to this time.
    pub(super) end_time: Option<&'a str>,
    /// Filters by field; an entry must match all of them.
    pub(super) filters: &'a FiltersBody,
}

/// The whole predicate, its times resolved, and an operation in both of its spellings.
pub(super) fn query(asked: &Asked<'_>, now: Timestamp) -> Result<Query, Problem> {
    Ok(read(asked, now)?.any_spelling().resolve(now))
}

/// The whole predicate; distances from now in the query stay distances.
pub(super) fn read(asked: &Asked<'_>, now: Timestamp) -> Result<Query, Problem> {
    let mut query = parse(asked.query)?;
    let start = instant("start_time", asked.start_time, now)?;
    let end = instant("end_time", asked.end_time, now)?;
    if let (Some(start), Some(end)) = (start, end)
        && start >= end
    {
        return Err(Problem::field(
            "start_time",
            FieldCode::OutOfRange,
            "must lie before end_time",
        ));
    }

    query = query.and(time_range(start, end));
    for (name, value) in asked.filters.given() {
        query = query.and(filter(name, value)?);
    }

    Ok(query)
}

/// Returns the query with the values that its lists have now.
pub(crate) async fn with_lists(app: &App, query: &Query) -> Result<Query, Problem> {
    reeve_access::with_lists(app.lists.as_ref(), query)
        .await
        .map_err(list_problem)
}

/// Returns the problem of a query that compares with a list.
fn list_problem(error: ListError) -> Problem {
    match error {
        ListError::Unknown(name) => {
            let hint = "Lists are kept under Audit, Lists; a threat list is named threat:NAME.";
            let message = format!("there is no list `{name}`");
            Problem::query(message, 0, format!("@{name}"), Some(hint.to_owned()))
        }
        ListError::Store(error) => error.into(),
    }
}

/// A query by itself; the absent and the empty one find everything.
pub(super) fn parse(query: Option<&str>) -> Result<Query, Problem> {
    match query.map(str::trim).filter(|text| !text.is_empty()) {
        None => Ok(Query::all()),
        // Positions count from the beginning of what was sent.
        Some(_) => Query::parse(query.unwrap_or_default()).map_err(query_problem),
    }
}

/// A point in time beside a query: RFC 3339, `now`, or a distance from it; the empty text is none.
pub(super) fn instant(
    field: &str,
    text: Option<&str>,
    now: Timestamp,
) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    point_in_time(text, now).map(Some).ok_or_else(|| {
        let message = format!(
            "{text:?} is neither an RFC 3339 time such as 2026-11-20T10:00:00Z nor now or now-24h"
        );
        Problem::field(field, FieldCode::InvalidTime, message)
    })
}

/// One simple filter as a condition: the value is taken word for word, but for `*` and, for
/// addresses, CIDR.
fn filter(name: &str, value: &str) -> Result<Expr, Problem> {
    let term = if name == "ip_address" { "ip" } else { name };
    filter_term(term, value).map_err(|error| {
        let hint = error.hint.clone();
        Problem::field(
            format!("filters.{name}"),
            FieldCode::InvalidValue,
            error.to_string(),
        )
        .with_hint(hint)
    })
}

/// A search request of a page.
pub(super) fn request(
    query: Query,
    window: PagingWindow,
    aggregations: Vec<Aggregation>,
    now: Timestamp,
) -> SearchRequest {
    SearchRequest {
        query,
        limit: usize::try_from(window.limit).unwrap_or(usize::MAX),
        offset: usize::try_from(window.offset).unwrap_or(usize::MAX),
        order: Order::NewestFirst,
        sort: None,
        cursor: window.cursor,
        count_total: true,
        aggregations,
        now,
    }
}

/// Returns the problem for a log that could not be read.
pub(in crate::routes) fn problem(error: TrailError) -> Problem {
    match error {
        TrailError::Invalid(message) => {
            Problem::field("aggregations", FieldCode::InvalidValue, message)
        }
        TrailError::Damaged(message) => {
            tracing::error!(cause = %message, "a part of the log is damaged");
            let detail =
                "This request needs a part of the log that is damaged, so nothing is returned";
            Problem::new(Code::LogDamaged, format!("{detail}: {message}."))
        }
        TrailError::TooCostly { limit_s } => {
            let detail =
                format!("The search was stopped after {limit_s} s to keep the log responsive.");
            let hint = "Narrow start_time and end_time, name the field of each word (actor.id:alice in place of alice), or use fewer words.";
            Problem::new(Code::QueryTooCostly, format!("{detail} {hint}"))
                .with_hint(Some(hint.to_owned()))
        }
        TrailError::Away(message) => Problem::new(Code::LogAway, format!("{message}.")),
        TrailError::Archived(message) => Problem::new(Code::Conflict, format!("{message}.")),
        TrailError::Backend(message) => Problem::internal(message),
    }
}

/// Returns the problem of a query that cannot be read.
pub(crate) fn query_problem(error: QueryError) -> Problem {
    Problem::query(error.message, error.position, error.part, error.hint)
}
