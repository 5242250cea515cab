//! Standbys of the simulated estate's databases: they are there after a while, are kept, and go
//! away again.

use jiff::SignedDuration;
use reeve_connect_simulated::SimulatedEstate;
use reeve_estate::{Act, ActErrorKind, Observe, ResourceKind, ResourceState};
use reeve_recommend::change::StandbyOperation;

use crate::{account, quiet, settings};

#[tokio::test]
async fn a_database_gets_a_standby_while_it_serves_and_loses_it_again() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let all = aws.inventory().await.unwrap().resources;
    let single = all.iter().find(|one| one.name == "reviews").unwrap();
    assert_eq!(single.specification.multi_az, Some(false));
    aws.apply(single, &StandbyOperation { standby: true })
        .await
        .unwrap();
    let seen = aws.observe(single).await.unwrap().resource;
    assert_eq!(
        (seen.state, seen.specification.multi_az),
        (ResourceState::Changing, Some(false))
    );
    hands.forward(SignedDuration::from_mins(10));
    let seen = aws.observe(single).await.unwrap().resource;
    assert_eq!(
        (seen.state, seen.specification.multi_az),
        (ResourceState::Running, Some(true))
    );
    assert_eq!(
        seen.specification.standby_zone.as_deref(),
        Some("eu-west-1b")
    );

    let again = SimulatedEstate::restore_with(&estate.snapshot(), settings(&hands)).unwrap();
    let kept = account(&again, "acme-production")
        .observe(single)
        .await
        .unwrap()
        .resource;
    assert_eq!(kept.specification, seen.specification);
    aws.apply(&seen, &StandbyOperation { standby: false })
        .await
        .unwrap();
    hands.forward(SignedDuration::from_mins(10));
    assert_eq!(
        aws.observe(single).await.unwrap().resource.specification,
        single.specification
    );

    let machine = all
        .iter()
        .find(|one| one.kind == ResourceKind::VirtualMachine)
        .unwrap();
    let error = aws
        .apply(machine, &StandbyOperation { standby: true })
        .await
        .unwrap_err();
    assert_eq!(error.kind, ActErrorKind::Other);
}
