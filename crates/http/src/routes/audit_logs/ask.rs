//! From what was asked to what is looked for: query, times, filters, and, last, what the caller may see.

use jiff::Timestamp;

use reeve_access::RowFilter;
use reeve_audit::query::{Column, Expr, Query, QueryError, filter as filter_term, time_range};
use reeve_ledger::{Aggregation, GroupBy, Order, SearchRequest, StoredEntry, TimeUnit, TrailError};

use crate::error::Problem;
use crate::extract::Caller;
use crate::paging::Window;
use crate::time;
use crate::wire::entry::FiltersBody;

/// What was asked, not yet narrowed.
pub(super) struct Asked<'a> {
    /// In the query language.
    pub(super) query: Option<&'a str>,
    /// From this time on.
    pub(super) start_time: Option<&'a str>,
    /// Before this time.
    pub(super) end_time: Option<&'a str>,
    /// Simple filters.
    pub(super) filters: &'a FiltersBody,
}

/// The whole predicate, with the caller's row visibility in it. The only place where it is added.
pub(super) fn query(caller: &Caller, asked: &Asked<'_>, now: Timestamp) -> Result<Query, Problem> {
    let mut query = match asked.query.map(str::trim).filter(|text| !text.is_empty()) {
        None => Query::all(),
        Some(text) => Query::parse(text).map_err(query_problem)?,
    };
    let start = time::parse_option("start_time", asked.start_time)?;
    let end = time::parse_option("end_time", asked.end_time)?;
    if let (Some(start), Some(end)) = (start, end)
        && start >= end
    {
        return Err(Problem::field("start_time", "out_of_range", "must lie before end_time"));
    }
    query = query.and(time_range(start, end));
    for (name, value) in asked.filters.given() {
        query = query.and(filter(name, value)?);
    }
    Ok(RowFilter::of(&caller.principal).restrict(query.resolve(now)))
}

/// One simple filter as a condition: the value is taken word for word, but for `*` and, for addresses, CIDR.
fn filter(name: &str, value: &str) -> Result<Expr, Problem> {
    let term = if name == "ip_address" { "ip" } else { name };
    filter_term(term, value).map_err(|error| Problem::field(format!("filters.{name}"), "invalid", error.to_string()))
}

/// A search request of a page.
pub(super) fn request(query: Query, window: Window, aggregations: Vec<Aggregation>, now: Timestamp) -> SearchRequest {
    SearchRequest {
        query,
        limit: usize::try_from(window.limit).unwrap_or(usize::MAX),
        offset: usize::try_from(window.offset).unwrap_or(usize::MAX),
        order: Order::NewestFirst,
        cursor: window.cursor,
        count_total: true,
        aggregations,
        now,
    }
}

/// What a name of a field, `user`, `hour` or `day` counts.
pub(super) fn aggregation(name: &str) -> Result<Aggregation, Problem> {
    let time = |unit| GroupBy::Time { column: Column::Timestamp, unit };
    let by = match name {
        "hour" => time(TimeUnit::Hour),
        "day" => time(TimeUnit::Day),
        "user" => GroupBy::User,
        "status" => GroupBy::Column(Column::ActionStatus),
        _ => Column::ALL
            .into_iter()
            .find(|column| name == column.field_name() || name == column.segment_name())
            .map(GroupBy::Column)
            .ok_or_else(|| {
                Problem::field("aggregations", "invalid", format!("values of {name:?} cannot be counted"))
            })?,
    };
    Ok(Aggregation { by, limit: COUNTED })
}

/// Values told of a field.
const COUNTED: usize = 1_000;

/// Whether the caller may see an entry.
pub(super) fn may_see(caller: &Caller, stored: &StoredEntry) -> bool {
    RowFilter::of(&caller.principal).allows(&stored.entry)
}

/// What the caller reads when the log could not be read.
pub(super) fn problem(error: TrailError) -> Problem {
    match error {
        TrailError::Invalid(message) => Problem::field("aggregations", "invalid", message),
        TrailError::Backend(message) => Problem::internal(message),
    }
}

fn query_problem(error: QueryError) -> Problem {
    let message = format!("At character {}: {}", error.position, error.message);
    Problem::query(message, error.position, error.part, error.hint)
}
