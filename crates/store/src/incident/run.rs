//! Rows of runs of playbooks.

use reeve_incidents::{PlaybookRun, PlaybookRunId, RunFilter};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

fn taken(run: &PlaybookRun) -> String {
    format!("run {} exists already", run.id.0)
}

pub(super) async fn insert(store: &Store, run: &PlaybookRun) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO playbook_runs (id, incident_id, active, started_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&run.id.0)
    .bind(&run.incident.0)
    .bind(i64::from(run.is_active()))
    .bind(run.started_at.as_millisecond())
    .bind(version(run.version))
    .bind(encode(run)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || taken(run)))?;
    Ok(())
}

pub(super) async fn update(store: &Store, run: &PlaybookRun) -> Result<(), Fault> {
    let record = Versioned {
        noun: "run",
        select: "SELECT version FROM playbook_runs WHERE id = $1",
        id: &run.id.0,
        version: run.version,
    };
    let update = sqlx::query(
        "UPDATE playbook_runs SET active = $3, version = $4, document = $5
         WHERE id = $1 AND version = $2",
    )
    .bind(&run.id.0)
    .bind(record.expected())
    .bind(i64::from(run.is_active()))
    .bind(version(run.version))
    .bind(encode(run)?);
    let mut connection = store.write().acquire().await?;
    record.run(&mut connection, update, || taken(run)).await
}

pub(super) async fn get(store: &Store, id: &PlaybookRunId) -> Result<PlaybookRun, Fault> {
    let row = sqlx::query("SELECT id, document FROM playbook_runs WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    run(&row.ok_or_else(|| Fault::not_found("run", &id.0))?)
}

fn run(row: &AnyRow) -> Result<PlaybookRun, Fault> {
    let id: String = row.try_get(0)?;
    decode::<PlaybookRun>(row.try_get(1)?).map_err(unreadable("run", &id))
}

pub(super) async fn list(store: &Store, wanted: &RunFilter) -> Result<Vec<PlaybookRun>, Fault> {
    let mut filter = Filter::default();
    if let Some(incident) = &wanted.incident {
        filter.text("incident_id = ?", &incident.0);
    }
    if wanted.is_active {
        filter.fixed("active = 1");
    }
    let page = filter.page(
        "SELECT id, document FROM playbook_runs",
        " ORDER BY started_at_ms DESC, id DESC",
        wanted.limit,
        0,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;
    rows.iter().map(run).collect()
}
