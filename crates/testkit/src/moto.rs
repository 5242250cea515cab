//! moto, the AWS emulator, as a process of its own on a free port: started by a test, killed when
//! the test ends, however it ends.
//!
//! What it gets wrong, so that a test on it alone proves nothing: it resizes a running machine,
//! accepts bogus types, and accepts any key unless [`Moto::enforce_keys`] was called. Seeding
//! ([`seed`]) speaks AWS's query protocol directly, so that no AWS SDK is compiled for it; series
//! with a shape of their own come from [`series`].

mod fork_server;
mod groups;
mod logs;
mod network;
pub mod seed;
pub mod series;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};

use self::fork_server::MotoProcess;

/// Lets moto compute the values of metrics sooner, which stay its own, and list each metric once.
const METRICS: &str = include_str!("moto/metrics.py");

/// Lets moto tell the snapshots that everyone may restore from the others.
const SNAPSHOTS: &str = include_str!("moto/snapshots.py");

/// Lets moto block public snapshots and images.
const BLOCKS: &str = include_str!("moto/public_access.py");

/// Lets moto tell assigned public addresses from Elastic IPs, as EC2 does.
const ADDRESSES: &str = include_str!("moto/addresses.py");

/// Lets moto have spot prices that move, and placement scores.
const SPOT_MARKET: &str = include_str!("moto/spot_market.py");

/// Lets moto take requests of higher quotas, as strictly as Service Quotas does.
const QUOTAS: &str = include_str!("moto/quotas.py");

/// Lets machines behind moto's load balancers fail their health checks.
const TARGET_HEALTH: &str = include_str!("moto/target_health.py");

/// Lets moto manage machines and install their patches.
const PATCHES: &str = include_str!("moto/patches.py");

/// Starts moto as it is.
const PLAIN: &str = "import sys
from moto.server import main
main(sys.argv[1:])";

/// Starts moto with another time for volumes, snapshots and objects: its clock cannot be set.
const AGED: &str = "import sys
from datetime import timedelta
from moto.core.utils import utcnow
from moto.ec2.models import elastic_block_store
from moto.s3 import models as s3
from moto.server import main
days = int(sys.argv.pop(1))
elastic_block_store.utcnow = lambda: utcnow() - timedelta(days=days)
s3.utcnow = elastic_block_store.utcnow
main(sys.argv[1:])";

/// Starts moto with what it lacks of instance refreshes, and with versions of launch templates that
/// are copies of another version.
///
/// A refresh is as strict as Auto Scaling's: one at a time, of a group that exists. It stays in
/// progress for the first look at it and then replaces the members that are not of the group's
/// version; a cancelled one replaces none.
const REFRESHES: &str = include_str!("moto/refreshes.py");

/// A running moto, or a second account of one.
#[derive(Debug)]
pub struct Moto {
    /// Process that ends with this value; `None` for a further account of another value's process.
    process: Option<MotoProcess>,
    endpoint: String,
    http: reqwest::Client,
}

impl Moto {
    /// Starts moto and waits until it answers.
    ///
    /// The program is `$REEVE_TEST_MOTO`, or `.venv/bin/moto_server` under the workspace root, or
    /// `moto_server` on the path.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn start() -> anyhow::Result<Moto> {
        Moto::run(&[METRICS, SNAPSHOTS, BLOCKS, PLAIN].concat(), &[]).await
    }

    /// Starts a moto whose machines have the public addresses that EC2 assigns. Otherwise all are
    /// taken for Elastic IPs, which stay at a stop.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn addressed() -> anyhow::Result<Moto> {
        Moto::run(
            &[METRICS, SNAPSHOTS, BLOCKS, ADDRESSES, PLAIN].concat(),
            &[],
        )
        .await
    }

    /// Starts a moto with a market of spot capacity: prices that move, and placement scores that
    /// are refused as EC2 refuses them.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn spot_market() -> anyhow::Result<Moto> {
        Moto::run(
            &[METRICS, SNAPSHOTS, BLOCKS, SPOT_MARKET, PLAIN].concat(),
            &[],
        )
        .await
    }

    /// Starts a moto that takes requests of higher quotas of networks; it decides about none.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn quotas() -> anyhow::Result<Moto> {
        Moto::run(&[METRICS, SNAPSHOTS, BLOCKS, QUOTAS, PLAIN].concat(), &[]).await
    }

    /// Starts a moto in which targets with a tag `answers` of another value than `200` are unhealthy.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn target_health() -> anyhow::Result<Moto> {
        Moto::run(
            &[METRICS, SNAPSHOTS, BLOCKS, TARGET_HEALTH, PLAIN].concat(),
            &[],
        )
        .await
    }

    /// Starts a moto that manages the machines with the tag `missing-patches` and installs their
    /// patches; those of a machine with the tag `patches-fail` stay missing.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn patching() -> anyhow::Result<Moto> {
        Moto::run(&[METRICS, SNAPSHOTS, BLOCKS, PATCHES, PLAIN].concat(), &[]).await
    }

    /// Starts moto without what this crate changes of it, to compare with.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn unchanged() -> anyhow::Result<Moto> {
        Moto::run(PLAIN, &[]).await
    }

    /// Starts a moto whose volumes, snapshots and objects are so many days old when they are
    /// created.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn aged(days: u32) -> anyhow::Result<Moto> {
        Moto::run(
            &[METRICS, SNAPSHOTS, BLOCKS, AGED].concat(),
            &[&days.to_string()],
        )
        .await
    }

    /// Starts a moto that refreshes scaling groups.
    ///
    /// # Errors
    /// The program cannot be started or does not answer within 30 seconds.
    pub async fn refreshing() -> anyhow::Result<Moto> {
        Moto::run(&[METRICS, SNAPSHOTS, BLOCKS, REFRESHES].concat(), &[]).await
    }

    /// Runs a Python program that ends in moto's server, with arguments before the server's own.
    async fn run(code: &str, before: &[&str]) -> anyhow::Result<Moto> {
        // Between finding a free port and binding it somebody else may take it; then another is
        // tried.
        for _ in 0..3 {
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            let port = port.to_string();
            let arguments = [before, &["-H", "127.0.0.1", "-p", &port]].concat();
            let process = MotoProcess::start(code, &arguments)?;
            let http = reqwest::Client::builder().no_proxy().build()?;
            let moto = Moto {
                process: Some(process),
                endpoint: format!("http://127.0.0.1:{port}"),
                http,
            };
            if moto.answers().await? {
                return Ok(moto);
            }
        }
        bail!("moto ended three times before it answered")
    }

    /// Waits for the first answer; `false` when the process ended.
    async fn answers(&self) -> anyhow::Result<bool> {
        let url = format!("{}/moto-api/", self.endpoint);
        let waiting = async {
            let mut pause = tokio::time::interval(Duration::from_millis(50));
            loop {
                pause.tick().await;
                if let Some(process) = &self.process
                    && process.has_ended()?
                {
                    return Ok(false);
                }
                if self.http.get(&url).send().await.is_ok() {
                    return Ok(true);
                }
            }
        };

        tokio::time::timeout(Duration::from_secs(30), waiting)
            .await
            .context("moto did not answer within 30 seconds")?
    }

    /// Another account of this moto, by its number of 12 digits, to seed and to read. Reeve reaches
    /// it by assuming a role of the account. The process ends with the first account's value.
    ///
    /// # Errors
    /// The number is no header value.
    pub fn account(&self, number: &str) -> anyhow::Result<Moto> {
        let mut headers = reqwest::header::HeaderMap::new();
        headers.insert("x-moto-account-id", number.parse()?);
        let http = reqwest::Client::builder()
            .no_proxy()
            .default_headers(headers)
            .build()?;

        Ok(Moto {
            process: None,
            endpoint: self.endpoint.clone(),
            http,
        })
    }

    /// Returns the address, for a connection's endpoint.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// From now on every call must carry a known key, a right signature and a policy that allows
    /// it. Seed before.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn enforce_keys(&self) -> anyhow::Result<()> {
        let response = self
            .http
            .post(format!("{}/moto-api/reset-auth", self.endpoint))
            .body("0")
            .send()
            .await?;
        response.error_for_status()?;

        Ok(())
    }

    /// One call of the query protocol; the answer's XML.
    ///
    /// # Errors
    /// The service answered with an error, which the message contains.
    pub async fn query(
        &self,
        service: &Service,
        region: &str,
        action: &str,
        parameters: &[(String, String)],
    ) -> anyhow::Result<String> {
        let mut form = vec![("Action", action), ("Version", service.version)];
        form.extend(
            parameters
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_str())),
        );

        let body = form
            .iter()
            .map(|(k, v)| format!("{}={}", escape(k), escape(v)))
            .collect::<Vec<_>>()
            .join("&");

        let request = self
            .http
            .post(&self.endpoint)
            .header(
                "content-type",
                "application/x-www-form-urlencoded; charset=utf-8",
            )
            .header("authorization", authorization(service.name, region))
            .body(body);

        self.answer(request, action).await
    }

    /// One call of CloudWatch's JSON protocol, which moto reads many times faster than long forms.
    async fn json(
        &self,
        region: &str,
        action: &str,
        body: &serde_json::Value,
    ) -> anyhow::Result<String> {
        let request = self
            .http
            .post(&self.endpoint)
            .header("content-type", "application/x-amz-json-1.0")
            .header(
                "x-amz-target",
                format!("GraniteServiceVersion20100801.{action}"),
            )
            .header("authorization", authorization("monitoring", region))
            .body(body.to_string());
        self.answer(request, action).await
    }

    /// Removes an object over S3's own protocol.
    async fn remove(&self, region: &str, path: &str) -> anyhow::Result<()> {
        let request = self
            .http
            .delete(format!("{}/{path}", self.endpoint))
            .header("authorization", authorization("s3", region));
        self.answer(request, path).await.map(|_| ())
    }

    /// One call of S3's own protocol.
    async fn put(
        &self,
        region: &str,
        path: &str,
        body: impl Into<reqwest::Body>,
    ) -> anyhow::Result<String> {
        let request = self
            .http
            .put(format!("{}/{path}", self.endpoint))
            .header("content-type", "application/xml")
            .header("authorization", authorization("s3", region))
            .body(body);
        self.answer(request, path).await
    }

    /// Returns the values that were requested of a quota, the newest first.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn requested_quotas(
        &self,
        region: &str,
        (service, quota): (&str, &str),
    ) -> anyhow::Result<Vec<f64>> {
        let body = serde_json::json!({ "ServiceCode": service, "QuotaCode": quota });
        let target = "ServiceQuotasV20190624.ListRequestedServiceQuotaChangeHistoryByQuota";
        let request = self
            .http
            .post(&self.endpoint)
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amz-target", target)
            .header("authorization", authorization("servicequotas", region))
            .body(body.to_string());
        let answer = self.answer(request, target).await?;
        let answer: serde_json::Value = serde_json::from_str(&answer)?;
        let requests = answer["RequestedQuotas"].as_array().into_iter().flatten();
        Ok(requests
            .filter_map(|request| request["DesiredValue"].as_f64())
            .collect())
    }

    /// Lifecycle rules of a bucket as S3 answers them; `None` without any.
    ///
    /// # Errors
    /// moto did not answer.
    pub async fn lifecycle_of(&self, region: &str, bucket: &str) -> anyhow::Result<Option<String>> {
        self.setting_of(region, bucket, "lifecycle").await
    }

    /// Returns the public access block of a bucket as its XML; `None` without one.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn public_access_block_of(
        &self,
        region: &str,
        bucket: &str,
    ) -> anyhow::Result<Option<String>> {
        self.setting_of(region, bucket, "publicAccessBlock").await
    }

    async fn setting_of(
        &self,
        region: &str,
        bucket: &str,
        setting: &str,
    ) -> anyhow::Result<Option<String>> {
        let request = self
            .http
            .get(format!("{}/{bucket}?{setting}", self.endpoint));
        let response = request
            .header("authorization", authorization("s3", region))
            .send()
            .await?;
        if response.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(None);
        }

        Ok(Some(response.error_for_status()?.text().await?))
    }

    async fn answer(&self, request: reqwest::RequestBuilder, what: &str) -> anyhow::Result<String> {
        let response = request.send().await?;
        let status = response.status();
        let text = response.text().await?;
        if !status.is_success() {
            bail!("moto answered {what} with {status}: {text}");
        }
        Ok(text)
    }
}

/// A service of the query protocol.
#[derive(Debug)]
pub struct Service {
    name: &'static str,
    version: &'static str,
}

/// EC2 with the version of its query protocol.
pub const EC2: Service = Service {
    name: "ec2",
    version: "2016-11-15",
};
/// RDS with the version of its query protocol.
pub const RDS: Service = Service {
    name: "rds",
    version: "2014-10-31",
};
/// ElastiCache with the version of its query protocol.
pub const ELASTICACHE: Service = Service {
    name: "elasticache",
    version: "2015-02-02",
};
/// Elastic Load Balancing, version 2.
pub const ELB: Service = Service {
    name: "elasticloadbalancing",
    version: "2015-12-01",
};
/// Auto Scaling with the version of its query protocol.
pub const AUTOSCALING: Service = Service {
    name: "autoscaling",
    version: "2011-01-01",
};
/// IAM with the version of its query protocol.
pub const IAM: Service = Service {
    name: "iam",
    version: "2010-05-08",
};

/// SNS with the version of its query protocol.
pub const SNS: Service = Service {
    name: "sns",
    version: "2010-03-31",
};

/// SQS with the version of its query protocol.
pub const SQS: Service = Service {
    name: "sqs",
    version: "2012-11-05",
};

/// The text between every `<tag>` and `</tag>`, in order.
#[must_use]
pub fn texts<'a>(xml: &'a str, tag: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    xml.split(&open)
        .skip(1)
        .filter_map(|rest| rest.split(&close).next())
        .collect()
}

/// Returns the folder of the test data: `$REEVE_TEST_DATA`, or `../shared/data` beside the
/// workspace.
#[must_use]
pub fn test_data() -> PathBuf {
    std::env::var_os("REEVE_TEST_DATA")
        .map_or_else(|| workspace().join("../shared/data"), PathBuf::from)
}

fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("REEVE_TEST_MOTO") {
        return PathBuf::from(path);
    }

    let local = workspace().join(".venv/bin/moto_server");
    if local.exists() {
        local
    } else {
        PathBuf::from("moto_server")
    }
}

fn workspace() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().and_then(Path::parent).unwrap_or(here)
}

/// moto reads service and region from the credential scope; the signature is not looked at before
/// keys are enforced.
fn authorization(service: &str, region: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential=seed/20260101/{region}/{service}/aws4_request, SignedHeaders=host, Signature=none"
    )
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }

    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::seed::Metric;
    use super::*;

    const REGION: &str = "us-east-1";
    const START_S: i64 = 1_790_000_007;

    /// Puts three series: one every 100 seconds, one with gaps, one of another name.
    async fn seeded(moto: &Moto) {
        let series = [
            ("CPUUtilization", "i-1", 1, "Percent"),
            ("CPUUtilization", "i-2", 7, "Percent"),
            ("NetworkIn", "i-1", 3, "Bytes"),
        ];

        for (name, machine, every, unit) in series {
            let dimensions = [("InstanceId", machine), ("AutoScalingGroupName", "web")];
            let metric = Metric {
                namespace: "AWS/EC2",
                name,
                unit,
                dimensions: &dimensions,
            };
            let points: Vec<_> = (0..600)
                .filter(|n| n % every == 0)
                .map(|n| Timestamp::from_second(START_S + 100 * n).unwrap())
                .zip((0..).map(|n| f64::from((n * 37) % 101)))
                .collect();
            moto.metric(REGION, metric, &points).await.unwrap();
        }
    }

    fn query(id: &str, name: &str, machine: &str, stat: &str, unit: Option<&str>) -> Value {
        let dimensions = json!([
            { "Name": "InstanceId", "Value": machine },
            { "Name": "AutoScalingGroupName", "Value": "web" },
        ]);
        let metric =
            json!({ "Namespace": "AWS/EC2", "MetricName": name, "Dimensions": dimensions });
        let mut stat = json!({ "Metric": metric, "Period": 300, "Stat": stat });
        if let Some(unit) = unit {
            stat["Unit"] = json!(unit);
        }
        json!({ "Id": id, "MetricStat": stat })
    }

    #[tokio::test]
    async fn values_of_metrics_are_those_of_an_unchanged_moto() {
        let (ours, unchanged) = tokio::try_join!(Moto::start(), Moto::unchanged()).unwrap();
        seeded(&ours).await;
        seeded(&unchanged).await;

        let queries = json!([
            query("a", "CPUUtilization", "i-1", "Average", None),
            query("b", "CPUUtilization", "i-2", "Maximum", Some("Percent")),
            query("c", "NetworkIn", "i-1", "Sum", None),
            query("d", "NetworkIn", "i-1", "Sum", Some("Percent")),
            query("e", "NetworkIn", "i-9", "Sum", None),
        ]);
        for order in ["TimestampAscending", "TimestampDescending"] {
            let asked = json!({
                "StartTime": START_S + 250,
                "EndTime": START_S + 55_111,
                "ScanBy": order,
                "MetricDataQueries": queries,
            });
            let found = ours.json(REGION, "GetMetricData", &asked).await.unwrap();
            let expected = unchanged
                .json(REGION, "GetMetricData", &asked)
                .await
                .unwrap();
            let found: Value = serde_json::from_str(&found).unwrap();
            let expected: Value = serde_json::from_str(&expected).unwrap();

            assert_eq!(found, expected, "{order}");

            let values = &found["MetricDataResults"][0]["Values"];
            assert!(values.as_array().unwrap().len() > 150, "{found}");
        }

        let all = json!({ "Namespace": "AWS/EC2" });
        let listed = ours.json(REGION, "ListMetrics", &all).await.unwrap();
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["Metrics"].as_array().unwrap().len(), 3, "{listed}");
    }

    #[test]
    fn texts_are_found_in_order() {
        assert_eq!(texts("<a><id>1</id><id>2</id></a>", "id"), ["1", "2"]);
        assert_eq!(escape("a b/ü"), "a%20b%2F%C3%BC");
    }
}
