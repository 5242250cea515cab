//! Contract of every [`SpotStore`].

use anyhow::Result;
use reeve_estate::{ConnectionId, EstateStore, ResourceId};
use reeve_recommend::judgement::spot::{NoticeKind, SpotLife, SpotNotice, SpotSource, SpotStore};
use reeve_recommend::judgement::spot_market::{SpotMarket, pool_price};

use super::estate::connection;

fn notice(event: &str, at: &str) -> Result<SpotNotice> {
    Ok(SpotNotice {
        event: event.to_owned(),
        kind: NoticeKind::Interruption,
        resource: ResourceId::new("i-1"),
        at: at.parse()?,
        received_at: "2026-11-20T10:00:01.5Z".parse()?,
        detail: Some("terminate".to_owned()),
        life: Some(SpotLife {
            instance_type: "m5.large".to_owned(),
            zone: "eu-west-1a".to_owned(),
            started_at: Some("2026-11-19T10:00:00Z".parse()?),
        }),
        group: Some(ResourceId::new("asg-1")),
        successor: None,
    })
}

fn second_at() -> Result<jiff::Timestamp> {
    Ok("2026-11-20T11:00:00Z".parse()?)
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store broke the contract.
pub async fn run<S: SpotStore + EstateStore>(store: &S) -> Result<()> {
    let (own, other) = (ConnectionId("c-1".into()), ConnectionId("c-2".into()));
    for id in [&own, &other] {
        store.connection_insert(&connection(&id.0, 0)?).await?;
    }

    let (first, second) = (
        notice("e-1", "2026-11-20T10:00:00Z")?,
        notice("e-2", "2026-11-20T11:00:00Z")?,
    );
    assert!(store.spot_notice_put(&own, &second).await?);
    assert!(store.spot_notice_put(&own, &first).await?);
    assert!(!store.spot_notice_put(&own, &first).await?, "once");
    assert!(
        store.spot_notice_put(&other, &first).await?,
        "events of connections are apart"
    );
    let both = [first.clone(), notice("e-3", "2026-11-20T10:30:00Z")?];
    assert_eq!(
        store.spot_notices_put(&other, &both).await?,
        [false, true],
        "each once"
    );
    let all = store.spot_notices(&own, first.at).await?;
    assert_eq!(all, [first.clone(), second.clone()]);
    assert_eq!(
        store.spot_notices(&own, second.at).await?,
        std::slice::from_ref(&second)
    );
    assert_eq!(store.spot_notice_expire(second.at).await?, 3);
    let succeeded = SpotNotice {
        successor: Some(ResourceId::new("i-2")),
        ..second
    };
    store.spot_notice_update(&own, &succeeded).await?;
    assert_eq!(store.spot_notices(&own, first.at).await?, [succeeded]);

    let source = SpotSource::new(own.clone(), "https://sqs/1".to_owned());
    store.spot_source_put(&source).await?;
    let read = SpotSource {
        notices: 7,
        others: [("Other".to_owned(), 2)].into(),
        read_at: Some("2026-11-20T10:00:00Z".parse()?),
        ..source.clone()
    };
    store.spot_source_read(&read).await?;
    assert_eq!(store.spot_sources().await?, std::slice::from_ref(&read));

    // A reading that ends after the queue was exchanged does not bring the former one back.
    let exchanged = SpotSource::new(own.clone(), "https://sqs/2".to_owned());
    store.spot_source_put(&exchanged).await?;
    store.spot_source_read(&read).await?;
    assert_eq!(store.spot_sources().await?, [exchanged]);
    store.spot_source_delete(&own).await?;
    assert!(store.spot_sources().await?.is_empty());

    let market = SpotMarket::new(own.clone(), "eu-west-1".to_owned());
    store.spot_market_put(&market).await?;
    let pool = ("m5.large", "eu-west-1a", "Linux/UNIX");
    let read = SpotMarket {
        read_at: Some(second_at()?),
        days: 7,
        prices: pool_price(pool, &[(second_at()?, 0.035)], (second_at()?, second_at()?))
            .into_iter()
            .collect(),
        score_failure: "denied".to_owned(),
        ..market
    };
    store.spot_market_put(&read).await?;
    assert_eq!(store.spot_markets(&own).await?, [read], "replaced");
    assert!(store.spot_markets(&other).await?.is_empty());
    Ok(())
}
