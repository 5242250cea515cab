//! Operations beyond the common ones, one file each: an operation is recognised by its type.

mod encrypt;
mod encrypt_database;
mod group_size;
mod lifecycle;
mod remove;
mod replace;
mod request;
mod standby;
mod tag;
mod volume;

use jiff::Timestamp;
use reeve_estate::{ActError, ActErrorKind, Operation, Resource};

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::refusal::refuse;

/// Takes an operation that it knows and changes the estate; `None` for any other.
type Offer = fn(
    &SimulatedAccount,
    &mut Conditions,
    &Resource,
    &dyn Operation,
    Timestamp,
) -> Option<Result<(), ActError>>;

/// The operations that the simulated estate offers, one row each.
const OFFERS: &[Offer] = &[
    encrypt::offer,
    encrypt_database::offer,
    group_size::offer,
    lifecycle::offer,
    remove::offer,
    replace::offer,
    request::offer,
    standby::offer,
    tag::offer,
    volume::offer,
];

/// Carries out an operation, or refuses it where no row knows it.
pub(crate) fn apply(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    now: Timestamp,
) -> Result<(), ActError> {
    OFFERS
        .iter()
        .find_map(|offer| offer(account, conditions, resource, operation, now))
        .unwrap_or_else(|| {
            let said = format!("the simulated estate does not offer {operation:?}");
            Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said))
        })
}
