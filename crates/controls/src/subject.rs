//! Subjects: a resource as checks see it.

use reeve_estate::{Provider, RelationKind, ResourceKind};
use serde_json::{Value, json};

/// Resource that checks judge: its configuration document, and the resources around it.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlSubject<'a> {
    /// The provider's identifier.
    pub id: &'a str,
    pub provider: Provider,
    pub kind: ResourceKind,
    /// The account, subscription or project; empty if it is not known.
    pub account: &'a str,
    /// The region; empty for global services.
    pub region: &'a str,
    /// Configuration document, as the provider's interface prints it.
    pub document: &'a Value,
    /// Resources that it has a relation to.
    pub targets: Vec<Related<'a>>,
    /// Resources that have a relation to it.
    pub sources: Vec<Related<'a>>,
    /// Kinds of which every resource near it is known.
    pub complete: Vec<ResourceKind>,
}

/// Resource at the other end of a relation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Related<'a> {
    pub relation: RelationKind,
    pub id: &'a str,
    /// `None` if the resource is not known.
    pub kind: Option<ResourceKind>,
    /// `None` if the resource is not known or has no document.
    pub document: Option<&'a Value>,
}

impl<'a> ControlSubject<'a> {
    /// Returns a subject that nothing is known about but its document.
    #[must_use]
    pub fn alone(provider: Provider, kind: ResourceKind, id: &'a str, document: &'a Value) -> Self {
        ControlSubject {
            id,
            provider,
            kind,
            account: "",
            region: "",
            document,
            targets: Vec::new(),
            sources: Vec::new(),
            complete: Vec::new(),
        }
    }

    /// Returns the variable `resource` of expressions.
    pub(crate) fn resource(&self) -> Value {
        json!({
            "id": self.id,
            "provider": self.provider.as_str(),
            "kind": self.kind.as_str(),
            "account": self.account,
            "region": self.region,
        })
    }
}
