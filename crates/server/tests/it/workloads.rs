//! `workload_classifier` from the cloud's metrics to a class, a correction that teaches resources
//! alike, and a finding that is executed and rolled back.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{AUTOSCALING, EC2, Moto, RDS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, findings_of};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// Sixteen days of a machine that people use in office hours, and that is quiet at nights and on
/// weekends.
async fn measure(moto: &Moto, machine: &str) {
    let now = Timestamp::now();
    let cpu = |at: Timestamp| {
        let (hour, day) = (
            at.as_second() % 86_400 / 3600,
            (at.as_second() / 86_400 + 3) % 7,
        );
        if day < 5 && (8..18).contains(&hour) {
            30.0 + (at.as_second() / 300 % 7) as f64
        } else {
            3.0
        }
    };

    let points = |factor: f64| -> Vec<(Timestamp, f64)> {
        let backs = (1..=16 * 288).rev();
        let at = |back: i64| now - SignedDuration::from_mins(5 * back);
        backs
            .map(|back| (at(back), factor * cpu(at(back))))
            .collect()
    };

    // Network metrics are sums over five minutes.
    for (name, unit, factor) in [
        ("CPUUtilization", "Percent", 1.0),
        ("NetworkIn", "Bytes", 600_000.0),
        ("NetworkOut", "Bytes", 600_000.0),
    ] {
        let metric = Metric {
            namespace: "AWS/EC2",
            name,
            unit,
            dimensions: &[("InstanceId", machine)],
        };
        moto.metric(REGION, metric, &points(factor)).await.unwrap();
    }
}

async fn workload(admin: &Api, resource: &str) -> Value {
    admin
        .get(&format!("resources/{}/workload", encoded(resource)))
        .await
        .expect(200)
        .body
}

async fn correct(admin: &Api, resource: &str, class: &str) -> Value {
    let path = format!("resources/{}/workload", encoded(resource));
    admin
        .put(
            &path,
            json!({ "class": class, "comment": "the team says so" }),
        )
        .await
        .expect(200)
        .body
}

async fn ended(admin: &Api, status: &str) -> Value {
    until("the action ended", PATIENCE, || async {
        let actions = admin.get("intelligence/actions").await.expect(200);
        let action = actions
            .items()
            .iter()
            .find(|action| action["purpose"] == "apply")?
            .clone();
        (action["status"] == status).then_some(action)
    })
    .await
}

/// Identifier of the only resource of a kind.
async fn only(admin: &Api, kind: &str) -> String {
    let listed = admin
        .get(&format!("resources?type={kind}"))
        .await
        .expect(200);
    let [one] = listed.items() else {
        panic!("{}", listed.text)
    };

    one["id"].as_str().unwrap().to_owned()
}

async fn agent(admin: &Api) -> String {
    let agent = json!({
        "agent_type": "workload_classifier", "name": "Workloads", "mode": "safe_mode", "learning_period": "14d",
        "confidence_threshold": "60%", "auto_apply": { "enabled": false }, "reason": "sixteen days are measured",
        "settings": { "apply_best_practices": { "schedule_tag": "Schedule=office-hours" } },
    });
    let wrong = json!({ "agent_type": "workload_classifier", "name": "x", "settings": { "pattern_recognition": { "history": "3d" } } });
    let _ = admin
        .post("intelligence/agents", wrong)
        .await
        .problem(422, "invalid_fields");

    admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_development_machine_is_found_and_scheduled_and_taken_back() {
    let moto = Moto::start().await.unwrap();
    let lab = moto
        .machines(
            REGION,
            "m5.large",
            1,
            &[("Name", "lab"), ("env", "development")],
        )
        .await
        .unwrap()
        .remove(0);
    measure(&moto, &lab).await;

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = agent(&admin).await;
    let found = findings_of(&admin, &agent, PATIENCE).await;
    let [one] = found.as_slice() else {
        panic!("{found:#?} {:#}", workload(&admin, &lab).await)
    };

    assert_eq!(
        (&one["type"], &one["rule"]),
        (
            &json!("idle_resource_cleanup"),
            &json!("apply_best_practices")
        )
    );

    assert_eq!(one["plan"]["change"]["name"], "tag_resource");
    // M5.large at $0.096 an hour, for 108 of 168 hours.
    assert_eq!(one["savings"]["monthly"], 45.05, "{one:#}");

    let judged = workload(&admin, &lab).await;
    assert_eq!(judged["class"], "development", "{judged:#}");

    let signals: Vec<&str> = judged["signals"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|signal| signal["name"].as_str())
        .collect();

    assert!(
        signals.contains(&"tag env") && signals.contains(&"shape of the metrics"),
        "{signals:?}"
    );

    let path = format!(
        "intelligence/recommendations/{}",
        one["id"].as_str().unwrap()
    );
    let begun = admin
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": one["plan"]["hash"] }),
        )
        .await
        .expect(202);

    assert_ne!(
        begun.body["status"], "pending_approval",
        "a low impact needs nobody's signature: {}",
        begun.text
    );

    let action = ended(&admin, "succeeded").await;
    let described = async || {
        moto.query(
            &EC2,
            REGION,
            "DescribeInstances",
            &[("InstanceId.1".to_owned(), lab.clone())],
        )
        .await
        .unwrap()
    };

    assert!(
        described().await.contains("<value>office-hours</value>"),
        "{}",
        described().await
    );

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    assert!(admin.post(&undo, json!({})).await.status < 300);
    ended(&admin, "rolled_back").await;
    assert!(
        !described().await.contains("<key>Schedule</key>"),
        "the tag is gone again"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corrections_decide_and_teach_resources_alike() {
    let moto = Moto::start().await.unwrap();
    let machine = async |name: &str, team: &str| {
        moto.machines(REGION, "m5.large", 1, &[("Name", name), ("team", team)])
            .await
            .unwrap()
            .remove(0)
    };

    let (first, second, third) = (
        machine("scoring-1", "risk").await,
        machine("scoring-2", "risk").await,
        machine("scoring-3", "risk").await,
    );

    for team in ["shop", "mail", "search", "ledger"] {
        machine(&format!("{team}-1"), team).await;
    }

    moto.scaling_group(REGION, "gateway", "m5.large", 2)
        .await
        .unwrap();
    moto.group_bounds(REGION, "gateway", 1, 4).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = agent(&admin).await;
    assert!(
        findings_of(&admin, &agent, PATIENCE).await.is_empty(),
        "nothing is known of them"
    );

    let before = workload(&admin, &third).await;
    assert_eq!(
        (&before["class"], &before["unclassified"]["code"]),
        (&Value::Null, &json!("thin_data")),
        "{before:#}"
    );

    let path = format!("resources/{first}/workload");
    let wrong = admin.put(&path, json!({ "class": "jobs" })).await;
    assert!(
        wrong
            .problem(422, "invalid_fields")
            .text
            .contains("production, development, batch, analytics")
    );

    let _ = admin.delete(&path).await.problem(404, "not_found");
    let corrected = correct(&admin, &first, "batch").await;
    assert_eq!(
        (&corrected["class"], &corrected["correction"]["comment"]),
        (&json!("batch"), &json!("the team says so"))
    );
    correct(&admin, &second, "batch").await;
    let recorded = admin
        .get(&format!(
            "audit-logs?query=resource.id:{first}+operation:workload.correct"
        ))
        .await
        .expect(200);
    let changes = &recorded.items()[0]["changes"];

    assert_eq!(
        (
            &changes["before"]["workload"],
            &changes["after"]["workload"]
        ),
        (&Value::Null, &json!("batch"))
    );

    // Both corrections share team and name, so that each is predicted by the other.
    let model = until("the model serves", PATIENCE, || async {
        let listed = admin
            .get(&format!("intelligence/models?agent={agent}&limit=100"))
            .await
            .expect(200);
        listed
            .items()
            .iter()
            .find(|model| model["name"] == "workload" && model["status"] == "serving")
            .cloned()
    })
    .await;

    assert_eq!(
        (&model["type"], &model["accuracy"]),
        (&json!("classification"), &json!(100.0)),
        "{model:#}"
    );
    findings_of(&admin, &agent, PATIENCE).await;
    let after = workload(&admin, &third).await;
    assert_eq!(after["class"], "batch", "{after:#}");
    assert_eq!(after["signals"][0]["name"], "learned from corrections");

    let listed = admin
        .get("resources?query=workload:batch")
        .await
        .expect(200);
    assert_eq!(listed.items().len(), 3, "{}", listed.text);

    let group = only(&admin, "scaling_group").await;
    correct(&admin, &group, "production").await;
    let found = findings_of(&admin, &agent, PATIENCE).await;
    let one = found
        .iter()
        .find(|one| one["kind"] == "high_availability")
        .unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(
        (&one["type"], &one["plan"]["change"]["name"]),
        (&Value::Null, &json!("resize_group"))
    );
    assert_eq!(one["confidence"], 99.0);

    let taken_back = admin
        .delete(&format!("resources/{}/workload", encoded(&group)))
        .await
        .expect(200)
        .body;
    assert!(taken_back.get("correction").is_none(), "{taken_back:#}");
}

/// The action of a recommendation once it has a status.
async fn action_in(admin: &Api, recommendation: &Value, status: &str) -> Value {
    until("the action is there", PATIENCE, || async {
        let actions = admin
            .get("intelligence/actions?limit=1000")
            .await
            .expect(200);
        let own = |action: &&Value| {
            action["recommendation_id"] == *recommendation && action["purpose"] == "apply"
        };
        actions
            .items()
            .iter()
            .find(own)
            .filter(|action| action["status"] == status)
            .cloned()
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_and_a_second_member_are_added_and_taken_back() {
    let moto = Moto::start().await.unwrap();
    moto.database(REGION, "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    moto.single_zone(REGION, "orders").await.unwrap();
    moto.scaling_group(REGION, "gateway", "m5.large", 2)
        .await
        .unwrap();
    moto.group_bounds(REGION, "gateway", 1, 4).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = agent(&admin).await;
    for kind in ["database", "scaling_group"] {
        correct(&admin, &only(&admin, kind).await, "production").await;
    }

    let found = findings_of(&admin, &agent, PATIENCE).await;
    let of = |change: &str| {
        let one = found
            .iter()
            .find(|one| one["plan"]["change"]["name"] == change);
        one.unwrap_or_else(|| panic!("{found:#?}")).clone()
    };

    let standby = async || {
        moto.query(&RDS, REGION, "DescribeDBInstances", &[])
            .await
            .unwrap()
    };

    let least = async || {
        moto.query(&AUTOSCALING, REGION, "DescribeAutoScalingGroups", &[])
            .await
            .unwrap()
    };

    // A standby doubles the cost, which the guardrail refuses: the exact exception that lets it
    // through is asked for and signed.
    let database = of("add_standby");
    let path = format!(
        "intelligence/recommendations/{}",
        database["id"].as_str().unwrap()
    );
    let plan = json!({ "plan_hash": database["plan"]["hash"] });
    let refused = admin.post(&format!("{path}/execute"), plan.clone()).await;
    assert!(
        refused.status == 409 && refused.text.contains("cost_impact.max_increase"),
        "{}",
        refused.text
    );

    let reason = json!({ "plan_hash": database["plan"]["hash"], "reason": "orders must survive the loss of a zone" });
    let asked = admin
        .post(&format!("{path}/exception"), reason)
        .await
        .expect(202);
    let approval = format!("intelligence/approvals/{}", asked.text_at("/id"));
    let _ = manager
        .post(&format!("{approval}/approve"), json!({}))
        .await
        .expect(200);
    let action = action_in(&admin, &database["id"], "succeeded").await;
    assert!(
        texts(&standby().await, "MultiAZ").contains(&"true"),
        "{}",
        standby().await
    );

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    assert!(admin.post(&undo, json!({})).await.status < 300);
    action_in(&admin, &database["id"], "rolled_back").await;
    assert!(
        texts(&standby().await, "MultiAZ").contains(&"false"),
        "{}",
        standby().await
    );

    let group = of("resize_group");
    let path = format!(
        "intelligence/recommendations/{}",
        group["id"].as_str().unwrap()
    );

    // Two members run already: a higher minimum costs nothing and needs no signature.
    let _ = admin
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": group["plan"]["hash"] }),
        )
        .await
        .expect(202);

    let action = action_in(&admin, &group["id"], "succeeded").await;
    assert_eq!(texts(&least().await, "MinSize"), ["2"]);

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    assert!(admin.post(&undo, json!({})).await.status < 300);
    action_in(&admin, &group["id"], "rolled_back").await;
    assert_eq!(texts(&least().await, "MinSize"), ["1"]);
}
