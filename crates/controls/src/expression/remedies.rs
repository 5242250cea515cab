//! Functions that give a change its values: what is taken away, and what is left.

use cel::extractors::Arguments;
use cel::{ExecutionError, Value};
use serde_json::{Map, Value as Json};

use super::policy;
use super::values::{
    RANGES, as_json, asked_of_rules, converted, elements, member, open_ranges, rule_covers,
};

/// Everything that a rule may let in.
const SOURCES: [&str; 4] = ["ipRanges", "ipv6Ranges", "groups", "prefixListIds"];

fn list(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// `closed_policy(policy)`: the policy without the statements that let everybody in; null if none is
/// left.
pub(super) fn closed_policy(policy: Value) -> Value {
    let public = as_json(&policy::public_statements(policy.clone()));
    let mut closed = as_json(&policy);
    let Some(statements) = closed.get_mut("Statement") else {
        return Value::Null;
    };

    let left: Vec<Json> = match statements.take() {
        Json::Array(all) => all,
        one => vec![one],
    };
    let left: Vec<Json> = left
        .into_iter()
        .filter(|statement| !list(&public).contains(statement))
        .collect();
    if left.is_empty() {
        return Value::Null;
    }

    *statements = Json::Array(left);
    converted(&closed)
}

/// `open_rules(permissions, ports)`, `open_rules(permissions, ports, protocol)`: the parts of the rules of an EC2 security group that let
/// everybody in on a port, in the form of `ipPermissions`; null if there are none. A port of -1 is
/// any port.
pub(super) fn open_rules(Arguments(arguments): Arguments) -> Result<Value, ExecutionError> {
    let (permissions, ports, protocols) = asked_of_rules("open_rules", &arguments)?;
    let mut found = Vec::new();
    for rule in elements(permissions) {
        if !rule_covers(&rule, &ports, protocols) {
            continue;
        }
        let mut part = Map::new();
        for list in RANGES {
            let open: Vec<Json> = open_ranges(&rule, list).iter().map(as_json).collect();
            if !open.is_empty() {
                part.insert(list.0.to_owned(), Json::Array(open));
            }
        }
        if part.is_empty() {
            continue;
        }

        let scope = ["ipProtocol", "fromPort", "toPort"];
        part.extend(
            scope
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), as_json(member(&rule, name)?)))),
        );
        found.push(Json::Object(part));
    }

    Ok(if found.is_empty() {
        Value::Null
    } else {
        converted(&Json::Array(found))
    })
}

/// `without_rules(permissions, rules)`: what is left of the rules of an EC2 security group without
/// the ranges of some of them.
pub(super) fn without_rules(permissions: Value, rules: Value) -> Value {
    let rules = as_json(&rules);
    let is_same_scope = |one: &Json, other: &Json| {
        ["ipProtocol", "fromPort", "toPort"]
            .iter()
            .all(|name| one.get(*name) == other.get(*name))
    };

    let mut left = Vec::new();
    for rule in elements(&permissions) {
        let mut rule = as_json(&rule);
        let removed: Vec<&Json> = list(&rules)
            .iter()
            .filter(|removed| is_same_scope(removed, &rule))
            .collect();
        for (name, _) in RANGES {
            let gone = |range: &Json| removed.iter().any(|part| list(&part[name]).contains(range));
            if let Some(ranges) = rule.get_mut(name).and_then(Json::as_array_mut) {
                ranges.retain(|range| !gone(range));
            }
        }

        let lets_in = SOURCES.iter().any(|name| !list(&rule[*name]).is_empty());
        if removed.is_empty() || lets_in {
            left.push(rule);
        }
    }
    converted(&Json::Array(left))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn permissions() -> Json {
        json!([
            { "ipProtocol": "tcp", "fromPort": "22", "toPort": "22", "groups": [], "ipRanges": [
                { "cidrIp": "0.0.0.0/0", "description": "for now" }, { "cidrIp": "10.0.0.0/8" }
            ], "ipv6Ranges": [{ "cidrIpv6": "::/0" }] },
            { "ipProtocol": "tcp", "fromPort": "443", "toPort": "443", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] },
            { "ipProtocol": "tcp", "fromPort": "20", "toPort": "30", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] },
        ])
    }

    #[test]
    fn what_is_open_is_taken_away_and_the_rest_stays() {
        let open = |port: i64| {
            let arguments = vec![converted(&permissions()), Value::Int(port)];
            open_rules(Arguments(arguments.into())).unwrap()
        };
        let rules = open(22);
        let expect = json!([
            { "ipProtocol": "tcp", "fromPort": "22", "toPort": "22",
              "ipRanges": [{ "cidrIp": "0.0.0.0/0", "description": "for now" }], "ipv6Ranges": [{ "cidrIpv6": "::/0" }] },
            { "ipProtocol": "tcp", "fromPort": "20", "toPort": "30", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] },
        ]);
        assert_eq!(as_json(&rules), expect);

        let left = as_json(&without_rules(converted(&permissions()), rules));
        let expect = json!([
            { "ipProtocol": "tcp", "fromPort": "22", "toPort": "22", "groups": [],
              "ipRanges": [{ "cidrIp": "10.0.0.0/8" }], "ipv6Ranges": [] },
            { "ipProtocol": "tcp", "fromPort": "443", "toPort": "443", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] },
        ]);
        assert_eq!(left, expect);
        assert_eq!(as_json(&open(3389)), Json::Null);
    }

    #[test]
    fn a_policy_keeps_the_statements_that_let_only_some_in() {
        let open = json!({ "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "*" });
        let own = json!({ "Effect": "Allow", "Principal": { "AWS": "111122223333" }, "Action": "s3:*", "Resource": "*" });
        let policy = |statement: Json| {
            converted(&json!({ "Version": "2012-10-17", "Statement": statement }))
        };

        let closed = as_json(&closed_policy(policy(json!([open, own]))));
        assert_eq!(
            closed,
            json!({ "Version": "2012-10-17", "Statement": [own] })
        );
        assert_eq!(as_json(&closed_policy(policy(open.clone()))), Json::Null);
        assert_eq!(as_json(&closed_policy(policy(json!([open])))), Json::Null);
    }
}
