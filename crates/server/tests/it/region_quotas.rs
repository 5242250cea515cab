//! A quota of a region from the finding to a request at AWS, through an approval.

use reeve_testkit::http::Api;
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{PATIENCE, connect, findings_of};
use crate::unused::{ended, signed};

const REGION: &str = "us-east-1";
/// VPCs per region.
const NETWORKS: (&str, &str) = ("vpc", "L-F678F1CE");

/// Runs the agent; its finding about networks, if it has one that is open.
async fn finding(admin: &Api, agent: &str) -> Option<Value> {
    let found = findings_of(admin, agent, PATIENCE).await;
    found
        .into_iter()
        .find(|one| one["resource"]["aspect"] == "quota.networks" && one["status"] == "open")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_that_is_nearly_used_up_is_requested_once_it_is_signed() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::quotas().await.unwrap();
    // With the default one 4 of the 5 that an account may have.
    for _ in 0..3 {
        let _ = moto.further_network(REGION).await.unwrap();
    }

    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    // Changes of low impact need no signature of their own.
    let mut guardrails = admin.get("intelligence/guardrails").await.expect(200).body;
    guardrails["approval_matrix"] = json!({ "low_impact": { "approval": "manager" } });
    guardrails["cool_down"] = json!("0m");
    guardrails.as_object_mut().unwrap().remove("cool_down_s");
    let _ = admin
        .put("intelligence/guardrails", guardrails)
        .await
        .expect(200);
    let agent = json!({
        "agent_type": "ops_intelligence", "name": "Operations", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": false }, "reason": "quotas are facts",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    let found = finding(&admin, &agent).await.unwrap();
    assert_eq!(found["priority"], "high", "{found:#}");
    assert_eq!(
        found["plan"]["change"]["name"], "request_quota",
        "{found:#}"
    );
    assert_eq!(found["resource"]["type"], "region", "{found:#}");
    assert_eq!(found["plan"]["change"]["parameters"]["to"], 8, "{found:#}");

    let (_, manager) = admin.person("anna@acme.example", &["manager"], &[]).await;
    signed(&admin, &[&manager], &found).await;
    let action = ended(&admin, &found).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");
    let requested = moto.requested_quotas(REGION, NETWORKS).await.unwrap();
    assert_eq!(requested, [8.0], "half as many again, in whole networks");

    // AWS has not decided: the quota is as it was, and the same request is not made again.
    let again = finding(&admin, &agent).await;
    if let Some(again) = again {
        signed(&admin, &[&manager], &again).await;
        let action = ended(&admin, &again).await;
        assert_eq!(action["status"], "succeeded", "{action:#}");
    }
    let requested = moto.requested_quotas(REGION, NETWORKS).await.unwrap();
    assert_eq!(requested, [8.0]);
}
