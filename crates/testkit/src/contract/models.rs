//! Contract of every [`ModelStore`].

use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_recommend::agent::AgentId;
use reeve_recommend::models::{
    Model, ModelFilter, ModelId, ModelStatus, ModelStore, ModelType, RetrainCause, TrustNote,
};
use reeve_recommend::recommendation::RecommendationId;

/// A model with something in every field.
///
/// # Errors
/// None in practice: the times are constants.
pub fn model(id: &str, agent: &str, version: u32, status: ModelStatus) -> Result<Model> {
    Ok(Model {
        id: ModelId(id.into()),
        agent_id: AgentId(agent.into()),
        name: "confidence".into(),
        kind: ModelType::Recommendation,
        version,
        status,
        training_span_days: 41.5,
        samples: 1234,
        held_out: 321,
        accuracy: 0.91,
        precision: 0.93,
        recall: 0.97,
        f1: 0.949,
        threshold: 0.7,
        cause: RetrainCause::Drift,
        note: "the newest data lies 0.31 from the training's; \"é\"".into(),
        configuration: "ab12".into(),
        reference: vec![0.5, 1.25, 99.0],
        drift: Some(0.31),
        trained_at: Timestamp::from_millisecond(1_700_000_000_123)?,
        updated_at: Timestamp::from_millisecond(1_700_000_000_456)?,
        tried_at: Some(Timestamp::from_millisecond(1_700_000_000_789)?),
        requested_by: Some("ann@example.com".into()),
        revision: 1,
    })
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn ModelStore>) -> Result<()> {
    there_and_back(&*store).await?;
    one_serves(&*store).await?;
    lists(&*store).await?;
    notes(&*store).await?;
    races(store).await
}

fn is_conflict(result: &Result<(), StoreError>) -> bool {
    matches!(result, Err(StoreError::Conflict(_)))
}

async fn there_and_back(store: &dyn ModelStore) -> Result<()> {
    let first = model("m-1", "a-1", 1, ModelStatus::Candidate)?;
    store.model_insert(&first, "{\"learned\": \"é\"}").await?;
    assert_eq!(store.model_get(&first.id).await?, first);
    assert_eq!(store.model_state(&first.id).await?, "{\"learned\": \"é\"}");

    let again = store
        .model_insert(&model("m-2", "a-1", 1, ModelStatus::Candidate)?, "")
        .await;
    assert!(is_conflict(&again), "a version number is taken: {again:?}");
    assert!(
        matches!(
            store.model_state(&ModelId("m-2".into())).await,
            Err(StoreError::NotFound { .. })
        ),
        "neither half"
    );

    let changed = Model {
        accuracy: 0.5,
        drift: None,
        tried_at: None,
        requested_by: None,
        revision: 2,
        ..first.clone()
    };
    store.model_update(&changed).await?;

    assert_eq!(store.model_get(&first.id).await?, changed);
    assert!(
        is_conflict(&store.model_update(&changed).await),
        "a stale revision"
    );

    let missing = Model {
        id: ModelId("m-9".into()),
        ..changed
    };
    assert!(matches!(
        store.model_update(&missing).await,
        Err(StoreError::NotFound { .. })
    ));
    Ok(())
}

async fn one_serves(store: &dyn ModelStore) -> Result<()> {
    let at = Timestamp::from_millisecond(1_700_000_100_000)?;
    let (first, second) = (ModelId("m-1".into()), ModelId("m-2".into()));
    store.model_promote(&first, None, at).await?;
    let serving = store.model_get(&first).await?;
    assert_eq!(
        (serving.status, serving.updated_at, serving.revision),
        (ModelStatus::Serving, at, 3)
    );
    assert!(
        is_conflict(&store.model_promote(&first, None, at).await),
        "no candidate any more"
    );
    store
        .model_insert(&model("m-2", "a-1", 2, ModelStatus::Candidate)?, "two")
        .await?;
    assert!(
        is_conflict(&store.model_promote(&second, None, at).await),
        "another one serves"
    );

    let other = model("m-3", "a-2", 1, ModelStatus::Serving)?;
    store.model_insert(&other, "three").await?;
    assert!(
        is_conflict(&store.model_promote(&second, Some(&other.id), at).await),
        "it serves elsewhere"
    );
    assert_eq!(
        store.model_get(&other.id).await?.status,
        ModelStatus::Serving,
        "both or neither"
    );

    let second_serving = model("m-4", "a-2", 2, ModelStatus::Serving)?;
    assert!(
        is_conflict(&store.model_insert(&second_serving, "").await),
        "two never serve"
    );
    store.model_promote(&second, Some(&first), at).await?;
    assert_eq!(store.model_get(&first).await?.status, ModelStatus::Retired);
    assert_eq!(store.model_get(&second).await?.status, ModelStatus::Serving);
    assert!(
        is_conflict(&store.model_delete(&second).await),
        "what serves stays"
    );
    store.model_delete(&first).await?;
    assert!(
        matches!(
            store.model_state(&first).await,
            Err(StoreError::NotFound { .. })
        ),
        "its state is gone too"
    );

    assert!(matches!(
        store.model_delete(&first).await,
        Err(StoreError::NotFound { .. })
    ));
    Ok(())
}

async fn lists(store: &dyn ModelStore) -> Result<()> {
    for version in 3..=5 {
        store
            .model_insert(
                &model(
                    &format!("n-{version}"),
                    "a-1",
                    version,
                    ModelStatus::Retired,
                )?,
                "",
            )
            .await?;
    }

    let ids = |found: (Vec<Model>, u64)| {
        (
            found.0.into_iter().map(|m| m.id.0).collect::<Vec<_>>(),
            found.1,
        )
    };

    let of_agent = |agent: &str| ModelFilter {
        agent: Some(AgentId(agent.into())),
        ..ModelFilter::default()
    };
    let all = ids(store.model_list(&of_agent("a-1")).await?);

    assert_eq!(
        all,
        (
            vec!["n-5".to_owned(), "n-4".into(), "n-3".into(), "m-2".into()],
            4
        )
    );

    let page = ModelFilter {
        limit: 2,
        offset: 1,
        ..of_agent("a-1")
    };

    assert_eq!(
        ids(store.model_list(&page).await?),
        (vec!["n-4".to_owned(), "n-3".into()], 4)
    );

    let serving = ModelFilter {
        status: Some(ModelStatus::Serving),
        ..ModelFilter::default()
    };
    assert_eq!(
        ids(store.model_list(&serving).await?),
        (vec!["m-2".to_owned(), "m-3".into()], 2)
    );

    let none = ModelFilter {
        kind: Some(ModelType::Forecast),
        ..ModelFilter::default()
    };
    assert_eq!(store.model_list(&none).await?.1, 0);

    let named = ModelFilter {
        name: Some("confidence".into()),
        ..of_agent("a-2")
    };
    assert_eq!(store.model_list(&named).await?.1, 1);
    Ok(())
}

async fn notes(store: &dyn ModelStore) -> Result<()> {
    let note = |id: &str, at: i64| -> Result<TrustNote> {
        Ok(TrustNote {
            recommendation: RecommendationId(id.into()),
            group: "cost_optimizer/right_size".into(),
            at: Timestamp::from_millisecond(at)?,
            raw: 0.96,
            features: vec![0.25, -1.5],
        })
    };

    for (id, at) in [("r-1", 1_000), ("r-2", 3_000), ("r-3", 2_000)] {
        store.trust_note_insert(&note(id, at)?).await?;
    }

    store.trust_note_insert(&note("r-1", 9_000)?).await?;
    assert_eq!(
        store.trust_note_list(2).await?,
        [note("r-2", 3_000)?, note("r-3", 2_000)?]
    );
    assert_eq!(
        store.trust_note_list(10).await?.last(),
        Some(&note("r-1", 1_000)?),
        "the first note stays"
    );

    Ok(())
}

/// Only one of several candidates for the same place gets it.
async fn races(store: Arc<dyn ModelStore>) -> Result<()> {
    let serving = ModelId("m-2".into());
    let at = Timestamp::from_millisecond(1_700_000_200_000)?;
    let mut tries = Vec::new();

    for version in 6..10 {
        let candidate = model(
            &format!("c-{version}"),
            "a-1",
            version,
            ModelStatus::Candidate,
        )?;
        store.model_insert(&candidate, "").await?;
        let (store, serving) = (store.clone(), serving.clone());
        tries.push(tokio::spawn(async move {
            store.model_promote(&candidate.id, Some(&serving), at).await
        }));
    }

    let mut won = 0;
    for one in tries {
        won += u32::from(one.await?.is_ok());
    }

    assert_eq!(won, 1);

    let filter = ModelFilter {
        agent: Some(AgentId("a-1".into())),
        status: Some(ModelStatus::Serving),
        ..ModelFilter::default()
    };
    assert_eq!(store.model_list(&filter).await?.1, 1);
    Ok(())
}
