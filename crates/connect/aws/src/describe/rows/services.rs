//! Functions, messaging, containers, trails and alarms.

use reeve_estate::RelationKind::{
    EncryptedWith, LocatedIn, LogsTo, MayAssume, Notifies, ProtectedBy, RoutesTo, Trusts,
};

use crate::describe::row::{DescribeService, KindRow, Protocol, ask, detail, list, row};

pub(super) const TRAILS: DescribeService = DescribeService {
    name: "cloudtrail",
    host: "cloudtrail",
    protocol: Protocol::Json {
        target: "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101",
        version: "1.1",
    },
    is_global: false,
};
const LAMBDA: DescribeService = DescribeService {
    name: "lambda",
    host: "lambda",
    protocol: Protocol::Rest,
    is_global: false,
};
const TOPICS: DescribeService = DescribeService {
    name: "sns",
    host: "sns",
    protocol: Protocol::Query {
        version: "2010-03-31",
    },
    is_global: false,
};
const QUEUES: DescribeService = DescribeService {
    name: "sqs",
    host: "sqs",
    protocol: Protocol::Json {
        target: "AmazonSQS",
        version: "1.0",
    },
    is_global: false,
};
const KUBERNETES: DescribeService = DescribeService {
    name: "eks",
    host: "eks",
    protocol: Protocol::Rest,
    is_global: false,
};
const CONTAINERS: DescribeService = DescribeService {
    name: "ecs",
    host: "ecs",
    protocol: Protocol::Json {
        target: "AmazonEC2ContainerServiceV20141113",
        version: "1.1",
    },
    is_global: false,
};
const ALARMS: DescribeService = DescribeService {
    name: "monitoring",
    host: "monitoring",
    protocol: Protocol::Query {
        version: "2010-08-01",
    },
    is_global: false,
};

/// Without a page size SQS returns at most 1,000 queues and no token for the rest (SQS API
/// reference, `ListQueues`).
const MOST_QUEUES: &[(&str, &str)] = &[("MaxResults", "1000")];

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        name: "Name",
        details: &[
            detail(
                "Status",
                ask(
                    "cloudtrail:GetTrailStatus",
                    "GetTrailStatus",
                    &[("Name", "{TrailARN}")],
                ),
                "",
                &["TrailNotFoundException"],
            ),
            detail(
                "",
                ask(
                    "cloudtrail:GetEventSelectors",
                    "GetEventSelectors",
                    &[("TrailName", "{TrailARN}")],
                ),
                "",
                &["TrailNotFoundException"],
            ),
        ],
        relations: &[
            (LogsTo, "S3BucketName", ""),
            (EncryptedWith, "KmsKeyId", ""),
            (Notifies, "SnsTopicARN", ""),
        ],
        volatile: &[
            "Status.LatestDeliveryTime",
            "Status.LatestNotificationTime",
            "Status.LatestDeliveryAttemptTime",
            "Status.LatestNotificationAttemptTime",
            "Status.LatestNotificationAttemptSucceeded",
            "Status.LatestDeliveryAttemptSucceeded",
            "Status.LatestDigestDeliveryTime",
            "Status.LatestCloudWatchLogsDeliveryTime",
        ],
        ..row(
            "trail",
            TRAILS,
            ask(
                "cloudtrail:DescribeTrails",
                "DescribeTrails",
                &[("includeShadowTrails", "false")],
            ),
            "trailList",
            "{TrailARN}",
        )
    },
    KindRow {
        next: ("Marker", "NextMarker"),
        name: "FunctionName",
        state: "State",
        created: "LastModified",
        details: &[
            detail(
                "ResourcePolicy",
                ask(
                    "lambda:GetPolicy",
                    "/2015-03-31/functions/{FunctionName}/policy",
                    &[],
                ),
                "Policy",
                &["ResourceNotFoundException"],
            ),
            list(
                "FunctionUrlConfigs",
                ask(
                    "lambda:GetFunctionUrlConfig",
                    "/2021-10-31/functions/{FunctionName}/url",
                    &[],
                ),
                "",
                &["ResourceNotFoundException"],
            ),
        ],
        relations: &[
            (
                Trusts,
                "ResourcePolicy.Statement[Effect=Allow].Principal.AWS",
                "",
            ),
            (MayAssume, "Role", ""),
            (ProtectedBy, "VpcConfig.SecurityGroupIds", ""),
            (LocatedIn, "VpcConfig.SubnetIds", ""),
            (EncryptedWith, "KMSKeyArn", ""),
        ],
        ..row(
            "function",
            LAMBDA,
            ask("lambda:ListFunctions", "/2015-03-31/functions", &[]),
            "Functions",
            "{FunctionArn}",
        )
    },
    KindRow {
        next: ("NextToken", "NextToken"),
        name: "Attributes.DisplayName",
        details: &[detail(
            "Attributes",
            ask(
                "sns:GetTopicAttributes",
                "GetTopicAttributes",
                &[("TopicArn", "{TopicArn}")],
            ),
            "Attributes",
            &["NotFound"],
        )],
        relations: &[
            (EncryptedWith, "Attributes.KmsMasterKeyId", ""),
            (
                Trusts,
                "Attributes.Policy.Statement[Effect=Allow].Principal.AWS",
                "",
            ),
        ],
        ..row(
            "topic",
            TOPICS,
            ask("sns:ListTopics", "ListTopics", &[]),
            "Topics",
            "{TopicArn}",
        )
    },
    KindRow {
        next: ("NextToken", "NextToken"),
        item_name: "QueueUrl",
        details: &[detail(
            "Attributes",
            ask(
                "sqs:GetQueueAttributes",
                "GetQueueAttributes",
                &[("QueueUrl", "{QueueUrl}"), ("AttributeNames[]", "All")],
            ),
            "Attributes",
            &[
                "QueueDoesNotExist",
                "AWS.SimpleQueueService.NonExistentQueue",
            ],
        )],
        relations: &[
            (EncryptedWith, "Attributes.KmsMasterKeyId", ""),
            (RoutesTo, "Attributes.RedrivePolicy.deadLetterTargetArn", ""),
            (
                Trusts,
                "Attributes.Policy.Statement[Effect=Allow].Principal.AWS",
                "",
            ),
        ],
        volatile: &[
            "Attributes.ApproximateNumberOfMessages",
            "Attributes.ApproximateNumberOfMessagesNotVisible",
            "Attributes.ApproximateNumberOfMessagesDelayed",
        ],
        ..row(
            "queue",
            QUEUES,
            ask("sqs:ListQueues", "ListQueues", MOST_QUEUES),
            "QueueUrls",
            "{Attributes.QueueArn}",
        )
    },
    KindRow {
        next: ("nextToken", "nextToken"),
        item_name: "name",
        name: "name",
        tags: "tags",
        state: "status",
        created: "createdAt",
        details: &[detail(
            "",
            ask("eks:DescribeCluster", "/clusters/{name}", &[]),
            "cluster",
            &["ResourceNotFoundException"],
        )],
        relations: &[
            (MayAssume, "roleArn", ""),
            (ProtectedBy, "resourcesVpcConfig.securityGroupIds", ""),
            (LocatedIn, "resourcesVpcConfig.subnetIds", ""),
            (EncryptedWith, "encryptionConfig.provider.keyArn", ""),
        ],
        ..row(
            "kubernetes_cluster",
            KUBERNETES,
            ask("eks:ListClusters", "/clusters", &[]),
            "clusters",
            "{arn}",
        )
    },
    KindRow {
        next: ("nextToken", "nextToken"),
        item_name: "clusterArn",
        name: "clusterName",
        tags: "tags",
        state: "status",
        details: &[detail(
            "",
            ask(
                "ecs:DescribeClusters",
                "DescribeClusters",
                &[
                    ("clusters[]", "{clusterArn}"),
                    ("include[]", "TAGS"),
                    ("include[]", "SETTINGS"),
                    ("include[]", "CONFIGURATIONS"),
                ],
            ),
            "clusters",
            &["ClusterNotFoundException"],
        )],
        volatile: &[
            "runningTasksCount",
            "pendingTasksCount",
            "registeredContainerInstancesCount",
            "activeServicesCount",
        ],
        ..row(
            "container_cluster",
            CONTAINERS,
            ask("ecs:ListClusters", "ListClusters", &[]),
            "clusterArns",
            "{clusterArn}",
        )
    },
    KindRow {
        next: ("NextToken", "NextToken"),
        name: "AlarmName",
        relations: &[(Notifies, "AlarmActions", ""), (Notifies, "OKActions", "")],
        volatile: &[
            "StateUpdatedTimestamp",
            "StateReason",
            "StateReasonData",
            "StateValue",
            "StateTransitionedTimestamp",
        ],
        ..row(
            "alarm",
            ALARMS,
            ask("cloudwatch:DescribeAlarms", "DescribeAlarms", &[]),
            "MetricAlarms",
            "{AlarmArn}",
        )
    },
];
