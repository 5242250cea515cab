//! Reading of authorization details and the documents beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::organization::{LEVEL_MEMBERS, ORGANIZATION_MEMBERS, read_organization};
use super::{AccountPolicies, IamGroup, IamPrincipalKind, Principal, Workload};
use crate::aws_managed::aws_managed;
use crate::caller::IamCaller;
use crate::context::IamContext;
use crate::document::{IamPolicy, PolicyError};
use crate::json_lines::json_lines;
use crate::policy_set::{NamedPolicy, Organization, PolicyKind, PolicySet};

/// Names that a resource policy's document has beside its ARN.
const POLICY_MEMBERS: [&str; 6] = [
    "policy",
    "Policy",
    "document",
    "PolicyDocument",
    "ResourcePolicy",
    "Document",
];
/// Names of the ARN of a resource.
const ARN_MEMBERS: [&str; 12] = [
    "arn",
    "Arn",
    "ARN",
    "resource",
    "ResourceArn",
    "FunctionArn",
    "TopicArn",
    "QueueArn",
    "KeyArn",
    "StackId",
    "clusterArn",
    "NotebookInstanceArn",
];
/// Names of the role that something runs with.
const ROLE_MEMBERS: [&str; 6] = [
    "role",
    "Role",
    "RoleArn",
    "RoleARN",
    "serviceRole",
    "roleArn",
];
/// Members of an answer of `GetAccountAuthorizationDetails`.
const DETAIL_MEMBERS: [&str; 4] = [
    "UserDetailList",
    "GroupDetailList",
    "RoleDetailList",
    "Policies",
];

/// Reason for which a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// The text is neither a JSON value nor one a line.
    #[error("this is no JSON: {0}")]
    NotJson(String),
    /// A value is none of the documents that the command reads.
    #[error(
        "{0} is neither authorization details (UserDetailList, GroupDetailList, RoleDetailList, Policies) nor resource policies ({{\"arn\": ..., \"policy\": ...}}), organisation policies (service_control_policies, resource_control_policies) or workloads ({{\"arn\": ..., \"role\": ...}})"
    )]
    UnknownForm(String),
    /// A member is missing, or has another form than documented.
    #[error("{place}: {problem}")]
    Member { place: String, problem: String },
    /// A policy cannot be read.
    #[error("{place}: {source}")]
    Policy { place: String, source: PolicyError },
}

impl AccountError {
    pub(super) fn member(place: impl Into<String>, problem: impl Into<String>) -> Self {
        AccountError::Member {
            place: place.into(),
            problem: problem.into(),
        }
    }
}

/// Collects the documents of an account from several files.
#[derive(Debug, Default)]
pub struct AccountBuilder {
    users: Vec<Value>,
    groups: Vec<Value>,
    roles: Vec<Value>,
    managed: BTreeMap<String, Arc<IamPolicy>>,
    resource_policies: BTreeMap<String, NamedPolicy>,
    workloads: BTreeSet<Workload>,
    organization: Organization,
    has_truncated_page: bool,
    has_last_page: bool,
}

impl AccountBuilder {
    /// Adds the documents of a text: one JSON value, or one a line.
    ///
    /// # Errors
    /// The text is no JSON, a document is none of those that are read, or a policy in it is none.
    pub fn add(&mut self, text: &str) -> Result<(), AccountError> {
        let values = match serde_json::from_str::<Value>(text) {
            Ok(value) => vec![value],
            Err(error) => {
                json_lines(text).ok_or_else(|| AccountError::NotJson(error.to_string()))?
            }
        };
        for (at, value) in values.into_iter().enumerate() {
            self.add_value(&format!("element {}", at + 1), value)?;
        }
        Ok(())
    }

    /// Adds a document that was read already.
    ///
    /// # Errors
    /// It is none of those that are read, or a policy in it is none.
    pub fn add_document(&mut self, document: Value) -> Result<(), AccountError> {
        self.add_value("document", document)
    }

    fn add_value(&mut self, place: &str, value: Value) -> Result<(), AccountError> {
        match value {
            Value::Array(values) => {
                for (at, value) in values.into_iter().enumerate() {
                    self.add_value(&format!("{place}[{}]", at + 1), value)?;
                }
                Ok(())
            }
            Value::Object(members) => self.add_object(place, members),
            _ => Err(AccountError::UnknownForm(place.to_owned())),
        }
    }

    fn add_object(
        &mut self,
        place: &str,
        mut members: Map<String, Value>,
    ) -> Result<(), AccountError> {
        let mut is_known = false;
        match members.get("IsTruncated") {
            Some(Value::Bool(true)) => self.has_truncated_page = true,
            Some(Value::Bool(false)) => self.has_last_page = true,
            _ => {}
        }

        for name in DETAIL_MEMBERS {
            let Some(value) = members.remove(name) else {
                continue;
            };
            let Value::Array(values) = value else {
                return Err(AccountError::member(
                    format!("{place}.{name}"),
                    "is no list",
                ));
            };
            is_known = true;
            match name {
                "UserDetailList" => self.users.extend(values),
                "GroupDetailList" => self.groups.extend(values),
                "RoleDetailList" => self.roles.extend(values),
                _ => self.add_managed(place, &values)?,
            }
        }

        for name in [
            "authorization_details",
            "AuthorizationDetails",
            "account_authorization_details",
        ] {
            if let Some(value) = members.remove(name) {
                is_known = true;
                self.add_value(&format!("{place}.{name}"), value)?;
            }
        }
        for name in [
            "resource_policies",
            "ResourcePolicies",
            "workloads",
            "Workloads",
            "resources",
        ] {
            if let Some(value) = members.remove(name) {
                is_known = true;
                self.add_resources(&format!("{place}.{name}"), value)?;
            }
        }
        is_known |= self.add_organization(place, &members)?;
        if !is_known && self.add_resource(place, &members)? {
            is_known = true;
        }

        match is_known {
            true => Ok(()),
            false => Err(AccountError::UnknownForm(place.to_owned())),
        }
    }

    fn add_organization(
        &mut self,
        place: &str,
        members: &Map<String, Value>,
    ) -> Result<bool, AccountError> {
        let mut is_known = false;
        for name in ORGANIZATION_MEMBERS {
            if let Some(Value::Object(inner)) = members.get(name) {
                read_organization(&mut self.organization, &format!("{place}.{name}"), inner)?;
                is_known = true;
            }
        }
        let has_levels = LEVEL_MEMBERS
            .iter()
            .any(|(name, _)| members.contains_key(*name));
        if has_levels || members.contains_key("management_account") {
            read_organization(&mut self.organization, place, members)?;
            is_known = true;
        }
        Ok(is_known)
    }

    /// Reads a list of resources, or an object with policies by ARN.
    fn add_resources(&mut self, place: &str, value: Value) -> Result<(), AccountError> {
        match value {
            Value::Array(values) => {
                for (at, value) in values.iter().enumerate() {
                    let place = format!("{place}[{}]", at + 1);
                    let is_known = match value {
                        Value::Object(members) => self.add_resource(&place, members)?,
                        _ => false,
                    };
                    if !is_known {
                        return Err(AccountError::member(
                            place,
                            "has no arn with a policy or a role",
                        ));
                    }
                }
                Ok(())
            }
            Value::Object(members) => {
                for (arn, policy) in members {
                    self.add_resource_policy(&format!("{place}.{arn}"), &arn, &policy)?;
                }
                Ok(())
            }
            _ => Err(AccountError::member(
                place,
                "is neither a list nor an object",
            )),
        }
    }

    fn add_resource(
        &mut self,
        place: &str,
        members: &Map<String, Value>,
    ) -> Result<bool, AccountError> {
        let Some(arn) = first_text(members, &ARN_MEMBERS) else {
            return Ok(false);
        };
        let policy = POLICY_MEMBERS.iter().find_map(|name| members.get(*name));
        if let Some(policy) = policy.filter(|policy| !policy.is_null()) {
            self.add_resource_policy(place, arn, policy)?;
        }

        let role = first_text(members, &ROLE_MEMBERS).map(str::to_owned);
        let is_workload = role.is_some() || policy.is_none();
        if is_workload {
            self.workloads.insert(Workload {
                arn: arn.to_owned(),
                role,
            });
        }
        Ok(true)
    }

    fn add_resource_policy(
        &mut self,
        place: &str,
        arn: &str,
        value: &Value,
    ) -> Result<(), AccountError> {
        let policy = read_policy(place, value)?;
        let named = NamedPolicy::new(PolicyKind::Resource, arn, policy);
        self.resource_policies.insert(arn.to_owned(), named);
        Ok(())
    }

    fn add_managed(&mut self, place: &str, values: &[Value]) -> Result<(), AccountError> {
        for (at, value) in values.iter().enumerate() {
            let place = format!("{place}.Policies[{}]", at + 1);
            let arn = required_text(&place, value, "Arn")?;
            let default = value.get("DefaultVersionId").and_then(Value::as_str);
            let versions = list(value, "PolicyVersionList");
            let version = versions.iter().find(|version| {
                let is_default = version.get("IsDefaultVersion") == Some(&Value::Bool(true));
                is_default
                    || (default.is_some()
                        && version.get("VersionId").and_then(Value::as_str) == default)
            });
            // A list of policies without their versions says which exist, not what they allow.
            if let Some(document) = version.and_then(|version| version.get("Document")) {
                let policy = read_policy(&format!("{place} ({arn})"), document)?;
                self.managed.insert(arn.to_owned(), Arc::new(policy));
            }
        }
        Ok(())
    }

    /// Builds the principals from all documents.
    ///
    /// # Errors
    /// A user, group or role lacks a member, or one of its policies is none.
    pub fn build(mut self) -> Result<AccountPolicies, AccountError> {
        let organization = Arc::new(std::mem::take(&mut self.organization));
        let mut groups = BTreeMap::new();
        for (at, value) in std::mem::take(&mut self.groups).iter().enumerate() {
            let group = self.group(&format!("GroupDetailList[{}]", at + 1), value)?;
            groups.insert(group.name.clone(), group);
        }

        let mut principals = BTreeMap::new();
        let users = std::mem::take(&mut self.users);
        let roles = std::mem::take(&mut self.roles);
        let kinds = [
            (IamPrincipalKind::User, "UserDetailList", users),
            (IamPrincipalKind::Role, "RoleDetailList", roles),
        ];
        for (kind, list_name, values) in kinds {
            for (at, value) in values.iter().enumerate() {
                let place = format!("{list_name}[{}]", at + 1);
                let principal = self.principal(&place, kind, value, &groups, &organization)?;
                principals.insert(principal.arn.clone(), principal);
            }
        }

        let own: BTreeMap<String, Arc<IamPolicy>> = self
            .managed
            .into_iter()
            .filter(|(arn, _)| !arn.contains(":iam::aws:"))
            .collect();
        let mut notes = Vec::new();
        if self.has_truncated_page && !self.has_last_page {
            notes.push("the authorization details are truncated (IsTruncated): add the files of the further pages".to_owned());
        }
        Ok(AccountPolicies {
            principals: principals.into_values().collect(),
            groups,
            managed: own,
            resource_policies: self.resource_policies,
            workloads: self.workloads.into_iter().collect(),
            organization,
            notes,
        })
    }

    fn group(&self, place: &str, value: &Value) -> Result<IamGroup, AccountError> {
        let name = required_text(place, value, "GroupName")?;
        let mut policies = inline(place, value, "GroupPolicyList", &format!("group {name}"))?;
        let (managed, attached, unread) = self.attached(value);
        policies.extend(managed);
        Ok(IamGroup {
            arn: required_text(place, value, "Arn")?.to_owned(),
            name: name.to_owned(),
            policies,
            attached,
            unread,
        })
    }

    fn principal(
        &self,
        place: &str,
        kind: IamPrincipalKind,
        value: &Value,
        groups: &BTreeMap<String, IamGroup>,
        organization: &Arc<Organization>,
    ) -> Result<Principal, AccountError> {
        let (name_member, inline_member, label) = match kind {
            IamPrincipalKind::User => ("UserName", "UserPolicyList", "user"),
            IamPrincipalKind::Role => ("RoleName", "RolePolicyList", "role"),
        };
        let name = required_text(place, value, name_member)?;
        let arn = required_text(place, value, "Arn")?;
        if !matches!(
            IamCaller::read(arn),
            Some(IamCaller::User { .. } | IamCaller::Role { .. })
        ) {
            return Err(AccountError::member(
                format!("{place}.Arn"),
                format!("{arn} is no ARN of a {label}"),
            ));
        }

        let mut identity = inline(place, value, inline_member, &format!("{label} {name}"))?;
        let (managed, mut attached, mut unread) = self.attached(value);
        identity.extend(managed);
        let memberships: Vec<String> = list(value, "GroupList")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        for group in memberships.iter().filter_map(|name| groups.get(name)) {
            identity.extend(group.policies.iter().cloned());
            attached.extend(group.attached.iter().cloned());
            unread.extend(group.unread.iter().cloned());
        }

        let boundary_arn = boundary_of(value);
        let boundary = boundary_arn.map(|arn| self.managed_policy(arn, PolicyKind::Boundary));
        if let Some(boundary) = boundary.as_ref().filter(|one| one.document.is_none()) {
            unread.insert(boundary.name.to_string());
        }
        let tags = tags(value);
        Ok(Principal {
            kind,
            arn: arn.to_owned(),
            name: name.to_owned(),
            groups: memberships,
            attached,
            unread,
            trust: trust(place, arn, value)?,
            has_instance_profile: value
                .get("InstanceProfileList")
                .and_then(Value::as_array)
                .map(|list| !list.is_empty()),
            boundary_arn: boundary_arn.map(str::to_owned),
            context: context(kind, value, &tags, organization),
            tags,
            policies: PolicySet {
                identity,
                boundary,
                organization: organization.clone(),
                ..PolicySet::default()
            },
        })
    }

    /// Returns the managed policies attached to a principal or group, their ARNs, and those that
    /// were not read.
    fn attached(&self, value: &Value) -> (Vec<NamedPolicy>, BTreeSet<String>, BTreeSet<String>) {
        let arns: BTreeSet<String> = list(value, "AttachedManagedPolicies")
            .iter()
            .filter_map(|policy| policy.get("PolicyArn")?.as_str())
            .map(str::to_owned)
            .collect();
        let policies: Vec<NamedPolicy> = arns
            .iter()
            .map(|arn| self.managed_policy(arn, PolicyKind::Identity))
            .collect();
        let unread = policies.iter().filter(|policy| policy.document.is_none());
        let unread = unread.map(|policy| policy.name.to_string()).collect();
        (policies, arns, unread)
    }

    fn managed_policy(&self, arn: &str, kind: PolicyKind) -> NamedPolicy {
        NamedPolicy {
            kind,
            name: arn.into(),
            document: self.managed.get(arn).cloned().or_else(|| aws_managed(arn)),
        }
    }
}

fn trust(place: &str, arn: &str, value: &Value) -> Result<Option<NamedPolicy>, AccountError> {
    let Some(document) = value.get("AssumeRolePolicyDocument") else {
        return Ok(None);
    };
    let policy = read_policy(&format!("{place}.AssumeRolePolicyDocument"), document)?;
    Ok(Some(NamedPolicy::new(PolicyKind::Trust, arn, policy)))
}

fn context(
    kind: IamPrincipalKind,
    value: &Value,
    tags: &BTreeMap<String, String>,
    organization: &Organization,
) -> IamContext {
    // Calls of the API are encrypted, and the caller decides it.
    let mut context = IamContext::default().with("aws:SecureTransport", "true");
    for (key, tag) in tags {
        context.set(&format!("aws:PrincipalTag/{key}"), [tag.as_str()]);
    }
    // Tags of a role's session come on top of the role's.
    if kind == IamPrincipalKind::User && value.get("Tags").is_some() {
        context.complete_family("aws:PrincipalTag/");
    }
    if let Some(id) = value.get("UserId").and_then(Value::as_str)
        && kind == IamPrincipalKind::User
    {
        context.set("aws:userid", [id]);
    }
    if let Some(id) = &organization.id {
        context.set("aws:PrincipalOrgID", [id.as_str()]);
        context.set("aws:ResourceOrgID", [id.as_str()]);
    }
    context
}

pub(super) fn read_policy(place: &str, value: &Value) -> Result<IamPolicy, AccountError> {
    IamPolicy::read(value).map_err(|source| AccountError::Policy {
        place: place.to_owned(),
        source,
    })
}

fn inline(
    place: &str,
    value: &Value,
    member: &str,
    owner: &str,
) -> Result<Vec<NamedPolicy>, AccountError> {
    let policies = list(value, member).iter().enumerate();
    policies
        .map(|(at, policy)| {
            let place = format!("{place}.{member}[{}]", at + 1);
            let name = required_text(&place, policy, "PolicyName")?;
            let document = policy
                .get("PolicyDocument")
                .ok_or_else(|| AccountError::member(place.as_str(), "has no PolicyDocument"))?;
            let read = read_policy(&format!("{place}.PolicyDocument"), document)?;
            Ok(NamedPolicy::new(
                PolicyKind::Identity,
                format!("{name} of {owner}"),
                read,
            ))
        })
        .collect()
}

fn boundary_of(value: &Value) -> Option<&str> {
    match value.get("PermissionsBoundary")? {
        Value::String(arn) => Some(arn),
        boundary => boundary.get("PermissionsBoundaryArn")?.as_str(),
    }
}

fn tags(value: &Value) -> BTreeMap<String, String> {
    let tags = list(value, "Tags").iter();
    tags.filter_map(|tag| {
        let text = |name: &str| Some(tag.get(name)?.as_str()?.to_owned());
        Some((text("Key")?, text("Value")?))
    })
    .collect()
}

fn list<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value
        .get(member)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn required_text<'v>(place: &str, value: &'v Value, member: &str) -> Result<&'v str, AccountError> {
    value
        .get(member)
        .and_then(Value::as_str)
        .ok_or_else(|| AccountError::member(place, format!("has no {member}")))
}

fn first_text<'v>(members: &'v Map<String, Value>, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| members.get(*name)?.as_str())
}
