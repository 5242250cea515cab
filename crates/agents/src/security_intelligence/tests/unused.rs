//! Unused keys, principals and permissions as findings; without a record there is none.

use reeve_recommend::change::{Changes, ConfigurationRow};
use reeve_recommend::judgement::proposal::Proposal;

use super::*;

const ACCOUNT: &str = "111122223333";

fn role(name: &str, actions: Value) -> (String, Value) {
    let arn = format!("arn:aws:iam::{ACCOUNT}:role/{name}");
    let document = json!({
        "RoleName": name, "Arn": arn, "Path": "/", "RoleId": name, "CreateDate": "2024-01-01T00:00:00Z",
        "AttachedManagedPolicies": [], "InstanceProfileList": [],
        "AssumeRolePolicyDocument": { "Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Principal": { "Service": "ec2.amazonaws.com" }, "Action": "sts:AssumeRole" }] },
        "RolePolicyList": [{ "PolicyName": "own", "PolicyDocument": { "Version": "2012-10-17",
            "Statement": [{ "Effect": "Allow", "Action": actions, "Resource": "*" }] } }],
    });
    (arn, document)
}

/// Judgement of one principal with a report of last uses; without one for null.
fn judged_role(actions: Value, own: &Value) -> Judgement {
    let (arn, document) = role("worker", actions);
    let mut estate = vec![("iam_role", arn.as_str(), document)];
    if !own.is_null() {
        let report = json!({ "Principals": { arn.clone(): own }, "AccessKeys": {} });
        estate.push(("last_access_report", "report", report));
    }
    of(&judged(&estate, &Settings::default()), &arn).clone()
}

fn days_ago(days: i64) -> String {
    let at = now() - jiff::SignedDuration::from_hours(24 * days);
    at.strftime("%Y-%m-%d").to_string()
}

fn only(judgement: &Judgement) -> &Proposal {
    let [found] = judgement.proposals.as_slice() else {
        panic!("{:#?}", judgement.abstentions);
    };
    found
}

/// Use of a principal, as the evidence has it.
fn last_use(judgement: &Judgement) -> Value {
    let mut evidence = judgement.evidence.iter();
    let found = evidence.find(|one| one.check == "privileges");
    found.unwrap().values["unused"].clone()
}

/// The policy that a finding leaves.
fn tight(found: &Proposal) -> Value {
    let change = found.plan.as_ref().unwrap().change.as_ref().unwrap();
    let parameters: Value = serde_json::from_str(&change.parameters.to_string()).unwrap();
    parameters["with"]["tight"]["Statement"][0]["Action"].clone()
}

#[test]
fn services_that_were_not_used_go_and_the_rest_stays_as_it_is() {
    let own = json!({ "LastUsed": days_ago(1), "Services": { "s3": days_ago(1), "sqs": days_ago(100), "sns": days_ago(200) } });
    let actions = json!(["s3:GetObject", "sqs:*", "sns:Publish", "iam:PassRole"]);
    let judgement = judged_role(actions, &own);
    let found = only(&judgement);

    assert_eq!(found.kind, RecommendationType::IamOptimization);
    assert_eq!(found.subject.aspect.as_deref(), Some("unused_permissions"));
    // What ran 100 days ago runs once a quarter; passing a role is recorded nowhere.
    assert_eq!(
        tight(found),
        json!(["s3:GetObject", "sqs:*", "iam:PassRole"])
    );
    let path = &found.explanation.decision_path;
    assert!(
        path.iter().any(|step| step.detail.contains("sns:Publish"))
            && path
                .iter()
                .any(|step| step.check.contains("iam:PassRole") && step.answer.is_none()),
        "{path:?}"
    );

    let values = &last_use(&judgement);
    assert_eq!(values["unused_actions"], json!(["sns:Publish"]));
    assert_eq!(
        (
            &values["window_days"],
            &values["coverage"],
            &values["state"]
        ),
        (&json!(120), &json!("full"), &json!("used"))
    );
}

#[test]
fn a_wildcard_becomes_the_services_that_were_used() {
    let own =
        json!({ "LastUsed": days_ago(1), "Services": { "ec2": days_ago(3), "logs": days_ago(0) } });
    let judgement = judged_role(json!("*"), &own);
    // The services of which the record knows too little stay.
    let found = judgement
        .proposals
        .iter()
        .find(|one| one.subject.aspect.as_deref() == Some("unused_permissions"));
    assert_eq!(
        tight(found.unwrap()),
        json!(["ec2:*", "iam:PassRole", "kms:*", "logs:*", "sts:*"])
    );
}

#[test]
fn a_use_that_was_not_read_is_no_advice_and_ends_no_finding() {
    for own in [
        Value::Null,
        json!({}),
        json!({ "LastUsed": days_ago(1), "Services": "[not read]" }),
        json!({ "LastUsed": days_ago(1), "Services": {} }),
    ] {
        let judgement = judged_role(json!("*:*"), &own);
        let is_unused = |one: &Proposal| {
            let aspect = one.subject.aspect.as_deref();
            aspect.is_some_and(|aspect| aspect.starts_with("unused"))
        };
        assert!(!judgement.proposals.iter().any(is_unused), "{own}");
        let unjudged = judgement
            .abstentions
            .iter()
            .find(|one| one.aspect.as_deref() == Some("unused_permissions") && !one.decisive);
        assert!(unjudged.is_some(), "{own}: {:?}", judgement.abstentions);
        assert!(
            !judgement
                .abstentions
                .iter()
                .any(|one| one.aspect.is_none() && one.decisive),
            "{own}"
        );
    }
}

#[test]
fn a_principal_that_nothing_uses_is_suspended_and_not_deleted() {
    let own = json!({ "LastUsed": days_ago(290), "Services": { "s3": days_ago(290) } });
    let judgement = judged_role(json!("s3:GetObject"), &own);
    let found = only(&judgement);
    assert_eq!(found.subject.aspect.as_deref(), Some("unused_principal"));
    let change = found.plan.as_ref().unwrap().change.as_ref().unwrap();
    assert_eq!(change.name, "suspend_unused_role");
    assert!(found.plan.as_ref().unwrap().reversible);
    assert_eq!(last_use(&judgement)["last_used"], days_ago(290));

    // A young one was not there to be used.
    let young = judged_role(
        json!("s3:GetObject"),
        &json!({ "LastUsed": days_ago(5), "Services": { "s3": days_ago(5) } }),
    );
    assert!(young.proposals.is_empty());
}

#[test]
fn a_key_that_nothing_uses_is_deactivated() {
    let key = |status: &str, made: String| json!({ "AccessKeyId": "AKIA1", "UserName": "ann", "Status": status, "CreateDate": format!("{made}T00:00:00Z") });
    let check = |key: Value, last: Value| {
        let report = json!({ "Principals": {}, "AccessKeys": { "AKIA1": { "UserName": "ann", "LastUsed": last } } });
        let estate = [
            ("access_key", "AKIA1", key),
            ("last_access_report", "report", report),
        ];
        let judged = judged(&estate, &Settings::default());
        of(&judged, "AKIA1").clone()
    };

    let old = days_ago(400);
    let unused = check(key("Active", old.clone()), json!(days_ago(130)));
    let change = only(&unused).plan.as_ref().unwrap().change.as_ref();
    assert_eq!(change.unwrap().name, "deactivate_access_key");
    let never = check(key("Active", old.clone()), Value::Null);
    assert_eq!(never.proposals.len(), 1);

    for (key, last, is_known) in [
        (key("Active", old.clone()), json!(days_ago(119)), true),
        (key("Inactive", old.clone()), json!(days_ago(300)), true),
        (key("Active", days_ago(60)), Value::Null, true),
        (key("Active", old), json!("[not read]"), false),
    ] {
        let judgement = check(key.clone(), last);
        assert!(judgement.proposals.is_empty(), "{key}");
        assert_eq!(judgement.abstentions[0].decisive, is_known, "{key}");
    }
}

#[test]
fn every_change_is_known() {
    let changes = super::super::POLICY_CHANGES;
    for name in changes {
        assert!(ConfigurationRow::named(name).is_some(), "{name}");
        assert!(Changes::builtin().rows().any(|row| row.name == name));
    }
}
