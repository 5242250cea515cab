//! Permissions that nothing uses: a narrower version of each inline policy, which the evaluator has
//! tried on what was used.
//!
//! IAM records the services that a principal used, in management and in data events, and not each
//! action. All actions of a used service stay; the services that were not used in the window go.

use std::collections::BTreeSet;
use std::sync::Arc;

use reeve_audit::Obstacle;
use reeve_iam::{
    ActionUse, DecisionOutcome, IamPolicy, LeastPolicies, NamedPolicy, PolicyEffect, PolicyKind,
    PolicySet, PolicyStatement, Principal, Unrecorded, least_policies,
};
use reeve_recommend::judgement::evidence::UseCoverage;
use reeve_recommend::judgement::past_calls::PastCalls;
use serde_json::{Value, json};

use super::unused::{UNUSED_PERMISSIONS, UnusedAnswer, UnusedSubject};
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
/// Refused actions that an abstention names.
const MOST_REFUSED: usize = 10;
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
    /// Accepted calls of the log that were tried with both versions; `None` without the log.
    pub(super) replay: Option<Replay>,
}

/// Past accepted calls, tried with both versions of a policy.
#[derive(Debug, Default)]
pub(super) struct Replay {
    pub(super) days: i64,
    /// Calls that the former version allows.
    pub(super) calls: u64,
    /// Actions of these calls.
    pub(super) actions: usize,
    /// Actions that only the former version allows, with their calls.
    refused: Vec<(String, u64)>,
}

/// Judges the inline policies of a principal that is used. `services` are those that it used in the
/// window.
pub(super) fn judge(
    subject: &UnusedSubject<'_>,
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
    let mut refused: BTreeSet<String> = BTreeSet::new();
    let mut is_found = false;
    for (at, entry) in inline.iter().enumerate() {
        match narrowed(subject, principal, &services, (inline, at, entry)) {
            Ok(None) => {}
            Ok(Some(narrowed)) if narrowed.would_refuse() => {
                let why = narrowed.refusals();
                answer.abstain(UNUSED_PERMISSIONS, true, "refuses_past_calls", &why);
                refused.extend(narrowed.refused_actions());
            }
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
    if !refused.is_empty() {
        evidence["would_refuse"] = json!(refused);
    } else if !is_found && answer.is_known() {
        let why = "every service that its own policies name was used";
        answer.abstain(UNUSED_PERMISSIONS, true, "permissions_used", why);
    }
}

/// Returns the member with the inline policies of a principal.
fn inline_list(subject: &UnusedSubject<'_>) -> &'static str {
    match subject.resource.kind.as_str() {
        "iam_role" => "RolePolicyList",
        _ => "UserPolicyList",
    }
}

/// Narrows one inline policy; `None` if all of it was used. The error is the reason why it stays.
fn narrowed(
    subject: &UnusedSubject<'_>,
    principal: &Principal,
    services: &BTreeSet<&str>,
    (inline, at, entry): (&[Value], usize, &Value),
) -> Result<Option<Narrowed>, Obstacle> {
    let name = entry["PolicyName"].as_str().unwrap_or_default();
    let former = &entry["PolicyDocument"];
    let policy = IamPolicy::read(former)
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
        .map(IamPolicy::read)
        .transpose()
        .map_err(|error| {
            Obstacle::of(format_args!(
                "the narrower version of policy {name}: {error}"
            ))
        })?;
    let versions = Versions::new(principal, name, &policy, tight);
    let tried = versions.tried(services)?;
    let replay = subject
        .past_calls
        .map(|past| versions.replay(past))
        .transpose()?;

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
        replay,
    }))
}

impl Narrowed {
    fn would_refuse(&self) -> bool {
        self.refused_actions().next().is_some()
    }

    fn refused_actions(&self) -> impl Iterator<Item = String> {
        let refused = self.replay.iter().flat_map(|replay| &replay.refused);
        refused.map(|(action, _)| action.clone())
    }

    /// Returns the past calls that the narrower version would have refused, in words.
    fn refusals(&self) -> String {
        let replays = self.replay.iter();
        let calls: Vec<String> = replays
            .flat_map(|replay| &replay.refused)
            .take(MOST_REFUSED)
            .map(|(action, count)| format!("{action} ({count})"))
            .collect();
        format!(
            "the narrower version of policy {} would have refused calls that were accepted, by the log: {}",
            self.policy,
            calls.join(", ")
        )
    }
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

/// Permissions of a principal with the former and with the narrower version of one policy.
struct Versions<'a> {
    principal: &'a Principal,
    name: &'a str,
    former: &'a IamPolicy,
    after: PolicySet,
}

impl<'a> Versions<'a> {
    fn new(
        principal: &'a Principal,
        name: &'a str,
        former: &'a IamPolicy,
        tight: Option<IamPolicy>,
    ) -> Self {
        let label = format!("{name} of ");
        let mut after = principal.policies.clone();
        after
            .identity
            .retain(|policy| !policy.name.starts_with(&label));
        after
            .identity
            .extend(tight.map(|tight| NamedPolicy::new(PolicyKind::Identity, name, tight)));
        Versions {
            principal,
            name,
            former,
            after,
        }
    }

    fn grants(&self) -> impl Iterator<Item = &PolicyStatement> {
        let statements = self.former.statements.iter();
        statements.filter(|statement| statement.effect == PolicyEffect::Allow)
    }

    /// Returns whether the former version allows a request, and whether only it does.
    fn compare(&self, action: &str, resource: &str) -> (bool, bool) {
        let request = self.principal.request(action, resource);
        let allows =
            |policies: &PolicySet| policies.decide(&request).outcome == DecisionOutcome::Allow;
        let before = allows(&self.principal.policies);
        (before, before && !allows(&self.after))
    }

    /// Tries the requests that the policy allows of used services with both versions; returns their
    /// number. The error names the first that only the former version allows.
    fn tried(&self, services: &BTreeSet<&str>) -> Result<usize, Obstacle> {
        let mut tried = 0;
        for statement in self.grants() {
            for action in requests(statement, services) {
                for resource in resources(statement) {
                    if self.compare(&action, &resource).1 {
                        return Err(Obstacle::of(format_args!(
                            "the narrower version of policy {} refuses {action} on {resource}",
                            self.name
                        )));
                    }
                    tried += 1;
                }
            }
        }
        Ok(tried)
    }

    /// Tries the accepted calls of the log with both versions, on the resources that the statements
    /// name: a narrower version cuts actions alone.
    fn replay(&self, past: &PastCalls) -> Result<Replay, Obstacle> {
        if !past.is_complete {
            return Err(Obstacle::of(format_args!(
                "the log has more calls of the past {} days than were counted, so that policy {} was not replayed on them",
                past.days, self.name
            )));
        }

        let mut replay = Replay {
            days: past.days,
            ..Replay::default()
        };
        for (action, count) in &past.actions {
            let mut is_allowed = false;
            let mut is_refused = false;
            for statement in self.grants().filter(|one| one.covers_action(action)) {
                for resource in resources(statement) {
                    let (before, only_before) = self.compare(action, &resource);
                    is_allowed |= before;
                    is_refused |= only_before;
                }
            }
            if is_allowed {
                replay.calls += count;
                replay.actions += 1;
            }
            if is_refused {
                replay.refused.push((action.clone(), *count));
            }
        }
        Ok(replay)
    }
}

/// Returns actions of used services that a statement names; a wildcard is any action.
fn requests(statement: &PolicyStatement, services: &BTreeSet<&str>) -> Vec<String> {
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

fn resources(statement: &PolicyStatement) -> Vec<String> {
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
