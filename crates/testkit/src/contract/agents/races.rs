//! Many at once: of those who read the same, one wins.

use std::sync::Arc;

use anyhow::Result;
use reeve_estate::{ResourceId, StoreError};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::{AgentStore, RecommendationFilter};
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use super::samples::recommendation;

/// Returns the number of successful writers among several that read the same version; all others
/// must get a conflict.
async fn winners<F, T>(writers: impl Iterator<Item = F>) -> Result<usize>
where
    F: Future<Output = Result<T, StoreError>> + Send + 'static,
    T: Send + 'static,
{
    let tasks: Vec<_> = writers.map(tokio::spawn).collect();
    let mut won = 0;

    for task in tasks {
        match task.await? {
            Ok(_) => won += 1,
            Err(StoreError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }

    Ok(won)
}

pub(super) async fn one_claim_wins(store: Arc<dyn AgentStore>) -> Result<()> {
    let mut current = recommendation("race-1", "i-race-1")?;
    store.recommendation_insert(&current).await?;

    for round in 0..10 {
        let claims = (0..4).map(|claimer| {
            let (store, status) = (
                store.clone(),
                if round % 2 == 0 {
                    Status::Executing
                } else {
                    Status::Approved
                },
            );
            let by = Some(format!("claimer {claimer}"));
            let claim = Recommendation {
                status,
                requested_by: by,
                version: current.version + 1,
                ..current.clone()
            };
            async move { store.recommendation_update(&claim).await }
        });
        assert_eq!(winners(claims).await?, 1, "round {round}");
        let stored = store.recommendation_get(&current.id).await?;
        assert_eq!(stored.version, current.version + 1);
        current = stored;
    }

    Ok(())
}

pub(super) async fn one_open_recommendation_wins(store: Arc<dyn AgentStore>) -> Result<()> {
    let made: Vec<_> = (0..6)
        .map(|index| recommendation(&format!("race-open-{index}"), "i-race-2"))
        .collect::<Result<_>>()?;
    let inserts = made.into_iter().map(|made| {
        let store = store.clone();
        async move { store.recommendation_insert(&made).await }
    });
    assert_eq!(winners(inserts).await?, 1);

    let filter = RecommendationFilter {
        resource: Some(ResourceId::new("i-race-2").0),
        ..RecommendationFilter::default()
    };
    assert_eq!(store.recommendation_list(&filter).await?.1, 1);
    Ok(())
}

pub(super) async fn one_guardrail_change_wins(store: Arc<dyn AgentStore>) -> Result<()> {
    let current = store.guardrails_get().await?;
    let puts = (0..6).map(|index| {
        let (store, max_actions_per_day) = (store.clone(), index);
        let put = Guardrails {
            max_actions_per_day,
            version: current.version + 1,
            ..current.clone()
        };
        async move { store.guardrails_put(&put).await }
    });
    assert_eq!(winners(puts).await?, 1);

    Ok(())
}
