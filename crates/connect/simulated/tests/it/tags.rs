//! Tags of the simulated estate: they hold at once, are kept, and go again.

use reeve_connect_simulated::SimulatedEstate;
use reeve_estate::{Act, ActErrorKind, Observe, ResourceKind};
use reeve_recommend::change::TagOperation;

use crate::{account, quiet, settings};

#[tokio::test]
async fn a_tag_is_set_kept_and_removed() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let all = aws.inventory().await.unwrap().resources;
    let of = |kind: ResourceKind| all.iter().find(|one| one.kind == kind).unwrap();
    let machine = of(ResourceKind::VirtualMachine);
    let (key, value) = ("owner-of-record".to_owned(), "payments".to_owned());
    aws.apply(
        machine,
        &TagOperation::Set {
            key: key.clone(),
            value,
        },
    )
    .await
    .unwrap();

    let seen = aws.observe(machine).await.unwrap().resource;
    assert_eq!(
        (seen.tag(&key), seen.state),
        (Some("payments"), machine.state)
    );

    let kept = estate.snapshot();
    let again = SimulatedEstate::restore_with(&kept, settings(&hands)).unwrap();
    let restored = account(&again, "acme-production");
    assert_eq!(
        restored.observe(machine).await.unwrap().resource.tag(&key),
        Some("payments")
    );
    restored
        .apply(machine, &TagOperation::Remove { key: key.clone() })
        .await
        .unwrap();
    assert_eq!(
        restored.observe(machine).await.unwrap().resource.tags,
        machine.tags
    );

    let error = aws
        .apply(
            of(ResourceKind::ScalingGroup),
            &TagOperation::Remove { key },
        )
        .await
        .unwrap_err();

    assert_eq!(error.kind, ActErrorKind::Other);
}
