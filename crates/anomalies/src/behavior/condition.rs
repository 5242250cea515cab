//! Conditions of a policy's statement that decide who is meant by everybody: an organisation, an
//! account, a network, a source.
//!
//! `"Principal": "*"` with `aws:PrincipalOrgID` is the usual way to open a bucket to an
//! organisation. A condition narrows when it requires equality with something other than
//! everything; one that a missing key satisfies (`...IfExists`) or that excludes
//! (`StringNotEquals`) leaves the statement open.

use reeve_audit::Json;

use super::any_case;

/// Keys that tell who calls, or from where; lower case.
const KEYS: [&str; 18] = [
    "aws:principalorgid",
    "aws:principalorgpaths",
    "aws:principalaccount",
    "aws:principalarn",
    "aws:principaltag",
    "aws:userid",
    "aws:username",
    "aws:sourceorgid",
    "aws:sourceorgpaths",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceowner",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "aws:sourceip",
    "aws:vpcsourceip",
    "kms:calleraccount",
    "s3:dataaccesspointaccount",
];
/// Operators that request equality, without what may stand before and after them; lower case.
const OPERATORS: [&str; 8] = [
    "stringequals",
    "stringequalsignorecase",
    "stringlike",
    "arnequals",
    "arnlike",
    "ipaddress",
    "foranyvalue:stringequals",
    "foranyvalue:stringlike",
];
/// Parameters of a single permission, as a function's, that do the same; lower case.
const BESIDE: [&str; 3] = ["principalorgid", "sourceaccount", "sourcearn"];

/// Returns `true` for a statement, or the parameters of a permission, in which not everybody is let
/// in.
pub(super) fn narrows(statement: &Json) -> bool {
    if any_case(statement, "principal").is_none() {
        return false;
    }

    let beside = BESIDE
        .iter()
        .filter_map(|name| any_case(statement, name))
        .any(is_something);
    let condition = any_case(statement, "condition").and_then(Json::as_object);
    beside
        || condition.is_some_and(|operators| {
            operators
                .iter()
                .filter(|(name, _)| OPERATORS.contains(&&*name.to_ascii_lowercase()))
                .any(|(_, keys)| {
                    keys.as_object().is_some_and(|keys| {
                        keys.iter()
                            .any(|(key, value)| decides(key) && is_something(value))
                    })
                })
        })
}

fn decides(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    // Tags stand with their name behind a slash.
    KEYS.contains(&key.split('/').next().unwrap_or(&key))
}

/// Returns `true` for values none of which is everything.
fn is_something(value: &Json) -> bool {
    match value {
        Json::String(text) => {
            !text.is_empty() && !text.trim_matches(['*', ':']).is_empty() && !text.ends_with("/0")
        }
        Json::Array(values) => !values.is_empty() && values.iter().all(is_something),
        _ => false,
    }
}
