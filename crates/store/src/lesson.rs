//! Lessons of anomalies: part of the port [`AnomalyStore`](reeve_anomalies::AnomalyStore).

use reeve_anomalies::Lesson;
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

/// Lessons that are read at most, the newest first.
const MOST: i64 = 5_000;

/// Adds a lesson, or replaces the one of its anomaly.
pub(crate) async fn put(store: &Store, lesson: &Lesson) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO anomaly_lessons (anomaly_id, at_ms, document) VALUES ($1, $2, $3)
         ON CONFLICT (anomaly_id) DO UPDATE SET at_ms = excluded.at_ms, document = excluded.document",
    )
    .bind(&lesson.anomaly.0)
    .bind(lesson.at.as_millisecond())
    .bind(encode(lesson)?)
    .execute(store.write())
    .await?;
    Ok(())
}

/// Reads the lessons, the newest first.
pub(crate) async fn list(store: &Store) -> Result<Vec<Lesson>, Fault> {
    let rows = sqlx::query(
        "SELECT anomaly_id, document FROM anomaly_lessons ORDER BY at_ms DESC, anomaly_id LIMIT $1",
    )
    .bind(MOST)
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            decode::<Lesson>(row.try_get(1)?).map_err(unreadable("lesson", &id))
        })
        .collect()
}
