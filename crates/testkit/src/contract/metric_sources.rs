//! Contract of every [`MetricSourceStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_access::TokenHash;
use reeve_estate::StoreError;
use reeve_sources::{
    MetricSource, MetricSourceId, MetricSourceStore, QueryCredentials, RuleDraft, SourceKind,
    SourceSync, SyncState, read_rules, ready_mappings,
};

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A source with something in every field.
///
/// # Errors
/// None, as long as the rules are right.
pub fn source(id: &str, name: &str, kind: SourceKind) -> Result<MetricSource> {
    let by_tag = RuleDraft {
        metric: "network_in".into(),
        series: "node_network_receive_bytes_total{device!~\"lo|veth.*\"}".into(),
        reading: Some("counter".into()),
        combine: Some("sum".into()),
        label: Some("host".into()),
        locate_by: "tag".into(),
        tag: Some("Name".into()),
        ..RuleDraft::default()
    };

    let mut rules: Vec<_> = ready_mappings()
        .into_iter()
        .flat_map(|mapping| mapping.rules)
        .collect();
    rules.extend(read_rules(vec![by_tag])?);
    Ok(MetricSource {
        id: MetricSourceId(id.to_owned()),
        name: name.to_owned(),
        kind,
        url: (kind == SourceKind::Query).then(|| "https://prometheus.example/é".to_owned()),
        credentials_kind: "none".to_owned(),
        rules,
        enabled: true,
        created_at: at(0)?,
        updated_at: at(1)?,
        version: 1,
    })
}

/// Progress with something in every field.
///
/// # Errors
/// None.
pub fn state() -> Result<SyncState> {
    Ok(SyncState {
        read_until: Some(at(600)?),
        wait_until: Some(at(700)?),
        last: Some(SourceSync {
            started_at: at(500)?,
            finished_at: at(501)?,
            samples: 7,
            mapped: 2,
            unmapped: 3,
            newest_at: Some(at(300)?),
            denied: true,
            throttled: true,
            problems: vec!["\"busy\"".to_owned()],
        }),
    })
}

/// Runs the contract over an empty store.
///
/// # Errors
/// The store failed.
///
/// # Panics
/// The store breaks the contract.
pub async fn run(store: &dyn MetricSourceStore) -> Result<()> {
    let (first, second) = (TokenHash::from_secret("one"), TokenHash::from_secret("two"));
    let pushing = source("m-1", "push", SourceKind::RemoteWrite)?;
    store
        .metric_source_insert(&pushing, Some(&first), &QueryCredentials::None)
        .await?;
    let queried = MetricSource {
        created_at: at(5)?,
        ..source("m-2", "query", SourceKind::Query)?
    };
    let basic = QueryCredentials::Basic {
        username: "reeve".into(),
        password: "p\"w".into(),
    };
    store.metric_source_insert(&queried, None, &basic).await?;
    assert_eq!(
        store.metric_source_list().await?,
        [pushing.clone(), queried.clone()]
    );
    assert_eq!(store.metric_source_get(&queried.id).await?, queried);
    assert_eq!(store.metric_source_credentials(&queried.id).await?, basic);
    assert_eq!(
        store.metric_source_credentials(&pushing.id).await?,
        QueryCredentials::None
    );

    let taken = source("m-3", "push", SourceKind::RemoteWrite)?;
    let taken = store
        .metric_source_insert(&taken, Some(&second), &QueryCredentials::None)
        .await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    tokens(store, pushing, (&first, &second)).await?;
    progress(store, queried).await?;
    let gone = store
        .metric_source_get(&MetricSourceId("m-2".to_owned()))
        .await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");

    Ok(())
}

/// A token finds its source until there is another one, or the source is gone.
async fn tokens(
    store: &dyn MetricSourceStore,
    pushing: MetricSource,
    both: (&TokenHash, &TokenHash),
) -> Result<()> {
    let (first, second) = both;
    assert_eq!(
        store.metric_source_by_token(first).await?.as_ref(),
        Some(&pushing)
    );
    assert_eq!(store.metric_source_by_token(second).await?, None);

    let renamed = MetricSource {
        name: "renamed".to_owned(),
        version: 2,
        ..pushing.clone()
    };

    store
        .metric_source_update(&renamed, Some(second), None)
        .await?;
    assert_eq!(store.metric_source_by_token(first).await?, None);
    assert_eq!(
        store.metric_source_by_token(second).await?.as_ref(),
        Some(&renamed)
    );

    let late = store
        .metric_source_update(
            &MetricSource {
                version: 2,
                ..pushing
            },
            None,
            None,
        )
        .await;
    assert!(matches!(late, Err(StoreError::Conflict(_))), "{late:?}");

    store.metric_source_delete(&renamed.id).await?;
    assert_eq!(store.metric_source_by_token(second).await?, None);
    Ok(())
}

/// Progress stays through changes, but for a change of the rules or the address; a sync of an older
/// version writes nothing.
async fn progress(store: &dyn MetricSourceStore, queried: MetricSource) -> Result<()> {
    assert_eq!(
        store.metric_source_state(&queried.id).await?,
        SyncState::default()
    );
    store
        .metric_source_state_put(&queried.id, 1, &state()?)
        .await?;
    let off = MetricSource {
        enabled: false,
        version: 2,
        ..queried
    };

    store
        .metric_source_update(&off, None, Some(&QueryCredentials::Bearer("t".into())))
        .await?;
    assert_eq!(store.metric_source_state(&off.id).await?, state()?);
    assert_eq!(
        store.metric_source_credentials(&off.id).await?,
        QueryCredentials::Bearer("t".into())
    );

    let changed = MetricSource {
        rules: off.rules[..1].to_vec(),
        version: 3,
        ..off
    };
    store.metric_source_update(&changed, None, None).await?;
    assert_eq!(
        store.metric_source_state(&changed.id).await?,
        SyncState::default()
    );
    store
        .metric_source_state_put(&changed.id, 2, &state()?)
        .await?;
    assert_eq!(
        store.metric_source_state(&changed.id).await?,
        SyncState::default()
    );
    store.metric_source_delete(&changed.id).await?;

    Ok(())
}
