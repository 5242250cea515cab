//! Replacements of databases by encrypted ones. The simulated estate keeps the identifier, as RDS
//! does: the database is encrypted afterwards, and its tag says that it is the copy.

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Provider, Resource, ResourceKind};
use reeve_recommend::change::{COPY_TAG, DatabaseEncryption, ENCRYPTING_TAG};
use serde_json::json;

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::refuse;

/// Member of the description that the replacement changes.
const MEMBER: &str = "StorageEncrypted";

/// Takes the stages of a replacement.
pub(super) fn offer(
    _: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    _: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<DatabaseEncryption>()?;
    Some(apply(conditions, resource, *operation))
}

fn apply(
    conditions: &mut Conditions,
    database: &Resource,
    operation: DatabaseEncryption,
) -> Result<(), ActError> {
    if database.kind != ResourceKind::Database || database.provider != Provider::Aws {
        let said = format!(
            "{} is a {} of {}, which is not replaced here",
            database.id, database.kind, database.provider
        );
        return Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said));
    }

    let is_begun = database.tag(ENCRYPTING_TAG).is_some();
    let condition = conditions.resources.entry(database.id.clone()).or_default();
    let mut tag = |key: &str, value: Option<&str>| {
        let value = value.map(str::to_owned);
        condition.tags.insert(key.to_owned(), value);
    };
    match operation {
        DatabaseEncryption::Quiesce => tag(ENCRYPTING_TAG, Some("begun")),
        DatabaseEncryption::GiveBack => {
            tag(ENCRYPTING_TAG, None);
            tag(COPY_TAG, None);
            condition.settings.remove(MEMBER);
        }
        _ if !is_begun => {
            let said = format!("the replacement of {} was not begun", database.id);
            return Err(refuse(ActErrorKind::Other, "InvalidDBInstanceState", &said));
        }
        DatabaseEncryption::Copy | DatabaseEncryption::Restore => {}
        DatabaseEncryption::Swap => {
            tag(ENCRYPTING_TAG, None);
            tag(COPY_TAG, Some(&database.name));
            let encrypted = Some(json!(true));
            condition.settings.insert(MEMBER.to_owned(), encrypted);
        }
    }
    Ok(())
}
