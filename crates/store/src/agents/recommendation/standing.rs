//! Recommendations whose saving stands, page by page, each with the action that applied it.

use std::collections::HashMap;

use jiff::Timestamp;
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::recommendation::totals::ActionFilter;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::agents::action;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::recommendation::recommendation;

/// The condition reads as that of the partial index `recommendations_standing_savings`.
const STANDING: &str =
    "SELECT id, document FROM recommendations WHERE status = 'succeeded' AND saving_ended_at_ms IS NULL
         AND (updated_at_ms < $1 OR (updated_at_ms = $2 AND id < $3))
     ORDER BY updated_at_ms DESC, id DESC LIMIT $4";

pub(in crate::agents) async fn standing_savings(
    store: &Store,
    before: Option<(Timestamp, RecommendationId)>,
    limit: u64,
) -> Result<Vec<(Recommendation, Option<Action>)>, Fault> {
    let (at, id) = before.map_or((i64::MAX, String::new()), |(at, id)| {
        (at.as_millisecond(), id.0)
    });
    let rows = sqlx::query(STANDING)
        .bind(at)
        .bind(at)
        .bind(id)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(store.read())
        .await?;

    let found = rows
        .iter()
        .map(recommendation)
        .collect::<Result<Vec<_>, Fault>>()?;
    if found.is_empty() {
        return Ok(Vec::new());
    }

    let wanted = ActionFilter {
        recommendations: found
            .iter()
            .map(|recommendation| recommendation.id.clone())
            .collect(),
        purpose: Some(Purpose::Apply),
        ..ActionFilter::default()
    };

    let mut newest: HashMap<RecommendationId, Action> = HashMap::new();
    // Newest first: the first of a recommendation stays.
    for action in action::page(store, &wanted).await?.0 {
        if action.status == ActionStatus::Succeeded {
            newest
                .entry(action.recommendation.clone())
                .or_insert(action);
        }
    }

    Ok(found
        .into_iter()
        .map(|recommendation| {
            let action = newest.remove(&recommendation.id);
            (recommendation, action)
        })
        .collect())
}
