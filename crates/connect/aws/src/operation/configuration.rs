//! Changes of configurations, as rows of the catalogue of changes describe them.

use reeve_estate::{ActError, Applied, Operation, Resource};
use reeve_recommend::change::ConfigurationOperation;

use super::{Answer, other};
use crate::describe;
use crate::session::AwsConnection;

/// Takes calls of changes that are data.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<ConfigurationOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    resource: &Resource,
    operation: &ConfigurationOperation,
) -> Result<Applied, ActError> {
    let region = cloud.region_for(resource);
    let place = cloud.place(&resource.account, &region);
    let config = cloud.changing(&region);

    match describe::change(&config, &place, operation).await {
        None => Err(other(format!(
            "the AWS connector does not call {}",
            operation.service
        ))),
        Some(answer) => {
            answer?;
            Ok(Applied::Accepted)
        }
    }
}

#[cfg(test)]
mod tests {
    use reeve_estate::Provider;
    use reeve_recommend::change::ConfigurationRow;

    use crate::describe;

    #[test]
    fn every_row_calls_a_service_that_the_connector_knows_in_its_protocol() {
        for row in ConfigurationRow::all() {
            if row.provider != Provider::Aws {
                continue;
            }
            for call in row.calls() {
                assert_eq!(describe::fault_of(call), None, "{}", row.name);
            }
        }
    }
}
