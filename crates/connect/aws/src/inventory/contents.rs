//! Sizes of buckets: `BucketSizeBytes` by storage type and `NumberOfObjects`, which S3 sends to
//! CloudWatch once a day for each bucket with objects. Amazon S3 user guide, "Metrics and
//! dimensions"; free of charge, for calls only.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_connect_aws_ec2::{AwsEc2Fault, Cursor, FaultKind, Place};
use reeve_estate::{BucketContents, GIB, Resource};

use crate::cloudwatch::{
    CloudWatch, CloudwatchDimension, CloudwatchMetric, GetMetricData, ListMetrics, MetricDataQuery,
    MetricDataResult, MetricStat,
};
use crate::session::AwsConnection;

const NAMESPACE: &str = "AWS/S3";
const SIZE: &str = "BucketSizeBytes";
const OBJECTS: &str = "NumberOfObjects";
/// Length of the metrics' period, seconds.
const DAY_S: i64 = 86_400;
/// Days that are asked for: a day's figures may arrive a day after it.
const DAYS: i64 = 4;
/// Metrics in one GetMetricData call, the most there may be.
const METRICS_A_CALL: usize = 500;

/// One metric of a bucket, with its newest point.
struct Counted {
    metric: CloudwatchMetric,
    newest: Option<(i64, f64)>,
}

/// Sets the contents of buckets, and returns what could not be read. The buckets of a region whose
/// metrics are denied have none.
pub(super) async fn count(
    connection: &AwsConnection,
    account: &str,
    buckets: &mut [Resource],
) -> Vec<AwsEc2Fault> {
    let mut by_region: BTreeMap<String, Vec<&mut Resource>> = BTreeMap::new();
    for bucket in buckets {
        by_region
            .entry(bucket.region.clone())
            .or_default()
            .push(bucket);
    }

    let mut faults = Vec::new();
    for (region, buckets) in by_region {
        let place = connection.place(account, &region);
        let client = CloudWatch::new(connection.config(&region));
        let counted = match metrics(&client, &place).await {
            Ok(mut counted) => match newest(&client, &place, &mut counted).await {
                Ok(()) => counted,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            },
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let mut contents = contents(&counted);
        for bucket in buckets {
            bucket.specification.contents = contents.remove(bucket.id.as_str());
        }
    }

    faults
}

/// The metrics of a region's buckets, each storage type apart.
async fn metrics(client: &CloudWatch, place: &Place) -> Result<Vec<Counted>, AwsEc2Fault> {
    let call = place.call("cloudwatch:ListMetrics");
    let mut found = Vec::new();

    for metric_name in [SIZE, OBJECTS] {
        let mut cursor = Cursor::new();
        loop {
            let request = ListMetrics {
                namespace: NAMESPACE,
                metric_name,
                dimensions: Vec::new(),
                next_token: cursor.token(),
            };
            let page = client.list_metrics(call, &request).await?;
            // Metrics of filters and of Storage Lens have further dimensions.
            let plain = page
                .metrics
                .into_iter()
                .filter(|metric| metric.dimensions.len() == 2);
            found.extend(plain.map(|metric| Counted {
                metric,
                newest: None,
            }));
            if !cursor.advance(call, page.next_token.as_deref())? {
                break;
            }
        }
    }

    Ok(found)
}

/// Reads the newest point of each metric.
async fn newest(
    client: &CloudWatch,
    place: &Place,
    counted: &mut [Counted],
) -> Result<(), AwsEc2Fault> {
    let call = place.call("cloudwatch:GetMetricData");
    let now = Timestamp::now();

    // Whole days: CloudWatch aligns periods of a day to midnight UTC.
    let tomorrow = (now.as_second().div_euclid(DAY_S) + 1) * DAY_S;
    for chunk in counted.chunks_mut(METRICS_A_CALL) {
        let queries: Vec<MetricDataQuery> = chunk
            .iter()
            .enumerate()
            .map(|(n, one)| query(n, &one.metric))
            .collect();
        let mut cursor = Cursor::new();
        loop {
            let request = GetMetricData {
                metric_data_queries: &queries,
                start_time: tomorrow - DAYS * DAY_S,
                end_time: tomorrow,
                scan_by: "TimestampAscending",
                next_token: cursor.token(),
            };
            let page = client.get_metric_data(call, &request).await?;
            for result in &page.metric_data_results {
                if result.status_code == "Forbidden" {
                    return Err(call.fault(
                        FaultKind::Denied,
                        None,
                        "the sizes of buckets are not shown to this user",
                    ));
                }
                take(result, chunk);
            }
            if !cursor.advance(call, page.next_token.as_deref())? {
                break;
            }
        }
    }

    Ok(())
}

fn query(index: usize, metric: &CloudwatchMetric) -> MetricDataQuery {
    let dimensions = metric.dimensions.iter();
    let dimensions = dimensions
        .map(|one| CloudwatchDimension {
            name: one.name.clone(),
            value: one.value.clone(),
        })
        .collect();

    let metric = CloudwatchMetric {
        namespace: NAMESPACE.to_owned(),
        metric_name: metric.metric_name.clone(),
        dimensions,
    };

    MetricDataQuery {
        id: format!("m{index}"),
        metric_stat: MetricStat {
            metric,
            period: DAY_S,
            stat: "Average",
        },
        return_data: true,
    }
}

fn take(result: &MetricDataResult, counted: &mut [Counted]) {
    let index = result
        .id
        .strip_prefix('m')
        .and_then(|n| n.parse::<usize>().ok());
    let Some(counted) = index.and_then(|n| counted.get_mut(n)) else {
        return;
    };

    for (time, value) in result.timestamps.iter().zip(&result.values) {
        let time = *time as i64;
        if value.is_finite()
            && *value >= 0.0
            && counted.newest.is_none_or(|(newest, _)| time >= newest)
        {
            counted.newest = Some((time, *value));
        }
    }
}

/// Contents by bucket. A bucket without a point of its size has none.
fn contents(counted: &[Counted]) -> BTreeMap<String, BucketContents> {
    let dimension = |one: &Counted, name: &str| {
        let found = one
            .metric
            .dimensions
            .iter()
            .find(|dimension| dimension.name == name);
        found.and_then(|dimension| dimension.value.clone())
    };

    let mut found: BTreeMap<String, BucketContents> = BTreeMap::new();
    for one in counted.iter().filter(|one| one.metric.metric_name == SIZE) {
        let (Some(bucket), Some(storage_type)) =
            (dimension(one, "BucketName"), dimension(one, "StorageType"))
        else {
            continue;
        };
        let Some((second, bytes)) = one.newest else {
            continue;
        };
        let Ok(at) = Timestamp::from_second(second) else {
            continue;
        };
        let empty = || BucketContents {
            measured_at: at,
            objects: None,
            gib: BTreeMap::new(),
        };
        let contents = found.entry(bucket).or_insert_with(empty);
        contents.measured_at = contents.measured_at.max(at);
        contents.gib.insert(storage_type, bytes / GIB);
    }

    for one in counted
        .iter()
        .filter(|one| one.metric.metric_name == OBJECTS)
    {
        let contents = dimension(one, "BucketName").and_then(|bucket| found.get_mut(&bucket));
        if let (Some(contents), Some((_, objects))) = (contents, one.newest) {
            contents.objects = Some(objects as u64);
        }
    }

    // A storage type that is gone has no new points: its last one is of an earlier day than the
    // others.
    for one in counted.iter().filter(|one| one.metric.metric_name == SIZE) {
        let (bucket, storage_type) = (dimension(one, "BucketName"), dimension(one, "StorageType"));
        let (Some(bucket), Some(storage_type), Some((second, _))) =
            (bucket, storage_type, one.newest)
        else {
            continue;
        };
        if let Some(contents) = found.get_mut(&bucket) {
            let age = contents
                .measured_at
                .duration_since(Timestamp::from_second(second).unwrap_or_default());
            if age >= SignedDuration::from_secs(DAY_S) {
                contents.gib.remove(&storage_type);
            }
        }
    }

    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn counted(name: &str, storage_type: &str, newest: Option<(i64, f64)>) -> Counted {
        let pair = |name: &str, value: &str| CloudwatchDimension {
            name: name.to_owned(),
            value: Some(value.to_owned()),
        };
        let dimensions = vec![pair("StorageType", storage_type), pair("BucketName", "b")];

        let metric = CloudwatchMetric {
            namespace: NAMESPACE.to_owned(),
            metric_name: name.to_owned(),
            dimensions,
        };
        Counted { metric, newest }
    }

    #[test]
    fn storage_types_are_those_of_the_newest_day() {
        let day = |n: i64| n * DAY_S;
        let found = contents(&[
            counted(SIZE, "StandardStorage", Some((day(10), 2.0 * GIB))),
            counted(SIZE, "StandardIAStorage", Some((day(10), 0.5 * GIB))),
            counted(SIZE, "GlacierStorage", Some((day(9), 7.0 * GIB))),
            counted(SIZE, "DeepArchiveStorage", None),
            counted(OBJECTS, "AllStorageTypes", Some((day(10), 12.0))),
        ]);
        let contents = &found["b"];

        let gib: Vec<_> = contents
            .gib
            .iter()
            .map(|(name, gib)| (name.as_str(), *gib))
            .collect();
        assert_eq!(gib, [("StandardIAStorage", 0.5), ("StandardStorage", 2.0)]);
        assert_eq!(
            (contents.objects, contents.measured_at.as_second()),
            (Some(12), day(10))
        );
    }
}
