//! CloudWatch over its JSON protocol (AWS JSON 1.0), on the SDK's own machinery: signing,
//! credentials, retries, time limits.
//!
//! The service SDK speaks CBOR alone, which emulators do not answer; JSON is spoken by AWS and by
//! them. Two operations are all that is needed, so the SDK (one of the larger crates to compile) is
//! left out. Shapes: Amazon CloudWatch API reference, GetMetricData and ListMetrics.

use aws_config::SdkConfig;
use reeve_connect_aws_ec2::signed::{self, SignedRequest};
use reeve_connect_aws_ec2::{AwsEc2Fault, Call, FaultKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The service's name in `X-Amz-Target`.
const TARGET: &str = "GraniteServiceVersion20100801";

/// CloudWatch in one region.
#[derive(Debug, Clone)]
pub(crate) struct CloudWatch {
    config: SdkConfig,
}

/// A name and a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct CloudwatchDimension {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct CloudwatchMetric {
    pub(crate) namespace: String,
    pub(crate) metric_name: String,
    #[serde(default)]
    pub(crate) dimensions: Vec<CloudwatchDimension>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct ListMetrics {
    pub(crate) namespace: &'static str,
    pub(crate) metric_name: &'static str,
    pub(crate) dimensions: Vec<CloudwatchDimension>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct MetricsListed {
    #[serde(default)]
    pub(crate) metrics: Vec<CloudwatchMetric>,
    pub(crate) next_token: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct MetricStat {
    pub(crate) metric: CloudwatchMetric,
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
        CloudWatch { config }
    }

    pub(crate) async fn list_metrics(
        &self,
        call: Call<'_>,
        request: &ListMetrics,
    ) -> Result<MetricsListed, AwsEc2Fault> {
        self.invoke(call, "ListMetrics", request).await
    }

    pub(crate) async fn get_metric_data(
        &self,
        call: Call<'_>,
        request: &GetMetricData<'_>,
    ) -> Result<MetricData, AwsEc2Fault> {
        self.invoke(call, "GetMetricData", request).await
    }

    async fn invoke<O: DeserializeOwned>(
        &self,
        call: Call<'_>,
        operation: &'static str,
        request: &impl Serialize,
    ) -> Result<O, AwsEc2Fault> {
        let broken =
            |error: serde_json::Error| call.fault(FaultKind::Broken, None, &error.to_string());
        let request = SignedRequest {
            signing_name: "monitoring",
            host: "monitoring",
            operation,
            method: "POST",
            path: "/".to_owned(),
            headers: vec![
                ("content-type", "application/x-amz-json-1.0".to_owned()),
                ("x-amz-target", format!("{TARGET}.{operation}")),
            ],
            body: serde_json::to_string(request).map_err(broken)?,
            is_global: false,
        };

        serde_json::from_slice(&signed::send(&self.config, call, request).await?).map_err(broken)
    }
}
