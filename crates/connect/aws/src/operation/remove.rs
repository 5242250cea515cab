//! Removal of addresses, NAT gateways and load balancers that nothing uses.

use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::RemoveOperation;

use super::Answer;
use crate::inventory::elb;
use crate::session::AwsConnection;

/// Takes removals.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    operation.downcast_ref::<RemoveOperation>()?;
    Some(Box::pin(apply(cloud, resource)))
}

async fn apply(cloud: &AwsConnection, resource: &Resource) -> Result<Applied, ActError> {
    let (place, id) = (cloud.place(&resource.account, &resource.region), resource.id.as_str());
    match resource.kind {
        ResourceKind::IpAddress => cloud.ec2(place).release(id).await?,
        ResourceKind::NatGateway => cloud.ec2(place).delete_gateway(id).await?,
        ResourceKind::LoadBalancer => elb::delete_balancer(cloud, place, id).await?,
        kind => {
            let message = format!("{id} is a {kind}: Reeve removes addresses, NAT gateways and load balancers alone");
            return Err(ActError { kind: ActErrorKind::Other, message });
        }
    }
    Ok(Applied::Accepted)
}
