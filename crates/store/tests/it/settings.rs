//! Settings and leases.

use anyhow::Result;
use reeve_store::Store;

use crate::place::{Place, on_both};

on_both!(
    settings_there_and_back => super::settings_there_and_back,
    leases_one_at_a_time => super::leases_one_at_a_time,
);

async fn settings_there_and_back(place: &Place) -> Result<()> {
    let store = place.open().await?;
    assert_eq!(store.setting_get("retention").await?, None);
    let value: serde_json::Value = serde_json::from_str(r#"{"days":[1,2.5,null],"text":"nul \u0000 \ud83e\udd80"}"#)?;
    store.setting_put("retention", &value).await?;
    store.setting_put("alpha", &false.into()).await?;
    assert_eq!(store.setting_get("retention").await?, Some(value.clone()));
    store.setting_put("retention", &serde_json::Value::Null).await?;
    assert_eq!(store.setting_get("retention").await?, Some(serde_json::Value::Null));
    assert_eq!(store.setting_get("alpha").await?, Some(false.into()));
    store.close().await;
    Ok(())
}

async fn leases_one_at_a_time(place: &Place) -> Result<()> {
    let store = place.open().await?;
    assert!(store.lease_try_at("sync", "one", 1_000, 10_000).await?);
    assert!(!store.lease_try_at("sync", "two", 1_000, 10_999).await?, "held");
    assert!(store.lease_try_at("sync", "one", 1_000, 10_500).await?, "prolonged by its owner");
    assert!(!store.lease_try_at("sync", "two", 1_000, 11_000).await?, "prolonged it is held longer");
    assert!(store.lease_try_at("sync", "two", 1_000, 11_500).await?, "lapsed");
    assert!(!store.lease_try_at("sync", "one", 1_000, 11_600).await?);
    assert!(store.lease_try_at("other", "one", 1_000, 11_600).await?, "each name by itself");
    assert!(!store.lease_release("sync", "one").await?, "only its owner gives it back");
    assert!(store.lease_release("sync", "two").await?);
    assert!(store.lease_try_at("sync", "one", 1_000, 11_700).await?);
    assert!(store.lease_try("now", "one", 60_000).await? && !store.lease_try("now", "two", 60_000).await?);

    let asking = |owner: usize| {
        let store: Store = store.clone();
        tokio::spawn(async move { store.lease_try_at("race", &owner.to_string(), 1_000, 1).await })
    };
    let mut held = 0;
    for task in (0..8).map(asking).collect::<Vec<_>>() {
        held += usize::from(task.await??);
    }
    assert_eq!(held, 1, "of many at once one holds it");
    store.close().await;
    Ok(())
}
