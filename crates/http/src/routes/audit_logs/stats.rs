//! The log at a glance: counts within what the caller may see.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::SignedDuration;
use serde_json::json;

use super::ask::{self, Asked};
use super::search::counted;
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::Window;
use crate::wire::entry::{CountBody, EntryListParams, FiltersBody, StatsBody};
use crate::{story, time};

/// The longest period that is counted by the hour.
const BY_HOUR: SignedDuration = SignedDuration::from_hours(72);
/// Values shown of each field.
const SHOWN: usize = 10;

/// Counts by type, user, resource, severity, status and time; the last 24 hours unless a period is given.
#[utoipa::path(get, path = "/api/v1/audit-logs/stats", tag = "audit-logs", params(EntryListParams),
    responses((status = 200, body = StatsBody), (status = 422, body = ProblemBody)))]
pub(super) async fn stats(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<EntryListParams>,
) -> Result<Json<StatsBody>, Problem> {
    let now = app.now();
    let end = time::parse_option("end_time", params.end_time.as_deref())?.unwrap_or(now);
    let start = time::parse_option("start_time", params.start_time.as_deref())?
        .unwrap_or_else(|| end.checked_sub(SignedDuration::from_hours(24)).unwrap_or(end));
    let by_time = if end.duration_since(start) <= BY_HOUR { "hour" } else { "day" };
    let (start_text, end_text) = (time::text(start), params.end_time.clone());
    let filters = FiltersBody::default();
    let asked = Asked {
        query: params.query.as_deref(),
        start_time: Some(&start_text),
        end_time: end_text.as_deref(),
        filters: &filters,
    };
    let fields = ["event_type", "actor.email", "actor.id", "resource.id", "severity", "action.status", by_time];
    let request = ask::request(
        ask::query(&caller, &asked, now)?,
        Window { limit: 0, offset: 0, cursor: None },
        fields.map(str::to_owned).to_vec(),
        now,
    );
    let page = app.trail.search(&request).await.map_err(ask::problem)?;
    let told = json!({ "query": params.query, "start_time": start_text, "end_time": params.end_time });
    app.record_reading(story::read_log(&caller, "audit.search", "count_entries", told, page.total)).await?;

    let mut counts: BTreeMap<String, Vec<(String, u64)>> = page.aggregations.into_iter().collect();
    let mut take = |field: &str| counts.remove(field).unwrap_or_default();
    let by_severity = take("severity");
    let security_events =
        by_severity.iter().filter(|(name, _)| name == "high" || name == "critical").map(|(_, n)| n).sum();
    let mut by_hour = take(by_time);
    by_hour.sort();
    let by_user = match take("actor.email") {
        emails if emails.is_empty() => take("actor.id"),
        emails => emails,
    };
    Ok(Json(StatsBody {
        total: page.total.unwrap_or_default(),
        by_event_type: first(take("event_type")),
        by_user: first(by_user),
        by_resource: first(take("resource.id")),
        by_severity: counted(by_severity),
        by_status: counted(take("action.status")),
        by_time: counted(by_hour),
        security_events,
        log_size: app.ledger.size(),
    }))
}

fn first(mut counts: Vec<(String, u64)>) -> Vec<CountBody> {
    counts.truncate(SHOWN);
    counted(counts)
}
