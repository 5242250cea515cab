//! Access that a policy of a resource gives to callers outside its account.
//!
//! A caller chooses the transport, the user agent, request tags and most other keys, so a condition
//! on them bounds nothing, and a denial under them can be avoided. Keys of the origin are evaluated;
//! tags of the resource and the time are not known here and make access possible rather than certain.

use serde::Serialize;

use crate::arn::account_of;
use crate::caller::IamCaller;
use crate::context::IamContext;
use crate::document::{
    IamPolicy, Patterns, PolicyCondition, PolicyEffect, PolicyStatement, PrincipalName,
};
use crate::operator::{ConditionComparison, Quantifier};
use crate::origin::{OriginKey, is_bounded_origin, origin_key};
use crate::pattern::matches;
use crate::truth::Truth;

/// Caller outside the account of a resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "name")]
pub enum Outsider {
    Everyone,
    /// Everyone from an address range, a network or an endpoint of a network.
    Network(String),
    /// Accounts of an organisation, which may be the resource's own.
    Organization(String),
    /// Another account; the canonical identifier of one in old policies of S3.
    Account(String),
    /// Identities of an identity provider.
    Federated(String),
}

/// Certainty of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutsideGrade {
    /// It depends on something that is not known.
    Possible,
    Certain,
}

/// Access of a caller outside the account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct OutsideAccess {
    pub who: Outsider,
    /// The asked actions that are allowed, in the order of the question.
    pub actions: Vec<String>,
    /// `Sid` of the statement that allows, or its number.
    pub statement: String,
    pub grade: OutsideGrade,
    /// Conditions for which the access is possible rather than certain.
    pub conditions: Vec<String>,
}

/// Key whose value is agreed between two accounts: everyone else does not know it.
const EXTERNAL_ID: &str = "sts:externalid";

/// Returns the access to a resource from outside its account: for each statement that allows one
/// of the actions, each outside caller that it names. Services of AWS are no outside callers.
#[must_use]
pub fn outside_access(policy: &IamPolicy, account: &str, actions: &[&str]) -> Vec<OutsideAccess> {
    let mut found = Vec::new();
    let allowing = policy.statements.iter();
    for statement in allowing.filter(|statement| statement.effect == PolicyEffect::Allow) {
        let covered: Vec<&str> = actions
            .iter()
            .copied()
            .filter(|action| statement.covers_action(action))
            .collect();
        if covered.is_empty() {
            continue;
        }

        let mut named = outsiders(statement, account);
        if named.contains(&Outsider::Everyone) {
            named.extend(excepted(policy, account));
        }
        named.sort();
        named.dedup();
        for who in named {
            found.extend(access(policy, statement, who, &covered));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the access of one outside caller by one statement; none if a statement denies all of it.
fn access(
    policy: &IamPolicy,
    statement: &PolicyStatement,
    who: Outsider,
    actions: &[&str],
) -> Option<OutsideAccess> {
    let context = who.context();
    let mut conditions = Vec::new();
    for condition in &statement.conditions {
        match who.can_satisfy(condition, &context, policy.has_variables) {
            Truth::True => {}
            Truth::Unknown => conditions.push(text(condition)),
            Truth::False => return None,
        }
    }

    let denying: Vec<&PolicyStatement> = policy
        .statements
        .iter()
        .filter(|denial| denial.effect == PolicyEffect::Deny && covers(denial, statement))
        .collect();
    let mut allowed = Vec::new();
    for action in actions {
        let truths = denying
            .iter()
            .filter(|denial| denial.covers_action(action))
            .map(|denial| {
                (
                    who.is_denied(denial, &context, policy.has_variables),
                    *denial,
                )
            });
        let strongest = truths.max_by_key(|(truth, _)| *truth);
        match strongest {
            Some((Truth::True, _)) => continue,
            Some((Truth::Unknown, denial)) => {
                conditions.extend(denial.conditions.iter().map(text));
            }
            _ => {}
        }
        allowed.push((*action).to_owned());
    }
    if allowed.is_empty() {
        return None;
    }

    conditions.sort();
    conditions.dedup();
    let is_unnamed = matches!(who, Outsider::Network(_));
    let grade = match conditions.is_empty() && !is_unnamed {
        true => OutsideGrade::Certain,
        false => OutsideGrade::Possible,
    };
    Some(OutsideAccess {
        who,
        actions: allowed,
        statement: statement.name.clone(),
        grade,
        conditions,
    })
}

/// Returns the outside callers that a statement names, within the origins of its conditions.
fn outsiders(statement: &PolicyStatement, account: &str) -> Vec<Outsider> {
    let Some(principals) = &statement.principals else {
        return Vec::new();
    };
    // Allowing all but the named ones lets everyone else in.
    if principals.negated {
        return bounded(Outsider::Everyone, statement, account);
    }

    let named = principals.names.iter().filter_map(|name| match name {
        PrincipalName::Everyone => Some(Outsider::Everyone),
        PrincipalName::Aws(name) => {
            let owner = account_of(name)?;
            (owner != account).then(|| Outsider::Account(owner.to_owned()))
        }
        PrincipalName::CanonicalUser(id) => Some(Outsider::Account(id.clone())),
        PrincipalName::Federated(provider) => Some(Outsider::Federated(provider.clone())),
        PrincipalName::Service(_) => None,
    });
    let mut found: Vec<Outsider> = named
        .flat_map(|who| bounded(who, statement, account))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Narrows "everyone" by the conditions that bound the origin: accounts first, then organisations,
/// then networks.
fn bounded(who: Outsider, statement: &PolicyStatement, account: &str) -> Vec<Outsider> {
    if who != Outsider::Everyone {
        return vec![who];
    }
    let mut bounds: Vec<(OriginKey, &PolicyCondition)> = statement
        .conditions
        .iter()
        .filter(|condition| is_bounded_origin(condition))
        .filter_map(|condition| Some((origin_key(&condition.key)?, condition)))
        .collect();
    bounds.sort_by_key(|(kind, _)| *kind);

    match bounds.first() {
        None => vec![who],
        Some((kind, condition)) => origins(*kind, condition, account),
    }
}

/// Returns the callers that statements except from a denial: with "denied unless from this
/// organisation", its accounts are let in by a statement that lets everyone in.
fn excepted(policy: &IamPolicy, account: &str) -> Vec<Outsider> {
    let denials = policy.statements.iter();
    denials
        .filter(|statement| statement.effect == PolicyEffect::Deny)
        .flat_map(|statement| &statement.conditions)
        .filter(|condition| condition.operator.negated)
        .filter_map(|condition| Some((origin_key(&condition.key)?, condition)))
        .flat_map(|(kind, condition)| origins(kind, condition, account))
        .collect()
}

/// Returns the outside callers that the values of a condition on an origin name.
fn origins(kind: OriginKey, condition: &PolicyCondition, account: &str) -> Vec<Outsider> {
    let values = condition.values.iter();
    match kind {
        OriginKey::Account | OriginKey::Arn => {
            let accounts = values.map(|value| account_of(value).unwrap_or(value));
            accounts
                .filter(|owner| *owner != account && !owner.is_empty())
                .map(|owner| match owner.starts_with("arn:") {
                    // An ARN without an account, such as that of a bucket.
                    true => Outsider::Network(owner.to_owned()),
                    false => Outsider::Account(owner.to_owned()),
                })
                .collect()
        }
        OriginKey::Organization => values
            .map(|value| value.split('/').next().unwrap_or(value))
            .map(|id| Outsider::Organization(id.to_owned()))
            .collect(),
        OriginKey::Network => values
            .map(|value| Outsider::Network(value.clone()))
            .collect(),
        // The identifier of a principal does not show its account.
        OriginKey::Identifier => values
            .map(|value| Outsider::Network(format!("{} {value}", condition.key)))
            .collect(),
    }
}

/// Returns `true` if a denial is about all resources that an allowing statement is about.
fn covers(denial: &PolicyStatement, allowing: &PolicyStatement) -> bool {
    let Some(denied) = &denial.resources else {
        return true;
    };
    let is_named = |resource: &String| {
        denied
            .patterns
            .iter()
            .any(|pattern| matches(pattern, resource))
    };
    match &allowing.resources {
        Some(Patterns {
            negated: false,
            patterns,
        }) if !denied.negated => patterns.iter().all(is_named),
        _ => !denied.negated && denied.patterns.iter().any(|pattern| pattern == "*"),
    }
}

impl Outsider {
    fn caller(&self) -> Option<IamCaller> {
        match self {
            Outsider::Everyone | Outsider::Network(_) => Some(IamCaller::Anonymous),
            Outsider::Account(account) => Some(IamCaller::Root {
                account: account.clone(),
            }),
            Outsider::Federated(provider) => Some(IamCaller::Federated {
                provider: provider.clone(),
            }),
            Outsider::Organization(_) => None,
        }
    }

    fn context(&self) -> IamContext {
        let mut context = match self {
            Outsider::Account(account) => IamContext::default()
                .with("aws:PrincipalAccount", account)
                .with("kms:CallerAccount", account),
            Outsider::Organization(id) => IamContext::default().with("aws:PrincipalOrgID", id),
            Outsider::Everyone | Outsider::Network(_) | Outsider::Federated(_) => self
                .caller()
                .map(|caller| caller.context())
                .unwrap_or_default(),
        };
        // Everyone includes callers from everywhere, also with an account of theirs.
        if *self == Outsider::Everyone {
            context.set("aws:SourceIp", ["198.51.100.7"]);
            context.set_absent("aws:SourceVpc");
            context.set_absent("aws:SourceVpce");
        }
        context
    }

    /// Returns the truth of a condition for this caller, which chooses all keys but those of the
    /// origin.
    fn can_satisfy(
        &self,
        condition: &PolicyCondition,
        context: &IamContext,
        has_variables: bool,
    ) -> Truth {
        if is_bounded_origin(condition)
            && matches!(self, Outsider::Network(_) | Outsider::Organization(_))
        {
            return Truth::True;
        }
        if origin_key(&condition.key).is_some() {
            return match (self, is_bounded_origin(condition)) {
                // The caller was named by this condition.
                (Outsider::Account(_), true) => condition
                    .is_satisfied(context, has_variables)
                    .or(Truth::Unknown),
                (_, true) => condition.is_satisfied(context, has_variables),
                // `*` and nearly everything bound nothing.
                (_, false) if !condition.operator.refuses() => Truth::True,
                _ => condition.is_satisfied(context, has_variables),
            };
        }

        let key = condition.key.as_str();
        let is_agreed = key == EXTERNAL_ID && !matches!(self, Outsider::Account(_));
        let is_claim = matches!(self, Outsider::Federated(_)) && is_claim(key);
        match is_agreed || is_claim || is_of_resource(key) {
            true => Truth::Unknown,
            false => Truth::True,
        }
    }

    /// Returns the truth that a statement denies this caller; conditions on keys that the caller
    /// chooses can be avoided.
    fn is_denied(
        &self,
        denial: &PolicyStatement,
        context: &IamContext,
        has_variables: bool,
    ) -> Truth {
        let named = match (&denial.principals, self.caller()) {
            (Some(principals), Some(caller)) => caller
                .named_by(principals, context)
                .first()
                .map_or(Truth::False, |(truth, _)| *truth),
            (Some(principals), None) => match principals.names.contains(&PrincipalName::Everyone) {
                true => Truth::from(!principals.negated),
                false => Truth::Unknown,
            },
            (None, _) => Truth::False,
        };

        let conditions = denial.conditions.iter().map(|condition| {
            if origin_key(&condition.key).is_some() {
                return condition.is_satisfied(context, has_variables);
            }
            match is_of_resource(&condition.key) {
                true => Truth::Unknown,
                // An absent key is a choice too: only a denial that every value satisfies stays.
                false => Truth::from(is_unavoidable(condition)),
            }
        });
        conditions.fold(named, Truth::and)
    }
}

/// Returns `true` for a condition that no choice of the caller avoids.
fn is_unavoidable(condition: &PolicyCondition) -> bool {
    condition.operator.comparison == ConditionComparison::Like
        && !condition.operator.negated
        && condition.operator.if_exists
        && condition.operator.quantifier != Some(Quantifier::ForAnyValue)
        && condition.values.iter().any(|value| value == "*")
}

/// Returns `true` for keys about the resource or the time, whose values are not known here.
fn is_of_resource(key: &str) -> bool {
    key.contains("resourcetag/")
        || key.contains("existingobjecttag/")
        || key.starts_with("aws:resource")
        || ["aws:currenttime", "aws:epochtime"].contains(&key)
}

/// Returns `true` for claims of a token, such as `token.actions.githubusercontent.com:sub`.
fn is_claim(key: &str) -> bool {
    let is_global = key.starts_with("aws:") || key.starts_with("sts:");
    !is_global
        && [":sub", ":aud", ":amr", ":iss"]
            .iter()
            .any(|end| key.ends_with(end))
}

fn text(condition: &PolicyCondition) -> String {
    format!("{} {}", condition.operator_name, condition.key)
}

#[cfg(test)]
mod tests;
