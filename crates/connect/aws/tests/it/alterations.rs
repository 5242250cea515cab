//! Storage, members, failovers and replicas on moto, which takes what AWS refuses: a smaller disk,
//! a database that grows by one GiB, members beyond a group's maximum, a replica that is not
//! Reeve's to remove. Moto knows no zones of databases, so that it can show of a failover only that
//! the call is taken.

use reeve_connect_aws::AwsConnection;
use reeve_estate::{
    Act, ActErrorKind, Applied, Capacity, Mutation, Observe, Resource, ResourceId, ResourceKind,
    ResourceState,
};
use reeve_recommend::change::{RemoveOperation, StandbyOperation, VolumeOperation, VolumeSetup};
use reeve_testkit::moto::Moto;

use crate::{by_id, connection, open};

fn grow(storage_gib: u32) -> Mutation {
    Mutation::Grow { storage_gib }
}

async fn refused(aws: &AwsConnection, resource: &Resource, mutation: &Mutation) -> ActErrorKind {
    aws.apply(resource, mutation).await.unwrap_err().kind
}

#[tokio::test]
async fn disks_and_databases_grow_and_never_shrink() {
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);

    let disk = moto
        .volume("us-east-1", "gp3", 20, Some(&machine), &[])
        .await
        .unwrap();
    moto.database("us-east-1", "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let (disk, orders) = (by_id(&seen, &disk), by_id(&seen, "orders"));

    for size in [19, 20] {
        assert_eq!(
            refused(&aws, disk, &grow(size)).await,
            ActErrorKind::InvalidType,
            "{size} GiB"
        );
    }

    assert_eq!(aws.apply(disk, &grow(25)).await.unwrap(), Applied::Accepted);

    let now = aws.observe(disk).await.unwrap();
    assert_eq!(
        (now.state, now.resource.specification.storage_gib),
        (ResourceState::Available, Some(25.0))
    );
    assert!(now.resource.monthly_cost > disk.monthly_cost);
    assert_eq!(
        refused(&aws, by_id(&seen, &machine), &grow(100)).await,
        ActErrorKind::Other
    );

    for size in [99, 100, 109] {
        assert_eq!(
            refused(&aws, orders, &grow(size)).await,
            ActErrorKind::InvalidType,
            "{size} GiB"
        );
    }

    aws.apply(orders, &grow(125)).await.unwrap();
    let now = aws.observe(orders).await.unwrap();
    assert_eq!(
        (now.state, now.resource.specification.storage_gib),
        (ResourceState::Running, Some(125.0))
    );
    assert_eq!(
        now.instance_type.as_deref(),
        Some("db.m5.large"),
        "the class is left alone"
    );
    aws.apply(orders, &Mutation::FailOver).await.unwrap();
    aws.apply(orders, &Mutation::Stop).await.unwrap();
    assert_eq!(
        refused(&aws, orders, &grow(200)).await,
        ActErrorKind::WrongState
    );
    assert_eq!(
        refused(&aws, orders, &Mutation::FailOver).await,
        ActErrorKind::WrongState
    );

    let mut switched_off = connection(moto.endpoint(), &["us-east-1"]);
    switched_off.allow_actions = false;
    assert_eq!(
        refused(&open(&switched_off).await, disk, &grow(50)).await,
        ActErrorKind::Denied
    );
}

#[tokio::test]
async fn a_group_is_scaled_within_its_own_maximum() {
    let moto = Moto::start().await.unwrap();
    moto.scaling_group("us-east-1", "web", "m5.large", 2)
        .await
        .unwrap();
    moto.group_bounds("us-east-1", "web", 1, 4).await.unwrap();
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let group = seen
        .resources
        .iter()
        .find(|one| one.kind == ResourceKind::ScalingGroup)
        .unwrap();

    assert_eq!(
        group.specification.capacity,
        Some(Capacity {
            min: 1,
            desired: 2,
            max: 4
        })
    );

    for (min, desired) in [(2, 5), (3, 2)] {
        assert_eq!(
            refused(&aws, group, &Mutation::Scale { min, desired }).await,
            ActErrorKind::InvalidType
        );
    }

    aws.apply(group, &Mutation::Scale { min: 4, desired: 4 })
        .await
        .unwrap();
    let now = aws.observe(group).await.unwrap();
    assert_eq!(
        now.resource.specification.capacity,
        Some(Capacity {
            min: 4,
            desired: 4,
            max: 4
        })
    );

    assert_eq!(now.state, ResourceState::Available, "all four serve");

    let members = |group: &Resource| {
        group
            .attached_to
            .iter()
            .filter(|id| id.as_str().starts_with("i-"))
            .count()
    };
    assert_eq!((members(group), members(&now.resource)), (2, 4));

    aws.apply(group, &Mutation::Scale { min: 1, desired: 2 })
        .await
        .unwrap();
    let back = aws.observe(group).await.unwrap().resource;
    assert_eq!(
        (back.specification.capacity, members(&back)),
        (group.specification.capacity, 2)
    );
    assert_eq!(
        refused(&aws, group, &Mutation::Stop).await,
        ActErrorKind::Other
    );

    let mut gone = group.clone();
    (gone.id, gone.name) = (ResourceId::new("arn:gone"), "gone".to_owned());
    assert_eq!(
        aws.observe(&gone).await.unwrap_err().kind,
        ActErrorKind::NotFound
    );
}

#[tokio::test]
async fn a_replica_is_made_and_only_what_reeve_made_is_removed() {
    let moto = Moto::start().await.unwrap();
    for id in ["orders", "other"] {
        moto.database("us-east-1", id, "db.m5.large", "postgres", &[])
            .await
            .unwrap();
    }

    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let orders = by_id(&seen, "orders");
    let remove = |name: &str| Mutation::RemoveReplica {
        name: name.to_owned(),
    };

    assert_eq!(
        refused(&aws, orders, &remove("other")).await,
        ActErrorKind::Denied,
        "a database of its own"
    );

    assert_eq!(
        refused(&aws, orders, &remove("orders")).await,
        ActErrorKind::Denied,
        "the source itself"
    );

    let replica = Mutation::Replicate {
        name: "orders-reeve-1".to_owned(),
    };
    aws.apply(orders, &replica).await.unwrap();
    let now = aws.observe(orders).await.unwrap();
    assert_eq!(
        (now.state, now.resource.specification.replicas.as_slice()),
        (ResourceState::Running, &["orders-reeve-1".to_owned()][..])
    );
    aws.apply(orders, &remove("orders-reeve-1")).await.unwrap();
    let mut ghost = orders.clone();
    ghost.id = ResourceId::new("orders-reeve-1");
    assert_eq!(
        aws.observe(&ghost).await.unwrap_err().kind,
        ActErrorKind::NotFound
    );
    assert!(aws.observe(by_id(&seen, "other")).await.is_ok());
}

#[tokio::test]
async fn a_database_loses_its_standby_and_gets_it_back() {
    let moto = Moto::start().await.unwrap();
    moto.database("us-east-1", "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let machine = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let orders = by_id(&seen, "orders");
    assert_eq!(orders.specification.multi_az, Some(true));

    for standby in [false, true] {
        assert_eq!(
            aws.apply(orders, &StandbyOperation { standby })
                .await
                .unwrap(),
            Applied::Accepted
        );
        let now = aws.observe(orders).await.unwrap();
        assert_eq!(
            (now.state, now.resource.specification.multi_az),
            (ResourceState::Running, Some(standby))
        );
    }

    let none = aws
        .apply(by_id(&seen, &machine), &StandbyOperation { standby: true })
        .await
        .unwrap_err();
    assert!(none.message.contains("only databases"), "{none}");
}

#[tokio::test]
async fn a_volume_gets_another_type_and_performance() {
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);

    let disk = moto
        .volume("us-east-1", "gp2", 500, Some(&machine), &[])
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let disk = by_id(&seen, &disk);
    assert_eq!(disk.specification.storage_type.as_deref(), Some("gp2"));

    let setup = VolumeSetup {
        storage_type: "gp3".to_owned(),
        iops: Some(4_000),
        throughput_mibps: Some(125),
    };

    let operation = VolumeOperation {
        setup: setup.clone(),
    };
    assert_eq!(
        aws.apply(disk, &operation).await.unwrap(),
        Applied::Accepted
    );

    let now = aws.observe(disk).await.unwrap();
    assert_eq!(
        (
            now.state,
            VolumeSetup::from_specification(&now.resource.specification)
        ),
        (ResourceState::Available, Some(setup))
    );

    let on_machine = aws
        .apply(by_id(&seen, &machine), &operation)
        .await
        .unwrap_err();
    assert_eq!(on_machine.kind, ActErrorKind::Other);
}

#[tokio::test]
async fn what_nothing_uses_is_removed_and_what_is_used_is_kept() {
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);

    let (free, taken) = (
        moto.address("us-east-1", "free").await.unwrap(),
        moto.address("us-east-1", "taken").await.unwrap(),
    );
    moto.associate("us-east-1", &taken, &machine).await.unwrap();
    let out = moto.address("us-east-1", "out").await.unwrap();
    let (gateway, table) = moto.gateway("us-east-1", &out).await.unwrap();
    let balancer = moto
        .load_balancer("us-east-1", "web", std::slice::from_ref(&machine), &[])
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let state = |id: &str| (by_id(&seen, id).state, by_id(&seen, id).attached_to.clone());
    assert_eq!(state(&free), (ResourceState::Unattached, Vec::new()));
    assert_eq!(state(&taken).0, ResourceState::Available);
    assert_eq!(
        state(&out).0,
        ResourceState::Available,
        "the gateway has it"
    );

    assert_eq!(
        state(&gateway),
        (ResourceState::Available, vec![ResourceId::new(table)])
    );
    assert!(by_id(&seen, &gateway).monthly_cost > by_id(&seen, &free).monthly_cost);

    let error = aws
        .apply(by_id(&seen, &taken), &RemoveOperation)
        .await
        .unwrap_err();
    assert_eq!(
        error.kind,
        ActErrorKind::WrongState,
        "moto would take it away from the machine"
    );

    for id in [&free, &gateway, &balancer] {
        let known = by_id(&seen, id);
        let now = aws.observe(known).await.unwrap();
        assert_eq!(
            (now.state, &now.resource.attached_to),
            (known.state, &known.attached_to),
            "{id}"
        );
        assert_eq!(
            aws.apply(known, &RemoveOperation).await.unwrap(),
            Applied::Accepted
        );
        assert_eq!(
            aws.observe(known).await.unwrap().state,
            ResourceState::Deleted,
            "{id}"
        );
    }

    let error = aws
        .apply(by_id(&seen, &machine), &RemoveOperation)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ActErrorKind::Other);

    let after = aws.inventory().await.unwrap();
    assert!(
        after
            .resources
            .iter()
            .all(|one| ![&free, &gateway, &balancer].contains(&&one.id.0))
    );
}
