//! Values of CEL as functions read them, and their counterparts in JSON.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::{ExecutionError, Value};
use ipnet::IpNet;
use serde_json::Value as Json;

pub(super) fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::List(elements) => elements.to_vec(),
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        other => vec![other.clone()],
    }
}

/// Returns a member of an object.
pub(super) fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Map(members) => members.map.get(&Key::from(name)),
        _ => None,
    }
}

pub(super) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

pub(super) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(super) fn covers_everywhere(range: &str) -> bool {
    let range = range.trim();
    if ["*", "any", "internet"].contains(&range.to_ascii_lowercase().as_str()) {
        return true;
    }
    range
        .parse::<IpNet>()
        .is_ok_and(|range| range.prefix_len() <= 1)
}

/// Reads the arguments of a question about the rules of a security group: rules, a port, and the
/// protocols by their name, which is `tcp` if it is left out.
pub(super) fn asked_of_rules<'a>(
    function: &str,
    arguments: &'a [Value],
) -> Result<(&'a Value, Vec<i64>, &'static [&'static str]), ExecutionError> {
    let fault = |reason: &str| ExecutionError::function_error(function, reason);
    let (permissions, ports, protocol) = match arguments {
        [permissions, ports] => (permissions, ports, "tcp"),
        [permissions, ports, Value::String(protocol)] => (permissions, ports, protocol.as_str()),
        _ => return Err(fault("it takes rules, a port or ports, and a protocol")),
    };
    let ports: Option<Vec<i64>> = elements(ports)
        .iter()
        .map(|port| match port {
            Value::Int(port) => Some(*port),
            _ => None,
        })
        .collect();
    let ports = ports.ok_or_else(|| fault("a port is no whole number"))?;
    let protocols: &[&str] = match protocol {
        "tcp" => &["tcp", "6"],
        "udp" => &["udp", "17"],
        "any" => &["tcp", "6", "udp", "17"],
        _ => return Err(fault("the protocol is none of tcp, udp and any")),
    };
    Ok((permissions, ports, protocols))
}

pub(super) fn rule_covers(rule: &Value, ports: &[i64], protocols: &[&str]) -> bool {
    let protocol = member(rule, "ipProtocol").and_then(text).unwrap_or("-1");
    if ports.contains(&-1) || protocol == "-1" {
        return true;
    }
    if !protocols.contains(&protocol) {
        return false;
    }
    let bound = |name: &str| member(rule, name).and_then(as_number);
    match (bound("fromPort"), bound("toPort")) {
        (Some(first), Some(last)) => ports
            .iter()
            .any(|port| (first..=last).contains(&(*port as f64))),
        _ => true,
    }
}

pub(super) fn object<'n>(members: impl IntoIterator<Item = (&'n str, Value)>) -> Value {
    let members: HashMap<Key, Value> = members
        .into_iter()
        .map(|(name, value)| (Key::from(name), value))
        .collect();
    Value::Map(Map {
        map: Arc::new(members),
    })
}

/// Returns JSON as a value of CEL. Whole numbers are `int`.
pub(super) fn converted(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::String(Arc::new(text.clone())),
        Json::Array(list) => Value::List(Arc::new(list.iter().map(converted).collect())),
        Json::Object(members) => object(
            members
                .iter()
                .map(|(name, value)| (name.as_str(), converted(value))),
        ),
    }
}

/// Returns a value as JSON; what JSON has no form for is null.
pub(super) fn as_json(value: &Value) -> Json {
    match value {
        Value::Bool(flag) => Json::from(*flag),
        Value::Int(number) => Json::from(*number),
        Value::UInt(number) => Json::from(*number),
        Value::Float(number) => Json::from(*number),
        Value::String(text) => Json::from(text.as_str()),
        Value::List(items) => items.iter().map(as_json).collect(),
        Value::Map(members) => {
            let named = members.map.iter().filter_map(|(key, value)| match key {
                Key::String(name) => Some((name.to_string(), as_json(value))),
                _ => None,
            });
            Json::Object(named.collect::<serde_json::Map<String, Json>>())
        }
        _ => Json::Null,
    }
}

/// Lists of address ranges in a rule of an EC2 security group, with the member that has the range.
pub(super) const RANGES: [(&str, &str); 2] = [("ipRanges", "cidrIp"), ("ipv6Ranges", "cidrIpv6")];

/// Returns the ranges of a list of a rule that are the whole internet.
pub(super) fn open_ranges(rule: &Value, (list, address): (&str, &str)) -> Vec<Value> {
    let ranges = member(rule, list).map(elements).unwrap_or_default();
    let is_open = |range: &Value| {
        member(range, address)
            .and_then(text)
            .is_some_and(covers_everywhere)
    };
    ranges.into_iter().filter(is_open).collect()
}
