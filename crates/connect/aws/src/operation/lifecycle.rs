//! Lifecycle rules of buckets.

use reeve_estate::{ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::LifecycleOperation;

use super::Answer;
use crate::lifecycle;
use crate::session::AwsConnection;

/// Takes operations on lifecycle rules.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<LifecycleOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation.clone())))
}

async fn apply(
    cloud: &AwsConnection,
    bucket: &Resource,
    operation: LifecycleOperation,
) -> Result<Applied, ActError> {
    if bucket.kind != ResourceKind::Bucket {
        let message = format!(
            "{} is a {}: only buckets have lifecycle rules",
            bucket.id, bucket.kind
        );
        return Err(ActError {
            kind: ActErrorKind::Other,
            message,
        });
    }

    let place = cloud.place(&bucket.account, &bucket.region);
    lifecycle::apply(cloud, &place, bucket.id.as_str(), operation).await?;
    Ok(Applied::Accepted)
}
