//! Contract of the sums over an inventory: they say what reading every resource would say, at once
//! after each write.

use std::collections::BTreeMap;

use anyhow::Result;
use reeve_estate::{
    EstateStore, Money, Resource, ResourceFilter, ResourceId, ResourceKind, ResourceState,
};

use super::{connection, resource};

/// Connection, provider, account, region, service and kind.
type Key = (String, &'static str, String, String, String, &'static str);

async fn check(store: &dyn EstateStore, when: &str) -> Result<()> {
    let (all, total) = store.resource_list(&ResourceFilter::default()).await?;
    let mut expected: BTreeMap<Key, (u64, u64, Money)> = BTreeMap::new();

    for one in &all {
        let key = (
            one.connection.0.clone(),
            one.provider.as_str(),
            one.account.clone(),
            one.region.clone(),
            one.service.clone(),
            one.kind.as_str(),
        );
        let sum = expected.entry(key).or_default();
        let cost = one.monthly_cost.unwrap_or(Money::ZERO);
        *sum = (
            sum.0 + 1,
            sum.1 + u64::from(one.monthly_cost.is_none()),
            sum.2 + cost,
        );
    }

    let found = store.resource_totals().await?.into_iter().map(|total| {
        let key = (
            total.connection.0,
            total.provider.as_str(),
            total.account,
            total.region,
            total.service,
            total.kind.as_str(),
        );
        (key, (total.resources, total.unpriced, total.monthly_cost))
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "{when}");

    let page = ResourceFilter {
        limit: 1,
        ..ResourceFilter::default()
    };
    assert_eq!(
        store.resource_list(&page).await?.1,
        total,
        "{when}: the total of a page"
    );
    Ok(())
}

pub(super) async fn run(store: &dyn EstateStore) -> Result<()> {
    let (first, second) = (connection("c-sum-1", 100)?, connection("c-sum-2", 200)?);
    store.connection_insert(&first).await?;
    store.connection_insert(&second).await?;
    check(store, "before anything").await?;

    let priced = |id: &str, cents: i64| -> Result<Resource> {
        Ok(Resource {
            monthly_cost: Some(Money::from_micros(cents * 10_000)),
            ..resource("c-sum-1", id)?
        })
    };

    let seen = [
        priced("s-1", 100)?,
        priced("s-2", 250)?,
        resource("c-sum-1", "s-3")?,
    ];
    let complete = [ResourceKind::VirtualMachine];
    store.resource_sync(&first.id, &seen, &complete).await?;
    store
        .resource_sync(&second.id, &[resource("c-sum-2", "s-1")?], &complete)
        .await?;
    check(store, "after the inventories").await?;
    store
        .resource_put(&Resource {
            service: "batch".into(),
            ..priced("s-1", 300)?
        })
        .await?;

    check(store, "after an observation").await?;
    store
        .resource_sync(&first.id, &seen[..2], &complete)
        .await?;
    check(store, "after one is gone").await?;
    store
        .resource_put(&Resource {
            state: ResourceState::Deleted,
            ..priced("s-2", 1)?
        })
        .await?;

    check(store, "after one was deleted").await?;

    let named = ResourceFilter {
        ids: vec![
            ResourceId::new("s-1"),
            ResourceId::new("s-2"),
            ResourceId::new("s-none"),
        ],
        ..ResourceFilter::default()
    };
    let (found, total) = store.resource_list(&named).await?;

    let names: Vec<(&str, &str)> = found
        .iter()
        .map(|one| (one.connection.0.as_str(), one.id.as_str()))
        .collect();
    assert_eq!(
        (names, total),
        (vec![("c-sum-1", "s-1"), ("c-sum-2", "s-1")], 2)
    );
    members(store).await?;
    store.connection_delete(&first.id).await?;
    check(store, "after a connection is removed").await?;

    store
        .connection_delete(&second.id)
        .await
        .map_err(Into::into)
}

/// The members of a group are found by it, those that are gone among them where they are asked for.
async fn members(store: &dyn EstateStore) -> Result<()> {
    let member = |id: &str, group: &str, state: ResourceState| -> Result<Resource> {
        let group = Some(ResourceId::new(group));
        Ok(Resource {
            group,
            state,
            kind: ResourceKind::VirtualMachine,
            ..resource("c-sum-1", id)?
        })
    };

    let (running, deleted) = (ResourceState::Running, ResourceState::Deleted);
    let all = [
        member("m-1", "web_1", running)?,
        member("m-2", "web_1", deleted)?,
        member("m-3", "webx1", running)?,
    ];

    for one in &all {
        store.resource_put(one).await?;
    }

    let found = async |ended_since| -> Result<Vec<String>> {
        let filter = ResourceFilter {
            group: Some(ResourceId::new("web_1")),
            ended_since,
            ..ResourceFilter::default()
        };
        let (found, total) = store.resource_list(&filter).await?;
        assert_eq!(total, found.len() as u64);
        Ok(found.into_iter().map(|one| one.id.0).collect())
    };
    assert_eq!(found(None).await?, ["m-1"]);

    let seen = all[1].observed_at;
    assert_eq!(found(Some(seen)).await?, ["m-1", "m-2"]);
    assert_eq!(
        found(Some(seen + jiff::SignedDuration::from_secs(1))).await?,
        ["m-1"]
    );

    Ok(())
}
