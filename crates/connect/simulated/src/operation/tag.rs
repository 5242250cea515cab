//! Tags of machines and volumes. They hold at once, and the resource serves meanwhile.

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Resource, ResourceKind, ResourceState};
use reeve_recommend::change::TagOperation;

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::refuse;

/// Takes operations on tags.
pub(super) fn offer(
    _: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    _: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<TagOperation>()?;
    Some(apply(conditions, resource, operation))
}

fn apply(
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &TagOperation,
) -> Result<(), ActError> {
    if !matches!(
        resource.kind,
        ResourceKind::VirtualMachine | ResourceKind::Volume
    ) {
        let said = format!(
            "{} is a {}, which takes no tags here",
            resource.id, resource.kind
        );
        return Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said));
    }

    if resource.state == ResourceState::Deleted {
        return Err(refuse(
            ActErrorKind::NotFound,
            "InvalidID",
            &format!("{} is terminated", resource.id),
        ));
    }

    let tags = &mut conditions
        .resources
        .entry(resource.id.clone())
        .or_default()
        .tags;

    match operation {
        TagOperation::Set { key, value } => tags.insert(key.clone(), Some(value.clone())),
        TagOperation::Remove { key } => tags.insert(key.clone(), None),
    };

    Ok(())
}
