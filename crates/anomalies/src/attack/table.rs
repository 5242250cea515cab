//! The one table from calls to techniques: by the name of the operation, else by its verb and class
//! of resource, so that a call of any cloud finds its row. The first row that fits decides.

use reeve_learn::behavior::Trait;
use reeve_learn::behavior::words::{Verb, WordClass};

/// Calls that a row is about.
#[derive(Debug)]
pub(super) enum Calls {
    /// Operations by name; a trailing `*` stands for any end.
    Named(&'static [&'static str]),
    /// Operations by meaning; no class is every class.
    Means(&'static [Verb], &'static [WordClass]),
}

/// Row of the table.
#[derive(Debug)]
pub(super) struct AttackRow {
    pub(super) calls: Calls,
    /// Parameter that the call must have.
    pub(super) with: Option<Trait>,
    pub(super) technique: &'static str,
}

const fn named(technique: &'static str, names: &'static [&'static str]) -> AttackRow {
    AttackRow {
        calls: Calls::Named(names),
        with: None,
        technique,
    }
}

const fn means(
    technique: &'static str,
    verbs: &'static [Verb],
    classes: &'static [WordClass],
) -> AttackRow {
    AttackRow {
        calls: Calls::Means(verbs, classes),
        with: None,
        technique,
    }
}

impl AttackRow {
    const fn with(self, one: Trait) -> AttackRow {
        AttackRow {
            with: Some(one),
            ..self
        }
    }
}

/// Verbs that make or alter something.
const CHANGES: &[Verb] = &[Verb::Create, Verb::Change, Verb::Grant];
/// Verbs that end something.
const ENDS: &[Verb] = &[Verb::Remove, Verb::Stop];
/// Every verb of a change.
const ALTERS: &[Verb] = &[
    Verb::Create,
    Verb::Change,
    Verb::Grant,
    Verb::Remove,
    Verb::Stop,
];

pub(super) const TABLE: &[AttackRow] = &[
    // What the parameters say comes before the name of the call.
    means("T1486", ALTERS, &[]).with(Trait::Extortion),
    means(
        "T1486",
        &[Verb::Create, Verb::Change],
        &[WordClass::Store, WordClass::Safeguard],
    )
    .with(Trait::ForeignKey),
    named(
        "T1490",
        &[
            "PutBucketVersioning",
            "PutBucketLifecycle*",
            "DeleteBackup*",
            "DeleteRecoveryPoint",
        ],
    )
    .with(Trait::SwitchesOff),
    means("T1490", &[Verb::Remove], &[WordClass::Copy]),
    means("T1537", CHANGES, &[WordClass::Copy]).with(Trait::Shares),
    means("T1537", CHANGES, &[WordClass::Copy, WordClass::Store]).with(Trait::NamesForeignAccount),
    means("T1530", CHANGES, &[WordClass::Store]).with(Trait::OpensToAll),
    // Sign-ins and identities.
    named("T1078.004", &["ConsoleLogin", "login", "sso"]),
    named(
        "T1550.001",
        &["GetFederationToken", "GetSessionToken", "CreateOAuth2Token"],
    ),
    named("T1021.007", &["GetSigninToken", "SwitchRole"]),
    named(
        "T1556.006",
        &[
            "DeactivateMFADevice",
            "DeleteVirtualMFADevice",
            "mfa.disable*",
        ],
    ),
    named(
        "T1098.001",
        &[
            "CreateAccessKey",
            "CreateServiceSpecificCredential",
            "UploadSigningCertificate",
            "UploadSSHPublicKey",
            "CreateServiceAccountKey",
            "google.iam.admin.v1.CreateServiceAccountKey",
        ],
    ),
    named(
        "T1098",
        &[
            "CreateLoginProfile",
            "UpdateLoginProfile",
            "UpdateAssumeRolePolicy",
            "UpdateAccessKey",
            "PasswordUpdated",
        ],
    ),
    named(
        "T1136.003",
        &["CreateUser", "CreateRole", "CreateServiceAccount"],
    ),
    named(
        "T1484.002",
        &[
            "CreateSAMLProvider",
            "UpdateSAMLProvider",
            "CreateOpenIDConnectProvider",
            "UpdateOpenIDConnectProvider*",
            "CreateTrustAnchor",
            "CreateProfile",
        ],
    ),
    named(
        "T1098.003",
        &[
            "AttachUserPolicy",
            "AttachRolePolicy",
            "AttachGroupPolicy",
            "PutUserPolicy",
            "PutRolePolicy",
            "PutGroupPolicy",
            "AddUserToGroup",
            "CreatePolicyVersion",
            "SetDefaultPolicyVersion",
            "AddRoleToInstanceProfile",
            "SetIamPolicy",
            "*roleAssignments/write",
        ],
    ),
    named("T1548.005", &["AssumeRole*", "PassRole"]),
    named(
        "T1531",
        &[
            "DeleteUser",
            "DeleteLoginProfile",
            "DeleteAccessKey",
            "DetachUserPolicy",
            "DetachRolePolicy",
            "RemoveUserFromGroup",
        ],
    ),
    // Discovery by name, where the class says too little.
    named(
        "T1087.004",
        &[
            "GetCallerIdentity",
            "ListUsers",
            "GetUser",
            "ListAccessKeys",
            "GetAccountAuthorizationDetails",
            "ListAccounts",
            "DescribeAccount",
            "GetLoginProfile",
        ],
    ),
    named(
        "T1069.003",
        &[
            "ListRoles",
            "GetRole",
            "ListGroups*",
            "ListAttached*",
            "ListUserPolicies",
            "ListRolePolicies",
            "GetPolicy*",
            "GetRolePolicy",
            "GetUserPolicy",
            "SimulatePrincipalPolicy",
            "ListInstanceProfiles",
        ],
    ),
    named(
        "T1619",
        &[
            "ListBuckets",
            "ListAllMyBuckets",
            "ListObjects*",
            "ListBucket",
        ],
    ),
    named(
        "T1526",
        &[
            "GetSendQuota",
            "ListIdentities",
            "GetFoundationModelAvailability",
            "ListFoundationModel*",
            "ListFunctions*",
            "GetAccountSummary",
        ],
    ),
    // Credentials.
    named(
        "T1555.006",
        &[
            "GetSecretValue",
            "BatchGetSecretValue",
            "ListSecrets",
            "GetParameter*",
            "DescribeParameters",
        ],
    ),
    named(
        "T1552",
        &[
            "GetPasswordData",
            "GetConsoleScreenshot",
            "GetAuthorizationToken",
        ],
    ),
    named(
        "T1552.005",
        &["DescribeInstanceAttribute", "ModifyInstanceMetadataOptions"],
    ),
    // Execution and movement.
    named(
        "T1651",
        &[
            "SendCommand",
            "StartAutomationExecution",
            "CreateAssociation",
            "RunCommand*",
            "runCommand/action",
        ],
    ),
    named(
        "T1021.008",
        &[
            "StartSession",
            "SendSSHPublicKey",
            "SendSerialConsoleSSHPublicKey",
            "EnableSerialConsoleAccess",
            "ResumeSession",
        ],
    ),
    named("T1651", &["ModifyInstanceAttribute"]).with(Trait::BringsCode),
    named(
        "T1546",
        &[
            "AddPermission*",
            "PutRule",
            "PutTargets",
            "CreateEventSourceMapping",
            "UpdateFunctionConfiguration*",
            "UpdateFunctionCode*",
            "PutBucketNotification*",
        ],
    ),
    named("T1648", &["CreateFunction*", "Invoke", "InvokeFunction"]),
    named("T1525", &["PutImage", "RegisterImage"]),
    // Evasion.
    named(
        "T1666",
        &[
            "LeaveOrganization",
            "RemoveAccountFromOrganization",
            "MoveAccount",
            "DetachPolicy",
            "CloseAccount",
        ],
    ),
    named(
        "T1562.008",
        &[
            "StopLogging",
            "DeleteTrail",
            "UpdateTrail",
            "PutEventSelectors",
            "PutInsightSelectors",
            "DeleteFlowLogs",
            "DeleteResolverQueryLogConfig",
            "DisassociateResolverQueryLogConfig",
            "DeleteLogGroup",
            "DeleteLogStream",
            "PutRetentionPolicy",
            "StopConfigurationRecorder",
            "DeleteConfigurationRecorder",
            "DeleteDeliveryChannel",
            "DeleteModelInvocationLoggingConfiguration",
            "PutBucketLogging",
        ],
    ),
    named(
        "T1562.001",
        &[
            "DeleteDetector",
            "UpdateDetector",
            "DisassociateFromMasterAccount",
            "DisassociateMembers",
            "DisableSecurityHub",
            "UpdateMacieSession",
            "DisableMacie",
            "DeleteAlarms",
            "DisableAlarmActions",
            "DeleteGuardrail",
            "DisassociateWebACL",
            "DeleteWebACL",
            "DisableEbsEncryptionByDefault",
            "DeleteBucketEncryption",
            "DeleteConfigRule",
            "DeletePublicAccessBlock",
            "DeleteBucketPublicAccessBlock",
        ],
    ),
    named(
        "T1562.007",
        &[
            "AuthorizeSecurityGroup*",
            "CreateNetworkAclEntry",
            "ReplaceNetworkAclEntry",
            "RevokeSecurityGroupEgress",
            "CreateSecurityGroup",
            "ModifySecurityGroupRules",
            "DeleteNetworkAcl*",
            "AttachInternetGateway",
            "CreateRoute",
        ],
    ),
    named(
        "T1578.001",
        &[
            "CreateSnapshot*",
            "CreateDBSnapshot",
            "CreateDBClusterSnapshot",
            "CreateImage",
        ],
    ),
    named("T1578.002", &["RunInstances", "CreateInstance*"]),
    // Collection and exfiltration.
    named(
        "T1530",
        &[
            "GetObject*",
            "CopyObject",
            "SelectObjectContent",
            "GetRecords",
        ],
    ),
    named(
        "T1537",
        &[
            "ModifySnapshotAttribute",
            "ModifyImageAttribute",
            "ModifyDBSnapshotAttribute",
            "ModifyDBClusterSnapshotAttribute",
            "CopySnapshot",
            "CreateStoreImageTask",
            "PutBucketReplication",
            "StartExportTask",
        ],
    ),
    named(
        "T1567.002",
        &[
            "ExportImage",
            "CreateInstanceExportTask",
            "CreateExportTask",
        ],
    ),
    // Impact.
    named(
        "T1496",
        &[
            "InvokeModel*",
            "Converse*",
            "PutUseCaseForModelAccess",
            "CreateFoundationModelAgreement",
            "PutFoundationModelEntitlement",
            "RequestServiceQuotaIncrease",
            "CreateComputeEnvironment",
        ],
    ),
    named(
        "T1490",
        &[
            "DeleteSnapshot",
            "DeleteDBSnapshot",
            "DeleteDBClusterSnapshot",
            "DeregisterImage",
            "ScheduleKeyDeletion",
            "DisableKey",
        ],
    ),
    named(
        "T1485",
        &[
            "DeleteObject*",
            "DeleteBucket",
            "DeleteDB*",
            "DeleteTable",
            "DeleteFileSystem",
            "TerminateInstances",
            "DeleteFunction*",
            "DeleteStack",
            "DeleteVolume",
        ],
    ),
    named(
        "T1489",
        &[
            "StopInstances",
            "StopDB*",
            "RebootDB*",
            "FailoverDB*",
            "FailoverGlobalCluster",
            "DeleteService",
        ],
    ),
    // Any other call, by its meaning.
    means("T1078.004", &[Verb::SignIn], &[]),
    means("T1548.005", &[Verb::Assume], &[]),
    means("T1555.006", &[Verb::Read], &[WordClass::Secret]),
    means(
        "T1087.004",
        &[Verb::Read],
        &[
            WordClass::Member,
            WordClass::Credential,
            WordClass::Organization,
        ],
    ),
    means(
        "T1069.003",
        &[Verb::Read],
        &[WordClass::Rights, WordClass::Trust],
    ),
    means(
        "T1526",
        &[Verb::Read],
        &[
            WordClass::Watching,
            WordClass::Safeguard,
            WordClass::Standing,
            WordClass::Model,
        ],
    ),
    means(
        "T1580",
        &[Verb::Read],
        &[
            WordClass::Machine,
            WordClass::Gate,
            WordClass::Store,
            WordClass::Copy,
            WordClass::Code,
        ],
    ),
    means("T1531", ENDS, &[WordClass::Credential, WordClass::Member]),
    means("T1098.001", &[Verb::Create], &[WordClass::Credential]),
    means("T1098", CHANGES, &[WordClass::Credential]),
    means("T1136.003", &[Verb::Create], &[WordClass::Member]),
    means("T1484.002", CHANGES, &[WordClass::Trust]),
    means(
        "T1098.003",
        CHANGES,
        &[WordClass::Rights, WordClass::Member],
    ),
    means("T1666", ENDS, &[WordClass::Organization]),
    means("T1562.008", ENDS, &[WordClass::Watching]),
    means("T1562.008", &[Verb::Change], &[WordClass::Watching]).with(Trait::SwitchesOff),
    means("T1562.001", ENDS, &[WordClass::Safeguard]),
    means("T1562.001", &[Verb::Change], &[WordClass::Safeguard]).with(Trait::SwitchesOff),
    means("T1562.007", CHANGES, &[WordClass::Gate]),
    means(
        "T1651",
        &[Verb::Run],
        &[WordClass::Code, WordClass::Machine],
    ),
    means("T1648", CHANGES, &[WordClass::Code]),
    means("T1578.001", &[Verb::Create], &[WordClass::Copy]),
    means(
        "T1578.002",
        &[Verb::Create, Verb::Start, Verb::Run],
        &[WordClass::Machine],
    ),
    means(
        "T1485",
        &[Verb::Remove],
        &[WordClass::Store, WordClass::Machine, WordClass::Code],
    ),
    means(
        "T1489",
        &[Verb::Stop],
        &[WordClass::Store, WordClass::Machine, WordClass::Code],
    ),
    means(
        "T1496",
        &[Verb::Create, Verb::Run, Verb::Grant],
        &[WordClass::Model],
    ),
];
