//! `reeve analyze access`: an account from files through the real program.

use serde_json::{Value, json};

use super::{analyze, analyze_text};

const DEV: &str = "arn:aws:iam::111122223333:user/dev";

fn details() -> Value {
    let document = |actions: Value| json!({"Version": "2012-10-17", "Statement": [{"Sid": "Own", "Effect": "Allow", "Action": actions, "Resource": "*"}]});
    let trust = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
        "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]});
    json!({
        "UserDetailList": [{"UserName": "dev", "UserId": "AIDADEV", "Arn": DEV, "UserPolicyList": [{"PolicyName": "deploy",
            "PolicyDocument": document(json!(["iam:PassRole", "lambda:CreateFunction", "lambda:InvokeFunction"]))}]}],
        "RoleDetailList": [{"RoleName": "deploy", "RoleId": "AROADEPLOY", "Arn": "arn:aws:iam::111122223333:role/deploy",
            "AssumeRolePolicyDocument": trust, "AttachedManagedPolicies": [
                {"PolicyName": "AdministratorAccess", "PolicyArn": "arn:aws:iam::aws:policy/AdministratorAccess"}]}],
    })
}

fn lines(output: &std::process::Output) -> Vec<Value> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn an_escalation_is_listed_with_its_steps_and_its_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, value: &Value| {
        let path = folder.path().join(name);
        std::fs::write(&path, value.to_string()).unwrap();
        path.display().to_string()
    };
    let account = file("account.json", &details());
    let organization = file(
        "organization.json",
        &json!({"service_control_policies": [{"level": "Root", "policies": [{"name": "NoFunctions", "policy":
            {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "NotAction": "lambda:*", "Resource": "*"}]}}]}]}),
    );

    let open = lines(&analyze(&["access", &account]).output().unwrap());
    assert_eq!(open.len(), 1);
    assert_eq!(
        (&open[0]["principal"], &open[0]["reaches"]),
        (&json!(DEV), &json!("admin"))
    );
    assert_eq!(open[0]["grade"], "certain");
    assert_eq!(open[0]["path"][0]["technique"], "lambda-001");
    assert_eq!(
        open[0]["path"][0]["allowed_by"][0]["statements"],
        json!(["Own of identity policy deploy of user dev"])
    );

    let closed = lines(
        &analyze(&["access", &account, &organization])
            .output()
            .unwrap(),
    );
    assert_eq!(closed[0]["grade"], "blocked");
    assert_eq!(closed[0]["blocked_by"][0]["policy"], "Root");

    let with_admins = lines(&analyze(&["access", "--admins", &account]).output().unwrap());
    assert_eq!(
        with_admins[0]["principal"],
        "arn:aws:iam::111122223333:role/deploy"
    );
    assert_eq!(with_admins[0]["path"], json!([]));
}

#[test]
fn requests_are_decided_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let requests = folder.path().join("requests.jsonl");
    let request =
        |action: &str| json!({"principal": DEV, "action": action, "resource": "*"}).to_string();
    let text = format!(
        "{}\n{}\n",
        request("lambda:InvokeFunction"),
        request("s3:GetObject")
    );
    std::fs::write(&requests, text).unwrap();

    let requests = requests.display().to_string();
    let output = analyze_text(
        &["access", "-", "--requests", &requests],
        &details().to_string(),
    );
    let found = lines(&output);
    let decisions: Vec<&Value> = found.iter().map(|line| &line["decision"]).collect();
    assert_eq!(decisions, ["allow", "implicit_deny"]);
    assert_eq!(found[1]["why"], "no statement allows it");
}

#[test]
fn a_file_that_is_no_account_is_refused_with_its_place() {
    let output = analyze_text(
        &["access", "-"],
        r#"{"UserDetailList": [{"UserName": "dev"}]}"#,
    );
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("UserDetailList[1]: has no Arn"), "{error}");
}
