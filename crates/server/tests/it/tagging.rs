//! A required tag over HTTP on moto: proposed with the value of the machine's volume, tried on the
//! simulated twin, applied, undone.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::{EC2, Moto};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// Returns the machine as the cloud describes it.
pub(crate) async fn described(moto: &Moto, machine: &str) -> String {
    moto.query(
        &EC2,
        REGION,
        "DescribeInstances",
        &[("InstanceId.1".to_owned(), machine.to_owned())],
    )
    .await
    .unwrap()
}

/// Configures an agent that requires tags, and has it run; its report.
pub(crate) async fn run(admin: &Api, required: &str) -> Value {
    let agent = json!({
        "agent_type": "cost_optimizer", "name": "Allocation", "mode": "safe_mode",
        "settings": { "required_tags": required }, "reason": "a test",
    });
    let made = admin.post("intelligence/agents", agent).await.expect(201);
    assert_eq!(made.body["settings"]["required_tags"], required);

    let path = format!("intelligence/agents/{}/run", made.text_at("/id"));
    // A new agent is due at once: the schedule's own run may be in progress.
    until("the agent ran", PATIENCE, || async {
        let answer = admin.post(&path, json!({})).await;
        (answer.status == 200).then_some(answer.body)
    })
    .await
}

async fn ended(admin: &Api, purpose: &str, status: &str) -> Value {
    until("the action ended", PATIENCE, || async {
        let actions = admin.get("intelligence/actions").await.expect(200);
        let action = actions
            .items()
            .iter()
            .find(|action| action["purpose"] == purpose)?
            .clone();
        (action["status"] == status).then_some(action)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_tag_is_proposed_applied_and_taken_back() {
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "web")])
        .await
        .unwrap()
        .remove(0);

    let _ = moto
        .volume(REGION, "gp3", 40, Some(&machine), &[("Owner", "payments")])
        .await
        .unwrap();
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let refused = json!({ "agent_type": "cost_optimizer", "name": "x", "settings": { "required_tags": ["Owner"] } });
    let _ = admin
        .post("intelligence/agents", refused)
        .await
        .problem(422, "invalid_fields");
    let report = run(&admin, "Owner, CostCenter").await;
    assert_eq!(report["error"], Value::Null, "{report}");

    let found = admin.get("intelligence/recommendations").await.expect(200);
    let tagging = found
        .items()
        .iter()
        .find(|one| one["kind"] == "resource_tagging")
        .unwrap_or_else(|| panic!("{}", found.text));

    assert_eq!(
        (&tagging["type"], &tagging["title"]),
        (&Value::Null, &json!("Tag web with Owner=payments"))
    );
    assert_eq!(tagging["impact_level"], "low");
    assert_eq!(tagging["plan"]["change"]["name"], "tag_resource");

    let path = format!(
        "intelligence/recommendations/{}",
        tagging["id"].as_str().unwrap()
    );

    let _ = admin.post(&format!("{path}/test"), json!({})).await;
    // A trial on the twin ends with its own rollback.
    ended(&admin, "simulate", "rolled_back").await;
    assert!(
        !described(&moto, &machine)
            .await
            .contains("<key>Owner</key>"),
        "a test touches nothing"
    );

    let begun = admin
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": tagging["plan"]["hash"] }),
        )
        .await;
    assert!(begun.status < 300, "{}", begun.text);

    let action = ended(&admin, "apply", "succeeded").await;
    let tagged = described(&moto, &machine).await;
    assert!(
        tagged.contains("<key>Owner</key>") && tagged.contains("<value>payments</value>"),
        "{tagged}"
    );

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    assert!(admin.post(&undo, json!({})).await.status < 300);
    ended(&admin, "apply", "rolled_back").await;
    assert!(
        !described(&moto, &machine)
            .await
            .contains("<key>Owner</key>"),
        "the tag is gone again"
    );

    let story = format!(
        "audit-logs?query=metadata.recommendation_id:{}&limit=100",
        tagging["id"].as_str().unwrap()
    );
    let recorded = admin.get(&story).await.expect(200);
    let of = |change: &str| {
        recorded
            .items()
            .iter()
            .filter(|entry| entry["metadata"]["change"] == change)
            .count()
    };

    assert!(
        of("tag_resource") > 4,
        "each step is an entry: {}",
        recorded.text
    );

    let tags = recorded
        .items()
        .iter()
        .filter(|entry| entry["event_type"] == "resource.tag")
        .count();

    assert_eq!(
        tags, 4,
        "intent and outcome of tagging and of its rollback: {}",
        recorded.text
    );
}
