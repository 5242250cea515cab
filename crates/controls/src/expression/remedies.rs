//! Functions that give a change its values: what is taken away, and what is left.

use cel::extractors::Arguments;
use cel::{ExecutionError, Value};
use serde_json::{Map, Value as Json, json};

use super::policy;
use super::values::{
    RANGES, as_json, asked_of_rules, converted, covers_everywhere, elements, member, open_ranges,
    rule_covers,
};

/// Everything that a rule may let in.
const SOURCES: [&str; 4] = ["ipRanges", "ipv6Ranges", "groups", "prefixListIds"];

fn list(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Protocol and ports of a rule.
const SCOPE: [&str; 3] = ["ipProtocol", "fromPort", "toPort"];

fn is_same_scope(one: &Json, other: &Json) -> bool {
    SCOPE.iter().all(|name| one.get(*name) == other.get(*name))
}

fn scope_of(rule: &Json) -> Map<String, Json> {
    let scope = SCOPE.into_iter();
    scope
        .filter_map(|name| Some((name.to_owned(), rule.get(name)?.clone())))
        .collect()
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

        part.extend(
            SCOPE
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

/// `narrowed_rules(rules, sources, permissions, account)`: rules that let sources in where `rules`
/// let everybody in; without those that `permissions` have already, and null if none is left.
/// A source is a range of addresses, a security group (`sg-`) of the account or a prefix list
/// (`pl-`). What is none of these, or is everybody again, gives null.
pub(super) fn narrowed_rules(
    rules: Value,
    sources: Value,
    permissions: Value,
    account: Value,
) -> Value {
    let rules = as_json(&rules);
    let (permissions, account) = (as_json(&permissions), as_json(&account));
    let sources = as_json(&sources);
    let sources: Option<Vec<(&str, Json)>> = list(&sources)
        .iter()
        .map(|source| source_of_rule(source.as_str()?, &account))
        .collect();
    let Some(sources) = sources else {
        return Value::Null;
    };

    let mut narrowed = Vec::new();
    for rule in list(&rules) {
        let described = RANGES
            .iter()
            .flat_map(|(name, _)| list(&rule[*name]))
            .find_map(|range| range.get("description"));
        let existing: Vec<&Json> = list(&permissions)
            .iter()
            .filter(|existing| is_same_scope(existing, rule))
            .collect();
        let mut part = scope_of(rule);
        for (name, source) in &sources {
            let is_there = |existing: &&Json| {
                list(&existing[*name])
                    .iter()
                    .any(|one| is_same_source(one, source))
            };
            if existing.iter().any(is_there) {
                continue;
            }
            let mut source = source.clone();
            if let (Some(members), Some(text)) = (source.as_object_mut(), described) {
                members.insert("description".to_owned(), text.clone());
            }
            let listed = part.entry(*name).or_insert_with(|| Json::Array(Vec::new()));
            if let Json::Array(listed) = listed {
                listed.push(source);
            }
        }
        if SOURCES.iter().any(|name| part.contains_key(*name)) {
            narrowed.push(Json::Object(part));
        }
    }

    if narrowed.is_empty() {
        return Value::Null;
    }
    converted(&Json::Array(narrowed))
}

/// List of a rule that takes a source, and the source as it stands there.
fn source_of_rule(source: &str, account: &Json) -> Option<(&'static str, Json)> {
    let source = source.trim();
    if source.starts_with("sg-") {
        return Some(("groups", json!({ "groupId": source, "userId": account })));
    }
    if source.starts_with("pl-") {
        return Some(("prefixListIds", json!({ "prefixListId": source })));
    }
    if !source.contains('/') || covers_everywhere(source) {
        return None;
    }
    Some(if source.contains(':') {
        ("ipv6Ranges", json!({ "cidrIpv6": source }))
    } else {
        ("ipRanges", json!({ "cidrIp": source }))
    })
}

/// Returns `true` if two sources of rules are the same, whatever is said of them.
fn is_same_source(one: &Json, other: &Json) -> bool {
    ["cidrIp", "cidrIpv6", "groupId", "prefixListId"]
        .iter()
        .all(|name| one.get(*name) == other.get(*name))
}

/// `with_rules(permissions, rules)`: the rules of an EC2 security group with others, as EC2 shows
/// them: one rule for each protocol and ports, with all sources.
pub(super) fn with_rules(permissions: Value, rules: Value) -> Value {
    let (mut all, rules) = (as_json(&permissions), as_json(&rules));
    let Some(all) = all.as_array_mut() else {
        return Value::Null;
    };

    for rule in list(&rules) {
        let Some(same) = all.iter_mut().find(|one| is_same_scope(one, rule)) else {
            all.push(rule.clone());
            continue;
        };
        for name in SOURCES {
            let added = list(&rule[name]);
            match same.get_mut(name).and_then(Json::as_array_mut) {
                Some(listed) => listed.extend(added.iter().cloned()),
                None if !added.is_empty() => same[name] = Json::Array(added.to_vec()),
                None => {}
            }
        }
    }
    converted(&Json::Array(std::mem::take(all)))
}

#[cfg(test)]
mod tests {
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
    fn sources_take_the_place_of_everybody() {
        let arguments = vec![converted(&permissions()), Value::Int(22)];
        let rules = open_rules(Arguments(arguments.into())).unwrap();
        let narrowed = |sources: Json| {
            narrowed_rules(
                rules.clone(),
                converted(&sources),
                converted(&permissions()),
                converted(&json!("111122223333")),
            )
        };

        let narrow = narrowed(json!(["10.0.0.0/8", "2001:db8::/32", "sg-1"]));
        let group =
            json!({ "groupId": "sg-1", "userId": "111122223333", "description": "for now" });
        let expect = json!([
            { "ipProtocol": "tcp", "fromPort": "22", "toPort": "22", "groups": [group],
              "ipv6Ranges": [{ "cidrIpv6": "2001:db8::/32", "description": "for now" }] },
            { "ipProtocol": "tcp", "fromPort": "20", "toPort": "30", "ipRanges": [{ "cidrIp": "10.0.0.0/8" }],
              "ipv6Ranges": [{ "cidrIpv6": "2001:db8::/32" }], "groups": [{ "groupId": "sg-1", "userId": "111122223333" }] },
        ]);
        assert_eq!(as_json(&narrow), expect);

        let all = as_json(&with_rules(converted(&permissions()), narrow));
        assert_eq!(all[0]["groups"], json!([group]));
        assert_eq!(all[0]["ipv6Ranges"].as_array().map(Vec::len), Some(2));
        assert_eq!(all[1], permissions()[1]);
        for wrong in [
            json!([]),
            json!(["0.0.0.0/0"]),
            json!(["office"]),
            json!([7]),
        ] {
            assert_eq!(as_json(&narrowed(wrong.clone())), Json::Null, "{wrong}");
        }
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
