//! Cuts of policies by use.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::policy_set::PolicyKind;

fn policies(statements: Value) -> Vec<NamedPolicy> {
    let document = json!({"Version": "2012-10-17", "Statement": statements});
    vec![NamedPolicy::new(
        PolicyKind::Identity,
        "own",
        IamPolicy::read(&document).unwrap(),
    )]
}

fn used(actions: &[&str], unrecorded: &[&str]) -> ActionUse {
    ActionUse {
        days: 90,
        used: actions.iter().map(|action| (*action).to_owned()).collect(),
        unrecorded: unrecorded
            .iter()
            .map(|actions| Unrecorded {
                actions: (*actions).to_owned(),
                reason: "data events are not recorded".to_owned(),
            })
            .collect(),
    }
}

fn left(statements: Value, action_use: &ActionUse) -> (Value, LeastPolicies) {
    let least = least_policies(&policies(statements), action_use).unwrap();
    let statement = least.policies[0].document.clone().unwrap_or_default();
    (statement["Statement"].clone(), least)
}

fn allow(actions: Value) -> Value {
    json!([{"Effect": "Allow", "Action": actions, "Resource": "*"}])
}

#[test]
fn used_actions_stay_and_wildcards_become_what_was_used() {
    let action_use = used(
        &[
            "ec2:DescribeInstances",
            "ec2:StartInstances",
            "s3:ListAllMyBuckets",
        ],
        &[],
    );
    let (statements, least) = left(
        allow(json!(["ec2:*", "iam:GetUser", "s3:ListAllMyBuckets"])),
        &action_use,
    );
    assert_eq!(
        statements[0]["Action"],
        json!([
            "s3:ListAllMyBuckets",
            "ec2:DescribeInstances",
            "ec2:StartInstances"
        ])
    );
    assert_eq!(
        least.kept,
        [
            "ec2:DescribeInstances",
            "ec2:StartInstances",
            "s3:ListAllMyBuckets"
        ]
    );
    assert_eq!(least.cut, ["ec2:*", "iam:GetUser"]);
    assert_eq!(least.unjudged, []);
}

#[test]
fn without_records_there_is_no_advice() {
    let nothing = ActionUse::default();
    let least = least_policies(&policies(allow(json!("*"))), &nothing);
    assert_eq!(least, Err(LeastPolicyError::NothingRecorded));
}

#[test]
fn actions_that_were_not_recorded_stay_and_are_named() {
    let action_use = used(
        &["s3:ListAllMyBuckets"],
        &["s3:GetObject*", "lambda:InvokeFunction"],
    );
    let (statements, least) = left(allow(json!(["s3:*", "lambda:*", "sqs:*"])), &action_use);
    assert_eq!(
        statements[0]["Action"],
        json!([
            "lambda:InvokeFunction",
            "s3:GetObject*",
            "s3:ListAllMyBuckets"
        ])
    );
    let named: Vec<&str> = least
        .unjudged
        .iter()
        .map(|one| one.actions.as_str())
        .collect();
    assert_eq!(named, ["lambda:InvokeFunction", "s3:GetObject*"]);
    // A grant within what was not recorded is not touched at all.
    let (statements, least) = left(allow(json!("s3:GetObjectAcl")), &action_use);
    assert_eq!(statements[0]["Action"], json!(["s3:GetObjectAcl"]));
    assert!(!least.policies[0].is_changed);
}

#[test]
fn a_policy_of_which_nothing_was_used_can_be_detached_and_denials_stay() {
    let (_, least) = left(allow(json!("sqs:*")), &used(&["s3:GetObject"], &[]));
    assert_eq!(least.policies[0].document, None);
    assert_eq!(least.not_granted, ["s3:GetObject"]);

    let deny = json!({"Sid": "Keep", "Effect": "Deny", "Action": "iam:*", "Resource": "*",
        "Condition": {"StringNotEquals": {"aws:PrincipalTag/team": "ops"}}});
    let (statements, _) = left(json!([deny]), &used(&[], &[]));
    assert_eq!(statements[0]["Sid"], "Keep");
    assert_eq!(
        statements[0]["Condition"]["StringNotEquals"]["aws:principaltag/team"],
        json!(["ops"])
    );
}

#[test]
fn all_but_some_becomes_what_was_used() {
    let statement =
        json!([{"Effect": "Allow", "NotAction": ["iam:*", "s3:DeleteBucket"], "Resource": "*"}]);
    let (statements, least) = left(statement.clone(), &used(&["ec2:RunInstances"], &["sqs:*"]));
    assert_eq!(
        statements[0]["Action"],
        json!(["ec2:RunInstances", "sqs:*"])
    );
    assert_eq!(least.cut, ["all but iam:*, s3:DeleteBucket"]);
    // Something of S3 is refused and its use was not recorded: the statement stays.
    let (statements, _) = left(statement, &used(&["ec2:RunInstances"], &["s3:*"]));
    assert_eq!(
        statements[0]["NotAction"],
        json!(["iam:*", "s3:DeleteBucket"])
    );
}

proptest! {
    /// Used actions stay allowed, recorded ones that were not used go, and nothing is added.
    #[test]
    fn the_least_policy_allows_what_was_used_and_no_more(
        patterns in prop::collection::vec("(a|b):[xy*]{1,3}", 1..4),
        negated in any::<bool>(),
        used_actions in prop::collection::btree_set("(a|b):[xy]{1,3}", 0..5),
        other in "(a|b):[xy]{1,3}",
    ) {
        let name = if negated { "NotAction" } else { "Action" };
        let statements = json!([{"Effect": "Allow", name: patterns, "Resource": "*"}]);
        let action_use = ActionUse { days: 1, used: used_actions.clone(), unrecorded: Vec::new() };
        let before = policies(statements);
        let least = least_policies(&before, &action_use).unwrap();
        let covers = |policy: &IamPolicy, action: &str| policy.statements.iter().any(|one| one.covers_action(action));
        let before = before[0].document.as_ref().unwrap();
        let after = least.policies[0].document.as_ref().map(|document| IamPolicy::read(document).unwrap());

        for action in used_actions.iter().chain([&other]) {
            let stays = after.as_ref().is_some_and(|after| covers(after, action));
            let expected = covers(before, action) && used_actions.contains(action);
            prop_assert_eq!(stays, expected, "{}", action);
        }
    }
}
