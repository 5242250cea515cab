//! Removals in the simulated estate, as AWS takes and refuses them: what was removed is gone for
//! good, and frees the address it had.

use jiff::SignedDuration;
use reeve_connect_simulated::SimulatedEstate;
use reeve_estate::{Act, ActErrorKind, Metric, ResourceState};
use reeve_recommend::change::RemoveOperation;

use crate::{account, anchor, days, named, points, quiet, settings};

#[tokio::test]
async fn a_gateway_is_removed_for_good_and_frees_its_address() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let gateway = named(&aws, "egress-legacy").await;
    let address = named(&aws, "egress-legacy-address").await;
    assert_eq!(
        (address.state, address.attached_to.as_slice()),
        (ResourceState::Available, &[gateway.id.clone()][..])
    );

    let refused = aws.apply(&address, &RemoveOperation).await.unwrap_err();
    assert_eq!(refused.kind, ActErrorKind::WrongState, "the gateway has it");
    aws.apply(&gateway, &RemoveOperation).await.unwrap();
    assert_eq!(
        aws.observe(&gateway).await.unwrap().state,
        ResourceState::Changing
    );
    hands.forward(SignedDuration::from_mins(5));
    assert_eq!(
        aws.observe(&gateway).await.unwrap().state,
        ResourceState::Deleted
    );

    let address = named(&aws, "egress-legacy-address").await;
    assert_eq!(
        (address.state, address.attached_to.as_slice()),
        (ResourceState::Unattached, &[][..])
    );
    aws.apply(&address, &RemoveOperation).await.unwrap();
    assert_eq!(
        aws.observe(&address).await.unwrap().state,
        ResourceState::Deleted
    );

    let again = SimulatedEstate::restore_with(&estate.snapshot(), settings(&hands)).unwrap();
    let kept = account(&again, "acme-production");
    assert_eq!(
        kept.observe(&gateway).await.unwrap().state,
        ResourceState::Deleted
    );
    hands.forward(SignedDuration::from_hours(2));
    assert_eq!(
        kept.observe(&gateway).await.unwrap_err().kind,
        ActErrorKind::NotFound
    );

    let machine = named(&kept, "bastion").await;
    assert_eq!(
        kept.apply(&machine, &RemoveOperation)
            .await
            .unwrap_err()
            .kind,
        ActErrorKind::Other
    );
}

#[tokio::test]
async fn an_idle_balancer_reports_its_units_and_no_request() {
    let (estate, _) = quiet();
    let aws = account(&estate, "acme-production");
    let idle = named(&aws, "summer-campaign").await;
    assert!(idle.attached_to.is_empty());

    let (from, to) = (anchor() - days(7), anchor());
    let units = points(&aws, &idle, Metric::CapacityUnits, from, to).await;
    assert!(units.len() == 7 * 288 && units.iter().all(|unit| unit.value == 0.0));
    assert!(
        points(&aws, &idle, Metric::RequestRate, from, to)
            .await
            .is_empty()
    );

    let used = named(&aws, "egress-main").await;
    assert!(
        points(&aws, &used, Metric::NetworkOut, from, to)
            .await
            .iter()
            .all(|point| point.value > 1e5)
    );
}
