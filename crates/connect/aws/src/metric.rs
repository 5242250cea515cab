//! Mapping of Reeve's metrics to CloudWatch's, with the conversion of their values.
//!
//! Gauges in percent, counts and bytes are averages over the period; percentiles are computed by
//! Reeve from these points, never asked of CloudWatch. Counters (network and disk) are sums over
//! the period, divided by its length. A spike shorter than the period is flattened by either.

use std::collections::BTreeMap;

use reeve_estate::{Metric, PriceCatalogue, Resource, ResourceKind};

/// Conversion of a CloudWatch value to Reeve's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MetricReading {
    /// The average over the period, as it is.
    Average,
    /// A sum over the period, per second.
    Rate,
    /// Bytes that are free, as the percentage that is used of so many.
    UsedOf(f64),
}

impl MetricReading {
    /// The statistic to ask for.
    pub(crate) const fn statistic(self) -> &'static str {
        match self {
            MetricReading::Rate => "Sum",
            MetricReading::Average | MetricReading::UsedOf(_) => "Average",
        }
    }

    pub(crate) fn read(self, value: f64, period_s: i64) -> f64 {
        match self {
            MetricReading::Average => value,
            MetricReading::Rate => value / period_s as f64,
            MetricReading::UsedOf(total) => (100.0 * (1.0 - value / total)).clamp(0.0, 100.0),
        }
    }
}

/// CloudWatch metric that the samples of one of Reeve's metrics come from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AwsMetricSource {
    pub(crate) namespace: &'static str,
    pub(crate) name: &'static str,
    pub(crate) dimensions: Vec<(String, String)>,
    pub(crate) reading: MetricReading,
}

/// The metrics that agents on the machines send, by instance. Their dimensions are the agent's
/// configuration, so they have to be looked up.
#[derive(Debug, Default)]
pub(crate) struct AgentMetrics {
    /// Share of memory in use.
    pub(crate) memory: BTreeMap<String, AwsMetricSource>,
    /// The one file system of a machine, by the path it is mounted on; `None` where a machine has
    /// several, which are not one figure.
    pub(crate) disk: BTreeMap<String, Option<AwsMetricSource>>,
}

/// The names CloudWatch's agent gives to memory in use, percent: on Linux and on Windows.
pub(crate) const AGENT_MEMORY: [&str; 2] = ["mem_used_percent", "Memory % Committed Bytes In Use"];
/// The name CloudWatch's agent gives to the used share of a file system on Linux, percent.
pub(crate) const AGENT_DISK: &str = "disk_used_percent";
/// Types of file systems that are no part of a volume.
pub(crate) const NO_DISK: [&str; 8] = [
    "tmpfs", "devtmpfs", "overlay", "squashfs", "iso9660", "nfs", "nfs4", "efs",
];
pub(crate) const AGENT_NAMESPACE: &str = "CWAgent";

/// Returns the CloudWatch metrics that may hold a metric of a resource, the best first; the first
/// one with points is used. Empty when the cloud has none.
pub(crate) fn sources(
    resource: &Resource,
    metric: Metric,
    agents: &AgentMetrics,
) -> Vec<AwsMetricSource> {
    let id = resource.id.as_str();
    match resource.kind {
        ResourceKind::VirtualMachine if metric == Metric::MemoryUtilization => {
            agents.memory.get(id).cloned().into_iter().collect()
        }
        ResourceKind::VirtualMachine if metric == Metric::DiskUtilization => {
            agents.disk.get(id).cloned().flatten().into_iter().collect()
        }
        ResourceKind::VirtualMachine => {
            sources_in("AWS/EC2", &[("InstanceId", id)], machine(metric))
        }
        ResourceKind::ScalingGroup => {
            let names: &[_] = if metric == Metric::CpuUtilization {
                &[("CPUUtilization", MetricReading::Average)]
            } else {
                &[]
            };
            sources_in(
                "AWS/EC2",
                &[("AutoScalingGroupName", &resource.name)],
                names,
            )
        }
        ResourceKind::Volume => sources_in("AWS/EBS", &[("VolumeId", id)], volume(metric)),
        ResourceKind::Database => database(resource, metric),
        ResourceKind::LoadBalancer => balancer(id, metric),
        ResourceKind::NatGateway => {
            sources_in("AWS/NATGateway", &[("NatGatewayId", id)], gateway(metric))
        }
        ResourceKind::Queue => {
            let names: &[_] = if metric == Metric::QueueDepth {
                &[("ApproximateNumberOfMessagesVisible", MetricReading::Average)]
            } else {
                &[]
            };
            // A queue is named by the end of its ARN.
            let name = id.rsplit(':').next().unwrap_or(id);
            sources_in("AWS/SQS", &[("QueueName", name)], names)
        }
        ResourceKind::CacheNode => {
            // The identifier of a cluster is the end of its ARN. By this dimension alone CloudWatch
            // has the metrics of all nodes of a Memcached cluster together.
            let name = id.rsplit(':').next().unwrap_or(id);
            sources_in(
                "AWS/ElastiCache",
                &[("CacheClusterId", name)],
                cache(metric),
            )
        }
        ResourceKind::Distribution => {
            let name = id.rsplit('/').next().unwrap_or(id);
            sources_in(
                "AWS/CloudFront",
                &[("DistributionId", name), ("Region", "Global")],
                distribution(metric),
            )
        }
        _ => Vec::new(),
    }
}

fn sources_in(
    namespace: &'static str,
    dimensions: &[(&str, &str)],
    names: &[(&'static str, MetricReading)],
) -> Vec<AwsMetricSource> {
    let dimensions: Vec<_> = dimensions
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    names
        .iter()
        .map(|(name, reading)| AwsMetricSource {
            namespace,
            name,
            dimensions: dimensions.clone(),
            reading: *reading,
        })
        .collect()
}

/// EBS figures are there on Nitro machines; the Disk ones count instance-store disks alone.
const fn machine(metric: Metric) -> &'static [(&'static str, MetricReading)] {
    match metric {
        Metric::CpuUtilization => &[("CPUUtilization", MetricReading::Average)],
        Metric::NetworkIn => &[("NetworkIn", MetricReading::Rate)],
        Metric::NetworkOut => &[("NetworkOut", MetricReading::Rate)],
        Metric::DiskRead => &[
            ("EBSReadBytes", MetricReading::Rate),
            ("DiskReadBytes", MetricReading::Rate),
        ],
        Metric::DiskWrite => &[
            ("EBSWriteBytes", MetricReading::Rate),
            ("DiskWriteBytes", MetricReading::Rate),
        ],
        Metric::DiskReadOps => &[
            ("EBSReadOps", MetricReading::Rate),
            ("DiskReadOps", MetricReading::Rate),
        ],
        Metric::DiskWriteOps => &[
            ("EBSWriteOps", MetricReading::Rate),
            ("DiskWriteOps", MetricReading::Rate),
        ],
        Metric::CpuCreditBalance => &[("CPUCreditBalance", MetricReading::Average)],
        _ => &[],
    }
}

const fn volume(metric: Metric) -> &'static [(&'static str, MetricReading)] {
    match metric {
        Metric::DiskRead => &[("VolumeReadBytes", MetricReading::Rate)],
        Metric::DiskWrite => &[("VolumeWriteBytes", MetricReading::Rate)],
        Metric::DiskReadOps => &[("VolumeReadOps", MetricReading::Rate)],
        Metric::DiskWriteOps => &[("VolumeWriteOps", MetricReading::Rate)],
        _ => &[],
    }
}

/// RDS sends rates already. Memory in use is what the class has less what is free, where the
/// catalogue knows the class.
fn database(resource: &Resource, metric: Metric) -> Vec<AwsMetricSource> {
    let (name, reading) = match metric {
        Metric::CpuUtilization => ("CPUUtilization", MetricReading::Average),
        Metric::MemoryUtilization => {
            let class = resource
                .specification
                .instance_type
                .as_deref()
                .unwrap_or_default();
            let Some(gib) = PriceCatalogue::builtin()
                .database(class)
                .and_then(|c| c.machine.memory_gib)
            else {
                return Vec::new();
            };
            (
                "FreeableMemory",
                MetricReading::UsedOf(gib * 1024.0 * 1024.0 * 1024.0),
            )
        }
        Metric::NetworkIn => ("NetworkReceiveThroughput", MetricReading::Average),
        Metric::NetworkOut => ("NetworkTransmitThroughput", MetricReading::Average),
        Metric::DiskRead => ("ReadThroughput", MetricReading::Average),
        Metric::DiskWrite => ("WriteThroughput", MetricReading::Average),
        Metric::DiskReadOps => ("ReadIOPS", MetricReading::Average),
        Metric::DiskWriteOps => ("WriteIOPS", MetricReading::Average),
        Metric::DatabaseConnections => ("DatabaseConnections", MetricReading::Average),
        Metric::FreeStorage => ("FreeStorageSpace", MetricReading::Average),
        Metric::ResponseTime => ("ReadLatency", MetricReading::Average),
        Metric::ReplicaLag => ("ReplicaLag", MetricReading::Average),
        Metric::CpuCreditBalance => ("CPUCreditBalance", MetricReading::Average),
        Metric::DiskUtilization
        | Metric::RequestRate
        | Metric::ErrorRate
        | Metric::CapacityUnits
        | Metric::QueueDepth
        | Metric::UserExperienceScore
        | Metric::ActiveSessions
        | Metric::CacheHitRate
        | Metric::CacheEvictions
        | Metric::Registered(_) => return Vec::new(),
    };

    let instance = resource
        .id
        .database_name()
        .map_or(resource.id.as_str(), |database| database.name);
    sources_in(
        "AWS/RDS",
        &[("DBInstanceIdentifier", instance)],
        &[(name, reading)],
    )
}

/// Traffic from the network behind a gateway into the world, and back.
const fn gateway(metric: Metric) -> &'static [(&'static str, MetricReading)] {
    match metric {
        Metric::NetworkIn => &[("BytesInFromDestination", MetricReading::Rate)],
        Metric::NetworkOut => &[("BytesOutToDestination", MetricReading::Rate)],
        _ => &[],
    }
}

/// CloudWatch names a balancer by the end of its ARN (`app/name/0123`). Only application balancers
/// count requests. Errors are those of the targets and those of the balancer itself, which belong
/// together: see [`source_use`]. Capacity units are the one metric that is reported of every kind of
/// balancer even while nothing uses it.
fn balancer(arn: &str, metric: Metric) -> Vec<AwsMetricSource> {
    let names: &[_] = match metric {
        Metric::RequestRate => &[("RequestCount", MetricReading::Rate)],
        Metric::ResponseTime => &[("TargetResponseTime", MetricReading::Average)],
        Metric::ErrorRate => &[
            ("HTTPCode_Target_5XX_Count", MetricReading::Rate),
            ("HTTPCode_ELB_5XX_Count", MetricReading::Rate),
        ],
        Metric::CapacityUnits => &[("ConsumedLCUs", MetricReading::Average)],
        _ => &[],
    };

    let Some((_, name)) = arn.split_once(":loadbalancer/") else {
        return Vec::new();
    };

    let namespace = match name.split_once('/') {
        Some(("app", _)) => "AWS/ApplicationELB",
        Some(("net", _)) if metric == Metric::CapacityUnits => "AWS/NetworkELB",
        Some(("gwy", _)) if metric == Metric::CapacityUnits => "AWS/GatewayELB",
        _ => return Vec::new(),
    };

    sources_in(namespace, &[("LoadBalancer", name)], names)
}

/// Redis and Valkey count `CacheHits` and `CacheMisses`, Memcached `GetHits` and `GetMisses`. The
/// `CacheHitRate` of CloudWatch is not read: Memcached has none, and a mean of shares weighs a quiet
/// minute as a busy one.
const fn cache(metric: Metric) -> &'static [(&'static str, MetricReading)] {
    match metric {
        Metric::RequestRate => &[
            ("CacheHits", MetricReading::Rate),
            ("CacheMisses", MetricReading::Rate),
            ("GetHits", MetricReading::Rate),
            ("GetMisses", MetricReading::Rate),
        ],
        Metric::CacheHitRate => &[
            ("CacheHits", MetricReading::Rate),
            ("GetHits", MetricReading::Rate),
        ],
        Metric::CacheEvictions => &[("Evictions", MetricReading::Rate)],
        _ => &[],
    }
}

/// CloudFront sends the hit rate of a distribution whose additional metrics are on. It counts
/// requests and no hits, so that the share is read as it is.
const fn distribution(metric: Metric) -> &'static [(&'static str, MetricReading)] {
    match metric {
        Metric::RequestRate => &[("Requests", MetricReading::Rate)],
        Metric::CacheHitRate => &[("CacheHitRate", MetricReading::Average)],
        _ => &[],
    }
}

/// Use of the sources of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceUse {
    /// The first one with points is the metric.
    Alternatives,
    /// The metric is their sum.
    Summands,
    /// Their sum is a share of the requests, and the metric is that share in percent.
    ShareOfRequests,
}

/// Returns the use of the sources of a metric.
pub(crate) fn source_use(kind: ResourceKind, metric: Metric) -> SourceUse {
    match (kind, metric) {
        (ResourceKind::CacheNode, Metric::RequestRate) => SourceUse::Summands,
        (ResourceKind::CacheNode, Metric::CacheHitRate) | (_, Metric::ErrorRate) => {
            SourceUse::ShareOfRequests
        }
        _ => SourceUse::Alternatives,
    }
}

#[cfg(test)]
mod tests {
    use reeve_connect_aws_ec2::Place;
    use reeve_estate::ConnectionId;

    use super::*;

    fn resource(kind: ResourceKind, id: &str) -> Resource {
        let place = Place {
            connection: ConnectionId("c".into()),
            account: "1".into(),
            region: "us-east-1".into(),
            endpoint: None,
        };
        let mut resource = place.resource(kind, "x", id, BTreeMap::new());
        resource.specification.instance_type = Some("db.m5.large".into());

        resource
    }

    #[test]
    fn metrics_are_found_under_the_clouds_names() {
        let arn = "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/app/web/50dc6c495c0c9188";
        for (kind, id, metric, expected) in [
            (
                ResourceKind::VirtualMachine,
                "i-1",
                Metric::CpuUtilization,
                vec!["AWS/EC2 CPUUtilization i-1"],
            ),
            (
                ResourceKind::VirtualMachine,
                "i-1",
                Metric::DiskRead,
                vec!["AWS/EC2 EBSReadBytes i-1", "AWS/EC2 DiskReadBytes i-1"],
            ),
            (
                ResourceKind::VirtualMachine,
                "i-1",
                Metric::MemoryUtilization,
                vec![],
            ),
            (
                ResourceKind::Volume,
                "vol-1",
                Metric::DiskWriteOps,
                vec!["AWS/EBS VolumeWriteOps vol-1"],
            ),
            (
                ResourceKind::Database,
                "orders",
                Metric::FreeStorage,
                vec!["AWS/RDS FreeStorageSpace orders"],
            ),
            (
                ResourceKind::LoadBalancer,
                arn,
                Metric::RequestRate,
                vec!["AWS/ApplicationELB RequestCount app/web/50dc6c495c0c9188"],
            ),
            (
                ResourceKind::LoadBalancer,
                arn,
                Metric::ResponseTime,
                vec!["AWS/ApplicationELB TargetResponseTime app/web/50dc6c495c0c9188"],
            ),
            (
                ResourceKind::LoadBalancer,
                "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/net/edge/50dc6c495c0c9188",
                Metric::CapacityUnits,
                vec!["AWS/NetworkELB ConsumedLCUs net/edge/50dc6c495c0c9188"],
            ),
            (
                ResourceKind::NatGateway,
                "nat-1",
                Metric::NetworkOut,
                vec!["AWS/NATGateway BytesOutToDestination nat-1"],
            ),
            (ResourceKind::Bucket, "b", Metric::RequestRate, vec![]),
            (
                ResourceKind::Queue,
                "arn:aws:sqs:us-east-1:1:orders",
                Metric::QueueDepth,
                vec!["AWS/SQS ApproximateNumberOfMessagesVisible orders"],
            ),
            (
                ResourceKind::CacheNode,
                "arn:aws:elasticache:us-east-1:1:cluster:shop-001",
                Metric::CacheHitRate,
                vec![
                    "AWS/ElastiCache CacheHits shop-001",
                    "AWS/ElastiCache GetHits shop-001",
                ],
            ),
            (
                ResourceKind::Distribution,
                "arn:aws:cloudfront::1:distribution/E2QWRUHAPOMQZL",
                Metric::CacheHitRate,
                vec!["AWS/CloudFront CacheHitRate E2QWRUHAPOMQZL"],
            ),
        ] {
            let found = sources(&resource(kind, id), metric, &AgentMetrics::default());
            let found: Vec<_> = found
                .iter()
                .map(|s| format!("{} {} {}", s.namespace, s.name, s.dimensions[0].1))
                .collect();
            assert_eq!(found, expected, "{kind} {metric}");
        }
    }

    #[test]
    fn numbers_are_read_in_our_units() {
        assert_eq!(MetricReading::Rate.read(300.0, 300), 1.0);
        assert_eq!(MetricReading::Average.read(42.0, 300), 42.0);

        let found = sources(
            &resource(ResourceKind::Database, "orders"),
            Metric::MemoryUtilization,
            &AgentMetrics::default(),
        );

        assert_eq!(
            found[0].reading.read(2.0 * 1024.0 * 1024.0 * 1024.0, 300),
            75.0
        );
    }
}
