//! Reports and their runs: the port [`ReportStore`].

mod review;
mod run;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::AccessError;
use reeve_reports::{ReportDefinition, ReportId, ReportRun, ReportStore, Review, RunFilter, RunId};
use sqlx::any::AnyRow;
use sqlx::{Any, Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, AccessError>;

#[async_trait]
impl ReportStore for Store {
    async fn report_insert(&self, report: &ReportDefinition, most: u64) -> Result<()> {
        Ok(insert(self, report, most).await?)
    }
    async fn report_update(&self, report: &ReportDefinition) -> Result<()> {
        let mut tx = self.begin().await?;
        update(&mut tx, report).await?;
        Ok(tx.commit().await.map_err(Fault::from)?)
    }
    async fn report_delete(&self, id: &ReportId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn report_get(&self, id: &ReportId) -> Result<ReportDefinition> {
        Ok(get(self, id).await?)
    }
    async fn report_list(&self) -> Result<Vec<ReportDefinition>> {
        Ok(list(self).await?)
    }
    async fn report_due(&self, now: Timestamp) -> Result<Vec<ReportDefinition>> {
        Ok(due(self, now).await?)
    }
    async fn run_insert(&self, run: &ReportRun, report: Option<&ReportDefinition>) -> Result<()> {
        Ok(run::insert(self, run, report).await?)
    }
    async fn run_update(&self, run: &ReportRun) -> Result<()> {
        Ok(run::update(self, run).await?)
    }
    async fn run_get(&self, id: &RunId) -> Result<ReportRun> {
        Ok(run::get(self, id).await?)
    }
    async fn run_list(&self, filter: &RunFilter) -> Result<(Vec<ReportRun>, u64)> {
        Ok(run::list(self, filter).await?)
    }
    async fn run_next(&self, stale: Timestamp) -> Result<Option<ReportRun>> {
        Ok(run::next(self, stale).await?)
    }
    async fn run_ended_before(&self, before: Timestamp, limit: u64) -> Result<Vec<ReportRun>> {
        Ok(run::ended_before(self, before, limit).await?)
    }
    async fn review_insert(&self, review: &Review) -> Result<()> {
        Ok(review::insert(self, review).await?)
    }
    async fn review_list(&self, report: &ReportId, limit: u64) -> Result<Vec<Review>> {
        Ok(review::list(self, report, limit).await?)
    }
    async fn run_delete(&self, id: &RunId) -> Result<()> {
        Ok(run::delete(self, id).await?)
    }
}

fn taken(report: &ReportDefinition) -> String {
    format!("a report named {} exists already", report.name)
}

async fn insert(
    store: &Store,
    report: &ReportDefinition,
    most: u64,
) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let count: i64 = sqlx::query("SELECT COUNT(*) FROM reports")
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;

    if u64::try_from(count).unwrap_or_default() >= most {
        return Err(Fault::Conflict(format!(
            "there are {count} reports, and at most {most}; remove one first"
        )));
    }

    sqlx::query("INSERT INTO reports (id, name, next_run_at_ms, version, document) VALUES ($1, $2, $3, $4, $5)")
        .bind(&report.id.0)
        .bind(&report.name)
        .bind(report.next_run_at.map(Timestamp::as_millisecond))
        .bind(version(report.version))
        .bind(encode(report)?)
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || taken(report)))?;

    Ok(tx.commit().await?)
}

async fn update(
    tx: &mut Transaction<'_, Any>,
    report: &ReportDefinition,
) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "report",
        select: "SELECT version FROM reports WHERE id = $1",
        id: &report.id.0,
        version: report.version,
    };

    let update = sqlx::query(
        "UPDATE reports SET name = $3, next_run_at_ms = $4, version = $5, document = $6 WHERE id = $1 AND version = $2",
    )
    .bind(&report.id.0)
    .bind(record.expected())
    .bind(&report.name)
    .bind(report.next_run_at.map(Timestamp::as_millisecond))
    .bind(version(report.version))
    .bind(encode(report)?);

    record.run(tx, update, || taken(report)).await
}

async fn delete(store: &Store, id: &ReportId) -> std::result::Result<(), Fault> {
    let done = sqlx::query("DELETE FROM reports WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("report", &id.0))
    } else {
        Ok(())
    }
}

async fn get(store: &Store, id: &ReportId) -> std::result::Result<ReportDefinition, Fault> {
    let row = sqlx::query("SELECT id, document FROM reports WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    report(&row.ok_or_else(|| Fault::not_found("report", &id.0))?)
}

async fn list(store: &Store) -> std::result::Result<Vec<ReportDefinition>, Fault> {
    let rows = sqlx::query("SELECT id, document FROM reports ORDER BY name, id")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(report).collect()
}

async fn due(store: &Store, now: Timestamp) -> std::result::Result<Vec<ReportDefinition>, Fault> {
    let rows = sqlx::query(
        "SELECT id, document FROM reports WHERE next_run_at_ms <= $1 ORDER BY next_run_at_ms, id",
    )
    .bind(now.as_millisecond())
    .fetch_all(store.read())
    .await?;
    rows.iter().map(report).collect()
}

fn report(row: &AnyRow) -> std::result::Result<ReportDefinition, Fault> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("report", &id))
}
