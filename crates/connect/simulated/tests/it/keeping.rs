//! Tests of the state kept over a restart.

use jiff::SignedDuration;
use reeve_connect_simulated::{RestoreError, SimulatedEstate};
use reeve_estate::{Act, Applied, Metric, Mutation, Observe, ResourceState};
use serde_json::json;

use crate::{account, anchor, days, named, points, quiet, settings};

#[tokio::test]
async fn changes_survive() {
    let (estate, hands) = quiet();
    assert!(estate.changed(), "a beginning has to be kept");

    let empty = estate.snapshot();
    assert!(!estate.changed());

    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "recommender").await;
    let member = named(&aws, "checkout-api-a").await;
    let volume = named(&aws, "old-orders-data").await;
    aws.apply(&machine, &Mutation::Stop).await.unwrap();
    aws.apply(&member, &Mutation::Stop).await.unwrap();
    hands.forward(SignedDuration::from_secs(120));
    aws.apply(
        &machine,
        &Mutation::Resize {
            instance_type: "m6i.2xlarge".to_owned(),
        },
    )
    .await
    .unwrap();

    let snapshot = Mutation::Snapshot {
        description: "kept".to_owned(),
    };
    let Applied::Snapshot(made) = aws.apply(&volume, &snapshot).await.unwrap() else {
        panic!("no snapshot")
    };

    assert!(estate.changed());

    let kept = estate.snapshot();
    assert!(
        kept.to_string().len() < 4_000,
        "{} bytes",
        kept.to_string().len()
    );
    assert_ne!(kept, empty);

    let again = SimulatedEstate::restore_with(&kept, settings(&hands)).unwrap();
    assert!(!again.changed());
    assert_eq!(again.anchor(), anchor());

    let restored = account(&again, "acme-production");
    let seen = restored.observe(&machine).await.unwrap();
    assert_eq!(
        (seen.state, seen.instance_type.as_deref()),
        (ResourceState::Stopped, Some("m6i.2xlarge"))
    );
    assert!(
        restored
            .snapshot_complete(&volume.id, &volume.region, &made)
            .await
            .is_ok()
    );

    let (before, after) = (
        aws.inventory().await.unwrap().resources,
        restored.inventory().await.unwrap().resources,
    );
    assert_eq!(before, after);

    let start = anchor() - days(1);
    let cpu = Metric::CpuUtilization;
    assert_eq!(
        points(&aws, &machine, cpu, start, hands.now()).await,
        points(&restored, &machine, cpu, start, hands.now()).await
    );
    assert_eq!(again.snapshot(), kept);
}

#[test]
fn a_malformed_state_is_refused() {
    let (estate, _) = quiet();
    let kept = estate.snapshot();
    let with = |name: &str, value: serde_json::Value| {
        let mut changed = kept.clone();
        changed[name] = value;
        SimulatedEstate::restore(&changed).err().unwrap()
    };

    assert!(matches!(
        with("version", json!(2)),
        RestoreError::Version(2)
    ));
    assert!(matches!(
        with("anchor_ms", json!(i64::MAX)),
        RestoreError::Time(i64::MAX)
    ));
    assert!(matches!(
        with("seed", json!("x")),
        RestoreError::Malformed(_)
    ));
    assert!(matches!(
        with("colour", json!("red")),
        RestoreError::Malformed(_)
    ));
    assert!(matches!(
        SimulatedEstate::restore(&json!(null)).err().unwrap(),
        RestoreError::Malformed(_)
    ));
}
