//! Security services: what watches, records and guards an account.

use reeve_estate::RelationKind::{AttachedTo, LogsTo, MayAssume};
use reeve_recommend::judgement::region_quota;

use super::machines::EC2;
use super::services::TRAILS;
use super::{CAPITAL_TOKEN, TOKEN};
use crate::describe::row::{
    Ask, DescribeService, KindRow, Protocol, Shared, SharedPart, ask, detail, list, row,
};

const THREATS: DescribeService = DescribeService {
    name: "guardduty",
    host: "guardduty",
    protocol: Protocol::Rest,
    is_global: false,
};
const ANALYZERS: DescribeService = DescribeService {
    name: "access-analyzer",
    host: "access-analyzer",
    protocol: Protocol::Rest,
    is_global: false,
};
const RECORDERS: DescribeService = DescribeService {
    name: "config",
    host: "config",
    protocol: Protocol::Json {
        target: "StarlingDoveService",
        version: "1.1",
    },
    is_global: false,
};
const SERVICE_QUOTAS: DescribeService = DescribeService {
    name: "servicequotas",
    host: "servicequotas",
    protocol: Protocol::Json {
        target: "ServiceQuotasV20190624",
        version: "1.1",
    },
    is_global: false,
};
const CERTIFICATES: DescribeService = DescribeService {
    name: "acm",
    host: "acm",
    protocol: Protocol::Json {
        target: "CertificateManager",
        version: "1.1",
    },
    is_global: false,
};
const FIREWALLS: DescribeService = DescribeService {
    name: "wafv2",
    host: "wafv2",
    protocol: Protocol::Json {
        target: "AWSWAF_20190729",
        version: "1.1",
    },
    is_global: false,
};

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

/// A call of a service about its region, for the document of the region.
const fn of_region(
    into: &'static str,
    service: DescribeService,
    ask: Ask,
    next: (&'static str, &'static str),
    part: SharedPart,
) -> Shared {
    Shared {
        into,
        service,
        ask,
        next,
        absent: &[],
        part,
        is_apart: true,
    }
}

/// Call for a quota as it applies to the account; absent where the account has none of its own
/// (Service Quotas API reference, `GetServiceQuota`).
macro_rules! quota {
    ($quota:path) => {
        Shared {
            absent: &["NoSuchResourceException"],
            ..of_region(
                $quota.member,
                SERVICE_QUOTAS,
                ask(
                    "servicequotas:GetServiceQuota",
                    "GetServiceQuota",
                    &[("ServiceCode", $quota.service), ("QuotaCode", $quota.code)],
                ),
                ("", ""),
                SharedPart::First("Quota.Value"),
            )
        }
    };
}

/// Settings of a region, and services that may be off in it: where there is no detector or recorder,
/// nothing else could fail a check. The quotas are those whose use the inventory counts.
const OF_REGION: &[Shared] = &[
    of_region(
        "SnapshotBlockPublicAccess",
        EC2,
        ask(
            "ec2:GetSnapshotBlockPublicAccessState",
            "GetSnapshotBlockPublicAccessState",
            &[],
        ),
        ("", ""),
        SharedPart::First("state"),
    ),
    of_region(
        "ImageBlockPublicAccess",
        EC2,
        ask(
            "ec2:GetImageBlockPublicAccessState",
            "GetImageBlockPublicAccessState",
            &[],
        ),
        ("", ""),
        SharedPart::First("imageBlockPublicAccessState"),
    ),
    of_region(
        "ThreatDetector",
        THREATS,
        ask("guardduty:ListDetectors", "/detector", &[]),
        ("", ""),
        SharedPart::First("detectorIds"),
    ),
    of_region(
        "AccessAnalyzers",
        ANALYZERS,
        ask("access-analyzer:ListAnalyzers", "/analyzer", &[]),
        TOKEN,
        SharedPart::All("analyzers"),
    ),
    of_region(
        "ConfigurationRecorders",
        RECORDERS,
        ask(
            "config:DescribeConfigurationRecorders",
            "DescribeConfigurationRecorders",
            &[],
        ),
        ("", ""),
        SharedPart::All("ConfigurationRecorders"),
    ),
    of_region(
        "ConfigurationRecorderStatus",
        RECORDERS,
        ask(
            "config:DescribeConfigurationRecorderStatus",
            "DescribeConfigurationRecorderStatus",
            &[],
        ),
        ("", ""),
        SharedPart::All("ConfigurationRecordersStatus"),
    ),
    of_region(
        "DeliveryChannels",
        RECORDERS,
        ask(
            "config:DescribeDeliveryChannels",
            "DescribeDeliveryChannels",
            &[],
        ),
        ("", ""),
        SharedPart::All("DeliveryChannels"),
    ),
    of_region(
        "Trails",
        TRAILS,
        ask("cloudtrail:DescribeTrails", "DescribeTrails", &[]),
        ("", ""),
        SharedPart::All("trailList"),
    ),
    quota!(region_quota::NETWORKS),
    quota!(region_quota::INTERNET_GATEWAYS),
    quota!(region_quota::NETWORK_INTERFACES),
    quota!(region_quota::SECURITY_GROUPS),
    quota!(region_quota::ELASTIC_ADDRESSES),
    quota!(region_quota::DATABASES),
];

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        name: "availabilityZoneInfo.regionName",
        shared: OF_REGION,
        volatile: &[
            "requestId",
            "availabilityZoneInfo.messageSet",
            "AccessAnalyzers.lastResourceAnalyzed",
            "AccessAnalyzers.lastResourceAnalyzedAt",
            "ConfigurationRecorderStatus.lastErrorCode",
            "ConfigurationRecorderStatus.lastErrorMessage",
            "ConfigurationRecorderStatus.lastStartTime",
            "ConfigurationRecorderStatus.lastStatus",
            "ConfigurationRecorderStatus.lastStatusChangeTime",
            "ConfigurationRecorderStatus.lastStopTime",
        ],
        ..row(
            "region",
            EC2,
            ask(
                "ec2:DescribeAvailabilityZones",
                "DescribeAvailabilityZones",
                &[],
            ),
            "",
            "arn:aws:ec2:{region}:{account}:region",
        )
    },
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
];
