//! Identities and keys: IAM, KMS, Secrets Manager.
//!
//! One listing of IAM returns users, groups, roles and policies with everything inline, so that a
//! role is one call's share and not five calls.

use reeve_estate::RelationKind::{AttachedTo, EncryptedWith, Granted, MemberOf, Trusts};

use crate::describe::row::{DescribeService, KindRow, Protocol, ask, detail, list, row};

pub(in crate::describe) const IAM: DescribeService = DescribeService {
    name: "iam",
    host: "iam",
    protocol: Protocol::Query {
        version: "2010-05-08",
    },
    is_global: true,
};
const KMS: DescribeService = DescribeService {
    name: "kms",
    host: "kms",
    protocol: Protocol::Json {
        target: "TrentService",
        version: "1.1",
    },
    is_global: false,
};
const SECRETS: DescribeService = DescribeService {
    name: "secretsmanager",
    host: "secretsmanager",
    protocol: Protocol::Json {
        target: "secretsmanager",
        version: "1.1",
    },
    is_global: false,
};

const MARKER: (&str, &str) = ("Marker", "Marker");
const DETAILS: &str = "GetAccountAuthorizationDetails";
const PERMISSION: &str = "iam:GetAccountAuthorizationDetails";

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: MARKER,
        name: "UserName",
        tags: "Tags",
        created: "CreateDate",
        relations: &[
            (Granted, "AttachedManagedPolicies.PolicyArn", ""),
            (
                MemberOf,
                "GroupList",
                "arn:aws:iam::{account}:group/{value}",
            ),
        ],
        volatile: &["PasswordLastUsed"],
        ..row(
            "iam_user",
            IAM,
            ask(PERMISSION, DETAILS, &[("Filter.member.1", "User")]),
            "UserDetailList",
            "{Arn}",
        )
    },
    KindRow {
        next: MARKER,
        name: "GroupName",
        created: "CreateDate",
        relations: &[(Granted, "AttachedManagedPolicies.PolicyArn", "")],
        ..row(
            "iam_group",
            IAM,
            ask(PERMISSION, DETAILS, &[("Filter.member.1", "Group")]),
            "GroupDetailList",
            "{Arn}",
        )
    },
    KindRow {
        next: MARKER,
        name: "RoleName",
        tags: "Tags",
        created: "CreateDate",
        relations: &[
            (Granted, "AttachedManagedPolicies.PolicyArn", ""),
            // A machine names its instance profile, not its role: both meet at the profile.
            (AttachedTo, "InstanceProfileList.Arn", ""),
            (
                Trusts,
                "AssumeRolePolicyDocument.Statement[Effect=Allow].Principal.AWS",
                "",
            ),
            (
                Trusts,
                "AssumeRolePolicyDocument.Statement[Effect=Allow].Principal.Federated",
                "",
            ),
        ],
        volatile: &["RoleLastUsed", "InstanceProfileList.Roles.RoleLastUsed"],
        ..row(
            "iam_role",
            IAM,
            ask(PERMISSION, DETAILS, &[("Filter.member.1", "Role")]),
            "RoleDetailList",
            "{Arn}",
        )
    },
    KindRow {
        next: MARKER,
        name: "PolicyName",
        created: "CreateDate",
        volatile: &["AttachmentCount", "PermissionsBoundaryUsageCount"],
        ..row(
            "iam_policy",
            IAM,
            ask(
                PERMISSION,
                DETAILS,
                &[("Filter.member.1", "LocalManagedPolicy")],
            ),
            "Policies",
            "{Arn}",
        )
    },
    KindRow {
        next: MARKER,
        name: "AccessKeyId",
        details: &[detail(
            "",
            ask(
                "iam:ListAccessKeys",
                "ListAccessKeys",
                &[("UserName", "{UserName}")],
            ),
            "AccessKeyMetadata",
            &[],
        )],
        state: "Status",
        created: "CreateDate",
        volatile: &["PasswordLastUsed"],
        relations: &[(
            AttachedTo,
            "UserName",
            "arn:aws:iam::{account}:user/{value}",
        )],
        ..row(
            "access_key",
            IAM,
            ask("iam:ListUsers", "ListUsers", &[]),
            "Users",
            "{AccessKeyId}",
        )
    },
    KindRow {
        prepare: Some(ask(
            "iam:GenerateCredentialReport",
            "GenerateCredentialReport",
            &[],
        )),
        volatile: &["GeneratedTime"],
        ..row(
            "credential_report",
            IAM,
            ask("iam:GetCredentialReport", "GetCredentialReport", &[]),
            "",
            "arn:aws:iam::{account}:credential-report",
        )
    },
    KindRow {
        next: ("Marker", "NextMarker"),
        name: "KeyId",
        state: "KeyState",
        created: "CreationDate",
        tags: "Tags",
        details: &[
            detail(
                "",
                ask("kms:DescribeKey", "DescribeKey", &[("KeyId", "{KeyId}")]),
                "KeyMetadata",
                &["NotFoundException"],
            ),
            detail(
                "Rotation",
                ask(
                    "kms:GetKeyRotationStatus",
                    "GetKeyRotationStatus",
                    &[("KeyId", "{KeyId}")],
                ),
                "",
                &[
                    "NotFoundException",
                    "UnsupportedOperationException",
                    "KMSInvalidStateException",
                ],
            ),
            detail(
                "Policy",
                ask(
                    "kms:GetKeyPolicy",
                    "GetKeyPolicy",
                    &[("KeyId", "{KeyId}"), ("PolicyName", "default")],
                ),
                "Policy",
                &["NotFoundException", "KMSInvalidStateException"],
            ),
            list(
                "Tags",
                ask(
                    "kms:ListResourceTags",
                    "ListResourceTags",
                    &[("KeyId", "{KeyId}")],
                ),
                "Tags",
                &["NotFoundException", "KMSInvalidStateException"],
            ),
        ],
        relations: &[(Trusts, "Policy.Statement[Effect=Allow].Principal.AWS", "")],
        volatile: &["Rotation.NextRotationDate"],
        ..row(
            "encryption_key",
            KMS,
            ask("kms:ListKeys", "ListKeys", &[]),
            "Keys",
            "{KeyArn}",
        )
    },
    KindRow {
        next: ("NextToken", "NextToken"),
        name: "Name",
        tags: "Tags",
        created: "CreatedDate",
        details: &[detail(
            "Policy",
            ask(
                "secretsmanager:GetResourcePolicy",
                "GetResourcePolicy",
                &[("SecretId", "{ARN}")],
            ),
            "ResourcePolicy",
            &["ResourceNotFoundException"],
        )],
        relations: &[
            (EncryptedWith, "KmsKeyId", ""),
            (AttachedTo, "RotationLambdaARN", ""),
            (Trusts, "Policy.Statement[Effect=Allow].Principal.AWS", ""),
        ],
        volatile: &["LastAccessedDate"],
        ..row(
            "secret",
            SECRETS,
            ask("secretsmanager:ListSecrets", "ListSecrets", &[]),
            "SecretList",
            "{ARN}",
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
];
