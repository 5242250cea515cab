//! Machines and what they are made of: EC2's compute half and Auto Scaling.

use reeve_estate::RelationKind::{
    AttachedTo, CreatedFrom, EncryptedWith, LocatedIn, MayAssume, ProtectedBy,
};

use crate::describe::row::{
    DescribeDetail, DescribeService, KindRow, Protocol, Shared, SharedPart, ask, detail, list, row,
};

pub(super) const EC2: DescribeService = DescribeService {
    name: "ec2",
    host: "ec2",
    protocol: Protocol::Query {
        version: "2016-11-15",
    },
    is_global: false,
};

const AUTO_SCALING: DescribeService = DescribeService {
    name: "autoscaling",
    host: "autoscaling",
    protocol: Protocol::Query {
        version: "2011-01-01",
    },
    is_global: false,
};

const SYSTEMS_MANAGER: DescribeService = DescribeService {
    name: "ssm",
    host: "ssm",
    protocol: Protocol::Json {
        target: "AmazonSSM",
        version: "1.1",
    },
    is_global: false,
};

pub(super) const NEXT: (&str, &str) = ("NextToken", "nextToken");

/// EC2 answers some 20 such calls a second for the whole account: a minute of them is what a sync may
/// take of it in a region.
const MOST_SHARED_SNAPSHOTS: usize = 1_000;

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "instanceState.name",
        created: "launchTime",
        relations: &[
            (ProtectedBy, "groupSet.groupId", ""),
            (LocatedIn, "subnetId", ""),
            (LocatedIn, "vpcId", ""),
            (CreatedFrom, "imageId", ""),
            (MayAssume, "iamInstanceProfile.arn", ""),
        ],
        // Scheduled events and status checks, which no other call answers. Stopped machines have
        // none.
        shared: &[Shared {
            into: "InstanceStatus",
            service: EC2,
            ask: ask(
                "ec2:DescribeInstanceStatus",
                "DescribeInstanceStatus",
                &[("MaxResults", "1000")],
            ),
            next: NEXT,
            absent: &[],
            part: SharedPart::Own {
                listed: "instanceStatusSet",
                of: "instanceId",
                id: "instanceId",
            },
            is_apart: true,
        }],
        volatile: &["usageOperationUpdateTime"],
        ..row(
            "virtual_machine",
            EC2,
            ask(
                "ec2:DescribeInstances",
                "DescribeInstances",
                &[("MaxResults", "1000")],
            ),
            "reservationSet.instancesSet",
            "{instanceId}",
        )
    },
    // The machines that Systems Manager manages, with their patch state.
    KindRow {
        next: ("NextToken", "NextToken"),
        name: "ComputerName",
        details: &[detail(
            "PatchState",
            ask(
                "ssm:DescribeInstancePatchStates",
                "DescribeInstancePatchStates",
                &[("InstanceIds[]", "{InstanceId}")],
            ),
            "InstancePatchStates",
            &[],
        )],
        relations: &[(AttachedTo, "InstanceId", "")],
        volatile: &[
            "AssociationOverview",
            "AssociationStatus",
            "IPAddress",
            "LastAssociationExecutionDate",
            "LastPingDateTime",
            "LastSuccessfulAssociationExecutionDate",
            "PatchState.LastNoRebootInstallOperationTime",
            "PatchState.OperationEndTime",
            "PatchState.OperationStartTime",
            "PatchState.SnapshotId",
        ],
        ..row(
            "managed_instance",
            SYSTEMS_MANAGER,
            ask(
                "ssm:DescribeInstanceInformation",
                "DescribeInstanceInformation",
                &[],
            ),
            "InstanceInformationList",
            "arn:aws:ssm:{region}:{account}:managed-instance/{InstanceId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "status",
        created: "createTime",
        relations: &[
            (AttachedTo, "attachmentSet.instanceId", ""),
            (EncryptedWith, "kmsKeyId", ""),
            (CreatedFrom, "snapshotId", ""),
        ],
        ..row(
            "volume",
            EC2,
            ask(
                "ec2:DescribeVolumes",
                "DescribeVolumes",
                &[("MaxResults", "500")],
            ),
            "volumeSet",
            "{volumeId}",
        )
    },
    KindRow {
        next: NEXT,
        tags: "tagSet",
        state: "status",
        created: "startTime",
        // The public ones come in one listing, however many there are.
        shared: &[Shared {
            into: "restorableByAll",
            service: EC2,
            ask: ask(
                "ec2:DescribeSnapshots",
                "DescribeSnapshots",
                &[
                    ("Owner.1", "self"),
                    ("RestorableBy.1", "all"),
                    ("MaxResults", "1000"),
                ],
            ),
            next: NEXT,
            absent: &[],
            part: SharedPart::IsListed {
                listed: "snapshotSet.snapshotId",
                id: "snapshotId",
            },
            is_apart: false,
        }],
        // Other accounts are answered one snapshot at a time.
        details: &[DescribeDetail {
            owner: "ownerId",
            most: MOST_SHARED_SNAPSHOTS,
            ..list(
                "createVolumePermissions",
                ask(
                    "ec2:DescribeSnapshotAttribute",
                    "DescribeSnapshotAttribute",
                    &[
                        ("SnapshotId", "{snapshotId}"),
                        ("Attribute", "createVolumePermission"),
                    ],
                ),
                "createVolumePermission",
                &["InvalidSnapshot.NotFound"],
            )
        }],
        relations: &[
            (CreatedFrom, "volumeId", ""),
            (EncryptedWith, "kmsKeyId", ""),
        ],
        volatile: &["progress"],
        ..row(
            "snapshot",
            EC2,
            ask(
                "ec2:DescribeSnapshots",
                "DescribeSnapshots",
                &[("Owner.1", "self"), ("MaxResults", "1000")],
            ),
            "snapshotSet",
            "{snapshotId}",
        )
    },
    KindRow {
        next: NEXT,
        name: "name",
        tags: "tagSet",
        state: "imageState",
        created: "creationDate",
        details: &[list(
            "launchPermissions",
            ask(
                "ec2:DescribeImageAttribute",
                "DescribeImageAttribute",
                &[("ImageId", "{imageId}"), ("Attribute", "launchPermission")],
            ),
            "launchPermission",
            &["InvalidAMIID.NotFound", "InvalidAMIID.Unavailable"],
        )],
        relations: &[(CreatedFrom, "blockDeviceMapping.ebs.snapshotId", "")],
        volatile: &["lastLaunchedTime"],
        ..row(
            "image",
            EC2,
            ask(
                "ec2:DescribeImages",
                "DescribeImages",
                &[("Owner.1", "self"), ("MaxResults", "1000")],
            ),
            "imagesSet",
            "{imageId}",
        )
    },
    KindRow {
        next: NEXT,
        name: "launchTemplateName",
        tags: "tagSet",
        created: "createTime",
        details: &[detail(
            "defaultVersion",
            ask(
                "ec2:DescribeLaunchTemplateVersions",
                "DescribeLaunchTemplateVersions",
                &[
                    ("LaunchTemplateId", "{launchTemplateId}"),
                    ("LaunchTemplateVersion.1", "$Default"),
                ],
            ),
            "launchTemplateVersionSet",
            &[],
        )],
        relations: &[
            (CreatedFrom, "defaultVersion.launchTemplateData.imageId", ""),
            (
                CreatedFrom,
                "defaultVersion.launchTemplateData.blockDeviceMappingSet.ebs.snapshotId",
                "",
            ),
            (
                ProtectedBy,
                "defaultVersion.launchTemplateData.securityGroupIdSet",
                "",
            ),
        ],
        ..row(
            "launch_template",
            EC2,
            ask(
                "ec2:DescribeLaunchTemplates",
                "DescribeLaunchTemplates",
                &[],
            ),
            "launchTemplates",
            "{launchTemplateId}",
        )
    },
    KindRow {
        next: ("NextToken", "NextToken"),
        name: "AutoScalingGroupName",
        tags: "Tags",
        created: "CreatedTime",
        relations: &[
            (CreatedFrom, "LaunchTemplate.LaunchTemplateId", ""),
            (
                CreatedFrom,
                "MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification.LaunchTemplateId",
                "",
            ),
        ],
        ..row(
            "scaling_group",
            AUTO_SCALING,
            ask(
                "autoscaling:DescribeAutoScalingGroups",
                "DescribeAutoScalingGroups",
                &[],
            ),
            "AutoScalingGroups",
            "{AutoScalingGroupARN}",
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
];
