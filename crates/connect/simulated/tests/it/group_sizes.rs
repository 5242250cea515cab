//! Sizes of a simulated group's members: a version of its launch template, the refresh to it, and
//! the way back.

use jiff::SignedDuration;
use reeve_connect_simulated::{SimulatedAccount, SimulatedEstate};
use reeve_estate::{Act, ActErrorKind, GroupTemplate, Resource, ResourceState};
use reeve_recommend::change::GroupSizeOperation;

use crate::{account, named, quiet, settings};

async fn seen(aws: &SimulatedAccount, group: &Resource) -> (ResourceState, GroupTemplate) {
    let group = aws.observe(group).await.unwrap().resource;
    (group.state, group.specification.template.unwrap())
}

#[tokio::test]
async fn members_are_replaced_one_by_one_and_back() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let group = named(&aws, "gift-api").await;
    let (state, first) = seen(&aws, &group).await;
    assert_eq!(
        (state, first.version.as_str(), first.refreshing),
        (ResourceState::Available, "1", Some(false))
    );

    let make = |size: &str, from: &str| GroupSizeOperation::NewVersion {
        template: first.id.clone(),
        from_version: from.to_owned(),
        instance_type: size.to_owned(),
    };

    let kind = async |operation: GroupSizeOperation| {
        aws.apply(&group, &operation)
            .await
            .map_err(|error| error.kind)
    };

    assert_eq!(
        kind(make("m5.huge", "1")).await,
        Err(ActErrorKind::InvalidType)
    );
    assert_eq!(
        kind(make("m5.xlarge", "7")).await,
        Err(ActErrorKind::WrongState)
    );

    let missing = GroupSizeOperation::UseVersion {
        template: first.id.clone(),
        version: "9".to_owned(),
    };
    assert_eq!(kind(missing).await, Err(ActErrorKind::NotFound));
    kind(make("m5.xlarge", "1")).await.unwrap();
    let (_, made) = seen(&aws, &group).await;
    assert_eq!(
        (made.version.as_str(), made.instance_type.as_deref()),
        ("2", Some("m5.xlarge"))
    );
    assert_eq!(
        made.member_types,
        ["m5.2xlarge"],
        "no member was replaced yet"
    );

    kind(GroupSizeOperation::Refresh).await.unwrap();
    assert_eq!(seen(&aws, &group).await.0, ResourceState::Changing);
    assert_eq!(
        kind(GroupSizeOperation::Refresh).await,
        Err(ActErrorKind::WrongState),
        "one at a time"
    );
    hands.forward(SignedDuration::from_secs(70));
    let (_, half) = seen(&aws, &group).await;
    assert_eq!((half.member_types.len(), half.refreshing), (2, Some(true)));

    let again = SimulatedEstate::restore_with(&estate.snapshot(), settings(&hands)).unwrap();
    assert_eq!(
        seen(&account(&again, "acme-production"), &group).await.1,
        half,
        "it is kept"
    );

    // Cancelled halfway: one member has the new size and stays.
    kind(GroupSizeOperation::CancelRefresh).await.unwrap();
    hands.forward(SignedDuration::from_mins(10));
    let (state, mixed) = seen(&aws, &group).await;
    assert_eq!(
        (state, mixed.member_types.len(), mixed.refreshing),
        (ResourceState::Available, 2, Some(false))
    );

    let back = GroupSizeOperation::UseVersion {
        template: first.id.clone(),
        version: "1".to_owned(),
    };
    kind(back).await.unwrap();
    kind(GroupSizeOperation::Refresh).await.unwrap();
    hands.forward(SignedDuration::from_mins(10));
    assert_eq!(seen(&aws, &group).await, (ResourceState::Available, first));
}
