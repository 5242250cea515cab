//! Facts of the search: which call of which technique a principal can make on which target.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::account::{AccountPolicies, IamGroup, IamPrincipalKind, Principal};
use crate::aws_managed::ADMINISTRATOR;
use crate::caller::Naming;
use crate::context::IamContext;
use crate::decision::BlockerKind;
use crate::document::{
    IamPolicy, Patterns, PolicyEffect, PolicyStatement, PrincipalName, Principals,
};
use crate::policy_set::{NamedPolicy, PolicyKind};
use crate::technique::{NeededOn, NeededPermission, Technique, techniques};

use super::administrator::{administrator_grant, empowered_grant};
use super::grant::{Grant, GrantQuestion, Strength, names_action, regions, stronger};
use super::target::{ReachCandidate, candidates};

/// Returns a principal with the policies that were read: one that was not would make everything
/// possible, and is reported instead.
pub(super) fn as_read(principal: &Principal) -> Principal {
    let mut principal = principal.clone();
    let identity = &mut principal.policies.identity;
    identity.retain(|policy| policy.document.is_some());
    principal
}

/// Call of a technique on a target that a principal can make.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) technique: usize,
    pub(super) call: usize,
    pub(super) target: usize,
    pub(super) grant: Rc<Grant>,
}

/// Principals of the search with what is known of them. Behind those of the account stand users
/// that have joined a group.
pub(super) struct ReachGraph<'a> {
    pub(super) account: &'a AccountPolicies,
    pub(super) nodes: Vec<Rc<Principal>>,
    /// Positions of users that have joined a group, by user and group.
    joined: HashMap<(usize, usize), usize>,
    administrators: Vec<Option<Rc<Grant>>>,
    empowered: HashMap<usize, Rc<Grant>>,
    facts: HashMap<usize, Rc<Vec<Fact>>>,
    groups: Vec<&'a IamGroup>,
    candidates: Vec<Rc<Vec<ReachCandidate>>>,
    pub(super) regions: Vec<String>,
    /// ARNs of managed policies that allow everything, to be attached.
    powerful: Vec<String>,
}

impl<'a> ReachGraph<'a> {
    pub(super) fn new(account: &'a AccountPolicies) -> Self {
        let principals = account.principals.iter();
        let nodes: Vec<Rc<Principal>> = principals.map(|one| Rc::new(as_read(one))).collect();
        let administrators = nodes
            .iter()
            .map(|node| administrator_grant(node).map(Rc::new));

        let mut powerful = vec![ADMINISTRATOR.to_owned()];
        let own = account.managed.iter();
        powerful.extend(
            own.filter(|(_, policy)| allows_everything(policy))
                .map(|(arn, _)| arn.clone()),
        );
        ReachGraph {
            account,
            administrators: administrators.collect(),
            joined: HashMap::new(),
            empowered: HashMap::new(),
            facts: HashMap::new(),
            groups: account.groups.values().collect(),
            candidates: techniques()
                .iter()
                .map(|technique| Rc::new(candidates(account, technique)))
                .collect(),
            regions: regions(account),
            powerful,
            nodes,
        }
    }

    /// Returns how surely a principal is an administrator already.
    pub(super) fn administrator_strength(&self, at: usize) -> Option<Strength> {
        let grant = self.administrators[at].as_ref()?;
        (grant.strength > Strength::Blocked).then_some(grant.strength)
    }

    pub(super) fn administrator(&self, at: usize) -> Option<Rc<Grant>> {
        self.administrators[at].clone()
    }

    pub(super) fn is_administrator(&self, at: usize) -> bool {
        self.administrator_strength(at).is_some()
    }

    /// Returns how surely a principal is an administrator once any policy is attached to it.
    pub(super) fn empowered(&mut self, at: usize) -> Rc<Grant> {
        let node = &self.nodes[at];
        let grant = self.empowered.entry(at);
        grant
            .or_insert_with(|| Rc::new(empowered_grant(node)))
            .clone()
    }

    /// Returns the group at a position behind the principals.
    pub(super) fn group(&self, target: usize) -> Option<&'a IamGroup> {
        let at = target.checked_sub(self.account.principals.len())?;
        self.groups.get(at).copied()
    }

    /// Returns the ARN of a target.
    pub(super) fn target_arn(&self, target: usize) -> &str {
        match self.account.principals.get(target) {
            Some(principal) => &principal.arn,
            None => self.group(target).map_or("", |group| &group.arn),
        }
    }

    /// Returns the position of a user that has joined a group; none if it is a member already, or
    /// no user.
    pub(super) fn joined(&mut self, user: usize, target: usize) -> Option<usize> {
        let group = self.group(target)?;
        let node = self.nodes.get(user)?;
        let is_new = node.kind == IamPrincipalKind::User && !node.groups.contains(&group.name);
        if !is_new || user >= self.account.principals.len() {
            return None;
        }
        if let Some(at) = self.joined.get(&(user, target)) {
            return Some(*at);
        }

        let mut member = Principal::clone(node);
        member.groups.push(group.name.clone());
        let documents = group.policies.iter().filter(|one| one.document.is_some());
        member.policies.identity.extend(documents.cloned());
        member.attached.extend(group.attached.iter().cloned());
        let at = self.nodes.len();
        self.administrators
            .push(administrator_grant(&member).map(Rc::new));
        self.nodes.push(Rc::new(member));
        self.joined.insert((user, target), at);
        Some(at)
    }

    /// Returns the calls that a principal can make.
    pub(super) fn facts(&mut self, at: usize) -> Rc<Vec<Fact>> {
        if let Some(facts) = self.facts.get(&at) {
            return facts.clone();
        }
        let node = self.nodes[at].clone();
        let mut asked = Asked {
            graph: self,
            node: &node,
            at,
            named: HashMap::new(),
            fixed: HashMap::new(),
            on_targets: HashMap::new(),
        };
        let facts = Rc::new(asked.facts());
        self.facts.insert(at, facts.clone());
        facts
    }
}

/// Key of an answer about a target: action, resource, target, and the service of the target.
type TargetQuestion<'t> = (&'t str, &'t NeededOn, usize, Option<String>);

/// Questions about one principal, with the answers so far.
struct Asked<'g, 'a> {
    graph: &'g ReachGraph<'a>,
    node: &'g Principal,
    at: usize,
    /// Actions that a policy of the principal names.
    named: HashMap<&'static str, bool>,
    fixed: HashMap<(&'static str, &'static str), Option<Grant>>,
    on_targets: HashMap<TargetQuestion<'static>, Option<Grant>>,
}

impl Asked<'_, '_> {
    fn facts(&mut self) -> Vec<Fact> {
        let mut found: BTreeMap<(usize, usize, usize), Grant> = BTreeMap::new();
        for (number, technique) in techniques().iter().enumerate() {
            let candidates = self.graph.candidates[number].clone();
            if candidates.is_empty() {
                continue;
            }
            for (call, permissions) in technique.calls.iter().enumerate() {
                let Some(fixed) = self.fixed_part(permissions) else {
                    continue;
                };
                for candidate in candidates.iter() {
                    let Some(grant) = self.on_candidate(technique, permissions, candidate) else {
                        continue;
                    };
                    let grant = candidate.grant.clone().and(&fixed).and(&grant);
                    let key = (number, call, candidate.target);
                    let best = stronger(found.remove(&key), Some(grant));
                    found.extend(best.map(|grant| (key, grant)));
                }
            }
        }

        let facts = found.into_iter();
        facts
            .map(|((technique, call, target), grant)| Fact {
                technique,
                call,
                target,
                grant: Rc::new(grant),
            })
            .collect()
    }

    fn is_named(&mut self, action: &'static str) -> bool {
        let node = self.node;
        *self
            .named
            .entry(action)
            .or_insert_with(|| names_action(node, action))
    }

    /// Returns the permissions of a call that do not depend on its target.
    fn fixed_part(&mut self, permissions: &'static [NeededPermission]) -> Option<Grant> {
        let mut grant = Grant::certain();
        for needed in permissions {
            // Trust policies allow without a policy of the caller.
            if !needed.action.starts_with("sts:") && !self.is_named(&needed.action) {
                return None;
            }
            let NeededOn::Arn(form) = &needed.on else {
                continue;
            };
            let key = (needed.action.as_str(), form.as_str());
            let answer = match self.fixed.get(&key) {
                Some(answer) => answer.clone(),
                None => {
                    let answer = self
                        .question(&needed.action, &IamContext::default(), None)
                        .on_any(form);
                    self.fixed.insert(key, answer.clone());
                    answer
                }
            };
            grant = grant.and(&answer?);
        }
        Some(grant)
    }

    fn question<'q>(
        &'q self,
        action: &'q str,
        context: &'q IamContext,
        resource_policy: Option<&'q NamedPolicy>,
    ) -> GrantQuestion<'q> {
        GrantQuestion {
            principal: self.node,
            action,
            context,
            resource_policy,
            regions: &self.graph.regions,
        }
    }

    /// Returns the permissions of a call that depend on its target.
    fn on_candidate(
        &mut self,
        technique: &Technique,
        permissions: &'static [NeededPermission],
        candidate: &ReachCandidate,
    ) -> Option<Grant> {
        // A principal gains nothing by becoming itself.
        let is_itself = candidate.target == self.at && !technique.target.is_own();
        let is_assumed = permissions.iter().all(|one| one.action == "sts:AssumeRole");
        let is_elsewhere = self.graph.account.principals.get(candidate.target);
        let is_elsewhere = is_elsewhere.is_some_and(|one| one.account() != self.node.account());
        if is_itself || (is_elsewhere && !is_assumed) {
            return None;
        }

        let mut grant = Grant::certain();
        for needed in permissions.iter().filter(|needed| needed.on.is_of_target()) {
            let service = candidate
                .service
                .clone()
                .filter(|_| needed.action == "iam:PassRole");
            let key = (
                needed.action.as_str(),
                &needed.on,
                candidate.target,
                service,
            );
            let answer = match self.on_targets.get(&key) {
                Some(answer) => answer.clone(),
                None => {
                    let answer = self.on_target(technique, needed, candidate);
                    // The same thing may stand for several kinds of workloads.
                    if needed.on != NeededOn::Workload {
                        self.on_targets.insert(key, answer.clone());
                    }
                    answer
                }
            };
            grant = grant.and(&answer?);
        }
        Some(grant)
    }

    fn on_target(
        &self,
        technique: &Technique,
        needed: &NeededPermission,
        candidate: &ReachCandidate,
    ) -> Option<Grant> {
        let action = needed.action.as_str();
        let target = self.graph.account.principals.get(candidate.target);
        let arn = self.graph.target_arn(candidate.target);
        let context = target.map_or_else(IamContext::default, |one| target_context(one, action));

        match &needed.on {
            NeededOn::Target if action == "sts:AssumeRole" => {
                let trust = target?.trust.as_ref()?;
                // Most roles trust services alone, or the account and its policies.
                let is_named = match strongest_naming(self.node, trust)? {
                    Naming::Account => names_action(self.node, action),
                    Naming::Role | Naming::Direct => true,
                };
                if !is_named {
                    return None;
                }
                let grant = self.question(action, &context, Some(trust)).on(arn)?;
                // A role that does not trust the principal is no way that something stops.
                let is_closed = grant.strength == Strength::Blocked
                    && grant.blocked_by.iter().all(|one| {
                        one.kind == PolicyKind::Trust && one.by == BlockerKind::NotAllowed
                    });
                (!is_closed).then_some(grant)
            }
            NeededOn::TrustingTarget => {
                let trust = trust_in(self.node, arn);
                self.question(action, &context, Some(&trust)).on(arn)
            }
            NeededOn::Target if action == "iam:PassRole" => {
                let context = match &candidate.service {
                    Some(service) => context.with("iam:PassedToService", service),
                    None => context,
                };
                self.question(action, &context, None).on(arn)
            }
            NeededOn::Target | NeededOn::TargetGroup if action.starts_with("iam:Attach") => {
                let resources = self.resources_of(needed, candidate);
                self.attaching(action, &context, &resources)
            }
            NeededOn::Workload if candidate.workloads.is_empty() => {
                let form = technique.workload.as_deref()?;
                self.question(action, &context, None).on_any(form)
            }
            _ => {
                let resources = self.resources_of(needed, candidate);
                self.best_of(action, &context, &resources)
            }
        }
    }

    /// Attaching a policy may be limited to some: each that allows everything is tried.
    fn attaching(&self, action: &str, context: &IamContext, resources: &[String]) -> Option<Grant> {
        let mut best = None;
        for policy in &self.graph.powerful {
            let context = context.clone().with("iam:PolicyARN", policy);
            best = stronger(best, self.best_of(action, &context, resources));
            if best
                .as_ref()
                .is_some_and(|grant| grant.strength == Strength::Certain)
            {
                break;
            }
        }
        best
    }

    fn best_of(&self, action: &str, context: &IamContext, resources: &[String]) -> Option<Grant> {
        let question = self.question(action, context, None);
        let answers = resources.iter().map(|resource| question.on(resource));
        answers.fold(None, stronger)
    }

    /// Returns the ARNs of which one has to be allowed.
    fn resources_of(&self, needed: &NeededPermission, candidate: &ReachCandidate) -> Vec<String> {
        let target = self.graph.account.principals.get(candidate.target);
        match &needed.on {
            NeededOn::Workload => candidate.workloads.clone(),
            NeededOn::TargetPolicy => {
                let attached = target.into_iter().flat_map(|one| &one.attached);
                attached
                    .filter(|arn| !arn.contains(":iam::aws:"))
                    .cloned()
                    .collect()
            }
            NeededOn::TargetGroup => {
                let groups = target.into_iter().flat_map(|one| &one.groups);
                groups
                    .filter_map(|name| self.graph.account.groups.get(name))
                    .map(|group| group.arn.clone())
                    .collect()
            }
            _ => vec![self.graph.target_arn(candidate.target).to_owned()],
        }
    }
}

/// Condition keys that follow from a principal that is changed, passed or assumed.
fn target_context(target: &Principal, action: &str) -> IamContext {
    let mut context = IamContext::default();
    let families: &[&str] = match action.starts_with("iam:") {
        true => &["iam:ResourceTag/", "aws:ResourceTag/"],
        false => &["aws:ResourceTag/"],
    };
    for family in families {
        for (key, value) in &target.tags {
            context.set(&format!("{family}{key}"), [value.as_str()]);
        }
        context.complete_family(family);
    }
    match &target.boundary_arn {
        Some(arn) => context.set("iam:PermissionsBoundary", [arn.as_str()]),
        None => context.set_absent("iam:PermissionsBoundary"),
    }
    context
}

/// Returns how a trust policy possibly names a principal, before its conditions.
fn strongest_naming(principal: &Principal, trust: &NamedPolicy) -> Option<Naming> {
    let caller = principal.caller();
    let context = IamContext::default();
    let statements = trust
        .document
        .iter()
        .flat_map(|document| &document.statements);
    statements
        .filter(|statement| statement.effect == PolicyEffect::Allow)
        .filter_map(|statement| statement.principals.as_ref())
        .flat_map(|principals| caller.named_by(principals, &context))
        .map(|(_, naming)| naming)
        .max()
}

/// Returns the trust policy that a principal writes to let itself in.
fn trust_in(principal: &Principal, role: &str) -> NamedPolicy {
    let statement = PolicyStatement {
        name: "the new trust policy".to_owned(),
        effect: PolicyEffect::Allow,
        principals: Some(Principals {
            negated: false,
            names: vec![PrincipalName::Aws(principal.arn.clone())],
        }),
        actions: Patterns {
            negated: false,
            patterns: vec!["sts:assumerole".to_owned()],
        },
        action_names: vec!["sts:AssumeRole".to_owned()],
        resources: None,
        conditions: Vec::new(),
    };
    let policy = IamPolicy {
        has_variables: true,
        statements: vec![statement],
    };
    NamedPolicy::new(PolicyKind::Trust, role, policy)
}

fn allows_everything(policy: &IamPolicy) -> bool {
    let mut statements = policy.statements.iter();
    statements.any(|statement| statement.conditions.is_empty() && statement.allows_everything())
}
