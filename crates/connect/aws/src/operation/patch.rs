//! Installations of missing patches by Systems Manager. An installation is done when the patch state
//! of the machine shows that none is missing; a run that ended well is not enough.

use reeve_estate::{ActError, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::{PATCH_DOCUMENT, PatchOperation};
use serde_json::json;

use super::document::{RECEIVED_WITHIN_S, SYSTEMS_MANAGER, comment, earlier_run, outcome};
use super::json::call;
use super::{Answer, other};
use crate::session::AwsConnection;

/// Takes installations of patches.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<PatchOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    machine: &Resource,
    operation: &PatchOperation,
) -> Result<Applied, ActError> {
    if machine.kind != ResourceKind::VirtualMachine {
        return Err(other(format!(
            "{} is a {}: only machines are patched",
            machine.id, machine.kind
        )));
    }

    let comment = comment(machine, PATCH_DOCUMENT, &operation.occasion);
    let Some(command) = earlier_run(cloud, machine, PATCH_DOCUMENT, &comment).await? else {
        send(cloud, machine, operation, &comment).await?;
        return Ok(Applied::Pending);
    };
    match outcome(PATCH_DOCUMENT, &command)? {
        Applied::Accepted => installed(cloud, machine, operation).await,
        pending => Ok(pending),
    }
}

async fn send(
    cloud: &AwsConnection,
    machine: &Resource,
    operation: &PatchOperation,
    comment: &str,
) -> Result<(), ActError> {
    let reboot = match operation.reboot {
        true => "RebootIfNeeded",
        false => "NoReboot",
    };
    let body = json!({
        "DocumentName": PATCH_DOCUMENT,
        "Comment": comment,
        "TimeoutSeconds": RECEIVED_WITHIN_S,
        "InstanceIds": [machine.id.as_str()],
        "Parameters": { "Operation": ["Install"], "RebootOption": [reboot] },
    });

    let place = cloud.place(&machine.account, &machine.region);
    let config = cloud.changing(&place.region);
    call(&config, &place, SYSTEMS_MANAGER, "ssm:SendCommand", body).await?;
    Ok(())
}

/// Reads the patch state after a run that succeeded.
async fn installed(
    cloud: &AwsConnection,
    machine: &Resource,
    operation: &PatchOperation,
) -> Result<Applied, ActError> {
    let place = cloud.place(&machine.account, &machine.region);
    let config = cloud.config(&place.region);
    let body = json!({ "InstanceIds": [machine.id.as_str()] });
    let permission = "ssm:DescribeInstancePatchStates";
    let answer = call(&config, &place, SYSTEMS_MANAGER, permission, body).await?;
    let Some(state) = answer["InstancePatchStates"].get(0) else {
        return Err(other(format!(
            "Systems Manager has no patch state of {} after the installation",
            machine.id
        )));
    };

    let count = |name: &str| state[name].as_u64().unwrap_or(0);
    let waits = if operation.reboot {
        count("InstalledPendingRebootCount")
    } else {
        0
    };
    match (count("MissingCount"), count("FailedCount"), waits) {
        (0, 0, 0) => Ok(Applied::Accepted),
        (missing, failed, waits) => Err(other(format!(
            "after the installation {missing} patches are missing on {}, {failed} failed and {waits} wait for a restart",
            machine.id
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_run_that_succeeded_on_no_machine_installed_nothing() {
        let command: Value = json!({ "Status": "Success", "TargetCount": 0 });
        assert!(outcome(PATCH_DOCUMENT, &command).is_err());
        let command: Value = json!({ "Status": "InProgress", "TargetCount": 1 });
        assert_eq!(
            outcome(PATCH_DOCUMENT, &command).ok(),
            Some(Applied::Pending)
        );
    }
}
