//! Answers of expressions, and the bounds on their cost.
#![allow(clippy::unwrap_used)]
use jiff::Timestamp;
use reeve_estate::document::NOT_READ;
use reeve_estate::{Provider, RelationKind, ResourceKind};
use serde_json::{Value, json};

use super::*;
use crate::subject::{ControlSubject, Related};

fn evaluate(source: &str, document: &Value) -> Evaluated {
    let subject = ControlSubject::alone(Provider::Aws, ResourceKind::Bucket, "b", document);
    let scope = ExpressionScope::new(&subject, Timestamp::UNIX_EPOCH);
    Expression::compile(source).unwrap().evaluate(&scope)
}

fn unknown(source: &str, document: &Value) -> String {
    match evaluate(source, document) {
        Evaluated::Unknown(reason) => reason,
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn what_is_missing_or_hidden_is_unknown_and_neither_passes_nor_fails() {
    let empty = json!({});
    assert!(unknown("doc.Encrypted", &empty).contains("`Encrypted`"));
    assert_eq!(
        evaluate("doc.?Encrypted.orValue(false)", &empty),
        Evaluated::False(vec!["Encrypted".to_owned()])
    );

    let hidden = json!({ "Policy": NOT_READ, "Encrypted": true });
    for source in [
        "!has(doc.Policy) || doc.Policy.Open",
        "doc.?Policy.?Open.orValue(false)",
        "!doc.?Policy.?Open.orValue(false)",
        "doc.Encrypted && size(public_statements(doc.Policy)) == 0",
    ] {
        let reason = unknown(source, &hidden);
        assert!(reason.contains("permission"), "{source}: {reason}");
    }
    // An operand that holds without what was hidden decides.
    for source in [
        "doc.Encrypted || doc.Policy.Open",
        "doc.Policy.Open || doc.Encrypted",
        "!(!doc.Encrypted && doc.Policy.Open)",
        "doc.Encrypted ? doc.Encrypted : doc.Policy.Open",
    ] {
        assert_eq!(evaluate(source, &hidden), Evaluated::True, "{source}");
    }
    for source in [
        "!doc.Encrypted || doc.?Policy.?Open.orValue(false)",
        "doc.?Policy.?Open.orValue(false) ? doc.Encrypted : doc.Encrypted",
        "!(doc.Encrypted && doc.?Policy.?Open.orValue(false))",
    ] {
        assert!(unknown(source, &hidden).contains("`Policy"), "{source}");
    }
    // One operand that is false decides, whatever was hidden.
    assert_eq!(
        evaluate("!doc.Encrypted && doc.Policy.Open", &hidden),
        Evaluated::False(vec!["Encrypted".to_owned()])
    );
}

/// Evaluates beside resources that the document's logs go to, and one that is inside it.
fn evaluate_beside(source: &str, targets: &[Value]) -> Evaluated {
    let document = json!({ "Name": "t" });
    let related = |(relation, document)| Related {
        relation,
        id: "other",
        kind: Some(ResourceKind::Bucket),
        document: Some(document),
    };
    let subject = ControlSubject {
        targets: targets
            .iter()
            .map(|document| related((RelationKind::LogsTo, document)))
            .collect(),
        sources: targets
            .iter()
            .map(|document| related((RelationKind::LocatedIn, document)))
            .collect(),
        ..ControlSubject::alone(Provider::Aws, ResourceKind::Bucket, "b", &document)
    };
    let scope = ExpressionScope::new(&subject, Timestamp::UNIX_EPOCH);
    Expression::compile(source).unwrap().evaluate(&scope)
}

#[test]
fn what_a_permission_hid_of_related_resources_is_unknown_too() {
    let open = json!({ "Policy": { "Open": true }, "Tags": [] });
    let hidden = json!({ "Policy": NOT_READ, "Tags": [] });
    for source in [
        "targets.logs_to[0].doc.?Policy.?Open.orValue(false)",
        "!targets.logs_to[0].doc.?Policy.?Open.orValue(false)",
        "targets.logs_to.all(one, !one.doc.?Policy.?Open.orValue(false))",
        "targets.logs_to.exists(one, one.doc.?Policy.?Open.orValue(false))",
        "sources.located_in.filter(one, one.id != \"\")[0].doc.?Policy.?Open.orValue(false)",
        "sources[\"located_in\"].exists(one, size(public_statements(one.doc.Policy)) > 0)",
        "targets.logs_to.exists(one, list(one.doc.Tags).exists(tag, tag.Key == one.doc.?Policy.orValue(\"\")))",
        "size(targets.logs_to.filter(one, has(one.doc.Policy.Open))) > 0",
        "resource.id == \"b\" && has(targets.logs_to[0].doc.Policy)",
    ] {
        let Evaluated::Unknown(reason) = evaluate_beside(source, std::slice::from_ref(&hidden))
        else {
            panic!("{source}");
        };
        assert!(
            reason.starts_with("`Policy") && reason.contains("` of other could not be read"),
            "{source}: {reason}"
        );
    }

    // What was hidden says nothing about members beside it, nor about other relations.
    for (source, expect) in [
        ("size(targets.logs_to[0].doc.Tags) == 0", true),
        ("targets.logs_to.all(one, one.known)", true),
        (
            "targets.granted.exists(one, one.doc.?Policy.?Open.orValue(false))",
            false,
        ),
    ] {
        let expect = if expect {
            Evaluated::True
        } else {
            Evaluated::False(Vec::new())
        };
        assert_eq!(
            evaluate_beside(source, std::slice::from_ref(&hidden)),
            expect,
            "{source}"
        );
    }
    assert_eq!(
        evaluate_beside(
            "targets.logs_to[0].doc.?Policy.?Open.orValue(false)",
            std::slice::from_ref(&open)
        ),
        Evaluated::True
    );
}

#[test]
fn a_relation_that_names_nothing_is_said_in_place_of_an_index() {
    let reason = |source: &str| match evaluate_beside(source, &[]) {
        Evaluated::Unknown(reason) => reason,
        other => panic!("{source}: {other:?}"),
    };
    assert!(reason("targets.logs_to[0].doc.Open").contains("`logs_to`"));
    assert!(
        reason("targets.protected_by[0].id != \"\" && targets.logs_to.all(one, one.known)")
            .contains("`protected_by`")
    );
    assert!(reason("[doc.Name][1] == \"\"").contains("shorter"));
}

#[test]
fn the_values_that_refute_are_those_of_the_operands_that_are_false() {
    let document = json!({ "A": true, "B": false, "C": { "D": 1 }, "E": [{ "F": 2 }] });
    assert_eq!(
        evaluate(
            "doc.A && doc.B && (doc.C.D > 1 || doc.E.exists(e, e.F > 2))",
            &document
        ),
        Evaluated::False(vec!["B".to_owned(), "C.D".to_owned(), "E".to_owned()])
    );
}

#[test]
fn sources_that_could_be_expensive_are_refused() {
    let refused = |source: &str| Expression::compile(source).unwrap_err();
    assert_eq!(refused(&"true || ".repeat(600)), ExpressionError::TooLong);
    let deep = format!("{}true{}", "(".repeat(200), ")".repeat(200));
    assert!(matches!(refused(&deep), ExpressionError::TooDeep(_)));
    let negated = format!("{}true", "!".repeat(300));
    assert!(matches!(refused(&negated), ExpressionError::TooDeep(_)));
    assert_eq!(
        refused("doc.a.all(x, doc.a.all(y, doc.a.all(z, x == z)))"),
        ExpressionError::NestedComprehensions(2)
    );
    assert_eq!(
        refused("document.a"),
        ExpressionError::UnknownVariable("document".to_owned())
    );
    assert!(matches!(refused("doc.a ="), ExpressionError::Syntax(_)));
}

#[test]
fn large_documents_are_unknown_instead_of_slow() {
    let nested = "doc.a.all(x, doc.a.all(y, x + y >= 0))";
    let numbers = |count: u64| json!({ "a": (0..count).collect::<Vec<u64>>() });
    assert_eq!(evaluate(nested, &numbers(100)), Evaluated::True);
    assert!(unknown(nested, &numbers(100_000)).contains("too many"));

    let grows = "doc.a.map(x, doc.text + doc.text).size() > 0";
    let document = json!({ "a": (0..2_000).collect::<Vec<u64>>(), "text": "x".repeat(500_000) });
    assert!(unknown(grows, &document).contains("too many"));
}

fn tls(resource: Value, action: &str, condition: Value) -> Value {
    json!({ "Statement": [{ "Effect": "Deny", "Principal": "*", "Action": action, "Resource": resource,
        "Condition": condition }] })
}

#[test]
fn functions_answer_what_checks_ask() {
    let document = json!({
        "rules": [{ "ipProtocol": "tcp", "fromPort": "20", "toPort": "25",
            "ipRanges": [{ "cidrIp": "0.0.0.0/0" }], "ipv6Ranges": [] }],
        "udp": [{ "ipProtocol": "17", "fromPort": "22", "toPort": "22",
            "ipRanges": [{ "cidrIp": "0.0.0.0/0" }], "ipv6Ranges": [] }],
        "half": [{ "ipProtocol": "-1", "ipRanges": [{ "cidrIp": "128.0.0.0/1" }] }],
        "policy": { "Statement": [
            { "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "*",
              "Condition": { "StringEquals": { "aws:SourceVpce": "vpce-1" } } },
            { "Effect": "Allow", "Principal": { "AWS": "*" }, "Action": "s3:PutObject", "Resource": "*",
              "Condition": { "StringLike": { "aws:PrincipalArn": "arn:aws:iam::*:role/x" } } },
            { "Effect": "Allow", "Principal": { "AWS": "arn:aws:iam::999988887777:root" }, "Action": "*", "Resource": "*" },
            { "Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*",
              "Condition": { "Bool": { "aws:SecureTransport": "false" } } } ] },
        "tls": {
            "whole": tls(json!(["arn:aws:s3:::b", "arn:aws:s3:::b/*"]), "s3:*", json!({ "Bool": { "aws:SecureTransport": "false" } })),
            "spelled": tls(json!("*"), "*", json!({ "BoolIfExists": { "aws:securetransport": false } })),
            "objects": tls(json!("arn:aws:s3:::b/*"), "s3:*", json!({ "Bool": { "aws:SecureTransport": "false" } })),
            "writing": tls(json!("*"), "s3:PutObject", json!({ "Bool": { "aws:SecureTransport": "false" } })),
            "further": tls(json!("*"), "*", json!({ "Bool": { "aws:SecureTransport": "false" },
                "IpAddress": { "aws:SourceIp": "10.0.0.0/8" } })),
        },
        "unbound": { "Statement": [
            { "Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*",
              "Condition": { "Null": { "aws:SourceAccount": "false" } } },
            { "Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*",
              "Condition": { "ForAllValues:StringEquals": { "aws:PrincipalOrgID": "o-1" } } } ] },
        "one": { "Statement": { "Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*" } },
    });
    for source in [
        "open_to_everybody(doc.rules, 22)",
        "!open_to_everybody(doc.rules, 26)",
        "open_to_everybody(doc.rules, -1)",
        "open_to_everybody(doc.half, 3389)",
        "!open_to_everybody(doc.udp, 22) && !open_to_everybody(doc.udp, 22, \"tcp\")",
        "open_to_everybody(doc.udp, 22, \"udp\") && open_to_everybody(doc.udp, 22, \"any\")",
        "open_to_everybody(doc.rules, 22, \"any\") && !open_to_everybody(doc.rules, 22, \"udp\")",
        "open_to_everybody(doc.half, 22, \"udp\") && open_to_everybody(doc.udp, -1)",
        "size(public_statements(doc.policy)) == 1",
        "size(outside_statements(doc.policy, \"111122223333\")) == 2",
        "size(outside_statements(doc.policy, \"999988887777\")) == 1",
        "size(admin_statements(doc.policy)) == 1",
        "size(public_statements(doc.one)) == 1",
        "demands_tls(doc.policy) && !demands_tls(doc.one)",
        "demands_tls(doc.tls.whole) && demands_tls(doc.tls.spelled)",
        "!demands_tls(doc.tls.objects) && !demands_tls(doc.tls.writing) && !demands_tls(doc.tls.further)",
        "size(public_statements(doc.unbound)) == 2",
        "days_between(\"2026-01-01T00:00:00Z\", \"2026-03-01\") == 59",
        "days_between(0, 86400) == 1",
        "version_at_least(\"8.0.mysql_aurora.3\", \"8.0\") && !version_at_least(\"5.7.44\", \"8.0\")",
        "version_at_least(\"v1.30.1\", \"1.9\")",
        "port_in(\"20-30,80\", 22) && port_in(\"*\", 1) && !port_in(\"80\", 22) && port_in([22], 22)",
        "is_everywhere(\"::/0\") && is_everywhere(\"*\") && !is_everywhere(\"10.0.0.0/8\")",
        "number(\"7\") == 7.0 && size(list(null)) == 0 && size(list(\"\")) == 0 && size(list(\"a\")) == 1",
    ] {
        assert_eq!(evaluate(source, &document), Evaluated::True, "{source}");
    }
}
