//! Defects of other programs, each as a case: combinations over policies that are not seen, denials
//! and conditions that are ignored, organisation policies that are half applied, single actions that
//! are no escalation.

use serde_json::{Value, json};

use super::fixture::*;
use crate::decision::BlockerKind;
use crate::policy_set::PolicyKind;
use crate::reach::{ReachGrade, administrators, reach};

fn lambda_role() -> Value {
    trusting(json!({"Service": "lambda.amazonaws.com"}))
}

fn functions() -> Value {
    allow(json!(["lambda:CreateFunction", "lambda:InvokeFunction"]))
}

#[test]
fn permissions_of_several_policies_and_groups_combine() {
    let policy = format!("arn:aws:iam::{ACCOUNT}:policy/deployers");
    let fixture = Fixture::default()
        .admin_role("target", lambda_role())
        .policy("deployers", json!([allow(json!("lambda:CreateFunction"))]))
        .group("developers", &[&policy])
        .policy("passing", json!([allow(json!("iam:PassRole"))]))
        .user(
            "dev",
            json!([allow(json!("lambda:InvokeFunction"))]),
            &[&format!("arn:aws:iam::{ACCOUNT}:policy/passing")],
            &["developers"],
        );
    let way = fixture.to_admin("dev").unwrap();
    assert_eq!(
        (way.grade, steps(&way)),
        (ReachGrade::Certain, vec!["lambda-001"])
    );

    let statements: Vec<&String> = way.path[0]
        .allowed_by
        .iter()
        .flat_map(|one| &one.statements)
        .collect();
    assert!(
        statements
            .iter()
            .any(|text| text.contains("policy/passing")),
        "{statements:?}"
    );
    assert!(
        statements
            .iter()
            .any(|text| text.contains("own of user dev")),
        "{statements:?}"
    );
}

#[test]
fn permissions_of_several_principals_combine() {
    // One can pass the role to a job, the other one can start it; the first one can become the other.
    let jobs = json!([
        allow(json!(["iam:PassRole", "glue:CreateJob"])),
        allow(json!("sts:AssumeRole"))
    ]);
    let fixture = Fixture::default()
        .admin_role("target", trusting(json!({"Service": "glue.amazonaws.com"})))
        .role(
            "starter",
            trusting_account(),
            json!([allow(json!("glue:StartJobRun"))]),
            &[],
        )
        .user("dev", jobs, &[], &[]);
    let way = fixture.to_admin("dev").unwrap();
    assert_eq!(
        (way.grade, steps(&way)),
        (ReachGrade::Certain, vec!["sts-001", "glue-003"])
    );
    let callers: Vec<&str> = way.path[1]
        .allowed_by
        .iter()
        .map(|one| one.by.as_str())
        .collect();
    assert_eq!(
        callers,
        [user_arn("dev"), user_arn("dev"), role_arn("starter")]
    );
}

#[test]
fn a_way_over_several_principals_is_found_and_is_the_shortest() {
    let assume = |role: &str| json!([{"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": role_arn(role)}]);
    let fixture = Fixture::default()
        .role("first", trusting_account(), assume("second"), &[])
        .role("second", trusting_account(), assume("third"), &[])
        .admin_role("third", trusting_account())
        .user("dev", assume("first"), &[], &[]);
    let way = fixture.to_admin("dev").unwrap();
    assert_eq!(steps(&way), ["sts-001", "sts-001", "sts-001"]);
    let targets: Vec<&str> = way.path.iter().map(|step| step.target.as_str()).collect();
    assert_eq!(
        targets,
        [role_arn("first"), role_arn("second"), role_arn("third")]
    );
}

#[test]
fn a_user_that_joins_a_group_has_the_permissions_of_both() {
    let policy = format!("arn:aws:iam::{ACCOUNT}:policy/passing");
    let fixture = Fixture::default()
        .admin_role("target", lambda_role())
        .policy("passing", json!([allow(json!("iam:PassRole"))]))
        .group("passers", &[&policy])
        .user(
            "dev",
            json!([functions(), allow(json!("iam:AddUserToGroup"))]),
            &[],
            &[],
        );
    let way = fixture.to_admin("dev").unwrap();
    assert_eq!(steps(&way), ["iam-013", "lambda-001"]);
}

#[test]
fn an_explicit_deny_is_respected_wherever_it_stands() {
    let policy = format!("arn:aws:iam::{ACCOUNT}:policy/no-passing");
    let fixture = Fixture::default()
        .admin_role("target", lambda_role())
        .policy("no-passing", json!([deny(json!("iam:Pass*"))]))
        .group("developers", &[&policy])
        .user(
            "dev",
            json!([functions(), allow(json!("iam:PassRole"))]),
            &[],
            &["developers"],
        );
    let way = fixture.to_admin("dev").unwrap();
    assert_eq!(way.grade, ReachGrade::Blocked);
    assert_eq!(way.blocked_by.len(), 1);
    assert_eq!(way.blocked_by[0].by, BlockerKind::Deny);
    assert_eq!(way.blocked_by[0].policy, policy);
}

#[test]
fn an_unknown_condition_makes_a_way_possible_and_a_known_one_decides() {
    let passing = |condition: Value| {
        let statement = json!({"Effect": "Allow", "Action": "iam:PassRole", "Resource": "*", "Condition": condition});
        let fixture = Fixture::default().admin_role("target", lambda_role()).user(
            "dev",
            json!([functions(), statement]),
            &[],
            &[],
        );
        fixture.to_admin("dev").unwrap()
    };

    let way = passing(json!({"Bool": {"aws:MultiFactorAuthPresent": "true"}}));
    assert_eq!(way.grade, ReachGrade::Possible);
    assert_eq!(way.path[0].depends_on, ["Bool aws:multifactorauthpresent"]);

    let way = passing(json!({"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}}));
    assert_eq!(way.grade, ReachGrade::Certain);

    let way = passing(json!({"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}));
    assert_eq!(way.grade, ReachGrade::Blocked);
    assert_eq!(way.blocked_by[0].by, BlockerKind::Condition);
}

#[test]
fn every_level_of_the_organization_must_allow() {
    let fixture = |levels: Value| {
        Fixture::default()
            .admin_role("target", lambda_role())
            .user("dev", json!([functions(), allow(json!("iam:PassRole"))]), &[], &[])
            .beside(json!({"organization": {"id": "o-a1", "management_account": "999988887777", "service_control_policies": levels}}))
    };
    let all = json!({"name": "FullAWSAccess", "policy": document(json!([allow(json!("*"))]))});
    let some = json!({"name": "NoFunctions", "policy": document(json!([{"Effect": "Allow", "NotAction": "lambda:*", "Resource": "*"}]))});
    let level = |name: &str, policy: &Value| json!({"level": name, "policies": [policy]});

    let open = fixture(json!([level("Root", &all), level("account", &all)]));
    assert_eq!(open.to_admin("dev").unwrap().grade, ReachGrade::Certain);

    let closed = fixture(json!([
        level("Root", &all),
        level("Workloads", &some),
        level("account", &all)
    ]));
    let way = closed.to_admin("dev").unwrap();
    assert_eq!(way.grade, ReachGrade::Blocked);
    let blocked: Vec<(&str, PolicyKind)> = way
        .blocked_by
        .iter()
        .map(|one| (one.policy.as_str(), one.kind))
        .collect();
    assert_eq!(
        blocked,
        [
            ("Workloads", PolicyKind::ServiceControl),
            ("Workloads", PolicyKind::ServiceControl)
        ]
    );
}

#[test]
fn policies_of_the_organization_do_not_limit_its_management_account() {
    let denying = json!([{"name": "NoIam", "policy": document(json!([allow(json!("*")), deny(json!("iam:*"))]))}]);
    let way = |management: &str| {
        let fixture = Fixture::default()
            .user("dev", json!([allow(json!("iam:PutUserPolicy"))]), &[], &[])
            .beside(json!({"management_account": management, "service_control_policies": denying}));
        fixture.to_admin("dev").unwrap().grade
    };
    assert_eq!(way("999988887777"), ReachGrade::Blocked);
    assert_eq!(way(ACCOUNT), ReachGrade::Certain);
}

#[test]
fn a_boundary_stops_what_it_does_not_allow() {
    let fixture = Fixture::default()
        .policy("limits", json!([allow(json!(["iam:*", "s3:*"]))]))
        .user("dev", json!([allow(json!("iam:PutUserPolicy"))]), &[], &[])
        .with(
            "PermissionsBoundary",
            json!({"PermissionsBoundaryType": "Policy",
            "PermissionsBoundaryArn": format!("arn:aws:iam::{ACCOUNT}:policy/limits")}),
        );
    // The policy can be written, and what it allows stays within the boundary.
    let way = fixture.to_admin("dev").unwrap();
    assert_eq!(way.grade, ReachGrade::Blocked);
    assert_eq!(way.blocked_by[0].kind, PolicyKind::Boundary);
}

#[test]
fn single_actions_that_are_no_escalation_are_not_listed() {
    for action in [
        "iam:PassRole",
        "lambda:CreateFunction",
        "ec2:RunInstances",
        "glue:CreateJob",
        "cloudformation:CreateStack",
    ] {
        let fixture = Fixture::default()
            .admin_role("target", trusting(json!({"Service": ["lambda.amazonaws.com", "ec2.amazonaws.com", "glue.amazonaws.com", "cloudformation.amazonaws.com"]})))
            .user("dev", json!([allow(json!(action))]), &[], &[]);
        assert_eq!(fixture.ways("dev"), [], "{action}");
    }
}

#[test]
fn passing_needs_a_role_that_trusts_the_service() {
    let fixture = |service: &str| {
        Fixture::default()
            .admin_role("target", trusting(json!({"Service": service})))
            .user(
                "dev",
                json!([functions(), allow(json!("iam:PassRole"))]),
                &[],
                &[],
            )
    };
    assert!(fixture("lambda.amazonaws.com").to_admin("dev").is_some());
    assert_eq!(fixture("ec2.amazonaws.com").ways("dev"), []);
    assert_eq!(fixture("edgelambda.amazonaws.com").ways("dev"), []);
}

#[test]
fn a_target_that_is_not_more_powerful_is_no_escalation() {
    let reader = json!([allow(json!("s3:GetObject"))]);
    let fixture = Fixture::default()
        .role("reader", trusting_account(), reader.clone(), &[])
        .user(
            "dev",
            json!([allow(json!(["sts:AssumeRole", "s3:*"]))]),
            &[],
            &[],
        )
        .user("guest", json!([allow(json!("sts:AssumeRole"))]), &[], &[]);
    assert_eq!(fixture.ways("dev"), []);

    let ways = fixture.ways("guest");
    assert_eq!(ways.len(), 1);
    assert_eq!(ways[0].reaches, role_arn("reader"));
    assert_eq!(ways[0].gains.as_deref(), Some("s3:GetObject on *"));
}

#[test]
fn administrators_are_no_escalation() {
    let fixture = Fixture::default()
        .admin_role("target", trusting_account())
        .user("root-like", json!([]), &[ADMINISTRATOR], &[])
        .user(
            "power",
            json!([]),
            &["arn:aws:iam::aws:policy/PowerUserAccess"],
            &[],
        );
    assert_eq!(fixture.ways("root-like"), []);
    let found = administrators(&fixture.account());
    assert_eq!(
        found,
        [
            (role_arn("target"), ReachGrade::Certain),
            (user_arn("root-like"), ReachGrade::Certain)
        ]
    );
}

#[test]
fn a_service_linked_role_is_no_target() {
    let linked = json!({"RoleDetailList": [{"RoleName": "Linked", "Path": "/aws-service-role/lambda.amazonaws.com/",
        "Arn": format!("arn:aws:iam::{ACCOUNT}:role/aws-service-role/lambda.amazonaws.com/Linked"),
        "AssumeRolePolicyDocument": lambda_role(),
        "RolePolicyList": [{"PolicyName": "all", "PolicyDocument": document(json!([allow(json!("*"))]))}]}]});
    let fixture = Fixture::default()
        .user(
            "dev",
            json!([functions(), allow(json!("iam:PassRole"))]),
            &[],
            &[],
        )
        .beside(linked);
    assert_eq!(fixture.ways("dev"), []);
}

#[test]
fn a_role_that_names_its_caller_needs_no_permission_of_it() {
    let fixture = Fixture::default()
        .admin_role("target", trusting(json!({"AWS": user_arn("dev")})))
        .user("dev", json!([]), &[], &[])
        .user("other", json!([]), &[], &[]);
    assert_eq!(steps(&fixture.to_admin("dev").unwrap()), ["sts-001"]);
    assert_eq!(fixture.ways("other"), []);
}

#[test]
fn conditions_of_a_trust_policy_are_evaluated() {
    let trust = |condition: Value| {
        let mut trust = trusting_account();
        trust["Statement"][0]["Condition"] = condition;
        let fixture = Fixture::default().admin_role("target", trust).user(
            "dev",
            json!([allow(json!("sts:AssumeRole"))]),
            &[],
            &[],
        );
        fixture.to_admin("dev").map(|way| way.grade)
    };
    assert_eq!(
        trust(json!({"Bool": {"aws:MultiFactorAuthPresent": "true"}})),
        Some(ReachGrade::Possible)
    );
    assert_eq!(
        trust(json!({"StringEquals": {"aws:PrincipalArn": user_arn("dev")}})),
        Some(ReachGrade::Certain)
    );
    assert_eq!(
        trust(json!({"StringEquals": {"aws:PrincipalArn": user_arn("other")}})),
        Some(ReachGrade::Blocked)
    );
    assert_eq!(
        trust(json!({"StringEquals": {"aws:PrincipalTag/admin": "yes"}})),
        Some(ReachGrade::Blocked)
    );
}

#[test]
fn a_service_that_calls_for_a_resource_of_the_account_is_let_in() {
    let trust = |source: &str| {
        let mut trust = lambda_role();
        trust["Statement"][0]["Condition"] = json!({"ArnLike": {"aws:SourceArn": source}});
        let fixture = Fixture::default().admin_role("target", trust).user(
            "dev",
            json!([functions(), allow(json!("iam:PassRole"))]),
            &[],
            &[],
        );
        fixture.to_admin("dev").map(|way| way.grade)
    };
    let own = format!("arn:aws:lambda:eu-west-1:{ACCOUNT}:function:*");
    assert_eq!(trust(&own), Some(ReachGrade::Certain));
    // Something of that name may exist already; nothing of another account is the caller's.
    assert_eq!(trust(&own.replace('*', "ops")), Some(ReachGrade::Possible));
    assert_eq!(
        trust(&own.replace(ACCOUNT, "444455556666")),
        Some(ReachGrade::Blocked)
    );
}

#[test]
fn a_function_that_no_file_lists_makes_a_way_possible() {
    let fixture = || {
        Fixture::default()
            .admin_role("target", lambda_role())
            .role("plain", lambda_role(), json!([]), &[])
            .user(
                "dev",
                json!([allow(json!([
                    "lambda:UpdateFunctionCode",
                    "lambda:InvokeFunction"
                ]))]),
                &[],
                &[],
            )
    };
    assert_eq!(
        fixture().to_admin("dev").unwrap().grade,
        ReachGrade::Possible
    );

    let with = |role: &str| {
        let function = json!({"FunctionArn": format!("arn:aws:lambda:eu-west-1:{ACCOUNT}:function:f"), "Role": role_arn(role)});
        fixture().beside(function)
    };
    assert_eq!(
        with("target").to_admin("dev").unwrap().grade,
        ReachGrade::Certain
    );
    // The files list the functions, and none has the role.
    assert_eq!(with("plain").to_admin("dev"), None);
}

#[test]
fn a_region_that_the_organization_allows_is_chosen() {
    let levels = json!([{"name": "Regions", "policy": document(json!([allow(json!("*")),
        {"Effect": "Deny", "NotAction": ["iam:*", "sts:*"], "Resource": "*",
         "Condition": {"StringNotEquals": {"aws:RequestedRegion": ["eu-central-1"]}}}]))}]);
    let fixture = Fixture::default()
        .admin_role("target", lambda_role())
        .user(
            "dev",
            json!([functions(), allow(json!("iam:PassRole"))]),
            &[],
            &[],
        )
        .beside(json!({"service_control_policies": levels}));
    let way = fixture.to_admin("dev").unwrap();
    assert_eq!(way.grade, ReachGrade::Certain);
    let mut used = way.path[0].allowed_by.iter();
    let function = used
        .find(|one| one.action == "lambda:CreateFunction")
        .unwrap();
    assert_eq!(
        function.resource,
        format!("arn:aws:lambda:eu-central-1:{ACCOUNT}:function:*")
    );
}

#[test]
fn a_resource_is_reached_over_the_principal_that_may_use_it() {
    let bucket = "arn:aws:s3:::payroll";
    let read =
        json!([{"Effect": "Allow", "Action": "s3:GetObject", "Resource": format!("{bucket}/*")}]);
    let own = document(
        json!([{"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": [bucket, format!("{bucket}/*")],
        "Condition": {"ArnNotEquals": {"aws:PrincipalArn": role_arn("payroll")}}}]),
    );
    let fixture = Fixture::default()
        .role("payroll", trusting_account(), read.clone(), &[])
        .role("backup", trusting_account(), read, &[])
        .user("dev", json!([allow(json!("sts:AssumeRole"))]), &[], &[])
        .beside(json!({"resource_policies": [{"arn": bucket, "policy": own}]}));
    let ways = fixture.ways("dev");
    let way = ways.iter().find(|way| way.reaches == bucket).unwrap();
    assert_eq!(way.grade, ReachGrade::Certain);
    assert_eq!(way.path[0].target, role_arn("payroll"));
    assert_eq!(way.path[1].technique, "access");
}

#[test]
fn a_policy_that_was_not_read_is_reported_and_never_taken_as_empty() {
    let missing = "arn:aws:iam::aws:policy/SomethingNew";
    let fixture = Fixture::default().user("dev", json!([]), &[missing], &[]);
    let ways = fixture.ways("dev");
    assert_eq!(ways[0].reaches, "unknown");
    assert_eq!(ways[0].unread, [missing]);
}

#[test]
fn the_same_account_gives_the_same_ways() {
    let fixture = Fixture::default()
        .admin_role("b", lambda_role())
        .admin_role("a", lambda_role())
        .user(
            "dev",
            json!([functions(), allow(json!("iam:PassRole"))]),
            &[],
            &[],
        );
    let account = fixture.account();
    let first = serde_json::to_string(&reach(&account)).unwrap();
    assert!(first.contains(&role_arn("a")));
    for _ in 0..5 {
        assert_eq!(serde_json::to_string(&reach(&account)).unwrap(), first);
    }
}
