//! Tags of machines and volumes on moto: set, replaced, removed; what is not offered is refused.

use reeve_estate::{Act, ActErrorKind, Observe, Operation};
use reeve_recommend::change::TagOperation;
use reeve_testkit::moto::Moto;

use crate::{by_id, connection, open};

const REGION: &str = "us-east-1";

fn set(value: &str) -> TagOperation {
    TagOperation::Set {
        key: "owner".to_owned(),
        value: value.to_owned(),
    }
}

#[derive(Debug)]
struct Unheard;

impl Operation for Unheard {}

#[tokio::test]
async fn a_tag_is_set_replaced_and_removed() {
    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines(REGION, "m5.large", 1, &[("team", "shop")])
        .await
        .unwrap()
        .remove(0);

    moto.database(REGION, "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let seen = aws.inventory().await.unwrap();
    let machine = by_id(&seen, &id);
    let volume = aws.volumes_of(machine).await.unwrap().remove(0);

    for resource in [machine, &volume] {
        let owner = async || {
            aws.observe(resource)
                .await
                .unwrap()
                .resource
                .tag("owner")
                .map(str::to_owned)
        };
        aws.apply(resource, &set("payments")).await.unwrap();
        assert_eq!(owner().await.as_deref(), Some("payments"));
        aws.apply(resource, &set("orders")).await.unwrap();
        assert_eq!(owner().await.as_deref(), Some("orders"));
        aws.apply(
            resource,
            &TagOperation::Remove {
                key: "owner".to_owned(),
            },
        )
        .await
        .unwrap();
        assert_eq!(owner().await, None);
    }

    assert_eq!(
        aws.observe(machine).await.unwrap().resource.tag("team"),
        Some("shop"),
        "other tags stay"
    );

    let kind = async |operation: &dyn Operation| {
        aws.apply(by_id(&seen, "orders"), operation)
            .await
            .unwrap_err()
    };
    assert_eq!(kind(&set("payments")).await.kind, ActErrorKind::Other);
    assert!(
        kind(&Unheard)
            .await
            .message
            .contains("does not offer Unheard")
    );

    let mut switched_off = connection(moto.endpoint(), &[REGION]);
    switched_off.allow_actions = false;
    let error = open(&switched_off)
        .await
        .apply(machine, &set("payments"))
        .await
        .unwrap_err();
    assert_eq!(error.kind, ActErrorKind::Denied);
}
