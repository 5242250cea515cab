//! Launch template versions and instance refreshes of scaling groups.

use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::GroupSizeOperation;

use super::Answer;
use crate::session::AwsConnection;

/// Takes changes of the size of a group's members.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<GroupSizeOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    group: &Resource,
    operation: &GroupSizeOperation,
) -> Result<Applied, ActError> {
    if group.kind != ResourceKind::ScalingGroup {
        let message = format!(
            "{} is a {}: only scaling groups have a launch template",
            group.id, group.kind
        );
        return Err(ActError {
            kind: ActErrorKind::Other,
            message,
        });
    }

    let place = cloud.place(&group.account, &group.region);
    let ec2 = cloud.ec2(place.clone());
    cloud
        .scaling(place)
        .change_size(&ec2, &group.name, operation)
        .await?;

    Ok(Applied::Accepted)
}
