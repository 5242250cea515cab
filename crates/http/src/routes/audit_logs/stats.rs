//! The log at a glance: counts within what the caller may see.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::QueryColumn;
use reeve_audit::{FieldCode, events};
use reeve_ledger::{Aggregation, EntryCounts, GroupBy, TimeUnit};
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::routes::audit_logs::aggregations::buckets;
use crate::routes::audit_logs::ask::Asked;
use crate::routes::audit_logs::{aggregations, ask};
use crate::wire::log::search::{FiltersBody, LeftOutBody, StatsBody, StatsParams};
use crate::{log_entry, time};

/// The longest period that is counted by the hour.
const BY_HOUR: SignedDuration = SignedDuration::from_hours(72);
/// Values told of each field, unless the request says otherwise.
const VALUES: u32 = 10;
/// Fields that are counted unless the request says otherwise, apart from time.
const USUAL: [&str; 5] = ["event_type", "user", "resource.id", "severity", "status"];

/// Counts by type, user, resource, severity, status and time, or by what the request names; the
/// last 24 hours unless a period is given. A change that Reeve announced (`pending`) and then made
/// counts once, by its outcome, unless the query or `by` names the status.
#[utoipa::path(get, path = "/api/v1/audit-logs/stats", tag = "audit-logs", params(StatsParams),
    responses((status = 200, body = StatsBody), (status = 422, body = ProblemBody)))]
pub(super) async fn stats(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<StatsParams>,
) -> Result<Json<StatsBody>, Problem> {
    let now = app.now();
    let period = Period::from_params(&params, now)?;
    let (start_text, end_text) = (time::text(period.start), params.end_time.clone());
    let filters = FiltersBody::default();
    let asked = Asked {
        query: params.query.as_deref(),
        start_time: Some(&start_text),
        end_time: end_text.as_deref(),
        filters: &filters,
    };
    let query = ask::with_lists(&app, &ask::query(&asked, now)?).await?;

    let names: Option<Vec<String>> = params
        .by
        .as_deref()
        .map(|by| by.split(',').map(|name| name.trim().to_owned()).collect());
    let counted = match &names {
        Some(names) => aggregations::read("by", names, params.limit, VALUES)?,
        None => usual(params.limit, period.unit)?,
    };

    // Grouped by status, intents are a group of their own; every other grouping would count a
    // change twice.
    let by_status =
        |counted: &Aggregation| counted.by == GroupBy::Column(QueryColumn::ActionStatus);
    let apart = names.is_some() && counted.iter().any(by_status);
    let query = if apart {
        query
    } else {
        query.counting_outcomes()
    };

    let mut counted = counted;
    counted.push(Aggregation {
        by: GroupBy::Column(QueryColumn::Severity),
        limit: 10,
    });
    let page = app.trail(&caller).tally(query, counted, now).await;
    let page = page.map_err(ask::problem)?;
    let (total, counts) = (page.total.unwrap_or_default(), page.aggregations);
    let request = json!({ "query": params.query, "start_time": start_text, "end_time": params.end_time, "by": params.by });
    app.record_reading(log_entry::read_log(
        &caller,
        &events::AUDIT_SEARCH,
        "count_entries",
        request,
        Some(total),
    ))
    .await?;

    Ok(Json(StatsBody {
        left_out: LeftOutBody::of(page.left_out),
        ..body(&app, total, names, counts)
    }))
}

/// The period that is counted, and by which spans.
struct Period {
    start: Timestamp,
    unit: TimeUnit,
}

impl Period {
    fn from_params(params: &StatsParams, now: Timestamp) -> Result<Self, Problem> {
        let end = ask::instant("end_time", params.end_time.as_deref(), now)?.unwrap_or(now);
        let start =
            ask::instant("start_time", params.start_time.as_deref(), now)?.unwrap_or_else(|| {
                end.checked_sub(SignedDuration::from_hours(24))
                    .unwrap_or(end)
            });

        let unit = match params.interval.as_deref() {
            None if end.duration_since(start) <= BY_HOUR => TimeUnit::Hour,
            None => TimeUnit::Day,
            Some(name) => aggregations::unit(name).ok_or_else(|| {
                Problem::field(
                    "interval",
                    FieldCode::InvalidValue,
                    "must be minute, 5m, 15m, hour, day, week or month",
                )
            })?,
        };

        Ok(Period { start, unit })
    }
}

/// The usual six, in the order of [`body`].
fn usual(limit: Option<u32>, unit: TimeUnit) -> Result<Vec<Aggregation>, Problem> {
    let mut counted = aggregations::read("by", &USUAL.map(str::to_owned), limit, VALUES)?;
    counted.push(Aggregation {
        by: GroupBy::Time {
            column: QueryColumn::Timestamp,
            unit,
        },
        limit: 1000,
    });

    Ok(counted)
}

/// The answer; the last of the counts is by severity, for the security events.
fn body(
    app: &App,
    total: u64,
    names: Option<Vec<String>>,
    mut counts: Vec<EntryCounts>,
) -> StatsBody {
    let severities = counts.pop().unwrap_or_default().values;
    let serious = severities
        .iter()
        .filter(|(name, _)| name == "high" || name == "critical");
    let mut body = StatsBody {
        total,
        by_event_type: Vec::new(),
        by_user: Vec::new(),
        by_resource: Vec::new(),
        by_severity: Vec::new(),
        by_status: Vec::new(),
        by_time: Vec::new(),
        security_events: serious.map(|(_, count)| count).sum(),
        aggregations: Default::default(),
        log_size: app.ledger.size(),
        left_out: None,
    };

    match names {
        Some(names) => body.aggregations = aggregations::named(names, counts),
        None => {
            let lists = [
                &mut body.by_event_type,
                &mut body.by_user,
                &mut body.by_resource,
                &mut body.by_severity,
                &mut body.by_status,
                &mut body.by_time,
            ];
            for (list, counts) in lists.into_iter().zip(counts) {
                *list = buckets(counts.values, Vec::new());
            }
        }
    }

    body
}
