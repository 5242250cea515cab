//! Standbys of databases, which serve meanwhile. AWS alone: the other clouds' standbys are not what
//! Reeve changes.

use jiff::Timestamp;
use reeve_estate::{
    ActError, ActErrorKind, Operation, Provider, Resource, ResourceKind, ResourceState,
};
use reeve_recommend::change::StandbyOperation;

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::{refuse, wrong_state};

/// Takes operations on standbys.
pub(super) fn offer(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    now: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<StandbyOperation>()?;
    Some(apply(account, conditions, resource, operation.standby, now))
}

fn apply(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    database: &Resource,
    standby: bool,
    now: Timestamp,
) -> Result<(), ActError> {
    if database.kind != ResourceKind::Database || database.provider != Provider::Aws {
        let said = format!(
            "{} is a {} of {}, which has no standby here",
            database.id, database.kind, database.provider
        );
        return Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said));
    }

    if database.state != ResourceState::Running {
        return Err(wrong_state(database, "available"));
    }

    let settles = account
        .world
        .settings
        .after(now, account.takes(database, now, 120.0, 240.0));
    let condition = conditions.resources.entry(database.id.clone()).or_default();
    condition.settles_at = Some(settles);
    condition.standbys.push((settles, standby));

    Ok(())
}
