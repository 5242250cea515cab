//! Functions of expressions, beside those of CEL itself.
//!
//! Questions that several checks ask alike, or that need more than one line of CEL: addresses,
//! ports, ages, versions and policies.

use std::sync::{Arc, LazyLock};

use cel::extractors::Arguments;
use cel::{Context, Env, ExecutionError, Value};
use jiff::Timestamp;

use super::values::{
    RANGES, as_number, asked_of_rules, covers_everywhere, elements, member, open_ranges,
    rule_covers, text,
};
use super::{grants, policy, remedies};

/// Returns what expressions are compiled for: CEL with optional values, and nothing that builds
/// long texts.
pub(super) fn environment() -> &'static Arc<Env> {
    static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));
    &ENVIRONMENT
}

type Answer<T> = Result<T, ExecutionError>;

/// Adds the functions to a context.
pub(super) fn add(context: &mut Context<'static, 'static>) {
    let added = [
        context.add_function("list", list),
        context.add_function("lower", lower),
        context.add_function("of_kind", of_kind),
        context.add_function("number", number),
        context.add_function("days_between", days_between),
        context.add_function("version_at_least", version_at_least),
        context.add_function("is_everywhere", is_everywhere),
        context.add_function("port_in", port_in),
        context.add_function("open_to_everybody", open_to_everybody),
        context.add_function("public_statements", policy::public_statements),
        context.add_function("outside_statements", policy::outside_statements),
        context.add_function("admin_statements", policy::admin_statements),
        context.add_function("allows", grants::allows),
        context.add_function("demands_tls", policy::demands_tls),
        context.add_function("closed_policy", remedies::closed_policy),
        context.add_function("open_rules", remedies::open_rules),
        context.add_function("without_rules", remedies::without_rules),
        context.add_function("narrowed_rules", remedies::narrowed_rules),
        context.add_function("with_rules", remedies::with_rules),
    ];
    debug_assert!(added.iter().all(Result::is_ok), "no name is CEL's own");
}

/// `list(value)`: the value if it is a list, none for null or an empty text, and otherwise a list of
/// the value. Some interfaces print one element without its list.
fn list(value: Value) -> Value {
    Value::List(Arc::new(elements(&value)))
}

/// `of_kind(related, kind)`: the resources of a kind among related ones. A comprehension inside
/// another, which would select them too, costs the square of what a network has.
fn of_kind(related: Value, kind: Arc<String>) -> Value {
    let mut found = elements(&related);
    found.retain(|one| member(one, "kind").and_then(text) == Some(kind.as_str()));
    Value::List(Arc::new(found))
}

/// `lower(text)`: the text in lower case.
fn lower(text: Arc<String>) -> String {
    text.to_lowercase()
}

/// `number(value)`: a number, also of one that is written as text. AWS prints the numbers of some
/// interfaces as text.
fn number(value: Value) -> Answer<f64> {
    as_number(&value).ok_or_else(|| ExecutionError::function_error("number", "this is no number"))
}

/// `days_between(from, to)`: whole days from one time to another. Times are RFC 3339 texts, dates,
/// or seconds since 1970.
fn days_between(from: Value, to: Value) -> Answer<i64> {
    let fault = || ExecutionError::function_error("days_between", "this is no time");
    let from = instant(&from).ok_or_else(fault)?;
    let to = instant(&to).ok_or_else(fault)?;
    Ok(to.duration_since(from).as_secs().div_euclid(86_400))
}

fn instant(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => text
            .parse()
            .ok()
            .or_else(|| format!("{text}T00:00:00Z").parse().ok())
            .or_else(|| format!("{text}Z").parse().ok()),
        other => Timestamp::from_second(as_number(other)? as i64).ok(),
    }
}

/// `version_at_least(version, lowest)`: whether a version of numbers with dots is not below another;
/// letters behind a number are left out (`8.0.mysql_aurora.3` is 8.0).
fn version_at_least(version: Arc<String>, lowest: Arc<String>) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        text.trim_start_matches(|letter: char| !letter.is_ascii_digit())
            .split(['.', '-', '_'])
            .map_while(|part| part.parse().ok())
            .collect()
    };
    numbers(&version) >= numbers(&lowest)
}

/// `is_everywhere(range)`: whether an address range is the whole internet, or more than half of it.
fn is_everywhere(range: Value) -> bool {
    text(&range).is_some_and(covers_everywhere)
}

/// `port_in(ports, port)`: whether a text of ports (`22`, `20-30`, `20-30,80`, `*`) has a port.
fn port_in(ports: Value, port: i64) -> bool {
    elements(&ports).iter().any(|ports| match ports {
        Value::String(ports) => ports.split(',').any(|range| {
            let range = range.trim();
            match range.split_once('-') {
                Some((first, last)) => {
                    let bound = |text: &str| text.trim().parse::<i64>().ok();
                    bound(first)
                        .zip(bound(last))
                        .is_some_and(|(first, last)| (first..=last).contains(&port))
                }
                None => range == "*" || range.parse() == Ok(port),
            }
        }),
        other => as_number(other) == Some(port as f64),
    })
}

/// `open_to_everybody(permissions, port)`, `open_to_everybody(permissions, port, protocol)`: whether
/// the rules of an EC2 security group let the whole internet reach a port over `tcp`, which is the
/// default, `udp` or `any` of the two. A port of -1 asks whether any port is open over any protocol.
fn open_to_everybody(Arguments(arguments): Arguments) -> Answer<bool> {
    let (permissions, ports, protocols) = asked_of_rules("open_to_everybody", &arguments)?;
    Ok(elements(permissions).iter().any(|rule| {
        let is_open = |list: &(&str, &str)| !open_ranges(rule, *list).is_empty();
        RANGES.iter().any(is_open) && rule_covers(rule, &ports, protocols)
    }))
}
