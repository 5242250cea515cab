//! Targets of a load balancer that fail their health check, from `DescribeTargetHealth` to findings
//! about the machine and its target group.

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{PATIENCE, connect, findings_of};

const REGION: &str = "us-east-1";

/// Reads the account again and waits until that has ended.
async fn synced(admin: &Api, connection: &str) {
    let path = format!("connections/{connection}");
    let last = |body: &Value| body["last_sync"]["finished_at"].clone();
    let before = last(&admin.get(&path).await.expect(200).body);
    until("the sync begins", PATIENCE, || async {
        let asked = admin.post(&format!("{path}/sync"), json!({})).await;
        (asked.status < 300).then_some(())
    })
    .await;
    until("the sync ends", PATIENCE, || async {
        let now = admin.get(&path).await.expect(200).body;
        (now["status"] == "ready" && last(&now) != before).then_some(())
    })
    .await;
}

/// Runs the agent; its open findings about an aspect.
async fn open(admin: &Api, agent: &str, aspect: &str) -> Vec<Value> {
    let mut found = findings_of(admin, agent, PATIENCE).await;
    found.retain(|one| one["resource"]["aspect"] == aspect && one["status"] == "open");
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_fails_or_flaps_is_found_at_its_machine() {
    let moto = Moto::target_health().await.unwrap();
    let machines = moto.machines(REGION, "m5.large", 3, &[]).await.unwrap();
    let _ = moto
        .load_balancer(REGION, "shop", &machines, &[])
        .await
        .unwrap();
    let failing = &machines[1];
    let answers = async |code: &str| moto.tag(REGION, failing, "answers", code).await.unwrap();
    answers("503").await;

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let connection = connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "ops_intelligence", "name": "Operations", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": false }, "reason": "the health of targets is a fact",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    let found = open(&admin, &agent, "target_health").await;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["resource"]["id"], failing.as_str());
    let text = found[0].to_string();
    assert!(text.contains("Target.ResponseCodeMismatch"), "{text}");
    assert!(
        text.contains("2 of 3 targets of shop are healthy"),
        "{text}"
    );
    // Two of three serve: the group itself is not lost.
    assert!(open(&admin, &agent, "healthy_targets").await.is_empty());

    // It recovers, fails and recovers between syncs.
    for code in ["200", "503", "200"] {
        answers(code).await;
        synced(&admin, &connection).await;
    }
    assert!(open(&admin, &agent, "target_health").await.is_empty());
    answers("503").await;
    synced(&admin, &connection).await;
    answers("200").await;
    synced(&admin, &connection).await;
    let found = open(&admin, &agent, "target_health").await;
    assert_eq!(found.len(), 1, "{found:#?}");
    let title = found[0]["title"].as_str().unwrap();
    assert!(
        title.ends_with("changed its target health 5 times in a day"),
        "{title}"
    );

    // Two of three fail: the group has lost more than half of its targets.
    for machine in &machines[..2] {
        moto.tag(REGION, machine, "answers", "500").await.unwrap();
    }
    synced(&admin, &connection).await;
    assert_eq!(open(&admin, &agent, "target_health").await.len(), 2);
    let found = open(&admin, &agent, "healthy_targets").await;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["resource"]["type"], "target_group");
    assert_eq!(found[0]["title"], "shop: 2 of 3 targets are unhealthy");
}
