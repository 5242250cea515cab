//! Training over a whole scope, part by part. A trainer that learns each resource by itself gives
//! the same state from parts as from the whole, so that no more than one part of the samples is
//! held.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_recommend::error::EngineError;
use reeve_recommend::models::{
    JoinStates, MAX_STATE_BYTES, ModelEvaluation, NotTrained, Trained, Trainer,
};

use crate::models::material_parts::MaterialParts;
use crate::models::verdict::{ModelAttempt, attempt};

/// Trains a version on every part of a scope and judges it beside the serving one.
pub(super) async fn attempt_in_parts(
    trainer: &Arc<dyn Trainer>,
    join: JoinStates,
    parts: &mut dyn MaterialParts,
    cut: Timestamp,
    serving: Option<String>,
) -> Result<Result<ModelAttempt, NotTrained>, EngineError> {
    let serving = serving.map(Arc::new);
    let (mut tried, mut bytes, mut refused) = (Vec::new(), 0, None);

    while let Some(part) = parts.next().await? {
        let (trainer, serving) = (trainer.clone(), serving.clone());
        let of_part = move || {
            attempt(
                trainer.as_ref(),
                &part,
                cut,
                serving.as_ref().map(|state| state.as_str()),
            )
        };
        let found = tokio::task::spawn_blocking(of_part).await;
        match found.map_err(|error| EngineError::Store(format!("training stopped: {error}")))? {
            // A judgement treats a resource beyond the largest state as one that was not learned.
            Ok(found) if bytes + found.trained.state.len() > MAX_STATE_BYTES => {
                tracing::warn!(
                    bytes,
                    "the model is full; further resources are not learned"
                );
                break;
            }
            Ok(found) => {
                bytes += found.trained.state.len();
                tried.push(found);
            }
            // Machines of a part may all be too new to be learned.
            Err(reason) => refused = Some(reason),
        }
    }

    let nothing =
        || refused.unwrap_or_else(|| NotTrained("the scope has no resource to learn".to_owned()));
    Ok(joined(join, tried).and_then(|found| found.ok_or_else(nothing)))
}

/// Joins what was learned from the parts; `None` without any.
fn joined(join: JoinStates, parts: Vec<ModelAttempt>) -> Result<Option<ModelAttempt>, NotTrained> {
    let own: Vec<ModelEvaluation> = parts.iter().map(|part| part.own).collect();
    let Some(own) = ModelEvaluation::join(&own) else {
        return Ok(None);
    };

    let other: Vec<ModelEvaluation> = parts.iter().filter_map(|part| part.other).collect();
    let states: Vec<String> = parts
        .iter()
        .map(|part| part.trained.state.clone())
        .collect();
    let trained = Trained {
        state: join(&states)?,
        span_days: parts
            .iter()
            .map(|part| part.trained.span_days)
            .fold(0.0, f64::max),
        samples: parts.iter().map(|part| part.trained.samples).sum(),
    };

    let figures = parts.into_iter().flat_map(|part| part.figures).collect();
    Ok(Some(ModelAttempt {
        trained,
        own,
        other: ModelEvaluation::join(&other),
        figures,
    }))
}
