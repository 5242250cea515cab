//! Storage, members, failovers and replicas: what the clouds refuse of them, how long they take,
//! and that they are kept.

use jiff::SignedDuration;
use reeve_connect_simulated::SimulatedEstate;
use reeve_estate::{
    Act, ActErrorKind, Capacity, GIB, Metric, Mutation, Observe, ResourceKind, ResourceState,
    Specification,
};

use crate::{account, days, named, points, quiet, settings};

fn grow(storage_gib: u32) -> Mutation {
    Mutation::Grow { storage_gib }
}

fn replica(name: &str) -> Mutation {
    Mutation::Replicate {
        name: name.to_owned(),
    }
}

#[tokio::test]
async fn refusals() {
    use ActErrorKind::{InvalidType, NotFound, Other, WrongState};

    let (estate, _) = quiet();
    for (cloud, name, kind, mutation, expect) in [
        // Storage does not shrink, and RDS grows by a tenth or more.
        (
            "acme-production",
            "old-orders-data",
            ResourceKind::Volume,
            grow(799),
            InvalidType,
        ),
        (
            "acme-production",
            "old-orders-data",
            ResourceKind::Volume,
            grow(800),
            InvalidType,
        ),
        (
            "acme-production",
            "payments-ledger",
            ResourceKind::Database,
            grow(549),
            InvalidType,
        ),
        (
            "acme-production",
            "recommender",
            ResourceKind::VirtualMachine,
            grow(100),
            Other,
        ),
        // The group has four members and may have eight.
        (
            "acme-production",
            "shop-web",
            ResourceKind::ScalingGroup,
            Mutation::Scale { min: 2, desired: 9 },
            InvalidType,
        ),
        (
            "acme-production",
            "shop-web",
            ResourceKind::ScalingGroup,
            Mutation::Scale { min: 5, desired: 4 },
            InvalidType,
        ),
        (
            "acme-production",
            "shop-web",
            ResourceKind::LoadBalancer,
            Mutation::Scale { min: 1, desired: 1 },
            Other,
        ),
        (
            "acme-production",
            "reviews",
            ResourceKind::Database,
            Mutation::FailOver,
            InvalidType,
        ),
        (
            "acme-production",
            "reviews",
            ResourceKind::Database,
            replica("loyalty-2024"),
            Other,
        ),
        (
            "acme-analytics",
            "reports",
            ResourceKind::Database,
            replica("reports-2"),
            Other,
        ),
        (
            "acme-production",
            "reviews",
            ResourceKind::Database,
            Mutation::RemoveReplica {
                name: "loyalty-2024".to_owned(),
            },
            NotFound,
        ),
    ] {
        let account = account(&estate, cloud);
        let all = account.inventory().await.unwrap().resources;
        let resource = all
            .iter()
            .find(|one| one.name == name && one.kind == kind)
            .unwrap();
        let refused = account.apply(resource, &mutation).await.unwrap_err();
        assert_eq!(refused.kind, expect, "{name} {mutation:?}: {refused}");
        let seen = account
            .observe(resource)
            .await
            .unwrap()
            .resource
            .specification;
        assert_eq!(
            Specification {
                template: None,
                document: None,
                ..seen
            },
            resource.specification,
            "{name} {mutation:?}"
        );
    }

    let aws = account(&estate, "acme-production");
    let ledger = named(&aws, "payments-ledger").await;
    aws.apply(&ledger, &Mutation::Stop).await.unwrap();

    for mutation in [grow(700), Mutation::FailOver, replica("payments-ledger-2")] {
        assert_eq!(
            aws.apply(&ledger, &mutation).await.unwrap_err().kind,
            WrongState,
            "{mutation:?} while it stops"
        );
    }
}

#[tokio::test]
async fn storage_grows_while_it_is_used_and_not_twice_within_six_hours() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let ledger = named(&aws, "payments-ledger").await;
    let free = async |at: jiff::Timestamp| {
        let seen = points(
            &aws,
            &ledger,
            Metric::FreeStorage,
            at - SignedDuration::from_mins(10),
            at,
        )
        .await;
        seen.last().unwrap().value
    };
    let before = free(hands.now()).await;

    aws.apply(&ledger, &grow(625)).await.unwrap();
    let seen = aws.observe(&ledger).await.unwrap();
    assert_eq!(
        (seen.state, seen.resource.specification.storage_gib),
        (ResourceState::Changing, Some(500.0))
    );
    hands.forward(SignedDuration::from_mins(20));
    let seen = aws.observe(&ledger).await.unwrap();
    assert_eq!(
        (seen.state, seen.resource.specification.storage_gib),
        (ResourceState::Running, Some(625.0))
    );
    assert!(seen.resource.monthly_cost > ledger.monthly_cost);

    let gained = (free(hands.now()).await - before) / GIB;
    assert!(
        (120.0..126.0).contains(&gained),
        "125 GiB more are free, less what was written since: {gained}"
    );
    assert_eq!(
        aws.apply(&ledger, &grow(800)).await.unwrap_err().kind,
        ActErrorKind::Other,
        "too soon"
    );

    let volume = named(&aws, "old-orders-data").await;
    aws.apply(&volume, &grow(1000)).await.unwrap();
    hands.forward(SignedDuration::from_hours(5));
    assert!(
        aws.apply(&volume, &grow(1200))
            .await
            .unwrap_err()
            .message
            .contains("six hours")
    );

    hands.forward(SignedDuration::from_mins(61));
    aws.apply(&volume, &grow(1200)).await.unwrap();
    aws.apply(&ledger, &grow(800)).await.unwrap();

    // Somebody else's data was measured all the while: a growth is no downtime.
    let cpu = points(
        &aws,
        &ledger,
        Metric::CpuUtilization,
        hands.now() - SignedDuration::from_hours(6),
        hands.now(),
    )
    .await;

    assert!(cpu.len() >= 70, "{} points", cpu.len());
}

#[tokio::test]
async fn groups_failovers_and_replicas_settle_and_are_kept() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let all = aws.inventory().await.unwrap().resources;
    let group = all
        .iter()
        .find(|one| one.name == "shop-web" && one.kind == ResourceKind::ScalingGroup)
        .unwrap();
    assert_eq!(
        group.specification.capacity,
        Some(Capacity {
            min: 2,
            desired: 4,
            max: 8
        })
    );

    assert_eq!(
        group.specification.instance_type.as_deref(),
        Some("m6i.xlarge")
    );

    let orders = all.iter().find(|one| one.name == "shop-orders").unwrap();
    aws.apply(group, &Mutation::Scale { min: 7, desired: 7 })
        .await
        .unwrap();
    aws.apply(orders, &Mutation::FailOver).await.unwrap();

    for resource in [group, orders] {
        assert_eq!(
            aws.observe(resource).await.unwrap().state,
            ResourceState::Changing
        );
    }

    hands.forward(SignedDuration::from_mins(10));
    let failed_over = aws.observe(orders).await.unwrap().resource;
    assert_eq!(
        failed_over.specification.zone.as_deref(),
        Some("us-east-1b")
    );
    assert_eq!(
        failed_over.specification.standby_zone.as_deref(),
        Some("us-east-1a")
    );
    aws.apply(orders, &replica("shop-orders-reeve-1"))
        .await
        .unwrap();
    assert_eq!(
        aws.apply(orders, &replica("shop-orders-reeve-1"))
            .await
            .unwrap_err()
            .kind,
        ActErrorKind::WrongState
    );

    hands.forward(SignedDuration::from_mins(11));
    assert_eq!(
        aws.apply(orders, &replica("shop-orders-reeve-1"))
            .await
            .unwrap_err()
            .kind,
        ActErrorKind::Other
    );

    let kept = estate.snapshot();
    let again = SimulatedEstate::restore_with(&kept, settings(&hands)).unwrap();
    let restored = account(&again, "acme-production");
    assert_eq!(
        restored.inventory().await.unwrap().resources,
        aws.inventory().await.unwrap().resources
    );
    assert_eq!(again.snapshot(), kept);

    let spec = restored
        .observe(orders)
        .await
        .unwrap()
        .resource
        .specification;
    assert_eq!(spec.replicas, ["shop-orders-reeve-1"]);

    let capacity = restored
        .observe(group)
        .await
        .unwrap()
        .resource
        .specification
        .capacity;

    assert_eq!(
        capacity,
        Some(Capacity {
            min: 7,
            desired: 7,
            max: 8
        })
    );

    restored
        .apply(
            orders,
            &Mutation::RemoveReplica {
                name: "shop-orders-reeve-1".to_owned(),
            },
        )
        .await
        .unwrap();

    hands.forward(days(1));
    assert!(
        restored
            .observe(orders)
            .await
            .unwrap()
            .resource
            .specification
            .replicas
            .is_empty()
    );
}

#[tokio::test]
async fn a_machine_is_cut_off_by_its_networks_group_and_let_back() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let all = aws.inventory().await.unwrap().resources;
    let machines: Vec<_> = all
        .iter()
        .filter(|one| one.kind == ResourceKind::VirtualMachine)
        .collect();
    let machine = machines[0];
    let own = machine.specification.security_groups.clone();
    assert!(own.len() == 2 && own.is_sorted() && !machine.specification.isolated);

    let give = |groups: &[String]| Mutation::SetGroups {
        groups: groups.to_vec(),
    };

    let seen = async || aws.observe(machine).await.unwrap().resource.specification;

    aws.apply(machine, &Mutation::Isolate).await.unwrap();
    let cut_off = seen().await.security_groups;
    assert!(seen().await.isolated && cut_off.len() == 1 && !own.contains(&cut_off[0]));
    assert_eq!(
        aws.observe(machine).await.unwrap().state,
        ResourceState::Running,
        "it runs on"
    );

    let kept = estate.snapshot();
    let again = SimulatedEstate::restore_with(&kept, settings(&hands)).unwrap();
    assert!(
        account(&again, "acme-production")
            .observe(machine)
            .await
            .unwrap()
            .resource
            .specification
            .isolated
    );

    assert_eq!(again.snapshot(), kept);

    for (groups, expect) in [
        (
            vec!["sg-00000000000000000".to_owned()],
            ActErrorKind::NotFound,
        ),
        (Vec::new(), ActErrorKind::Other),
    ] {
        assert_eq!(
            aws.apply(machine, &give(&groups)).await.unwrap_err().kind,
            expect
        );
    }

    let elsewhere = machines
        .iter()
        .find(|other| other.region != machine.region)
        .unwrap();
    let foreign = give(&elsewhere.specification.security_groups);
    let refused = aws.apply(machine, &foreign).await.unwrap_err();
    assert!(refused.message.contains("different networks"), "{refused}");
    aws.apply(machine, &give(&own)).await.unwrap();
    assert_eq!(
        (seen().await.security_groups, seen().await.isolated),
        (own, false)
    );

    let database = named(&aws, "payments-ledger").await;
    assert_eq!(
        aws.apply(&database, &Mutation::Isolate)
            .await
            .unwrap_err()
            .kind,
        ActErrorKind::Other
    );

    let google = account(&estate, "acme-analytics");
    let other = google.inventory().await.unwrap().resources;
    let other = other
        .iter()
        .find(|one| one.kind == ResourceKind::VirtualMachine)
        .unwrap();
    assert!(other.specification.security_groups.is_empty());
    assert_eq!(
        google
            .apply(other, &Mutation::Isolate)
            .await
            .unwrap_err()
            .kind,
        ActErrorKind::Other
    );
}
