//! Calls of services with the JSON protocols.

use aws_config::SdkConfig;
use reeve_connect_aws_ec2::signed::{self, SignedRequest};
use reeve_connect_aws_ec2::{AwsEc2Fault, FaultKind, Place};
use serde_json::Value;

/// A service that takes JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonService {
    /// Name that requests are signed for, and first label of the address.
    pub(crate) name: &'static str,
    /// Prefix of the target header.
    pub(crate) target: &'static str,
    /// Version of the protocol: `1.0` or `1.1`.
    pub(crate) version: &'static str,
}

/// Calls an action and reads its answer. `permission` is its name in IAM.
pub(crate) async fn call(
    config: &SdkConfig,
    place: &Place,
    service: JsonService,
    permission: &'static str,
    body: Value,
) -> Result<Value, AwsEc2Fault> {
    let action = permission
        .split_once(':')
        .map_or(permission, |(_, action)| action);
    call_as(config, place, service, (permission, action), body).await
}

/// Calls an action whose permission has another name.
pub(crate) async fn call_as(
    config: &SdkConfig,
    place: &Place,
    service: JsonService,
    (permission, action): (&'static str, &'static str),
    body: Value,
) -> Result<Value, AwsEc2Fault> {
    let call = place.call(permission);
    let request = SignedRequest {
        signing_name: service.name,
        host: service.name,
        operation: action,
        method: "POST",
        path: "/".to_owned(),
        headers: vec![
            (
                "content-type",
                format!("application/x-amz-json-{}", service.version),
            ),
            ("x-amz-target", format!("{}.{action}", service.target)),
        ],
        body: body.to_string(),
        is_global: false,
    };

    let answer = signed::send(config, call, request).await?;
    serde_json::from_slice(&answer)
        .map_err(|_| call.fault(FaultKind::Broken, None, "the answer is not JSON"))
}
