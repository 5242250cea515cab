//! Permissions of a principal, as the search asks for them.

use std::collections::BTreeSet;

use crate::account::{AccountPolicies, Principal};
use crate::arn::Arn;
use crate::context::IamContext;
use crate::decision::{AccessDecision, DecisionOutcome};
use crate::document::PolicyEffect;
use crate::pattern::{ANY_LETTER, common_text};
use crate::policy_set::NamedPolicy;

use super::way::BlockedBy;

/// Strength of a permission or a way; the greater one is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Strength {
    Blocked,
    Possible,
    Certain,
}

/// Permission for one action.
#[derive(Debug, Clone)]
pub(super) struct GrantedPermission {
    pub(super) action: String,
    pub(super) resource: String,
    pub(super) statements: Vec<String>,
}

/// Permissions of one principal, with what they depend on and what stops them.
#[derive(Debug, Clone)]
pub(super) struct Grant {
    pub(super) strength: Strength,
    pub(super) permissions: Vec<GrantedPermission>,
    pub(super) depends_on: Vec<String>,
    pub(super) blocked_by: Vec<BlockedBy>,
}

/// Regions that are tried for actions in a region the caller chooses.
const MOST_REGIONS: usize = 6;
/// Resources that are tried for an action on a resource whose name the caller chooses.
const MOST_RESOURCES: usize = 40;
/// Region whose calls are those of services without regions.
const FIRST_REGION: &str = "us-east-1";

impl Grant {
    pub(super) fn certain() -> Self {
        Grant {
            strength: Strength::Certain,
            permissions: Vec::new(),
            depends_on: Vec::new(),
            blocked_by: Vec::new(),
        }
    }

    /// Returns a grant that depends on something which is not known.
    pub(super) fn depending(on: String) -> Self {
        Grant {
            strength: Strength::Possible,
            depends_on: vec![on],
            ..Grant::certain()
        }
    }

    pub(super) fn of(decision: &AccessDecision, action: &str, resource: &str) -> Option<Self> {
        let strength = match decision.outcome {
            DecisionOutcome::Allow => Strength::Certain,
            DecisionOutcome::Unknown => Strength::Possible,
            _ if decision.blockers.is_empty() => return None,
            _ => Strength::Blocked,
        };
        let blockers = decision.blockers.iter();
        Some(Grant {
            strength,
            permissions: vec![GrantedPermission {
                action: action.to_owned(),
                resource: resource.replace(ANY_LETTER, "*"),
                statements: match decision.outcome {
                    DecisionOutcome::Allow | DecisionOutcome::Unknown => decision
                        .statements
                        .iter()
                        .map(ToString::to_string)
                        .collect(),
                    _ => Vec::new(),
                },
            }],
            depends_on: decision.unknown.clone(),
            blocked_by: blockers
                .map(|blocker| BlockedBy::new(action, blocker))
                .collect(),
        })
    }

    pub(super) fn and(mut self, other: &Grant) -> Self {
        self.strength = self.strength.min(other.strength);
        self.permissions.extend(other.permissions.iter().cloned());
        self.depends_on.extend(other.depends_on.iter().cloned());
        self.blocked_by.extend(other.blocked_by.iter().cloned());
        self
    }
}

/// Returns the stronger of two grants, the first if they are equal.
pub(super) fn stronger(one: Option<Grant>, other: Option<Grant>) -> Option<Grant> {
    match (one, other) {
        (Some(one), Some(other)) if other.strength > one.strength => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

/// Returns `true` if a policy of the principal allows an action anywhere, so that asking further is
/// worth it.
pub(super) fn names_action(principal: &Principal, action: &str) -> bool {
    let action = action.to_ascii_lowercase();
    let documents = principal.policies.identity.iter();
    documents
        .filter_map(|policy| policy.document.as_ref())
        .flat_map(|document| &document.statements)
        .any(|statement| {
            statement.effect == PolicyEffect::Allow && statement.covers_lower_action(&action)
        })
}

/// Regions that conditions of the account name: the caller chooses one that is allowed.
pub(super) fn regions(account: &AccountPolicies) -> Vec<String> {
    let of_principals = account
        .principals
        .iter()
        .flat_map(|one| one.policies.identity.iter().chain(&one.policies.boundary));
    let organization = &account.organization;
    let of_levels = organization
        .service_control
        .iter()
        .chain(&organization.resource_control)
        .flat_map(|level| &level.policies);

    let found: BTreeSet<&str> = of_principals
        .chain(of_levels)
        .filter_map(|policy| policy.document.as_ref())
        .flat_map(|document| &document.statements)
        .flat_map(|statement| &statement.conditions)
        .filter(|condition| condition.key == "aws:requestedregion")
        .flat_map(|condition| &condition.values)
        .map(String::as_str)
        .filter(|region| !region.contains(['*', '?', '$']))
        .collect();
    let mut regions = vec![FIRST_REGION.to_owned()];
    let others = found.into_iter().filter(|region| *region != FIRST_REGION);
    regions.extend(others.take(MOST_REGIONS - 1).map(str::to_owned));
    regions
}

/// One question: an action of a principal on a resource.
pub(super) struct GrantQuestion<'q> {
    pub(super) principal: &'q Principal,
    pub(super) action: &'q str,
    /// Condition keys that follow from the action and its target.
    pub(super) context: &'q IamContext,
    /// Policy of the resource.
    pub(super) resource_policy: Option<&'q NamedPolicy>,
    pub(super) regions: &'q [String],
}

impl GrantQuestion<'_> {
    /// Returns the permission for one resource, in the region that allows it best.
    pub(super) fn on(&self, resource: &str) -> Option<Grant> {
        let has_region = Arn::read(resource).is_some_and(|arn| !arn.region.is_empty());
        let is_global = self.action.starts_with("iam:");
        let regions = match has_region || is_global {
            true => &self.regions[..1],
            false => self.regions,
        };

        let mut best = None;
        for region in regions {
            let mut request = self.principal.request(self.action, resource);
            if !has_region {
                request
                    .context
                    .set("aws:RequestedRegion", [region.as_str()]);
            }
            request.context.add_missing(self.context);
            let policies = &self.principal.policies;
            let decision = policies.decide_on(self.resource_policy, &request);
            best = stronger(best, Grant::of(&decision, self.action, resource));
            if best
                .as_ref()
                .is_some_and(|grant| grant.strength == Strength::Certain)
            {
                break;
            }
        }
        best
    }

    /// Returns the permission for some resource of a form such as
    /// `arn:{partition}:lambda:{region}:{account}:function:*`, whose name the caller chooses.
    pub(super) fn on_any(&self, form: &str) -> Option<Grant> {
        if form == "*" {
            return self.on("*");
        }
        let mut best = None;
        for resource in self.resources(form) {
            best = stronger(best, self.on(&resource));
            if best
                .as_ref()
                .is_some_and(|grant| grant.strength == Strength::Certain)
            {
                break;
            }
        }
        best
    }

    /// Returns resources of a form that the policies of the principal name.
    fn resources(&self, form: &str) -> BTreeSet<String> {
        let partition = Arn::read(&self.principal.arn).map_or("aws", |arn| arn.partition);
        let form = form
            .replace("{partition}", partition)
            .replace("{account}", self.principal.account())
            .replace('*', "?*")
            .replace("{region}", "*");
        let action = self.action.to_ascii_lowercase();

        let mut found = BTreeSet::new();
        let documents = self.principal.policies.identity.iter();
        let statements = documents
            .filter_map(|policy| policy.document.as_ref())
            .flat_map(|document| &document.statements)
            .filter(|one| one.effect == PolicyEffect::Allow && one.covers_lower_action(&action));
        for statement in statements {
            let patterns: Vec<&str> = match &statement.resources {
                Some(resources) if !resources.negated => {
                    resources.patterns.iter().map(String::as_str).collect()
                }
                _ => vec!["*"],
            };
            for pattern in patterns {
                // A variable stands for a name: the evaluation decides which.
                let pattern = without_variables(pattern);
                let Some(text) = common_text(&pattern, &form) else {
                    continue;
                };
                match Arn::read(&text).filter(|arn| is_chosen(arn.region)) {
                    None => {
                        found.insert(text);
                    }
                    Some(arn) => {
                        let regions = self.regions.iter();
                        found.extend(regions.map(|region| Arn { region, ..arn }.to_string()));
                    }
                }
            }
            if found.len() >= MOST_RESOURCES {
                break;
            }
        }
        found
    }
}

/// Returns `true` for a region that no pattern names.
fn is_chosen(region: &str) -> bool {
    region.chars().all(|letter| letter == ANY_LETTER)
}

fn without_variables(pattern: &str) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once("${") {
        text.push_str(before);
        text.push('*');
        rest = behind.split_once('}').map_or("", |(_, after)| after);
    }
    text + rest
}
