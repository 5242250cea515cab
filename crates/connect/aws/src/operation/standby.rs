//! Standbys of databases.

use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::StandbyOperation;

use super::Answer;
use crate::rds::name_of;
use crate::session::AwsConnection;

/// Takes operations on standbys.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<StandbyOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation.standby)))
}

async fn apply(
    cloud: &AwsConnection,
    database: &Resource,
    standby: bool,
) -> Result<Applied, ActError> {
    if database.kind != ResourceKind::Database {
        let message = format!(
            "{} is a {}: only databases have a standby",
            database.id, database.kind
        );
        return Err(ActError {
            kind: ActErrorKind::Other,
            message,
        });
    }

    let rds = cloud.rds(cloud.place(&database.account, &database.region));
    rds.set_standby(name_of(database), standby).await?;
    Ok(Applied::Accepted)
}
