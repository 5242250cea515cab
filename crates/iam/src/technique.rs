//! Techniques of privilege escalation, as data (`data/techniques.toml`).

use std::sync::LazyLock;

use serde::Deserialize;

/// Principal that a technique is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TechniqueTarget {
    /// A role that trusts a service, and is passed to it.
    ServiceRole,
    /// The role of something that exists.
    WorkloadRole,
    Role,
    User,
    Group,
    /// A user that the caller controls.
    OwnUser,
    OwnRole,
    /// A user that the caller controls and that has a group.
    OwnGroup,
    /// A principal that the caller controls and that has a customer managed policy.
    OwnPolicy,
}

/// Effect of a technique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TechniqueEffect {
    /// The caller acts as the target.
    Become,
    /// The target, which the caller controls, gets any permission within its boundary.
    Empower,
    BecomeEmpowered,
    /// A user that the caller controls gets the permissions of the group.
    Join,
}

/// Resource of a needed permission.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NeededOn {
    Target,
    /// A customer managed policy attached to the target.
    TargetPolicy,
    /// A group of the target.
    TargetGroup,
    /// The target, whose trust policy names the caller by then.
    TrustingTarget,
    Workload,
    /// An ARN in which `{partition}`, `{region}` and `{account}` are the caller's; `*` for actions
    /// without a resource.
    Arn(String),
}

/// Permission that a call needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeededPermission {
    pub action: String,
    #[serde(deserialize_with = "needed_on")]
    pub on: NeededOn,
}

/// Technique of privilege escalation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Technique {
    /// Identifier at pathfinding.cloud.
    pub id: String,
    pub title: String,
    pub target: TechniqueTarget,
    pub effect: TechniqueEffect,
    /// Services that the role has to trust.
    #[serde(default)]
    pub services: Vec<String>,
    /// ARN of the thing that runs with the role.
    #[serde(default)]
    pub workload: Option<String>,
    /// ARN of something else that has to exist.
    #[serde(default)]
    pub exists: Option<String>,
    #[serde(default)]
    pub instance_profile: bool,
    /// State that authorization details do not contain.
    #[serde(default)]
    pub assumes: Option<String>,
    /// Calls, of which each is made by one principal and needs all of its permissions.
    pub calls: Vec<Vec<NeededPermission>>,
}

#[derive(Debug, Default, Deserialize)]
struct TechniqueFile {
    techniques: Vec<Technique>,
}

static TECHNIQUES: LazyLock<Vec<Technique>> = LazyLock::new(|| {
    toml::from_str::<TechniqueFile>(include_str!("../data/techniques.toml"))
        .unwrap_or_default()
        .techniques
});

/// Returns all techniques, in the order of their identifiers.
#[must_use]
pub fn techniques() -> &'static [Technique] {
    &TECHNIQUES
}

fn needed_on<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<NeededOn, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.as_str() {
        "@target" => Ok(NeededOn::Target),
        "@target_policy" => Ok(NeededOn::TargetPolicy),
        "@target_group" => Ok(NeededOn::TargetGroup),
        "@trusting_target" => Ok(NeededOn::TrustingTarget),
        "@workload" => Ok(NeededOn::Workload),
        other if other.starts_with('@') => Err(serde::de::Error::custom(format!(
            "{other} is none of @target, @target_policy, @target_group, @trusting_target and @workload"
        ))),
        _ => Ok(NeededOn::Arn(text)),
    }
}

impl NeededOn {
    /// Returns `true` if the resource depends on the target.
    pub(crate) fn is_of_target(&self) -> bool {
        !matches!(self, NeededOn::Arn(_))
    }
}

impl TechniqueTarget {
    /// Returns `true` if the caller has to control the target already.
    #[must_use]
    pub fn is_own(self) -> bool {
        matches!(
            self,
            TechniqueTarget::OwnUser
                | TechniqueTarget::OwnRole
                | TechniqueTarget::OwnGroup
                | TechniqueTarget::OwnPolicy
        )
    }
}
