//! The answers: from where a resource is reachable, step by step, or the edge that stops it.

use serde::{Serialize, Serializer};

/// Outsiders that reach a resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Anyone, with or without an account of the provider.
    Internet,
    /// Everyone in the organisation that the account belongs to.
    Organization,
    /// Another account, by its number.
    Account(String),
    /// The documents do not tell: an edge on the path was not read or is not evaluated.
    Unknown,
    /// No outsider.
    None,
}

impl std::fmt::Display for Audience {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Audience::Internet => formatter.write_str("internet"),
            Audience::Organization => formatter.write_str("organization"),
            Audience::Account(id) => write!(formatter, "account:{id}"),
            Audience::Unknown => formatter.write_str("unknown"),
            Audience::None => formatter.write_str("none"),
        }
    }
}

impl Serialize for Audience {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Directness of an exposure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExposureGrade {
    /// The outsider reaches the resource itself.
    Direct,
    /// A load balancer passes the outsider's traffic on to the resource.
    LoadBalancer,
    /// An exposed resource is a member of a security group that may reach the resource: an outsider
    /// needs to take over the first to reach the second.
    Indirect,
}

/// Edge of a path: the resource that decides, and its decision.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ExposureStep {
    /// Type of the edge: `route_table`, `network_acl`, `security_group`, `policy`, ...
    pub edge: &'static str,
    /// Resource that the edge belongs to.
    pub resource: String,
    /// Decision, in words.
    pub says: String,
    /// Single setting, rule or statement whose removal closes this edge: what choke points are
    /// counted by. `None` if several open it, or if it is no setting of an exposure.
    #[serde(skip)]
    pub key: Option<String>,
}

impl ExposureStep {
    pub(crate) fn new(
        edge: &'static str,
        resource: impl Into<String>,
        says: impl Into<String>,
    ) -> ExposureStep {
        ExposureStep {
            edge,
            resource: resource.into(),
            says: says.into(),
            key: None,
        }
    }

    /// Returns the step with the one setting that closes it.
    pub(crate) fn keyed(mut self, setting: impl AsRef<str>) -> ExposureStep {
        self.key = Some(format!(
            "{} {}: {}",
            self.edge,
            self.resource,
            setting.as_ref()
        ));
        self
    }

    /// Returns `true` if the step needs a setting that is taken to be closed.
    pub(crate) fn is_closed_by(&self, closed: Option<&str>) -> bool {
        closed.is_some() && self.key.as_deref() == closed
    }
}

/// Answer about one resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Exposure {
    /// The provider's identifier.
    pub resource: String,
    pub kind: String,
    pub account: String,
    pub reachable_from: Audience,
    /// `None` if the resource is not exposed.
    pub grade: Option<ExposureGrade>,
    /// Protocols with their ports, or actions, that the outsider has.
    pub access: Vec<String>,
    /// Steps from the outsider to the resource, or to the edge that stops.
    pub path: Vec<ExposureStep>,
    /// Edge that stops the outsider; `None` if the resource is exposed.
    pub stopped_by: Option<ExposureStep>,
}

impl Exposure {
    /// Returns the answer as a sentence, without the steps before the edge that decides.
    #[must_use]
    pub fn why(&self) -> String {
        let who = match &self.reachable_from {
            Audience::Internet => "The internet".to_owned(),
            Audience::Organization => "Every account of the organization".to_owned(),
            Audience::Account(id) => format!("Account {id}"),
            Audience::Unknown | Audience::None => String::new(),
        };
        let decides = self.stopped_by.as_ref().map_or("", |step| &step.says);

        match (&self.reachable_from, self.grade) {
            (Audience::Unknown, _) => format!("Not known: {decides}"),
            (Audience::None, _) => format!("Nothing outside reaches it: {decides}"),
            (_, Some(ExposureGrade::LoadBalancer)) => {
                format!("{who} reaches it through a load balancer")
            }
            (_, Some(ExposureGrade::Indirect)) => {
                format!("{who} reaches it by way of another exposed resource")
            }
            _ => format!("{who} reaches it"),
        }
    }

    /// Returns `true` if an outsider reaches the resource.
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        self.stopped_by.is_none()
    }
}
