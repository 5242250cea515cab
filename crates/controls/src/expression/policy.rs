//! Questions about policies of AWS: who is let in, from where, and to what.
//!
//! A statement counts as narrowed only by a condition whose key the caller cannot choose: the
//! account, organisation, network or resource that a request comes from ("The meaning of public",
//! Amazon S3 User Guide, "Blocking public access").

use std::sync::Arc;

use cel::Value;

use super::values::{elements, member, text};

/// Condition keys that say where a request comes from.
const NARROWING_KEYS: [&str; 16] = [
    "aws:principalaccount",
    "aws:principalarn",
    "aws:principalorgid",
    "aws:principalorgpaths",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceip",
    "aws:sourceorgid",
    "aws:sourceowner",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "aws:userid",
    "kms:calleraccount",
    "s3:dataaccesspointaccount",
    "s3:dataaccesspointarn",
    "s3:x-amz-server-side-encryption-aws-kms-key-id",
];

pub(super) fn statements(policy: &Value) -> Vec<Value> {
    member(policy, "Statement")
        .map(elements)
        .unwrap_or_default()
}

/// Returns `true` if a statement has an effect, `Allow` or `Deny`.
pub(super) fn is_effect(statement: &Value, effect: &str) -> bool {
    member(statement, "Effect").and_then(text) == Some(effect)
}

/// Returns the texts of a member that is one text or a list of them.
pub(super) fn texts(value: &Value, name: &str) -> Vec<String> {
    let found = member(value, name).map(elements).unwrap_or_default();
    found.iter().filter_map(text).map(str::to_owned).collect()
}

/// Returns the AWS principals of a statement: `*`, ARNs and account numbers.
fn principals(statement: &Value) -> Vec<String> {
    match member(statement, "Principal") {
        Some(Value::String(one)) => vec![one.to_string()],
        Some(principal) => texts(principal, "AWS"),
        None => Vec::new(),
    }
}

/// Returns the conditions of a statement: operator and key in lower case, and the values.
pub(super) fn conditions(statement: &Value) -> impl Iterator<Item = (String, String, Vec<Value>)> {
    let pairs = |value: &Value| -> Vec<(String, Value)> {
        let Value::Map(members) = value else {
            return Vec::new();
        };
        let members = members.map.iter();
        members
            .map(|(name, value)| (name.to_string().to_ascii_lowercase(), value.clone()))
            .collect()
    };

    let operators = member(statement, "Condition")
        .map(pairs)
        .unwrap_or_default();
    operators.into_iter().flat_map(move |(operator, keys)| {
        pairs(&keys)
            .into_iter()
            .map(move |(key, values)| (operator.clone(), key, elements(&values)))
    })
}

/// Returns `true` for operators that refuse values in place of naming them, or that hold for a
/// request without the key: `Null` asks whether a key is there, and `ForAllValues` holds without it.
pub(super) fn refuses(operator: &str) -> bool {
    operator.contains("not")
        || operator.ends_with("ifexists")
        || operator == "null"
        || operator.starts_with("forallvalues")
}

/// Returns `true` if a condition bounds where a request may come from.
fn is_narrowed(statement: &Value) -> bool {
    conditions(statement).any(|(operator, key, values)| {
        !refuses(&operator)
            && NARROWING_KEYS.contains(&key.as_str())
            && !values.is_empty()
            && values
                .iter()
                .all(|value| text(value).is_some_and(|value| !is_wide(value)))
    })
}

/// Returns `true` for values that everything or nearly everything matches.
fn is_wide(value: &str) -> bool {
    let range = value.parse::<ipnet::IpNet>();
    let account = value
        .strip_prefix("arn:")
        .and_then(|_| value.split(':').nth(4));
    value.trim_matches('*').is_empty()
        || range.is_ok_and(|range| range.prefix_len() < 8)
        || account.is_some_and(|account| account.contains('*'))
}

fn kept(policy: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
    let found = statements(policy).into_iter().filter(|one| wanted(one));
    Value::List(Arc::new(found.collect()))
}

/// `public_statements(policy)`: statements that let everybody in.
pub(super) fn public_statements(policy: Value) -> Value {
    kept(&policy, |statement| {
        is_effect(statement, "Allow")
            && principals(statement).iter().any(|one| one == "*")
            && !is_narrowed(statement)
    })
}

/// `outside_statements(policy, account)`: statements that let in another account than the given
/// one, or everybody.
pub(super) fn outside_statements(policy: Value, account: Arc<String>) -> Value {
    kept(&policy, |statement| {
        let is_outside = |principal: &String| {
            let owner = principal.split(':').nth(4).unwrap_or(principal);
            principal == "*" || (is_account(owner) && owner != account.as_str())
        };
        is_effect(statement, "Allow")
            && principals(statement).iter().any(is_outside)
            && !is_narrowed(statement)
    })
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `admin_statements(policy)`: statements that allow every action on every resource.
pub(super) fn admin_statements(policy: Value) -> Value {
    kept(&policy, |statement| {
        let is_all = |name: &str| {
            texts(statement, name)
                .iter()
                .any(|one| one == "*" || one == "*:*")
        };
        is_effect(statement, "Allow") && is_all("Action") && is_all("Resource")
    })
}

/// `demands_tls(policy)`: whether a statement refuses everybody who comes without TLS, for every
/// action, under no further condition, and for a bucket of S3 as well as for its objects.
pub(super) fn demands_tls(policy: Value) -> bool {
    statements(&policy).iter().any(|statement| {
        is_effect(statement, "Deny")
            && principals(statement).iter().any(|one| one == "*")
            && covers_all_actions(statement)
            && covers_bucket_and_objects(statement)
            && is_without_tls_alone(statement)
    })
}

/// Publishing is all that carries data to a topic ("Enforce encryption of data in transit", Amazon
/// SNS Developer Guide, "Security best practices").
fn covers_all_actions(statement: &Value) -> bool {
    texts(statement, "Action").iter().any(|action| {
        action == "*" || action.ends_with(":*") || action.eq_ignore_ascii_case("sns:Publish")
    })
}

fn covers_bucket_and_objects(statement: &Value) -> bool {
    let resources = texts(statement, "Resource");
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
fn is_without_tls_alone(statement: &Value) -> bool {
    let mut conditions = conditions(statement);
    let (Some((operator, key, values)), None) = (conditions.next(), conditions.next()) else {
        return false;
    };

    let is_false = |value: &Value| text(value) == Some("false") || *value == Value::Bool(false);
    ["bool", "boolifexists"].contains(&operator.as_str())
        && key == "aws:securetransport"
        && values.iter().any(is_false)
}
