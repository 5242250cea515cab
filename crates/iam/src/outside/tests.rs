//! Outside callers by principal, condition and denial.

use serde_json::json;

use super::*;

const OWN: &str = "111122223333";
const ACTIONS: [&str; 2] = ["s3:GetObject", "s3:PutObject"];

fn found(statements: serde_json::Value) -> Vec<OutsideAccess> {
    let policy = json!({"Version": "2012-10-17", "Statement": statements});
    outside_access(&IamPolicy::read(&policy).unwrap(), OWN, &ACTIONS)
}

fn who(statements: serde_json::Value) -> Vec<(Outsider, OutsideGrade)> {
    let found = found(statements);
    found.into_iter().map(|one| (one.who, one.grade)).collect()
}

fn allow(principal: serde_json::Value, condition: serde_json::Value) -> serde_json::Value {
    json!([{"Effect": "Allow", "Principal": principal, "Action": "s3:Get*",
        "Resource": "arn:aws:s3:::logs/*", "Condition": condition}])
}

#[test]
fn everyone_is_named_with_the_actions_and_the_statement() {
    let access = found(
        json!([{"Sid": "Public", "Effect": "Allow", "Principal": "*",
        "Action": "s3:Get*", "Resource": "arn:aws:s3:::logs/*"}]),
    );
    assert_eq!(
        access,
        [OutsideAccess {
            who: Outsider::Everyone,
            actions: vec!["s3:GetObject".to_owned()],
            statement: "Public".to_owned(),
            grade: OutsideGrade::Certain,
            conditions: Vec::new(),
        }]
    );
}

#[test]
fn conditions_of_the_origin_name_who_is_let_in() {
    let check = |condition: serde_json::Value, expected: &[(Outsider, OutsideGrade)]| {
        let found = who(allow(json!("*"), condition.clone()));
        assert_eq!(found, expected, "{condition}");
    };
    let account = |id: &str| Outsider::Account(id.to_owned());
    let organization = Outsider::Organization("o-a1".to_owned());

    check(
        json!({"StringEquals": {"aws:PrincipalOrgID": "o-a1"}}),
        &[(organization, OutsideGrade::Certain)],
    );
    check(json!({"StringEquals": {"aws:PrincipalAccount": OWN}}), &[]);
    check(
        json!({"StringEquals": {"aws:PrincipalAccount": "444455556666"}}),
        &[(account("444455556666"), OutsideGrade::Certain)],
    );
    check(
        json!({"IpAddress": {"aws:SourceIp": "203.0.113.0/24"}}),
        &[(
            Outsider::Network("203.0.113.0/24".to_owned()),
            OutsideGrade::Possible,
        )],
    );
    // Chosen by the caller, or satisfied by nearly everything.
    check(
        json!({"Bool": {"aws:SecureTransport": "true"}}),
        &[(Outsider::Everyone, OutsideGrade::Certain)],
    );
    check(
        json!({"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}}),
        &[(Outsider::Everyone, OutsideGrade::Certain)],
    );
    // A tag of the resource is not known here.
    check(
        json!({"StringEquals": {"s3:ExistingObjectTag/public": "yes"}}),
        &[(Outsider::Everyone, OutsideGrade::Possible)],
    );
}

#[test]
fn other_accounts_and_providers_are_outside_and_services_are_not() {
    let none = || json!({});
    assert_eq!(who(allow(json!({"AWS": OWN}), none())), []);
    assert_eq!(
        who(allow(json!({"Service": "sns.amazonaws.com"}), none())),
        []
    );
    assert_eq!(
        who(allow(
            json!({"AWS": "arn:aws:iam::444455556666:role/reader"}),
            none()
        )),
        [(
            Outsider::Account("444455556666".to_owned()),
            OutsideGrade::Certain
        )]
    );

    let provider = "arn:aws:iam::111122223333:oidc-provider/token.actions.githubusercontent.com";
    let expected = |grade| [(Outsider::Federated(provider.to_owned()), grade)];
    assert_eq!(
        who(allow(json!({"Federated": provider}), none())),
        expected(OutsideGrade::Certain)
    );
    let bound = json!({"StringLike": {"token.actions.githubusercontent.com:sub": "repo:acme/*"}});
    assert_eq!(
        who(allow(json!({"Federated": provider}), bound)),
        expected(OutsideGrade::Possible)
    );
}

#[test]
fn a_denial_takes_access_away_unless_the_caller_can_avoid_it() {
    let check = |denial: serde_json::Value, expected: &[OutsideGrade]| {
        let mut statements = allow(json!("*"), json!({}));
        statements.as_array_mut().unwrap().push(denial.clone());
        let grades: Vec<OutsideGrade> = found(statements).iter().map(|one| one.grade).collect();
        assert_eq!(grades, expected, "{denial}");
    };
    let deny = |action: &str, resource: &str, condition: serde_json::Value| {
        json!({"Effect": "Deny", "Principal": "*", "Action": action, "Resource": resource,
            "Condition": condition})
    };

    check(deny("s3:*", "*", json!({})), &[]);
    // The organisation is excepted from the denial, and everyone else is not.
    check(
        deny(
            "s3:*",
            "*",
            json!({"StringNotEquals": {"aws:PrincipalOrgID": "o-a1"}}),
        ),
        &[OutsideGrade::Certain],
    );
    check(
        deny("s3:*", "arn:aws:s3:::other/*", json!({})),
        &[OutsideGrade::Certain],
    );
    check(deny("s3:Put*", "*", json!({})), &[OutsideGrade::Certain]);
    check(
        deny(
            "s3:*",
            "*",
            json!({"Bool": {"aws:SecureTransport": "false"}}),
        ),
        &[OutsideGrade::Certain],
    );
    check(
        deny(
            "s3:*",
            "*",
            json!({"StringEquals": {"aws:ResourceTag/private": "yes"}}),
        ),
        &[OutsideGrade::Possible],
    );
}

#[test]
fn callers_that_a_denial_excepts_are_let_in() {
    let denied_unless = |condition: serde_json::Value| {
        let mut statements = allow(json!("*"), json!({}));
        statements
            .as_array_mut()
            .unwrap()
            .push(json!({"Effect": "Deny", "Principal": "*",
            "Action": "s3:*", "Resource": "*", "Condition": condition}));
        who(statements)
    };
    let organization = Outsider::Organization("o-a1".to_owned());
    let network = Outsider::Network("203.0.113.0/24".to_owned());
    assert_eq!(
        denied_unless(json!({"StringNotEquals": {"aws:PrincipalOrgID": "o-a1"}})),
        [(organization, OutsideGrade::Certain)]
    );
    assert_eq!(
        denied_unless(json!({"NotIpAddress": {"aws:SourceIp": "203.0.113.0/24"}})),
        [(network, OutsideGrade::Possible)]
    );
    assert_eq!(
        denied_unless(json!({"StringNotEquals": {"aws:PrincipalAccount": OWN}})),
        []
    );
}

#[test]
fn allowing_all_but_one_lets_everyone_in() {
    let statements = json!([{"Effect": "Allow", "NotPrincipal": {"AWS": "444455556666"},
        "Action": "s3:GetObject", "Resource": "*"}]);
    assert_eq!(
        who(statements),
        [(Outsider::Everyone, OutsideGrade::Certain)]
    );
}

#[test]
fn a_trust_policy_is_read_the_same_way() {
    let policy = json!({"Version": "2012-10-17", "Statement": {"Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::444455556666:root"}, "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"sts:ExternalId": "8d3f"}}}});
    let access = outside_access(&IamPolicy::read(&policy).unwrap(), OWN, &["sts:AssumeRole"]);
    assert_eq!(access[0].who, Outsider::Account("444455556666".to_owned()));
    assert_eq!(access[0].grade, OutsideGrade::Certain);
    assert_eq!(access[0].statement, "statement 1");
}
