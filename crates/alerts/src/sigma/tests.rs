//! SIGMA rules: what they become, and what is refused, by line.

use reeve_audit::{Entry, EventType, Json};

use super::read_sigma;
use crate::mitre::AttackId;

const RULE: &str = "title: Snapshot shared
id: 1-2-3
author: Ann
description: Somebody shares a snapshot.
logsource:
    product: aws
    service: cloudtrail
detection:
    selection:
        eventSource: ec2.amazonaws.com
        eventName:
            - ModifySnapshotAttribute
            - ModifyImageAttribute
    filter:
        userIdentity.arn|contains: ':role/backup'
    condition: selection and not filter
level: high
tags:
    - attack.exfiltration
    - attack.t1537
    - cve.2024-1
";

fn replaced(from: &str, to: &str) -> String {
    assert!(RULE.contains(from), "{from}");
    RULE.replace(from, to)
}

/// The condition that a rule becomes, or its problems as `line: message`.
fn read(text: &str) -> Result<String, Vec<String>> {
    let mut rules = read_sigma(text)
        .map_err(|problem| vec![format!("{}: {}", problem.line, problem.message)])?;
    assert_eq!(rules.len(), 1);

    let settings = rules.remove(0).settings;
    settings
        .map(|settings| settings.condition)
        .map_err(|problems| {
            problems
                .into_iter()
                .map(|problem| format!("{}: {}", problem.line, problem.message))
                .collect()
        })
}

#[test]
fn a_rule_becomes_a_condition() {
    let settings = read_sigma(RULE).unwrap().remove(0).settings.unwrap();
    assert_eq!(
        settings.condition,
        "metadata.cloudtrail.eventSource:ec2.amazonaws.com AND \
         (action.operation:ModifySnapshotAttribute OR action.operation:ModifyImageAttribute) AND \
         NOT metadata.cloudtrail.userIdentity.arn:*:role/backup*"
    );

    assert_eq!(
        (settings.name.as_str(), settings.severity.as_str()),
        ("Snapshot shared", "high")
    );
    assert_eq!(
        settings.description,
        "Somebody shares a snapshot.\n\nSIGMA rule 1-2-3 by Ann"
    );
    assert_eq!(
        (settings.threshold.count, settings.threshold.window_ms),
        (1, 300_000)
    );
    assert_eq!(
        settings
            .attack
            .iter()
            .map(AttackId::as_str)
            .collect::<Vec<_>>(),
        ["TA0010", "T1537"]
    );
}

#[test]
fn values_and_modifiers() {
    let with = |selection: &str| {
        let head = RULE.split("detection:").next().unwrap_or_default();
        read(&format!(
            "{head}detection:\n    s:\n        {selection}\n    condition: s\n"
        ))
    };

    for (selection, expected) in [
        ("errorCode: null", "NOT metadata.cloudtrail.errorCode:*"),
        ("errorCode: 'null'", "metadata.cloudtrail.errorCode:null"),
        (
            "errorCode: '*Denied'",
            "metadata.cloudtrail.errorCode:*Denied",
        ),
        (
            "errorCode: 'a\\*b'",
            "metadata.cloudtrail.errorCode:\"a*b\"",
        ),
        ("eventName|startswith: Get", "action.operation:Get*"),
        (
            "eventName|endswith: [Trail, Logs]",
            "action.operation:*Trail OR action.operation:*Logs",
        ),
        (
            "userAgent|contains|all: [a b, c]",
            "actor.user_agent:*\"a b\"* AND actor.user_agent:*c*",
        ),
        (
            "sourceIPAddress: 10.0.0.1",
            "actor.ip_address:10.0.0.1 OR metadata.cloudtrail.sourceIPAddress:10.0.0.1",
        ),
        (
            "sourceIPAddress|cidr: 10.0.0.0/8",
            "actor.ip_address:10.0.0.0/8",
        ),
        (
            "requestParameters.enable: false",
            "changes.after.enable:false OR metadata.cloudtrail.requestParameters.enable:false",
        ),
        (
            "requestParameters.n|gte: 5",
            "changes.after.n:>=5 OR metadata.cloudtrail.requestParameters.n:>=5",
        ),
        ("errorCode|exists: true", "metadata.cloudtrail.errorCode:*"),
    ] {
        assert_eq!(with(selection), Ok(expected.to_owned()), "{selection}");
    }

    for (selection, expected) in [
        (
            "eventName|re: '.*'",
            "10: eventName|re: the modifier re is not supported",
        ),
        (
            "eventName|fieldref: x",
            "10: eventName|fieldref: the modifier fieldref is not supported",
        ),
        (
            "requestParameters|contains: x",
            "10: the field requestParameters as a whole is not supported; name a member of it",
        ),
        (
            "eventName|base64|contains: x",
            "10: the modifiers base64|contains together are not supported",
        ),
        (
            "eventName|cidr: 10.0.0.0/8",
            "10: eventName|cidr: cidr is supported on sourceIPAddress alone",
        ),
    ] {
        assert_eq!(
            with(selection),
            Err(vec![expected.to_owned()]),
            "{selection}"
        );
    }
}

#[test]
fn conditions() {
    let detection = "
    sel_a: {eventName: A}
    sel_b: {eventName: B}
    other: {eventName: C}
    condition: ";
    let head = RULE.split("detection:").next().unwrap_or_default();
    let with = |condition: &str| read(&format!("{head}detection:{detection}{condition}\n"));
    let (a, b, c) = (
        "action.operation:A",
        "action.operation:B",
        "action.operation:C",
    );
    assert_eq!(with("1 of sel_*"), Ok(format!("{a} OR {b}")));
    assert_eq!(with("all of them"), Ok(format!("{a} AND {b} AND {c}")));
    assert_eq!(
        with("other and not 1 of sel_*"),
        Ok(format!("{c} AND NOT ({a} OR {b})"))
    );
    assert_eq!(
        with("(sel_a OR sel_b) and other"),
        Ok(format!("({a} OR {b}) AND {c}"))
    );

    for (condition, expected) in [
        (
            "sel_a | count() > 5",
            "12: aggregations (count, sum, near) in a condition are not supported",
        ),
        ("sel_c", "12: there is no selection \"sel_c\""),
        ("1 of none_*", "12: no selection is named \"none_*\""),
        (
            "2 of sel_*",
            "12: \"2 of\" is not supported; use 1 of or all of",
        ),
        ("(sel_a", "12: a parenthesis is not closed"),
        (
            "sel_a sel_b",
            "12: \"sel_b\" was not expected in the condition",
        ),
        ("sel_a and", "12: the condition ends too early"),
    ] {
        assert_eq!(
            with(condition),
            Err(vec![expected.to_owned()]),
            "{condition}"
        );
    }

    assert!(with(&format!("{}sel_a", "not ".repeat(100))).is_err());
}

#[test]
fn unsupported_syntax_is_named_by_line() {
    for (text, expected) in [
        (
            replaced("service: cloudtrail", "service: guardduty"),
            vec![
                "6: the log source \"aws guardduty\" is not supported; supported is product aws, service cloudtrail",
            ],
        ),
        (
            replaced("level: high", "level: grave"),
            vec!["17: level must be informational, low, medium, high or critical"],
        ),
        (
            replaced("    condition:", "    timeframe: 5m\n    condition:"),
            vec!["16: timeframe is not supported"],
        ),
        (
            replaced("title: Snapshot shared\n", ""),
            vec!["1: title is missing"],
        ),
        (
            "- a\n- b\n".to_owned(),
            vec!["1: is not a rule: a rule is a mapping with title and detection"],
        ),
    ] {
        assert_eq!(
            read(&text),
            Err(expected.into_iter().map(str::to_owned).collect()),
            "{text}"
        );
    }
}

#[test]
fn bombs_and_broken_yaml_are_refused() {
    for text in [
        "a: &x [1]\nb: *x\n".to_owned(),
        "[".repeat(1000),
        "a: [1\nb: }".to_owned(),
        "x".repeat(super::MAX_SIGMA_BYTES + 1),
    ] {
        assert!(
            read_sigma(&text).is_err(),
            "{}",
            &text[..20.min(text.len())]
        );
    }

    assert_eq!(read_sigma("").map(|rules| rules.len()), Ok(0));

    let two = read_sigma(&format!("{RULE}---\n{RULE}")).unwrap();
    assert_eq!((two.len(), two[1].settings.is_ok()), (2, true));
}

#[test]
fn an_imported_rule_matches_an_imported_record() {
    let settings = read_sigma(RULE).unwrap().remove(0).settings.unwrap();
    let entry = |arn: &str| {
        let identity = Json::object([("arn", arn)]);
        let kept = Json::object([
            ("eventSource", Json::from("ec2.amazonaws.com")),
            ("userIdentity", identity),
        ]);
        let mut entry =
            Entry::new(EventType::from_static("resource.modify")).with_metadata("cloudtrail", kept);
        entry.action.operation = Some("ModifySnapshotAttribute".to_owned());
        entry
    };

    let matches = |entry: &Entry| {
        settings
            .query
            .matches(entry, entry.timestamp, entry.timestamp)
    };
    assert!(matches(&entry("arn:aws:iam::1:user/mallory")));

    assert!(!matches(&entry(
        "arn:aws:sts::1:assumed-role:role/backup/x"
    )));
}
