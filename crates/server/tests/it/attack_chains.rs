//! The demonstration's stolen key, replayed step by step: the chain names the next likely step, and
//! what would stop it, before the last step arrives.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_connect_simulated::SimulatedEstate;
use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use crate::attacks::{activity, import, marker};

const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the chain of the key, once it has so many steps.
async fn chain(api: &Api, steps: usize) -> Value {
    until("the chain", PATIENCE, async || {
        let all = api.get("intelligence/attack-chains").await.expect(200);
        let found = all.items().iter().find(|chain| {
            chain["principal"].as_str().unwrap().starts_with("AKIA")
                && chain["steps"].as_array().unwrap().len() >= steps
        });
        found.cloned()
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stolen_keys_next_step_is_predicted_before_the_last_one() {
    let home = tempfile::tempdir().unwrap();
    let now = Timestamp::now();
    let begun = now - SignedDuration::from_mins(12);
    let estate = SimulatedEstate::new(7, begun);
    let past = begun + SignedDuration::from_mins(2);
    import(
        home.path(),
        "jsonl",
        &activity(&estate, now - SignedDuration::from_hours(20 * 24), past),
    );
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    let agent = json!({
        "agent_type": "security_intelligence", "name": "Watch",
        "settings": { "threat_prediction": { "report_above": "5%" } },
    });
    let _ = admin.post("intelligence/agents", agent).await.expect(201);
    until("the past to be read", PATIENCE, async || {
        let _ = admin.post("audit-logs", marker()).await.expect(201);
        let path = "intelligence/anomalies?type=security";
        let all = admin.get(path).await.expect(200);
        (!all.items().is_empty()).then_some(())
    })
    .await;

    let of_key = |entry: &Value| {
        entry["metadata"]["tags"]
            .to_string()
            .contains("new_country")
    };
    let mut attack: Vec<Value> = activity(&estate, past, now)
        .into_iter()
        .filter(of_key)
        .collect();
    let last = attack.pop().unwrap();
    assert_eq!(last["action"]["operation"], "RunInstances");
    let _ = admin
        .post("audit-logs", Value::Array(attack))
        .await
        .expect(201);

    let before = chain(&admin, 4).await;
    let stages: Vec<&str> = before["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["stage"].as_str().unwrap())
        .collect();
    assert!(
        stages.contains(&"reconnaissance") && stages.contains(&"persistence"),
        "{stages:?}"
    );
    assert!(
        before["steps"]
            .to_string()
            .contains("https://attack.mitre.org/techniques/T1098/001/"),
        "{before}"
    );

    let next = before["next"].as_array().unwrap();
    let share = |next: &Value| next["probability"].as_f64().unwrap();
    let sum: f64 = next.iter().map(share).sum();
    assert!((sum - before["probability"].as_f64().unwrap()).abs() < 0.001);
    assert!(share(&next[0]) > 0.02, "{next:?}");
    let stop = before["stops"][0]["action"].as_str().unwrap();
    assert!(stop.starts_with("Deactivate the keys"), "{stop}");
    the_log_tells_of_it(&admin, &before).await;

    let _ = admin.post("audit-logs", json!([last])).await.expect(201);
    let after = chain(&admin, before["steps"].as_array().unwrap().len() + 1).await;
    assert_eq!(after["id"], before["id"], "one chain");
    assert!(after["steps"].to_string().contains("RunInstances"));
    assert_eq!(after["predicted_at"], before["predicted_at"], "told once");
}

/// The prediction is an entry of the log, with the entries that it follows from.
async fn the_log_tells_of_it(api: &Api, chain: &Value) {
    let path = format!(
        "intelligence/attack-chains/{}",
        chain["id"].as_str().unwrap()
    );
    let one = api.get(&path).await.expect(200).body;
    assert!(one["predicted_at"].is_string(), "{one}");

    let path = "audit-logs?limit=10&query=operation:attack_chain.predict";
    let found = api.get(path).await.expect(200);
    let [entry] = found.items() else {
        panic!("{:?}", found.items())
    };
    assert_eq!(entry["metadata"]["chain_id"], chain["id"]);
    let first = chain["steps"][0]["event_id"].as_str().unwrap();
    assert!(entry["metadata"]["entries"].to_string().contains(first));

    let missing = api.get("intelligence/attack-chains/none").await;
    let _ = missing.expect(404);
}
