//! Lease of the active server.

use anyhow::{Context as _, Result};
use reeve_store::Store;

use crate::place::{Place, on_both};

on_both!(
    one_server_holds_it => super::one_server_holds_it,
    of_many_at_once_one_takes_it => super::of_many_at_once_one_takes_it,
);

async fn one_server_holds_it(place: &Place) -> Result<()> {
    let store = place.open().await?;
    assert_eq!(store.lease().await?, None);
    assert_eq!(store.lease_take(None, "log/a", 3, "one").await?, Some(1));
    assert_eq!(store.lease_take(None, "log/a", 3, "two").await?, None, "taken in between");
    assert!(store.lease_renew(1, 8).await?);
    let seen = store.lease().await?.context("taken")?;
    assert_eq!((seen.log_origin.as_str(), seen.log_size, seen.epoch), ("log/a", 8, 1));
    assert_eq!((seen.instance.as_str(), seen.beat), ("one", 1));

    assert!(store.lease_renew(1, 9).await?);
    assert_eq!(store.lease_take(Some(&seen), "log/a", 9, "two").await?, None, "renewed since it was seen");
    let seen = store.lease().await?.context("taken")?;
    assert_eq!(store.lease_take(Some(&seen), "log/a", 9, "two").await?, Some(2));
    assert!(!store.lease_renew(1, 10).await?, "the server before renews nothing");
    assert!(!store.lease_release(1).await?, "and gives nothing back");
    assert_eq!(store.lease().await?.context("taken")?.log_size, 9);

    assert!(store.lease_release(2).await?);
    let seen = store.lease().await?.context("taken")?;
    assert_eq!((seen.instance.as_str(), seen.log_origin.as_str(), seen.epoch), ("", "log/a", 2));
    assert_eq!(store.lease_take(Some(&seen), "log/a", 9, "three").await?, Some(3));
    store.close().await;
    Ok(())
}

async fn of_many_at_once_one_takes_it(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let taking = |instance: usize| {
        let store: Store = store.clone();
        tokio::spawn(async move { store.lease_take(None, "log/a", 0, &instance.to_string()).await })
    };
    let mut epochs = Vec::new();
    for task in (0..8).map(taking).collect::<Vec<_>>() {
        epochs.extend(task.await??);
    }
    assert_eq!(epochs, [1]);
    store.close().await;
    Ok(())
}
