//! Least policies: what is left of a principal's policies if actions go that were not used.
//!
//! Absence from a log is evidence only where the log would have had the event. Actions that were
//! not recorded stay as they are granted and are named; without any record there is no advice.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::document::{IamPolicy, Patterns, PolicyEffect, PolicyStatement};
use crate::pattern::{common_text, matches};
use crate::policy_set::NamedPolicy;

/// Actions whose events were not recorded, with the reason, such as data events of S3.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unrecorded {
    /// Pattern of actions: `s3:GetObject`, `lambda:Invoke*`, `dynamodb:*`.
    pub actions: String,
    pub reason: String,
}

/// Use of a principal over a window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionUse {
    /// Days for which events were recorded; without any, nothing can be judged.
    pub days: u32,
    /// Actions that were used.
    pub used: BTreeSet<String>,
    pub unrecorded: Vec<Unrecorded>,
}

/// A policy after the cut.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeastDocument {
    pub policy: String,
    /// `true` if the document differs from the policy's own.
    pub is_changed: bool,
    /// None if nothing of the policy is left: it can be detached.
    pub document: Option<Value>,
}

/// Least policies of a principal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeastPolicies {
    pub days: u32,
    pub policies: Vec<LeastDocument>,
    /// Actions that were used and stay.
    pub kept: Vec<String>,
    /// Patterns of actions that are granted and were not used, or whose unused rest goes.
    pub cut: Vec<String>,
    /// Granted actions that cannot be judged and stay, with the reason.
    pub unjudged: Vec<Unrecorded>,
    /// Actions that were used and that none of the policies grants: a resource's policy does.
    pub not_granted: Vec<String>,
    /// Names of policies that were not read and stay.
    pub unread: Vec<String>,
}

/// Reason for which there is no advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeastPolicyError {
    /// The window has no recorded day.
    #[error("no events were recorded in the window, so nothing can be judged")]
    NothingRecorded,
}

/// Returns the least policies for a use.
///
/// # Errors
/// No day was recorded.
pub fn least_policies(
    policies: &[NamedPolicy],
    action_use: &ActionUse,
) -> Result<LeastPolicies, LeastPolicyError> {
    if action_use.days == 0 {
        return Err(LeastPolicyError::NothingRecorded);
    }

    let used: BTreeMap<String, &String> = action_use
        .used
        .iter()
        .map(|action| (action.to_ascii_lowercase(), action))
        .collect();
    let mut cut = Cut {
        action_use,
        used: &used,
        kept: BTreeSet::new(),
        gone: BTreeSet::new(),
        unjudged: BTreeSet::new(),
    };
    let mut documents = Vec::new();
    let mut unread = Vec::new();
    for policy in policies {
        match &policy.document {
            Some(document) => documents.push(cut.policy(&policy.name, document)),
            None => unread.push(policy.name.to_string()),
        }
    }

    let not_granted = used.iter().filter(|(lower, _)| !cut.kept.contains(*lower));
    Ok(LeastPolicies {
        days: action_use.days,
        not_granted: not_granted.map(|(_, action)| (*action).clone()).collect(),
        kept: cut.kept.iter().map(|lower| used[lower].clone()).collect(),
        cut: cut.gone.into_iter().collect(),
        unjudged: cut.unjudged.into_iter().collect(),
        policies: documents,
        unread,
    })
}

/// Cut of several policies for one use.
struct Cut<'u> {
    action_use: &'u ActionUse,
    /// Used actions by their lower case.
    used: &'u BTreeMap<String, &'u String>,
    kept: BTreeSet<String>,
    gone: BTreeSet<String>,
    unjudged: BTreeSet<Unrecorded>,
}

impl Cut<'_> {
    fn policy(&mut self, name: &str, policy: &IamPolicy) -> LeastDocument {
        let mut is_changed = false;
        let mut statements = Vec::new();
        for statement in &policy.statements {
            if statement.effect == PolicyEffect::Deny {
                statements.push(statement_json(
                    statement,
                    statement.actions.negated,
                    &statement.action_names,
                ));
                continue;
            }
            let actions = self.actions(statement);
            is_changed |= actions != statement.actions;
            if !actions.patterns.is_empty() {
                let names = self.written(statement, &actions);
                statements.push(statement_json(statement, actions.negated, &names));
            }
        }

        let version = match policy.has_variables {
            true => "2012-10-17",
            false => "2008-10-17",
        };
        LeastDocument {
            policy: name.to_owned(),
            is_changed,
            document: (!statements.is_empty())
                .then(|| json!({"Version": version, "Statement": statements})),
        }
    }

    /// Returns the actions that stay of a statement that allows.
    fn actions(&mut self, statement: &PolicyStatement) -> Patterns {
        let used: Vec<String> = self
            .used
            .keys()
            .filter(|action| statement.covers_lower_action(action))
            .cloned()
            .collect();
        self.kept.extend(used.iter().cloned());
        match statement.actions.negated {
            true => self.of_negated(statement, used),
            false => self.of_named(statement, &used),
        }
    }

    /// Returns patterns as the policy, the log or the list of unrecorded actions writes them.
    fn written(&self, statement: &PolicyStatement, actions: &Patterns) -> Vec<String> {
        let own = statement.action_names.iter();
        let unrecorded = self.action_use.unrecorded.iter().map(|one| &one.actions);
        let names: Vec<&String> = own
            .chain(self.action_use.used.iter())
            .chain(unrecorded)
            .collect();
        let patterns = actions.patterns.iter();
        patterns
            .map(|pattern| {
                let name = names.iter().find(|name| name.eq_ignore_ascii_case(pattern));
                name.map_or_else(|| pattern.clone(), |name| (*name).clone())
            })
            .collect()
    }

    fn of_named(&mut self, statement: &PolicyStatement, used: &[String]) -> Patterns {
        let mut patterns = BTreeSet::new();
        for (pattern, name) in statement
            .actions
            .patterns
            .iter()
            .zip(&statement.action_names)
        {
            let of_pattern = used.iter().filter(|action| matches(pattern, action));
            let of_pattern: BTreeSet<String> = of_pattern.cloned().collect();
            let unjudged = self.unrecorded(pattern);
            let stays = of_pattern.contains(pattern) || unjudged.contains(pattern);
            if !stays {
                self.gone.insert(name.clone());
            }
            patterns.extend(unjudged);
            patterns.extend(of_pattern);
        }
        Patterns {
            negated: false,
            patterns: in_order(&statement.actions.patterns, patterns),
        }
    }

    /// `NotAction` grants all else: what is used of it, and what was not recorded.
    fn of_negated(&mut self, statement: &PolicyStatement, used: Vec<String>) -> Patterns {
        let refused = &statement.actions.patterns;
        let mut patterns: BTreeSet<String> = used.into_iter().collect();
        for unrecorded in &self.action_use.unrecorded {
            let pattern = unrecorded.actions.to_ascii_lowercase();
            if refused.iter().any(|one| matches(one, &pattern)) {
                continue;
            }
            self.unjudged.insert(unrecorded.clone());
            // A part of it is refused: no list of actions says so, and the statement stays.
            if refused
                .iter()
                .any(|one| common_text(one, &pattern).is_some())
            {
                return statement.actions.clone();
            }
            patterns.insert(pattern);
        }
        self.gone
            .insert(format!("all but {}", statement.action_names.join(", ")));
        Patterns {
            negated: false,
            patterns: patterns.into_iter().collect(),
        }
    }

    /// Returns the part of a granted pattern whose events were not recorded.
    fn unrecorded(&mut self, pattern: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for unrecorded in &self.action_use.unrecorded {
            let actions = unrecorded.actions.to_ascii_lowercase();
            let part = match (matches(&actions, pattern), matches(pattern, &actions)) {
                (true, _) => pattern.to_owned(),
                (false, true) => actions,
                // They overlap: the granted pattern stays whole.
                (false, false) if common_text(pattern, &actions).is_some() => pattern.to_owned(),
                (false, false) => continue,
            };
            found.insert(part);
            self.unjudged.insert(unrecorded.clone());
        }
        found
    }
}

/// Returns patterns in the order of the statement, and new ones behind them, so that a statement of
/// which all stays is the same.
fn in_order(before: &[String], mut patterns: BTreeSet<String>) -> Vec<String> {
    let mut ordered: Vec<String> = Vec::new();
    for pattern in before {
        if patterns.remove(pattern) {
            ordered.push(pattern.clone());
        }
    }
    ordered.extend(patterns);
    ordered
}

fn statement_json(statement: &PolicyStatement, is_negated: bool, actions: &[String]) -> Value {
    let mut members = Map::new();
    if !statement.name.starts_with("statement ") {
        members.insert("Sid".to_owned(), json!(statement.name));
    }
    let effect = match statement.effect {
        PolicyEffect::Allow => "Allow",
        PolicyEffect::Deny => "Deny",
    };
    members.insert("Effect".to_owned(), json!(effect));
    let name = |negated: bool, plain: &str| match negated {
        true => format!("Not{plain}"),
        false => plain.to_owned(),
    };
    members.insert(name(is_negated, "Action"), json!(actions));
    if let Some(resources) = &statement.resources {
        members.insert(
            name(resources.negated, "Resource"),
            json!(resources.patterns),
        );
    }

    let mut operators: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for condition in &statement.conditions {
        let keys = operators.entry(&condition.operator_name).or_default();
        keys.insert(condition.key.clone(), json!(condition.values));
    }
    if !operators.is_empty() {
        members.insert("Condition".to_owned(), json!(operators));
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests;
