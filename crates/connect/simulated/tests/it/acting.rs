//! Tests of refused actions, durations and injected faults.

use jiff::SignedDuration;
use reeve_connect_simulated::{Faults, SimulatedAccount, SimulatedEstate};
use reeve_estate::{
    Act, ActErrorKind, Applied, Mutation, Observe, Resource, ResourceId, ResourceKind,
    ResourceState,
};

use crate::{Hands, account, anchor, named, quiet, settings};

fn resize(size: &str) -> Mutation {
    Mutation::Resize {
        instance_type: size.to_owned(),
    }
}

fn snapshot() -> Mutation {
    Mutation::Snapshot {
        description: "before a change".to_owned(),
    }
}

async fn state(account: &SimulatedAccount, resource: &Resource) -> ResourceState {
    account.observe(resource).await.unwrap().state
}

#[tokio::test]
async fn refusals() {
    use ActErrorKind::{InvalidType, NotFound, Other, WrongState};

    let (estate, hands) = quiet();
    for (cloud, name, stopped, mutation, expect) in [
        (
            "acme-production",
            "recommender",
            false,
            resize("m6i.2xlarge"),
            WrongState,
        ),
        (
            "acme-production",
            "recommender",
            false,
            Mutation::Start,
            WrongState,
        ),
        ("acme-production", "recommender", false, snapshot(), Other),
        (
            "acme-production",
            "recommender",
            true,
            Mutation::Stop,
            WrongState,
        ),
        (
            "acme-production",
            "recommender",
            true,
            resize("m9z.large"),
            InvalidType,
        ),
        (
            "acme-production",
            "recommender",
            true,
            resize("Standard_D4s_v5"),
            InvalidType,
        ),
        (
            "acme-production",
            "recommender",
            true,
            resize("m6g.2xlarge"),
            InvalidType,
        ),
        (
            "acme-production",
            "payment-gateway-2",
            true,
            resize("m7i.2xlarge"),
            InvalidType,
        ),
        (
            "acme-production",
            "ci-runner-1",
            false,
            Mutation::Stop,
            Other,
        ),
        (
            "acme-production",
            "acme-backups",
            false,
            Mutation::Stop,
            Other,
        ),
        ("acme-production", "acme-backups", false, snapshot(), Other),
        (
            "acme-production",
            "old-orders-data",
            false,
            resize("m6i.large"),
            Other,
        ),
        (
            "acme-production",
            "reviews",
            false,
            resize("m5.xlarge"),
            InvalidType,
        ),
        (
            "acme-production",
            "reviews",
            false,
            resize("db.m5.huge"),
            InvalidType,
        ),
        (
            "acme-production",
            "loyalty-2024",
            true,
            resize("db.m5.large"),
            WrongState,
        ),
        (
            "acme-analytics",
            "training-box",
            true,
            resize("n2-standard-3"),
            InvalidType,
        ),
        (
            "acme-analytics",
            "reports",
            false,
            resize("db-custom-3-15360"),
            InvalidType,
        ),
        (
            "acme-analytics",
            "reports",
            false,
            resize("db-custom-2-1024"),
            InvalidType,
        ),
        (
            "acme-corporate",
            "erp-test",
            true,
            resize("Standard_D2ps_v5"),
            InvalidType,
        ),
    ] {
        let account = account(&estate, cloud);
        let resource = named(&account, name).await;
        if stopped && state(&account, &resource).await == ResourceState::Running {
            account.apply(&resource, &Mutation::Stop).await.unwrap();
            hands.forward(SignedDuration::from_secs(60));
        }
        let before = account.observe(&resource).await.unwrap();
        let refused = account.apply(&resource, &mutation).await.unwrap_err();
        assert_eq!(refused.kind, expect, "{name} {mutation:?}: {refused}");
        let after = account.observe(&resource).await.unwrap();
        assert_eq!(
            (before.state, before.instance_type),
            (after.state, after.instance_type),
            "{name} {mutation:?}"
        );
    }

    let aws = account(&estate, "acme-production");
    let mut ghost = named(&aws, "old-orders-data").await;
    ghost.id = ResourceId::new("vol-0000");
    assert_eq!(
        aws.apply(&ghost, &snapshot()).await.unwrap_err().kind,
        NotFound
    );
    assert_eq!(aws.observe(&ghost).await.unwrap_err().kind, NotFound);
    assert_eq!(aws.volumes_of(&ghost).await.unwrap_err().kind, NotFound);
}

#[tokio::test]
async fn stop_resize_start_takes_the_clouds_time() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "recommender").await;
    aws.apply(&machine, &Mutation::Stop).await.unwrap();
    assert_eq!(state(&aws, &machine).await, ResourceState::Changing);
    assert_eq!(
        aws.apply(&machine, &Mutation::Stop).await.unwrap_err().kind,
        ActErrorKind::WrongState
    );
    hands.forward(SignedDuration::from_secs(19));
    assert_eq!(
        state(&aws, &machine).await,
        ResourceState::Changing,
        "no cloud stops a machine in 19 seconds"
    );
    hands.forward(SignedDuration::from_secs(22));
    assert_eq!(state(&aws, &machine).await, ResourceState::Stopped);
    assert_eq!(
        aws.observe(&machine)
            .await
            .unwrap()
            .resource
            .monthly_cost
            .unwrap()
            .usd(),
        0.0
    );

    assert_eq!(
        aws.apply(&machine, &resize("m6i.2xlarge")).await.unwrap(),
        Applied::Accepted
    );
    aws.apply(&machine, &Mutation::Start).await.unwrap();
    assert_eq!(state(&aws, &machine).await, ResourceState::Changing);
    hands.forward(SignedDuration::from_secs(31));
    let now = aws.observe(&machine).await.unwrap();
    assert_eq!(
        (now.state, now.instance_type.as_deref()),
        (ResourceState::Running, Some("m6i.2xlarge"))
    );

    let (before, after) = (
        machine.monthly_cost.unwrap().usd(),
        now.resource.monthly_cost.unwrap().usd(),
    );
    assert!((after - before / 2.0).abs() < 0.01, "{before} {after}");
}

#[tokio::test]
async fn snapshots_complete_after_a_while() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "old-wiki").await;
    let volumes = aws.volumes_of(&machine).await.unwrap();
    assert_eq!(volumes.len(), 2, "root and data");

    let volume = &volumes[1];
    let Applied::Snapshot(made) = aws.apply(volume, &snapshot()).await.unwrap() else {
        panic!("no snapshot")
    };

    assert!(
        !aws.snapshot_complete(&volume.id, &volume.region, &made)
            .await
            .unwrap()
    );
    hands.forward(SignedDuration::from_secs(91));
    assert!(
        aws.snapshot_complete(&volume.id, &volume.region, &made)
            .await
            .unwrap()
    );

    let other = aws
        .snapshot_complete(&volumes[0].id, &volume.region, &made)
        .await
        .unwrap_err();
    assert_eq!(other.kind, ActErrorKind::NotFound);
}

#[tokio::test]
async fn a_group_replaces_a_member_that_stops() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let member = named(&aws, "shop-web-a").await;
    aws.apply(&member, &Mutation::Stop).await.unwrap();
    hands.forward(SignedDuration::from_secs(61));
    assert_eq!(state(&aws, &member).await, ResourceState::Deleted);

    let next = named(&aws, "shop-web-a").await;
    assert_ne!(next.id, member.id);
    assert_eq!(next.state, ResourceState::Running);

    let group = aws.inventory().await.unwrap().resources;
    let group = group.iter().find(|resource| {
        resource.kind == ResourceKind::ScalingGroup && resource.name == "shop-web"
    });
    assert!(
        group.unwrap().attached_to.contains(&next.id)
            && !group.unwrap().attached_to.contains(&member.id)
    );
    hands.forward(SignedDuration::from_hours(2));
    assert_eq!(
        aws.observe(&member).await.unwrap_err().kind,
        ActErrorKind::NotFound
    );
}

#[tokio::test]
async fn at_once_when_asked() {
    let hands = Hands::at(anchor());
    let estate = SimulatedEstate::with(settings(&hands).with_speed(f64::INFINITY));
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "ledger-reports").await;
    for mutation in [Mutation::Stop, resize("m5.xlarge"), Mutation::Start] {
        aws.apply(&machine, &mutation).await.unwrap();
    }
    assert_eq!(state(&aws, &machine).await, ResourceState::Running);
}

#[tokio::test]
async fn every_fault_has_its_knob() {
    async fn run(faults: Faults) -> (Option<ActErrorKind>, Option<ActErrorKind>, Option<String>) {
        let hands = Hands::at(anchor());
        let estate = SimulatedEstate::with(
            settings(&hands)
                .with_speed(f64::INFINITY)
                .with_faults(faults),
        );
        let aws = account(&estate, "acme-production");
        let machine = named(&aws, "ledger-reports").await;
        let stopped = aws
            .apply(&machine, &Mutation::Stop)
            .await
            .err()
            .map(|error| error.kind);
        let _ = aws.apply(&machine, &resize("m5.xlarge")).await;
        let started = aws
            .apply(&machine, &Mutation::Start)
            .await
            .err()
            .map(|error| error.kind);
        (
            stopped,
            started,
            aws.observe(&machine).await.unwrap().instance_type,
        )
    }

    let small = Some("m5.xlarge".to_owned());
    assert_eq!(run(Faults::none()).await, (None, None, small.clone()));

    let throttled = run(Faults {
        throttle: 1.0,
        ..Faults::none()
    })
    .await;
    assert_eq!(throttled.0, Some(ActErrorKind::Throttled));

    // The change happened, and nobody heard of it.
    let lost = run(Faults {
        lost_response: 1.0,
        ..Faults::none()
    })
    .await;

    assert_eq!(
        lost,
        (
            Some(ActErrorKind::Unknown),
            Some(ActErrorKind::Unknown),
            small.clone()
        )
    );

    let full = run(Faults {
        no_capacity: 1.0,
        ..Faults::none()
    })
    .await;
    assert_eq!(full, (None, Some(ActErrorKind::NoCapacity), small));

    let loose = run(Faults {
        does_not_stick: 1.0,
        ..Faults::none()
    })
    .await;
    assert_eq!(loose, (None, None, Some("m5.2xlarge".to_owned())));
}

#[tokio::test]
async fn calls_that_come_too_fast_are_refused() {
    let hands = Hands::at(anchor());
    let estate = SimulatedEstate::with(settings(&hands).with_faults(Faults {
        rate_limit: true,
        ..Faults::none()
    }));
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "recommender").await;
    let mut refused = Vec::new();
    for _ in 0..50 {
        refused.extend(aws.observe(&machine).await.err().map(|error| error.kind));
    }

    assert_eq!(refused, vec![ActErrorKind::Throttled; 10]);
    hands.forward(SignedDuration::from_secs(1));
    assert!(aws.observe(&machine).await.is_ok());
}
