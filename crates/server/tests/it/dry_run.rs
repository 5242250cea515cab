//! Pages that a person reads before a change is allowed: the dry run of an agent, and the policy of
//! a connection.

use std::time::Duration;

use reeve_testkit::http::{Answer, Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// Connects an account and runs an agent that requires tags until it has a recommendation; the
/// agent's identifier.
async fn agent_with_a_finding(admin: &Api, moto: &Moto) -> String {
    let _ = connect(admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "cost_optimizer", "name": "Allocation", "mode": "safe_mode",
        "settings": { "required_tags": "Owner" }, "reason": "a test",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    until("the agent found something", PATIENCE, || async {
        let _ = admin
            .post(&format!("intelligence/agents/{agent}/run"), json!({}))
            .await;
        let found = admin
            .get("intelligence/recommendations?status=open")
            .await
            .expect(200);
        found
            .items()
            .iter()
            .any(|one| one["kind"] == "resource_tagging")
            .then_some(())
    })
    .await;

    agent
}

/// Returns the decision of a dry run on the missing tag: outcome and reason.
fn decision(preview: &Answer) -> (&str, Option<&str>) {
    let item = preview
        .items()
        .iter()
        .find(|item| item["title"] == "Tag web with Owner=payments");
    let item = item.unwrap_or_else(|| panic!("{}", preview.text));
    (item["outcome"].as_str().unwrap(), item["reason"].as_str())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_decides_under_other_settings_and_changes_nothing() {
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
    let agent = agent_with_a_finding(&admin, &moto).await;
    let before = admin
        .get(&format!("intelligence/agents/{agent}"))
        .await
        .expect(200);
    let path = format!("intelligence/agents/{agent}/preview");

    let own = admin.get(&path).await.expect(200);
    assert_eq!(
        (&own.body["mode"], &own.body["auto_apply"]),
        (&json!("safe_mode"), &json!(false))
    );
    assert_eq!(
        decision(&own),
        ("left_to_people", Some("auto_apply_disabled"))
    );

    let learning = admin
        .get(&format!("{path}?mode=learning&auto_apply=true"))
        .await
        .expect(200);
    assert_eq!(
        decision(&learning),
        ("left_to_people", Some("mode_learning"))
    );

    let active = admin
        .get(&format!(
            "{path}?mode=active&auto_apply=true&max_impact=high"
        ))
        .await
        .expect(200);

    assert_eq!(
        decision(&active),
        ("left_to_people", Some("learning_period")),
        "{}",
        active.text
    );

    for (query, field) in [
        ("mode=eager", "mode"),
        ("max_impact=huge", "max_impact"),
        ("auto_apply=maybe", "auto_apply"),
    ] {
        let refused = admin
            .get(&format!("{path}?{query}"))
            .await
            .problem(422, "invalid_fields");
        assert_eq!(
            refused.text_at("/errors/0/field"),
            field,
            "{}",
            refused.text
        );
    }

    let _ = admin
        .get("intelligence/agents/nowhere/preview")
        .await
        .problem(404, "not_found");
    let after = admin
        .get(&format!("intelligence/agents/{agent}"))
        .await
        .expect(200);
    assert_eq!(
        after.body["mode"], before.body["mode"],
        "a dry run configures nothing"
    );
    assert_eq!(after.body["auto_apply"], before.body["auto_apply"]);
    assert!(
        admin
            .get("intelligence/actions")
            .await
            .expect(200)
            .items()
            .is_empty(),
        "a dry run executes nothing"
    );

    assert!(
        admin
            .get("intelligence/approvals")
            .await
            .expect(200)
            .items()
            .is_empty(),
        "a dry run requests nothing"
    );
}

/// Returns the names of a policy's statements.
fn statements(answer: &Answer) -> Vec<&str> {
    assert_eq!(answer.body["policy"]["Version"], "2012-10-17");
    let list = answer.body["policy"]["Statement"].as_array().unwrap();
    list.iter()
        .map(|statement| statement["Sid"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_policy_of_a_connection_has_a_statement_for_each_change() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "connections/policy/aws";

    let reading = admin
        .get(&format!("{path}?observe_only=true"))
        .await
        .expect(200);
    assert_eq!(statements(&reading), ["ReeveReads"]);

    let reads = &reading.body["policy"]["Statement"][0]["Action"];
    assert!(
        reads
            .as_array()
            .unwrap()
            .contains(&Value::from("ec2:DescribeInstances")),
        "{reads}"
    );

    let all = admin.get(path).await.expect(200);
    let names = statements(&all);
    assert!(
        names.len() > 2
            && names.contains(&"ReeveStopMachine")
            && names.contains(&"ReeveTagResource"),
        "{names:?}"
    );

    let one = admin
        .get(&format!("{path}?changes=tag_resource"))
        .await
        .expect(200);
    assert_eq!(statements(&one), ["ReeveReads", "ReeveTagResource"]);

    let refused = admin
        .get(&format!("{path}?changes=reboot_everything"))
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "changes");
    assert!(
        refused.text_at("/detail").contains("stop_machine"),
        "the offered changes are named: {}",
        refused.text
    );

    let reader = Api::new(service.url()).get(path).await;
    let _ = reader.problem(401, "unauthenticated");
}
