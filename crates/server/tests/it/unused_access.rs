//! Unused access over HTTP, from the cloud's record of last uses to a narrower policy and back.
//!
//! moto makes the role, takes the changes and shows them. What it lacks, the record of last uses, an
//! endpoint before it answers as IAM does: a job is in progress first, and unknown jobs are refused.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use reeve_testkit::http::{encoded, until};
use reeve_testkit::moto::{IAM, Moto};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, pairs};
use crate::unused::{ended, found, rolled_back, signed};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const ROLE: &str = "arn:aws:iam::123456789012:role/worker";

/// Answers one call about last uses; `None` for every other call.
fn last_uses(body: &str, jobs: &std::sync::Mutex<usize>) -> Option<Response> {
    let result = |action: &str, inner: &str| {
        let text = format!(
            "<{action}Response><{action}Result>{inner}</{action}Result></{action}Response>"
        );
        Some(text.into_response())
    };
    if body.contains("Action=GenerateServiceLastAccessedDetails") {
        return result("GenerateServiceLastAccessedDetails", "<JobId>job-1</JobId>");
    }
    if !body.contains("Action=GetServiceLastAccessedDetails") {
        return None;
    }
    if !body.contains("JobId=job-1") {
        let error = "<ErrorResponse><Error><Code>NoSuchEntity</Code></Error></ErrorResponse>";
        return Some((StatusCode::NOT_FOUND, error).into_response());
    }

    let mut asked = jobs.lock().unwrap();
    *asked += 1;
    if *asked == 1 {
        let status = "<JobStatus>IN_PROGRESS</JobStatus>";
        return result("GetServiceLastAccessedDetails", status);
    }
    let now = jiff::Timestamp::now();
    let used = format!(
        "<JobStatus>COMPLETED</JobStatus><ServicesLastAccessed>\
         <member><ServiceName>S3</ServiceName><ServiceNamespace>s3</ServiceNamespace><LastAuthenticated>{now}</LastAuthenticated></member>\
         <member><ServiceName>SQS</ServiceName><ServiceNamespace>sqs</ServiceNamespace></member></ServicesLastAccessed>"
    );
    result("GetServiceLastAccessedDetails", &used)
}

/// Makes roles as old as those of real accounts: moto makes them now.
fn aged(text: &str) -> String {
    let mut parts = text.split("<CreateDate>");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part
            .split_once("</CreateDate>")
            .map_or(part, |(_, rest)| rest);
        out.push_str("<CreateDate>2024-01-01T00:00:00Z</CreateDate>");
        out.push_str(rest);
    }
    out
}

/// Starts the endpoint before moto; returns its address.
async fn before(moto: &Moto) -> String {
    let peer = moto.endpoint().to_owned();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let jobs = std::sync::Arc::new(std::sync::Mutex::new(0));
    let answer = move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let (peer, http, jobs) = (peer.clone(), http.clone(), jobs.clone());
        async move {
            let text = String::from_utf8_lossy(&body).into_owned();
            if let Some(answer) = last_uses(&text, &jobs) {
                return answer;
            }
            let mut request = http.request(method, format!("{peer}{uri}"));
            for (name, value) in &headers {
                if name != "host" && name != "content-length" {
                    request = request.header(name, value);
                }
            }
            let answer = request.body(body).send().await.unwrap();
            let (status, headers) = (answer.status(), answer.headers().clone());
            let body = answer.bytes().await.unwrap();
            let kept = ["content-type", "etag", "x-amz-bucket-region"];
            let mut response = match std::str::from_utf8(&body) {
                Ok(text) if text.contains("<CreateDate>") => aged(text).into_response(),
                _ => body.into_response(),
            };
            *response.status_mut() = status;
            for name in kept {
                if let Some(value) = headers.get(name) {
                    response.headers_mut().insert(name, value.clone());
                }
            }
            response
        }
    };

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    endpoint
}

async fn iam(moto: &Moto, action: &str, given: &[(&str, &str)]) -> String {
    moto.query(&IAM, REGION, action, &pairs(given))
        .await
        .unwrap()
}

/// Actions that the policy of the role allows, by moto.
async fn allowed(moto: &Moto) -> String {
    let given = [("RoleName", "worker"), ("PolicyName", "own")];
    iam(moto, "GetRolePolicy", &given).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permissions_that_nothing_used_go_and_come_back() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let trust = json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Allow",
        "Principal": { "Service": "ec2.amazonaws.com" }, "Action": "sts:AssumeRole" }] });
    let own = json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Allow",
        "Action": ["s3:GetObject", "sqs:SendMessage"], "Resource": "*" }] });
    let trust = trust.to_string();
    let given = [
        ("RoleName", "worker"),
        ("AssumeRolePolicyDocument", trust.as_str()),
    ];
    iam(&moto, "CreateRole", &given).await;
    let own = own.to_string();
    let given = [
        ("RoleName", "worker"),
        ("PolicyName", "own"),
        ("PolicyDocument", own.as_str()),
    ];
    iam(&moto, "PutRolePolicy", &given).await;

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, director) = admin.person("dora@acme.example", &["director"], &[]).await;
    let (_, security) = admin
        .person("sven@acme.example", &["security_analyst"], &[])
        .await;
    let _ = connect(&admin, &before(&moto).await).await;

    let all = found(&admin, "security_intelligence").await;
    let of_role = |one: &&Value| {
        one["resource"]["id"] == ROLE && one["plan"]["change"]["name"] == "tighten_role_policy"
    };
    let finding = all.iter().find(of_role).cloned();
    let finding = finding.unwrap_or_else(|| panic!("no unused permissions: {all:#?}"));
    assert_eq!(finding["kind"], "iam_optimization");

    let path = format!(
        "intelligence/privileges?result=pass&resource={}",
        encoded(ROLE)
    );
    let privileges = admin.get(&path).await.expect(200);
    let unused = &privileges.items()[0]["unused"];
    assert_eq!(
        (&unused["coverage"], &unused["unused_actions"]),
        (&json!("full"), &json!(["sqs:SendMessage"])),
        "{}",
        privileges.text
    );

    // A change of access has a high risk: two people sign it.
    signed(&admin, &[&director, &security], &finding).await;
    let action = ended(&admin, &finding).await;
    assert_eq!(action["status"], "succeeded", "{action}");
    let tight = allowed(&moto).await;
    assert!(
        tight.contains("GetObject") && !tight.contains("SendMessage"),
        "{tight}"
    );

    rolled_back(&admin, &action, PATIENCE).await;
    assert!(allowed(&moto).await.contains("SendMessage"));
    let id = finding["id"].as_str().unwrap();
    let story = format!("audit-logs?query=metadata.recommendation_id:{id}");
    until("the log has its story", PATIENCE, || async {
        let answer = admin.get(&story).await;
        (answer.status == 200 && answer.text.contains("rollback")).then_some(())
    })
    .await;
}
