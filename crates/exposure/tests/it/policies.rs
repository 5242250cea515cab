//! Buckets, queues, topics, keys, secrets, functions and roles, by their policies and settings.

use serde_json::{Value, json};

use crate::documents::{ACCOUNT, Documents, exposed, group, rule};

const OTHER: &str = "444455556666";

fn policy(principal: Value, action: &str, condition: Value) -> Value {
    let mut statement = json!({ "Sid": "Open", "Effect": "Allow", "Principal": principal, "Action": action, "Resource": "*" });
    if !condition.is_null() {
        statement["Condition"] = condition;
    }
    json!({ "Version": "2012-10-17", "Statement": [statement] })
}

fn check(kind: &str, document: &Value, expect: &[&str]) {
    let documents = Documents::default().with(kind, "one", document.clone());
    assert_eq!(documents.of("one"), expect, "{kind} {document}");
}

#[test]
fn policies_name_the_audience() {
    for (kind, member, action) in [
        ("queue", "Attributes", "sqs:SendMessage"),
        ("topic", "Attributes", "sns:Publish"),
        ("encryption_key", "Policy", "kms:Decrypt"),
        ("secret", "Policy", "secretsmanager:GetSecretValue"),
        ("function", "ResourcePolicy", "lambda:InvokeFunction"),
        ("iam_role", "AssumeRolePolicyDocument", "sts:AssumeRole"),
        ("bucket", "Policy", "s3:GetObject"),
    ] {
        let document = |principal: &Value, condition: &Value| {
            let policy = policy(principal.clone(), action, condition.clone());
            match member {
                "Attributes" => json!({ "Attributes": { "Policy": policy } }),
                member => json!({ member: policy }),
            }
        };

        let everyone = json!({ "AWS": "*" });
        let none = Value::Null;
        check(
            kind,
            &document(&everyone, &none),
            &[&format!("internet direct {action}")],
        );
        let other = json!({ "AWS": format!("arn:aws:iam::{OTHER}:root") });
        check(
            kind,
            &document(&other, &none),
            &[&format!("account:{OTHER} direct {action}")],
        );
        let organization = json!({ "StringEquals": { "aws:PrincipalOrgID": "o-1234567890" } });
        check(
            kind,
            &document(&everyone, &organization),
            &[&format!("organization direct {action}")],
        );

        // Its own account, and services of AWS, are no outsiders.
        let own = json!({ "AWS": format!("arn:aws:iam::{ACCOUNT}:root") });
        check(kind, &document(&own, &none), &["none stopped by policy"]);
        let service = json!({ "Service": "events.amazonaws.com" });
        check(
            kind,
            &document(&service, &none),
            &["none stopped by policy"],
        );
        let own_only = json!({ "StringEquals": { "aws:PrincipalAccount": ACCOUNT } });
        check(
            kind,
            &document(&everyone, &own_only),
            &["none stopped by policy"],
        );
    }
}

#[test]
fn block_settings_of_bucket_and_account_count_together() {
    let open = policy(json!("*"), "s3:GetObject", Value::Null);
    let bucket = |own: bool, account: bool| {
        json!({
            "Policy": open, "PublicAccessBlock": { "RestrictPublicBuckets": own },
            "AccountPublicAccessBlock": { "RestrictPublicBuckets": account },
        })
    };
    check(
        "bucket",
        &bucket(false, false),
        &["internet direct s3:GetObject"],
    );
    check(
        "bucket",
        &bucket(true, false),
        &["none stopped by block_public_access"],
    );
    check(
        "bucket",
        &bucket(false, true),
        &["none stopped by block_public_access"],
    );

    let mut unread = bucket(false, false);
    unread["AccountPublicAccessBlock"] = json!("[not read]");
    check(
        "bucket",
        &unread,
        &["unknown stopped by block_public_access"],
    );

    // Blocks are about what is public: another account that is named stays in.
    let mut named = bucket(true, true);
    named["Policy"] = policy(json!({ "AWS": OTHER }), "s3:GetObject", Value::Null);
    check(
        "bucket",
        &named,
        &["account:444455556666 direct s3:GetObject"],
    );
}

#[test]
fn access_lists_of_buckets_count_unless_they_are_off() {
    let list = |uri: &str| json!({ "Acl": { "AccessControlList": [{ "Grantee": { "URI": uri }, "Permission": "READ" }] } });
    let everyone = list("http://acs.amazonaws.com/groups/global/AllUsers");
    check("bucket", &everyone, &["internet direct READ"]);
    let signed_in = list("http://acs.amazonaws.com/groups/global/AuthenticatedUsers");
    check("bucket", &signed_in, &["internet direct READ"]);
    check(
        "bucket",
        &list("http://acs.amazonaws.com/groups/s3/LogDelivery"),
        &["none stopped by policy"],
    );

    // Another account by its canonical identifier is not "public": settings do not block it.
    let other = json!({
        "PublicAccessBlock": { "IgnorePublicAcls": true },
        "Acl": { "Owner": { "ID": "a1" }, "AccessControlList": [
            { "Grantee": { "ID": "a1" }, "Permission": "FULL_CONTROL" }, { "Grantee": { "ID": "b2" }, "Permission": "READ" }] },
    });
    check("bucket", &other, &["account:b2 direct READ"]);

    let mut ignored = everyone.clone();
    ignored["PublicAccessBlock"] = json!({ "IgnorePublicAcls": true });
    check("bucket", &ignored, &["none stopped by block_public_access"]);
    let mut off = everyone;
    off["OwnershipControls"] = json!({ "Rule": { "ObjectOwnership": "BucketOwnerEnforced" } });
    check("bucket", &off, &["none stopped by object_ownership"]);
}

#[test]
fn access_points_open_buckets_that_leave_access_to_them() {
    let delegation = policy(
        json!("*"),
        "s3:*",
        json!({ "StringEquals": { "s3:DataAccessPointAccount": ACCOUNT } }),
    );
    let point = |origin: &str| json!({ "Bucket": "one", "NetworkOrigin": origin, "Policy": policy(json!("*"), "s3:GetObject", Value::Null) });
    let check = |bucket: Value, point: Value, expect: &[&str]| {
        let documents = Documents::default().with("bucket", "one", bucket).with(
            "access_point",
            "arn:aws:s3:eu-west-1:111122223333:accesspoint/p",
            point,
        );
        assert_eq!(documents.of("one"), expect);
    };

    check(
        json!({ "Policy": delegation }),
        point("Internet"),
        &["internet direct s3:GetObject"],
    );
    check(
        json!({ "Policy": delegation }),
        point("VPC"),
        &["none stopped by access_point"],
    );
    check(json!({}), point("Internet"), &["none stopped by policy"]);
    let mut blocked = point("Internet");
    blocked["PublicAccessBlockConfiguration"] = json!({ "RestrictPublicBuckets": true });
    check(
        json!({ "Policy": delegation }),
        blocked,
        &["none stopped by block_public_access"],
    );
}

#[test]
fn function_urls_need_the_policy_and_the_url() {
    let open = policy(
        json!("*"),
        "lambda:InvokeFunctionUrl",
        json!({ "StringEquals": { "lambda:FunctionUrlAuthType": "NONE" } }),
    );
    let url = |auth: &str| json!([{ "FunctionUrl": "https://x.lambda-url.eu-west-1.on.aws/", "AuthType": auth }]);

    check(
        "function",
        &json!({ "ResourcePolicy": open, "FunctionUrlConfigs": url("NONE") }),
        &["internet direct lambda:InvokeFunctionUrl"],
    );
    check(
        "function",
        &json!({ "ResourcePolicy": open, "FunctionUrlConfigs": url("AWS_IAM") }),
        &["none stopped by function_url"],
    );
    check(
        "function",
        &json!({ "ResourcePolicy": open, "FunctionUrlConfigs": [] }),
        &["none stopped by function_url"],
    );
    check(
        "function",
        &json!({ "ResourcePolicy": open }),
        &["unknown stopped by function_url"],
    );
    check(
        "function",
        &json!({ "FunctionUrlConfigs": url("NONE") }),
        &["none stopped by policy"],
    );
}

#[test]
fn a_function_that_outsiders_run_is_a_step_to_what_its_groups_may_reach() {
    let open = policy(json!("*"), "lambda:InvokeFunction", Value::Null);
    let documents = exposed()
        .without("virtual_machine")
        .with(
            "function",
            "f",
            json!({
            "ResourcePolicy": open,
            "VpcConfig": { "SubnetIds": ["subnet-2"], "SecurityGroupIds": ["sg-f"] } }),
        )
        .with(
            "security_group",
            "sg-db",
            group(vec![rule("tcp", 3306, 3306, "sg-f")]),
        )
        .with(
            "virtual_machine",
            "i-db",
            crate::documents::machine("sg-db", None, "10.0.1.9"),
        );
    assert_eq!(documents.of("f"), ["internet direct lambda:InvokeFunction"]);
    assert_eq!(documents.of("i-db"), ["internet indirect tcp 3306"]);
}

#[test]
fn roles_of_public_identity_providers_are_open_without_a_condition_on_who() {
    let provider =
        format!("arn:aws:iam::{ACCOUNT}:oidc-provider/token.actions.githubusercontent.com");
    let trust = |condition: Value| json!({ "AssumeRolePolicyDocument": policy(json!({ "Federated": provider }), "sts:AssumeRoleWithWebIdentity", condition) });
    check(
        "iam_role",
        &trust(Value::Null),
        &["internet direct sts:AssumeRoleWithWebIdentity"],
    );
    let bounded = json!({ "StringLike": { "token.actions.githubusercontent.com:sub": "repo:example/app:*" } });
    check("iam_role", &trust(bounded), &["none stopped by policy"]);
}

#[test]
fn policies_that_cannot_be_read_prove_nothing() {
    check(
        "queue",
        &json!({ "Attributes": { "Policy": "[not read]" } }),
        &["unknown stopped by policy"],
    );
    check(
        "topic",
        &json!({ "Attributes": "[not read]" }),
        &["unknown stopped by policy"],
    );
    check(
        "secret",
        &json!({ "Policy": "{" }),
        &["unknown stopped by policy"],
    );
    // A text is read as the policy that it holds.
    let text = policy(json!("*"), "sqs:SendMessage", Value::Null).to_string();
    check(
        "queue",
        &json!({ "Attributes": { "Policy": text } }),
        &["internet direct sqs:SendMessage"],
    );
}

#[test]
fn closing_a_statement_is_a_choke_point() {
    let documents = Documents::default().with(
        "queue",
        "one",
        json!({ "Attributes": { "Policy": policy(json!("*"), "sqs:SendMessage", Value::Null) } }),
    );
    let points = documents.choke_points();
    assert_eq!(points.len(), 1);
    assert_eq!(points[0].setting, "policy one: statement Open");
    assert_eq!(points[0].closes, ["one"]);
}
