//! Replacements of volumes by encrypted ones. The simulated estate keeps the identifier: the volume
//! is encrypted afterwards, and its tag says that it was replaced.

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Provider, Resource, ResourceKind};
use reeve_recommend::change::{ENCRYPTING_TAG, EncryptOperation, REPLACED_TAG};
use serde_json::json;

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::refuse;

/// Takes the stages of a replacement.
pub(super) fn offer(
    _: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    _: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<EncryptOperation>()?;
    Some(apply(conditions, resource, *operation))
}

fn apply(
    conditions: &mut Conditions,
    volume: &Resource,
    operation: EncryptOperation,
) -> Result<(), ActError> {
    if volume.kind != ResourceKind::Volume || volume.provider != Provider::Aws {
        let said = format!(
            "{} is a {} of {}, which is not replaced here",
            volume.id, volume.kind, volume.provider
        );
        return Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said));
    }

    let is_begun = volume.tag(ENCRYPTING_TAG).is_some();
    let condition = conditions.resources.entry(volume.id.clone()).or_default();
    let mut tag = |key: &str, value: Option<&str>| {
        let value = value.map(str::to_owned);
        condition.tags.insert(key.to_owned(), value);
    };
    match operation {
        EncryptOperation::Begin => tag(ENCRYPTING_TAG, Some("begun")),
        EncryptOperation::Copy | EncryptOperation::Swap if !is_begun => {
            let said = format!("the replacement of {} was not begun", volume.id);
            return Err(refuse(ActErrorKind::Other, "IncorrectState", &said));
        }
        EncryptOperation::Copy => {}
        EncryptOperation::Swap => {
            tag(ENCRYPTING_TAG, None);
            tag(REPLACED_TAG, Some("done"));
            let encrypted = Some(json!(true));
            condition.settings.insert("encrypted".to_owned(), encrypted);
        }
        EncryptOperation::GiveBack => {
            tag(ENCRYPTING_TAG, None);
            tag(REPLACED_TAG, None);
            condition.settings.remove("encrypted");
        }
    }
    Ok(())
}
