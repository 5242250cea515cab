//! Unused keys, principals and permissions as findings; without a record there is none.

use reeve_recommend::change::{ChangeRegistry, ConfigurationRow};
use reeve_recommend::judgement::past_calls::PastCalls;
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

fn user(name: &str, tags: Value) -> (String, Value) {
    let arn = format!("arn:aws:iam::{ACCOUNT}:user/{name}");
    let document = json!({
        "UserName": name, "Arn": arn, "Path": "/", "UserId": name, "CreateDate": "2024-01-01T00:00:00Z",
        "AttachedManagedPolicies": [], "GroupList": [], "Tags": tags,
        "UserPolicyList": [{ "PolicyName": "own", "PolicyDocument": { "Version": "2012-10-17",
            "Statement": [{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "*" }] } }],
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
    of(&judged(&estate, &AgentSettings::default()), &arn).clone()
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
        let (arn, ann) = user("ann", json!([]));
        let estate = [
            ("iam_user", arn.as_str(), ann),
            ("access_key", "AKIA1", key),
            ("last_access_report", "report", report),
        ];
        let judged = judged(&estate, &AgentSettings::default());
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

/// Judgement of a user without a use, and of its access key.
fn judged_user(name: &str, tags: Value, settings: &AgentSettings) -> (Judgement, Judgement) {
    let (arn, document) = user(name, tags);
    let last = json!({ "UserName": name, "LastUsed": null });
    let report = json!({ "Principals": { arn.clone(): { "LastUsed": days_ago(200), "Services": {} } },
        "AccessKeys": { "AKIA1": last } });
    let key = json!({ "AccessKeyId": "AKIA1", "UserName": name, "Status": "Active", "CreateDate": "2024-01-01T00:00:00Z" });
    let estate = [
        ("iam_user", arn.as_str(), document),
        ("access_key", "AKIA1", key),
        ("last_access_report", "report", report),
    ];
    let judged = judged(&estate, settings);
    (of(&judged, &arn).clone(), of(&judged, "AKIA1").clone())
}

#[test]
fn a_break_glass_user_that_people_name_is_never_proposed() {
    let tag = json!([{ "Key": "reeve:break-glass", "Value": "true" }]);
    let names = SettingValue::Names(vec!["in-the-safe".to_owned()]);
    let setting = AgentSettings([("break_glass_principals".to_owned(), names)].into());
    for (tags, settings) in [(tag, AgentSettings::default()), (json!([]), setting)] {
        let (user, key) = judged_user("in-the-safe", tags, &settings);
        for judgement in [user, key] {
            assert!(judgement.proposals.is_empty(), "{:#?}", judgement.proposals);
            let abstention = judgement
                .abstentions
                .iter()
                .find(|one| one.code == "break_glass");
            // The answer is decided, so that an earlier finding ends.
            assert!(abstention.unwrap().decisive);
        }
    }
}

#[test]
fn a_user_that_looks_like_break_glass_is_advice_with_the_reason() {
    let tags = |key: &str, value: &str| json!([{ "Key": key, "Value": value }]);
    for (name, tags, has_change, reason) in [
        ("worker", json!([]), true, ""),
        ("break-glass", json!([]), false, "its name says breakglass"),
        ("BreakGlass2", json!([]), false, "its name says breakglass"),
        ("ops_emergency", json!([]), false, "its name says emergency"),
        ("root", json!([]), false, "its name says root"),
        (
            "ann",
            tags("Purpose", "Break Glass"),
            false,
            "its tag Purpose=Break Glass",
        ),
        // People said that it is none.
        ("emergency", tags("reeve:break-glass", "false"), true, ""),
        ("grassroots", json!([]), true, ""),
    ] {
        let (user, key) = judged_user(name, tags, &AgentSettings::default());
        for judgement in [user, key] {
            let found = only(&judgement);
            assert_eq!(found.plan.is_some(), has_change, "{name}");
            let said = found
                .explanation
                .decision_path
                .iter()
                .any(|step| step.check.contains("emergencies") && step.detail.contains(reason));
            assert_eq!(said, !has_change, "{name}");
        }
    }
}

#[test]
fn the_last_administrator_is_advice() {
    let administrator = |name: &str| {
        let (arn, mut document) = user(name, json!([]));
        document["UserPolicyList"][0]["PolicyDocument"]["Statement"][0]["Action"] = json!("*");
        (arn, document)
    };
    let (ann, first) = administrator("ann");
    let (ben, second) = administrator("ben");
    let check = |last_of_ben: i64| {
        let report = json!({ "AccessKeys": {}, "Principals": {
            ann.clone(): { "LastUsed": days_ago(200), "Services": {} },
            ben.clone(): { "LastUsed": days_ago(last_of_ben), "Services": {} } } });
        let estate = [
            ("iam_user", ann.as_str(), first.clone()),
            ("iam_user", ben.as_str(), second.clone()),
            ("last_access_report", "report", report),
        ];
        let judged = judged(&estate, &AgentSettings::default());
        let judgement = of(&judged, &ann);
        let found = judgement
            .proposals
            .iter()
            .find(|one| one.subject.aspect.as_deref() == Some("unused_principal"));
        found.unwrap().plan.is_some()
    };

    assert!(check(1), "another administrator is in use");
    // Both unused: suspending each would lock everyone out.
    assert!(!check(200));
}

/// Judgement of a role whose policy grants S3 and SQS, of which the record has S3 alone, with
/// accepted calls of the log.
fn replayed(calls: &[(&str, u64)], is_complete: bool) -> Judgement {
    let (arn, document) = role("worker", json!(["s3:GetObject", "sqs:*"]));
    let own =
        json!({ "LastUsed": days_ago(1), "Services": { "s3": days_ago(1), "sqs": days_ago(200) } });
    let report = json!({ "Principals": { arn.clone(): own }, "AccessKeys": {} });
    let estate = [
        ("iam_role", arn.as_str(), document),
        ("last_access_report", "report", report),
    ];
    let calls = calls
        .iter()
        .map(|(action, count)| ((*action).to_owned(), *count));
    let past = PastCalls {
        actions: calls.collect(),
        is_complete,
        days: 90,
    };
    let judged = judged_with(&estate, &AgentSettings::default(), |kind| match kind {
        "iam_role" => OpenFacts::default().with(past.clone()),
        _ => OpenFacts::default(),
    });
    of(&judged, &arn).clone()
}

#[test]
fn a_narrower_policy_is_replayed_on_the_log() {
    // A call that the policy does not allow, such as one that another account's policy does.
    let judgement = replayed(&[("s3:GetObject", 7), ("dynamodb:GetItem", 3)], true);
    let path = &only(&judgement).explanation.decision_path;
    let step = path
        .iter()
        .find(|step| step.check.contains("past accepted call"));
    let step = step.unwrap();
    assert_eq!(step.answer, Some(false));
    assert!(
        step.detail.starts_with("7 calls of 1 actions"),
        "{}",
        step.detail
    );

    let silent = replayed(&[], true);
    let path = &only(&silent).explanation.decision_path;
    let step = path
        .iter()
        .find(|step| step.check.contains("past accepted call"));
    assert_eq!(step.unwrap().answer, None, "no call proves nothing");
}

#[test]
fn a_policy_that_would_have_refused_a_past_call_is_not_proposed() {
    let judgement = replayed(&[("s3:GetObject", 7), ("sqs:SendMessage", 4)], true);
    assert!(judgement.proposals.is_empty());
    let refusal = judgement
        .abstentions
        .iter()
        .find(|one| one.code == "refuses_past_calls")
        .unwrap();
    // An earlier finding ends: its policy would refuse calls.
    assert!(refusal.decisive);
    assert!(
        refusal.detail.contains("sqs:SendMessage (4)"),
        "{}",
        refusal.detail
    );
    assert_eq!(
        last_use(&judgement)["would_refuse"],
        json!(["sqs:SendMessage"])
    );

    // What was not counted may be such a call.
    let unknown = replayed(&[("s3:GetObject", 7)], false);
    assert!(unknown.proposals.is_empty());
    assert!(
        unknown
            .abstentions
            .iter()
            .any(|one| one.code == "not_narrowed" && !one.decisive)
    );
}

#[test]
fn every_change_is_known() {
    let changes = super::super::POLICY_CHANGES;
    for name in changes {
        assert!(ConfigurationRow::named(name).is_some(), "{name}");
        assert!(ChangeRegistry::builtin().rows().any(|row| row.name == name));
    }
}
