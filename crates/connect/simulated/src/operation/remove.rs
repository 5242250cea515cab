//! Removal of addresses, NAT gateways and load balancers. AWS alone: the other clouds' are not what Reeve removes.

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Provider, Resource, ResourceKind, ResourceState};
use reeve_recommend::change::RemoveOperation;

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::{refuse, wrong_state};

/// Takes removals.
pub(super) fn offer(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    now: Timestamp,
) -> Option<Result<(), ActError>> {
    operation.downcast_ref::<RemoveOperation>()?;
    Some(apply(account, conditions, resource, now))
}

fn apply(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    now: Timestamp,
) -> Result<(), ActError> {
    let wanted = match resource.kind {
        ResourceKind::IpAddress => ResourceState::Unattached,
        ResourceKind::NatGateway | ResourceKind::LoadBalancer if resource.provider == Provider::Aws => {
            ResourceState::Available
        }
        kind => {
            let said = format!("{} is a {kind} of {}, which is not removed here", resource.id, resource.provider);
            return Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said));
        }
    };
    if resource.state != wanted {
        return Err(wrong_state(resource, wanted.as_str()));
    }
    // An address is gone at once, the others take their time.
    let seconds = match resource.kind {
        ResourceKind::IpAddress => 0.0,
        _ => account.takes(resource, now, 20.0, 60.0),
    };
    let gone_at = account.world.settings.after(now, seconds);
    let condition = conditions.resources.entry(resource.id.clone()).or_default();
    (condition.settles_at, condition.terminated_at) = (Some(gone_at), Some(gone_at));
    Ok(())
}
