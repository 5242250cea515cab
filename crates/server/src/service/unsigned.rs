//! Consent of an operator to files that the log's key did not sign, and the entry about it.

use std::path::Path;

use jiff::Timestamp;
use reeve_audit::{ActionMethod, ActionStatus, Draft, Entry, ResourceRef, events};
use reeve_ledger::{AcceptUnsigned, EntryError, Unsigned};

use crate::account::Account;

/// Consents for one start. Of a log that was restored, the entry about the restore tells it: before
/// the key is replaced nothing may be appended, or the old key would sign two histories.
pub(super) fn consent(data_dir: &Path) -> AcceptUnsigned {
    let is_restored = crate::backup::restored::is_pending(data_dir);
    AcceptUnsigned::new(move |unsigned| {
        if is_restored {
            Ok(None)
        } else {
            entry(unsigned).map(Some)
        }
    })
}

fn entry(unsigned: &Unsigned) -> Result<Draft, EntryError> {
    let entry = Entry::for_event(&events::ACCEPT_UNSIGNED)
        .by(Account::current().actor())
        .on(ResourceRef::new("audit_log", "audit-logs"))
        .with_action("accept_unsigned", ActionStatus::Success, ActionMethod::Cli)
        .with_metadata("entries", unsigned.size)
        .with_metadata("root", unsigned.root.to_string())
        .with_metadata("sealed_entries", unsigned.sealed_size)
        .with_metadata("signed_entries", unsigned.signed_size);
    Draft::by_reeve(entry, Timestamp::now()).map_err(|errors| format!("{errors:?}").into())
}
