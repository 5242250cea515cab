//! Cases after the IAM User Guide ("Policy evaluation logic", "Permissions boundaries for IAM
//! entities", "Cross-account policy evaluation logic", "IAM JSON policy elements: NotPrincipal",
//! "NotAction", "NotResource") and the AWS Organizations User Guide ("SCP evaluation", "Resource
//! control policies").

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::policy_set::Organization;

const USER: &str = "arn:aws:iam::111122223333:user/alice";
const ROLE: &str = "arn:aws:iam::111122223333:role/deploy";
const SESSION: &str = "arn:aws:sts::111122223333:assumed-role/deploy/run-1";
const OBJECT: &str = "arn:aws:s3:::logs/a";

fn policy(kind: PolicyKind, statements: &Value) -> NamedPolicy {
    let document = json!({"Version": "2012-10-17", "Statement": statements});
    NamedPolicy::new(kind, kind.label(), IamPolicy::read(&document).unwrap())
}

fn allow(action: &str) -> Value {
    json!({"Effect": "Allow", "Action": action, "Resource": "*"})
}

fn deny(action: &str) -> Value {
    json!({"Effect": "Deny", "Action": action, "Resource": "*"})
}

fn to(principal: Value, mut statement: Value) -> Value {
    statement["Principal"] = principal;
    statement
}

fn identity(statements: &Value) -> PolicySet {
    PolicySet {
        identity: vec![policy(PolicyKind::Identity, statements)],
        ..PolicySet::default()
    }
}

fn request(caller: &str, action: &str, resource: &str) -> AccessRequest {
    let mut request = AccessRequest::new(IamCaller::read(caller).unwrap(), action, resource);
    request.resource_account = Some("111122223333".to_owned());
    request.context.add_missing(&IamContext::complete());
    request
}

fn get(set: &PolicySet, caller: &str) -> DecisionOutcome {
    set.decide(&request(caller, "s3:GetObject", OBJECT)).outcome
}

fn level(name: &str, policies: &[Value]) -> Level {
    let policies = policies.iter();
    Level {
        name: name.to_owned(),
        policies: policies
            .map(|statements| policy(PolicyKind::ServiceControl, statements))
            .collect(),
    }
}

#[test]
fn requests_are_denied_by_default_and_an_explicit_deny_wins() {
    assert_eq!(
        get(&PolicySet::default(), USER),
        DecisionOutcome::ImplicitDeny
    );
    assert_eq!(
        get(&identity(&json!([allow("s3:Get*")])), USER),
        DecisionOutcome::Allow
    );
    assert_eq!(
        get(&identity(&json!([allow("S3:getobject")])), USER),
        DecisionOutcome::Allow
    );

    let mut several = identity(&json!([allow("s3:*")]));
    several
        .identity
        .push(policy(PolicyKind::Identity, &json!([deny("s3:GetObject")])));
    let decision = several.decide(&request(USER, "s3:GetObject", OBJECT));
    assert_eq!(decision.outcome, DecisionOutcome::ExplicitDeny);
    assert_eq!(
        decision.why(),
        "denied by statement 1 of identity policy identity policy"
    );
}

#[test]
fn not_action_and_not_resource_cover_all_else() {
    let not_iam =
        json!([{"Effect": "Allow", "NotAction": ["iam:*", "s3:DeleteObject"], "Resource": "*"}]);
    let set = identity(&not_iam);
    let outcome = |action: &str| set.decide(&request(USER, action, OBJECT)).outcome;
    assert_eq!(outcome("s3:GetObject"), DecisionOutcome::Allow);
    assert_eq!(outcome("iam:CreateUser"), DecisionOutcome::ImplicitDeny);
    assert_eq!(outcome("s3:DeleteObject"), DecisionOutcome::ImplicitDeny);

    let outside = json!([allow("s3:*"),
        {"Effect": "Deny", "Action": "s3:*", "NotResource": ["arn:aws:s3:::logs", "arn:aws:s3:::logs/*"]}]);
    let set = identity(&outside);
    let outcome = |resource: &str| set.decide(&request(USER, "s3:GetObject", resource)).outcome;
    assert_eq!(outcome(OBJECT), DecisionOutcome::Allow);
    assert_eq!(
        outcome("arn:aws:s3:::payroll/a"),
        DecisionOutcome::ExplicitDeny
    );
}

#[test]
fn a_boundary_limits_and_grants_nothing() {
    let mut set = identity(&json!([allow("*")]));
    set.boundary = Some(policy(PolicyKind::Boundary, &json!([allow("ec2:*")])));
    let decision = set.decide(&request(USER, "s3:GetObject", OBJECT));
    assert_eq!(decision.outcome, DecisionOutcome::ImplicitDeny);
    assert_eq!(decision.blockers[0].kind, PolicyKind::Boundary);

    set.boundary = Some(policy(PolicyKind::Boundary, &json!([allow("s3:*")])));
    assert_eq!(get(&set, USER), DecisionOutcome::Allow);
    set.identity.clear();
    assert_eq!(get(&set, USER), DecisionOutcome::ImplicitDeny);
}

#[test]
fn a_session_policy_limits_a_session() {
    let mut set = identity(&json!([allow("s3:*")]));
    set.session = vec![policy(PolicyKind::Session, &json!([allow("s3:PutObject")]))];
    assert_eq!(get(&set, SESSION), DecisionOutcome::ImplicitDeny);
    set.session
        .push(policy(PolicyKind::Session, &json!([allow("s3:GetObject")])));
    assert_eq!(get(&set, SESSION), DecisionOutcome::Allow);
}

/// The table of "Policy evaluation for requests within a single account", by the principal that
/// the policy of the resource names.
#[test]
fn a_policy_of_a_resource_in_the_same_account_grants_by_whom_it_names() {
    let check = |named: &str, caller: &str, has_boundary: bool, expected: DecisionOutcome| {
        let set = PolicySet {
            resource: Some(policy(
                PolicyKind::Resource,
                &json!([to(json!({"AWS": named}), allow("s3:GetObject"))]),
            )),
            boundary: has_boundary.then(|| policy(PolicyKind::Boundary, &json!([allow("ec2:*")]))),
            ..PolicySet::default()
        };
        assert_eq!(
            get(&set, caller),
            expected,
            "{named} {caller} {has_boundary}"
        );
    };

    check(USER, USER, false, DecisionOutcome::Allow);
    // The implicit deny of a boundary does not limit what is granted to a user directly.
    check(USER, USER, true, DecisionOutcome::Allow);
    check(ROLE, SESSION, false, DecisionOutcome::Allow);
    check(ROLE, SESSION, true, DecisionOutcome::ImplicitDeny);
    check(SESSION, SESSION, true, DecisionOutcome::Allow);
    // The account delegates to its identity policies, and there are none.
    check(
        "arn:aws:iam::111122223333:root",
        USER,
        false,
        DecisionOutcome::ImplicitDeny,
    );
    check("111122223333", USER, false, DecisionOutcome::ImplicitDeny);
    check(
        "arn:aws:iam::111122223333:user/bob",
        USER,
        false,
        DecisionOutcome::ImplicitDeny,
    );
    check("*", USER, false, DecisionOutcome::Allow);
    check("*", "*", false, DecisionOutcome::Allow);
}

#[test]
fn an_explicit_deny_of_a_boundary_limits_what_a_resource_grants() {
    let set = PolicySet {
        resource: Some(policy(
            PolicyKind::Resource,
            &json!([to(json!({"AWS": USER}), allow("s3:GetObject"))]),
        )),
        boundary: Some(policy(PolicyKind::Boundary, &json!([deny("s3:*")]))),
        ..PolicySet::default()
    };
    assert_eq!(get(&set, USER), DecisionOutcome::ExplicitDeny);
}

#[test]
fn across_accounts_both_sides_must_allow() {
    let foreign = "arn:aws:iam::444455556666:user/carol";
    let bucket = |principal: Value| {
        Some(policy(
            PolicyKind::Resource,
            &json!([to(principal, allow("s3:GetObject"))]),
        ))
    };

    let mut set = identity(&json!([allow("s3:*")]));
    set.resource = bucket(json!({"AWS": "444455556666"}));
    assert_eq!(get(&set, foreign), DecisionOutcome::Allow);
    set.resource = bucket(json!({"AWS": "777788889999"}));
    assert_eq!(get(&set, foreign), DecisionOutcome::ImplicitDeny);
    set.resource = bucket(json!({"AWS": foreign}));
    set.identity.clear();
    assert_eq!(get(&set, foreign), DecisionOutcome::ImplicitDeny);
    // The policy of the other account's resource is not known.
    let mut set = identity(&json!([allow("s3:*")]));
    set.resource = None;
    assert_eq!(get(&set, foreign), DecisionOutcome::Unknown);
}

#[test]
fn roles_and_keys_must_allow_in_their_own_policy() {
    let assume = |trust: Value, identities: &Value| {
        let mut set = identity(identities);
        set.resource = Some(policy(PolicyKind::Trust, &json!([trust])));
        set.decide(&request(USER, "sts:AssumeRole", ROLE)).outcome
    };
    let trusting = |principal: &str| json!({"Effect": "Allow", "Principal": {"AWS": principal}, "Action": "sts:AssumeRole"});
    let root = "arn:aws:iam::111122223333:root";

    assert_eq!(
        assume(trusting(root), &json!([allow("sts:*")])),
        DecisionOutcome::Allow
    );
    assert_eq!(
        assume(trusting(root), &json!([])),
        DecisionOutcome::ImplicitDeny
    );
    assert_eq!(assume(trusting(USER), &json!([])), DecisionOutcome::Allow);
    assert_eq!(
        assume(trusting("444455556666"), &json!([allow("*")])),
        DecisionOutcome::ImplicitDeny
    );

    let key = "arn:aws:kms:eu-west-1:111122223333:key/1";
    let set = identity(&json!([allow("kms:*")]));
    assert_eq!(
        set.decide(&request(USER, "kms:Decrypt", key)).outcome,
        DecisionOutcome::Unknown
    );
}

#[test]
fn every_level_of_an_organization_must_allow() {
    let all = json!([allow("*")]);
    let check = |levels: Vec<Level>, expected: DecisionOutcome| {
        let mut set = identity(&json!([allow("s3:*")]));
        set.organization = Arc::new(Organization {
            service_control: levels,
            ..Organization::default()
        });
        assert_eq!(get(&set, USER), expected);
    };

    check(
        vec![
            level("Root", std::slice::from_ref(&all)),
            level("account", std::slice::from_ref(&all)),
        ],
        DecisionOutcome::Allow,
    );
    check(
        vec![
            level("Root", std::slice::from_ref(&all)),
            level("Workloads", &[json!([allow("ec2:*")])]),
            level("account", std::slice::from_ref(&all)),
        ],
        DecisionOutcome::ImplicitDeny,
    );
    check(
        vec![
            level("Root", std::slice::from_ref(&all)),
            level("account", &[]),
        ],
        DecisionOutcome::ImplicitDeny,
    );
    check(
        vec![
            level("Root", &[all.clone(), json!([deny("s3:*")])]),
            level("account", &[all]),
        ],
        DecisionOutcome::ExplicitDeny,
    );
}

#[test]
fn service_control_policies_do_not_limit_the_management_account_and_service_linked_roles() {
    let organization = Organization {
        management_account: Some("999988887777".to_owned()),
        service_control: vec![level("Root", &[json!([deny("s3:*")])])],
        ..Organization::default()
    };
    let mut set = identity(&json!([allow("s3:*")]));
    set.organization = Arc::new(organization);

    assert_eq!(get(&set, USER), DecisionOutcome::ExplicitDeny);
    let linked = "arn:aws:iam::111122223333:role/aws-service-role/ops.amazonaws.com/OpsRole";
    assert_eq!(get(&set, linked), DecisionOutcome::Allow);
    let mut own = request(
        "arn:aws:iam::999988887777:user/root-admin",
        "s3:GetObject",
        OBJECT,
    );
    own.resource_account = Some("999988887777".to_owned());
    assert_eq!(set.decide(&own).outcome, DecisionOutcome::Allow);
    // The root user of a member account is limited too.
    assert_eq!(
        get(&set, "arn:aws:iam::111122223333:root"),
        DecisionOutcome::ExplicitDeny
    );
}

#[test]
fn resource_control_policies_limit_callers_of_other_accounts_too() {
    let outsider = "arn:aws:iam::444455556666:user/carol";
    let only_own = json!([allow("*"), {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "*",
        "Condition": {"StringNotEqualsIfExists": {"aws:PrincipalOrgID": "o-a1"}}}]);
    let mut set = identity(&json!([allow("s3:*")]));
    set.resource = Some(policy(
        PolicyKind::Resource,
        &json!([to(json!("*"), allow("s3:GetObject"))]),
    ));
    let guarded = Organization {
        resource_control: vec![Level {
            name: "Root".to_owned(),
            policies: vec![policy(PolicyKind::ResourceControl, &only_own)],
        }],
        ..Organization::default()
    };
    assert_eq!(get(&set, outsider), DecisionOutcome::Allow);
    set.organization = Arc::new(guarded);
    assert_eq!(get(&set, outsider), DecisionOutcome::ExplicitDeny);

    let mut member = request(USER, "s3:GetObject", OBJECT);
    member.context.set("aws:PrincipalOrgID", ["o-a1"]);
    assert_eq!(set.decide(&member).outcome, DecisionOutcome::Allow);
}

#[test]
fn not_principal_must_except_the_caller_and_its_account() {
    let denying_all_but = |names: Value| {
        let mut set = identity(&json!([allow("s3:*")]));
        let statement = json!({"Effect": "Deny", "NotPrincipal": {"AWS": names}, "Action": "s3:*", "Resource": "*"});
        set.resource = Some(policy(PolicyKind::Resource, &json!([statement])));
        get(&set, USER)
    };
    assert_eq!(
        denying_all_but(json!([USER, "arn:aws:iam::111122223333:root"])),
        DecisionOutcome::Allow
    );
    assert_eq!(
        denying_all_but(json!(["arn:aws:iam::111122223333:user/bob"])),
        DecisionOutcome::ExplicitDeny
    );
    // AWS documents that naming the user alone may still deny.
    assert_eq!(denying_all_but(json!([USER])), DecisionOutcome::Unknown);
}

#[test]
fn services_need_the_policy_of_the_resource_alone() {
    let set = PolicySet {
        resource: Some(policy(
            PolicyKind::Trust,
            &json!([{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]),
        )),
        ..PolicySet::default()
    };
    let outcome = |service: &str| {
        set.decide(&request(service, "sts:AssumeRole", ROLE))
            .outcome
    };
    assert_eq!(outcome("lambda.amazonaws.com"), DecisionOutcome::Allow);
    assert_eq!(outcome("ec2.amazonaws.com"), DecisionOutcome::ImplicitDeny);
}

#[test]
fn unknown_conditions_and_policies_make_a_decision_unknown_and_say_why() {
    let unknown = |set: &PolicySet| {
        let mut request =
            AccessRequest::new(IamCaller::read(USER).unwrap(), "s3:GetObject", OBJECT);
        request.resource_account = Some("111122223333".to_owned());
        set.decide(&request)
    };

    let with_mfa = json!([{"Effect": "Allow", "Action": "s3:*", "Resource": "*",
        "Condition": {"Bool": {"aws:MultiFactorAuthPresent": "true"}}}]);
    let decision = unknown(&identity(&with_mfa));
    assert_eq!(decision.outcome, DecisionOutcome::Unknown);
    assert_eq!(decision.why(), "depends on Bool aws:multifactorauthpresent");

    let denied_without = json!([allow("s3:*"), {"Effect": "Deny", "Action": "*", "Resource": "*",
        "Condition": {"BoolIfExists": {"aws:MultiFactorAuthPresent": "false"}}}]);
    assert_eq!(
        unknown(&identity(&denied_without)).outcome,
        DecisionOutcome::Unknown
    );

    let mut unread = PolicySet::default();
    unread.identity.push(NamedPolicy {
        kind: PolicyKind::Identity,
        name: "arn:aws:iam::aws:policy/NotInTheFile".into(),
        document: None,
    });
    let decision = unknown(&unread);
    assert_eq!(decision.outcome, DecisionOutcome::Unknown);
    assert!(decision.why().contains("NotInTheFile, which was not read"));
}

#[test]
fn variables_name_the_caller_only_in_the_newer_language() {
    let home = |version: &str| {
        let document = json!({"Version": version, "Statement": [{"Effect": "Allow", "Action": "s3:*",
            "Resource": "arn:aws:s3:::home/${aws:username}/*"}]});
        let policy = NamedPolicy::new(
            PolicyKind::Identity,
            "home",
            IamPolicy::read(&document).unwrap(),
        );
        let set = PolicySet {
            identity: vec![policy],
            ..PolicySet::default()
        };
        let outcome = |resource: &str| set.decide(&request(USER, "s3:GetObject", resource)).outcome;
        (
            outcome("arn:aws:s3:::home/alice/a"),
            outcome("arn:aws:s3:::home/bob/a"),
        )
    };
    assert_eq!(
        home("2012-10-17"),
        (DecisionOutcome::Allow, DecisionOutcome::ImplicitDeny)
    );
    assert_eq!(
        home("2008-10-17"),
        (DecisionOutcome::ImplicitDeny, DecisionOutcome::ImplicitDeny)
    );
}

#[test]
fn a_condition_that_is_not_satisfied_is_the_reason_against() {
    let statements = json!([{"Sid": "Office", "Effect": "Allow", "Action": "s3:*", "Resource": "*",
        "Condition": {"IpAddress": {"aws:SourceIp": "203.0.113.0/24"}}}]);
    let set = identity(&statements);
    let mut elsewhere = request(USER, "s3:GetObject", OBJECT);
    elsewhere.context.set("aws:SourceIp", ["198.51.100.1"]);
    let decision = set.decide(&elsewhere);
    assert_eq!(decision.outcome, DecisionOutcome::ImplicitDeny);
    assert_eq!(decision.blockers[0].by, BlockerKind::Condition);
    assert_eq!(decision.blockers[0].statement.as_deref(), Some("Office"));
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    /// Statements over two services and a few conditions of which some keys are unknown.
    fn statement() -> impl Strategy<Value = Value> {
        let condition = prop_oneof![
            Just(json!({})),
            Just(json!({"Bool": {"aws:MultiFactorAuthPresent": "true"}})),
            Just(json!({"StringEquals": {"aws:username": "alice"}})),
            Just(json!({"StringNotEquals": {"aws:username": "alice"}})),
        ];
        (
            prop_oneof![Just("Allow"), Just("Allow"), Just("Deny")],
            prop_oneof![Just("Action"), Just("NotAction")],
            prop::collection::vec("(s3|sqs|\\*):(Get|Put|\\*)", 1..3),
            prop_oneof![Just("*"), Just("arn:aws:s3:::logs/*"), Just("arn:aws:s3:::other/*")],
            condition,
        )
            .prop_map(|(effect, name, actions, resource, condition)| {
                json!({"Effect": effect, name: actions, "Resource": resource, "Condition": condition})
            })
    }

    fn statements() -> impl Strategy<Value = Value> {
        prop::collection::vec(statement(), 1..4).prop_map(Value::from)
    }

    fn rank(outcome: DecisionOutcome) -> u8 {
        match outcome {
            DecisionOutcome::Allow => 2,
            DecisionOutcome::Unknown => 1,
            DecisionOutcome::ImplicitDeny | DecisionOutcome::ExplicitDeny => 0,
        }
    }

    fn decided(set: &PolicySet, action: &str) -> u8 {
        let mut request = AccessRequest::new(IamCaller::read(USER).unwrap(), action, OBJECT);
        request.resource_account = Some("111122223333".to_owned());
        rank(set.decide(&request).outcome)
    }

    proptest! {
        #[test]
        fn boundaries_session_policies_and_organizations_never_grant(
            own in statements(), limit in statements(), action in "(s3|sqs):(Get|Put|List)"
        ) {
            let free = identity(&own);
            let mut bounded = free.clone();
            bounded.boundary = Some(policy(PolicyKind::Boundary, &limit));
            let mut in_session = free.clone();
            in_session.session = vec![policy(PolicyKind::Session, &limit)];
            let mut organized = free.clone();
            organized.organization = Arc::new(Organization {
                service_control: vec![level("Root", std::slice::from_ref(&limit))],
                ..Organization::default()
            });
            for limited in [&bounded, &in_session, &organized] {
                prop_assert!(decided(limited, &action) <= decided(&free, &action));
            }
            // Within each other, the order does not matter.
            prop_assert_eq!(decided(&bounded, &action), decided(&in_session, &action));
        }

        #[test]
        fn a_denial_of_everything_wins_over_all_policies(
            own in statements(), of_resource in statements(), action in "(s3|sqs):(Get|Put|List)"
        ) {
            let mut set = identity(&own);
            set.identity.push(policy(PolicyKind::Identity, &json!([deny("*")])));
            let mut named = of_resource;
            for statement in named.as_array_mut().unwrap() {
                statement["Principal"] = json!("*");
            }
            set.resource = Some(policy(PolicyKind::Resource, &named));
            prop_assert_eq!(decided(&set, &action), 0);
        }

        #[test]
        fn knowing_a_key_never_contradicts_what_was_decided_without_it(
            own in statements(), has_mfa in any::<bool>(), action in "(s3|sqs):(Get|Put|List)"
        ) {
            let set = identity(&own);
            let mut request = AccessRequest::new(IamCaller::read(USER).unwrap(), action, OBJECT);
            let without = rank(set.decide(&request).outcome);
            request.context.set("aws:MultiFactorAuthPresent", [has_mfa.to_string()]);
            let with = rank(set.decide(&request).outcome);
            prop_assert!(without == 1 || without == with, "{without} {with}");
        }
    }
}
