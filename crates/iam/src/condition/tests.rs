//! Operators, quantifiers, absent and unknown keys, variables.

use serde_json::{Value, json};

use super::*;
use crate::document::PolicyStatement;

fn truth(condition: Value, context: &IamContext) -> Truth {
    let statement =
        json!({"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": condition});
    let statement = PolicyStatement::read(1, &statement).unwrap();
    let conditions = statement.conditions.iter();
    conditions
        .map(|condition| condition.is_satisfied(context, true))
        .fold(Truth::True, Truth::and)
}

fn with(key: &str, values: &[&str]) -> IamContext {
    let mut context = IamContext::complete();
    context.set(key, values.iter().copied());
    context
}

#[test]
fn each_operator_compares_as_documented() {
    let check = |operator: &str, wanted: Value, given: &str, expected: bool| {
        let found = truth(
            json!({operator: {"some:Key": wanted}}),
            &with("some:key", &[given]),
        );
        assert_eq!(found, expected.into(), "{operator} {wanted} {given}");
    };

    check("StringEquals", json!("a*"), "ab", false);
    check("StringEquals", json!(["a", "b"]), "b", true);
    check("StringNotEquals", json!(["a", "b"]), "b", false);
    check("StringEqualsIgnoreCase", json!("Red"), "rED", true);
    check("StringNotEqualsIgnoreCase", json!("Red"), "rED", false);
    check("StringLike", json!("a*c?"), "abbcd", true);
    check("StringNotLike", json!("a*"), "abc", false);
    check("NumericEquals", json!(10), "10.0", true);
    check("NumericNotEquals", json!("10"), "11", true);
    check("NumericLessThan", json!("10"), "9", true);
    check("NumericLessThanEquals", json!("10"), "10", true);
    check("NumericGreaterThan", json!("10"), "10", false);
    check("NumericGreaterThanEquals", json!("10"), "10", true);
    check(
        "DateGreaterThan",
        json!("2026-01-01T00:00:00Z"),
        "2026-02-01T00:00:00Z",
        true,
    );
    check("DateLessThan", json!("2026-01-01"), "1767225600", false);
    check(
        "DateEquals",
        json!("1767225600"),
        "2026-01-01T00:00:00Z",
        true,
    );
    check("Bool", json!(true), "TRUE", true);
    check("BinaryEquals", json!("QmluYXJ5"), "QmluYXJ5", true);
    check("IpAddress", json!("203.0.113.0/24"), "203.0.113.9", true);
    check(
        "NotIpAddress",
        json!("203.0.113.0/24"),
        "203.0.113.9",
        false,
    );
    check("IpAddress", json!("2001:db8::/32"), "2001:db8::1", true);
    check(
        "ArnLike",
        json!("arn:aws:iam::*:role/*"),
        "arn:aws:iam::111122223333:role/a/b",
        true,
    );
    check(
        "ArnEquals",
        json!("arn:aws:iam::*:role/*"),
        "arn:aws:iam::111122223333:role/a",
        true,
    );
    check(
        "ArnNotLike",
        json!("arn:aws:iam::*:role/*"),
        "arn:aws:iam::111122223333:user/a",
        true,
    );
    check("Null", json!("false"), "there", true);
}

#[test]
fn an_absent_key_satisfies_negated_operators_if_exists_and_for_all_values() {
    let absent = with("other", &["1"]);
    let check = |operator: &str, expected: bool| {
        let found = truth(json!({operator: {"some:Key": "a"}}), &absent);
        assert_eq!(found, expected.into(), "{operator}");
    };

    check("StringEquals", false);
    check("StringNotEquals", true);
    check("StringEqualsIfExists", true);
    check("BoolIfExists", true);
    check("ForAllValues:StringEquals", true);
    check("ForAnyValue:StringEquals", false);
    check("ForAnyValue:StringNotEquals", false);
    assert_eq!(
        truth(json!({"Null": {"some:Key": "true"}}), &absent),
        Truth::True
    );
}

#[test]
fn keys_with_several_values_are_read_by_their_quantifier() {
    let check = |operator: &str, wanted: Value, given: &[&str], expected: bool| {
        let found = truth(
            json!({operator: {"some:Key": wanted}}),
            &with("some:key", given),
        );
        assert_eq!(found, expected.into(), "{operator} {wanted} {given:?}");
    };

    check("ForAllValues:StringEquals", json!(["a", "b"]), &["a"], true);
    check(
        "ForAllValues:StringEquals",
        json!(["a", "b"]),
        &["a", "c"],
        false,
    );
    check(
        "ForAnyValue:StringEquals",
        json!(["a", "b"]),
        &["a", "c"],
        true,
    );
    check("ForAnyValue:StringLike", json!("x*"), &["a", "c"], false);
    check(
        "ForAllValues:StringNotEquals",
        json!("a"),
        &["b", "c"],
        true,
    );
    check("ForAnyValue:StringNotEquals", json!("a"), &["a", "c"], true);
    check("ForAnyValue:StringNotEquals", json!("a"), &["a"], false);
}

#[test]
fn an_unknown_key_is_neither_satisfied_nor_refused() {
    let nothing = IamContext::default();
    for operator in [
        "StringEquals",
        "StringNotEquals",
        "ForAllValues:StringLike",
        "Null",
        "BoolIfExists",
    ] {
        let found = truth(json!({operator: {"some:Key": "a"}}), &nothing);
        assert_eq!(found, Truth::Unknown, "{operator}");
    }
    // A condition that is false decides, whatever the unknown one is.
    let mixed = json!({"StringEquals": {"some:Key": "a", "other:Key": "b"}});
    let context = IamContext::default().with("other:key", "c");
    assert_eq!(truth(mixed, &context), Truth::False);
}

#[test]
fn variables_are_replaced_and_their_values_are_literal() {
    let check = |wanted: &str, context: &IamContext, given: &str, expected: Truth| {
        let context = context.clone().with("some:key", given);
        let found = truth(json!({"StringLike": {"some:Key": wanted}}), &context);
        assert_eq!(found, expected, "{wanted}");
    };

    let alice = with("aws:username", &["alice"]);
    check(
        "home/${aws:username}/*",
        &alice,
        "home/alice/a",
        Truth::True,
    );
    check("home/${aws:username}/*", &alice, "home/bob/a", Truth::False);
    check(
        "${aws:PrincipalTag/team, 'none'}",
        &alice,
        "none",
        Truth::True,
    );
    check("${aws:PrincipalTag/team}", &alice, "", Truth::False);
    check("a${*}b", &alice, "a*b", Truth::True);
    check("a${*}b", &alice, "axb", Truth::False);
    let star = with("aws:username", &["*"]);
    check("home/${aws:username}", &star, "home/bob", Truth::False);
    // An unknown name may be any, and cannot make another beginning match.
    check(
        "home/${aws:username}/*",
        &IamContext::default(),
        "home/bob/a",
        Truth::Unknown,
    );
    check(
        "home/${aws:username}/*",
        &IamContext::default(),
        "tmp/bob/a",
        Truth::False,
    );
}
