//! Contract of every [`PriceFileStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::{PriceFileStore, PriceKind, Provider, StoreError, StoredPriceFile};

/// A stored file with something in every field.
///
/// # Errors
/// None.
pub fn file(kind: PriceKind, text: &str) -> Result<StoredPriceFile> {
    Ok(StoredPriceFile {
        provider: Provider::Aws,
        kind,
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        bytes: 7,
        imported_at: Timestamp::from_second(1_800_000_000)?,
        imported_by: "admin@acme.example".to_owned(),
        text: text.to_owned(),
    })
}

/// Runs the contract over an empty store.
///
/// # Errors
/// The store failed.
///
/// # Panics
/// The store breaks the contract.
pub async fn run(store: &dyn PriceFileStore) -> Result<()> {
    assert_eq!(store.price_file_list().await?, []);

    let (units, machines) = (
        file(PriceKind::Units, "a,\u{e9}\n")?,
        file(PriceKind::Machines, &"m,1\n".repeat(100_000))?,
    );
    store.price_file_put(&units).await?;
    store.price_file_put(&machines).await?;
    assert_eq!(
        store.price_file_list().await?,
        [machines.clone(), units.clone()]
    );

    let newer = StoredPriceFile {
        bytes: 8,
        text: "b\n".to_owned(),
        ..machines
    };
    store.price_file_put(&newer).await?;
    assert_eq!(
        store.price_file_list().await?,
        [newer, units.clone()],
        "one of each provider and kind"
    );

    store
        .price_file_delete(Provider::Aws, PriceKind::Machines)
        .await?;
    let gone = store
        .price_file_delete(Provider::Aws, PriceKind::Machines)
        .await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    assert_eq!(store.price_file_list().await?, [units]);

    Ok(())
}
