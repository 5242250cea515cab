//! An AWS account of an emulator, connected to a service.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use serde_json::{Value, json};

/// Region of the account.
const REGION: &str = "us-east-1";
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Connects the account at an endpoint, with changes allowed, and waits for its first sync; the
/// connection's identifier.
pub(crate) async fn connect(admin: &Api, endpoint: &str) -> String {
    connected(admin, endpoint, "acme", None).await
}

/// Connects a second account of the emulator at an endpoint, by a role of it that is assumed.
pub(crate) async fn connect_account(admin: &Api, endpoint: &str, number: &str) -> String {
    let role = format!("arn:aws:iam::{number}:role/reeve");
    connected(admin, endpoint, number, Some(&role)).await
}

async fn connected(admin: &Api, endpoint: &str, name: &str, role: Option<&str>) -> String {
    let connection = json!({
        "name": name, "provider": "aws", "regions": [REGION], "endpoint": endpoint, "allow_actions": true,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG" },
        "assume_role": role,
    });
    let connection = admin
        .post("connections", connection)
        .await
        .expect(201)
        .text_at("/id");
    let path = format!("connections/{connection}");
    until("the connection is ready", PATIENCE, || async {
        let now = admin.get(&path).await.expect(200).body;
        (now["status"] == "ready" && now["last_sync"].is_object()).then_some(())
    })
    .await;

    connection
}

/// Runs an agent, waiting for its turn for some time at most; its recommendations.
pub(crate) async fn findings_of(admin: &Api, agent: &str, patience: Duration) -> Vec<Value> {
    let path = format!("intelligence/agents/{agent}/run");
    let run = until("the agent ran", patience, || async {
        let answer = admin.post(&path, json!({})).await;
        (answer.status == 200).then_some(answer.body)
    })
    .await;
    assert_eq!(run["error"], Value::Null, "{run}");

    let path = format!("intelligence/recommendations?agent={agent}&limit=1000");
    admin.get(&path).await.expect(200).items().to_vec()
}

/// Executes the plan of a recommendation, signed where a signature is needed, and waits until it
/// went through; the action's identifier.
pub(crate) async fn applied(admin: &Api, recommendation: &Value) -> String {
    let id = recommendation["id"].as_str().unwrap();
    let path = format!("intelligence/recommendations/{id}");
    let plan = json!({ "plan_hash": recommendation["plan"]["hash"] });
    let _ = admin
        .post(&format!("{path}/execute"), plan)
        .await
        .expect(202);
    for approval in admin
        .get("intelligence/approvals?limit=100")
        .await
        .expect(200)
        .items()
        .iter()
        .filter(|approval| approval["recommendation_id"] == id && approval["status"] == "pending")
    {
        let sign = format!(
            "intelligence/approvals/{}/approve",
            approval["id"].as_str().unwrap()
        );
        let signer = format!("signer-{id}@acme.example");
        let (_, manager) = admin.person(&signer, &["manager"], &[]).await;
        let _ = manager.post(&sign, json!({})).await.expect(200);
    }
    until("the change went through", PATIENCE, || async {
        let actions = admin.get("intelligence/actions").await.expect(200);
        let own = |action: &&Value| action["recommendation_id"] == id;
        let action = actions.items().iter().find(own)?.clone();
        assert!(
            !matches!(
                action["status"].as_str(),
                Some("failed" | "rolled_back" | "aborted")
            ),
            "{action:#}"
        );
        (action["status"] == "succeeded").then(|| action["id"].as_str().unwrap().to_owned())
    })
    .await
}

/// Returns the parameters of a call of an emulator's query protocol.
pub(crate) fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}
