//! Feedback of people.

use reeve_recommend::recommendation::{Feedback, RecommendationId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable};

pub(super) async fn insert(store: &Store, feedback: &Feedback) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO feedback (id, recommendation_id, at_ms, document) VALUES ($1, $2, $3, $4)",
    )
    .bind(&feedback.id)
    .bind(&feedback.recommendation.0)
    .bind(feedback.at.as_millisecond())
    .bind(encode(feedback)?)
    .execute(store.write())
    .await
    .map_err(|error| {
        Fault::or_taken(error, || {
            format!("the feedback {} exists already", feedback.id)
        })
    })?;
    Ok(())
}

pub(super) async fn list(
    store: &Store,
    recommendation: Option<&RecommendationId>,
) -> Result<Vec<Feedback>, Fault> {
    let mut filter = Filter::default();
    if let Some(recommendation) = recommendation {
        filter.text("recommendation_id = ?", &recommendation.0);
    }

    let sql = filter.sql("SELECT id, document FROM feedback", " ORDER BY at_ms, id");
    filter
        .query(sql)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(feedback)
        .collect()
}

fn feedback(row: &AnyRow) -> Result<Feedback, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Feedback>(row.try_get(1)?).map_err(unreadable("feedback", &id))
}
