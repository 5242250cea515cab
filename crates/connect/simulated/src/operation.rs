//! Operations beyond the common ones, one file each: an operation is recognised by its type.

mod tag;

use reeve_estate::{ActError, ActErrorKind, Operation, Resource};

use crate::condition::Conditions;
use crate::refusal::refuse;

/// Takes an operation that it knows and changes the estate; `None` for any other.
type Offer = fn(&mut Conditions, &Resource, &dyn Operation) -> Option<Result<(), ActError>>;

/// The operations that the simulated estate offers, one row each.
const OFFERS: &[Offer] = &[tag::offer];

/// Carries out an operation, or refuses it where no row knows it.
pub(crate) fn apply(
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
) -> Result<(), ActError> {
    OFFERS.iter().find_map(|offer| offer(conditions, resource, operation)).unwrap_or_else(|| {
        let said = format!("the simulated estate does not offer {operation:?}");
        Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said))
    })
}
