//! Accounts for tests, as `GetAccountAuthorizationDetails` describes them.

use serde_json::{Value, json};

use crate::account::AccountBuilder;
use crate::reach::{AccessReach, reach};

pub(super) const ACCOUNT: &str = "111122223333";
pub(super) const ADMINISTRATOR: &str = "arn:aws:iam::aws:policy/AdministratorAccess";

/// Account that grows by calls.
#[derive(Default)]
pub(super) struct Fixture {
    users: Vec<Value>,
    groups: Vec<Value>,
    roles: Vec<Value>,
    policies: Vec<Value>,
    more: Vec<Value>,
}

pub(super) fn user_arn(name: &str) -> String {
    format!("arn:aws:iam::{ACCOUNT}:user/{name}")
}

pub(super) fn role_arn(name: &str) -> String {
    format!("arn:aws:iam::{ACCOUNT}:role/{name}")
}

pub(super) fn allow(actions: Value) -> Value {
    json!({"Effect": "Allow", "Action": actions, "Resource": "*"})
}

pub(super) fn deny(actions: Value) -> Value {
    json!({"Effect": "Deny", "Action": actions, "Resource": "*"})
}

pub(super) fn document(statements: Value) -> Value {
    json!({"Version": "2012-10-17", "Statement": statements})
}

pub(super) fn trusting(principal: Value) -> Value {
    document(json!([{"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}]))
}

pub(super) fn trusting_account() -> Value {
    trusting(json!({"AWS": format!("arn:aws:iam::{ACCOUNT}:root")}))
}

fn inline(statements: &Value) -> Value {
    match statements.as_array().is_some_and(Vec::is_empty) {
        true => json!([]),
        false => json!([{"PolicyName": "own", "PolicyDocument": document(statements.clone())}]),
    }
}

fn attached(arns: &[&str]) -> Value {
    let policies = arns.iter();
    policies
        .map(|arn| json!({"PolicyArn": arn, "PolicyName": arn.rsplit('/').next()}))
        .collect()
}

impl Fixture {
    /// Adds a user with an inline policy, managed policies and groups.
    pub(super) fn user(
        mut self,
        name: &str,
        statements: Value,
        managed: &[&str],
        groups: &[&str],
    ) -> Self {
        self.users.push(json!({
            "UserName": name, "UserId": format!("AIDA{name}"), "Arn": user_arn(name), "Path": "/",
            "UserPolicyList": inline(&statements), "GroupList": groups,
            "AttachedManagedPolicies": attached(managed), "Tags": [],
        }));
        self
    }

    pub(super) fn role(
        mut self,
        name: &str,
        trust: Value,
        statements: Value,
        managed: &[&str],
    ) -> Self {
        self.roles.push(json!({
            "RoleName": name, "RoleId": format!("AROA{name}"), "Arn": role_arn(name), "Path": "/",
            "AssumeRolePolicyDocument": trust, "RolePolicyList": inline(&statements),
            "AttachedManagedPolicies": attached(managed), "Tags": [],
            "InstanceProfileList": [{"InstanceProfileName": name}],
        }));
        self
    }

    /// Adds a role with the permissions of an administrator.
    pub(super) fn admin_role(self, name: &str, trust: Value) -> Self {
        self.role(name, trust, json!([]), &[ADMINISTRATOR])
    }

    pub(super) fn group(mut self, name: &str, managed: &[&str]) -> Self {
        self.groups.push(json!({
            "GroupName": name, "GroupId": format!("AGPA{name}"), "Path": "/",
            "Arn": format!("arn:aws:iam::{ACCOUNT}:group/{name}"),
            "GroupPolicyList": [], "AttachedManagedPolicies": attached(managed),
        }));
        self
    }

    /// Adds a customer managed policy and returns nothing else: its ARN is that of the account.
    pub(super) fn policy(mut self, name: &str, statements: Value) -> Self {
        self.policies.push(json!({
            "PolicyName": name, "Arn": format!("arn:aws:iam::{ACCOUNT}:policy/{name}"),
            "DefaultVersionId": "v2",
            "PolicyVersionList": [
                {"VersionId": "v1", "IsDefaultVersion": false, "Document": document(json!([deny(json!("*"))]))},
                {"VersionId": "v2", "IsDefaultVersion": true, "Document": document(statements)},
            ],
        }));
        self
    }

    /// Changes the user or role added last.
    pub(super) fn with(mut self, member: &str, value: Value) -> Self {
        let last = self.users.last_mut();
        if let Some(user) = last {
            user[member] = value;
        }
        self
    }

    /// Adds a document beside the authorization details.
    pub(super) fn beside(mut self, document: Value) -> Self {
        self.more.push(document);
        self
    }

    pub(super) fn details(&self) -> Value {
        json!({"UserDetailList": self.users, "GroupDetailList": self.groups,
            "RoleDetailList": self.roles, "Policies": self.policies})
    }

    pub(super) fn account(&self) -> crate::account::AccountPolicies {
        let mut builder = AccountBuilder::default();
        builder.add(&self.details().to_string()).unwrap();
        for document in &self.more {
            builder.add(&document.to_string()).unwrap();
        }
        builder.build().unwrap()
    }

    /// Returns the ways of a principal, by the end of its ARN.
    pub(super) fn ways(&self, name: &str) -> Vec<AccessReach> {
        let ways = reach(&self.account()).into_iter();
        ways.filter(|way| way.principal.ends_with(name)).collect()
    }

    /// Returns the way of a principal to administrators.
    pub(super) fn to_admin(&self, name: &str) -> Option<AccessReach> {
        self.ways(name)
            .into_iter()
            .find(|way| way.reaches == "admin")
    }
}

/// Returns the identifiers of the techniques of a way.
pub(super) fn steps(way: &AccessReach) -> Vec<&str> {
    way.path
        .iter()
        .map(|step| step.technique.as_str())
        .collect()
}
