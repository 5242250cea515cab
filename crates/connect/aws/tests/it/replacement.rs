//! Exchange of a security group on moto, there and back.

use reeve_estate::{Act, GroupUse, Resource, ResourceId, ResourceKind};
use reeve_flows::FlowRule;
use reeve_recommend::change::GroupOperation;
use reeve_testkit::contract::estate::running;
use reeve_testkit::moto::{EC2, Moto};

use crate::{connection, open};

const REGION: &str = "us-east-1";

fn rules(texts: &[&str]) -> Vec<FlowRule> {
    texts
        .iter()
        .map(|text| FlowRule::parse(text).unwrap())
        .collect()
}

#[tokio::test]
async fn a_group_gives_way_to_one_with_other_rules_and_comes_back() {
    let moto = Moto::start().await.unwrap();
    let (network, subnets) = moto.network(REGION).await.unwrap();
    let wide = moto.security_group(REGION, &network, "app").await.unwrap();
    moto.open_group(REGION, &wide).await.unwrap();
    // Of an attached interface moto names the machine's groups too, whatever it was given since.
    let given = [
        ("SubnetId", subnets[0].as_str()),
        ("SecurityGroupId.1", wide.as_str()),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    moto.query(&EC2, REGION, "CreateNetworkInterface", &given)
        .await
        .unwrap();

    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let group = Resource {
        id: ResourceId::new(&*wide),
        account: "123456789012".to_owned(),
        region: REGION.to_owned(),
        ..running("sg", ResourceKind::SecurityGroup, None)
    };
    let used = async || -> GroupUse {
        let seen = aws.observe(&group).await.unwrap().resource;
        seen.specification.group_use.unwrap()
    };
    let apply = async |operation: GroupOperation| {
        aws.apply(&group, &operation).await.unwrap();
        used().await
    };

    let before = used().await;
    assert_eq!(before.interfaces.len(), 1);
    assert!(
        before.rules.iter().any(|rule| rule.ends_with("0.0.0.0/0")),
        "{before:?}"
    );
    let interface = before.interfaces.keys().next().unwrap().clone();

    let tight = [
        "egress tcp 443-443 0.0.0.0/0",
        "ingress tcp 8080-8080 172.31.0.0/16",
    ];
    for _ in 0..2 {
        let made = apply(GroupOperation::MakeReplacement {
            rules: rules(&tight),
        })
        .await;
        assert_eq!(
            made.replacement.unwrap().rules,
            tight,
            "asked again, nothing changes"
        );
    }
    let own = used().await.replacement_id().to_owned();
    let both = apply(GroupOperation::AddReplacement).await;
    assert!(both.has(&interface, &wide) && both.has(&interface, &own));
    let narrowed = apply(GroupOperation::TakeAway).await;
    assert_eq!(narrowed.interfaces[&interface], std::slice::from_ref(&own));

    let back = apply(GroupOperation::GiveBack).await;
    assert!(back.has(&interface, &wide) && back.has(&interface, &own));
    let alone = apply(GroupOperation::DropReplacement).await;
    assert_eq!(alone.interfaces[&interface], std::slice::from_ref(&wide));
    let gone = apply(GroupOperation::DeleteReplacement).await;
    assert_eq!(gone, before);
}
