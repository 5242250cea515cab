//! Contract of every [`BillSourceStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, StoreError};
use reeve_sources::{BillSource, BillSourceId, BillSourceStore, BillSync};

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A source with something in every field.
///
/// # Errors
/// None.
pub fn source(id: &str, name: &str) -> Result<BillSource> {
    Ok(BillSource {
        id: BillSourceId(id.to_owned()),
        name: name.to_owned(),
        connection: ConnectionId("c-1".to_owned()),
        bucket: "acme-bills".to_owned(),
        prefix: "exports/\"focus\"/".to_owned(),
        region: "eu-west-1".to_owned(),
        enabled: true,
        created_at: at(0)?,
        updated_at: at(1)?,
        version: 1,
    })
}

/// Runs the contract over an empty store.
///
/// # Errors
/// The store failed.
///
/// # Panics
/// The store breaks the contract.
pub async fn run(store: &dyn BillSourceStore) -> Result<()> {
    let first = source("b-1", "one")?;
    let second = BillSource {
        created_at: at(5)?,
        enabled: false,
        ..source("b-2", "two")?
    };
    store.bill_source_insert(&first).await?;
    store.bill_source_insert(&second).await?;
    assert_eq!(
        store.bill_source_list().await?,
        [(first.clone(), None), (second.clone(), None)]
    );

    let taken = store.bill_source_insert(&source("b-3", "one")?).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");

    let sync = BillSync {
        started_at: at(10)?,
        finished_at: at(11)?,
        bills: 3,
        read: 2,
        dropped: 1,
        bytes: 1 << 40,
        newest_at: Some(at(9)?),
        denied: true,
        problems: vec!["denied".to_owned()],
    };
    store.bill_source_sync_put(&first.id, &sync).await?;

    let renamed = BillSource {
        name: "renamed".to_owned(),
        version: 2,
        ..first.clone()
    };
    store.bill_source_update(&renamed).await?;
    assert_eq!(
        store.bill_source_get(&first.id).await?,
        (renamed.clone(), Some(sync.clone())),
        "the sync stays"
    );

    let late = store
        .bill_source_update(&BillSource {
            version: 2,
            ..first
        })
        .await;
    assert!(matches!(late, Err(StoreError::Conflict(_))), "{late:?}");

    store.bill_source_delete(&renamed.id).await?;
    store.bill_source_sync_put(&renamed.id, &sync).await?;
    let gone = store.bill_source_get(&renamed.id).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    assert_eq!(store.bill_source_list().await?.len(), 1);

    Ok(())
}
