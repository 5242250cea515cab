//! Settings.

use anyhow::Result;

use crate::place::{Place, on_both};

on_both!(
    settings_there_and_back => super::settings_there_and_back,
);

async fn settings_there_and_back(place: &Place) -> Result<()> {
    let store = place.open().await?;
    assert_eq!(store.setting_get("retention").await?, None);

    let value: serde_json::Value =
        serde_json::from_str(r#"{"days":[1,2.5,null],"text":"nul \u0000 \ud83e\udd80"}"#)?;
    store.setting_put("retention", &value).await?;
    store.setting_put("alpha", &false.into()).await?;
    assert_eq!(store.setting_get("retention").await?, Some(value.clone()));
    store
        .setting_put("retention", &serde_json::Value::Null)
        .await?;
    assert_eq!(
        store.setting_get("retention").await?,
        Some(serde_json::Value::Null)
    );
    assert_eq!(store.setting_get("alpha").await?, Some(false.into()));
    store.close().await;

    Ok(())
}
