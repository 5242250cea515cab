//! The expected size of an export, and the refusal of one that is too large, naming the period that
//! would fit.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use reeve_audit::format::{EntryView, Integrity};
use reeve_audit::query::QueryColumn;
use reeve_exports::{Estimate, EstimateFit, EstimateSpan, ExportFormat, Selection, narrower};
use reeve_ledger::{
    Aggregation, EntryPage, GroupBy, Order, SearchRequest, StoredEntry, TimeUnit, TrailError,
};
use reeve_recommend::words::bytes;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::audit_logs::ask;
use crate::routes::audit_logs::exports::{problem, selection};
use crate::time;
use crate::wire::export::{ExportEstimateBody, ExportPeriodBody, ExportRequest};

/// Entries that are written for the estimate at each end of the period.
const SAMPLE: usize = 50;
/// Spans of time that are counted at most.
const SPANS: usize = 10_000;
/// Bytes of an entry in Parquet in proportion to its canonical bytes: identifiers, salts and
/// compressed payloads, measured at 0.35 to 0.6 on recorded and generated entries.
const PARQUET_PERCENT: u64 = 70;

/// The expected size of an export, without starting it.
#[utoipa::path(post, path = "/api/v1/audit-logs/export/estimate", tag = "audit-logs", operation_id = "exports_estimate",
    request_body = ExportRequest,
    responses((status = 200, body = ExportEstimateBody), (status = 422, body = ProblemBody)))]
pub(super) async fn estimate(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<ExportRequest>,
) -> Result<Json<ExportEstimateBody>, Problem> {
    let now = app.now();
    let selection = selection(&given, now)?;
    let (estimate, fit) = measure(&app, &caller, &selection, now).await?;
    let limit_bytes = app.settings.export_limit_bytes;
    let fits = estimate.bytes <= limit_bytes;
    let period = |fit: EstimateFit| ExportPeriodBody {
        start_time: time::text(fit.start),
        end_time: selection.end.map(time::text),
        entries: fit.entries,
        bytes: fit.bytes,
    };
    let narrower = fit.filter(|_| !fits).map(period);

    Ok(Json(ExportEstimateBody {
        entries: estimate.entries,
        bytes: estimate.bytes,
        limit_bytes,
        fits,
        narrower,
    }))
}

/// The expected size of an export that fits.
pub(super) async fn fitting(
    app: &App,
    caller: &Caller,
    selection: &Selection,
    now: Timestamp,
) -> Result<Estimate, Problem> {
    let (estimate, fit) = measure(app, caller, selection, now).await?;
    let limit = app.settings.export_limit_bytes;
    if estimate.bytes <= limit {
        return Ok(estimate);
    }

    let advice = match fit {
        Some(fit) => {
            let end = selection
                .end
                .map_or("the end of the log".to_owned(), time::text);
            format!(
                "The period from {} to {end} would fit: {} entries, about {}",
                time::text(fit.start),
                fit.entries,
                bytes(fit.bytes as f64)
            )
        }
        None => "Not even the last hour of the period would fit; narrow the query".to_owned(),
    };

    let detail = format!(
        "The period is too wide: {} entries in {} are expected to have {}, and one export holds at most {}. {advice}.",
        estimate.entries,
        selection.format.as_str(),
        bytes(estimate.bytes as f64),
        bytes(limit as f64)
    );

    Err(Problem::new(Code::ExportTooLarge, detail).with_hint(Some(advice)))
}

/// Expected size, and the longest period that fits if the whole one does not.
async fn measure(
    app: &App,
    caller: &Caller,
    selection: &Selection,
    now: Timestamp,
) -> Result<(Estimate, Option<EstimateFit>), Problem> {
    let (mut sampled, mut bytes, mut total) = (0, 0, 0);
    for order in [Order::NewestFirst, Order::OldestFirst] {
        let page = search(app, caller, selection, now, order, None).await?;
        total = page.total.unwrap_or(total);
        for entry in &page.entries {
            sampled += 1;
            bytes += written(selection, entry)?;
        }
    }

    let estimate = Estimate::new(total, sampled, bytes);
    let limit = app.settings.export_limit_bytes;
    if estimate.bytes <= limit {
        return Ok((estimate, None));
    }

    for unit in [TimeUnit::Day, TimeUnit::Hour] {
        let page = search(app, caller, selection, now, Order::NewestFirst, Some(unit)).await?;
        let counts = page.aggregations.into_iter().next().unwrap_or_default();
        let spans = counts.values.into_iter().filter_map(|(start, entries)| {
            let start: Timestamp = start.parse().ok()?;
            Some(EstimateSpan {
                start: selection.start.map_or(start, |from| from.max(start)),
                entries,
            })
        });
        if let Some(fit) = narrower(&estimate, &spans.collect::<Vec<_>>(), limit) {
            return Ok((estimate, Some(fit)));
        }
    }

    Ok((estimate, None))
}

/// A sample with the total, or counts a span of time. The one place where an estimate reads the
/// log.
async fn search(
    app: &App,
    caller: &Caller,
    selection: &Selection,
    now: Timestamp,
    order: Order,
    unit: Option<TimeUnit>,
) -> Result<EntryPage, Problem> {
    let query = selection
        .predicate(now)
        .map_err(|error| problem(vec![error]))?;
    let query = ask::with_lists(app, &query).await?;
    let by = |unit| Aggregation {
        by: GroupBy::Time {
            column: QueryColumn::Timestamp,
            unit,
        },
        limit: SPANS,
    };

    let request = SearchRequest {
        order,
        count_total: unit.is_none() && order == Order::NewestFirst,
        aggregations: unit.map(by).into_iter().collect(),
        limit: if unit.is_some() { 0 } else { SAMPLE },
        ..SearchRequest::newest(query, SAMPLE, now)
    };

    app.trail(&caller.principal)
        .search(&request)
        .await
        .map_err(|error: TrailError| ask::problem(error))
}

/// Bytes of an entry in the format.
fn written(selection: &Selection, stored: &StoredEntry) -> Result<u64, Problem> {
    let format = selection
        .options
        .text_format(selection.format)
        .map_err(|error| problem(vec![error]))?;
    let Some(format) = format else {
        debug_assert_eq!(selection.format, ExportFormat::Parquet);
        return Ok((stored.canonical.len() as u64 * PARQUET_PERCENT / 100).max(1));
    };

    let integrity = Integrity {
        sequence: stored.sequence,
        commitment: *stored.commitment.as_bytes(),
        leaf_hash: *stored.leaf_hash.as_bytes(),
        previous_hash: *stored.previous_hash.as_bytes(),
        hash: *stored.hash.as_bytes(),
        salt: Some(stored.salt),
    };

    let view = EntryView {
        entry: &stored.entry,
        recorded_at: stored.recorded_at,
        integrity: &integrity,
    };
    let mut bytes = Vec::new();

    // A record that is too long is left out of the export, and of its estimate.
    let _ = format.write_entry(&mut bytes, &view);
    Ok(bytes.len() as u64)
}
