//! Exchange of a security group for one with tight rules.

use reeve_connect_aws_ec2::Ec2;
use reeve_estate::{ActError, Applied, Operation, Resource};
use reeve_recommend::change::GroupOperation;

use super::Answer;
use crate::session::AwsConnection;

/// Takes operations on a group and the one in its place.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<GroupOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    resource: &Resource,
    operation: &GroupOperation,
) -> Result<Applied, ActError> {
    let ec2 = cloud.ec2(cloud.place(&resource.account, &resource.region));
    let id = resource.id.as_str();
    match operation {
        GroupOperation::MakeReplacement { rules } => ec2.make_replacement(id, rules).await?,
        GroupOperation::DeleteReplacement => ec2.delete_replacement(id).await?,
        other => regroup(&ec2, id, other).await?,
    }
    Ok(Applied::Accepted)
}

/// Sets the groups of each interface whose groups the operation changes.
async fn regroup(ec2: &Ec2, id: &str, operation: &GroupOperation) -> Result<(), ActError> {
    let before = ec2.group_use(id).await?;
    let mut after = before.clone();
    operation.apply(&mut after, id, "");

    for (interface, groups) in &after.interfaces {
        if before.interfaces.get(interface) != Some(groups) {
            ec2.set_interface_groups(interface, groups).await?;
        }
    }
    Ok(())
}
