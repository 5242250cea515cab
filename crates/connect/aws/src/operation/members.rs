//! End of single members of scaling groups.

use reeve_connect_aws_ec2::query;
use reeve_connect_aws_ec2::{AwsEc2Fault, FaultKind, Form, refused_only};
use reeve_estate::{ActError, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::EndMember;

use super::{Answer, other};
use crate::inventory::autoscaling::{AUTO_SCALING, Scaling};
use crate::session::AwsConnection;

/// Takes the end of a member.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<EndMember>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    group: &Resource,
    operation: &EndMember,
) -> Result<Applied, ActError> {
    if group.kind != ResourceKind::ScalingGroup {
        let message = format!("{} is a {}: it has no members", group.id, group.kind);
        return Err(other(message));
    }
    let place = cloud.place(&group.account, &group.region);
    cloud
        .scaling(place)
        .end_member(&group.name, operation)
        .await?;
    Ok(Applied::Accepted)
}

impl Scaling {
    /// Ends a member and lowers the desired capacity with it, in one call. A member that ends or is
    /// gone is left alone: the call must not take another one.
    async fn end_member(&self, name: &str, operation: &EndMember) -> Result<(), AwsEc2Fault> {
        let EndMember { member, min } = operation;
        let call = self
            .place
            .call("autoscaling:TerminateInstanceInAutoScalingGroup");
        let refusal = |message: String| Err(call.fault(FaultKind::Other, None, &message));

        let (group, members) = self.members(name).await?;
        let Some(found) = members.iter().find(|one| one.id == *member) else {
            return Ok(());
        };
        if found.lifecycle.starts_with("Terminat") {
            return Ok(());
        }
        if found.is_protected {
            return refusal(format!("{name} protects {member} from scale-in"));
        }
        let least = group.specification.capacity.map(|now| now.min.max(*min));
        let desired = group.specification.capacity.map(|now| now.desired);
        if desired <= least {
            return refusal(format!(
                "{name} has no more than its least number of members"
            ));
        }

        let parameters = Form::new()
            .with("InstanceId", member)
            .with("ShouldDecrementDesiredCapacity", "true");
        refused_only(self.pace, || {
            query::ask(&self.changes, call, AUTO_SCALING, parameters.clone())
        })
        .await
        .map(|_| ())
    }
}
