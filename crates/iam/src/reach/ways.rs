//! Ways of one principal: to administrators, and else to principals and resources that it cannot
//! use itself.

use std::collections::{BTreeMap, HashSet};

use crate::account::Principal;
use crate::arn::Arn;
use crate::context::IamContext;
use crate::document::PolicyEffect;
use crate::pattern::ANY_LETTER;
use crate::technique::techniques;

use super::facts::ReachGraph;
use super::grant::{Grant, GrantQuestion, Strength};
use super::search::{Gain, Search};
use super::way::{ADMIN, AccessReach, BlockedBy, PathStep, ReachGrade, UsedPermission};

/// Actions that stand for access to the data of a resource, with what follows its ARN.
const DATA_ACTIONS: [(&str, &str, &str); 9] = [
    ("dynamodb", "dynamodb:GetItem", ""),
    ("kms", "kms:Decrypt", ""),
    ("lambda", "lambda:InvokeFunction", ""),
    ("s3", "s3:GetObject", "/\u{1}"),
    ("secretsmanager", "secretsmanager:GetSecretValue", ""),
    ("sns", "sns:Publish", ""),
    ("sqs", "sqs:ReceiveMessage", ""),
    ("ssm", "ssm:GetParameter", ""),
    ("ecr", "ecr:BatchGetImage", ""),
];
/// Actions that stand for all that a statement with `NotAction` allows.
const ANY_ACTIONS: [&str; 6] = [
    "iam:CreateUser",
    "ec2:RunInstances",
    "s3:GetObject",
    "lambda:InvokeFunction",
    "secretsmanager:GetSecretValue",
    "kms:Decrypt",
];

/// Ways of one principal.
pub(super) struct Ways<'g, 'a> {
    graph: &'g mut ReachGraph<'a>,
    from: usize,
}

impl<'g, 'a> Ways<'g, 'a> {
    /// Returns the ways of a principal that is no administrator: the best one to administrators,
    /// and if it is not certain, those to other principals and resources.
    pub(super) fn of(graph: &'g mut ReachGraph<'a>, from: usize) -> Vec<AccessReach> {
        let mut ways = Ways { graph, from };
        let mut found = Vec::new();

        let certain = ways.search(Strength::Certain);
        if let Some(way) = certain.way {
            found.push(way);
            return found;
        }
        let possible = ways.search(Strength::Possible);
        match possible.way {
            Some(way) => found.push(way),
            None => found.extend(ways.search(Strength::Blocked).way),
        }

        found.extend(ways.others(&certain.gains, &possible.gains));
        found
    }

    fn search(&mut self, least: Strength) -> Found {
        let mut search = Search::new(self.graph, self.from, least);
        let goal = search.administrator();
        let gains = Gains {
            order: search.controlled.split_off(1),
            by_principal: std::mem::take(&mut search.gains).into_iter().collect(),
        };
        let way = goal.map(|goal| self.reach(ADMIN, &gains, Some(&goal), None));
        Found { way, gains }
    }

    /// Returns a reach: the steps that lead to a principal, and a last one.
    fn reach(
        &self,
        reaches: &str,
        gains: &Gains,
        last: Option<&Gain>,
        to: Option<usize>,
    ) -> AccessReach {
        let mut steps = Vec::new();
        let mut is_done = HashSet::from([self.from]);
        if let Some(to) = to {
            self.add_steps(gains, to, &mut is_done, &mut steps);
        }
        if let Some(last) = last {
            self.add_gain(gains, last, &mut is_done, &mut steps);
        }

        let strength = steps.iter().flat_map(|gain| {
            let calls = gain.calls.iter().map(|(_, grant)| grant.strength);
            calls.chain([gain.outcome.strength])
        });
        let mut blocked_by: Vec<BlockedBy> = steps
            .iter()
            .flat_map(|gain| {
                gain.calls
                    .iter()
                    .map(|(_, grant)| grant)
                    .chain([&gain.outcome])
            })
            .flat_map(|grant| grant.blocked_by.iter().cloned())
            .collect();
        blocked_by.sort();
        blocked_by.dedup();

        AccessReach {
            principal: self.graph.nodes[self.from].arn.clone(),
            reaches: reaches.to_owned(),
            grade: match strength.min().unwrap_or(Strength::Certain) {
                Strength::Certain => ReachGrade::Certain,
                Strength::Possible => ReachGrade::Possible,
                Strength::Blocked => ReachGrade::Blocked,
            },
            path: steps.iter().map(|gain| self.step(gain)).collect(),
            gains: None,
            blocked_by,
            unread: Vec::new(),
        }
    }

    /// Adds the steps by which a principal is gained, after those that they build on.
    fn add_steps<'s>(
        &self,
        gains: &'s Gains,
        node: usize,
        is_done: &mut HashSet<usize>,
        steps: &mut Vec<&'s Gain>,
    ) {
        if !is_done.insert(node) {
            return;
        }
        if let Some(gain) = gains.by_principal.get(&node) {
            self.add_gain(gains, gain, is_done, steps);
        }
    }

    fn add_gain<'s>(
        &self,
        gains: &'s Gains,
        gain: &'s Gain,
        is_done: &mut HashSet<usize>,
        steps: &mut Vec<&'s Gain>,
    ) {
        let callers = gain.calls.iter().map(|(caller, _)| *caller);
        for node in callers.chain(gain.own) {
            self.add_steps(gains, node, is_done, steps);
        }
        steps.push(gain);
    }

    fn step(&self, gain: &Gain) -> PathStep {
        let technique = &techniques()[gain.technique];
        let mut depends_on: Vec<String> = gain
            .calls
            .iter()
            .map(|(_, grant)| grant)
            .chain([&gain.outcome])
            .flat_map(|grant| grant.depends_on.iter().cloned())
            .collect();
        depends_on.sort();
        depends_on.dedup();

        let allowed_by = gain.calls.iter().flat_map(|(caller, grant)| {
            let by = &self.graph.nodes[*caller].arn;
            grant.permissions.iter().map(move |one| UsedPermission {
                by: by.clone(),
                action: one.action.clone(),
                resource: one.resource.clone(),
                statements: one.statements.clone(),
            })
        });
        PathStep {
            technique: technique.id.clone(),
            title: technique.title.clone(),
            target: self.graph.target_arn(gain.target).to_owned(),
            allowed_by: allowed_by.collect(),
            assumes: technique.assumes.clone(),
            depends_on,
        }
    }

    /// Returns the ways to principals with permissions that the first one lacks, and to resources.
    fn others(&self, certain: &Gains, possible: &Gains) -> Vec<AccessReach> {
        let mut found: BTreeMap<String, AccessReach> = BTreeMap::new();
        for gains in [certain, possible] {
            for node in &gains.order {
                let target = self.graph.nodes[*node].clone();
                let arn = match self.graph.account.principals.get(*node) {
                    Some(principal) => principal.arn.clone(),
                    // A user with the permissions of a group gains the group's.
                    None => self.target_of(gains, *node),
                };
                if found.contains_key(&arn) || self.graph.is_administrator(*node) {
                    continue;
                }
                let Some(permission) = self.gained(&target) else {
                    continue;
                };
                let mut way = self.reach(&arn, gains, None, Some(*node));
                way.gains = Some(permission);
                found.insert(arn, way);
                self.add_resources(gains, *node, &target, &mut found);
            }
        }
        found.into_values().collect()
    }

    fn target_of(&self, gains: &Gains, node: usize) -> String {
        let gain = gains.by_principal.get(&node);
        gain.map_or_else(String::new, |gain| {
            self.graph.target_arn(gain.target).to_owned()
        })
    }

    fn add_resources(
        &self,
        gains: &Gains,
        node: usize,
        target: &Principal,
        found: &mut BTreeMap<String, AccessReach>,
    ) {
        for (arn, policy) in &self.graph.account.resource_policies {
            let service = Arn::read(arn).map_or("", |arn| arn.service);
            let action = DATA_ACTIONS.iter().find(|(name, _, _)| *name == service);
            let Some((_, action, suffix)) = action.filter(|_| !found.contains_key(arn)) else {
                continue;
            };
            let resource = format!("{arn}{suffix}");
            let ask = |principal: &Principal| {
                let context = IamContext::default();
                let question = GrantQuestion {
                    principal,
                    action,
                    context: &context,
                    resource_policy: Some(policy),
                    regions: &self.graph.regions,
                };
                question
                    .on(&resource)
                    .filter(|grant| grant.strength > Strength::Blocked)
            };

            if ask(&self.graph.nodes[self.from]).is_some() {
                continue;
            }
            let Some(grant) = ask(target) else {
                continue;
            };
            let mut way = self.reach(arn, gains, None, Some(node));
            if grant.strength == Strength::Possible {
                way.grade = ReachGrade::Possible;
            }
            way.path.push(access_step(target, arn, &grant));
            way.gains = Some(format!("{action} on {}", resource.replace(ANY_LETTER, "*")));
            found.insert(arn.clone(), way);
        }
    }

    /// Returns a permission that a principal has and the first one lacks.
    fn gained(&self, target: &Principal) -> Option<String> {
        let from = &self.graph.nodes[self.from];
        let documents = target.policies.identity.iter();
        let statements = documents
            .filter_map(|policy| policy.document.as_ref())
            .flat_map(|document| &document.statements)
            .filter(|statement| statement.effect == PolicyEffect::Allow);
        for statement in statements {
            let actions: Vec<&str> = match statement.actions.negated {
                true => ANY_ACTIONS.to_vec(),
                false => statement.action_names.iter().map(String::as_str).collect(),
            };
            let everything = ["*".to_owned()];
            let resources = match &statement.resources {
                Some(resources) if !resources.negated => resources.patterns.as_slice(),
                _ => everything.as_slice(),
            };
            for action in actions {
                for resource in resources {
                    if self.is_gained(from, target, action, resource) {
                        return Some(format!("{action} on {resource}"));
                    }
                }
            }
        }
        None
    }

    fn is_gained(
        &self,
        from: &Principal,
        target: &Principal,
        action: &str,
        resource: &str,
    ) -> bool {
        let letter = ANY_LETTER.to_string();
        let action = match action {
            "*" => format!("{letter}:{letter}"),
            action => action.replace('*', &letter),
        };
        let resource = match resource {
            "*" => format!("arn:aws:{letter}:::{letter}"),
            resource => resource.replace('*', &letter),
        };
        let context = IamContext::default();
        let strength = |principal: &Principal| {
            let question = GrantQuestion {
                principal,
                action: &action,
                context: &context,
                resource_policy: None,
                regions: &self.graph.regions,
            };
            question.on(&resource).map(|grant| grant.strength)
        };
        let is_allowed = |strength: Option<Strength>| strength > Some(Strength::Blocked);
        is_allowed(strength(target)) && !is_allowed(strength(from))
    }
}

/// Step that uses what was gained.
fn access_step(target: &Principal, arn: &str, grant: &Grant) -> PathStep {
    let permissions = grant.permissions.iter();
    PathStep {
        technique: "access".to_owned(),
        title: "use the resource".to_owned(),
        target: arn.to_owned(),
        allowed_by: permissions
            .map(|one| UsedPermission {
                by: target.arn.clone(),
                action: one.action.clone(),
                resource: one.resource.clone(),
                statements: one.statements.clone(),
            })
            .collect(),
        assumes: None,
        depends_on: grant.depends_on.clone(),
    }
}

/// Principals that a search gained, in the order in which it did.
struct Gains {
    order: Vec<usize>,
    by_principal: BTreeMap<usize, Gain>,
}

struct Found {
    way: Option<AccessReach>,
    gains: Gains,
}
