//! Questions about policies of AWS: who is let in, from where, and to what. `reeve-iam` reads the
//! policies and matches their patterns.
//!
//! A statement counts as narrowed only by a condition whose key the caller cannot choose: the
//! account, organisation, network or resource that a request comes from ("The meaning of public",
//! Amazon S3 User Guide, "Blocking public access").

use std::sync::Arc;

use cel::Value;
use reeve_iam::arn::account_of;
use reeve_iam::{
    ConditionComparison, Patterns, PolicyEffect, PolicyStatement, PrincipalName, is_bounded_origin,
};

use super::values::{as_json, elements, member};

/// Statements of a policy: as the policy has them, and as they are read. A statement that is none
/// of IAM's is left out.
pub(super) fn statements(policy: &Value) -> Vec<(Value, PolicyStatement)> {
    let found = member(policy, "Statement").map(elements);
    let numbered = found.unwrap_or_default().into_iter().enumerate();
    numbered
        .filter_map(|(at, value)| {
            let statement = PolicyStatement::read(at + 1, &as_json(&value)).ok()?;
            Some((value, statement))
        })
        .collect()
}

/// Returns the patterns of `Action` or `Resource`; those of `NotAction` and `NotResource` are none.
fn named(patterns: &Patterns) -> &[String] {
    match patterns.negated {
        true => &[],
        false => &patterns.patterns,
    }
}

fn resources(statement: &PolicyStatement) -> &[String] {
    statement.resources.as_ref().map_or(&[], named)
}

fn is_for_everyone(statement: &PolicyStatement) -> bool {
    statement
        .named_principals()
        .any(|name| *name == PrincipalName::Everyone)
}

fn kept(policy: &Value, wanted: impl Fn(&PolicyStatement) -> bool) -> Value {
    let found = statements(policy).into_iter();
    let found = found.filter(|(_, statement)| wanted(statement));
    Value::List(Arc::new(found.map(|(value, _)| value).collect()))
}

/// `public_statements(policy)`: statements that let everybody in.
pub(super) fn public_statements(policy: Value) -> Value {
    kept(&policy, |statement| {
        statement.effect == PolicyEffect::Allow
            && is_for_everyone(statement)
            && !statement.conditions.iter().any(is_bounded_origin)
    })
}

/// `outside_statements(policy, account)`: statements that let in another account than the given
/// one, or everybody.
pub(super) fn outside_statements(policy: Value, account: Arc<String>) -> Value {
    kept(&policy, |statement| {
        let is_outside = |principal: &PrincipalName| match principal {
            PrincipalName::Everyone => true,
            PrincipalName::Aws(name) => {
                account_of(name).is_some_and(|owner| owner != account.as_str())
            }
            _ => false,
        };
        statement.effect == PolicyEffect::Allow
            && statement.named_principals().any(is_outside)
            && !statement.conditions.iter().any(is_bounded_origin)
    })
}

/// `admin_statements(policy)`: statements that allow every action on every resource.
pub(super) fn admin_statements(policy: Value) -> Value {
    kept(&policy, PolicyStatement::allows_everything)
}

/// `demands_tls(policy)`: whether a statement refuses everybody who comes without TLS, for every
/// action, under no further condition, and for a bucket of S3 as well as for its objects.
pub(super) fn demands_tls(policy: Value) -> bool {
    statements(&policy).iter().any(|(_, statement)| {
        statement.effect == PolicyEffect::Deny
            && is_for_everyone(statement)
            && covers_all_actions(statement)
            && covers_bucket_and_objects(statement)
            && is_without_tls_alone(statement)
    })
}

/// Publishing is all that carries data to a topic ("Enforce encryption of data in transit", Amazon
/// SNS Developer Guide, "Security best practices").
fn covers_all_actions(statement: &PolicyStatement) -> bool {
    named(&statement.actions)
        .iter()
        .any(|action| action == "*" || action.ends_with(":*") || action == "sns:publish")
}

fn covers_bucket_and_objects(statement: &PolicyStatement) -> bool {
    let resources = resources(statement);
    let of_buckets: Vec<&String> = resources
        .iter()
        .filter(|resource| resource.contains(":s3:::"))
        .collect();
    let is_every_bucket = |resource: &&String| resource.ends_with(":s3:::*");

    of_buckets.is_empty()
        || of_buckets.iter().any(is_every_bucket)
        || (of_buckets.iter().any(|resource| resource.ends_with("/*"))
            && of_buckets.iter().any(|resource| !resource.contains('/')))
}

/// The condition is that a request comes without TLS, and nothing else.
fn is_without_tls_alone(statement: &PolicyStatement) -> bool {
    let [condition] = statement.conditions.as_slice() else {
        return false;
    };
    let operator = condition.operator;

    operator.comparison == ConditionComparison::Bool
        && operator.quantifier.is_none()
        && condition.key == "aws:securetransport"
        && condition.values.iter().any(|value| value == "false")
}
