//! Tags of machines and volumes.

use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::TagOperation;

use super::Answer;
use crate::session::AwsConnection;

/// Takes operations on tags.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<TagOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    resource: &Resource,
    operation: &TagOperation,
) -> Result<Applied, ActError> {
    if !matches!(
        resource.kind,
        ResourceKind::VirtualMachine | ResourceKind::Volume
    ) {
        let message = format!(
            "{} is a {}: Reeve tags machines and volumes",
            resource.id, resource.kind
        );
        return Err(ActError {
            kind: ActErrorKind::Other,
            message,
        });
    }

    let ec2 = cloud.ec2(cloud.place(&resource.account, &resource.region));
    match operation {
        TagOperation::Set { key, value } => ec2.set_tag(resource.id.as_str(), key, value).await?,
        TagOperation::Remove { key } => ec2.remove_tag(resource.id.as_str(), key).await?,
    }

    Ok(Applied::Accepted)
}
