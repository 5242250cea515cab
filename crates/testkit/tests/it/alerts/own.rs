//! Each ready rule fires on an attack made of the records that it watches for, and stays quiet
//! below its threshold. These records are the project's own, so a copy without the recorded
//! techniques tests every rule too.

use std::collections::BTreeSet;

use reeve_alerts::AlertClass;
use reeve_audit::events::{self, OBSERVED};
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Entry, ResourceRef, Submitter, SubmitterType,
};
use serde_json::{Value, json};

use super::{class_of, entries, fired, record, rules};

/// Records of a call, one a second; each names its number where `more` asks for it.
fn calls(count: u32, name: &str, more: impl Fn(u32) -> Value) -> Vec<Value> {
    (0..count)
        .map(|number| record(number, name, more(number)))
        .collect()
}

fn request(parameters: Value) -> Value {
    json!({ "requestParameters": parameters })
}

fn call(name: &str, parameters: Value) -> Vec<Value> {
    vec![record(0, name, request(parameters))]
}

fn sign_in(user: u32) -> Value {
    json!({
        "eventType": "AwsConsoleSignIn", "eventSource": "signin.amazonaws.com",
        "errorMessage": "Failed authentication", "responseElements": { "ConsoleLogin": "Failure" },
        "userIdentity": { "type": "IAMUser", "userName": format!("user-{user}"), "accountId": "111122223333" },
    })
}

/// Records that fire a rule, and nothing but that rule.
fn authentication_and_privileges() -> Vec<(&'static str, Vec<Value>)> {
    let denied = |_| json!({ "errorCode": "AccessDenied" });
    let administrator = json!({ "policyArn": "arn:aws:iam::aws:policy/AdministratorAccess" });
    vec![
        ("failed-sign-ins", calls(5, "ConsoleLogin", |_| sign_in(1))),
        (
            "failed-sign-ins-from-address",
            calls(5, "ConsoleLogin", sign_in),
        ),
        ("refused-role-assumptions", calls(2, "AssumeRole", denied)),
        (
            "administrator-policy-attached",
            call("AttachUserPolicy", administrator),
        ),
        (
            "sign-in-profile-changed",
            call("CreateLoginProfile", json!({ "userName": "victim" })),
        ),
        (
            "role-trust-changed",
            call("UpdateAssumeRolePolicy", json!({ "roleName": "backup" })),
        ),
        ("refused-credentials", calls(1, "CreateAccessKey", denied)),
        (
            "access-key-created",
            call("CreateAccessKey", json!({ "userName": "victim" })),
        ),
        (
            "identity-provider-changed",
            call(
                "CreateOpenIDConnectProvider",
                json!({ "url": "https://idp.example" }),
            ),
        ),
        (
            "startup-script-changed",
            call(
                "ModifyInstanceAttribute",
                json!({ "instanceId": "i-1", "userData": "x" }),
            ),
        ),
    ]
}

fn suspicious_activity() -> Vec<(&'static str, Vec<Value>)> {
    let unlike = |_| json!({ "errorCode": "Client.UnauthorizedOperation" });
    let decrypted = |_| request(json!({ "names": ["/a"], "withDecryption": true }));
    let no_factor = json!({
        "responseElements": { "ConsoleLogin": "Success" }, "additionalEventData": { "MFAUsed": "No" },
    });
    let large = json!({ "errorCode": "Client.UnauthorizedOperation", "requestParameters": { "instanceType": "p5.48xlarge" } });
    let shell = json!({ "documentName": "AWS-RunShellScript", "instanceIds": ["i-1"] });

    vec![
        (
            "secrets-read-in-bulk",
            calls(10, "GetSecretValue", |_| json!({})),
        ),
        (
            "secrets-read-in-batches",
            calls(5, "GetParameters", decrypted),
        ),
        ("many-refusals", calls(10, "DescribeInstances", unlike)),
        (
            "sign-in-without-second-factor",
            vec![record(0, "ConsoleLogin", no_factor)],
        ),
        ("commands-run-on-instances", call("SendCommand", shell)),
        (
            "shells-opened-on-instances",
            calls(3, "StartSession", |_| json!({})),
        ),
        (
            "federation-token-issued",
            call("GetFederationToken", json!({ "name": "mallory" })),
        ),
        (
            "costly-instances-launched",
            vec![record(0, "RunInstances", large)],
        ),
        (
            "foundation-model-enabled",
            call("PutFoundationModelEntitlement", json!({ "modelId": "m" })),
        ),
    ]
}

fn violations_and_tampering() -> Vec<(&'static str, Vec<Value>)> {
    let open = json!({ "groupId": "sg-1", "ipPermissions": { "items": [{ "ipRanges": { "items": [{ "cidrIp": "0.0.0.0/0" }] } }] } });
    vec![
        (
            "port-opened-to-the-internet",
            call("AuthorizeSecurityGroupIngress", open),
        ),
        (
            "image-or-snapshot-shared",
            call("ModifySnapshotAttribute", json!({ "snapshotId": "snap-1" })),
        ),
        (
            "function-opened-to-everybody",
            call(
                "AddPermission20150331v2",
                json!({ "functionName": "f", "principal": "*" }),
            ),
        ),
        (
            "organization-left",
            calls(
                1,
                "LeaveOrganization",
                |_| json!({ "errorCode": "AccessDenied" }),
            ),
        ),
        (
            "serial-console-enabled",
            calls(1, "EnableSerialConsoleAccess", |_| json!({})),
        ),
        ("log-switched-off", calls(1, "StopLogging", |_| json!({}))),
        (
            "function-code-changed-by-a-person",
            call(
                "UpdateFunctionCode20150331v2",
                json!({ "functionName": "f" }),
            ),
        ),
        (
            "key-disabled",
            call("ScheduleKeyDeletion", json!({ "keyId": "k" })),
        ),
        (
            "mass-deletion",
            calls(20, "DeleteVolume", |number| {
                request(json!({ "volumeId": format!("vol-{number}") }))
            }),
        ),
    ]
}

#[test]
fn each_ready_rule_fires_on_its_own_attack_and_not_below_its_threshold() {
    let rules = rules();
    let mut cases = authentication_and_privileges();
    cases.extend(suspicious_activity());
    cases.extend(violations_and_tampering());
    let file = |records: &[Value]| json!({ "Records": records }).to_string();

    for (key, records) in &cases {
        let all = fired(&rules, &entries(file(records).as_bytes()));
        assert_eq!(
            all.keys().map(String::as_str).collect::<Vec<_>>(),
            [*key],
            "{all:?}"
        );
        let fewer = fired(&rules, &entries(file(&records[1..]).as_bytes()));
        assert!(fewer.is_empty(), "{key} below its threshold: {fewer:?}");
    }

    let tried: BTreeSet<&str> = cases.iter().map(|(key, _)| *key).collect();
    // Those that watch Reeve itself are tried on a real service.
    let shipped = rules
        .iter()
        .map(|rule| rule.id.0.as_str())
        .filter(|key| !key.starts_with("reeve-"));
    assert_eq!(
        tried,
        shipped.collect(),
        "every rule has an attack of its own"
    );

    let classes: BTreeSet<AlertClass> = tried.iter().map(|key| class_of(&rules, key)).collect();
    assert_eq!(classes.len(), AlertClass::ALL.len());
}

#[test]
fn acts_that_look_like_an_attack_and_are_none_fire_nothing() {
    let rules = rules();
    let deployed = json!({
        "requestParameters": { "functionName": "f" },
        "userIdentity": { "type": "AssumedRole", "principalId": "AROA:ci", "accountId": "111122223333" },
    });
    let center = json!({ "sourceIPAddress": "sso.amazonaws.com", "requestParameters": { "name": "AWSSSO_1_DO_NOT_DELETE" } });
    let dry_run = json!({ "errorCode": "Client.DryRunOperation", "requestParameters": { "instanceType": "p5.48xlarge" } });
    let cases = [
        record(0, "UpdateFunctionCode20150331v2", deployed),
        record(0, "CreateSAMLProvider", center),
        record(0, "RunInstances", dry_run),
        record(
            0,
            "RunInstances",
            request(json!({ "instanceType": "m5.large" })),
        ),
        record(
            0,
            "AddPermission20150331v2",
            request(json!({ "principal": "s3.amazonaws.com" })),
        ),
        record(
            0,
            "AuthorizeSecurityGroupIngress",
            request(json!({ "cidrIp": "10.0.0.0/8" })),
        ),
        record(
            0,
            "ModifyInstanceAttribute",
            request(json!({ "instanceId": "i-1", "sourceDestCheck": { "value": true } })),
        ),
        record(
            0,
            "GetParameters",
            request(json!({ "names": ["/a"], "withDecryption": false })),
        ),
        record(
            0,
            "StopLogging",
            json!({ "errorCode": "TrailNotFoundException" }),
        ),
    ];

    for case in cases {
        let name = case["eventName"].to_string();
        let all = fired(
            &rules,
            &entries(json!({ "Records": [case] }).to_string().as_bytes()),
        );
        assert!(all.is_empty(), "{name}: {all:?}");
    }
}

#[test]
fn what_a_sync_saw_is_no_mass_deletion() {
    let rules = rules();
    let deletion = |tags: &[&str], by: SubmitterType| {
        let mut entry = Entry::for_event(&events::RESOURCE_DELETE)
            .by(Actor::system())
            .on(ResourceRef::new("volume", "vol-1"))
            .with_action("delete", ActionStatus::Success, ActionMethod::System);
        entry = tags.iter().fold(entry, |entry, tag| entry.with_tag(*tag));
        entry.submitted_by = Some(Submitter::new(by).into());
        entry
    };
    let seen = vec![deletion(&[OBSERVED], SubmitterType::Reeve); 30];
    assert!(fired(&rules, &seen).is_empty());

    for entry in [
        deletion(&[OBSERVED], SubmitterType::Token),
        deletion(&[], SubmitterType::Reeve),
    ] {
        let entries = std::iter::repeat_n(entry, 30).collect::<Vec<_>>();
        let by_somebody = fired(&rules, &entries);
        assert_eq!(
            by_somebody.get("mass-deletion"),
            Some(&1),
            "a tag of a source hides nothing: {by_somebody:?}"
        );
    }
}
