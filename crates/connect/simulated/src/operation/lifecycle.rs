//! Lifecycle rules of buckets of AWS.

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Provider, Resource, ResourceKind};
use reeve_recommend::change::LifecycleOperation;

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::refuse;

/// Takes operations on lifecycle rules.
pub(super) fn offer(
    _: &SimulatedAccount,
    conditions: &mut Conditions,
    bucket: &Resource,
    operation: &dyn Operation,
    _: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<LifecycleOperation>()?;
    if bucket.kind != ResourceKind::Bucket || bucket.provider != Provider::Aws {
        let said = format!(
            "{} is a {} of {}, which has no such rules here",
            bucket.id, bucket.kind, bucket.provider
        );
        return Some(Err(refuse(
            ActErrorKind::Other,
            "UnsupportedOperation",
            &said,
        )));
    }

    let rules = &mut conditions
        .resources
        .entry(bucket.id.clone())
        .or_default()
        .lifecycle_rules;

    match operation {
        LifecycleOperation::Add(rule) => _ = rules.insert(rule.id().to_owned()),
        LifecycleOperation::Remove(id) => _ = rules.remove(*id),
    }

    Some(Ok(()))
}
