//! Storage of report runs. Findings have a column of their own, so that lists need not read them.

use jiff::Timestamp;
use reeve_reports::{ReportDefinition, ReportRun, RunFilter, RunId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, Fault>;

const WITHOUT_SUMMARY: &str = "SELECT id, document, CAST(NULL AS TEXT) FROM report_runs";
const WITH_SUMMARY: &str = "SELECT id, document, summary FROM report_runs";

/// Adds a run. With a report its schedule moves on in the same transaction, so that of two
/// processes one adds the run.
pub(super) async fn insert(
    store: &Store,
    run: &ReportRun,
    report: Option<&ReportDefinition>,
) -> Result<()> {
    let mut tx = store.begin().await?;
    if let Some(report) = report {
        super::update(&mut tx, report).await?;
    }

    sqlx::query(
        "INSERT INTO report_runs (id, report_id, kind, state, created_at_ms, touched_at_ms, ended_at_ms, version, document, summary)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(&run.id.0)
    .bind(&run.report.0)
    .bind(run.request.kind.as_str())
    .bind(run.state.as_str())
    .bind(run.created_at.as_millisecond())
    .bind(run.touched_at.as_millisecond())
    .bind(run.ended_at.map(Timestamp::as_millisecond))
    .bind(version(run.version))
    .bind(encode(run)?)
    .bind(run.summary.as_deref())
    .execute(&mut *tx)
    .await?;

    Ok(tx.commit().await?)
}

pub(super) async fn update(store: &Store, run: &ReportRun) -> Result<()> {
    let mut tx = store.begin().await?;
    let record = Versioned {
        noun: "run",
        select: "SELECT version FROM report_runs WHERE id = $1",
        id: &run.id.0,
        version: run.version,
    };

    let update = sqlx::query(
        "UPDATE report_runs SET state = $3, touched_at_ms = $4, ended_at_ms = $5, version = $6, document = $7, summary = $8
         WHERE id = $1 AND version = $2",
    )
    .bind(&run.id.0)
    .bind(record.expected())
    .bind(run.state.as_str())
    .bind(run.touched_at.as_millisecond())
    .bind(run.ended_at.map(Timestamp::as_millisecond))
    .bind(version(run.version))
    .bind(encode(run)?)
    .bind(run.summary.as_deref());

    record
        .run(&mut tx, update, || {
            format!("run {} exists already", run.id.0)
        })
        .await?;
    Ok(tx.commit().await?)
}

pub(super) async fn get(store: &Store, id: &RunId) -> Result<ReportRun> {
    let mut filter = Filter::default();
    filter.text("id = ?", id.0.as_str());
    let row = filter
        .query(filter.sql(WITH_SUMMARY, ""))
        .fetch_optional(store.read())
        .await?;
    read(&row.ok_or_else(|| Fault::not_found("run", &id.0))?)
}

pub(super) async fn list(store: &Store, asked: &RunFilter) -> Result<(Vec<ReportRun>, u64)> {
    let mut filter = Filter::default();
    if let Some(report) = &asked.report {
        filter.text("report_id = ?", report.0.as_str());
    }
    if let Some(kind) = &asked.kind {
        filter.text("kind = ?", kind.as_str());
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM report_runs", ""))
        .fetch_one(store.read())
        .await?;
    let total = u64::try_from(count.try_get::<i64, _>(0)?).unwrap_or_default();
    let page = filter.page(
        WITHOUT_SUMMARY,
        " ORDER BY created_at_ms DESC, id DESC",
        asked.limit,
        asked.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    Ok((rows.iter().map(read).collect::<Result<_>>()?, total))
}

pub(super) async fn next(store: &Store, stale: Timestamp) -> Result<Option<ReportRun>> {
    let row = sqlx::query(
        "SELECT id, document, summary FROM report_runs
         WHERE ended_at_ms IS NULL AND (state = 'queued' OR touched_at_ms < $1)
         ORDER BY created_at_ms, id LIMIT 1",
    )
    .bind(stale.as_millisecond())
    .fetch_optional(store.read())
    .await?;
    row.as_ref().map(read).transpose()
}

pub(super) async fn ended_before(
    store: &Store,
    before: Timestamp,
    limit: u64,
) -> Result<Vec<ReportRun>> {
    let rows = sqlx::query(
        "SELECT id, document, CAST(NULL AS TEXT) FROM report_runs WHERE ended_at_ms < $1 ORDER BY ended_at_ms, id LIMIT $2",
    )
    .bind(before.as_millisecond())
    .bind(version(limit))
    .fetch_all(store.read())
    .await?;
    rows.iter().map(read).collect()
}

pub(super) async fn delete(store: &Store, id: &RunId) -> Result<()> {
    let done = sqlx::query("DELETE FROM report_runs WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("run", &id.0))
    } else {
        Ok(())
    }
}

fn read(row: &AnyRow) -> Result<ReportRun> {
    let id: String = row.try_get(0)?;
    let summary: Option<String> = row.try_get(2)?;
    let run: ReportRun = decode(row.try_get(1)?).map_err(unreadable("run", &id))?;

    // The summary has a column of its own: lists of runs need not read it.
    Ok(ReportRun { summary, ..run })
}
