//! Contents of an account of AWS beside machines and data: users and their keys, the password policy,
//! encryption keys and the audit trail. Some of it is as careless as it is in real accounts.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Described, Document, Relation, RelationKind, ResourceKind};
use serde_json::{Value, json};

use crate::account::SimulatedAccount;
use crate::noise::{hex, key};

/// User of an account: name, managed policy, and the age of its access key in days.
pub(super) const USERS: [(&str, &str, Option<i64>); 4] = [
    ("deploy", "PowerUserAccess", Some(41)),
    ("backup", "ReadOnlyAccess", Some(410)),
    ("break-glass", "AdministratorAccess", None),
    ("reporting", "ReadOnlyAccess", Some(12)),
];

/// Identifier of the access key of a user.
pub(crate) fn access_key(seed: u64, account: &str, user: &str) -> String {
    let of_user = key(key(seed, account), &format!("{user}/key"));
    format!("AKIA{}", hex(of_user, 16).to_uppercase())
}

impl SimulatedAccount {
    /// Identities and keys of an AWS account.
    pub(super) fn identities(&self, region: &str, now: Timestamp) -> Vec<Described> {
        let account = self.plan.account;
        let seed = key(self.world.settings.seed, account);
        let is_careless = seed.is_multiple_of(2);
        let mut found = Vec::new();

        for (name, policy, key_age) in USERS {
            let arn = format!("arn:aws:iam::{account}:user/{name}");
            let user = json!({
                "UserName": name, "UserId": format!("AIDA{}", hex(key(seed, name), 16).to_uppercase()), "Arn": arn, "Path": "/",
                "CreateDate": "2023-05-11T09:14:00Z", "GroupList": [], "UserPolicyList": [],
                "AttachedManagedPolicies": [{ "PolicyName": policy, "PolicyArn": format!("arn:aws:iam::aws:policy/{policy}") }],
                "Tags": [],
            });
            found.push(self.identity("iam_user", &arn, name, "", user, Vec::new(), now));

            if let Some(days) = key_age {
                let id = access_key(self.world.settings.seed, account, name);
                let document = json!({
                    "AccessKeyId": id, "UserName": name, "Arn": arn, "Path": "/", "Status": "Active",
                    "CreateDate": made_at(self.world.settings.anchor, days),
                });
                let owner = vec![Relation::to(RelationKind::AttachedTo, arn)];
                found.push(self.identity(
                    "access_key",
                    &id,
                    &format!("key of {name}"),
                    "",
                    document,
                    owner,
                    now,
                ));
            }
        }

        let policy = json!({
            "MinimumPasswordLength": if is_careless { "8" } else { "14" }, "RequireSymbols": !is_careless,
            "RequireNumbers": true, "RequireUppercaseCharacters": true, "RequireLowercaseCharacters": true,
            "AllowUsersToChangePassword": true, "ExpirePasswords": false, "HardExpiry": false,
            "PasswordReusePrevention": "24",
        });
        let id = format!("arn:aws:iam::{account}:account-password-policy");
        found.push(self.identity(
            "password_policy",
            &id,
            "Password policy",
            "",
            policy,
            Vec::new(),
            now,
        ));

        let summary = json!({
            "AccountMFAEnabled": "1", "AccountAccessKeysPresent": if is_careless { "1" } else { "0" }, "Users": USERS.len().to_string(),
            "MFADevices": "3", "MFADevicesInUse": "3", "AccountSigningCertificatesPresent": "0",
        });
        let id = format!("arn:aws:iam::{account}:account-summary");
        found.push(self.identity(
            "account_summary",
            &id,
            "Account summary",
            "",
            summary,
            Vec::new(),
            now,
        ));

        for (name, is_rotated) in [("data", true), ("backups", !is_careless)] {
            let id = format!(
                "arn:aws:kms:{region}:{account}:key/{}",
                hex(key(seed, name), 12)
            );
            let document = json!({
                "KeyId": id.rsplit('/').next(), "KeyArn": id, "Arn": id, "AWSAccountId": account, "Description": name, "Enabled": true,
                "KeyState": "Enabled", "KeyManager": "CUSTOMER", "KeyUsage": "ENCRYPT_DECRYPT", "KeySpec": "SYMMETRIC_DEFAULT",
                "Origin": "AWS_KMS", "MultiRegion": false, "Rotation": { "KeyRotationEnabled": is_rotated },
                "CreationDate": 1_702_288_800,
                "Policy": { "Version": "2012-10-17", "Statement": [{ "Sid": "Root", "Effect": "Allow", "Action": "kms:*", "Resource": "*",
                    "Principal": { "AWS": format!("arn:aws:iam::{account}:root") } }] },
                "Tags": [],
            });
            found.push(self.identity(
                "encryption_key",
                &id,
                name,
                region,
                document,
                Vec::new(),
                now,
            ));
        }

        // Made before queues were encrypted by default, and never looked at since.
        let arn = format!("arn:aws:sqs:{region}:{account}:order-mails");
        let queue = json!({
            "QueueUrl": format!("https://sqs.{region}.amazonaws.com/{account}/order-mails"),
            "Attributes": {
                "QueueArn": arn, "SqsManagedSseEnabled": "false", "VisibilityTimeout": "60", "MessageRetentionPeriod": "1209600",
                "DelaySeconds": "0", "MaximumMessageSize": "262144", "ReceiveMessageWaitTimeSeconds": "20",
            },
        });
        found.push(self.identity("queue", &arn, "order-mails", region, queue, Vec::new(), now));

        let arn = format!("arn:aws:cloudtrail:{region}:{account}:trail/management-events");
        let trail = json!({
            "Name": "management-events", "TrailARN": arn, "HomeRegion": region, "IsMultiRegionTrail": true,
            "IncludeGlobalServiceEvents": true, "IsOrganizationTrail": false, "LogFileValidationEnabled": !is_careless,
            "S3BucketName": format!("trail-{account}"), "KmsKeyId": null, "HasCustomEventSelectors": false, "HasInsightSelectors": false,
            "EventSelectors": [{ "ReadWriteType": "All", "IncludeManagementEvents": true, "DataResources": [] }],
            "AdvancedEventSelectors": [], "Status": { "IsLogging": true },
        });
        found.push(self.identity(
            "trail",
            &arn,
            "management-events",
            region,
            trail,
            Vec::new(),
            now,
        ));

        found
    }

    #[allow(clippy::too_many_arguments, reason = "a row of a table")]
    pub(super) fn identity(
        &self,
        kind: &str,
        id: &str,
        name: &str,
        region: &str,
        document: Value,
        relations: Vec<Relation>,
        now: Timestamp,
    ) -> Described {
        Described {
            resource: self.plain(ResourceKind::named(kind), id, name, region, now),
            document: Document::new(document),
            relations,
        }
    }
}

/// Time at which a key was made, some days before the simulated world began.
fn made_at(start: Timestamp, days: i64) -> String {
    (start - SignedDuration::from_hours(24 * days)).to_string()
}
