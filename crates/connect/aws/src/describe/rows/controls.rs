//! Kinds that checks of controls read.

use reeve_estate::RelationKind::{
    AttachedTo, EncryptedWith, LocatedIn, LogsTo, MayAssume, ProtectedBy, RoutesTo,
};

use super::machines::{EC2, NEXT};
use crate::describe::row::{KindRow, Protocol, Service, ask, detail, list, row};

const IAM: Service = Service {
    name: "iam",
    host: "iam",
    protocol: Protocol::Query {
        version: "2010-05-08",
    },
    is_global: true,
};
const CLASSIC_LOAD_BALANCING: Service = Service {
    name: "elasticloadbalancing",
    host: "elasticloadbalancing",
    protocol: Protocol::Query {
        version: "2012-06-01",
    },
    is_global: false,
};
const CACHES: Service = Service {
    name: "elasticache",
    host: "elasticache",
    protocol: Protocol::Query {
        version: "2015-02-02",
    },
    is_global: false,
};
const WAREHOUSES: Service = Service {
    name: "redshift",
    host: "redshift",
    protocol: Protocol::Query {
        version: "2012-12-01",
    },
    is_global: false,
};
const THREATS: Service = Service {
    name: "guardduty",
    host: "guardduty",
    protocol: Protocol::Rest,
    is_global: false,
};
const ANALYZERS: Service = Service {
    name: "access-analyzer",
    host: "access-analyzer",
    protocol: Protocol::Rest,
    is_global: false,
};
const RECORDERS: Service = Service {
    name: "config",
    host: "config",
    protocol: Protocol::Json {
        target: "StarlingDoveService",
        version: "1.1",
    },
    is_global: false,
};
const REGISTRIES: Service = Service {
    name: "ecr",
    host: "api.ecr",
    protocol: Protocol::Json {
        target: "AmazonEC2ContainerRegistry_V20150921",
        version: "1.1",
    },
    is_global: false,
};
const CONTAINERS: Service = Service {
    name: "ecs",
    host: "ecs",
    protocol: Protocol::Json {
        target: "AmazonEC2ContainerServiceV20141113",
        version: "1.1",
    },
    is_global: false,
};
const FILE_SYSTEMS: Service = Service {
    name: "elasticfilesystem",
    host: "elasticfilesystem",
    protocol: Protocol::Rest,
    is_global: false,
};
const SEARCH: Service = Service {
    name: "es",
    host: "es",
    protocol: Protocol::Rest,
    is_global: false,
};
const DISTRIBUTIONS: Service = Service {
    name: "cloudfront",
    host: "cloudfront",
    protocol: Protocol::Rest,
    is_global: true,
};
const ZONES: Service = Service {
    name: "route53",
    host: "route53",
    protocol: Protocol::Rest,
    is_global: true,
};
const CERTIFICATES: Service = Service {
    name: "acm",
    host: "acm",
    protocol: Protocol::Json {
        target: "CertificateManager",
        version: "1.1",
    },
    is_global: false,
};
const APIS: Service = Service {
    name: "apigateway",
    host: "apigateway",
    protocol: Protocol::Rest,
    is_global: false,
};
const FIREWALLS: Service = Service {
    name: "wafv2",
    host: "wafv2",
    protocol: Protocol::Json {
        target: "AWSWAF_20190729",
        version: "1.1",
    },
    is_global: false,
};
const LOGS: Service = Service {
    name: "logs",
    host: "logs",
    protocol: Protocol::Json {
        target: "Logs_20140328",
        version: "1.1",
    },
    is_global: false,
};
const STREAMS: Service = Service {
    name: "kinesis",
    host: "kinesis",
    protocol: Protocol::Json {
        target: "Kinesis_20131202",
        version: "1.1",
    },
    is_global: false,
};
const BACKUPS: Service = Service {
    name: "backup",
    host: "backup",
    protocol: Protocol::Rest,
    is_global: false,
};
const BUILDS: Service = Service {
    name: "codebuild",
    host: "codebuild",
    protocol: Protocol::Json {
        target: "CodeBuild_20161006",
        version: "1.1",
    },
    is_global: false,
};
const NOTEBOOKS: Service = Service {
    name: "sagemaker",
    host: "api.sagemaker",
    protocol: Protocol::Json {
        target: "SageMaker",
        version: "1.1",
    },
    is_global: false,
};
const STATE_MACHINES: Service = Service {
    name: "states",
    host: "states",
    protocol: Protocol::Json {
        target: "AWSStepFunctions",
        version: "1.0",
    },
    is_global: false,
};
const BROKERS: Service = Service {
    name: "mq",
    host: "mq",
    protocol: Protocol::Rest,
    is_global: false,
};

const MARKER: (&str, &str) = ("Marker", "Marker");
const TOKEN: (&str, &str) = ("nextToken", "nextToken");
const CAPITAL_TOKEN: (&str, &str) = ("NextToken", "NextToken");

/// Codes that say that a file system has no policy of a name.
const NO_FILE_SYSTEM: &[&str] = &["FileSystemNotFound", "PolicyNotFound"];
const NO_REPOSITORY: &[&str] = &[
    "LifecyclePolicyNotFoundException",
    "RepositoryNotFoundException",
    "RepositoryPolicyNotFoundException",
];

/// Unless it is asked for them, the listing leaves out certificates with keys other than RSA of
/// 1,024 and 2,048 bits (ACM API reference, `ListCertificates`).
const ALL_KEY_TYPES: &[(&str, &str)] = &[
    ("Includes.keyTypes[]", "RSA_1024"),
    ("Includes.keyTypes[]", "RSA_2048"),
    ("Includes.keyTypes[]", "RSA_3072"),
    ("Includes.keyTypes[]", "RSA_4096"),
    ("Includes.keyTypes[]", "EC_prime256v1"),
    ("Includes.keyTypes[]", "EC_secp384r1"),
    ("Includes.keyTypes[]", "EC_secp521r1"),
];

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: NEXT,
        tags: "tagSet",
        relations: &[
            (LocatedIn, "vpcId", ""),
            (AttachedTo, "associationSet.subnetId", ""),
        ],
        ..row(
            "network_acl",
            EC2,
            ask(
                "ec2:DescribeNetworkAcls",
                "DescribeNetworkAcls",
                &[("MaxResults", "1000")],
            ),
            "networkAclSet",
            "{networkAclId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "flowLogStatus",
        created: "creationTime",
        relations: &[
            (AttachedTo, "resourceId", ""),
            (LogsTo, "logDestination", ""),
            (
                LogsTo,
                "logGroupName",
                "arn:aws:logs:{region}:{account}:log-group:{value}",
            ),
        ],
        ..row(
            "flow_log",
            EC2,
            ask(
                "ec2:DescribeFlowLogs",
                "DescribeFlowLogs",
                &[("MaxResults", "1000")],
            ),
            "flowLogSet",
            "{flowLogId}",
        )
    },
    KindRow {
        volatile: &["requestId"],
        ..row(
            "volume_defaults",
            EC2,
            ask(
                "ec2:GetEbsEncryptionByDefault",
                "GetEbsEncryptionByDefault",
                &[],
            ),
            "",
            "arn:aws:ec2:{region}:{account}:ebs-encryption-by-default",
        )
    },
    KindRow {
        next: ("Marker", "NextMarker"),
        name: "LoadBalancerName",
        tags: "Tags",
        created: "CreatedTime",
        details: &[
            detail(
                "Attributes",
                ask(
                    "elasticloadbalancing:DescribeLoadBalancerAttributes",
                    "DescribeLoadBalancerAttributes",
                    &[("LoadBalancerName", "{LoadBalancerName}")],
                ),
                "LoadBalancerAttributes",
                &["LoadBalancerNotFound"],
            ),
            list(
                "PolicyDescriptions",
                ask(
                    "elasticloadbalancing:DescribeLoadBalancerPolicies",
                    "DescribeLoadBalancerPolicies",
                    &[("LoadBalancerName", "{LoadBalancerName}")],
                ),
                "PolicyDescriptions",
                &["LoadBalancerNotFound"],
            ),
            list(
                "Tags",
                ask(
                    "elasticloadbalancing:DescribeTags",
                    "DescribeTags",
                    &[("LoadBalancerNames.member.1", "{LoadBalancerName}")],
                ),
                "TagDescriptions.Tags",
                &["LoadBalancerNotFound"],
            ),
        ],
        relations: &[
            (ProtectedBy, "SecurityGroups", ""),
            (LocatedIn, "VPCId", ""),
            (RoutesTo, "Instances.InstanceId", ""),
            (LogsTo, "Attributes.AccessLog.S3BucketName", ""),
        ],
        ..row(
            "classic_load_balancer",
            CLASSIC_LOAD_BALANCING,
            ask(
                "elasticloadbalancing:DescribeLoadBalancers",
                "DescribeLoadBalancers",
                &[],
            ),
            "LoadBalancerDescriptions",
            "arn:aws:elasticloadbalancing:{region}:{account}:loadbalancer/{LoadBalancerName}",
        )
    },
    KindRow {
        // An account without a policy of its own answers so.
        absent: &["NoSuchEntity"],
        ..row(
            "password_policy",
            IAM,
            ask(
                "iam:GetAccountPasswordPolicy",
                "GetAccountPasswordPolicy",
                &[],
            ),
            "PasswordPolicy",
            "arn:aws:iam::{account}:password-policy",
        )
    },
    row(
        "account_summary",
        IAM,
        ask("iam:GetAccountSummary", "GetAccountSummary", &[]),
        "SummaryMap",
        "arn:aws:iam::{account}:account-summary",
    ),
    KindRow {
        next: TOKEN,
        item_name: "detectorId",
        name: "detectorId",
        tags: "tags",
        state: "status",
        created: "createdAt",
        details: &[detail(
            "",
            ask("guardduty:GetDetector", "/detector/{detectorId}", &[]),
            "",
            &[],
        )],
        ..row(
            "threat_detector",
            THREATS,
            ask("guardduty:ListDetectors", "/detector", &[]),
            "detectorIds",
            "arn:aws:guardduty:{region}:{account}:detector/{detectorId}",
        )
    },
    KindRow {
        next: TOKEN,
        name: "name",
        tags: "tags",
        created: "createdAt",
        volatile: &["lastResourceAnalyzed", "lastResourceAnalyzedAt"],
        ..row(
            "access_analyzer",
            ANALYZERS,
            ask("access-analyzer:ListAnalyzers", "/analyzer", &[]),
            "analyzers",
            "{arn}",
        )
    },
    KindRow {
        name: "name",
        details: &[detail(
            "Status",
            ask(
                "config:DescribeConfigurationRecorderStatus",
                "DescribeConfigurationRecorderStatus",
                &[("ConfigurationRecorderNames[]", "{name}")],
            ),
            "ConfigurationRecordersStatus",
            &["NoSuchConfigurationRecorderException"],
        )],
        relations: &[(MayAssume, "roleARN", "")],
        volatile: &["Status.lastStatusChangeTime"],
        ..row(
            "configuration_recorder",
            RECORDERS,
            ask(
                "config:DescribeConfigurationRecorders",
                "DescribeConfigurationRecorders",
                &[],
            ),
            "ConfigurationRecorders",
            "arn:aws:config:{region}:{account}:configuration-recorder/{name}",
        )
    },
    KindRow {
        next: TOKEN,
        name: "repositoryName",
        tags: "tags",
        created: "createdAt",
        details: &[
            // Scanning is set for the whole registry: what applies to a repository is said by this
            // call alone.
            detail(
                "scanningConfiguration",
                ask(
                    "ecr:BatchGetRepositoryScanningConfiguration",
                    "BatchGetRepositoryScanningConfiguration",
                    &[("repositoryNames[]", "{repositoryName}")],
                ),
                "scanningConfigurations",
                NO_REPOSITORY,
            ),
            detail(
                "policy",
                ask(
                    "ecr:GetRepositoryPolicy",
                    "GetRepositoryPolicy",
                    &[("repositoryName", "{repositoryName}")],
                ),
                "policyText",
                NO_REPOSITORY,
            ),
            detail(
                "lifecyclePolicy",
                ask(
                    "ecr:GetLifecyclePolicy",
                    "GetLifecyclePolicy",
                    &[("repositoryName", "{repositoryName}")],
                ),
                "lifecyclePolicyText",
                NO_REPOSITORY,
            ),
            list(
                "tags",
                ask(
                    "ecr:ListTagsForResource",
                    "ListTagsForResource",
                    &[("resourceArn", "{repositoryArn}")],
                ),
                "tags",
                NO_REPOSITORY,
            ),
        ],
        relations: &[(EncryptedWith, "encryptionConfiguration.kmsKey", "")],
        ..row(
            "container_registry",
            REGISTRIES,
            ask("ecr:DescribeRepositories", "DescribeRepositories", &[]),
            "repositories",
            "{repositoryArn}",
        )
    },
    // The listing returns active revisions unless it is asked for others.
    KindRow {
        next: TOKEN,
        item_name: "taskDefinitionArn",
        name: "taskDefinition.family",
        tags: "tags",
        state: "taskDefinition.status",
        created: "taskDefinition.registeredAt",
        details: &[detail(
            "",
            ask(
                "ecs:DescribeTaskDefinition",
                "DescribeTaskDefinition",
                &[
                    ("taskDefinition", "{taskDefinitionArn}"),
                    ("include[]", "TAGS"),
                ],
            ),
            "",
            &[],
        )],
        relations: &[
            (MayAssume, "taskDefinition.taskRoleArn", ""),
            (MayAssume, "taskDefinition.executionRoleArn", ""),
            (
                AttachedTo,
                "taskDefinition.volumes.efsVolumeConfiguration.fileSystemId",
                "arn:aws:elasticfilesystem:{region}:{account}:file-system/{value}",
            ),
        ],
        // Values of variables are secrets more often than not; their names stay.
        volatile: &[
            "taskDefinition.containerDefinitions.environment.value",
            "taskDefinition.containerDefinitions.logConfiguration.options.splunk-token",
        ],
        ..row(
            "task_definition",
            CONTAINERS,
            ask("ecs:ListTaskDefinitions", "ListTaskDefinitions", &[]),
            "taskDefinitionArns",
            "{taskDefinitionArn}",
        )
    },
    KindRow {
        next: ("Marker", "NextMarker"),
        name: "Name",
        tags: "Tags",
        state: "LifeCycleState",
        created: "CreationTime",
        details: &[
            detail(
                "BackupPolicy",
                ask(
                    "elasticfilesystem:DescribeBackupPolicy",
                    "/2015-02-01/file-systems/{FileSystemId}/backup-policy",
                    &[],
                ),
                "BackupPolicy",
                NO_FILE_SYSTEM,
            ),
            detail(
                "Policy",
                ask(
                    "elasticfilesystem:DescribeFileSystemPolicy",
                    "/2015-02-01/file-systems/{FileSystemId}/policy",
                    &[],
                ),
                "Policy",
                NO_FILE_SYSTEM,
            ),
            list(
                "MountTargets",
                ask(
                    "elasticfilesystem:DescribeMountTargets",
                    "/2015-02-01/mount-targets",
                    &[("FileSystemId", "{FileSystemId}")],
                ),
                "MountTargets",
                NO_FILE_SYSTEM,
            ),
        ],
        relations: &[
            (EncryptedWith, "KmsKeyId", ""),
            (LocatedIn, "MountTargets.SubnetId", ""),
        ],
        volatile: &["SizeInBytes"],
        ..row(
            "file_system",
            FILE_SYSTEMS,
            ask(
                "elasticfilesystem:DescribeFileSystems",
                "/2015-02-01/file-systems",
                &[],
            ),
            "FileSystems",
            "{FileSystemArn}",
        )
    },
    KindRow {
        next: MARKER,
        name: "ReplicationGroupId",
        tags: "Tags",
        state: "Status",
        created: "ReplicationGroupCreateTime",
        details: &[list(
            "Tags",
            ask(
                "elasticache:ListTagsForResource",
                "ListTagsForResource",
                &[("ResourceName", "{ARN}")],
            ),
            "TagList",
            &[
                "CacheClusterNotFound",
                "InvalidReplicationGroupState",
                "ReplicationGroupNotFoundFault",
            ],
        )],
        relations: &[(EncryptedWith, "KmsKeyId", "")],
        volatile: &["NodeGroups.NodeGroupMembers.CurrentRole"],
        ..row(
            "cache_cluster",
            CACHES,
            ask(
                "elasticache:DescribeReplicationGroups",
                "DescribeReplicationGroups",
                &[],
            ),
            "ReplicationGroups",
            "{ARN}",
        )
    },
    KindRow {
        next: MARKER,
        name: "ClusterIdentifier",
        tags: "Tags",
        state: "ClusterStatus",
        created: "ClusterCreateTime",
        details: &[
            detail(
                "LoggingStatus",
                ask(
                    "redshift:DescribeLoggingStatus",
                    "DescribeLoggingStatus",
                    &[("ClusterIdentifier", "{ClusterIdentifier}")],
                ),
                "",
                &["ClusterNotFound", "UnsupportedOperation"],
            ),
            list(
                "Parameters",
                ask(
                    "redshift:DescribeClusterParameters",
                    "DescribeClusterParameters",
                    &[(
                        "ParameterGroupName",
                        "{ClusterParameterGroups.ParameterGroupName}",
                    )],
                ),
                "Parameters",
                &["ClusterParameterGroupNotFound"],
            ),
        ],
        relations: &[
            (ProtectedBy, "VpcSecurityGroups.VpcSecurityGroupId", ""),
            (LocatedIn, "VpcId", ""),
            (EncryptedWith, "KmsKeyId", ""),
            (MayAssume, "IamRoles.IamRoleArn", ""),
            (LogsTo, "LoggingStatus.BucketName", ""),
        ],
        volatile: &[
            "ClusterAvailabilityStatus",
            "DataTransferProgress",
            "ExpectedNextSnapshotScheduleTime",
            "ExpectedNextSnapshotScheduleTimeStatus",
            "NextMaintenanceWindowStartTime",
            "RestoreStatus",
            "TotalStorageCapacityInMegaBytes",
            "LoggingStatus.LastFailureMessage",
            "LoggingStatus.LastFailureTime",
            "LoggingStatus.LastSuccessfulDeliveryTime",
        ],
        ..row(
            "warehouse",
            WAREHOUSES,
            ask("redshift:DescribeClusters", "DescribeClusters", &[]),
            "Clusters",
            "arn:aws:redshift:{region}:{account}:cluster:{ClusterIdentifier}",
        )
    },
    KindRow {
        name: "DomainName",
        tags: "Tags",
        details: &[
            detail(
                "",
                ask(
                    "es:DescribeDomain",
                    "/2021-01-01/opensearch/domain/{DomainName}",
                    &[],
                ),
                "DomainStatus",
                &["ResourceNotFoundException"],
            ),
            list(
                "Tags",
                ask("es:ListTags", "/2021-01-01/tags/", &[("arn", "{ARN}")]),
                "TagList",
                &["ResourceNotFoundException"],
            ),
        ],
        relations: &[
            (ProtectedBy, "VPCOptions.SecurityGroupIds", ""),
            (LocatedIn, "VPCOptions.SubnetIds", ""),
            (EncryptedWith, "EncryptionAtRestOptions.KmsKeyId", ""),
        ],
        volatile: &[
            "ChangeProgressDetails",
            "DomainProcessingStatus",
            "Processing",
            "UpgradeProcessing",
            "ServiceSoftwareOptions.AutomatedUpdateDate",
            "ServiceSoftwareOptions.Cancellable",
            "ServiceSoftwareOptions.Description",
            "ServiceSoftwareOptions.UpdateStatus",
        ],
        ..row(
            "search_domain",
            SEARCH,
            ask("es:ListDomainNames", "/2021-01-01/domain", &[]),
            "DomainNames",
            "{ARN}",
        )
    },
    KindRow {
        next: ("Marker", "NextMarker"),
        name: "DomainName",
        tags: "Tags",
        state: "Status",
        details: &[
            detail(
                "DistributionConfig",
                ask(
                    "cloudfront:GetDistributionConfig",
                    "/2020-05-31/distribution/{Id}/config",
                    &[],
                ),
                "",
                &["NoSuchDistribution"],
            ),
            detail(
                "Tags",
                ask(
                    "cloudfront:ListTagsForResource",
                    "/2020-05-31/tagging",
                    &[("Resource", "{ARN}")],
                ),
                "",
                &["NoSuchResource"],
            ),
        ],
        relations: &[(ProtectedBy, "WebACLId", "")],
        // Headers that a distribution adds are how origins recognize it: shared secrets.
        volatile: &[
            "Origins.Items.CustomHeaders.Items.HeaderValue",
            "DistributionConfig.Origins.Items.CustomHeaders.Items.HeaderValue",
        ],
        ..row(
            "distribution",
            DISTRIBUTIONS,
            ask(
                "cloudfront:ListDistributions",
                "/2020-05-31/distribution",
                &[],
            ),
            "Items",
            "{ARN}",
        )
    },
    KindRow {
        next: CAPITAL_TOKEN,
        name: "DomainName",
        tags: "Tags",
        state: "Status",
        created: "CreatedAt",
        details: &[
            detail(
                "",
                ask(
                    "acm:DescribeCertificate",
                    "DescribeCertificate",
                    &[("CertificateArn", "{CertificateArn}")],
                ),
                "Certificate",
                &["ResourceNotFoundException"],
            ),
            list(
                "Tags",
                ask(
                    "acm:ListTagsForCertificate",
                    "ListTagsForCertificate",
                    &[("CertificateArn", "{CertificateArn}")],
                ),
                "Tags",
                &["ResourceNotFoundException"],
            ),
        ],
        relations: &[(AttachedTo, "InUseBy", "")],
        ..row(
            "certificate",
            CERTIFICATES,
            ask("acm:ListCertificates", "ListCertificates", ALL_KEY_TYPES),
            "CertificateSummaryList",
            "{CertificateArn}",
        )
    },
    KindRow {
        next: ("position", "position"),
        name: "name",
        tags: "tags",
        created: "createdDate",
        details: &[list(
            "stages",
            ask("apigateway:GET", "/restapis/{id}/stages", &[]),
            "item",
            &["NotFoundException"],
        )],
        relations: &[
            (LogsTo, "stages.accessLogSettings.destinationArn", ""),
            (ProtectedBy, "stages.webAclArn", ""),
        ],
        ..row(
            "api",
            APIS,
            ask("apigateway:GET", "/restapis", &[]),
            "item",
            "arn:aws:apigateway:{region}::/restapis/{id}",
        )
    },
    // Identifiers come as `/hostedzone/Z…`, and further calls want them without that: a zone is
    // what the listing says of it.
    KindRow {
        next: ("marker", "NextMarker"),
        name: "Name",
        ..row(
            "dns_zone",
            ZONES,
            ask("route53:ListHostedZones", "/2013-04-01/hostedzone", &[]),
            "HostedZones",
            "{Id}",
        )
    },
    KindRow {
        next: ("NextMarker", "NextMarker"),
        name: "Name",
        tags: "Tags",
        details: &[
            detail(
                "",
                ask(
                    "wafv2:GetWebACL",
                    "GetWebACL",
                    &[("Name", "{Name}"), ("Scope", "REGIONAL"), ("Id", "{Id}")],
                ),
                "WebACL",
                &["WAFNonexistentItemException"],
            ),
            detail(
                "LoggingConfiguration",
                ask(
                    "wafv2:GetLoggingConfiguration",
                    "GetLoggingConfiguration",
                    &[("ResourceArn", "{ARN}")],
                ),
                "LoggingConfiguration",
                &["WAFNonexistentItemException"],
            ),
            list(
                "Tags",
                ask(
                    "wafv2:ListTagsForResource",
                    "ListTagsForResource",
                    &[("ResourceARN", "{ARN}")],
                ),
                "TagInfoForResource.TagList",
                &["WAFNonexistentItemException"],
            ),
        ],
        relations: &[(LogsTo, "LoggingConfiguration.LogDestinationConfigs", "")],
        volatile: &["LockToken"],
        ..row(
            "web_firewall",
            FIREWALLS,
            ask("wafv2:ListWebACLs", "ListWebACLs", &[("Scope", "REGIONAL")]),
            "WebACLs",
            "{ARN}",
        )
    },
    KindRow {
        next: TOKEN,
        name: "logGroupName",
        relations: &[(EncryptedWith, "kmsKeyId", "")],
        volatile: &["storedBytes"],
        ..row(
            "log_group",
            LOGS,
            ask("logs:DescribeLogGroups", "DescribeLogGroups", &[]),
            "logGroups",
            "{logGroupArn}",
        )
    },
    KindRow {
        next: CAPITAL_TOKEN,
        item_name: "StreamName",
        name: "StreamName",
        tags: "Tags",
        state: "StreamStatus",
        created: "StreamCreationTimestamp",
        details: &[
            detail(
                "",
                ask(
                    "kinesis:DescribeStreamSummary",
                    "DescribeStreamSummary",
                    &[("StreamName", "{StreamName}")],
                ),
                "StreamDescriptionSummary",
                &["ResourceNotFoundException"],
            ),
            detail(
                "Policy",
                ask(
                    "kinesis:GetResourcePolicy",
                    "GetResourcePolicy",
                    &[("ResourceARN", "{StreamARN}")],
                ),
                "Policy",
                &["ResourceNotFoundException"],
            ),
            list(
                "Tags",
                ask(
                    "kinesis:ListTagsForStream",
                    "ListTagsForStream",
                    &[("StreamName", "{StreamName}")],
                ),
                "Tags",
                &["ResourceNotFoundException"],
            ),
        ],
        relations: &[(EncryptedWith, "KeyId", "")],
        volatile: &["OpenShardCount", "WarmThroughput.CurrentMiBps"],
        ..row(
            "stream",
            STREAMS,
            ask("kinesis:ListStreams", "ListStreams", &[]),
            "StreamNames",
            "{StreamARN}",
        )
    },
    KindRow {
        next: ("nextToken", "NextToken"),
        name: "BackupVaultName",
        tags: "Tags",
        state: "VaultState",
        created: "CreationDate",
        details: &[
            detail(
                "Policy",
                ask(
                    "backup:GetBackupVaultAccessPolicy",
                    "/backup-vaults/{BackupVaultName}/access-policy",
                    &[],
                ),
                "Policy",
                &["ResourceNotFoundException"],
            ),
            detail(
                "Tags",
                ask("backup:ListTags", "/tags/{BackupVaultArn}/", &[]),
                "Tags",
                &["ResourceNotFoundException"],
            ),
        ],
        relations: &[(EncryptedWith, "EncryptionKeyArn", "")],
        volatile: &["NumberOfRecoveryPoints"],
        ..row(
            "backup_vault",
            BACKUPS,
            ask("backup:ListBackupVaults", "/backup-vaults/", &[]),
            "BackupVaultList",
            "{BackupVaultArn}",
        )
    },
    KindRow {
        next: TOKEN,
        item_name: "name",
        name: "name",
        tags: "tags",
        created: "created",
        details: &[detail(
            "",
            ask(
                "codebuild:BatchGetProjects",
                "BatchGetProjects",
                &[("names[]", "{name}")],
            ),
            "projects",
            &[],
        )],
        relations: &[
            (MayAssume, "serviceRole", ""),
            (EncryptedWith, "encryptionKey", ""),
            (ProtectedBy, "vpcConfig.securityGroupIds", ""),
            (LocatedIn, "vpcConfig.subnets", ""),
        ],
        volatile: &["webhook.secret"],
        ..row(
            "build_project",
            BUILDS,
            ask("codebuild:ListProjects", "ListProjects", &[]),
            "projects",
            "{arn}",
        )
    },
    KindRow {
        next: CAPITAL_TOKEN,
        name: "NotebookInstanceName",
        tags: "Tags",
        state: "NotebookInstanceStatus",
        created: "CreationTime",
        details: &[
            detail(
                "",
                ask(
                    "sagemaker:DescribeNotebookInstance",
                    "DescribeNotebookInstance",
                    &[("NotebookInstanceName", "{NotebookInstanceName}")],
                ),
                "",
                &["ResourceNotFound"],
            ),
            list(
                "Tags",
                ask(
                    "sagemaker:ListTags",
                    "ListTags",
                    &[("ResourceArn", "{NotebookInstanceArn}")],
                ),
                "Tags",
                &["ResourceNotFound"],
            ),
        ],
        relations: &[
            (MayAssume, "RoleArn", ""),
            (ProtectedBy, "SecurityGroups", ""),
            (LocatedIn, "SubnetId", ""),
            (EncryptedWith, "KmsKeyId", ""),
        ],
        ..row(
            "notebook",
            NOTEBOOKS,
            ask(
                "sagemaker:ListNotebookInstances",
                "ListNotebookInstances",
                &[],
            ),
            "NotebookInstances",
            "{NotebookInstanceArn}",
        )
    },
    KindRow {
        next: TOKEN,
        name: "name",
        tags: "tags",
        state: "status",
        created: "creationDate",
        details: &[
            detail(
                "",
                ask(
                    "states:DescribeStateMachine",
                    "DescribeStateMachine",
                    &[("stateMachineArn", "{stateMachineArn}")],
                ),
                "",
                &["StateMachineDoesNotExist"],
            ),
            list(
                "tags",
                ask(
                    "states:ListTagsForResource",
                    "ListTagsForResource",
                    &[("resourceArn", "{stateMachineArn}")],
                ),
                "tags",
                &["ResourceNotFound"],
            ),
        ],
        relations: &[
            (MayAssume, "roleArn", ""),
            (EncryptedWith, "encryptionConfiguration.kmsKeyId", ""),
            (
                LogsTo,
                "loggingConfiguration.destinations.cloudWatchLogsLogGroup.logGroupArn",
                "",
            ),
        ],
        ..row(
            "state_machine",
            STATE_MACHINES,
            ask("states:ListStateMachines", "ListStateMachines", &[]),
            "stateMachines",
            "{stateMachineArn}",
        )
    },
    KindRow {
        next: TOKEN,
        name: "brokerName",
        tags: "tags",
        state: "brokerState",
        created: "created",
        details: &[detail(
            "",
            ask("mq:DescribeBroker", "/v1/brokers/{brokerId}", &[]),
            "",
            &["NotFoundException"],
        )],
        relations: &[
            (ProtectedBy, "securityGroups", ""),
            (LocatedIn, "subnetIds", ""),
            (EncryptedWith, "encryptionOptions.kmsKeyId", ""),
            (
                LogsTo,
                "logs.generalLogGroup",
                "arn:aws:logs:{region}:{account}:log-group:{value}",
            ),
        ],
        ..row(
            "message_broker",
            BROKERS,
            ask("mq:ListBrokers", "/v1/brokers", &[]),
            "brokerSummaries",
            "{brokerArn}",
        )
    },
];
