//! Quarantine over HTTP: a machine whose own credentials stop the log, from an address on a threat list, is cut off at once by an agent
//! that has the permission, and let back by a person.

use std::time::Duration;

use reeve_testkit::http::until;
use reeve_testkit::moto::{EC2, Moto};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// Returns a call with the credentials of a machine, as the CloudTrail importer writes it.
fn call(machine: &str, operation: &str, address: &str) -> Value {
    json!({
        "event_type": "api.call",
        "timestamp": jiff::Timestamp::now().to_string(),
        "actor": { "type": "role", "id": format!("web/{machine}"), "ip_address": address },
        "action": { "operation": operation, "status": "success", "method": "api" },
        "metadata": { "cloudtrail": {
            "eventSource": "cloudtrail.amazonaws.com",
            "userIdentity": { "type": "AssumedRole", "sessionContext": { "ec2RoleDelivery": "2.0" } },
        } },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_was_taken_over_is_cut_off_and_let_back() {
    let moto = Moto::start().await.unwrap();
    let machine = moto.machines(REGION, "m5.large", 1, &[("Name", "web")]).await.unwrap().remove(0);
    let own = moto.security_group(REGION, &moto.network(REGION).await.unwrap().0, "web").await.unwrap();
    let given = [("InstanceId", machine.as_str()), ("GroupId.1", &own)].map(|(k, v)| (k.to_owned(), v.to_owned()));
    moto.query(&EC2, REGION, "ModifyInstanceAttribute", &given).await.unwrap();
    let groups = async || {
        let one = [("InstanceId.1".to_owned(), machine.clone())];
        moto.query(&EC2, REGION, "DescribeInstances", &one).await.unwrap()
    };
    assert!(groups().await.contains(&own));

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": moto.endpoint(), "allow_actions": true,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });
    let connection = admin.post("connections", connection).await.expect(201).text_at("/id");
    until("the first sync", PATIENCE, || async {
        (admin.get(&format!("connections/{connection}")).await.expect(200).body["status"] == "ready").then_some(())
    })
    .await;
    let agent = json!({
        "agent_type": "security_intelligence", "name": "Watch", "mode": "active", "reason": "a test",
        "auto_apply": { "enabled": true, "max_impact": "high" },
    });
    let _ = admin.post("intelligence/agents", agent).await.expect(201);
    let _ = admin.put("intelligence/threat-lists/mine", json!({ "indicators": "203.0.113.7" })).await.expect(200);

    let usual: Vec<Value> = (0..200).map(|_| call(&machine, "DescribeTrails", "198.51.100.9")).collect();
    let _ = admin.post("audit-logs", json!(usual)).await.expect(201);
    let _ = admin.post("audit-logs", json!([call(&machine, "StopLogging", "203.0.113.7")])).await.expect(201);
    let told = until("the anomaly of the machine, answered", PATIENCE, async || {
        let all = admin.get(&format!("intelligence/anomalies?type=security&resource={machine}")).await.expect(200);
        let critical = all.items().iter().find(|one| one["severity"] == "critical")?.clone();
        (critical["responses"].as_array()?.iter().any(|one| one["stage"] == "execute")).then_some(critical)
    })
    .await;
    let executed = told["responses"].as_array().unwrap().iter().rfind(|one| one["stage"] == "execute").unwrap();
    assert!(executed["detail"].as_str().unwrap().ends_with("has begun"), "{told}");
    let done = until("the isolation", PATIENCE, async || {
        let all = admin.get("intelligence/recommendations").await.expect(200);
        all.items().iter().find(|one| one["type"] == "security_group" && one["status"] == "succeeded").cloned()
    })
    .await;
    assert_eq!((&done["resource"]["id"], &done["impact_level"]), (&json!(machine), &json!("high")), "{done}");
    let cut_off = groups().await;
    assert!(cut_off.contains("reeve-quarantine") && !cut_off.contains(&own), "{cut_off}");

    let actions = admin.get("intelligence/actions").await.expect(200);
    let action = actions.items()[0]["id"].as_str().unwrap().to_owned();
    let _ = admin.post(&format!("intelligence/actions/{action}/rollback"), json!({})).await;
    until("the release", PATIENCE, async || {
        let one = admin.get(&format!("intelligence/actions/{action}")).await.expect(200);
        (one.body["status"] == "rolled_back").then_some(())
    })
    .await;
    let back = groups().await;
    assert!(back.contains(&own) && !back.contains("reeve-quarantine"), "{back}");
}
