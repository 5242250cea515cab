//! Operations beyond the common ones, one file each: an operation is recognised by its type.

mod configuration;
mod document;
mod encrypt;
pub(crate) mod encrypt_database;
mod group_size;
pub(crate) mod json;
mod lifecycle;
mod members;
mod patch;
mod quota;
mod remove;
pub(crate) mod replace;
mod replacement;
mod standby;
mod tag;
mod volume;

use futures::future::BoxFuture;
use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource};

use crate::session::AwsConnection;

/// Answer to an operation.
type Answer<'a> = BoxFuture<'a, Result<Applied, ActError>>;

/// Takes an operation that it knows; `None` for any other.
type Offer = for<'a> fn(&'a AwsConnection, &'a Resource, &'a dyn Operation) -> Option<Answer<'a>>;

/// The operations that this connector offers, one row each.
const OFFERS: &[Offer] = &[
    configuration::offer,
    document::offer,
    encrypt::offer,
    encrypt_database::offer,
    group_size::offer,
    lifecycle::offer,
    members::offer,
    patch::offer,
    quota::offer,
    remove::offer,
    replace::offer,
    replacement::offer,
    standby::offer,
    tag::offer,
    volume::offer,
];

/// Carries out an operation, or refuses it where no row knows it.
pub(crate) async fn apply(
    cloud: &AwsConnection,
    resource: &Resource,
    operation: &dyn Operation,
) -> Result<Applied, ActError> {
    match OFFERS
        .iter()
        .find_map(|offer| offer(cloud, resource, operation))
    {
        Some(answer) => answer.await,
        None => Err(other(format!(
            "the AWS connector does not offer {operation:?}"
        ))),
    }
}

/// A refusal with its reason.
fn other(message: String) -> ActError {
    ActError {
        kind: ActErrorKind::Other,
        message,
    }
}
