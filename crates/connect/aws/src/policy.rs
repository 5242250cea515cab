//! Permissions that reading an account asks for. Permissions of changes stand with the changes.

use crate::describe;

/// Returns the actions of IAM that a sync and the observations of an execution call, sorted.
#[must_use]
pub fn reads() -> Vec<&'static str> {
    let mut reads = describe::permissions();
    reads.extend(READS);
    reads.sort_unstable();
    reads.dedup();
    reads
}

/// Actions besides those of descriptions.
const READS: &[&str] = &[
    "sts:GetCallerIdentity",
    "ec2:DescribeInstances",
    "ec2:DescribeVolumes",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:DescribeSnapshots",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeAddresses",
    "ec2:DescribeNatGateways",
    "ec2:DescribeRouteTables",
    // The market of spot capacity.
    "ec2:DescribeSpotPriceHistory",
    "ec2:GetSpotPlacementScores",
    "ec2:DescribeAvailabilityZones",
    "rds:DescribeDBInstances",
    "rds:DescribeDBSnapshots",
    "rds:DescribeOrderableDBInstanceOptions",
    "s3:ListAllMyBuckets",
    "s3:GetBucketLocation",
    "s3:GetBucketTagging",
    "elasticloadbalancing:DescribeLoadBalancers",
    "elasticloadbalancing:DescribeTargetGroups",
    "elasticloadbalancing:DescribeTargetHealth",
    "elasticloadbalancing:DescribeTags",
    "autoscaling:DescribeAutoScalingGroups",
    "cloudwatch:GetMetricData",
    "cloudwatch:ListMetrics",
    // Records of flow logs. Buckets with them are named by a policy of their own
    // (docs/howto/flow-logs.md).
    "logs:FilterLogEvents",
];
