//! Conditions that bound where a request comes from.
//!
//! Only a key that the caller cannot choose bounds it: the account, organisation, network or
//! resource that a request comes from ("The meaning of public", Amazon S3 User Guide, "Blocking
//! public access").

use crate::document::PolicyCondition;

/// Origin that a condition key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OriginKey {
    Account,
    /// An ARN, whose account is the origin.
    Arn,
    Organization,
    Network,
    /// Identifier of a principal.
    Identifier,
}

/// Condition keys that state where a request comes from.
const ORIGIN_KEYS: [(&str, OriginKey); 16] = [
    ("aws:principalaccount", OriginKey::Account),
    ("aws:principalarn", OriginKey::Arn),
    ("aws:principalorgid", OriginKey::Organization),
    ("aws:principalorgpaths", OriginKey::Organization),
    ("aws:sourceaccount", OriginKey::Account),
    ("aws:sourcearn", OriginKey::Arn),
    ("aws:sourceip", OriginKey::Network),
    ("aws:sourceorgid", OriginKey::Organization),
    ("aws:sourceowner", OriginKey::Account),
    ("aws:sourcevpc", OriginKey::Network),
    ("aws:sourcevpce", OriginKey::Network),
    ("aws:userid", OriginKey::Identifier),
    ("kms:calleraccount", OriginKey::Account),
    ("s3:dataaccesspointaccount", OriginKey::Account),
    ("s3:dataaccesspointarn", OriginKey::Arn),
    (
        "s3:x-amz-server-side-encryption-aws-kms-key-id",
        OriginKey::Identifier,
    ),
];

/// Returns the origin that a key, in lower case, names.
pub(crate) fn origin_key(key: &str) -> Option<OriginKey> {
    let found = ORIGIN_KEYS.iter().find(|(name, _)| *name == key);
    found.map(|(_, kind)| *kind)
}

/// Returns `true` if a condition bounds where a request may come from: it names values of such a
/// key, and none that everything or nearly everything matches.
#[must_use]
pub fn is_bounded_origin(condition: &PolicyCondition) -> bool {
    !condition.operator.refuses()
        && origin_key(&condition.key).is_some()
        && !condition.values.is_empty()
        && condition.values.iter().all(|value| !is_wide(value))
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
