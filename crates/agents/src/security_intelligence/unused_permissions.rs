//! Permissions that nothing uses: a narrower version of each inline policy, which the evaluator has
//! tried on what was used.
//!
//! IAM records the services that a principal used, in management and in data events, and not each
//! action. All actions of a used service stay; the services that were not used in the window go.

use std::collections::BTreeSet;
use std::sync::Arc;

use reeve_audit::Obstacle;
use reeve_iam::{
    ActionUse, Effect, LeastPolicies, NamedPolicy, Outcome, Policy, PolicyKind, PolicySet,
    Principal, Statement, Unrecorded, least_policies,
};
use reeve_recommend::judgement::evidence::UseCoverage;
use serde_json::{Value, json};

use super::unused::{Subject, UNUSED_PERMISSIONS, UnusedAnswer};
use super::unused_finding;

/// Actions that IAM's record of last uses does not show, with the reason. Grants of them stay.
const BLIND: [(&str, &str); 3] = [
    (
        "iam:PassRole",
        "passing a role is no call of its own and is recorded nowhere",
    ),
    (
        "kms:*",
        "services use keys in the name of a principal, which is not recorded as its own use",
    ),
    (
        "sts:*",
        "what a session does is recorded for the role that was assumed",
    ),
];
/// Requests that are tried for one statement.
const MOST_RESOURCES: usize = 5;

/// Narrower version of an inline policy.
pub(super) struct Narrowed {
    pub(super) policy: String,
    pub(super) former: Value,
    /// Document of the narrower version; `None` if nothing of it is left.
    pub(super) tight: Option<Value>,
    /// The list of inline policies as it is afterwards.
    pub(super) remaining: Vec<Value>,
    pub(super) cut: Vec<String>,
    pub(super) unjudged: Vec<Unrecorded>,
    /// Services whose use keeps permissions.
    pub(super) used: Vec<String>,
    /// Requests of used services that were tried with both versions.
    pub(super) tried: usize,
}

/// Judges the inline policies of a principal that is used. `services` are those that it used in the
/// window.
pub(super) fn judge(
    subject: &Subject<'_>,
    principal: Option<&Principal>,
    services: Option<BTreeSet<&str>>,
    answer: &mut UnusedAnswer,
    evidence: &mut Value,
) {
    let services = services.filter(|services| !services.is_empty());
    let (Some(services), Some(principal)) = (services, principal) else {
        let why = "the services that it used were not read: no advice without a record";
        answer.abstain(UNUSED_PERMISSIONS, false, "services_not_read", why);
        evidence["coverage"] = json!(UseCoverage::Principal.as_str());
        return;
    };

    let list = inline_list(subject);
    let inline = subject.document.json()[list].as_array();
    let Some(inline) = inline.filter(|inline| !inline.is_empty()) else {
        let why = "it has no policy of its own; policies that several share are not narrowed";
        answer.abstain(UNUSED_PERMISSIONS, true, "no_own_policies", why);
        return;
    };

    let mut unused: BTreeSet<String> = BTreeSet::new();
    let mut blind: BTreeSet<String> = BTreeSet::new();
    let mut is_found = false;
    for (at, entry) in inline.iter().enumerate() {
        match narrowed(principal, &services, inline, (at, entry)) {
            Ok(None) => {}
            Ok(Some(narrowed)) => {
                unused.extend(narrowed.cut.iter().cloned());
                blind.extend(narrowed.unjudged.iter().map(|one| one.actions.clone()));
                // One at a time: the next one is judged by the list that the first leaves.
                if !is_found {
                    is_found = true;
                    answer
                        .proposals
                        .push(unused_finding::permissions(subject, &narrowed));
                }
            }
            Err(why) => {
                answer.abstain(UNUSED_PERMISSIONS, false, "not_narrowed", why.as_str());
            }
        }
    }

    evidence["used_services"] = json!(services);
    evidence["unused_actions"] = json!(unused);
    evidence["not_judged"] = json!(blind);
    if !is_found && answer.is_known() {
        let why = "every service that its own policies name was used";
        answer.abstain(UNUSED_PERMISSIONS, true, "permissions_used", why);
    }
}

/// Returns the member with the inline policies of a principal.
pub(super) fn inline_list(subject: &Subject<'_>) -> &'static str {
    match subject.resource.kind.as_str() {
        "iam_role" => "RolePolicyList",
        _ => "UserPolicyList",
    }
}

/// Narrows one inline policy; `None` if all of it was used. The error is the reason why it stays.
fn narrowed(
    principal: &Principal,
    services: &BTreeSet<&str>,
    inline: &[Value],
    (at, entry): (usize, &Value),
) -> Result<Option<Narrowed>, Obstacle> {
    let name = entry["PolicyName"].as_str().unwrap_or_default();
    let former = &entry["PolicyDocument"];
    let policy = Policy::read(former)
        .map_err(|error| Obstacle::of(format_args!("policy {name}: {error}")))?;
    let policy = Arc::new(policy);
    let own = NamedPolicy::new(PolicyKind::Identity, name, Arc::clone(&policy));
    let LeastPolicies {
        mut policies,
        cut,
        unjudged,
        ..
    } = least_policies(&[own], &action_use(services)).map_err(Obstacle::of)?;
    let Some(least) = policies.pop().filter(|least| least.is_changed) else {
        return Ok(None);
    };

    let tight = least
        .document
        .as_ref()
        .map(Policy::read)
        .transpose()
        .map_err(|error| {
            Obstacle::of(format_args!(
                "the narrower version of policy {name}: {error}"
            ))
        })?;
    let tried = tried(principal, services, name, &policy, tight)?;

    let mut remaining = inline.to_vec();
    match &least.document {
        Some(document) => remaining[at]["PolicyDocument"] = document.clone(),
        None => _ = remaining.remove(at),
    }
    Ok(Some(Narrowed {
        policy: name.to_owned(),
        former: former.clone(),
        tight: least.document,
        remaining,
        cut,
        unjudged: unjudged
            .into_iter()
            .filter(|one| BLIND.iter().any(|(actions, _)| *actions == one.actions))
            .collect(),
        used: services.iter().map(|name| (*name).to_owned()).collect(),
        tried,
    }))
}

/// Returns the use of a principal: actions of used services are not known one by one, and stay.
fn action_use(services: &BTreeSet<&str>) -> ActionUse {
    let used = services.iter().map(|service| Unrecorded {
        actions: format!("{service}:*"),
        reason: "the service was used".to_owned(),
    });
    let blind = BLIND.iter().map(|(actions, reason)| Unrecorded {
        actions: (*actions).to_owned(),
        reason: (*reason).to_owned(),
    });
    ActionUse {
        days: 1,
        used: BTreeSet::new(),
        unrecorded: used.chain(blind).collect(),
    }
}

/// Tries the requests that the policy allows of used services with both versions; returns their
/// number. The error names the first that only the former version allows.
fn tried(
    principal: &Principal,
    services: &BTreeSet<&str>,
    name: &str,
    former: &Policy,
    tight: Option<Policy>,
) -> Result<usize, Obstacle> {
    let label = format!("{name} of ");
    let mut after = principal.policies.clone();
    after
        .identity
        .retain(|policy| !policy.name.starts_with(&label));
    after
        .identity
        .extend(tight.map(|tight| NamedPolicy::new(PolicyKind::Identity, name, tight)));

    let mut tried = 0;
    let allowed = former.statements.iter();
    for statement in allowed.filter(|statement| statement.effect == Effect::Allow) {
        for action in requests(statement, services) {
            for resource in resources(statement) {
                let request = principal.request(&action, &resource);
                let decide = |policies: &PolicySet| policies.decide(&request).outcome;
                if decide(&principal.policies) != decide(&after)
                    && decide(&principal.policies) == Outcome::Allow
                {
                    return Err(Obstacle::of(format_args!(
                        "the narrower version of policy {name} refuses {action} on {resource}"
                    )));
                }
                tried += 1;
            }
        }
    }
    Ok(tried)
}

/// Returns actions of used services that a statement names; a wildcard is any action.
fn requests(statement: &Statement, services: &BTreeSet<&str>) -> Vec<String> {
    if statement.actions.negated {
        return services
            .iter()
            .map(|service| format!("{service}:Any"))
            .collect();
    }
    let mut found = Vec::new();
    for action in &statement.action_names {
        match action.split_once(':') {
            Some((service, _)) if services.contains(service.to_ascii_lowercase().as_str()) => {
                found.push(action.replace(['*', '?'], "Any"));
            }
            Some(_) => {}
            None => found.extend(services.iter().map(|service| format!("{service}:Any"))),
        }
    }
    found
}

fn resources(statement: &Statement) -> Vec<String> {
    let named = statement.resources.as_ref().filter(|named| !named.negated);
    let Some(named) = named else {
        return vec!["any".to_owned()];
    };
    named
        .patterns
        .iter()
        .take(MOST_RESOURCES)
        .map(|pattern| pattern.replace(['*', '?'], "any"))
        .collect()
}
