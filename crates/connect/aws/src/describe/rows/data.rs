//! Databases, tables and buckets.

use reeve_estate::RelationKind::{
    AttachedTo, CreatedFrom, EncryptedWith, LocatedIn, LogsTo, MemberOf, ProtectedBy, Trusts,
};

use crate::describe::row::{
    DescribeDetail, DescribeService, KindRow, Protocol, Shared, SharedPart, ask, detail, list, row,
};

const RDS: DescribeService = DescribeService {
    name: "rds",
    host: "rds",
    protocol: Protocol::Query {
        version: "2014-10-31",
    },
    is_global: false,
};
const S3: DescribeService = DescribeService {
    name: "s3",
    host: "s3",
    protocol: Protocol::Rest,
    is_global: true,
};
/// The part of S3 that answers for whole accounts, at a host of each.
const S3_CONTROL: DescribeService = DescribeService {
    name: "s3",
    host: "s3-control",
    protocol: Protocol::Rest,
    is_global: false,
};
const DYNAMO: DescribeService = DescribeService {
    name: "dynamodb",
    host: "dynamodb",
    protocol: Protocol::Json {
        target: "DynamoDB_20120810",
        version: "1.0",
    },
    is_global: false,
};

const MARKER: (&str, &str) = ("Marker", "Marker");

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: MARKER,
        name: "DBInstanceIdentifier",
        tags: "TagList",
        state: "DBInstanceStatus",
        created: "InstanceCreateTime",
        relations: &[
            (ProtectedBy, "VpcSecurityGroups.VpcSecurityGroupId", ""),
            (EncryptedWith, "KmsKeyId", ""),
            (LocatedIn, "DBSubnetGroup.VpcId", ""),
            (LocatedIn, "DBSubnetGroup.Subnets.SubnetIdentifier", ""),
            (
                MemberOf,
                "DBClusterIdentifier",
                "arn:aws:rds:{region}:{account}:cluster:{value}",
            ),
        ],
        // Maintenance that waits and events of the last three days, which no other call answers.
        // Backups and the like are no news: each event is a version of the document.
        shared: &[
            Shared {
                into: "PendingMaintenance",
                service: RDS,
                ask: ask(
                    "rds:DescribePendingMaintenanceActions",
                    "DescribePendingMaintenanceActions",
                    &[],
                ),
                next: MARKER,
                absent: &[],
                part: SharedPart::Own {
                    listed: "PendingMaintenanceActions",
                    of: "ResourceIdentifier",
                    id: "DBInstanceArn",
                },
                is_apart: true,
            },
            Shared {
                into: "RecentEvents",
                service: RDS,
                ask: ask(
                    "rds:DescribeEvents",
                    "DescribeEvents",
                    &[
                        ("SourceType", "db-instance"),
                        ("Duration", "4320"),
                        ("EventCategories.EventCategory.1", "failure"),
                        ("EventCategories.EventCategory.2", "low storage"),
                        ("EventCategories.EventCategory.3", "failover"),
                    ],
                ),
                next: MARKER,
                absent: &[],
                part: SharedPart::Own {
                    listed: "Events",
                    of: "SourceIdentifier",
                    id: "DBInstanceIdentifier",
                },
                is_apart: true,
            },
        ],
        volatile: &["LatestRestorableTime"],
        ..row(
            "database",
            RDS,
            ask("rds:DescribeDBInstances", "DescribeDBInstances", &[]),
            "DBInstances",
            "{DBInstanceArn}",
        )
    },
    KindRow {
        next: MARKER,
        name: "DBClusterIdentifier",
        tags: "TagList",
        state: "Status",
        created: "ClusterCreateTime",
        relations: &[
            (ProtectedBy, "VpcSecurityGroups.VpcSecurityGroupId", ""),
            (EncryptedWith, "KmsKeyId", ""),
        ],
        volatile: &["LatestRestorableTime", "EarliestRestorableTime"],
        ..row(
            "database_cluster",
            RDS,
            ask("rds:DescribeDBClusters", "DescribeDBClusters", &[]),
            "DBClusters",
            "{DBClusterArn}",
        )
    },
    KindRow {
        next: MARKER,
        name: "DBSnapshotIdentifier",
        tags: "TagList",
        state: "Status",
        created: "SnapshotCreateTime",
        details: &[list(
            "Attributes",
            ask(
                "rds:DescribeDBSnapshotAttributes",
                "DescribeDBSnapshotAttributes",
                &[("DBSnapshotIdentifier", "{DBSnapshotIdentifier}")],
            ),
            "DBSnapshotAttributesResult.DBSnapshotAttributes",
            &["DBSnapshotNotFound", "DBSnapshotNotFoundFault"],
        )],
        relations: &[
            (
                CreatedFrom,
                "DBInstanceIdentifier",
                "arn:aws:rds:{region}:{account}:db:{value}",
            ),
            (EncryptedWith, "KmsKeyId", ""),
        ],
        volatile: &["PercentProgress"],
        ..row(
            "database_snapshot",
            RDS,
            ask("rds:DescribeDBSnapshots", "DescribeDBSnapshots", &[]),
            "DBSnapshots",
            "{DBSnapshotArn}",
        )
    },
    KindRow {
        name: "Name",
        region: "LocationConstraint",
        tags: "TagSet",
        created: "CreationDate",
        shared: &[Shared {
            into: "AccountPublicAccessBlock",
            service: S3_CONTROL,
            ask: ask(
                "s3:GetAccountPublicAccessBlock",
                "/v20180820/configuration/publicAccessBlock",
                &[],
            ),
            next: ("", ""),
            absent: NONE,
            part: SharedPart::Whole,
            is_apart: false,
        }],
        details: BUCKET,
        relations: &[
            (LogsTo, "Logging.LoggingEnabled.TargetBucket", ""),
            (Trusts, "Policy.Statement[Effect=Allow].Principal.AWS", ""),
            (
                EncryptedWith,
                "Encryption.Rule.ApplyServerSideEncryptionByDefault.KMSMasterKeyID",
                "",
            ),
        ],
        ..row(
            "bucket",
            S3,
            ask("s3:ListAllMyBuckets", "/", &[]),
            "Buckets",
            "{Name}",
        )
    },
    KindRow {
        next: ("nextToken", "NextToken"),
        name: "Name",
        created: "CreationDate",
        details: &[
            detail(
                "",
                ask("s3:GetAccessPoint", "/v20180820/accesspoint/{Name}", &[]),
                "",
                NO_ACCESS_POINT,
            ),
            detail(
                "Policy",
                ask(
                    "s3:GetAccessPointPolicy",
                    "/v20180820/accesspoint/{Name}/policy",
                    &[],
                ),
                "Policy",
                NO_ACCESS_POINT,
            ),
        ],
        relations: &[
            (AttachedTo, "Bucket", ""),
            (LocatedIn, "VpcConfiguration.VpcId", ""),
            (Trusts, "Policy.Statement[Effect=Allow].Principal.AWS", ""),
        ],
        ..row(
            "access_point",
            S3_CONTROL,
            ask("s3:ListAccessPoints", "/v20180820/accesspoint", &[]),
            "AccessPointList",
            "arn:aws:s3:{region}:{account}:accesspoint/{Name}",
        )
    },
    KindRow {
        next: ("ExclusiveStartTableName", "LastEvaluatedTableName"),
        item_name: "TableName",
        name: "TableName",
        state: "TableStatus",
        created: "CreationDateTime",
        tags: "Tags",
        details: &[
            detail(
                "",
                ask(
                    "dynamodb:DescribeTable",
                    "DescribeTable",
                    &[("TableName", "{TableName}")],
                ),
                "Table",
                &["ResourceNotFoundException"],
            ),
            detail(
                "ContinuousBackups",
                ask(
                    "dynamodb:DescribeContinuousBackups",
                    "DescribeContinuousBackups",
                    &[("TableName", "{TableName}")],
                ),
                "ContinuousBackupsDescription",
                &["ResourceNotFoundException", "TableNotFoundException"],
            ),
            list(
                "Tags",
                ask(
                    "dynamodb:ListTagsOfResource",
                    "ListTagsOfResource",
                    &[("ResourceArn", "{TableArn}")],
                ),
                "Tags",
                &["ResourceNotFoundException"],
            ),
        ],
        relations: &[(EncryptedWith, "SSEDescription.KMSMasterKeyArn", "")],
        volatile: &[
            "ItemCount",
            "TableSizeBytes",
            "ContinuousBackups.PointInTimeRecoveryDescription.LatestRestorableDateTime",
            "ContinuousBackups.PointInTimeRecoveryDescription.EarliestRestorableDateTime",
        ],
        ..row(
            "table",
            DYNAMO,
            ask("dynamodb:ListTables", "ListTables", &[]),
            "TableNames",
            "{TableArn}",
        )
    },
];

/// Codes that say that there is no access point, or none with a policy.
const NO_ACCESS_POINT: &[&str] = &["NoSuchAccessPoint", "NoSuchAccessPointPolicy"];

/// Codes that say that a bucket has no configuration of a name.
const NONE: &[&str] = &[
    "NoSuchBucket",
    "NoSuchBucketPolicy",
    "NoSuchCORSConfiguration",
    "NoSuchLifecycleConfiguration",
    "NoSuchPublicAccessBlockConfiguration",
    "NoSuchTagSet",
    "NoSuchTagSetError",
    "NoSuchWebsiteConfiguration",
    "ObjectLockConfigurationNotFoundError",
    "OwnershipControlsNotFoundError",
    "ReplicationConfigurationNotFoundError",
    "ServerSideEncryptionConfigurationNotFoundError",
];

const fn of_bucket(
    into: &'static str,
    permission: &'static str,
    path: &'static str,
) -> DescribeDetail {
    detail(into, ask(permission, path, &[]), "", NONE)
}

/// The location comes first: the other calls go to the bucket's region.
const BUCKET: &[DescribeDetail] = &[
    of_bucket("", "s3:GetBucketLocation", "/{Name}?location"),
    of_bucket("Policy", "s3:GetBucketPolicy", "/{Name}?policy"),
    of_bucket("Acl", "s3:GetBucketAcl", "/{Name}?acl"),
    of_bucket(
        "PublicAccessBlock",
        "s3:GetBucketPublicAccessBlock",
        "/{Name}?publicAccessBlock",
    ),
    of_bucket(
        "OwnershipControls",
        "s3:GetBucketOwnershipControls",
        "/{Name}?ownershipControls",
    ),
    of_bucket(
        "Encryption",
        "s3:GetEncryptionConfiguration",
        "/{Name}?encryption",
    ),
    of_bucket("Versioning", "s3:GetBucketVersioning", "/{Name}?versioning"),
    of_bucket("Logging", "s3:GetBucketLogging", "/{Name}?logging"),
    of_bucket(
        "Lifecycle",
        "s3:GetLifecycleConfiguration",
        "/{Name}?lifecycle",
    ),
    of_bucket("Cors", "s3:GetBucketCORS", "/{Name}?cors"),
    of_bucket("Website", "s3:GetBucketWebsite", "/{Name}?website"),
    of_bucket(
        "Replication",
        "s3:GetReplicationConfiguration",
        "/{Name}?replication",
    ),
    of_bucket(
        "ObjectLock",
        "s3:GetBucketObjectLockConfiguration",
        "/{Name}?object-lock",
    ),
    DescribeDetail {
        from: "TagSet",
        ..of_bucket("TagSet", "s3:GetBucketTagging", "/{Name}?tagging")
    },
];
