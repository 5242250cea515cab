//! Requests to the provider: a higher quota, a document that runs on machines, and patches, which
//! the patch state shows at once.

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Resource, ResourceId};
use reeve_recommend::change::{DOCUMENT_PREFIX, DocumentOperation, PatchOperation, QuotaOperation};

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::describing::{INSTALLED, is_managed, managed_id};
use crate::refusal::refuse;

/// Takes requests to the provider.
pub(super) fn offer(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    _: Timestamp,
) -> Option<Result<(), ActError>> {
    if let Some(run) = operation.downcast_ref::<DocumentOperation>() {
        let message = format!("no document {} that Reeve may run", run.document);
        let known = run.document.starts_with(DOCUMENT_PREFIX);
        return Some(if known {
            Ok(())
        } else {
            Err(refuse(ActErrorKind::Denied, "AccessDenied", &message))
        });
    }

    if operation.downcast_ref::<PatchOperation>().is_some() {
        return Some(patch(account, conditions, resource));
    }

    operation.downcast_ref::<QuotaOperation>().map(|_| Ok(()))
}

/// Installs the missing patches of a machine.
fn patch(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    machine: &Resource,
) -> Result<(), ActError> {
    if !is_managed(machine) {
        let message = format!("Systems Manager does not manage {}", machine.id);
        return Err(refuse(ActErrorKind::Other, "InvalidInstanceId", &message));
    }
    let id = ResourceId::new(managed_id(account.plan.account, machine));
    let condition = conditions.resources.entry(id).or_default();
    for member in INSTALLED {
        let none = Some(serde_json::json!(0));
        condition.settings.insert(member.to_owned(), none);
    }
    Ok(())
}
