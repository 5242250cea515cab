//! Storage of the reviews of exceptions.

use reeve_reports::{ReportId, Review};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};

type Result<T> = std::result::Result<T, Fault>;

pub(super) async fn insert(store: &Store, review: &Review) -> Result<()> {
    sqlx::query("INSERT INTO report_reviews (id, report_id, created_at_ms, document) VALUES ($1, $2, $3, $4)")
        .bind(&review.id)
        .bind(&review.report.0)
        .bind(review.created_at.as_millisecond())
        .bind(encode(review)?)
        .execute(store.write())
        .await?;
    Ok(())
}

pub(super) async fn list(store: &Store, report: &ReportId, limit: u64) -> Result<Vec<Review>> {
    let rows = sqlx::query(
        "SELECT id, document FROM report_reviews WHERE report_id = $1 ORDER BY created_at_ms DESC, id DESC LIMIT $2",
    )
    .bind(&report.0)
    .bind(version(limit))
    .fetch_all(store.read())
    .await?;
    rows.iter().map(read).collect()
}

fn read(row: &AnyRow) -> Result<Review> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("review", &id))
}
