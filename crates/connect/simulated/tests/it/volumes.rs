//! Setups of the simulated estate's volumes: they hold after a while, are kept, and what EBS
//! refuses is refused.

use jiff::SignedDuration;
use reeve_connect_simulated::SimulatedEstate;
use reeve_estate::{Act, ActErrorKind, Observe, Resource, ResourceKind, ResourceState};
use reeve_recommend::change::{VolumeOperation, VolumeSetup};

use crate::{account, quiet, settings};

fn gp3(iops: u32, mibps: u32) -> VolumeOperation {
    VolumeOperation {
        setup: VolumeSetup {
            storage_type: "gp3".to_owned(),
            iops: Some(iops),
            throughput_mibps: Some(mibps),
        },
    }
}

#[tokio::test]
async fn a_volume_is_modified_while_it_is_in_use_and_not_again_for_six_hours() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let all = aws.inventory().await.unwrap().resources;
    let disk = |kind: &str| -> Resource {
        let fits = |one: &&Resource| {
            one.kind == ResourceKind::Volume
                && one.state == ResourceState::Available
                && one.specification.storage_type.as_deref() == Some(kind)
        };
        all.iter().find(fits).unwrap().clone()
    };
    let (old, provisioned) = (disk("gp2"), disk("io1"));

    for (iops, mibps) in [
        (2_900, 125),
        (20_000, 125),
        (3_000, 1_100),
        (3_000, 800),
        (3_000, 100),
    ] {
        let error = aws
            .apply(&provisioned, &gp3(iops, mibps))
            .await
            .unwrap_err();
        assert_eq!(
            error.kind,
            ActErrorKind::InvalidType,
            "{iops} IOPS, {mibps} MiB/s: {error}"
        );
    }

    aws.apply(&old, &gp3(3_000, 125)).await.unwrap();
    let seen = aws.observe(&old).await.unwrap().resource;
    assert_eq!(seen.state, ResourceState::Changing);

    let error = aws.apply(&old, &gp3(4_000, 125)).await.unwrap_err();
    assert_eq!(error.kind, ActErrorKind::WrongState);
    hands.forward(SignedDuration::from_mins(10));
    let seen = aws.observe(&old).await.unwrap().resource;
    assert_eq!(
        (
            seen.state,
            VolumeSetup::from_specification(&seen.specification)
        ),
        (ResourceState::Available, Some(gp3(3_000, 125).setup))
    );

    assert!(
        seen.monthly_cost < old.monthly_cost,
        "{:?} {:?}",
        seen.monthly_cost,
        old.monthly_cost
    );

    let error = aws.apply(&old, &gp3(4_000, 125)).await.unwrap_err();
    assert!(error.message.contains("six hours"), "{error}");

    let again = SimulatedEstate::restore_with(&estate.snapshot(), settings(&hands)).unwrap();
    let kept = account(&again, "acme-production")
        .observe(&old)
        .await
        .unwrap()
        .resource;
    assert_eq!(kept.specification, seen.specification);

    let machine = all
        .iter()
        .find(|one| one.kind == ResourceKind::VirtualMachine)
        .unwrap();
    assert_eq!(
        aws.apply(machine, &gp3(3_000, 125)).await.unwrap_err().kind,
        ActErrorKind::Other
    );
}
