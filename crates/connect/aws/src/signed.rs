//! Requests to any service of AWS on the SDK's own machinery: signing, credentials, retries, time limits. No generated
//! client is compiled for them.

use std::borrow::Cow;

use aws_config::SdkConfig;
use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_runtime::auth::{SigV4OperationSigningConfig, SigningOptions};
use aws_runtime::retries::classifiers::AwsErrorCodeClassifier;
use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime::client::retries::classifiers::{HttpStatusCodeClassifier, TransientErrorClassifier};
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
use aws_types::SigningName;
use aws_types::region::SigningRegion;
use reeve_connect_aws_ec2::{At, Call, Fault, retries};
use serde::Deserialize;

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct SignedRequest {
    /// Name that the request is signed for.
    pub(crate) signing_name: &'static str,
    /// First label of the service's address.
    pub(crate) host: &'static str,
    /// Operation, for telemetry.
    pub(crate) operation: &'static str,
    /// `GET` or `POST`.
    pub(crate) method: &'static str,
    /// Path with its query, encoded.
    pub(crate) path: String,
    /// Headers.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Body.
    pub(crate) body: String,
    /// `true` for services with one address for all regions.
    pub(crate) is_global: bool,
}

/// Sends a request, and returns the body of a success.
///
/// # Errors
/// The call's failure, classified.
pub(crate) async fn send(config: &SdkConfig, call: Call<'_>, request: SignedRequest) -> Result<Vec<u8>, Fault> {
    let retries = config.retry_config().cloned().unwrap_or_else(RetryConfig::standard);
    let timeouts = config.timeout_config().cloned().unwrap_or_else(TimeoutConfig::disabled);
    let operation = Operation::builder()
        .service_name(request.signing_name)
        .operation_name(Cow::Borrowed(request.operation))
        .endpoint_url(&endpoint(config, &request))
        .standard_retry(&retries)
        .retry_classifier(AwsErrorCodeClassifier::<ErrorMetadata>::new())
        .retry_classifier(TransientErrorClassifier::<ErrorMetadata>::new())
        .retry_classifier(HttpStatusCodeClassifier::default())
        .timeout_config(timeouts)
        .with_connection_poisoning()
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
        .deserializer(answer)
        .build();
    operation.invoke(request).await.at(call)
}

/// Returns the address of the service: the configuration's override, or AWS's own.
fn endpoint(config: &SdkConfig, request: &SignedRequest) -> String {
    let region = config.region().map_or("us-east-1", |region| region.as_ref());
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    let host = request.host;
    let is_regional = !request.is_global || region.starts_with("cn-") || region.starts_with("us-gov-");
    // Buckets answer at the address of their region alone.
    let own = if is_regional || host == "s3" {
        format!("https://{host}.{region}.{suffix}")
    } else {
        format!("https://{host}.{suffix}")
    };
    config.endpoint_url().map_or(own, str::to_owned)
}

/// Returns the signing configuration of calls and their budget of retries, from the region and credentials of the client.
fn signing(config: &SdkConfig, name: &'static str, call: Call<'_>) -> StaticRuntimePlugin {
    let mut options = SigningOptions::default();
    if name == "s3" {
        (options.double_uri_encode, options.normalize_uri_path, options.content_sha256_header) = (false, false, true);
    }
    let mut layer = Layer::new(name);
    layer.store_put(retries(call.connection, name));
    layer.store_put(AuthSchemeOptionResolverParams::new(()));
    layer.store_put(SigV4OperationSigningConfig {
        region: config.region().cloned().map(SigningRegion::from),
        name: Some(SigningName::from_static(name)),
        signing_options: options,
        ..SigV4OperationSigningConfig::default()
    });
    let components = RuntimeComponentsBuilder::new(name)
        .with_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![SCHEME_ID])))
        .with_auth_scheme(SigV4AuthScheme::new())
        .with_identity_cache(config.identity_cache())
        .with_http_client(config.http_client())
        .with_sleep_impl(config.sleep_impl())
        .with_time_source(config.time_source());
    let components = match config.credentials_provider() {
        Some(provider) => components.with_identity_resolver(SCHEME_ID, provider),
        None => components,
    };
    StaticRuntimePlugin::new().with_config(layer.freeze()).with_runtime_components(components)
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
    let refusal =
        serde_json::from_slice(body).unwrap_or_else(|_| Refusal { code: in_xml("Code"), message: in_xml("Message") });
    let header = response.headers().get("x-amzn-errortype").map(str::to_owned);
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
