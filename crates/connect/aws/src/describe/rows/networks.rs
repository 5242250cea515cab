//! Networks and the paths through them: EC2's network half and Elastic Load Balancing.

use reeve_estate::RelationKind::{Admits, AttachedTo, LocatedIn, LogsTo, ProtectedBy, RoutesTo};

use super::machines::{EC2, NEXT};
use crate::describe::row::{
    DescribeDetail, DescribeService, KindRow, Protocol, Shared, SharedPart, ask, detail, list, row,
};

const LOAD_BALANCING: DescribeService = DescribeService {
    name: "elasticloadbalancing",
    host: "elasticloadbalancing",
    protocol: Protocol::Query {
        version: "2015-12-01",
    },
    is_global: false,
};

const CLASSIC_LOAD_BALANCING: DescribeService = DescribeService {
    name: "elasticloadbalancing",
    host: "elasticloadbalancing",
    protocol: Protocol::Query {
        version: "2012-06-01",
    },
    is_global: false,
};

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: NEXT,
        name: "groupName",
        tags: "tagSet",
        relations: &[
            (LocatedIn, "vpcId", ""),
            (RoutesTo, "ipPermissionsEgress.groups.groupId", ""),
            (Admits, "ipPermissions.groups.groupId", ""),
        ],
        ..row(
            "security_group",
            EC2,
            ask(
                "ec2:DescribeSecurityGroups",
                "DescribeSecurityGroups",
                &[("MaxResults", "1000")],
            ),
            "securityGroupInfo",
            "{groupId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "status",
        relations: &[
            (AttachedTo, "attachment.instanceId", ""),
            (ProtectedBy, "groupSet.groupId", ""),
            (LocatedIn, "subnetId", ""),
        ],
        ..row(
            "network_interface",
            EC2,
            ask(
                "ec2:DescribeNetworkInterfaces",
                "DescribeNetworkInterfaces",
                &[("MaxResults", "1000")],
            ),
            "networkInterfaceSet",
            "{networkInterfaceId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "state",
        shared: &[Shared {
            into: "FlowLogs",
            service: EC2,
            ask: ask(
                "ec2:DescribeFlowLogs",
                "DescribeFlowLogs",
                &[("MaxResults", "1000")],
            ),
            next: NEXT,
            absent: &[],
            part: SharedPart::Own {
                listed: "flowLogSet",
                of: "resourceId",
                id: "vpcId",
            },
            is_apart: false,
        }],
        volatile: &[
            "FlowLogs.deliverLogsStatus",
            "FlowLogs.deliverLogsErrorMessage",
        ],
        ..row(
            "network",
            EC2,
            ask(
                "ec2:DescribeVpcs",
                "DescribeVpcs",
                &[("MaxResults", "1000")],
            ),
            "vpcSet",
            "{vpcId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "state",
        relations: &[(LocatedIn, "vpcId", "")],
        volatile: &["availableIpAddressCount"],
        ..row(
            "subnet",
            EC2,
            ask(
                "ec2:DescribeSubnets",
                "DescribeSubnets",
                &[("MaxResults", "1000")],
            ),
            "subnetSet",
            "{subnetId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        relations: &[
            (LocatedIn, "vpcId", ""),
            (AttachedTo, "associationSet.subnetId", ""),
            // The main route table is that of every subnet that names none.
            (AttachedTo, "associationSet[main=true].main", "{vpcId}"),
            (RoutesTo, "routeSet.gatewayId", ""),
            (RoutesTo, "routeSet.natGatewayId", ""),
            (RoutesTo, "routeSet.transitGatewayId", ""),
            (RoutesTo, "routeSet.vpcPeeringConnectionId", ""),
            (RoutesTo, "routeSet.egressOnlyInternetGatewayId", ""),
            (RoutesTo, "routeSet.networkInterfaceId", ""),
        ],
        ..row(
            "route_table",
            EC2,
            ask(
                "ec2:DescribeRouteTables",
                "DescribeRouteTables",
                &[("MaxResults", "100")],
            ),
            "routeTableSet",
            "{routeTableId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "state",
        created: "createTime",
        relations: &[
            (LocatedIn, "subnetId", ""),
            (LocatedIn, "vpcId", ""),
            (AttachedTo, "natGatewayAddressSet.networkInterfaceId", ""),
        ],
        ..row(
            "nat_gateway",
            EC2,
            ask(
                "ec2:DescribeNatGateways",
                "DescribeNatGateways",
                &[("MaxResults", "1000")],
            ),
            "natGatewaySet",
            "{natGatewayId}",
        )
    },
    KindRow {
        name: "publicIp",
        tags: "tagSet",
        relations: &[
            (AttachedTo, "instanceId", ""),
            (AttachedTo, "networkInterfaceId", ""),
        ],
        ..row(
            "ip_address",
            EC2,
            ask("ec2:DescribeAddresses", "DescribeAddresses", &[]),
            "addressesSet",
            "{allocationId}",
        )
    },
    KindRow {
        next: ("Marker", "NextMarker"),
        name: "LoadBalancerName",
        tags: "Tags",
        state: "State.Code",
        created: "CreatedTime",
        details: &[
            list(
                "Listeners",
                ask(
                    "elasticloadbalancing:DescribeListeners",
                    "DescribeListeners",
                    &[("LoadBalancerArn", "{LoadBalancerArn}")],
                ),
                "Listeners",
                &["LoadBalancerNotFound"],
            ),
            list(
                "Attributes",
                ask(
                    "elasticloadbalancing:DescribeLoadBalancerAttributes",
                    "DescribeLoadBalancerAttributes",
                    &[("LoadBalancerArn", "{LoadBalancerArn}")],
                ),
                "Attributes",
                &["LoadBalancerNotFound"],
            ),
            DescribeDetail {
                each: "Listeners.ListenerArn",
                ..list(
                    "Rules",
                    ask(
                        "elasticloadbalancing:DescribeRules",
                        "DescribeRules",
                        &[("ListenerArn", "{value}")],
                    ),
                    "Rules",
                    &["ListenerNotFound"],
                )
            },
        ],
        relations: &[
            (ProtectedBy, "SecurityGroups", ""),
            (LocatedIn, "VpcId", ""),
            (LocatedIn, "AvailabilityZones.SubnetId", ""),
            (RoutesTo, "Listeners.DefaultActions.TargetGroupArn", ""),
            (
                RoutesTo,
                "Listeners.DefaultActions.ForwardConfig.TargetGroups.TargetGroupArn",
                "",
            ),
            (RoutesTo, "Rules.Actions.TargetGroupArn", ""),
            (
                RoutesTo,
                "Rules.Actions.ForwardConfig.TargetGroups.TargetGroupArn",
                "",
            ),
        ],
        ..row(
            "load_balancer",
            LOAD_BALANCING,
            ask(
                "elasticloadbalancing:DescribeLoadBalancers",
                "DescribeLoadBalancers",
                &[],
            ),
            "LoadBalancers",
            "{LoadBalancerArn}",
        )
    },
    KindRow {
        next: ("Marker", "NextMarker"),
        name: "TargetGroupName",
        details: &[
            list(
                "TargetHealthDescriptions",
                ask(
                    "elasticloadbalancing:DescribeTargetHealth",
                    "DescribeTargetHealth",
                    &[("TargetGroupArn", "{TargetGroupArn}")],
                ),
                "TargetHealthDescriptions",
                &["TargetGroupNotFound"],
            ),
            list(
                "Attributes",
                ask(
                    "elasticloadbalancing:DescribeTargetGroupAttributes",
                    "DescribeTargetGroupAttributes",
                    &[("TargetGroupArn", "{TargetGroupArn}")],
                ),
                "Attributes",
                &["TargetGroupNotFound"],
            ),
        ],
        relations: &[
            (LocatedIn, "VpcId", ""),
            (RoutesTo, "TargetHealthDescriptions.Target.Id", ""),
        ],
        // The health of a target is no configuration: baselines do not compare it. It is kept,
        // because no other call answers it and its versions show which targets flap.
        volatile: &["TargetHealthDescriptions.AnomalyDetection"],
        ..row(
            "target_group",
            LOAD_BALANCING,
            ask(
                "elasticloadbalancing:DescribeTargetGroups",
                "DescribeTargetGroups",
                &[],
            ),
            "TargetGroups",
            "{TargetGroupArn}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        relations: &[
            (LocatedIn, "vpcId", ""),
            (AttachedTo, "associationSet.subnetId", ""),
            // The default one is that of every subnet that names none.
            (AttachedTo, "[default=true].vpcId", ""),
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
            (LocatedIn, "Subnets", ""),
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
];
