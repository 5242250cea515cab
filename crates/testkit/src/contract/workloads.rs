//! Contract of every [`WorkloadStore`].

use anyhow::Result;
use reeve_estate::{ConnectionId, ResourceId, StoreError};
use reeve_recommend::agent::AgentId;
use reeve_recommend::judgement::workload::{
    Classification, Correction, Unclassified, Workload, WorkloadClass, WorkloadSignal,
    WorkloadStore,
};

fn workload(resource: &str, class: Option<WorkloadClass>) -> Result<Workload> {
    Ok(Workload {
        connection: ConnectionId("c-1".to_owned()),
        resource: ResourceId::new(resource),
        agent_id: AgentId("a-1".to_owned()),
        judged_at: "2026-11-20T10:00:00.000000001Z".parse()?,
        classification: Classification {
            class,
            unclassified: class.is_none().then(|| Unclassified {
                code: "thin_data".into(),
                detail: "2 days".into(),
            }),
            confidence: 81.3,
            probabilities: [0.1, 0.1, 0.7, 0.1],
            scores: [0.25, -1.5, 3.0, 0.0],
            signals: vec![WorkloadSignal {
                name: "tag role".into(),
                detail: "role=batch".into(),
                weights: [0.0, 0.0, 2.5, 0.0],
            }],
        },
    })
}

fn correction(resource: &str, class: WorkloadClass, at_ms: i64) -> Result<Correction> {
    Ok(Correction {
        connection: ConnectionId("c-1".to_owned()),
        resource: ResourceId::new(resource),
        class,
        comment: Some("it runs the settlement".to_owned()),
        by: "ann@example.com".to_owned(),
        at: jiff::Timestamp::from_millisecond(at_ms)?,
        tokens: vec!["team=risk".to_owned()],
        scores: [0.25, -1.5, 3.0, 0.0],
    })
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: &dyn WorkloadStore) -> Result<()> {
    let id = ResourceId::new;
    assert_eq!(store.workload_get(&id("i-1")).await?, None);

    let (batch, thin) = (
        workload("i-1", Some(WorkloadClass::Batch))?,
        workload("i-2", None)?,
    );
    store.workload_put(&[batch.clone(), thin.clone()]).await?;
    assert_eq!(store.workload_get(&id("i-2")).await?, Some(thin.clone()));

    let found = store
        .workload_of(&[id("i-1"), id("i-3"), id("i-2")])
        .await?;
    assert_eq!(found, [batch, thin], "those that were judged");

    let later = workload("i-1", Some(WorkloadClass::Production))?;
    store.workload_put(std::slice::from_ref(&later)).await?;
    assert_eq!(
        store.workload_get(&id("i-1")).await?,
        Some(later),
        "the last judgement counts"
    );

    let (late, early) = (
        correction("i-1", WorkloadClass::Batch, 9_000)?,
        correction("i-2", WorkloadClass::Analytics, 1_000)?,
    );
    store.correction_put(&late).await?;
    store.correction_put(&early).await?;
    assert_eq!(
        store.correction_list().await?,
        [early.clone(), late.clone()],
        "oldest first"
    );

    let changed = correction("i-2", WorkloadClass::Production, 10_000)?;
    store.correction_put(&changed).await?;
    assert_eq!(
        store.correction_list().await?,
        [late.clone(), changed],
        "one for each resource"
    );

    store
        .correction_delete(&late.connection, &late.resource)
        .await?;
    let again = store
        .correction_delete(&late.connection, &late.resource)
        .await;
    assert!(
        matches!(
            again,
            Err(StoreError::NotFound {
                what: "correction",
                ..
            })
        ),
        "{again:?}"
    );

    Ok(())
}
