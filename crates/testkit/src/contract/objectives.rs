//! Contract of every [`ObjectiveStore`].

use anyhow::Result;
use reeve_estate::{Metric, ResourceId, StoreError};
use reeve_recommend::objective::{
    Objective, ObjectiveId, ObjectiveStanding, ObjectiveStore, Service,
};

/// An objective of a load balancer: 200 ms for 99 % of the time over 28 days.
///
/// # Errors
/// The time of the sample is none.
pub fn objective(id: &str, name: &str) -> Result<Objective> {
    Ok(Objective {
        id: ObjectiveId(id.to_owned()),
        name: name.to_owned(),
        service: Service::Resource(ResourceId::new("lb")),
        metric: Metric::ResponseTime,
        target: 0.2,
        share_percent: 99.0,
        window_days: 28,
        created_at: "2026-11-20T10:00:00Z".parse()?,
        updated_at: "2026-11-20T10:00:00Z".parse()?,
        version: 1,
    })
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store broke the contract.
pub async fn run<S: ObjectiveStore>(store: &S) -> Result<()> {
    let (shop, api) = (objective("o-1", "shop")?, objective("o-2", "api")?);
    store.objective_insert(&shop, 2).await?;
    let same = store.objective_insert(&objective("o-3", "shop")?, 9).await;
    assert!(matches!(same, Err(StoreError::Conflict(_))), "{same:?}");
    store.objective_insert(&api, 2).await?;
    let full = store.objective_insert(&objective("o-3", "new")?, 2).await;
    assert!(matches!(full, Err(StoreError::Conflict(_))), "{full:?}");

    let standing = ObjectiveStanding {
        measured_at: "2026-11-20T10:05:00Z".parse()?,
        resources: 1,
        measured: 0,
        budget: None,
        burning_since: None,
        is_recorded: false,
    };
    store.objective_measured(&shop, &standing).await?;
    let all = store.objective_list().await?;
    assert_eq!(
        all,
        [(api.clone(), None), (shop.clone(), Some(standing.clone()))]
    );

    let tagged = Objective {
        service: Service::Tag {
            name: "team".to_owned(),
            value: "shop".to_owned(),
        },
        version: 2,
        ..shop.clone()
    };
    store.objective_update(&tagged).await?;
    let late = store.objective_update(&tagged).await;
    assert!(matches!(late, Err(StoreError::Conflict(_))), "{late:?}");
    // A standing of the former version is not one of the new.
    store.objective_measured(&shop, &standing).await?;
    assert_eq!(store.objective_list().await?[1], (tagged.clone(), None));
    assert_eq!(store.objective_get(&tagged.id).await?, tagged);

    store.objective_delete(&api.id).await?;
    let gone = store.objective_get(&api.id).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    let again = store.objective_delete(&api.id).await;
    assert!(
        matches!(again, Err(StoreError::NotFound { .. })),
        "{again:?}"
    );
    Ok(())
}
