//! Requests of higher quotas at Service Quotas.

use reeve_connect_aws_ec2::{AwsEc2Fault, FaultKind, Place};
use reeve_estate::{ActError, Applied, Operation, Resource};
use reeve_recommend::change::QuotaOperation;
use serde_json::{Value, json};

use super::json::{JsonService, call};
use super::{Answer, other};
use crate::session::AwsConnection;

const QUOTAS: JsonService = JsonService {
    name: "servicequotas",
    target: "ServiceQuotasV20190624",
    version: "1.1",
};
/// Share by which a quota may differ from the one that the finding reckoned with.
const TOLERANCE: f64 = 0.01;

/// Takes requests of quotas.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<QuotaOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    resource: &Resource,
    operation: &QuotaOperation,
) -> Result<Applied, ActError> {
    let place = cloud.place(&resource.account, &resource.region);
    let QuotaOperation {
        service,
        quota,
        from,
        to,
    } = operation;

    let (from, to) = (f64::from(*from), f64::from(*to));
    let now = quota_now(cloud, &place, service, quota).await?;
    if now >= to {
        return Ok(Applied::Accepted);
    }
    if is_requested(cloud, &place, operation).await? {
        return Ok(Applied::Accepted);
    }
    if (now - from).abs() > from * TOLERANCE {
        return Err(other(format!(
            "quota {quota} of {service} is {now} in {}, and the rule reckoned with {from}: correct the limit of the rule, in the unit of the quota",
            place.region
        )));
    }

    let body = json!({ "ServiceCode": service, "QuotaCode": quota, "DesiredValue": to });
    let permission = "servicequotas:RequestServiceQuotaIncrease";
    let config = cloud.changing(&place.region);
    call(&config, &place, QUOTAS, permission, body).await?;

    Ok(Applied::Accepted)
}

/// Returns the quota that is applied now.
async fn quota_now(
    cloud: &AwsConnection,
    place: &Place,
    service: &str,
    quota: &str,
) -> Result<f64, ActError> {
    let body = json!({ "ServiceCode": service, "QuotaCode": quota });
    let permission = "servicequotas:GetServiceQuota";
    let answer = call(
        &cloud.config(&place.region),
        place,
        QUOTAS,
        permission,
        body,
    )
    .await
    .map_err(|fault| missing(fault, service, quota))?;

    if answer["Quota"]["Adjustable"] == false {
        return Err(other(format!(
            "AWS does not raise quota {quota} of {service}"
        )));
    }
    answer["Quota"]["Value"]
        .as_f64()
        .ok_or_else(|| other(format!("AWS names no value of quota {quota} of {service}")))
}

/// Returns `true` if a request for as much is open or granted. One that AWS declined is a refusal:
/// the same request would be declined again.
async fn is_requested(
    cloud: &AwsConnection,
    place: &Place,
    operation: &QuotaOperation,
) -> Result<bool, ActError> {
    let QuotaOperation {
        service, quota, to, ..
    } = operation;
    let body = json!({ "ServiceCode": service, "QuotaCode": quota, "MaxResults": 100 });
    let permission = "servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota";
    let answer = call(
        &cloud.config(&place.region),
        place,
        QUOTAS,
        permission,
        body,
    )
    .await?;

    let requests = answer["RequestedQuotas"].as_array();
    let mut requests = requests.into_iter().flatten();
    let for_as_much =
        |request: &&Value| request["DesiredValue"].as_f64().unwrap_or(0.0) >= f64::from(*to);
    // The newest comes first.
    let Some(request) = requests.find(for_as_much) else {
        return Ok(false);
    };

    match request["Status"].as_str().unwrap_or_default() {
        "PENDING" | "CASE_OPENED" | "APPROVED" => Ok(true),
        status @ ("DENIED" | "NOT_APPROVED" | "INVALID_REQUEST") => Err(other(format!(
            "AWS declined a request for {to} of quota {quota} of {service} ({status}): open a case with AWS support"
        ))),
        // A case that AWS closed without a decision may be opened again.
        _ => Ok(false),
    }
}

fn missing(fault: AwsEc2Fault, service: &str, quota: &str) -> ActError {
    if fault.kind == FaultKind::NotFound || fault.code.as_deref() == Some("NoSuchResourceException")
    {
        return other(format!("AWS has no quota {quota} of {service}"));
    }
    fault.into()
}
