//! Permissions that reading an account asks for. Permissions of changes stand with the changes.

/// Actions of IAM that a sync and the looks of an execution call.
pub const READS: &[&str] = &[
    "sts:GetCallerIdentity",
    "ec2:DescribeInstances",
    "ec2:DescribeVolumes",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:DescribeSnapshots",
    "ec2:DescribeSecurityGroups",
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
];
