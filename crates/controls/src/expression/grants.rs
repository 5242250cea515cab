//! Grants of AWS policies: which statements let their holder use an action on every resource.
//!
//! Patterns are those of IAM (IAM User Guide, "IAM JSON policy elements: Action", "NotAction",
//! "Resource" and "NotResource"): `*` and `?`, actions without regard to letter case. A statement
//! counts unless a condition narrows who calls or what is touched, or an unconditional Deny takes
//! the action away.

use std::sync::Arc;

use cel::{ExecutionError, Value};
use reeve_iam::{PolicyEffect, PolicyStatement, is_all, matches};

use super::policy::statements;
use super::values::{elements, text};

/// Condition keys that say which of a policy's holders calls, or from where. Keys of the holder's
/// account or organisation are none: every holder fulfils them.
const CALLER_KEYS: [&str; 12] = [
    "aws:calledvia",
    "aws:calledviafirst",
    "aws:calledvialast",
    "aws:principalarn",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceip",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "aws:userid",
    "aws:username",
    "kms:viaservice",
];

/// Condition keys that say which resources are touched, or how far the outcome reaches.
const RESOURCE_KEYS: [&str; 8] = [
    "iam:associatedresourcearn",
    "iam:awsservicename",
    "iam:passedtoservice",
    "iam:permissionsboundary",
    "iam:policyarn",
    "kms:requestalias",
    "kms:resourcealiases",
    "secretsmanager:secretid",
];

/// Beginnings of condition keys that name a tag or a part of an encryption context behind them.
const KEY_FAMILIES: [&str; 5] = [
    "aws:principaltag/",
    "aws:resourcetag/",
    "iam:resourcetag/",
    "kms:encryptioncontext:",
    "secretsmanager:resourcetag/",
];

/// Condition keys that narrow if they must be true: a service of AWS calls, not a person.
const SERVICE_FLAGS: [&str; 2] = ["aws:viaawsservice", "kms:grantisforawsresource"];

/// Stands for a name that nobody wrote into a policy.
const ANY_NAME: &str = "\u{1}\u{1}\u{1}";

/// Resources of one kind, as checks write them: a service and the beginning of what follows the
/// account in an ARN (`iam:role/`, `secretsmanager:secret:`).
struct ResourceKindPattern<'t> {
    service: &'t str,
    /// Last part of the ARN of a resource whose name nobody wrote down.
    any: String,
}

impl<'t> ResourceKindPattern<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let (service, beginning) = text.split_once(':')?;
        Some(ResourceKindPattern {
            service,
            any: format!("{beginning}{ANY_NAME}"),
        })
    }

    /// Returns `true` if an ARN pattern covers every resource of the kind, in one account and
    /// region at least; in all of them if `in_all_accounts`.
    fn is_covered_by(&self, pattern: &str, in_all_accounts: bool) -> bool {
        let fields: Vec<&str> = pattern.splitn(6, ':').collect();
        let [_, partition, service, region, account, resource] = fields.as_slice() else {
            // `*`, and the rare `arn:aws:iam::*`, whose last asterisk stands for all that follows.
            let is_open = |(at, field): (usize, &&str)| match at {
                0 => matches(field, "arn"),
                2 => matches(field, self.service),
                _ => true,
            };
            return pattern.ends_with('*')
                && fields.last().is_some_and(|last| is_all(last))
                && fields.iter().enumerate().all(is_open);
        };

        let is_unbounded = |field: &str| field.is_empty() || is_all(field);
        matches(service, self.service)
            && matches(resource, &self.any)
            && (!in_all_accounts
                || (is_unbounded(region) && is_unbounded(account) && !partition.is_empty()))
    }
}

/// `allows(policy, actions, resources)`: statements that allow one of the actions on every resource
/// of a kind: `allows(doc.Policy, "sts:AssumeRole", "iam:role/")`. The action `iam:*` asks for all
/// actions of a service.
pub(super) fn allows(
    policy: Value,
    actions: Value,
    resources: Arc<String>,
) -> Result<Value, ExecutionError> {
    let fault = |reason: &str| ExecutionError::function_error("allows", reason);
    let Some(kind) = ResourceKindPattern::read(&resources) else {
        return Err(fault("the resources are no service and kind"));
    };
    if !matches!(policy, Value::Map(_)) {
        return Err(fault("the policy is no object"));
    }

    let statements = statements(&policy);
    let denials: Vec<&PolicyStatement> = statements
        .iter()
        .map(|(_, statement)| statement)
        .filter(|one| one.effect == PolicyEffect::Deny && one.conditions.is_empty())
        .filter(|one| covers_resources(one, &kind, true))
        .collect();
    let actions = elements(&actions);
    let granted: Vec<&str> = actions
        .iter()
        .filter_map(text)
        .filter(|action| !denials.iter().any(|denial| denial.covers_action(action)))
        .collect();

    let found = statements.iter().filter(|(_, statement)| {
        statement.effect == PolicyEffect::Allow
            && granted.iter().any(|action| statement.covers_action(action))
            && covers_resources(statement, &kind, false)
            && !is_narrowed(statement)
    });
    Ok(Value::List(Arc::new(
        found.map(|(value, _)| value.clone()).collect(),
    )))
}

fn covers_resources(
    statement: &PolicyStatement,
    kind: &ResourceKindPattern<'_>,
    in_all_accounts: bool,
) -> bool {
    let Some(resources) = &statement.resources else {
        return false;
    };
    let is_named = resources
        .patterns
        .iter()
        .any(|pattern| kind.is_covered_by(pattern, in_all_accounts));
    is_named != resources.negated
}

/// Returns `true` if a condition narrows who of the holders may call, or what may be touched. A
/// second factor, the time and the transport narrow neither.
fn is_narrowed(statement: &PolicyStatement) -> bool {
    statement.conditions.iter().any(|condition| {
        let values = &condition.values;
        if condition.operator.refuses() || values.is_empty() {
            return false;
        }

        let key = condition.key.as_str();
        if SERVICE_FLAGS.contains(&key) {
            return values.iter().all(|value| value == "true");
        }
        let is_narrowing = CALLER_KEYS.contains(&key)
            || RESOURCE_KEYS.contains(&key)
            || KEY_FAMILIES.iter().any(|family| key.starts_with(family));
        is_narrowing && values.iter().all(|value| !is_wide(value))
    })
}

/// Returns `true` for values that all or nearly all callers and resources have.
fn is_wide(value: &str) -> bool {
    if let Ok(range) = value.parse::<ipnet::IpNet>() {
        return range.prefix_len() < 8;
    }

    let name = match value.splitn(6, ':').nth(5) {
        // Behind the kind of an ARN: `arn:aws:iam::aws:policy/*` is every policy of AWS.
        Some(resource) if value.starts_with("arn:") => {
            resource.rsplit(['/', ':']).next().unwrap_or(resource)
        }
        _ => value
            .trim_end_matches(".cn")
            .trim_end_matches(".amazonaws.com"),
    };
    is_all(name)
}

#[cfg(test)]
mod tests;
