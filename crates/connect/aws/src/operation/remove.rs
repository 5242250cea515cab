//! Removal of snapshots, volumes, addresses, NAT gateways and load balancers that nothing uses.

use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::{DeleteSnapshotOperation, RemoveOperation};

use super::Answer;
use crate::inventory::elb;
use crate::session::AwsConnection;

/// Answers the operations that remove a resource, and leaves the others.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    if let Some(DeleteSnapshotOperation { kept }) = operation.downcast_ref() {
        return Some(Box::pin(delete_snapshot(cloud, resource, kept)));
    }
    operation.downcast_ref::<RemoveOperation>()?;
    Some(Box::pin(apply(cloud, resource)))
}

async fn delete_snapshot(
    cloud: &AwsConnection,
    snapshot: &Resource,
    kept: &[String],
) -> Result<Applied, ActError> {
    if snapshot.kind != ResourceKind::Snapshot {
        let message = format!("{} is a {}, not a snapshot", snapshot.id, snapshot.kind);
        return Err(ActError {
            kind: ActErrorKind::Other,
            message,
        });
    }

    let place = cloud.place(&snapshot.account, &snapshot.region);
    cloud
        .ec2(place)
        .delete_snapshot(snapshot.id.as_str(), kept)
        .await?;
    Ok(Applied::Accepted)
}

async fn apply(cloud: &AwsConnection, resource: &Resource) -> Result<Applied, ActError> {
    let (place, id) = (
        cloud.place(&resource.account, &resource.region),
        resource.id.as_str(),
    );
    match resource.kind {
        ResourceKind::Volume => cloud.ec2(place).delete_volume(id).await?,
        ResourceKind::IpAddress => cloud.ec2(place).release(id).await?,
        ResourceKind::NatGateway => cloud.ec2(place).delete_gateway(id).await?,
        ResourceKind::LoadBalancer => elb::delete_balancer(cloud, place, id).await?,
        kind => {
            let message = format!(
                "{id} is a {kind}: Reeve removes volumes, addresses, NAT gateways and load balancers alone"
            );
            return Err(ActError {
                kind: ActErrorKind::Other,
                message,
            });
        }
    }

    Ok(Applied::Accepted)
}
