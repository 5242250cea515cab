//! Failures of calls to AWS: a kind for programs, and a message for people that names the remedy.
//!
//! Services name the same failure differently (`UnauthorizedOperation`, `AccessDenied`,
//! `AccessDeniedException`); the table of codes is here and nowhere else. A failure that leaves
//! open whether a change happened becomes [`ActErrorKind::Unknown`], never a retry.

use std::error::Error;

use aws_credential_types::provider::error::CredentialsError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::{ErrorMetadata, ProvideErrorMetadata};
use reeve_estate::{ActError, ActErrorKind, Denied, ObserveError, ObserveErrorKind};

/// A call, for messages.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The permission it needs (`ec2:DescribeInstances`).
    pub operation: &'static str,
    /// Identifier of the connection; empty outside of one.
    pub connection: &'a str,
    pub region: &'a str,
    /// Endpoint in place of AWS's own.
    pub endpoint: Option<&'a str>,
}

impl Call<'_> {
    /// A fault of this call.
    #[must_use]
    pub fn fault(&self, kind: FaultKind, code: Option<&str>, service_message: &str) -> AwsEc2Fault {
        AwsEc2Fault {
            kind,
            operation: self.operation,
            region: self.region.to_owned(),
            code: code.map(str::to_owned),
            message: advice(self, kind, code, service_message),
            service_message: service_message.to_owned(),
        }
    }
}

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The service cannot be reached or did not answer in time.
    Unreachable,
    /// The service failed inside or answered what cannot be read; a change may have happened.
    Broken,
    /// The key is wrong or expired, or the role cannot be assumed.
    Unauthenticated,
    /// The call is not permitted.
    Denied,
    /// Throttled after every retry.
    Throttled,
    /// The resource does not exist.
    NotFound,
    /// The resource's state forbids it.
    WrongState,
    /// The size does not exist or does not fit.
    InvalidType,
    /// The size has no capacity or quota.
    NoCapacity,
    /// Any other failure, such as an invalid parameter.
    Other,
}

/// A call that failed, with the remedy in its message.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct AwsEc2Fault {
    /// Kind of the failure.
    pub kind: FaultKind,
    /// The call, by the permission it needs.
    pub operation: &'static str,
    pub region: String,
    /// The service's error code.
    pub code: Option<String>,
    /// For a person: which call, what happened, what to do.
    pub message: String,
    /// The cloud's own words, to decide by. They are shown to nobody: an endpoint may be anything,
    /// and what it answers is not for whoever configured it to read.
    pub service_message: String,
}

impl AwsEc2Fault {
    /// Returns the fault as an entry of the denied calls.
    #[must_use]
    pub fn denied(&self) -> Denied {
        let message = self
            .code
            .clone()
            .unwrap_or_else(|| "not permitted".to_owned());
        Denied {
            permission: self.operation.to_owned(),
            region: self.region.clone(),
            message,
        }
    }
}

impl From<AwsEc2Fault> for ObserveError {
    fn from(fault: AwsEc2Fault) -> Self {
        let kind = match fault.kind {
            FaultKind::Unreachable => ObserveErrorKind::Unreachable,
            FaultKind::Unauthenticated => ObserveErrorKind::Unauthenticated,
            FaultKind::Denied => ObserveErrorKind::Denied,
            FaultKind::Throttled => ObserveErrorKind::Throttled,
            _ => ObserveErrorKind::Other,
        };
        ObserveError {
            kind,
            message: fault.message,
        }
    }
}

impl From<AwsEc2Fault> for ActError {
    fn from(fault: AwsEc2Fault) -> Self {
        let kind = match fault.kind {
            FaultKind::Unreachable | FaultKind::Broken => ActErrorKind::Unknown,
            FaultKind::Unauthenticated | FaultKind::Denied => ActErrorKind::Denied,
            FaultKind::Throttled => ActErrorKind::Throttled,
            FaultKind::NotFound => ActErrorKind::NotFound,
            FaultKind::WrongState => ActErrorKind::WrongState,
            FaultKind::InvalidType => ActErrorKind::InvalidType,
            FaultKind::NoCapacity => ActErrorKind::NoCapacity,
            FaultKind::Other => ActErrorKind::Other,
        };

        let doubt = if kind == ActErrorKind::Unknown {
            " Whether the change happened is not known: look before trying again."
        } else {
            ""
        };

        ActError {
            kind,
            message: format!("{}{doubt}", fault.message),
        }
    }
}

/// Turns an SDK's answer into ours.
pub trait At<T> {
    /// The answer, or the fault of this call.
    ///
    /// # Errors
    /// The call's failure, classified.
    fn at(self, call: Call<'_>) -> Result<T, AwsEc2Fault>;
}

impl<T, E> At<T> for Result<T, SdkError<E, HttpResponse>>
where
    E: ProvideErrorMetadata + Error + 'static,
{
    fn at(self, call: Call<'_>) -> Result<T, AwsEc2Fault> {
        self.map_err(|error| match &error {
            SdkError::ServiceError(service) => {
                let status = service.raw().status().as_u16();
                let (code, message) = (service.err().code(), service.err().message());
                match code {
                    Some(_) => answered(call, status, code, message),
                    None => {
                        let body = service
                            .raw()
                            .body()
                            .bytes()
                            .map(String::from_utf8_lossy)
                            .unwrap_or_default();
                        answered(
                            call,
                            status,
                            tagged(&body, "Code"),
                            tagged(&body, "Message").or(message),
                        )
                    }
                }
            }
            SdkError::ResponseError(response) => unreadable(call, response.raw().status().as_u16()),
            _ => undelivered(call, &error),
        })
    }
}

/// The text of an element, for errors nested where the SDK does not look: emulators word all
/// services' errors alike.
fn tagged<'a>(body: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = body.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>"))?.0)
}

/// The service answered with an error.
fn answered(call: Call<'_>, status: u16, code: Option<&str>, message: Option<&str>) -> AwsEc2Fault {
    let kind = match code {
        Some(code) => classify(call.operation, code, status),
        None if status == 429 => FaultKind::Throttled,
        None if status == 403 => FaultKind::Denied,
        None if status >= 500 => FaultKind::Broken,
        None => FaultKind::Other,
    };

    let ours = match code.filter(|code| is_code(code)) {
        Some(_) => String::new(),
        None => format!("HTTP {status} without a known AWS error"),
    };
    let fault = call.fault(kind, code.filter(|code| is_code(code)), &ours);
    AwsEc2Fault {
        service_message: message.unwrap_or_default().to_owned(),
        ..fault
    }
}

/// Returns `true` for what is spelled like an error code: a name, and no sentence.
fn is_code(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// The error code of an answer on the way to credentials.
fn code_in(chain: &[&(dyn Error + 'static)]) -> Option<String> {
    let metadata = chain
        .iter()
        .find_map(|error| error.downcast_ref::<ErrorMetadata>());
    let code = metadata.and_then(ErrorMetadata::code).map(str::to_owned);
    let spelled = || {
        chain
            .last()?
            .to_string()
            .split(':')
            .next()
            .map(str::to_owned)
    };

    code.or_else(spelled).filter(|code| is_code(code))
}

fn unreadable(call: Call<'_>, status: u16) -> AwsEc2Fault {
    call.fault(
        FaultKind::Broken,
        None,
        &format!("HTTP {status} with a body that is not AWS's; is this an AWS endpoint?"),
    )
}

/// Describes a call without a response: bad credentials, no connection, or a timeout.
fn undelivered(call: Call<'_>, error: &(dyn Error + 'static)) -> AwsEc2Fault {
    let chain: Vec<&(dyn Error + 'static)> =
        std::iter::successors(Some(error), |e| (*e).source()).collect();
    let deepest = chain.last().map(ToString::to_string).unwrap_or_default();

    // Assuming a role fails inside the credentials provider; when STS itself was out of reach, that
    // is the cause to name.
    let io = chain.iter().any(|e| e.is::<std::io::Error>());
    let credentials = chain
        .iter()
        .find_map(|e| e.downcast_ref::<CredentialsError>());

    match credentials {
        Some(reason) if !io => {
            let service_message = match code_in(&chain) {
                Some(code) => format!("{reason}: {code}"),
                None => reason.to_string(),
            };
            call.fault(FaultKind::Unauthenticated, None, &service_message)
        }
        _ => call.fault(FaultKind::Unreachable, None, &deepest),
    }
}

/// The one table of error codes.
fn classify(operation: &str, code: &str, status: u16) -> FaultKind {
    let code = code
        .strip_prefix("Client.")
        .or_else(|| code.strip_prefix("Server."))
        .unwrap_or(code);
    match code {
        "AuthFailure"
        | "InvalidClientTokenId"
        | "SignatureDoesNotMatch"
        | "InvalidSignatureException"
        | "UnrecognizedClientException"
        | "InvalidAccessKeyId"
        | "IncompleteSignature"
        | "MissingAuthenticationToken"
        | "MissingAuthenticationTokenException"
        | "ExpiredToken"
        | "ExpiredTokenException"
        | "RequestExpired"
        | "InvalidToken"
        | "TokenRefreshRequired" => FaultKind::Unauthenticated,
        "UnauthorizedOperation"
        | "AccessDenied"
        | "AccessDeniedException"
        | "UnauthorizedAccess"
        | "AuthorizationError"
        | "NotAuthorized"
        | "Forbidden"
        | "AllAccessDisabled" => FaultKind::Denied,
        "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "RequestLimitExceeded"
        | "TooManyRequestsException"
        | "TooManyRequests"
        | "SlowDown"
        | "BandwidthLimitExceeded"
        | "PriorRequestNotComplete"
        | "LimitExceededException"
        | "EC2ThrottledException" => FaultKind::Throttled,
        "IncorrectInstanceState"
        | "IncorrectState"
        | "InvalidDBInstanceState"
        | "InvalidDBInstanceStateFault"
        | "UnsupportedOperation"
        | "OperationNotPermitted" => FaultKind::WrongState,
        "InvalidInstanceType" | "InvalidInstanceAttributeValue" | "Unsupported" => {
            FaultKind::InvalidType
        }
        "InvalidParameterValue" | "InvalidParameterCombination" | "ValidationError"
            if names_a_size(operation) =>
        {
            FaultKind::InvalidType
        }
        // Auto Scaling is busy with the group; nothing was changed.
        "ScalingActivityInProgress" | "ResourceContention" => FaultKind::WrongState,
        "InsufficientInstanceCapacity"
        | "InsufficientHostCapacity"
        | "InsufficientCapacity"
        | "InsufficientDBInstanceCapacity"
        | "InsufficientDBInstanceCapacityFault"
        | "InstanceLimitExceeded"
        | "VcpuLimitExceeded" => FaultKind::NoCapacity,
        "NoSuchBucket" => FaultKind::NotFound,
        _ if NOT_FOUND.iter().any(|end| code.ends_with(end)) => FaultKind::NotFound,
        _ if status == 429 => FaultKind::Throttled,
        _ if status >= 500 => FaultKind::Broken,
        _ => FaultKind::Other,
    }
}

/// Ends of the codes with which services say that there is no such resource.
const NOT_FOUND: [&str; 4] = ["NotFound", "NotFoundFault", "ID.Malformed", "Id.Malformed"];

/// Calls whose only value that can be wrong is a size.
fn names_a_size(operation: &str) -> bool {
    const SIZED: [&str; 4] = [
        "rds:ModifyDBInstance",
        "ec2:ModifyInstanceAttribute",
        "ec2:ModifyVolume",
        "autoscaling:UpdateAutoScalingGroup",
    ];
    SIZED.contains(&operation)
}

/// The message for a person.
fn advice(call: &Call<'_>, kind: FaultKind, code: Option<&str>, service_message: &str) -> String {
    let Call {
        operation, region, ..
    } = call;
    let place = if region.is_empty() {
        String::new()
    } else {
        format!(" in {region}")
    };

    let endpoint = call
        .endpoint
        .map_or_else(|| "AWS".to_owned(), |url| format!("the endpoint {url}"));
    let service_message = match code {
        Some(code) if service_message.is_empty() => code.to_owned(),
        Some(code) => format!("{code}: {}", service_message.trim_end_matches('.')),
        None => service_message.trim_end_matches('.').to_owned(),
    };

    match kind {
        FaultKind::Unreachable => {
            format!(
                "{endpoint} does not answer {operation}{place}: {service_message}. Check the endpoint, the region and the network."
            )
        }
        FaultKind::Broken => format!("{endpoint} failed on {operation}{place}: {service_message}."),
        FaultKind::Unauthenticated => format!(
            "{endpoint} does not accept the credentials ({operation}{place}: {service_message}). Check the access key, its secret, the role to \
             assume with its external id, and this machine's clock."
        ),
        FaultKind::Denied => {
            format!(
                "{operation} is not permitted{place} ({service_message}). Allow {operation} in the policy of the key or role."
            )
        }
        FaultKind::Throttled => {
            format!(
                "{operation}{place} was throttled after every retry ({service_message}). Wait, or ask AWS for a higher rate."
            )
        }
        FaultKind::NotFound => format!("{operation}{place}: not found ({service_message})."),
        FaultKind::WrongState => {
            format!("{operation}{place} was refused in the present state ({service_message}).")
        }
        FaultKind::InvalidType => {
            format!("{operation}{place} was refused for the size asked for ({service_message}).")
        }
        FaultKind::NoCapacity => {
            format!(
                "{operation}{place}: no capacity for the size now ({service_message}). Try later or take another size."
            )
        }
        FaultKind::Other => format!("{operation}{place} failed: {service_message}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Call<'static> = Call {
        operation: "ec2:DescribeInstances",
        connection: "c",
        region: "eu-west-1",
        endpoint: Some("http://127.0.0.1:1"),
    };

    #[test]
    fn codes_are_classified() {
        for (operation, code, status, kind) in [
            (
                "ec2:DescribeInstances",
                "UnauthorizedOperation",
                403,
                FaultKind::Denied,
            ),
            (
                "s3:ListAllMyBuckets",
                "AccessDenied",
                403,
                FaultKind::Denied,
            ),
            (
                "ec2:DescribeInstances",
                "AuthFailure",
                401,
                FaultKind::Unauthenticated,
            ),
            (
                "sts:GetCallerIdentity",
                "InvalidClientTokenId",
                403,
                FaultKind::Unauthenticated,
            ),
            (
                "ec2:DescribeInstances",
                "RequestLimitExceeded",
                503,
                FaultKind::Throttled,
            ),
            ("s3:ListAllMyBuckets", "SlowDown", 503, FaultKind::Throttled),
            (
                "ec2:ModifyInstanceAttribute",
                "IncorrectInstanceState",
                400,
                FaultKind::WrongState,
            ),
            (
                "ec2:ModifyInstanceAttribute",
                "InvalidInstanceAttributeValue",
                400,
                FaultKind::InvalidType,
            ),
            (
                "ec2:StartInstances",
                "InsufficientInstanceCapacity",
                500,
                FaultKind::NoCapacity,
            ),
            (
                "ec2:StartInstances",
                "Server.InsufficientInstanceCapacity",
                500,
                FaultKind::NoCapacity,
            ),
            (
                "ec2:StopInstances",
                "InvalidInstanceID.NotFound",
                400,
                FaultKind::NotFound,
            ),
            (
                "rds:ModifyDBInstance",
                "InvalidParameterCombination",
                400,
                FaultKind::InvalidType,
            ),
            (
                "rds:DescribeDBInstances",
                "InvalidParameterCombination",
                400,
                FaultKind::Other,
            ),
            ("ec2:StopInstances", "InternalError", 500, FaultKind::Broken),
            ("ec2:StopInstances", "Unavailable", 503, FaultKind::Broken),
        ] {
            assert_eq!(
                classify(operation, code, status),
                kind,
                "{operation} {code} {status}"
            );
        }
    }

    #[test]
    fn messages_name_the_permission_the_endpoint_and_the_cause() {
        let denied = answered(
            CALL,
            403,
            Some("UnauthorizedOperation"),
            Some("You are not authorized."),
        );

        assert!(
            denied.message.contains("Allow ec2:DescribeInstances"),
            "{denied}"
        );
        assert!(
            !denied.message.contains("not authorized")
                && denied.denied().message == "UnauthorizedOperation"
        );

        let foreign = answered(
            CALL,
            400,
            Some("<b>secret of the inside</b>"),
            Some("root:x:0:0"),
        );

        assert!(
            !foreign.message.contains("secret") && !foreign.message.contains("root"),
            "{foreign}"
        );
        assert_eq!(denied.denied().permission, "ec2:DescribeInstances");

        let dead = undelivered(CALL, &std::io::Error::other("connection refused"));
        assert!(
            dead.message.contains("http://127.0.0.1:1")
                && dead.message.contains("connection refused"),
            "{dead}"
        );
        assert_eq!(answered(CALL, 502, None, None).kind, FaultKind::Broken);
    }

    #[test]
    fn an_unanswered_change_is_unknown() {
        for (kind, act) in [
            (FaultKind::Unreachable, ActErrorKind::Unknown),
            (FaultKind::Broken, ActErrorKind::Unknown),
            (FaultKind::Throttled, ActErrorKind::Throttled),
            (FaultKind::WrongState, ActErrorKind::WrongState),
        ] {
            assert_eq!(ActError::from(CALL.fault(kind, None, "x")).kind, act);
        }
    }
}
