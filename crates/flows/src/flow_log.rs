//! Flow logs of an account as EC2 describes them, and where each delivers its records.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{FlowFormat, FormatError};

/// Place that a flow log delivers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowLogDestination {
    /// A bucket; with the folder that was given beside it.
    S3 {
        bucket: String,
        folder: String,
        is_parquet: bool,
        /// `year=2026/month=11/day=28` in place of `2026/11/28`.
        is_hive: bool,
    },
    /// A log group of CloudWatch Logs.
    Logs { group: String },
}

/// Flow log of a network, subnet or interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowLog {
    pub id: String,
    pub account: String,
    pub region: String,
    /// Network, subnet or interface that it is of.
    pub of: String,
    pub destination: FlowLogDestination,
    pub format: FlowFormat,
    /// Delivers accepted flows alone, or refused ones alone, where that is so: `ACCEPT` or `REJECT`.
    pub traffic: String,
}

/// Flow log that is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowLogError {
    #[error("it delivers to {0}: only S3 and CloudWatch Logs are read")]
    Destination(String),
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A member of its description is missing.
    #[error("its description has no {0}")]
    Missing(&'static str),
}

impl FlowLog {
    /// Reads the description of a flow log.
    ///
    /// # Errors
    /// It delivers elsewhere, or in a format that flows cannot be summed from.
    pub fn read(document: &Value, account: &str, region: &str) -> Result<FlowLog, FlowLogError> {
        let text = |name: &'static str| {
            let found = document.get(name).and_then(Value::as_str);
            found.filter(|text| !text.is_empty())
        };
        let need = |name: &'static str| text(name).ok_or(FlowLogError::Missing(name));
        let option = |name: &str| {
            let options = document.get("destinationOptions")?;
            let value = options.get(name)?;
            Some(
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            )
        };

        let destination = match text("logDestinationType").unwrap_or("cloud-watch-logs") {
            "s3" => {
                let arn = need("logDestination")?;
                let path = arn.rsplit_once(":::").map_or(arn, |(_, path)| path);
                let (bucket, folder) = path.split_once('/').unwrap_or((path, ""));
                let folder = folder.trim_matches('/');
                FlowLogDestination::S3 {
                    bucket: bucket.to_owned(),
                    folder: match folder {
                        "" => String::new(),
                        folder => format!("{folder}/"),
                    },
                    is_parquet: option("fileFormat").as_deref() == Some("parquet"),
                    is_hive: option("hiveCompatiblePartitions").as_deref() == Some("true"),
                }
            }
            "cloud-watch-logs" => {
                let by_arn = text("logDestination").and_then(|arn| arn.split(":log-group:").nth(1));
                let group = text("logGroupName")
                    .or(by_arn)
                    .ok_or(FlowLogError::Missing("logGroupName"))?;
                FlowLogDestination::Logs {
                    group: group.trim_end_matches(":*").to_owned(),
                }
            }
            other => return Err(FlowLogError::Destination(other.to_owned())),
        };

        Ok(FlowLog {
            id: need("flowLogId")?.to_owned(),
            account: account.to_owned(),
            region: region.to_owned(),
            of: need("resourceId")?.to_owned(),
            destination,
            format: match text("logFormat") {
                Some(template) => FlowFormat::from_template(template)?,
                None => FlowFormat::default(),
            },
            traffic: text("trafficType").unwrap_or("ALL").to_owned(),
        })
    }

    /// Returns the beginning of the names of a day's objects; `None` for a log group. The day is a
    /// date as `2026-11-28`.
    #[must_use]
    pub fn prefix(&self, date: &str) -> Option<String> {
        let FlowLogDestination::S3 {
            folder, is_hive, ..
        } = &self.destination
        else {
            return None;
        };
        let (account, region) = (&self.account, &self.region);
        let mut parts = date.splitn(3, '-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);

        Some(match is_hive {
            true => format!(
                "{folder}AWSLogs/aws-account-id={account}/aws-service=vpcflowlogs/aws-region={region}/year={year}/month={month}/day={day}/"
            ),
            false => {
                format!("{folder}AWSLogs/{account}/vpcflowlogs/{region}/{year}/{month}/{day}/")
            }
        })
    }

    /// Returns `true` if an object is one of this flow log, by its name.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        let name = key.rsplit('/').next().unwrap_or(key);
        name.contains(&format!("_{}_", self.id))
    }
}

/// Position up to which a flow log was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogCursor {
    /// First day that is not read to its end, in days since 1970 (UTC).
    pub day: Option<i32>,
    /// Objects of that day and later ones that were read.
    #[serde(default)]
    pub objects: BTreeSet<String>,
    /// Time up to which a log group was read, Unix milliseconds.
    #[serde(default)]
    pub until_ms: Option<i64>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn destinations_are_read_from_descriptions() {
        let hive = json!({
            "flowLogId": "fl-1", "resourceId": "vpc-1", "logDestinationType": "s3", "trafficType": "ALL",
            "logDestination": "arn:aws:s3:::flows/team/", "destinationOptions": { "fileFormat": "parquet", "hiveCompatiblePartitions": "true" },
        });
        let log = FlowLog::read(&hive, "111122223333", "eu-west-1").unwrap();
        assert_eq!(
            log.prefix("2026-11-28").unwrap(),
            "team/AWSLogs/aws-account-id=111122223333/aws-service=vpcflowlogs/aws-region=eu-west-1/year=2026/month=11/day=28/"
        );
        assert!(log.has("x/111122223333_vpcflowlogs_eu-west-1_fl-1_20261128T0000Z_ab.log.parquet"));
        assert!(
            !log.has("x/111122223333_vpcflowlogs_eu-west-1_fl-12_20261128T0000Z_ab.log.parquet")
        );

        let group = json!({ "flowLogId": "fl-2", "resourceId": "eni-1", "logDestinationType": "cloud-watch-logs", "logGroupName": "flows" });
        let log = FlowLog::read(&group, "1", "eu-west-1").unwrap();
        assert_eq!(
            log.destination,
            FlowLogDestination::Logs {
                group: "flows".to_owned()
            }
        );
        assert_eq!(log.prefix("2026-11-28"), None);

        let stream = json!({ "flowLogId": "fl-3", "resourceId": "eni-1", "logDestinationType": "kinesis-data-firehose" });
        let error = FlowLog::read(&stream, "1", "eu-west-1").unwrap_err();
        assert!(error.to_string().contains("kinesis-data-firehose"));
    }
}
