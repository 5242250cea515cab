//! A rollout over HTTP of what needs a signature: simulated as a whole, and not a step further
//! without one.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use serde_json::json;

/// Begins, looks, stops, resumes and aborts a rollout of the agent's one right-sizing.
pub(crate) async fn as_far_as_it_goes_unsigned(admin: &Api, agent: &str) {
    // Nobody is asked to sign what its connection would refuse.
    for connection in admin.get("connections").await.expect(200).items() {
        let path = format!("connections/{}", connection["id"].as_str().unwrap());
        let _ = admin
            .patch(&path, json!({ "allow_actions": true }))
            .await
            .expect(200);
    }

    let wanted =
        json!({ "agent_id": agent, "type": "right_size", "settings": { "min_confidence": 50 } });
    let _ = admin
        .post("intelligence/rollouts", wanted.clone())
        .await
        .problem(409, "agent_learning");
    let _ = admin
        .patch(
            &format!("intelligence/agents/{agent}"),
            json!({ "mode": "safe_mode" }),
        )
        .await
        .expect(200);

    let made = admin
        .post("intelligence/rollouts", wanted.clone())
        .await
        .expect(201);
    assert_eq!(
        (&made.body["stage"], &made.body["status"]),
        (&json!("simulation"), &json!("running"))
    );

    let _ = admin
        .post("intelligence/rollouts", wanted)
        .await
        .problem(409, "conflict");
    let path = format!("intelligence/rollouts/{}", made.text_at("/id"));
    let now = until(
        "the simulation went through",
        Duration::from_secs(90),
        || async {
            let now = admin.get(&path).await.expect(200).body;
            let waits = now["members"][0]["state"] == "awaiting_approval";
            (now["stage"] == "canary" && waits).then_some(now)
        },
    )
    .await;
    let gate = &now["gates"][0];

    assert_eq!(
        (&gate["stage"], &gate["verdict"]),
        (&json!("simulation"), &json!("opened")),
        "{now:#}"
    );

    let check = json!({ "check": "plans that went through on a simulated twin", "found": 1.0, "needed": 1.0,
        "relation": "at_least", "holds": true });
    assert_eq!(gate["checks"][0], check);

    let actions = admin.get("intelligence/actions").await.expect(200);
    let purposes: Vec<_> = actions
        .items()
        .iter()
        .map(|action| action["purpose"].clone())
        .collect();
    assert_eq!(purposes, [json!("simulate")], "nothing real was begun");

    let why = json!({ "reason": "nothing may be changed there" });
    assert_eq!(
        admin
            .post(&format!("{path}/stop"), why.clone())
            .await
            .expect(200)
            .body["status"],
        "stopped"
    );

    let _ = admin
        .post(&format!("{path}/stop"), why.clone())
        .await
        .problem(409, "conflict");
    assert_eq!(
        admin
            .post(&format!("{path}/resume"), why.clone())
            .await
            .expect(200)
            .body["status"],
        "running"
    );

    let aborted = admin
        .post(&format!("{path}/abort"), why.clone())
        .await
        .expect(200);
    assert_eq!(
        (&aborted.body["status"], &aborted.body["reason"]),
        (&json!("aborted"), &why["reason"])
    );

    let _ = admin
        .post(&format!("{path}/resume"), why)
        .await
        .problem(409, "conflict");
    let listed = admin
        .get("intelligence/rollouts?status=aborted&type=right_size")
        .await
        .expect(200);
    assert_eq!(
        (listed.body["total"].clone(), &listed.items()[0]),
        (json!(1), &admin.get(&path).await.expect(200).body)
    );

    let _ = admin
        .get("intelligence/rollouts?status=soon")
        .await
        .problem(422, "invalid_fields");
    let _ = admin
        .get("intelligence/rollouts/none")
        .await
        .problem(404, "not_found");

    let query = format!("metadata.rollout_id:\"{}\"", made.text_at("/id"));
    let found = admin
        .post("audit-logs/search", json!({ "query": query, "limit": 100 }))
        .await
        .expect(200);
    let operations: Vec<&str> = found
        .items()
        .iter()
        .filter_map(|entry| entry["action"]["operation"].as_str())
        .collect();

    for operation in [
        "rollout.create",
        "rollout.gate",
        "rollout.stop",
        "rollout.resume",
        "rollout.abort",
    ] {
        assert!(
            operations.contains(&operation),
            "{operation} is not operations: {operations:?}"
        );
    }
}
