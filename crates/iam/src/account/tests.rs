//! Accounts and requests as files have them.

use serde_json::{Value, json};

use super::*;
use crate::decision::DecisionOutcome;

const ALICE: &str = "arn:aws:iam::111122223333:user/alice";

fn account(documents: &[Value]) -> Result<AccountPolicies, AccountError> {
    let mut builder = AccountBuilder::default();
    for document in documents {
        builder.add(&document.to_string())?;
    }
    builder.build()
}

fn document(action: &str) -> Value {
    json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}]})
}

fn alice(members: Value) -> Value {
    let mut user = json!({"UserName": "alice", "UserId": "AIDAALICE", "Arn": ALICE, "Path": "/"});
    user.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    json!({"UserDetailList": [user]})
}

fn outcome(documents: &[Value], requests: &Value) -> (DecisionOutcome, String) {
    let requests = read_requests(&requests.to_string()).unwrap();
    let decision = account(documents)
        .unwrap()
        .decide(&requests[0].request, &requests[0].session);
    (decision.outcome, decision.why())
}

fn get_object() -> Value {
    json!({"principal": ALICE, "action": "s3:GetObject", "resource": "arn:aws:s3:::logs/a"})
}

#[test]
fn a_document_may_be_url_encoded_as_the_api_returns_it() {
    let encoded: String = document("s3:*")
        .to_string()
        .bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect();
    let user = alice(json!({"UserPolicyList": [{"PolicyName": "p", "PolicyDocument": encoded}]}));
    assert_eq!(outcome(&[user], &get_object()).0, DecisionOutcome::Allow);
}

#[test]
fn groups_and_managed_policies_are_joined_over_files() {
    let user = alice(json!({"GroupList": ["readers"]}));
    let group = json!({"GroupDetailList": [{"GroupName": "readers", "Arn": "arn:aws:iam::111122223333:group/readers",
        "AttachedManagedPolicies": [{"PolicyName": "read", "PolicyArn": "arn:aws:iam::111122223333:policy/read"}]}]});
    let policy = json!({"Policies": [{"Arn": "arn:aws:iam::111122223333:policy/read", "DefaultVersionId": "v2", "PolicyVersionList": [
        {"VersionId": "v1", "Document": document("sqs:*")}, {"VersionId": "v2", "Document": document("s3:Get*")}]}]});
    let (outcome, why) = outcome(&[policy, user, group], &get_object());
    assert_eq!(outcome, DecisionOutcome::Allow);
    assert_eq!(
        why,
        "allowed by statement 1 of identity policy arn:aws:iam::111122223333:policy/read"
    );
}

#[test]
fn a_bucket_has_the_policy_of_its_objects() {
    let bucket = json!({"resource_policies": {"arn:aws:s3:::logs": {"Version": "2012-10-17", "Statement": [
        {"Sid": "Closed", "Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "arn:aws:s3:::logs/*"}]}}});
    let user =
        alice(json!({"UserPolicyList": [{"PolicyName": "p", "PolicyDocument": document("s3:*")}]}));
    let (outcome, why) = outcome(&[user, bucket], &get_object());
    assert_eq!(
        (outcome, why.as_str()),
        (
            DecisionOutcome::ExplicitDeny,
            "denied by Closed of resource policy arn:aws:s3:::logs"
        )
    );
}

#[test]
fn a_policy_of_aws_that_no_file_has_is_known_or_said_to_be_missing() {
    let attached = |name: &str| {
        alice(
            json!({"AttachedManagedPolicies": [{"PolicyName": name, "PolicyArn": format!("arn:aws:iam::aws:policy/{name}")}]}),
        )
    };
    assert_eq!(
        outcome(&[attached("ReadOnlyAccess")], &get_object()).0,
        DecisionOutcome::Allow
    );
    let (found, why) = outcome(&[attached("BrandNewAccess")], &get_object());
    assert_eq!(found, DecisionOutcome::Unknown);
    assert_eq!(
        why,
        "depends on arn:aws:iam::aws:policy/BrandNewAccess, which was not read"
    );
}

#[test]
fn a_principal_of_no_file_is_unknown_rather_than_without_permissions() {
    let request = json!({"principal": "arn:aws:iam::111122223333:user/bob", "action": "s3:GetObject", "resource": "*"});
    assert_eq!(
        outcome(&[alice(json!({}))], &request).0,
        DecisionOutcome::Unknown
    );
}

#[test]
fn a_session_has_the_policies_of_its_role_with_a_path() {
    let role = json!({"RoleDetailList": [{"RoleName": "deploy", "Arn": "arn:aws:iam::111122223333:role/ci/deploy",
        "AssumeRolePolicyDocument": document("sts:AssumeRole"),
        "RolePolicyList": [{"PolicyName": "p", "PolicyDocument": document("s3:*")}]}]});
    let request = json!({"principal": "arn:aws:sts::111122223333:assumed-role/deploy/run", "action": "s3:GetObject", "resource": "arn:aws:s3:::logs/a"});
    assert_eq!(outcome(&[role], &request).0, DecisionOutcome::Allow);
}

#[test]
fn organisation_policies_have_several_forms() {
    let deny = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": "s3:*", "Resource": "*"}]});
    let user = || {
        alice(json!({"UserPolicyList": [{"PolicyName": "p", "PolicyDocument": document("s3:*")}]}))
    };
    for scps in [
        json!({"service_control_policies": [{"level": "Root", "policies": [document("*"), deny]}]}),
        json!({"ServiceControlPolicies": [{"Name": "Full", "Content": document("*").to_string()}, {"Name": "NoS3", "Content": deny.to_string()}]}),
        json!({"SCPs": [[document("*")], [document("*"), deny]]}),
        json!({"organization": {"scps": {"Root": [document("*")], "account": [document("*"), deny]}}}),
        json!({"organization": {"levels": [{"name": "Root", "service_control_policies": [document("*"), {"name": "NoS3", "policy": deny}]}]}}),
    ] {
        assert_eq!(
            outcome(&[user(), scps.clone()], &get_object()).0,
            DecisionOutcome::ExplicitDeny,
            "{scps}"
        );
    }
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let fault = |document: Value| account(&[document]).unwrap_err().to_string();
    assert_eq!(
        fault(json!({"UserDetailList": [{"UserName": "x"}]})),
        "UserDetailList[1]: has no Arn"
    );
    assert_eq!(
        fault(alice(
            json!({"UserPolicyList": [{"PolicyName": "p", "PolicyDocument": {"Statement": [{"Effect": "allow"}]}}]})
        )),
        "UserDetailList[1].UserPolicyList[1].PolicyDocument: statement 1: Effect is neither Allow nor Deny"
    );
    assert!(
        fault(json!({"Buckets": []})).starts_with("element 1 is neither authorization details")
    );

    let fault = |request: Value| read_requests(&request.to_string()).unwrap_err().to_string();
    assert!(fault(json!([{"principal": ALICE}])).starts_with("request 1: missing field `action`"));
    assert!(
        fault(json!([{"principal": "alice", "action": "s3:GetObject"}]))
            .starts_with("request 1: principal: alice")
    );
    assert!(
        fault(json!([{"principal": ALICE, "action": "s3:*"}]))
            .starts_with("request 1: action: s3:*")
    );
}

#[test]
fn context_keys_of_a_request_decide_its_conditions() {
    let mut policy = document("s3:*");
    policy["Statement"][0]["Condition"] = json!({"Bool": {"aws:MultiFactorAuthPresent": "true"}});
    let user = alice(json!({"UserPolicyList": [{"PolicyName": "p", "PolicyDocument": policy}]}));
    let with = |members: Value| {
        let mut request = get_object();
        request
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        outcome(std::slice::from_ref(&user), &request).0
    };
    assert_eq!(with(json!({})), DecisionOutcome::Unknown);
    assert_eq!(
        with(json!({"context": {"aws:MultiFactorAuthPresent": true}})),
        DecisionOutcome::Allow
    );
    assert_eq!(
        with(json!({"context": {"aws:MultiFactorAuthPresent": null}})),
        DecisionOutcome::ImplicitDeny
    );
    let session = json!([document("sqs:*")]);
    assert_eq!(
        with(json!({"context": {"aws:MultiFactorAuthPresent": true}, "session_policies": session})),
        DecisionOutcome::ImplicitDeny
    );
    assert_eq!(
        with(json!({"context_complete": true})),
        DecisionOutcome::ImplicitDeny
    );
}

#[test]
fn details_without_their_last_page_are_noted() {
    let page = |is_truncated: bool| json!({"UserDetailList": [], "IsTruncated": is_truncated});
    let notes = |pages: &[Value]| account(pages).unwrap().notes.len();
    assert_eq!(notes(&[page(true)]), 1);
    assert_eq!(notes(&[page(true), page(false)]), 0);
}
