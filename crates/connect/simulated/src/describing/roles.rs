//! Roles of an account of AWS with the policies that they have, and the report of last uses: one role
//! can make itself an administrator, one has not been used for most of a year, and one has permissions
//! that nothing uses.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Described, Relation, RelationKind};
use reeve_recommend::words;
use serde_json::{Map, Value, json};

use super::identities::{USERS, access_key};
use crate::account::SimulatedAccount;
use crate::noise::{hex, key};

/// Role of an account.
struct Role {
    name: &'static str,
    /// Service that assumes it.
    trusts: &'static str,
    policy: &'static str,
    actions: &'static [&'static str],
    /// Services that it used, each with the days since the last use.
    used: &'static [(&'static str, i64)],
}

const ROLES: [Role; 3] = [
    Role {
        name: "shop",
        trusts: "ec2.amazonaws.com",
        policy: "shop-data",
        actions: &[
            "s3:GetObject",
            "s3:PutObject",
            "sqs:*",
            "dynamodb:*",
            "ses:SendEmail",
        ],
        used: &[("s3", 0), ("sqs", 1), ("dynamodb", 260)],
    },
    Role {
        name: "ci-release",
        trusts: "codebuild.amazonaws.com",
        policy: "release",
        actions: &[
            "ecs:UpdateService",
            "ecr:*",
            "iam:PassRole",
            "iam:PutRolePolicy",
        ],
        used: &[("ecs", 2), ("ecr", 2), ("iam", 17)],
    },
    Role {
        name: "quarterly-export-2024",
        trusts: "lambda.amazonaws.com",
        policy: "export",
        actions: &["s3:GetObject", "rds:DescribeDBInstances"],
        used: &[("s3", 290)],
    },
];

/// Days since the last use of the access key of each user that has one.
const KEY_USES: [(&str, i64); 3] = [("deploy", 0), ("backup", 230), ("reporting", 1)];

impl SimulatedAccount {
    /// Roles, and the report of last uses.
    pub(super) fn roles(&self, now: Timestamp) -> Vec<Described> {
        let account = self.plan.account;
        let arn = |kind: &str, name: &str| format!("arn:aws:iam::{account}:{kind}/{name}");
        let mut found: Vec<Described> = ROLES
            .iter()
            .map(|role| self.role(role, arn("role", role.name), now))
            .collect();

        let mut principals = Map::new();
        for role in &ROLES {
            let last = role.used.iter().map(|(_, days)| *days).min();
            let services: Map<String, Value> = role
                .used
                .iter()
                .map(|(service, days)| ((*service).to_owned(), json!(day(now, *days))))
                .collect();
            principals.insert(
                arn("role", role.name),
                json!({ "LastUsed": last.map(|days| day(now, days)), "Services": services }),
            );
        }

        let mut keys = Map::new();
        for (name, ..) in USERS {
            let last = KEY_USES.iter().find(|(user, _)| *user == name);
            let last = last.map(|(_, days)| day(now, *days));
            let services = match &last {
                Some(last) => json!({ "ec2": last, "s3": last }),
                None => json!({}),
            };
            principals.insert(
                arn("user", name),
                json!({ "LastUsed": last, "Services": services }),
            );
            if last.is_some() {
                keys.insert(
                    access_key(self.world.settings.seed, account, name),
                    json!({ "UserName": name, "LastUsed": last }),
                );
            }
        }

        let document = json!({ "Principals": principals, "AccessKeys": keys });
        let id = format!("arn:aws:iam::{account}:last-access-report");
        found.push(self.identity(
            "last_access_report",
            &id,
            "Last access report",
            "",
            document,
            Vec::new(),
            now,
        ));
        found
    }

    fn role(&self, role: &Role, arn: String, now: Timestamp) -> Described {
        let seed = key(self.world.settings.seed, self.plan.account);
        let profiles = match role.trusts {
            "ec2.amazonaws.com" => json!([{
                "Arn": arn.replace(":role/", ":instance-profile/"), "InstanceProfileName": role.name,
            }]),
            _ => json!([]),
        };
        let document = json!({
            "RoleName": role.name, "RoleId": format!("AROA{}", hex(key(seed, role.name), 16).to_uppercase()), "Arn": arn, "Path": "/",
            "CreateDate": "2023-08-02T07:40:00Z", "AttachedManagedPolicies": [], "InstanceProfileList": profiles, "Tags": [],
            "AssumeRolePolicyDocument": { "Version": "2012-10-17", "Statement": [{
                "Effect": "Allow", "Principal": { "Service": role.trusts }, "Action": "sts:AssumeRole" }] },
            "RolePolicyList": [{ "PolicyName": role.policy, "PolicyDocument": { "Version": "2012-10-17", "Statement": [{
                "Sid": "Own", "Effect": "Allow", "Action": role.actions, "Resource": "*" }] } }],
        });
        let relations = profiles
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|profile| profile["Arn"].as_str())
            .map(|profile| Relation::to(RelationKind::AttachedTo, profile.to_owned()))
            .collect();
        self.identity("iam_role", &arn, role.name, "", document, relations, now)
    }
}

/// Day some days before now, as the report writes it.
fn day(now: Timestamp, days: i64) -> String {
    words::day(now - SignedDuration::from_hours(24 * days))
}
