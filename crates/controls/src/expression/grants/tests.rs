//! Patterns, conditions and denials of policies.
use serde_json::json;

use super::super::values::converted;
use super::*;

#[test]
fn patterns_are_those_of_iam() {
    for (pattern, text, expect) in [
        ("*", "kms:decrypt", true),
        ("*:*", "kms:decrypt", true),
        ("kms:d*", "kms:decrypt", true),
        ("kms:*t", "kms:decrypt", true),
        ("k?s:dec*p?", "kms:decrypt", true),
        ("kms:decrypt", "kms:decrypt", true),
        ("kms:decrypt?", "kms:decrypt", false),
        ("kms:d*x", "kms:decrypt", false),
        ("km", "kms:decrypt", false),
        ("", "kms:decrypt", false),
        ("**a**b", "aab", true),
        ("*ab", "aaab", true),
    ] {
        assert_eq!(matches(pattern, text), expect, "{pattern} {text}");
    }
}

fn counted(statements: serde_json::Value) -> usize {
    let policy = converted(&json!({ "Statement": statements }));
    let action = Value::from("kms:Decrypt");
    let found = allows(policy, action, Arc::new("kms:key/".to_owned()));
    found.map_or(0, |found| elements(&found).len())
}

fn one(element: &str, actions: serde_json::Value) -> serde_json::Value {
    let mut statement = json!({ "Effect": "Allow", "Resource": "*" });
    statement[element] = actions;
    statement
}

#[test]
fn every_spelling_of_an_action_is_a_grant() {
    for (element, actions, expect) in [
        ("Action", json!("*"), 1),
        ("Action", json!("*:*"), 1),
        ("Action", json!("KMS:decrypt"), 1),
        ("Action", json!(["s3:Get*", "kms:D*"]), 1),
        ("Action", json!("kms:De?rypt"), 1),
        ("Action", json!("kms:Encrypt"), 0),
        ("Action", json!("kms:Describe*"), 0),
        ("NotAction", json!("iam:*"), 1),
        ("NotAction", json!(["iam:*", "kms:*"]), 0),
        ("NotAction", json!("kms:D*"), 0),
    ] {
        let statement = one(element, actions);
        assert_eq!(counted(json!([statement])), expect, "{statement}");
        // A statement may stand without its list.
        assert_eq!(counted(statement.clone()), expect, "{statement}");
    }
}

#[test]
fn every_spelling_of_all_resources_is_one() {
    for (element, resources, expect) in [
        ("Resource", json!("*"), 1),
        ("Resource", json!("arn:aws:kms:*:*:key/*"), 1),
        ("Resource", json!("arn:aws:kms:*:123456789012:key/*"), 1),
        ("Resource", json!("arn:aws:kms:*:123456789012:*"), 1),
        ("Resource", json!("arn:aws:kms:*"), 1),
        ("Resource", json!("arn:*"), 1),
        ("Resource", json!(["arn:aws:kms:eu-west-1:1:key/a", "*"]), 1),
        ("Resource", json!("arn:aws:kms:eu-west-1:1:key/a*"), 0),
        ("Resource", json!("arn:aws:kms:*:*:alias/*"), 0),
        ("Resource", json!("arn:aws:s3:::*"), 0),
        ("Resource", json!("arn:aws:s3*"), 0),
        ("NotResource", json!("arn:aws:kms:eu-west-1:1:key/a"), 1),
        ("NotResource", json!("arn:aws:kms:*:*:key/*"), 0),
    ] {
        let mut statement = json!({ "Effect": "Allow", "Action": "kms:*" });
        statement[element] = resources;
        assert_eq!(counted(json!([statement])), expect, "{statement}");
    }
}

#[test]
fn a_condition_excuses_only_if_it_narrows() {
    for (condition, expect) in [
        (json!({ "Bool": { "aws:SecureTransport": "true" } }), 1),
        (json!({ "StringLike": { "kms:ViaService": "*" } }), 1),
        (
            json!({ "StringLike": { "kms:ViaService": "*.amazonaws.com" } }),
            1,
        ),
        (
            json!({ "StringLike": { "aws:PrincipalArn": "arn:aws:iam::*:role/*" } }),
            1,
        ),
        (
            json!({ "StringEquals": { "aws:PrincipalOrgID": "o-1" } }),
            1,
        ),
        (
            json!({ "Bool": { "aws:MultiFactorAuthPresent": "true" } }),
            1,
        ),
        (json!({ "IpAddress": { "aws:SourceIp": "0.0.0.0/0" } }), 1),
        (json!({ "StringNotEquals": { "aws:username": "eve" } }), 1),
        (json!({ "Null": { "kms:ViaService": "false" } }), 1),
        (
            json!({ "StringEqualsIfExists": { "aws:username": "eve" } }),
            1,
        ),
        (
            json!({ "ForAllValues:StringEquals": { "kms:ResourceAliases": "alias/a" } }),
            1,
        ),
        (json!({ "Bool": { "aws:ViaAWSService": "false" } }), 1),
        (
            json!({ "DateGreaterThan": { "aws:CurrentTime": "2020-01-01T00:00:00Z" } }),
            1,
        ),
        (json!({}), 1),
        (json!({ "Bool": { "aws:ViaAWSService": true } }), 0),
        (
            json!({ "StringEquals": { "kms:ViaService": "s3.eu-west-1.amazonaws.com" } }),
            0,
        ),
        (
            json!({ "StringLike": { "KMS:viaservice": "s3.*.amazonaws.com" } }),
            0,
        ),
        (
            json!({ "StringEquals": { "aws:ResourceTag/team": "payments" } }),
            0,
        ),
        (
            json!({ "ForAnyValue:StringEquals": { "kms:ResourceAliases": "alias/a" } }),
            0,
        ),
        (
            json!({ "IpAddress": { "aws:SourceIp": ["198.51.100.0/24"] } }),
            0,
        ),
    ] {
        let mut statement = one("Action", json!("kms:Decrypt"));
        statement["Condition"] = condition;
        assert_eq!(counted(json!([statement])), expect, "{statement}");
    }
}

#[test]
fn a_denial_of_everything_takes_the_grant_away() {
    let grant = one("Action", json!("*"));
    let denial = |element: &str, actions: serde_json::Value, resource: &str| json!({ "Effect": "Deny", element: actions, "Resource": resource });
    for (denial, expect) in [
        (denial("Action", json!("kms:*"), "*"), 0),
        (
            denial("Action", json!("kms:Decrypt"), "arn:aws:kms:*:*:key/*"),
            0,
        ),
        (denial("NotAction", json!("s3:*"), "*"), 0),
        (denial("NotAction", json!("kms:*"), "*"), 1),
        (denial("Action", json!("kms:Encrypt"), "*"), 1),
        (
            denial("Action", json!("kms:*"), "arn:aws:kms:eu-west-1:1:key/a"),
            1,
        ),
        (
            denial("Action", json!("kms:*"), "arn:aws:kms:*:123456789012:key/*"),
            1,
        ),
        (
            json!({ "Effect": "Deny", "Action": "*", "Resource": "*",
                "Condition": { "Bool": { "aws:MultiFactorAuthPresent": "false" } } }),
            1,
        ),
        // All but one key are refused, so what is left is a named one.
        (
            json!({ "Effect": "Deny", "Action": "kms:*", "NotResource": "arn:aws:kms:eu-west-1:1:key/a" }),
            0,
        ),
    ] {
        assert_eq!(counted(json!([grant, denial])), expect, "{denial}");
    }
}

#[test]
fn one_action_of_several_is_enough_and_a_policy_must_be_one() {
    let policy = json!({ "Statement": one("Action", json!("iam:Put*")) });
    let asked = |actions: serde_json::Value| {
        let kind = Arc::new("iam:user/".to_owned());
        let found = allows(converted(&policy), converted(&actions), kind);
        found.map(|found| elements(&found).len())
    };
    assert_eq!(
        asked(json!(["iam:CreateAccessKey", "iam:PutUserPolicy"])),
        Ok(1)
    );
    assert_eq!(asked(json!(["iam:CreateAccessKey"])), Ok(0));
    assert_eq!(asked(json!("iam:*")), Ok(0));

    let kind = || Arc::new("iam:user/".to_owned());
    let action = || Value::from("iam:*");
    assert!(allows(Value::from("[not read]"), action(), kind()).is_err());
    assert!(allows(converted(&policy), action(), Arc::new("role".to_owned())).is_err());
}
