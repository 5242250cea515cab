//! Flows of the simulated machines, and the exchange of a security group there and back.

use std::collections::BTreeSet;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_estate::{
    Act, Described, DescriptionReading, DescriptionSink, Observe, Resource, ResourceKind,
    StoreError,
};
use reeve_flows::FlowRule;
use reeve_recommend::change::GroupOperation;

use crate::{account, quiet};

/// Keeps the described resources.
#[derive(Default)]
struct Kept(Mutex<Vec<Resource>>);

#[async_trait]
impl DescriptionSink for Kept {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        let resources = page.into_iter().map(|described| described.resource);
        self.0.lock().extend(resources);
        Ok(())
    }

    async fn end(&self, _: DescriptionReading) -> Result<(), StoreError> {
        Ok(())
    }
}

#[tokio::test]
async fn flows_go_on_where_the_last_ones_ended() {
    let (estate, _) = quiet();
    let cloud = account(&estate, "acme-production");
    let (_, until, batch) = cloud.flows(None).unwrap();
    assert!(batch.records > 500, "{}", batch.records);
    let keys: BTreeSet<_> = batch.flows.iter().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), batch.flows.len(), "no sum twice");
    assert!(cloud.flows(Some(until)).is_none(), "nothing is new");
}

#[tokio::test]
async fn a_group_is_exchanged_and_comes_back() {
    let (estate, _) = quiet();
    let cloud = account(&estate, "acme-production");
    let kept = Kept::default();
    cloud.describe(&kept).await.unwrap();
    let described = kept.0.into_inner();
    let group = described
        .iter()
        .find(|one| one.kind == ResourceKind::SecurityGroup && one.name == "platform")
        .unwrap();
    let used = async || {
        let seen = cloud.observe(group).await.unwrap().resource;
        seen.specification.group_use.unwrap()
    };
    let before = used().await;
    assert!(!before.interfaces.is_empty());

    let rules = vec![FlowRule::parse("ingress tcp 443-443 10.0.0.0/16").unwrap()];
    for operation in [
        GroupOperation::MakeReplacement { rules },
        GroupOperation::AddReplacement,
        GroupOperation::TakeAway,
    ] {
        cloud.apply(group, &operation).await.unwrap();
    }
    let narrowed = used().await;
    let own = narrowed.replacement_id().to_owned();
    assert!(
        narrowed
            .interfaces
            .keys()
            .all(|one| narrowed.has(one, &own))
    );
    assert!(
        !narrowed
            .interfaces
            .keys()
            .any(|one| narrowed.has(one, group.id.as_str()))
    );
    let in_use = cloud.apply(group, &GroupOperation::DeleteReplacement).await;
    assert!(in_use.is_err(), "it is in use");

    for operation in [
        GroupOperation::GiveBack,
        GroupOperation::DropReplacement,
        GroupOperation::DeleteReplacement,
    ] {
        cloud.apply(group, &operation).await.unwrap();
    }
    let after = used().await;
    assert_eq!(
        after.interfaces.keys().collect::<Vec<_>>(),
        before.interfaces.keys().collect::<Vec<_>>()
    );
    assert!(after.replacement.is_none());
}
