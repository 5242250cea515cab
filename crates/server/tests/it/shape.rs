//! The shape of the interface's main answers, kept as snapshots: what dashboards and scripts of
//! others read.

use jiff::Timestamp;
use reeve_testkit::http::until;
use reeve_testkit::moto::Moto;
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::PATIENCE;

/// Puts a word in place of what differs from run to run: identifiers, times, hashes, addresses.
fn redacted(mut value: Value) -> Value {
    redact(&mut value, "");
    value
}

fn redact(value: &mut Value, name: &str) {
    match value {
        Value::Object(members) => members
            .iter_mut()
            .for_each(|(name, value)| redact(value, name)),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, name)),
        Value::String(text) => {
            for (pattern, word) in PATTERNS {
                *text = replaced(text, pattern, word);
            }
        }
        Value::Number(_) if matches!(name, "sequence" | "data_points") => {
            *value = json!("[number]")
        }
        _ => {}
    }
}

/// A shape (`h` a hexadecimal digit, `d` a decimal one) and the word for it; the longest first.
const PATTERNS: &[(&str, &str)] = &[
    (
        "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh",
        "[hash]",
    ),
    ("hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", "[id]"),
    ("dddd-dd-ddTdd:dd:dd.dddZ", "[time]"),
    ("i-hhhhhhhhhhhhhhhhh", "[machine]"),
    // One fewer when five minutes end between the seeding and the run.
    ("d,ddd points", "[number] points"),
];

fn replaced(text: &str, pattern: &str, word: &str) -> String {
    let fits = |part: &[u8]| {
        part.len() == pattern.len()
            && part
                .iter()
                .zip(pattern.bytes())
                .all(|(byte, shape)| match shape {
                    b'h' => byte.is_ascii_digit() || (b'a'..=b'f').contains(byte),
                    b'd' => byte.is_ascii_digit(),
                    other => *byte == other,
                })
    };

    let bytes = text.as_bytes();
    let at = bytes.windows(pattern.len()).position(fits);

    match at {
        Some(at) => format!(
            "{}{word}{}",
            &text[..at],
            replaced(&text[at + pattern.len()..], pattern, word)
        ),
        None => text.to_owned(),
    }
}

#[tokio::test]
async fn an_entry_a_receipt_and_problems() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let entry = json!({
        "event_type": "resource.modify", "timestamp": "2026-11-20T11:00:00+01:00", "severity": "medium",
        "actor": { "type": "user", "id": "u-7", "email": "jo@acme.example", "ip_address": "198.51.100.7", "user_agent": "curl/8", "session_id": "s-1" },
        "resource": { "type": "ec2_instance", "id": "i-1", "cloud_provider": "aws", "account_id": "123456789012", "region": "us-east-1", "tags": { "env": "prod" } },
        "action": { "operation": "ModifyInstanceAttribute", "status": "success", "method": "api" },
        "changes": { "before": { "size": "m5.large" }, "after": { "size": "m5.xlarge", "note": null } },
        "metadata": { "request_id": "r-1", "tags": ["manual"], "cost_usd": 1.5 },
    });
    let receipt = admin.post("audit-logs", entry.clone()).await.expect(201);

    let stored = admin
        .get(&format!("audit-logs/{}", receipt.text_at("/event_id")))
        .await
        .expect(200);
    let batch = admin.post("audit-logs", json!([entry])).await.expect(201);
    let wrong =
        json!({ "event_type": "login", "actor": { "emial": "x", "ip_address": "nowhere" } });
    insta::assert_json_snapshot!("receipt", redacted(receipt.body));
    insta::assert_json_snapshot!("receipts", redacted(batch.body));
    insta::assert_json_snapshot!("entry", redacted(stored.body));
    insta::assert_json_snapshot!(
        "problem_fields",
        redacted(admin.post("audit-logs", wrong).await.body)
    );

    let question = admin
        .post("audit-logs/search", json!({ "query": "sevrity:low" }))
        .await;
    insta::assert_json_snapshot!("problem_query", redacted(question.body));
}

/// Fourteen days at two percent, always the same.
fn quiet() -> Vec<(Timestamp, f64)> {
    let now = Timestamp::now().as_second() / 300 * 300;
    (1..=14 * 288_i64)
        .rev()
        .map(|n| {
            (
                Timestamp::from_second(now - n * 300).unwrap(),
                2.0 + (n % 12) as f64 / 10.0,
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recommendation() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines("us-east-1", "m5.2xlarge", 1, &[("Name", "reports")])
        .await
        .unwrap()
        .remove(0);

    let cpu = Metric {
        namespace: "AWS/EC2",
        name: "CPUUtilization",
        unit: "Percent",
        dimensions: &[("InstanceId", &id)],
    };
    moto.metric("us-east-1", cpu, &quiet()).await.unwrap();

    let connection = json!({
        "name": "acme", "provider": "aws", "endpoint": moto.endpoint(),
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });
    let made = admin.post("connections", connection).await.expect(201);
    until("the first sync", PATIENCE, || async {
        let now = admin
            .get(&format!("connections/{}", made.text_at("/id")))
            .await
            .expect(200)
            .body;
        (now["status"] == "ready").then_some(())
    })
    .await;

    let agent = json!({ "agent_type": "cost_optimizer", "name": "Optimizer" });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    let found = until("a recommendation", PATIENCE, || async {
        let listed = admin.get("intelligence/recommendations").await.expect(200);
        (listed.body["total"] == 1).then(|| listed.body["items"][0].clone())
    })
    .await;

    let path = format!(
        "intelligence/recommendations/{}",
        found["id"].as_str().unwrap()
    );
    assert_eq!(admin.get(&path).await.expect(200).body, found);
    assert_eq!(
        admin
            .get(&format!("{path}/explanation"))
            .await
            .expect(200)
            .body,
        found["explanation"]
    );

    // The agent learns: nothing is applied, and the refusal says so. The connection allows no
    // actions either.
    let refused = admin
        .post(&format!("{path}/execute"), json!({}))
        .await
        .problem(409, "agent_learning");
    insta::assert_json_snapshot!("recommendation", redacted(found));
    crate::rollouts::as_far_as_it_goes_unsigned(&admin, &agent.text_at("/id")).await;
    insta::assert_json_snapshot!("problem_learning", redacted(refused.body));
    insta::assert_json_snapshot!(
        "agent",
        redacted(
            json!({ "mode": agent.body["mode"], "auto_apply": agent.body["auto_apply"], "learning_period": agent.body["learning_period"] })
        )
    );
}
