//! Requests to any service of AWS on the SDK's own machinery: signing, credentials, retries, time
//! limits. No generated client is compiled for them.

use std::borrow::Cow;

use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_runtime::auth::{SigV4OperationSigningConfig, SigningOptions};
use aws_runtime::invocation_id::InvocationIdInterceptor;
use aws_runtime::request_info::RequestInfoInterceptor;
use aws_runtime::retries::classifiers::AwsErrorCodeClassifier;
use aws_runtime::service_clock_skew::{ServiceClockSkewClassifier, ServiceClockSkewInterceptor};
use aws_runtime::user_agent::{ApiMetadata, UserAgentInterceptor};
use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime::client::retries::classifiers::{
    HttpStatusCodeClassifier, TransientErrorClassifier,
};
use aws_smithy_runtime_api::client::auth::AuthSchemeOptionResolverParams;
use aws_smithy_runtime_api::client::auth::static_resolver::StaticAuthSchemeOptionResolver;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_runtime_api::client::runtime_plugin::StaticRuntimePlugin;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::Layer;
use aws_smithy_types::error::ErrorMetadata;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::region::SigningRegion;
use aws_types::{SdkConfig, SigningName};
use serde::Deserialize;

use crate::endpoint;
use crate::fault::{At, AwsEc2Fault, Call, FaultKind};
use crate::place::retries;

/// Header that names the account a request is about. Services that demand it answer at a host of that
/// account: `hostPrefix` in the model of S3 Control.
pub const ACCOUNT_HEADER: &str = "x-amz-account-id";

/// Request to one service of AWS, before it is signed.
#[derive(Debug, Clone)]
pub struct SignedRequest {
    /// Name that the request is signed for.
    pub signing_name: &'static str,
    /// First label of the service's address; the account's number goes before it in a request with
    /// [`ACCOUNT_HEADER`].
    pub host: &'static str,
    /// Name of the operation for telemetry.
    pub operation: &'static str,
    /// Method `GET` or `POST`.
    pub method: &'static str,
    /// Path with its query, encoded.
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// `true` for services with one address for all regions.
    pub is_global: bool,
}

/// Sends a request, and returns the body of a success.
///
/// # Errors
/// The call's failure, classified.
pub async fn send(
    config: &SdkConfig,
    call: Call<'_>,
    request: SignedRequest,
) -> Result<Vec<u8>, AwsEc2Fault> {
    Ok(send_for_header(config, call, request, "content-type")
        .await?
        .0)
}

/// Sends a request, and returns the body of a success with one of its headers.
///
/// # Errors
/// The call's failure, classified.
pub async fn send_for_header(
    config: &SdkConfig,
    call: Call<'_>,
    request: SignedRequest,
    header: &'static str,
) -> Result<(Vec<u8>, Option<String>), AwsEc2Fault> {
    let retries = config
        .retry_config()
        .cloned()
        .unwrap_or_else(RetryConfig::standard);
    let timeouts = config
        .timeout_config()
        .cloned()
        .unwrap_or_else(TimeoutConfig::disabled);
    let address = host(&request)
        .and_then(|host| endpoint::address(config, &host, request.is_global))
        .map_err(|reason| call.fault(FaultKind::Unreachable, None, reason))?;
    let operation = Operation::builder()
        .service_name(request.signing_name)
        .operation_name(Cow::Borrowed(request.operation))
        .endpoint_url(&address)
        .standard_retry(&retries)
        .retry_classifier(AwsErrorCodeClassifier::<ErrorMetadata>::new())
        .retry_classifier(TransientErrorClassifier::<ErrorMetadata>::new())
        .retry_classifier(HttpStatusCodeClassifier::default())
        .retry_classifier(ServiceClockSkewClassifier::<ErrorMetadata>::new())
        .timeout_config(timeouts)
        .with_connection_poisoning()
        .interceptor(ServiceClockSkewInterceptor::new())
        .interceptor(RequestInfoInterceptor::new())
        .interceptor(UserAgentInterceptor::new())
        .interceptor(InvocationIdInterceptor::new())
        .runtime_plugin(signing(config, request.signing_name, call))
        .serializer(|request: SignedRequest| {
            let mut sent = HttpRequest::new(SdkBody::from(request.body));
            sent.set_method(request.method)?;
            sent.set_uri(request.path)?;
            for (name, value) in request.headers {
                sent.headers_mut().insert(name, value);
            }
            Ok(sent)
        })
        .deserializer(move |response: &HttpResponse| {
            answer(response).map(|body| (body, response.headers().get(header).map(str::to_owned)))
        })
        .build();

    operation.invoke(request).await.at(call)
}

/// Returns the first labels of a request's address.
fn host(request: &SignedRequest) -> Result<Cow<'static, str>, &'static str> {
    let named = |(name, _): &&(&str, String)| *name == ACCOUNT_HEADER;
    match request.headers.iter().find(named) {
        None => Ok(Cow::Borrowed(request.host)),
        Some((_, account)) if is_account(account) => {
            Ok(Cow::Owned(format!("{account}.{}", request.host)))
        }
        Some(_) => Err("the account is no number of twelve digits"),
    }
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the signing configuration of calls and their budget of retries, from the region and
/// credentials of the client.
fn signing(config: &SdkConfig, name: &'static str, call: Call<'_>) -> StaticRuntimePlugin {
    let mut options = SigningOptions::default();
    if name == "s3" {
        (
            options.double_uri_encode,
            options.normalize_uri_path,
            options.content_sha256_header,
        ) = (false, false, true);
    }

    let mut layer = Layer::new(name);
    layer.store_put(retries(call.connection, name));
    layer.store_put(AuthSchemeOptionResolverParams::new(()));

    // The service's part of the user agent, which CloudTrail keeps.
    layer.store_put(ApiMetadata::new(name, env!("CARGO_PKG_VERSION")));
    layer.store_put(SigV4OperationSigningConfig {
        region: config.region().cloned().map(SigningRegion::from),
        name: Some(SigningName::from_static(name)),
        signing_options: options,
        ..SigV4OperationSigningConfig::default()
    });

    let components = RuntimeComponentsBuilder::new(name)
        .with_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![
            SCHEME_ID,
        ])))
        .with_auth_scheme(SigV4AuthScheme::new())
        .with_identity_cache(config.identity_cache())
        .with_http_client(config.http_client())
        .with_sleep_impl(config.sleep_impl())
        .with_time_source(config.time_source());

    let components = match config.credentials_provider() {
        Some(provider) => components.with_identity_resolver(SCHEME_ID, provider),
        None => components,
    };
    StaticRuntimePlugin::new()
        .with_config(layer.freeze())
        .with_runtime_components(components)
}

/// An error as AWS JSON words it: the code behind a `#`, or in a header.
#[derive(Deserialize)]
struct Refusal {
    #[serde(rename = "__type", alias = "code", alias = "Code")]
    code: Option<String>,
    #[serde(alias = "Message")]
    message: Option<String>,
}

fn answer(response: &HttpResponse) -> Result<Vec<u8>, OrchestratorError<ErrorMetadata>> {
    let body = response.body().bytes().unwrap_or_default();
    if response.status().is_success() {
        return Ok(body.to_vec());
    }

    let text = String::from_utf8_lossy(body);
    let in_xml = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.to_owned())
    };

    let refusal = serde_json::from_slice(body).unwrap_or_else(|_| Refusal {
        code: in_xml("Code"),
        message: in_xml("Message"),
    });
    let header = response
        .headers()
        .get("x-amzn-errortype")
        .map(str::to_owned);
    let mut error = ErrorMetadata::builder();
    if let Some(code) = refusal.code.or(header) {
        let code = code.rsplit('#').next().unwrap_or_default();
        error = error.code(code.split(':').next().unwrap_or_default());
    }
    if let Some(message) = refusal.message {
        error = error.message(message);
    }

    Err(OrchestratorError::operation(error.build()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_about_an_account_goes_to_the_host_of_that_account() {
        let request = |headers: Vec<(&'static str, String)>| SignedRequest {
            signing_name: "s3",
            host: "s3-control",
            operation: "GetPublicAccessBlock",
            method: "GET",
            path: "/".to_owned(),
            headers,
            body: String::new(),
            is_global: false,
        };
        let about = |account: &str| {
            let header = (ACCOUNT_HEADER, account.to_owned());
            host(&request(vec![header])).map(Cow::into_owned)
        };

        assert_eq!(host(&request(Vec::new())).as_deref(), Ok("s3-control"));
        let own = about("123456789012");
        assert_eq!(own.as_deref(), Ok("123456789012.s3-control"));
        for account in ["", "1234", "evil.example/", "12345678901a"] {
            assert!(about(account).is_err(), "{account}");
        }
    }
}
