//! Requests that change no resource: a higher quota, a document that runs on machines.

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Resource};
use reeve_recommend::change::{DOCUMENT_PREFIX, DocumentOperation, QuotaOperation};

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::refuse;

/// Takes requests to the provider.
pub(super) fn offer(
    _: &SimulatedAccount,
    _: &mut Conditions,
    _: &Resource,
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

    operation.downcast_ref::<QuotaOperation>().map(|_| Ok(()))
}
