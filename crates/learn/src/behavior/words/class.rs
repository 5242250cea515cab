//! Class of an operation's object, by its value to an intruder.

use super::{Verb, Words};

/// A class of things in a cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WordClass {
    /// The organisation, its accounts and subscriptions.
    Organization,
    /// Monitoring: trails, flow logs, detectors, recorders, alarms.
    Watching,
    /// Secrets, and parameters that hold them.
    Secret,
    /// Credentials: keys, passwords, second factors.
    Credential,
    /// Trust: trust policies, identity providers, anchors.
    Trust,
    /// Authorization: policies, roles, grants.
    Rights,
    /// Users, groups, service accounts.
    Member,
    /// Data protection: encryption, versioning, locks, retention.
    Safeguard,
    /// Network access: rules that let traffic in and out.
    Gate,
    /// Execution: function code, commands, shell sessions.
    Code,
    /// Copies of data: snapshots, images, backups.
    Copy,
    /// Data where it lives.
    Store,
    Machine,
    /// Models that cost by use.
    Model,
    /// Reconnaissance: quotas, contacts, the caller's own identity.
    Standing,
    /// An object whose name contains no known word.
    Other,
}

/// Test that an operation concerns a class.
type Test = fn(&Words, Verb) -> bool;

impl WordClass {
    /// The class of an operation's object; the first that fits, from the most severe.
    pub fn classify(words: &Words, verb: Verb) -> Self {
        const TESTS: [(WordClass, Test); 15] = [
            (WordClass::Watching, watching),
            (WordClass::Organization, organization),
            (WordClass::Secret, secret),
            (WordClass::Trust, trust),
            (WordClass::Credential, credential),
            (WordClass::Safeguard, safeguard),
            (WordClass::Gate, gate),
            (WordClass::Model, model),
            (WordClass::Code, code),
            (WordClass::Rights, rights),
            (WordClass::Member, member),
            (WordClass::Standing, standing),
            (WordClass::Copy, copy),
            (WordClass::Store, store),
            (WordClass::Machine, machine),
        ];
        TESTS
            .iter()
            .find(|(_, fits)| fits(words, verb))
            .map_or(Self::Other, |(class, _)| *class)
    }
}

fn organization(words: &Words, _: Verb) -> bool {
    // A subscription to a queue or a log is no account.
    let account = words.operation_has(&["subscription"])
        && words.service_has(&["resource"])
        && !words.operation_has(&["group"]);
    words.has("organization")
        || words.service_has(&["subscription"])
        || account
        || words.has_all(&["management", "group"])
        || words.operation_has(&["organizational"])
}

fn watching(words: &Words, verb: Verb) -> bool {
    let taken_away = matches!(verb, Verb::Remove | Verb::Stop | Verb::Change);
    words.service_has(&[
        "cloudtrail",
        "guardduty",
        "securityhub",
        "macie",
        "detective",
        "waf",
        "wafv",
        "inspector",
        "defender",
    ]) || words.service_has(&["config"])
        && words.operation_has(&["recorder", "channel", "rule", "aggregator"])
        || words.operation_has(&[
            "trail",
            "logging",
            "detector",
            "recorder",
            "guardrail",
            "selector",
            "sink",
            "diagnostic",
            "audit",
            "analyzer",
        ])
        || words.operation_has(&["alarm", "alert", "finding"]) && taken_away
        || words.operation_has(&["log"])
            && words.operation_has(&["flow", "query", "delivery", "access", "activity"])
        || words.has("log")
            && words.operation_has(&["subscription"])
            && words.operation_has(&["filter"])
        || words.operation_has(&["log"]) && taken_away && !words.operation_has(&["event"])
        || words.has_all(&["web", "acl"])
        || words.has_all(&["security", "center"])
}

fn secret(words: &Words, verb: Verb) -> bool {
    let keys = words.operation_has(&["key"])
        && verb == Verb::Read
        && words.last_part().iter().any(|word| word == "list");
    let cloud_keys = keys
        && words.has_any(&[
            "storage", "vault", "cosmos", "document", "redis", "bus", "search",
        ]);

    // Who may read a secret is a matter of rights.
    let rights = words.operation_has(&["policy"]) && verb != Verb::Read;
    words.operation_has(&["secret"])
        || words.service_has(&["secretsmanager", "secretmanager"]) && !rights
        || words.operation_has(&["parameter"]) && words.service_has(&["ssm"])
        || words.operation_has(&["password"])
            && verb == Verb::Read
            && !words.operation_has(&["policy"])
        || words.has_all(&["key", "vault"]) && verb == Verb::Read
        || cloud_keys
}

fn trust(words: &Words, verb: Verb) -> bool {
    words.operation_has(&["saml", "oidc", "idp", "federation", "federated", "trust"])
        && verb != Verb::SignIn
        && verb != Verb::Assume
        || words.has_all(&["open", "id"]) && words.operation_has(&["provider", "connect"])
        || words.operation_has(&["identity"]) && words.operation_has(&["provider"])
        || words.operation_has(&["assume"]) && words.operation_has(&["policy"])
        || words.service_has(&["rolesanywhere"])
        || words.operation_has(&["federation"]) && words.operation_has(&["token"])
        || words.operation_has(&["root"]) && verb == Verb::Assume
}

fn credential(words: &Words, verb: Verb) -> bool {
    let names = words.operation_has(&["credential", "password", "mfa", "otp", "passkey", "pat"])
        || words.operation_has(&["login"]) && words.operation_has(&["profile"])
        || words.operation_has(&["access", "api", "account", "signing"])
            && words.operation_has(&["key"]);
    names && !matches!(verb, Verb::SignIn | Verb::Assume)
}

fn rights(words: &Words, verb: Verb) -> bool {
    let other_policy = words.operation_has(&[
        "lifecycle",
        "scaling",
        "autoscaling",
        "retention",
        "backup",
        "routing",
        "cache",
    ]);

    let names = words.operation_has(&[
        "policy",
        "permission",
        "role",
        "grant",
        "acl",
        "binding",
        "privilege",
        "boundary",
        "entitlement",
    ]) || words.has_all(&["instance", "profile"])
        || words.operation_has(&["iam"])
        || words.has_all(&["account", "assignment"])
        || words.has_all(&["access", "entry"])
        || words.has_all(&["resource", "share"]);

    names && !other_policy && verb != Verb::Assume
}

fn member(words: &Words, verb: Verb) -> bool {
    let named = words.operation_has(&["user", "principal", "member"])
        || words.operation_has(&["service"]) && words.operation_has(&["account"]);
    let group = words.operation_has(&["group"])
        && words.service_has(&["iam", "directory", "graph", "identitystore", "sso"]);
    (named || group) && verb != Verb::SignIn
}

fn safeguard(words: &Words, verb: Verb) -> bool {
    words.operation_has(&[
        "encryption",
        "versioning",
        "retention",
        "replication",
        "protection",
        "lifecycle",
        "immutability",
        "lock",
    ]) || words.operation_has(&["public"]) && words.operation_has(&["block"])
        || words.operation_has(&["boundary"]) && verb == Verb::Remove
        || words.service_has(&["kms", "cloudkms"]) && matches!(verb, Verb::Stop | Verb::Remove)
}

fn gate(words: &Words, _: Verb) -> bool {
    words.operation_has(&[
        "ingress", "egress", "firewall", "gateway", "route", "peering", "nsg", "endpoint",
    ]) || words.has_all(&["security", "group"])
        || words.has_all(&["security", "rule"])
        || words.has_all(&["network", "acl"])
        || words.has_all(&["function", "url"])
        || words.has_all(&["traffic", "mirror"])
}

fn code(words: &Words, verb: Verb) -> bool {
    let shell = words.operation_has(&[
        "session",
        "command",
        "script",
        "shell",
        "ssh",
        "serial",
        "document",
        "automation",
    ]) && verb != Verb::Read;

    let function = words.operation_has(&["function", "layer", "extension"])
        && matches!(verb, Verb::Change | Verb::Grant);
    shell
        || function
        || words.operation_has(&["code"]) && verb != Verb::Read
        || words.service_has(&["cloudshell"])
}

fn model(words: &Words, _: Verb) -> bool {
    words.operation_has(&["model", "foundation", "completion", "inference"])
}

fn standing(words: &Words, verb: Verb) -> bool {
    let oneself = words.operation_has(&["caller", "whoami"]);
    let account = words.operation_has(&[
        "quota",
        "contact",
        "account",
        "billing",
        "identities",
        "identity",
        "verification",
    ]);

    verb == Verb::Read && (oneself || account)
}

fn copy(words: &Words, _: Verb) -> bool {
    // What a registry keeps is built, not copied from where data lives.
    let built = words.service_has(&["ecr", "registry", "artifactregistry"]);
    !built
        && words.operation_has(&[
            "snapshot", "image", "ami", "backup", "recovery", "archive", "dump",
        ])
}

fn store(words: &Words, _: Verb) -> bool {
    words.operation_has(&[
        "bucket",
        "object",
        "table",
        "database",
        "db",
        "volume",
        "queue",
        "topic",
        "blob",
        "stream",
        "repository",
        "disk",
    ]) || words.operation_has(&["file"]) && words.operation_has(&["system", "share"])
        || words.service_has(&["rds"]) && words.operation_has(&["cluster"])
}

fn machine(words: &Words, _: Verb) -> bool {
    words.operation_has(&[
        "instance",
        "machine",
        "vm",
        "node",
        "fleet",
        "container",
        "task",
        "pod",
        "cluster",
        "server",
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_three_clouds() {
        for (service, operation, class) in [
            ("cloudtrail", "StopLogging", WordClass::Watching),
            ("ec2", "DeleteFlowLogs", WordClass::Watching),
            (
                "Microsoft.Insights",
                "Microsoft.Insights/diagnosticSettings/delete",
                WordClass::Watching,
            ),
            (
                "logging",
                "google.logging.v2.ConfigServiceV2.DeleteSink",
                WordClass::Watching,
            ),
            ("logs", "PutLogEvents", WordClass::Other),
            (
                "organizations",
                "LeaveOrganization",
                WordClass::Organization,
            ),
            ("secretsmanager", "GetSecretValue", WordClass::Secret),
            (
                "Microsoft.Storage",
                "Microsoft.Storage/storageAccounts/listKeys/action",
                WordClass::Secret,
            ),
            ("ec2", "GetPasswordData", WordClass::Secret),
            ("iam", "CreateAccessKey", WordClass::Credential),
            (
                "iam",
                "google.iam.admin.v1.CreateServiceAccountKey",
                WordClass::Credential,
            ),
            ("iam", "UpdateLoginProfile", WordClass::Credential),
            ("iam", "UpdateAssumeRolePolicy", WordClass::Trust),
            ("rolesanywhere", "CreateProfile", WordClass::Trust),
            ("iam", "AttachUserPolicy", WordClass::Rights),
            (
                "Microsoft.Authorization",
                "Microsoft.Authorization/roleAssignments/write",
                WordClass::Rights,
            ),
            ("lambda", "AddPermission", WordClass::Rights),
            ("iam", "CreateUser", WordClass::Member),
            ("s3", "PutBucketVersioning", WordClass::Safeguard),
            ("kms", "ScheduleKeyDeletion", WordClass::Safeguard),
            ("ec2", "AuthorizeSecurityGroupIngress", WordClass::Gate),
            ("compute", "v1.compute.firewalls.insert", WordClass::Gate),
            ("ssm", "SendCommand", WordClass::Code),
            ("lambda", "UpdateFunctionCode20150331v2", WordClass::Code),
            ("ec2", "ModifySnapshotAttribute", WordClass::Copy),
            ("s3", "DeleteBucket", WordClass::Store),
            ("ec2", "RunInstances", WordClass::Machine),
            ("sts", "GetCallerIdentity", WordClass::Standing),
            ("s3", "GetBucketLocation", WordClass::Store),
            ("logs", "DeleteSubscriptionFilter", WordClass::Watching),
            (
                "pubsub",
                "google.pubsub.v1.Subscriber.DeleteSubscription",
                WordClass::Other,
            ),
            (
                "Microsoft.Subscription",
                "Microsoft.Subscription/cancel/action",
                WordClass::Organization,
            ),
            (
                "Microsoft.Resources",
                "Microsoft.Resources/subscriptions/resourceGroups/write",
                WordClass::Other,
            ),
            ("secretsmanager", "PutResourcePolicy", WordClass::Rights),
            ("sso", "CreateAccountAssignment", WordClass::Rights),
            ("ram", "AssociateResourceShare", WordClass::Rights),
            ("sts", "AssumeRoot", WordClass::Trust),
            ("iam", "DeleteRolePermissionsBoundary", WordClass::Safeguard),
            ("access-analyzer", "DeleteAnalyzer", WordClass::Watching),
            ("ecr", "PutImage", WordClass::Other),
        ] {
            let words = Words::from_operation(service, operation);
            assert_eq!(
                WordClass::classify(&words, Verb::classify(&words)),
                class,
                "{operation}"
            );
        }
    }
}
