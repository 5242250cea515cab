//! Principals of an account with the policies that apply to them, from the answers of
//! `GetAccountAuthorizationDetails`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::arn::{Arn, account_of};
use crate::caller::IamCaller;
use crate::context::IamContext;
use crate::decision::AccessDecision;
use crate::document::IamPolicy;
use crate::evaluation::AccessRequest;
use crate::policy_set::{NamedPolicy, Organization, PolicyKind, PolicySet};

mod organization;
mod read;
mod request_file;

pub use read::{AccountBuilder, AccountError};
pub use request_file::{FileRequest, RequestError, read_requests};

/// Kind of a principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IamPrincipalKind {
    User,
    Role,
}

/// User or role with the policies that apply to it.
#[derive(Debug, Clone)]
pub struct Principal {
    pub kind: IamPrincipalKind,
    pub arn: String,
    pub name: String,
    /// Names of the groups of a user.
    pub groups: Vec<String>,
    pub policies: PolicySet,
    /// ARNs of the managed policies attached to it, and to its groups.
    pub attached: BTreeSet<String>,
    /// Policies that are attached and were not read.
    pub unread: BTreeSet<String>,
    /// Trust policy of a role.
    pub trust: Option<NamedPolicy>,
    /// `true` if instances can be launched with the role; none if the file does not say.
    pub has_instance_profile: Option<bool>,
    pub tags: BTreeMap<String, String>,
    /// ARN of the permissions boundary.
    pub boundary_arn: Option<String>,
    /// Condition keys that follow from the principal.
    context: IamContext,
}

/// Group of users.
#[derive(Debug, Clone)]
pub struct IamGroup {
    pub arn: String,
    pub name: String,
    pub policies: Vec<NamedPolicy>,
    pub attached: BTreeSet<String>,
    pub unread: BTreeSet<String>,
}

/// Something that runs with a role, such as a function or an instance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Workload {
    pub arn: String,
    /// ARN of the role; none for what has no role, such as a cluster.
    pub role: Option<String>,
}

/// Principals and policies of an account.
#[derive(Debug, Clone, Default)]
pub struct AccountPolicies {
    /// In the order of their ARNs.
    pub principals: Vec<Principal>,
    pub groups: BTreeMap<String, IamGroup>,
    /// Customer managed policies by their ARN.
    pub managed: BTreeMap<String, Arc<IamPolicy>>,
    /// Policies of resources by their ARN.
    pub resource_policies: BTreeMap<String, NamedPolicy>,
    pub workloads: Vec<Workload>,
    pub organization: Arc<Organization>,
    /// Gaps of the files, in words.
    pub notes: Vec<String>,
}

impl Principal {
    /// Returns the caller that the principal is.
    #[must_use]
    pub fn caller(&self) -> IamCaller {
        match self.kind {
            IamPrincipalKind::User => IamCaller::User {
                arn: self.arn.clone(),
            },
            IamPrincipalKind::Role => IamCaller::Role {
                arn: self.arn.clone(),
                session: None,
            },
        }
    }

    /// Returns the account of the principal.
    #[must_use]
    pub fn account(&self) -> &str {
        account_of(&self.arn).unwrap_or_default()
    }

    /// Returns `true` for a role that a service made for its own use.
    #[must_use]
    pub fn is_service_linked(&self) -> bool {
        self.caller().is_service_linked()
    }

    /// Returns a request of the principal, with the condition keys that follow from it.
    #[must_use]
    pub fn request(&self, action: &str, resource: &str) -> AccessRequest {
        let mut request = AccessRequest::new(self.caller(), action, resource);
        request.context.add_missing(&self.context);
        request
    }
}

impl AccountPolicies {
    /// Returns the position of a principal by its ARN.
    #[must_use]
    pub fn position(&self, arn: &str) -> Option<usize> {
        self.principals
            .binary_search_by(|principal| principal.arn.as_str().cmp(arn))
            .ok()
    }

    /// Returns the policy of the resource of a request: that of a role which is assumed, or the one
    /// given for the resource. Objects have the policy of their bucket.
    #[must_use]
    pub fn resource_policy(&self, action: &str, resource: &str) -> Option<NamedPolicy> {
        if action.to_ascii_lowercase().starts_with("sts:assumerole") {
            return self.principals[self.position(resource)?].trust.clone();
        }
        let found = self.resource_policies.get(resource).or_else(|| {
            let arn = Arn::read(resource).filter(|arn| arn.service == "s3")?;
            let bucket = arn.resource.split_once('/')?.0;
            let bucket = format!("arn:{}:s3:::{bucket}", arn.partition);
            self.resource_policies.get(&bucket)
        });
        found.cloned()
    }

    /// Decides a request of any caller with all policies that apply: those of the files for callers
    /// that they contain, and session policies if there are some.
    #[must_use]
    pub fn decide(&self, request: &AccessRequest, session: &[NamedPolicy]) -> AccessDecision {
        let principal = request
            .caller
            .arn()
            .and_then(|arn| self.position_of_role_or_user(arn));
        let mut request = request.clone();
        let mut set = match principal {
            Some(at) => {
                let principal = &self.principals[at];
                request.context.add_missing(&principal.context);
                principal.policies.clone()
            }
            None => PolicySet {
                organization: self.organization.clone(),
                ..PolicySet::default()
            },
        };
        if request.resource_account.is_none() {
            request.resource_account = self.account().map(str::to_owned);
        }

        set.session = session.to_vec();
        set.resource = self.resource_policy(&request.action, &request.resource);
        if principal.is_none() && request.caller.arn().is_some() {
            let arn = request.caller.arn().unwrap_or_default();
            set.identity.push(NamedPolicy {
                kind: PolicyKind::Identity,
                name: format!("the policies of {arn}").into(),
                document: None,
            });
        }
        set.decide(&request)
    }

    /// A session's ARN lacks the path of its role.
    fn position_of_role_or_user(&self, arn: &str) -> Option<usize> {
        self.position(arn).or_else(|| {
            let name = arn.split_once(":role/")?.1;
            self.principals.iter().position(|principal| {
                principal.kind == IamPrincipalKind::Role
                    && principal.name == name
                    && Some(principal.account()) == account_of(arn)
            })
        })
    }

    /// Returns the account of the first principal.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        self.principals.first().map(Principal::account)
    }
}

#[cfg(test)]
mod tests;
