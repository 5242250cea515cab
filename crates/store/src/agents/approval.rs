//! Approval requests.

use reeve_recommend::approval::{Approval, ApprovalId, ApprovalStatus};
use reeve_recommend::recommendation::totals::ApprovalFilter;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

pub(super) async fn insert(store: &Store, approval: &Approval) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO approvals (id, recommendation_id, status, requested_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&approval.id.0)
    .bind(&approval.recommendation.0)
    .bind(approval.status.as_str())
    .bind(approval.requested_at.as_millisecond())
    .bind(version(approval.version))
    .bind(encode(approval)?)
    .execute(store.write())
    .await
    .map_err(|error| {
        Fault::or_taken(error, || {
            format!("the approval request {} exists already", approval.id.0)
        })
    })?;
    Ok(())
}

pub(super) async fn update(store: &Store, approval: &Approval) -> Result<(), Fault> {
    let record = Versioned {
        noun: "approval request",
        select: "SELECT version FROM approvals WHERE id = $1",
        id: &approval.id.0,
        version: approval.version,
    };

    let update =
        sqlx::query("UPDATE approvals SET status = $3, version = $4, document = $5 WHERE id = $1 AND version = $2")
            .bind(&approval.id.0)
            .bind(record.expected())
            .bind(approval.status.as_str())
            .bind(version(approval.version))
            .bind(encode(approval)?);

    record
        .run(&mut *store.write().acquire().await?, update, String::new)
        .await
}

pub(super) async fn get(store: &Store, id: &ApprovalId) -> Result<Approval, Fault> {
    let row = sqlx::query("SELECT id, document FROM approvals WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    approval(&row.ok_or_else(|| Fault::not_found("approval request", &id.0))?)
}

pub(super) async fn list(
    store: &Store,
    wanted: &ApprovalFilter,
) -> Result<(Vec<Approval>, u64), Fault> {
    let mut filter = Filter::default();
    if let Some(recommendation) = &wanted.recommendation {
        filter.text("recommendation_id = ?", &recommendation.0);
    }

    match wanted.status {
        // Written out rather than bound: a condition with a value does not select the partial
        // index.
        Some(ApprovalStatus::Pending) => filter.fixed("status = 'pending'"),
        Some(status) => filter.text("status = ?", status.as_str()),
        None => {}
    }

    let page = filter.page(
        "SELECT id, document FROM approvals",
        " ORDER BY requested_at_ms DESC, id DESC",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    let found = rows
        .iter()
        .map(approval)
        .collect::<Result<Vec<_>, Fault>>()?;
    if wanted.limit == 0 && wanted.offset == 0 {
        let total = found.len() as u64;
        return Ok((found, total));
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM approvals", ""))
        .fetch_one(store.read())
        .await?;
    Ok((found, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

fn approval(row: &AnyRow) -> Result<Approval, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Approval>(row.try_get(1)?).map_err(unreadable("approval request", &id))
}
