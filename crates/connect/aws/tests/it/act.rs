//! Changes: what the real cloud refuses is refused here too, although moto would take it.

use std::time::Duration;

use reeve_connect_aws::AwsConnection;
use reeve_estate::{
    Act, ActErrorKind, Applied, Mutation, Observe, Resource, ResourceSnapshot, ResourceState,
};
use reeve_testkit::moto::Moto;

use crate::{by_id, connection, open};

fn resize(to: &str) -> Mutation {
    Mutation::Resize {
        instance_type: to.into(),
    }
}

fn snapshot() -> Mutation {
    Mutation::Snapshot {
        description: "before recommendation 7 (m5.large → t3.medium)".into(),
    }
}

async fn refused(aws: &AwsConnection, resource: &Resource, mutation: &Mutation) -> ActErrorKind {
    aws.apply(resource, mutation).await.unwrap_err().kind
}

/// Waits until the resource is in a state; the emulator may take a moment.
async fn settles(aws: &AwsConnection, resource: &Resource, state: ResourceState) -> Option<String> {
    let waiting = async {
        loop {
            let observed = aws.observe(resource).await.unwrap();
            if observed.state == state {
                return observed.instance_type;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .unwrap_or_else(|_| panic!("{} never {state}", resource.id))
}

async fn completes(aws: &AwsConnection, resource: &Resource, applied: Applied) -> ResourceSnapshot {
    let Applied::Snapshot(snapshot) = applied else {
        panic!("{applied:?}")
    };

    let waiting = async {
        while !aws
            .snapshot_complete(&resource.id, &resource.region, &snapshot)
            .await
            .unwrap()
        {
            tokio::task::yield_now().await;
        }
    };

    tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .unwrap();
    snapshot
}

#[tokio::test]
async fn stop_resize_start_changes_the_type() {
    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines("us-east-1", "m5.xlarge", 1, &[("Name", "web")])
        .await
        .unwrap()
        .remove(0);

    let data = moto
        .volume("us-east-1", "gp3", 20, Some(&id), &[])
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let machine = by_id(&seen, &id);

    let volumes = aws.volumes_of(machine).await.unwrap();
    assert!(
        volumes.iter().any(|v| v.id.as_str() == data)
            && volumes
                .iter()
                .all(|v| v.attached_to == [machine.id.clone()])
    );

    let volume = by_id(&seen, &data);
    let taken = aws.apply(volume, &snapshot()).await.unwrap();
    assert!(completes(&aws, volume, taken).await.id.starts_with("snap-"));

    assert_eq!(
        refused(&aws, machine, &resize("m5.large")).await,
        ActErrorKind::WrongState,
        "it runs"
    );
    aws.apply(machine, &Mutation::Stop).await.unwrap();
    settles(&aws, machine, ResourceState::Stopped).await;
    assert_eq!(
        refused(&aws, machine, &resize("m5.gigantic")).await,
        ActErrorKind::InvalidType,
        "no such type"
    );

    assert_eq!(
        refused(&aws, machine, &resize("m6g.large")).await,
        ActErrorKind::InvalidType,
        "another architecture"
    );

    assert_eq!(
        aws.apply(machine, &resize("m5.large")).await.unwrap(),
        Applied::Accepted
    );
    aws.apply(machine, &Mutation::Start).await.unwrap();
    assert_eq!(
        settles(&aws, machine, ResourceState::Running)
            .await
            .as_deref(),
        Some("m5.large")
    );

    let observed = aws.observe(machine).await.unwrap();
    assert_eq!(
        (
            observed.resource.name.as_str(),
            observed.resource.monthly_cost.unwrap().usd_cents()
        ),
        ("web", 70.08)
    );
}

#[tokio::test]
async fn a_database_is_resized_running_and_snapshot() {
    let moto = Moto::start().await.unwrap();
    moto.database("us-east-1", "orders", "db.m5.xlarge", "postgres", &[])
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let orders = by_id(&seen, "orders");
    let taken = aws.apply(orders, &snapshot()).await.unwrap();
    assert!(
        completes(&aws, orders, taken)
            .await
            .id
            .starts_with("reeve-orders-")
    );

    aws.apply(orders, &resize("db.m5.large")).await.unwrap();
    assert_eq!(
        settles(&aws, orders, ResourceState::Running)
            .await
            .as_deref(),
        Some("db.m5.large")
    );

    assert_eq!(
        refused(&aws, orders, &resize("db.m5.gigantic")).await,
        ActErrorKind::InvalidType
    );
    aws.apply(orders, &Mutation::Stop).await.unwrap();
    settles(&aws, orders, ResourceState::Stopped).await;
    assert_eq!(
        refused(&aws, orders, &resize("db.m5.xlarge")).await,
        ActErrorKind::WrongState
    );
    aws.apply(orders, &Mutation::Start).await.unwrap();
    settles(&aws, orders, ResourceState::Running).await;
}

#[tokio::test]
async fn impossible_changes_are_refused() {
    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);
    moto.bucket("us-east-1", "logs", &[]).await.unwrap();
    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let machine = by_id(&seen, &id);
    assert_eq!(
        refused(&aws, machine, &snapshot()).await,
        ActErrorKind::Other
    );
    assert_eq!(
        refused(&aws, by_id(&seen, "logs"), &Mutation::Stop).await,
        ActErrorKind::Other
    );

    let mut gone = machine.clone();
    gone.id = reeve_estate::ResourceId::new("i-0123456789abcdef0");
    assert_eq!(
        refused(&aws, &gone, &Mutation::Stop).await,
        ActErrorKind::NotFound
    );
    assert_eq!(
        aws.observe(&gone).await.unwrap_err().kind,
        ActErrorKind::NotFound
    );

    let mut switched_off = connection(moto.endpoint(), &["us-east-1"]);
    switched_off.allow_actions = false;
    let aws = open(&switched_off).await;
    assert_eq!(
        refused(&aws, machine, &Mutation::Stop).await,
        ActErrorKind::Denied
    );
    assert_eq!(
        aws.observe(machine).await.unwrap().state,
        ResourceState::Running
    );
}
