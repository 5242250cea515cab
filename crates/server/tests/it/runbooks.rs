//! Known issues over a real peer: a runbook's change is executed and verified by the condition; one
//! that changes what it should and does not help counts as failed, opens its breaker, and is left to
//! people.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::{Moto, SQS};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{PATIENCE, connect, findings_of, pairs};
use crate::unused::{ended, execute};

const REGION: &str = "us-east-1";

/// A runbook of queues with a visibility timeout. Its change keeps messages for a week, and so ends
/// the first issue and not the second.
fn runbook(name: &str, timeout: &str, further: &str) -> Value {
    let source = format!(
        r#"
name = "{name}"
title = "it drops messages"
kind = "queue"
provider = "aws"
advice = "Look at the consumers."
[[when]]
document = "Attributes.VisibilityTimeout"
is = ["{timeout}"]
{further}
[remedy]
change = "keep_queue_messages"
[verify]
after = "1s"
[breaker]
failures = 1
"#
    );
    json!({ "source": source })
}

const SHORT: &str =
    "[[when]]\ndocument = \"Attributes.MessageRetentionPeriod\"\nbelow = 604800.0\n";

async fn queue(moto: &Moto, name: &str, timeout: &str) {
    let attributes = [
        ("QueueName", name),
        ("Attribute.1.Name", "VisibilityTimeout"),
        ("Attribute.1.Value", timeout),
    ];
    moto.query(&SQS, REGION, "CreateQueue", &pairs(&attributes))
        .await
        .unwrap();
}

/// Adds the runbook whose change does not help on queues with this timeout, has an agent find the
/// issue and a person execute the change, and waits until the breaker is open.
pub(crate) async fn does_not_help(admin: &Api, connection: &str, agent: &str, timeout: &str) {
    let made = runbook("keep-longer", timeout, "");
    let _ = admin.post("intelligence/runbooks", made).await.expect(201);
    let (_, manager) = admin
        .person("runbooks@acme.example", &["manager"], &[])
        .await;
    let finding = finding_of(admin, agent, "runbook:keep-longer").await;
    execute(admin, &manager, &finding).await;
    assert_eq!(ended(admin, &finding).await["status"], "succeeded");
    verified(admin, connection, "keep-longer", "ineffective").await;
}

/// Runs an agent until it has the finding of a runbook.
async fn finding_of(admin: &Api, agent: &str, code: &str) -> Value {
    until("the finding", PATIENCE, || async {
        let found = findings_of(admin, agent, PATIENCE).await;
        let is_open = |one: &&Value| {
            let codes = one["reason_codes"].as_array().unwrap();
            one["status"] == "open" && codes.iter().any(|own| own == code)
        };
        found.iter().find(is_open).cloned()
    })
    .await
}

/// Syncs the connection until the last change of a runbook has an outcome; the runbook.
async fn verified(admin: &Api, connection: &str, name: &str, outcome: &str) -> Value {
    let path = format!("intelligence/runbooks/{name}");
    until("the outcome", Duration::from_secs(180), || async {
        let _ = admin.post(&format!("{connection}/sync"), json!({})).await;
        let now = admin.get(&path).await.expect(200).body;
        let last = &now["applications"][0]["outcome"];
        assert!(
            last.is_null() || *last == "verifying" || *last == outcome,
            "{now:#}"
        );
        (*last == outcome).then_some(now)
    })
    .await
}

/// Adds an agent that looks for known issues; its identifier.
pub(crate) async fn agent(admin: &Api) -> String {
    let agent = json!({
        "agent_type": "ops_intelligence", "name": "Operations", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": false }, "reason": "known issues are facts",
    });
    admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_helps_is_verified_and_one_that_does_not_opens_the_breaker() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    queue(&moto, "mails", "45").await;
    queue(&moto, "jobs", "31").await;
    let connection = format!("connections/{}", connect(&admin, moto.endpoint()).await);

    written_and_tried(&admin).await;
    let agent = agent(&admin).await;
    let (_, manager) = admin
        .person("manager@acme.example", &["manager"], &[])
        .await;

    let finding = finding_of(&admin, &agent, "runbook:keep-short").await;
    assert_eq!(finding["kind"], "known_issue");
    assert_eq!(finding["origin"]["rule"], "auto_remediate", "{finding:#}");
    execute(&admin, &manager, &finding).await;
    assert_eq!(ended(&admin, &finding).await["status"], "succeeded");
    let helped = verified(&admin, &connection, "keep-short", "effective").await;
    assert_eq!(
        (&helped["helped"], &helped["failed"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(helped["open_breakers"], json!([]));

    does_not_help(&admin, &connection, &agent, "31").await;
    escalated(&admin, &agent).await;
}

/// A text with a fault is refused by its field; a stored one is tried on the past.
async fn written_and_tried(admin: &Api) {
    let mut wrong = runbook("keep-short", "45", SHORT);
    let text = wrong["source"]
        .as_str()
        .unwrap()
        .replace("\"queue\"", "\"laptop\"");
    wrong["source"] = json!(text);
    let refused = admin.post("intelligence/runbooks", wrong).await.expect(422);
    assert_eq!(
        refused.body["errors"][0]["field"], "kind",
        "{}",
        refused.text
    );
    let builtin = admin.delete("intelligence/runbooks/resume-group").await;
    assert_eq!(builtin.status, 409, "{}", builtin.text);

    let made = runbook("keep-short", "45", SHORT);
    let _ = admin.post("intelligence/runbooks", made).await.expect(201);
    let tried = until("the queues are read", PATIENCE, || async {
        let path = "intelligence/runbooks/keep-short/try";
        let tried = admin.post(path, json!({ "days": 7 })).await.expect(200);
        (tried.body["found_total"] == 1).then_some(tried)
    })
    .await;
    assert_eq!(tried.body["examined"], 2, "{}", tried.text);
    assert_eq!(tried.body["items"][0]["name"], "mails");
    assert_eq!(tried.body["items"][0]["holds_now"], true);
    assert_eq!(tried.body["without_past"].as_array().unwrap().len(), 2);
}

/// What did not help counts as failed, is recorded, and goes to people until one closes the breaker.
async fn escalated(admin: &Api, agent: &str) {
    let path = "intelligence/runbooks/keep-longer";
    let stopped = until("the breaker opens", PATIENCE, || async {
        let now = admin.get(path).await.expect(200).body;
        (now["open_breakers"] != json!([])).then_some(now)
    })
    .await;
    assert_eq!(
        (&stopped["helped"], &stopped["failed"]),
        (&json!(0), &json!(1))
    );
    let breaker = &stopped["open_breakers"][0];
    assert_eq!(breaker["resource_name"], "jobs", "{stopped:#}");
    let why = breaker["reason"].as_str().unwrap();
    assert!(why.contains("VisibilityTimeout has 31"), "{why}");

    let finding = finding_of(admin, agent, "breaker_open").await;
    assert_eq!(finding["plan"], Value::Null, "left to people");
    assert_eq!(finding["priority"], "high");
    let entries = admin
        .get("audit-logs?limit=10&query=operation:runbook.breaker_open")
        .await
        .expect(200);
    let entry = &entries.items()[0];
    assert_eq!(entry["action"]["operation"], "runbook.breaker_open");
    assert_eq!(entry["metadata"]["resource_name"], "jobs");

    let close = format!("{path}/breakers/close");
    let closed = admin.post(&close, json!({})).await.expect(200);
    assert_eq!(closed.body["open_breakers"], json!([]));
    assert_eq!(
        admin.post(&close, json!({})).await.status,
        409,
        "none is open"
    );
}
