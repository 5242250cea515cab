//! Policies that apply to a request, by kind.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::document::IamPolicy;

/// Kind of a policy, which decides what it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyKind {
    Identity,
    Boundary,
    Session,
    ServiceControl,
    ResourceControl,
    Resource,
    /// The policy of a role: who may assume it.
    Trust,
}

impl PolicyKind {
    /// Returns the name in sentences.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            PolicyKind::Identity => "identity policy",
            PolicyKind::Boundary => "permissions boundary",
            PolicyKind::Session => "session policy",
            PolicyKind::ServiceControl => "service control policy",
            PolicyKind::ResourceControl => "resource control policy",
            PolicyKind::Resource => "resource policy",
            PolicyKind::Trust => "trust policy",
        }
    }
}

/// Policy with its name; without a document, a policy that is attached but was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPolicy {
    pub kind: PolicyKind,
    /// ARN of a managed policy; name and owner of an inline one.
    pub name: Arc<str>,
    pub document: Option<Arc<IamPolicy>>,
}

impl NamedPolicy {
    /// Returns a policy with a document.
    pub fn new(
        kind: PolicyKind,
        name: impl Into<Arc<str>>,
        document: impl Into<Arc<IamPolicy>>,
    ) -> Self {
        NamedPolicy {
            kind,
            name: name.into(),
            document: Some(document.into()),
        }
    }

    /// Returns the policy as another kind: a managed policy is also a boundary.
    #[must_use]
    pub fn as_kind(&self, kind: PolicyKind) -> NamedPolicy {
        NamedPolicy {
            kind,
            ..self.clone()
        }
    }
}

/// Level of an organisation, such as the root, an organisational unit or the account, with the
/// policies attached there. Each level must allow a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    pub name: String,
    pub policies: Vec<NamedPolicy>,
}

/// Policies of an organisation that apply to an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Organization {
    /// Identifier, such as `o-a1b2c3`.
    pub id: Option<String>,
    /// Account that no policy of the organisation limits.
    pub management_account: Option<String>,
    pub service_control: Vec<Level>,
    pub resource_control: Vec<Level>,
}

/// Policies that apply to a request.
#[derive(Debug, Clone, Default)]
pub struct PolicySet {
    /// Policies of the caller: inline, managed, and those of its groups.
    pub identity: Vec<NamedPolicy>,
    pub boundary: Option<NamedPolicy>,
    /// Session policies; a session without them is not limited by them.
    pub session: Vec<NamedPolicy>,
    /// Policy of the resource; the trust policy of a role.
    pub resource: Option<NamedPolicy>,
    /// The organisation of the caller's account and of the resource's.
    pub organization: Arc<Organization>,
}
