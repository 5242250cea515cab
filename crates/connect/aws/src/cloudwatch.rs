//! CloudWatch over its JSON protocol (AWS JSON 1.0), on the SDK's own machinery: signing, credentials, retries, time limits.
//!
//! The service SDK speaks CBOR alone, which emulators do not answer; JSON is spoken by AWS and by them. Two operations are
//! all that is needed, so the SDK (one of the larger crates to compile) is left out.
//! Shapes: Amazon CloudWatch API reference, GetMetricData and ListMetrics.

use aws_config::SdkConfig;
use aws_runtime::auth::SigV4OperationSigningConfig;
use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
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
use reeve_connect_aws_ec2::{At, Call, Fault};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The service's name in `X-Amz-Target`.
const TARGET: &str = "GraniteServiceVersion20100801";

/// CloudWatch in one region.
#[derive(Debug, Clone)]
pub(crate) struct CloudWatch {
    config: SdkConfig,
    endpoint: String,
}

/// A name and a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Dimension {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Metric {
    pub(crate) namespace: String,
    pub(crate) metric_name: String,
    #[serde(default)]
    pub(crate) dimensions: Vec<Dimension>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct ListMetrics {
    pub(crate) namespace: &'static str,
    pub(crate) metric_name: &'static str,
    pub(crate) dimensions: Vec<Dimension>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct MetricsListed {
    #[serde(default)]
    pub(crate) metrics: Vec<Metric>,
    pub(crate) next_token: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct MetricStat {
    pub(crate) metric: Metric,
    pub(crate) period: i64,
    pub(crate) stat: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct MetricDataQuery {
    pub(crate) id: String,
    pub(crate) metric_stat: MetricStat,
    pub(crate) return_data: bool,
}

/// Times are seconds since 1970.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct GetMetricData<'a> {
    pub(crate) metric_data_queries: &'a [MetricDataQuery],
    pub(crate) start_time: i64,
    pub(crate) end_time: i64,
    pub(crate) scan_by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct MetricData {
    #[serde(default)]
    pub(crate) metric_data_results: Vec<MetricDataResult>,
    pub(crate) next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct MetricDataResult {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) timestamps: Vec<f64>,
    #[serde(default)]
    pub(crate) values: Vec<f64>,
    #[serde(default)]
    pub(crate) status_code: String,
    #[serde(default)]
    pub(crate) messages: Vec<Message>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Message {
    #[serde(default)]
    pub(crate) value: String,
}

impl CloudWatch {
    /// With a region's configuration; its endpoint override, or AWS's own address.
    pub(crate) fn new(config: SdkConfig) -> Self {
        let region = config.region().map_or("us-east-1", |r| r.as_ref());
        let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        let own = format!("https://monitoring.{region}.{suffix}");
        let endpoint = config.endpoint_url().map_or(own, str::to_owned);
        CloudWatch { config, endpoint }
    }

    pub(crate) async fn list_metrics(&self, call: Call<'_>, request: &ListMetrics) -> Result<MetricsListed, Fault> {
        self.invoke(call, "ListMetrics", request).await
    }

    pub(crate) async fn get_metric_data(
        &self,
        call: Call<'_>,
        request: &GetMetricData<'_>,
    ) -> Result<MetricData, Fault> {
        self.invoke(call, "GetMetricData", request).await
    }

    async fn invoke<O>(&self, call: Call<'_>, name: &'static str, request: &impl Serialize) -> Result<O, Fault>
    where
        O: DeserializeOwned + std::fmt::Debug + Send + Sync + 'static,
    {
        let body = serde_json::to_string(request)
            .map_err(|error| call.fault(reeve_connect_aws_ec2::FaultKind::Other, None, &error.to_string()))?;
        let retries = self.config.retry_config().cloned().unwrap_or_else(RetryConfig::standard);
        let timeouts = self.config.timeout_config().cloned().unwrap_or_else(TimeoutConfig::disabled);
        let operation = Operation::builder()
            .service_name("CloudWatch")
            .operation_name(name)
            .endpoint_url(&self.endpoint)
            .standard_retry(&retries)
            .retry_classifier(AwsErrorCodeClassifier::<ErrorMetadata>::new())
            .retry_classifier(TransientErrorClassifier::<ErrorMetadata>::new())
            .retry_classifier(HttpStatusCodeClassifier::default())
            .timeout_config(timeouts)
            .with_connection_poisoning()
            .runtime_plugin(self.signing())
            .serializer(move |body: String| {
                let mut request = HttpRequest::new(SdkBody::from(body));
                request.set_method("POST")?;
                request.set_uri("/")?;
                request.headers_mut().insert("content-type", "application/x-amz-json-1.0");
                request.headers_mut().insert("x-amz-target", format!("{TARGET}.{name}"));
                Ok(request)
            })
            .deserializer(answer::<O>)
            .build();
        operation.invoke(body).await.at(call)
    }

    /// Returns the signing configuration of calls, from the region and credentials of the client.
    fn signing(&self) -> StaticRuntimePlugin {
        let mut layer = Layer::new("cloudwatch");
        layer.store_put(AuthSchemeOptionResolverParams::new(()));
        layer.store_put(SigV4OperationSigningConfig {
            region: self.config.region().cloned().map(SigningRegion::from),
            name: Some(SigningName::from_static("monitoring")),
            ..SigV4OperationSigningConfig::default()
        });
        let components = RuntimeComponentsBuilder::new("cloudwatch")
            .with_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![SCHEME_ID])))
            .with_auth_scheme(SigV4AuthScheme::new())
            .with_identity_cache(self.config.identity_cache())
            .with_http_client(self.config.http_client())
            .with_sleep_impl(self.config.sleep_impl())
            .with_time_source(self.config.time_source());
        let components = match self.config.credentials_provider() {
            Some(provider) => components.with_identity_resolver(SCHEME_ID, provider),
            None => components,
        };
        StaticRuntimePlugin::new().with_config(layer.freeze()).with_runtime_components(components)
    }
}

/// An error as AWS JSON words it: the code behind a `#`, or in a header.
#[derive(Deserialize)]
struct Refusal {
    #[serde(rename = "__type")]
    code: Option<String>,
    #[serde(alias = "Message")]
    message: Option<String>,
}

fn answer<O: DeserializeOwned>(response: &HttpResponse) -> Result<O, OrchestratorError<ErrorMetadata>> {
    let body = response.body().bytes().unwrap_or_default();
    if response.status().is_success() {
        return serde_json::from_slice(body).map_err(OrchestratorError::other);
    }
    let refusal = serde_json::from_slice(body).unwrap_or(Refusal { code: None, message: None });
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
