//! Stores beside databases and buckets: files, caches, warehouses, search and backups.

use reeve_estate::RelationKind::{EncryptedWith, LocatedIn, LogsTo, MayAssume, ProtectedBy};

use crate::describe::row::{
    DescribeService, KindRow, Protocol, Shared, SharedPart, ask, detail, list, row,
};

const CACHES: DescribeService = DescribeService {
    name: "elasticache",
    host: "elasticache",
    protocol: Protocol::Query {
        version: "2015-02-02",
    },
    is_global: false,
};
const WAREHOUSES: DescribeService = DescribeService {
    name: "redshift",
    host: "redshift",
    protocol: Protocol::Query {
        version: "2012-12-01",
    },
    is_global: false,
};
const FILE_SYSTEMS: DescribeService = DescribeService {
    name: "elasticfilesystem",
    host: "elasticfilesystem",
    protocol: Protocol::Rest,
    is_global: false,
};
const SEARCH: DescribeService = DescribeService {
    name: "es",
    host: "es",
    protocol: Protocol::Rest,
    is_global: false,
};
const BACKUPS: DescribeService = DescribeService {
    name: "backup",
    host: "backup",
    protocol: Protocol::Rest,
    is_global: false,
};

const MARKER: (&str, &str) = ("Marker", "Marker");
/// Codes that say that a file system has no policy of a name.
const NO_FILE_SYSTEM: &[&str] = &["FileSystemNotFound", "PolicyNotFound"];

pub(super) const ROWS: &[KindRow] = &[
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
    // Nodes of replication groups, and clusters of Memcached. CloudWatch counts hits and misses of
    // these and not of replication groups.
    KindRow {
        next: MARKER,
        name: "CacheClusterId",
        tags: "Tags",
        state: "CacheClusterStatus",
        created: "CacheClusterCreateTime",
        // The network of a node, which no other call answers.
        shared: &[Shared {
            into: "CacheSubnetGroups",
            service: CACHES,
            ask: ask(
                "elasticache:DescribeCacheSubnetGroups",
                "DescribeCacheSubnetGroups",
                &[],
            ),
            next: MARKER,
            absent: &[],
            part: SharedPart::Own {
                listed: "CacheSubnetGroups",
                of: "CacheSubnetGroupName",
                id: "CacheSubnetGroupName",
            },
            is_apart: true,
        }],
        details: &[list(
            "Tags",
            ask(
                "elasticache:ListTagsForResource",
                "ListTagsForResource",
                &[("ResourceName", "{ARN}")],
            ),
            "TagList",
            &["CacheClusterNotFound", "InvalidARNFault"],
        )],
        relations: &[
            (LocatedIn, "CacheSubnetGroups.VpcId", ""),
            (ProtectedBy, "SecurityGroups.SecurityGroupId", ""),
        ],
        ..row(
            "cache_node",
            CACHES,
            ask(
                "elasticache:DescribeCacheClusters",
                "DescribeCacheClusters",
                &[],
            ),
            "CacheClusters",
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
];
