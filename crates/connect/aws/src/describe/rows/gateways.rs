//! Gateways of networks, connections between networks, and endpoints of services in them.

use reeve_estate::RelationKind::{AttachedTo, LocatedIn, MemberOf, ProtectedBy};

use super::machines::{EC2, NEXT};
use crate::describe::row::{KindRow, ask, row};

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: NEXT,
        tags: "tagSet",
        relations: &[(AttachedTo, "attachmentSet.vpcId", "")],
        ..row(
            "internet_gateway",
            EC2,
            ask(
                "ec2:DescribeInternetGateways",
                "DescribeInternetGateways",
                &[("MaxResults", "1000")],
            ),
            "internetGatewaySet",
            "{internetGatewayId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        relations: &[(AttachedTo, "attachmentSet.vpcId", "")],
        ..row(
            "egress_gateway",
            EC2,
            ask(
                "ec2:DescribeEgressOnlyInternetGateways",
                "DescribeEgressOnlyInternetGateways",
                &[("MaxResults", "255")],
            ),
            "egressOnlyInternetGatewaySet",
            "{egressOnlyInternetGatewayId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "state",
        created: "creationTime",
        ..row(
            "transit_gateway",
            EC2,
            ask(
                "ec2:DescribeTransitGateways",
                "DescribeTransitGateways",
                &[("MaxResults", "1000")],
            ),
            "transitGatewaySet",
            "{transitGatewayId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "state",
        created: "creationTime",
        relations: &[
            (MemberOf, "transitGatewayId", ""),
            (AttachedTo, "resourceId", ""),
        ],
        ..row(
            "transit_attachment",
            EC2,
            ask(
                "ec2:DescribeTransitGatewayAttachments",
                "DescribeTransitGatewayAttachments",
                &[("MaxResults", "1000")],
            ),
            "transitGatewayAttachments",
            "{transitGatewayAttachmentId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "status.code",
        relations: &[
            (AttachedTo, "requesterVpcInfo.vpcId", ""),
            (AttachedTo, "accepterVpcInfo.vpcId", ""),
        ],
        ..row(
            "network_peering",
            EC2,
            ask(
                "ec2:DescribeVpcPeeringConnections",
                "DescribeVpcPeeringConnections",
                &[("MaxResults", "1000")],
            ),
            "vpcPeeringConnectionSet",
            "{vpcPeeringConnectionId}",
        )
    },
    KindRow {
        next: NEXT,
        name: "serviceName",
        tags: "tagSet",
        state: "state",
        created: "creationTimestamp",
        relations: &[
            (LocatedIn, "vpcId", ""),
            (LocatedIn, "subnetIdSet", ""),
            (AttachedTo, "routeTableIdSet", ""),
            (AttachedTo, "networkInterfaceIdSet", ""),
            (ProtectedBy, "groupSet.groupId", ""),
        ],
        ..row(
            "network_endpoint",
            EC2,
            ask(
                "ec2:DescribeVpcEndpoints",
                "DescribeVpcEndpoints",
                &[("MaxResults", "1000")],
            ),
            "vpcEndpointSet",
            "{vpcEndpointId}",
        )
    },
];
