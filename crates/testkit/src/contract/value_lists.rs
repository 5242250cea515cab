//! Contract of every [`ValueListStore`].

use std::sync::Arc;

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use reeve_access::{
    AccessError, ListError, MAX_VALUE_LISTS, ValueList, ValueListStore, with_lists,
};
use reeve_alerts::AlertStore;
use reeve_anomalies::threat::{ThreatList, ThreatStore};
use reeve_audit::query::{Query, ValueList as Values};

/// A store of lists and of what compares with them.
pub trait Lists: ValueListStore + AlertStore + ThreatStore {}
impl<T: ValueListStore + AlertStore + ThreatStore> Lists for T {}

fn list(name: &str, version: u64, values: &[&str]) -> ValueList {
    ValueList {
        name: name.into(),
        description: "Offices; é".into(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        version,
        updated_at_ms: 1_700_000_000_123,
        updated_by: "ann@acme.example".into(),
    }
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn Lists>) -> Result<()> {
    let generation = store.alert_rule_generation().await?;
    assert!(matches!(
        store.value_list_get("known").await,
        Err(AccessError::NotFound { .. })
    ));
    assert!(matches!(
        store.value_list_delete("known").await,
        Err(AccessError::NotFound { .. })
    ));

    let known = list("known", 1, &["10.0.0.0/8", "alice"]);
    store.value_list_put(&known).await?;
    assert_eq!(store.value_list_get("known").await?, known);
    assert!(
        store.alert_rule_generation().await? > generation,
        "rules must be read anew"
    );

    // A version is replaced once.
    for version in [1, 3] {
        let refused = store.value_list_put(&list("known", version, &[])).await;
        assert!(
            matches!(refused, Err(AccessError::Conflict(_))),
            "version {version}: {refused:?}"
        );
    }

    let changed = list("known", 2, &["bob"]);
    store.value_list_put(&changed).await?;
    let other = list("a", 1, &[]);
    store.value_list_put(&other).await?;
    assert_eq!(store.value_list_all().await?, [other, changed]);

    queries(store.as_ref()).await?;

    store.value_list_delete("known").await?;
    for number in 1..MAX_VALUE_LISTS {
        store
            .value_list_put(&list(&format!("l{number}"), 1, &[]))
            .await?;
    }

    assert!(matches!(
        store.value_list_put(&list("more", 1, &[])).await,
        Err(AccessError::Conflict(_))
    ));
    Ok(())
}

/// A query gets the values of lists and of threat lists, and is refused where there is none.
async fn queries(store: &dyn Lists) -> Result<()> {
    let feed = ThreatList {
        name: "feed".into(),
        from_file: false,
        updated_at: Timestamp::UNIX_EPOCH,
        by: "ann".into(),
        text: "198.51.100.0/24,scanners\nuser_agent:sqlmap\n203.0.113.7".into(),
        indicators: 3,
    };

    let generation = store.alert_rule_generation().await?;
    store.threat_list_put(&feed).await?;
    assert!(
        store.alert_rule_generation().await? > generation,
        "rules must be read anew"
    );

    let threats = values_of(store, "threat:feed").await?;
    for (value, expect) in [
        ("198.51.100.9", true),
        ("203.0.113.7", true),
        ("sqlmap", false),
        ("10.0.0.1", false),
    ] {
        assert_eq!(threats.contains(value), expect, "{value}");
    }

    let values = values_of(store, "known").await?;
    assert!(values.contains("BOB") && !values.contains("alice"));

    let query = Query::parse("user:@known OR ip:@threat:feed").context("the query is sound")?;
    assert_eq!(store_bound(store, &query).await?, query.to_string());

    for unknown in ["user:@nobody", "ip:@threat:nobody"] {
        let query = Query::parse(unknown).context("the query is sound")?;
        let refused = store_bound(store, &query).await;
        assert!(matches!(refused, Err(ListError::Unknown(_))), "{unknown}");
    }

    Ok(())
}

async fn values_of(store: &dyn Lists, name: &str) -> Result<Values> {
    let values = store.named_values(name).await?;
    Ok(Values::new(values.iter().map(String::as_str)))
}

async fn store_bound(store: &dyn Lists, query: &Query) -> Result<String, ListError> {
    with_lists(store, query)
        .await
        .map(|query| query.to_string())
}
