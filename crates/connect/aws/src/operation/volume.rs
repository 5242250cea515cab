//! Type, IOPS and throughput of volumes.

use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::{VolumeOperation, VolumeSetup};

use super::Answer;
use crate::session::AwsConnection;

/// Takes changes of a volume's setup.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<VolumeOperation>()?;
    Some(Box::pin(apply(cloud, resource, &operation.setup)))
}

async fn apply(
    cloud: &AwsConnection,
    volume: &Resource,
    setup: &VolumeSetup,
) -> Result<Applied, ActError> {
    if volume.kind != ResourceKind::Volume {
        let message = format!(
            "{} is a {}: only volumes have a type and IOPS",
            volume.id, volume.kind
        );
        return Err(ActError {
            kind: ActErrorKind::Other,
            message,
        });
    }

    let ec2 = cloud.ec2(cloud.place(&volume.account, &volume.region));
    ec2.modify_volume(
        volume.id.as_str(),
        &setup.storage_type,
        setup.iops,
        setup.throughput_mibps,
    )
    .await?;

    Ok(Applied::Accepted)
}
