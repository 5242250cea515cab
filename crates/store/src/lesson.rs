//! Lessons of anomalies: part of the port [`AnomalyStore`](reeve_anomalies::AnomalyStore).

use reeve_anomalies::{AnomalyClass, AnomalyId, Direction, Lesson, LessonKind, ThresholdKey};
use reeve_estate::{Metric, finite};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{RowError, decode, encode, named, time, unreadable};

/// Lessons that are read at most, the newest first.
const MOST: i64 = 5_000;

/// A lesson, whole.
#[derive(Debug, Serialize, Deserialize)]
struct LessonRow {
    anomaly: String,
    class: String,
    metric: Option<String>,
    direction: String,
    place: String,
    kind: String,
    #[serde(serialize_with = "finite")]
    excess: f64,
    started_at: String,
    at: String,
    by: String,
    /// Time and person of the withdrawal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    withdrawn: Option<(String, String)>,
}

impl From<&Lesson> for LessonRow {
    fn from(lesson: &Lesson) -> Self {
        LessonRow {
            anomaly: lesson.anomaly.0.clone(),
            class: lesson.key.class.as_str().to_owned(),
            metric: lesson.key.metric.map(|metric| metric.as_str().to_owned()),
            direction: lesson.key.direction.as_str().to_owned(),
            place: lesson.key.place.clone(),
            kind: lesson.kind.as_str().to_owned(),
            excess: lesson.excess,
            started_at: lesson.started_at.to_string(),
            at: lesson.at.to_string(),
            by: lesson.by.clone(),
            withdrawn: lesson
                .withdrawn
                .as_ref()
                .map(|(at, by)| (at.to_string(), by.clone())),
        }
    }
}

impl LessonRow {
    fn into_lesson(self) -> Result<Lesson, RowError> {
        Ok(Lesson {
            anomaly: AnomalyId(self.anomaly),
            key: ThresholdKey {
                class: named("class", &self.class, AnomalyClass::parse)?,
                metric: self
                    .metric
                    .map(|text| named("metric", &text, Metric::parse))
                    .transpose()?,
                direction: named("direction", &self.direction, Direction::parse)?,
                place: self.place,
            },
            kind: named("kind", &self.kind, LessonKind::parse)?,
            excess: self.excess,
            started_at: time(&self.started_at)?,
            at: time(&self.at)?,
            by: self.by,
            withdrawn: self
                .withdrawn
                .map(|(at, by)| Ok::<_, RowError>((time(&at)?, by)))
                .transpose()?,
        })
    }
}

/// Adds a lesson, or replaces the one of its anomaly.
pub(crate) async fn put(store: &Store, lesson: &Lesson) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO anomaly_lessons (anomaly_id, at_ms, document) VALUES ($1, $2, $3)
         ON CONFLICT (anomaly_id) DO UPDATE SET at_ms = excluded.at_ms, document = excluded.document",
    )
    .bind(&lesson.anomaly.0)
    .bind(lesson.at.as_millisecond())
    .bind(encode(&LessonRow::from(lesson))?)
    .execute(store.write())
    .await?;
    Ok(())
}

/// Lessons, newest first.
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
            decode::<LessonRow>(row.try_get(1)?)
                .and_then(LessonRow::into_lesson)
                .map_err(unreadable("lesson", &id))
        })
        .collect()
}
