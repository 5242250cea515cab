//! The inventory holds everything that was put into moto: all kinds, tags, prices, regions and
//! pages.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{GIB, Observe, Purchase, ResourceKind, ResourceState};
use reeve_testkit::moto::Moto;
use reeve_testkit::moto::seed::Metric;

use crate::{by_id, connection, emulators, hasty, open};
use reeve_connect_aws::{AwsConnection, Tuning};

#[tokio::test]
async fn every_kind_is_seen_with_tags_prices_and_ties() {
    let moto = Moto::start().await.unwrap();
    let web = moto
        .machines(
            "us-east-1",
            "m5.large",
            2,
            &[("Name", "web"), ("env", "prod")],
        )
        .await
        .unwrap();

    let windows = moto
        .machines_of("us-east-1", "ami-03cf127a", "m5.large", 1, &[])
        .await
        .unwrap();
    let far = moto
        .machines("eu-west-1", "t3.micro", 1, &[("Name", "far")])
        .await
        .unwrap();
    let data = moto
        .volume("us-east-1", "gp3", 100, Some(&web[0]), &[("Name", "data")])
        .await
        .unwrap();
    let loose = moto
        .volume("us-east-1", "gp2", 50, None, &[])
        .await
        .unwrap();
    moto.database(
        "us-east-1",
        "orders",
        "db.m5.large",
        "postgres",
        &[("team", "shop")],
    )
    .await
    .unwrap();

    moto.bucket("us-east-1", "logs", &[("keep", "7y")])
        .await
        .unwrap();
    for name in ["logs/a", "logs/b"] {
        moto.object("us-east-1", name, b"x".to_vec()).await.unwrap();
    }

    let midnight =
        Timestamp::from_second(Timestamp::now().as_second().div_euclid(86_400) * 86_400).unwrap();
    let points = [
        (midnight - SignedDuration::from_hours(24), 4.0 * GIB),
        (midnight, 10.0 * GIB),
    ];
    let dimensions = &[("BucketName", "logs"), ("StorageType", "StandardIAStorage")];
    let metric = Metric {
        namespace: "AWS/S3",
        name: "BucketSizeBytes",
        unit: "Bytes",
        dimensions,
    };
    moto.metric("us-east-1", metric, &points).await.unwrap();

    moto.bucket("eu-west-1", "far-logs", &[]).await.unwrap();
    moto.bucket("ap-south-1", "elsewhere", &[]).await.unwrap();
    let balancer = moto
        .load_balancer("us-east-1", "front", &web, &[("team", "web")])
        .await
        .unwrap();
    moto.scaling_group("us-east-1", "workers", "c5.large", 2)
        .await
        .unwrap();

    let aws = open(&connection(moto.endpoint(), &["us-east-1", "eu-west-1"])).await;
    assert_eq!(aws.identity().await.unwrap(), "123456789012");

    let seen = aws.inventory().await.unwrap();
    assert_eq!(seen.denied, []);
    assert_eq!(seen.complete, ResourceKind::SPECIFIED);

    let count = |kind| seen.resources.iter().filter(|r| r.kind == kind).count();
    assert_eq!(
        count(ResourceKind::VirtualMachine),
        2 + 1 + 1 + 2,
        "machines and members of the group"
    );

    assert_eq!(
        (
            count(ResourceKind::Database),
            count(ResourceKind::LoadBalancer),
            count(ResourceKind::ScalingGroup)
        ),
        (1, 1, 1)
    );

    let machine = by_id(&seen, &web[0]);
    assert_eq!(
        (machine.name.as_str(), machine.tag("env"), machine.state),
        ("web", Some("prod"), ResourceState::Running)
    );
    assert_eq!(
        (machine.account.as_str(), machine.region.as_str()),
        ("123456789012", "us-east-1")
    );
    assert_eq!(
        machine.specification.instance_type.as_deref(),
        Some("m5.large")
    );
    assert_eq!(
        machine.specification.architecture.as_deref(),
        Some("x86_64")
    );
    assert_eq!(
        (machine.purchase, machine.monthly_cost.unwrap().usd_cents()),
        (Some(Purchase::OnDemand), 70.08)
    );
    assert!(machine.created_at.is_some() && machine.group.is_none());

    let windows = by_id(&seen, &windows[0]);
    assert_eq!(windows.specification.platform.as_deref(), Some("windows"));
    assert_eq!(
        windows.monthly_cost.unwrap().usd_cents(),
        137.24,
        "Windows has its own price"
    );
    assert_eq!(by_id(&seen, &far[0]).region, "eu-west-1");
    assert!(
        seen.problems.iter().any(|p| p.contains("eu-west-1")),
        "volumes there have no price: {:?}",
        seen.problems
    );

    assert_eq!(
        by_id(&seen, &far[0]).monthly_cost.unwrap().usd_cents(),
        8.32,
        "at the price of eu-west-1"
    );

    let logs = by_id(&seen, "logs");
    let contents = logs.specification.contents.as_ref().unwrap();
    assert_eq!(
        (contents.objects, contents.gib["StandardIAStorage"]),
        (Some(2), 10.0),
        "the newest point of each type"
    );

    assert!(
        contents.gib.contains_key("StandardStorage"),
        "moto counts objects there, and a wrong size"
    );
    assert_eq!(
        logs.monthly_cost.unwrap().usd_cents(),
        0.13,
        "10 GiB at $0.0125"
    );

    assert!(
        by_id(&seen, "far-logs").specification.contents.is_some(),
        "counted in its own region"
    );
    assert_eq!(
        by_id(&seen, "far-logs").monthly_cost,
        Some(reeve_estate::Money::ZERO),
        "it holds nothing, by the prices of its region"
    );

    let (data, loose) = (by_id(&seen, &data), by_id(&seen, &loose));
    assert_eq!(
        (data.state, data.attached_to[0].as_str()),
        (ResourceState::Available, web[0].as_str())
    );
    assert_eq!(
        (loose.state, loose.monthly_cost.unwrap().usd_cents()),
        (ResourceState::Unattached, 5.0)
    );

    let orders = by_id(&seen, "orders");
    assert_eq!(
        (
            orders.state,
            orders.tag("team"),
            orders.specification.multi_az
        ),
        (ResourceState::Running, Some("shop"), Some(true))
    );

    assert_eq!(orders.specification.storage_gib, Some(100.0));

    let two_zones = 2.0 * 0.178 * 730.0 + 100.0 * 0.23;
    assert_eq!(
        orders.monthly_cost.unwrap().usd_cents(),
        two_zones,
        "PostgreSQL and its disk in two zones"
    );

    assert_eq!(
        (
            by_id(&seen, "logs").tag("keep"),
            by_id(&seen, "far-logs").region.as_str()
        ),
        (Some("7y"), "eu-west-1")
    );

    assert!(
        seen.resources.iter().all(|r| r.id.as_str() != "elsewhere"),
        "buckets of other regions are left out"
    );

    let front = by_id(&seen, &balancer);
    assert_eq!(
        (front.name.as_str(), front.tag("team")),
        ("front", Some("web"))
    );

    let mut targets: Vec<_> = front.attached_to.iter().map(|t| t.as_str()).collect();
    targets.sort_unstable();
    let mut expected: Vec<_> = web.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(targets, expected);

    let group = seen
        .resources
        .iter()
        .find(|r| r.kind == ResourceKind::ScalingGroup)
        .unwrap();

    assert_eq!(
        (group.name.as_str(), group.tag("team")),
        ("workers", Some("web"))
    );
    assert_eq!(
        group.specification.instance_type.as_deref(),
        Some("c5.large")
    );
    assert!(
        group.attached_to[0].as_str().starts_with("lt-"),
        "{:?}",
        group.attached_to
    );

    let members = seen
        .resources
        .iter()
        .filter(|r| r.group.as_ref() == Some(&group.id))
        .count();
    assert_eq!(members, 2);
}

#[tokio::test]
async fn every_page_is_read() {
    let moto = Moto::start().await.unwrap();
    for n in 0..23 {
        moto.machines("us-east-1", "t3.micro", 3, &[("n", &n.to_string())])
            .await
            .unwrap();
    }

    for n in 0..110 {
        moto.database("us-east-1", &format!("db{n}"), "db.t3.micro", "mysql", &[])
            .await
            .unwrap();
    }

    let connection = connection(moto.endpoint(), &["us-east-1"]);
    let tuning = Tuning {
        page_size: 5,
        ..hasty(moto.endpoint())
    };
    let aws = AwsConnection::open_with(&connection, &emulators(), tuning)
        .await
        .unwrap();
    let seen = aws.inventory().await.unwrap();
    let count = |kind| seen.resources.iter().filter(|r| r.kind == kind).count();
    assert_eq!(count(ResourceKind::VirtualMachine), 69);
    assert_eq!(
        count(ResourceKind::Volume),
        69,
        "each machine's root volume"
    );
    assert_eq!(count(ResourceKind::Database), 110);

    let mut ids: Vec<_> = seen
        .resources
        .iter()
        .map(|r| (r.kind, r.id.clone()))
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), seen.resources.len(), "nothing twice");
}
