//! Comparison of a document with the pinned one: without members that nobody decides on, and
//! without regard to the order in which a provider lists what has none.

use reeve_estate::document::NOT_READ;
use reeve_estate::{Difference, ResourceKind};
use serde_json::{Map, Value};

use super::unstable;

/// Members whose lists mean their order, with everything in them.
const ORDERED: &[&str] = &[
    "args",
    "Args",
    "CacheBehaviors",
    "command",
    "Command",
    "CORSRules",
    "entryPoint",
    "EntryPoint",
    "healthCheck",
    "TerminationPolicies",
];

/// A member that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedMember {
    /// Names of members from the outside to the inside, separated by dots.
    pub path: String,
    /// Value as pinned; `None` if the member was not there.
    pub pinned: Option<Value>,
    /// Value as last seen; `None` if the member is not there.
    pub now: Option<Value>,
}

/// Returns the two documents as they are compared.
fn compared(kind: ResourceKind, pinned: &Value, now: &Value) -> (Value, Value) {
    let (mut pinned, mut now) = (pinned.clone(), now.clone());
    if let (Value::Object(pinned), Value::Object(now)) = (&mut pinned, &mut now) {
        leave_out_unread(pinned, now);
    }
    for document in [&mut pinned, &mut now] {
        unstable::remove(kind, document);
        sort(document);
    }
    (pinned, now)
}

/// Removes members that a permission hid in one of the documents: whether they differ is unknown.
fn leave_out_unread(one: &mut Map<String, Value>, other: &mut Map<String, Value>) {
    let is_unread = |value: &Value| value.as_str() == Some(NOT_READ);
    let unread: Vec<String> = one
        .iter()
        .chain(other.iter())
        .filter(|(_, value)| is_unread(value))
        .map(|(name, _)| name.clone())
        .collect();
    for name in unread {
        one.remove(&name);
        other.remove(&name);
    }
}

/// Sorts lists by the text of their items.
fn sort(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(sort);
            items.sort_by_cached_key(Value::to_string);
        }
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                if !ORDERED.contains(&name.as_str()) {
                    sort(value);
                }
            }
        }
        _ => {}
    }
}

/// Returns `true` if a document agrees with the pinned one in all that is compared.
#[must_use]
pub fn agrees(kind: ResourceKind, pinned: &Value, now: &Value) -> bool {
    let (pinned, now) = compared(kind, pinned, now);
    pinned == now
}

/// Returns the members in which a document differs from the pinned one, and `true` if there are
/// more or a value was cut.
#[must_use]
pub fn changed_members(
    kind: ResourceKind,
    pinned: &Value,
    now: &Value,
) -> (Vec<ChangedMember>, bool) {
    let (pinned, now) = compared(kind, pinned, now);
    let difference = Difference::between(&pinned, &now);
    let mut members = Vec::new();
    flatten("", &difference.before, &difference.after, &mut members);
    (members, difference.is_cut)
}

fn flatten(
    above: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    into: &mut Vec<ChangedMember>,
) {
    let names = before
        .keys()
        .chain(after.keys().filter(|name| !before.contains_key(*name)));
    for name in names {
        let path = if above.is_empty() {
            name.clone()
        } else {
            format!("{above}.{name}")
        };
        match (before.get(name), after.get(name)) {
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                flatten(&path, before, after, into);
            }
            (pinned, now) => into.push(ChangedMember {
                path,
                pinned: pinned.cloned(),
                now: now.cloned(),
            }),
        }
    }
}

/// Returns `true` if every member of a document is as pinned or as accepted: nothing changed beyond
/// what somebody accepted.
#[must_use]
pub fn is_covered(kind: ResourceKind, pinned: &Value, accepted: &Value, now: &Value) -> bool {
    let (of_pinned, of_now) = compared(kind, pinned, now);
    let (of_accepted, _) = compared(kind, accepted, now);
    covered(Some(&of_pinned), Some(&of_accepted), Some(&of_now))
}

fn covered(pinned: Option<&Value>, accepted: Option<&Value>, now: Option<&Value>) -> bool {
    if now == pinned || now == accepted {
        return true;
    }
    let (Some(Value::Object(pinned)), Some(Value::Object(accepted)), Some(Value::Object(now))) =
        (pinned, accepted, now)
    else {
        return false;
    };

    let names = pinned.keys().chain(accepted.keys()).chain(now.keys());
    let mut names = names;
    names.all(|name| covered(pinned.get(name), accepted.get(name), now.get(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(kind: ResourceKind, pinned: &Value, now: &Value) -> Vec<(String, Value, Value)> {
        let (members, is_cut) = changed_members(kind, pinned, now);
        assert!(!is_cut);
        assert_eq!(members.is_empty(), agrees(kind, pinned, now));
        let value = |value: Option<Value>| value.unwrap_or(json!("absent"));
        members
            .into_iter()
            .map(|member| (member.path, value(member.pinned), value(member.now)))
            .collect()
    }

    #[test]
    fn each_member_that_differs_is_named_with_both_values() {
        let pinned = json!({ "a": { "b": 1, "c": 2 }, "gone": true, "same": [1] });
        let now = json!({ "a": { "b": 1, "c": 3 }, "new": { "x": 1 }, "same": [1] });
        assert_eq!(
            members(ResourceKind::Bucket, &pinned, &now),
            [
                ("a.c".to_owned(), json!(2), json!(3)),
                ("gone".to_owned(), json!(true), json!("absent")),
                ("new".to_owned(), json!("absent"), json!({ "x": 1 })),
            ]
        );
    }

    #[test]
    fn what_autoscaling_and_providers_change_is_no_drift() {
        let pinned = json!({ "DesiredCapacity": "2", "MaxSize": "4", "Instances": [{ "id": 1 }] });
        let scaled = json!({ "DesiredCapacity": "4", "MaxSize": "4", "Instances": [] });
        assert!(agrees(ResourceKind::ScalingGroup, &pinned, &scaled));
        assert!(
            !agrees(ResourceKind::Bucket, &pinned, &scaled),
            "the table is by kind"
        );

        let widened = json!({ "DesiredCapacity": "4", "MaxSize": "40" });
        assert_eq!(
            members(ResourceKind::ScalingGroup, &pinned, &widened),
            [("MaxSize".to_owned(), json!("4"), json!("40"))]
        );

        let disk = |time: &str, id: &str| json!({ "blockDeviceMapping": [{ "ebs": { "attachTime": time, "volumeId": id } }] });
        let machine = ResourceKind::VirtualMachine;
        assert!(agrees(machine, &disk("1", "v"), &disk("2", "v")));
        assert!(!agrees(machine, &disk("1", "v"), &disk("1", "w")));
    }

    #[test]
    fn the_order_of_lists_counts_only_where_it_means_something() {
        let kind = ResourceKind::SecurityGroup;
        let rules = |a: i32, b: i32| json!({ "rules": [{ "port": a }, { "port": b }] });
        assert!(agrees(kind, &rules(22, 443), &rules(443, 22)));
        assert!(!agrees(kind, &rules(22, 443), &rules(22, 80)));

        let command = |a: &str, b: &str| json!({ "containers": [{ "command": [a, b] }] });
        assert!(!agrees(
            kind,
            &command("run", "fast"),
            &command("fast", "run")
        ));
    }

    #[test]
    fn what_a_permission_hides_is_no_drift() {
        let pinned = json!({ "Policy": { "a": 1 }, "b": 1 });
        let now = json!({ "Policy": NOT_READ, "b": 1 });
        assert!(agrees(ResourceKind::Bucket, &pinned, &now));
        assert!(agrees(ResourceKind::Bucket, &now, &pinned));
    }

    #[test]
    fn an_acceptance_covers_what_was_accepted_and_a_way_back() {
        let kind = ResourceKind::Bucket;
        let pinned = json!({ "a": 1, "b": { "c": 1 }, "list": [1] });
        let accepted = json!({ "a": 2, "b": { "c": 2, "d": 1 }, "list": [1] });
        let check = |now: Value| is_covered(kind, &pinned, &accepted, &now);
        assert!(check(accepted.clone()) && check(pinned.clone()));
        assert!(check(json!({ "a": 1, "b": { "c": 2 }, "list": [1] })));
        assert!(
            !check(json!({ "a": 3, "b": { "c": 2, "d": 1 }, "list": [1] })),
            "the same member, further"
        );
        assert!(
            !check(json!({ "a": 2, "b": { "c": 2, "d": 1 }, "list": [1, 2] })),
            "another member"
        );
        assert!(!check(
            json!({ "a": 2, "b": { "c": 2, "d": 1 }, "list": [1], "e": 1 })
        ));
    }
}
