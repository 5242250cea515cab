//! Removal of snapshots, volumes, addresses, NAT gateways and load balancers. Of the latter AWS's
//! alone: the other clouds' are not what Reeve removes.

use jiff::Timestamp;
use reeve_estate::{
    ActError, ActErrorKind, Operation, Provider, Resource, ResourceId, ResourceKind, ResourceState,
};
use reeve_recommend::change::{DeleteSnapshotOperation, RemoveOperation};

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::{refuse, wrong_state};

/// Answers the operations that remove a resource, and leaves the others.
pub(super) fn offer(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    now: Timestamp,
) -> Option<Result<(), ActError>> {
    if let Some(DeleteSnapshotOperation { kept }) = operation.downcast_ref() {
        let is_there = |id: &String| {
            account
                .live(&ResourceId::new(id.as_str()), conditions, now)
                .is_some()
        };
        return Some(match kept.iter().find(|id| !is_there(id)) {
            Some(gone) => Err(refuse(
                ActErrorKind::WrongState,
                "IncorrectState",
                &format!("{gone} is gone"),
            )),
            None => apply(account, conditions, resource, now),
        });
    }

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
        ResourceKind::IpAddress | ResourceKind::Volume => ResourceState::Unattached,
        ResourceKind::Snapshot => ResourceState::Available,
        ResourceKind::NatGateway | ResourceKind::LoadBalancer
            if resource.provider == Provider::Aws =>
        {
            ResourceState::Available
        }
        kind => {
            let said = format!(
                "{} is a {kind} of {}, which is not removed here",
                resource.id, resource.provider
            );
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
