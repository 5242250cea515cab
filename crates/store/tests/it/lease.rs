//! Lease of the active server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use reeve_store::{LogHead, Store};
use serde_json::json;

use crate::place::{Place, on_both};

on_both!(
    one_server_holds_it => super::one_server_holds_it,
    of_many_at_once_one_takes_it => super::of_many_at_once_one_takes_it,
    a_shut_gate_refuses_writes => super::a_shut_gate_refuses_writes,
);

/// Head of a log, told by its size.
fn head(size: u64) -> LogHead {
    LogHead {
        size,
        root: format!("root of {size}"),
    }
}

async fn one_server_holds_it(place: &Place) -> Result<()> {
    let store = place.open().await?;
    assert_eq!(store.lease().await?, None);
    assert_eq!(store.lease_take(None, "log/a", "one").await?, Some(1));
    assert_eq!(
        store.lease_take(None, "log/a", "two").await?,
        None,
        "taken in between"
    );
    assert!(store.lease_renew(1, Some(&head(8))).await?);

    let seen = store.lease().await?.context("taken")?;
    assert_eq!(
        (seen.log_origin.as_str(), &seen.log, seen.epoch),
        ("log/a", &head(8), 1)
    );
    assert_eq!((seen.instance.as_str(), seen.beat), ("one", 1));

    assert!(store.lease_renew(1, Some(&head(9))).await?);
    assert_eq!(
        store.lease_take(Some(&seen), "log/a", "two").await?,
        None,
        "renewed since it was seen"
    );

    let seen = store.lease().await?.context("taken")?;
    assert_eq!(
        store.lease_take(Some(&seen), "log/a", "two").await?,
        Some(2)
    );
    assert!(
        !store.lease_renew(1, Some(&head(10))).await?,
        "the server before renews nothing"
    );
    assert!(!store.lease_release(1).await?, "and gives nothing back");
    assert_eq!(
        store.lease().await?.context("taken")?.log,
        head(9),
        "a takeover leaves it"
    );

    assert!(store.lease_release(2).await?);

    let seen = store.lease().await?.context("taken")?;
    assert_eq!(
        (seen.instance.as_str(), seen.log_origin.as_str(), seen.epoch),
        ("", "log/a", 2)
    );
    assert!(store.lease_renew(2, None).await?, "before the log is open");

    let seen = store.lease().await?.context("taken")?;
    assert_eq!((&seen.log, seen.beat), (&head(9), 1));
    assert_eq!(
        store.lease_take(Some(&seen), "log/a", "three").await?,
        Some(3)
    );
    store.close().await;

    Ok(())
}

async fn of_many_at_once_one_takes_it(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let taking = |instance: usize| {
        let store: Store = store.clone();
        tokio::spawn(async move { store.lease_take(None, "log/a", &instance.to_string()).await })
    };

    let mut epochs = Vec::new();
    for task in (0..8).map(taking).collect::<Vec<_>>() {
        epochs.extend(task.await??);
    }

    assert_eq!(epochs, [1]);
    store.close().await;
    Ok(())
}

async fn a_shut_gate_refuses_writes(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let open = Arc::new(AtomicBool::new(true));
    let gate = open.clone();
    store.write_if(move || gate.load(Ordering::SeqCst));
    store.setting_put("name", &json!("before")).await?;
    open.store(false, Ordering::SeqCst);
    assert!(store.setting_put("name", &json!("after")).await.is_err());
    assert_eq!(
        store.setting_get("name").await?,
        Some(json!("before")),
        "reading goes on"
    );

    assert_eq!(
        store.lease_take(None, "log/a", "one").await?,
        Some(1),
        "the lease is what opens it again"
    );
    open.store(true, Ordering::SeqCst);
    store.setting_put("name", &json!("after")).await?;
    store.close().await;

    Ok(())
}
