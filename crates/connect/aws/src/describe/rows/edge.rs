//! The edge: distributions, APIs and names.

use reeve_estate::RelationKind::{LogsTo, ProtectedBy};

use crate::describe::row::{DescribeService, KindRow, Protocol, ask, detail, list, row};

const DISTRIBUTIONS: DescribeService = DescribeService {
    name: "cloudfront",
    host: "cloudfront",
    protocol: Protocol::Rest,
    is_global: true,
};
const ZONES: DescribeService = DescribeService {
    name: "route53",
    host: "route53",
    protocol: Protocol::Rest,
    is_global: true,
};
const APIS: DescribeService = DescribeService {
    name: "apigateway",
    host: "apigateway",
    protocol: Protocol::Rest,
    is_global: false,
};

pub(super) const ROWS: &[KindRow] = &[
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
];
