//! The successor of a machine on other capacity: launched with its configuration, registered in its
//! target groups, and ended only while the machine runs.

use reeve_estate::{Act, Purchase, Resource, ResourceState};
use reeve_recommend::change::ReplaceOperation;
use reeve_testkit::moto::{EC2, ELB, Moto, texts};

use crate::{by_id, connection, open};

const REGION: &str = "us-east-1";

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// Makes a target group with a machine; its ARN.
async fn target_group(moto: &Moto, machine: &str) -> String {
    let network = moto.network(REGION).await.unwrap().0;
    let group = pairs(&[
        ("Name", "front"),
        ("Protocol", "HTTP"),
        ("Port", "80"),
        ("VpcId", &network),
        ("TargetType", "instance"),
    ]);
    let answer = moto.query(&ELB, REGION, "CreateTargetGroup", &group).await;
    let arn = texts(&answer.unwrap(), "TargetGroupArn")[0].to_owned();
    let target = pairs(&[("TargetGroupArn", &arn), ("Targets.member.1.Id", machine)]);
    moto.query(&ELB, REGION, "RegisterTargets", &target)
        .await
        .unwrap();
    arn
}

async fn described(moto: &Moto, id: &str) -> String {
    let one = pairs(&[("InstanceId.1", id)]);
    moto.query(&EC2, REGION, "DescribeInstances", &one)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_successor_serves_before_the_machine_leaves() {
    let moto = Moto::start().await.unwrap();
    let run = pairs(&[
        ("ImageId", "ami-12c6146b"),
        ("InstanceType", "m5.large"),
        ("MinCount", "1"),
        ("MaxCount", "1"),
        ("UserData", "IyEvYmluL3No"),
        ("InstanceMarketOptions.MarketType", "spot"),
        ("TagSpecification.1.ResourceType", "instance"),
        ("TagSpecification.1.Tag.1.Key", "team"),
        ("TagSpecification.1.Tag.1.Value", "search"),
    ]);
    let answer = moto
        .query(&EC2, REGION, "RunInstances", &run)
        .await
        .unwrap();
    let id = texts(&answer, "instanceId")[0].to_owned();
    let group = target_group(&moto, &id).await;
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let inventory = reeve_estate::Observe::inventory(&aws).await.unwrap();
    let machine = by_id(&inventory, &id).clone();
    assert_eq!(machine.purchase, Some(Purchase::Spot));

    let seen = async || aws.observe(&machine).await.unwrap().resource;
    let apply = async |operation: ReplaceOperation| -> Resource {
        aws.apply(&machine, &operation).await.unwrap();
        seen().await
    };
    assert_eq!(seen().await.specification.successor, None);
    let launch = ReplaceOperation::Launch {
        purchase: Purchase::OnDemand,
    };
    let first = apply(launch.clone()).await.specification.successor.unwrap();
    let again = apply(launch).await.specification.successor.unwrap();
    assert_eq!(first.id, again.id, "asked again, nothing more is launched");
    assert!(!first.attached && first.machine_attached);
    let new = described(&moto, &first.id).await;
    assert!(!new.contains("<instanceLifecycle>spot"), "{new}");
    assert!(
        new.contains("<key>team</key>") && new.contains(&group),
        "{new}"
    );

    let both = apply(ReplaceOperation::Attach).await;
    let found = both.specification.successor.unwrap();
    assert!(found.running && found.attached && found.machine_attached);

    // A machine that leaves its group when it ends does not take the group from its successor.
    let retired = apply(ReplaceOperation::Retire).await;
    let found = retired.specification.successor.clone().unwrap();
    assert_eq!(retired.state, ResourceState::Stopped);
    assert!(found.attached && !found.machine_attached);
    let refused = aws.apply(&machine, &ReplaceOperation::Remove).await;
    assert!(refused.unwrap_err().message.contains("does not run"));

    let back = apply(ReplaceOperation::GiveBack).await;
    assert_eq!(back.state, ResourceState::Running);
    assert!(back.specification.successor.unwrap().machine_attached);
    assert_eq!(
        apply(ReplaceOperation::Remove)
            .await
            .specification
            .successor,
        None
    );
    let ended = described(&moto, &first.id).await;
    assert!(ended.contains("<name>terminated</name>"), "{ended}");
    let health = pairs(&[("TargetGroupArn", &group)]);
    let health = moto
        .query(&ELB, REGION, "DescribeTargetHealth", &health)
        .await;
    assert_eq!(texts(&health.unwrap(), "Id"), [id]);
}
