//! `ops_intelligence` from the metrics of a database to storage that grew, and to a maintenance
//! window that moved and came back.

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::until;
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{Moto, RDS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{PATIENCE, applied, connect, findings_of};

const REGION: &str = "us-east-1";
const DAYS: i64 = 21;
const GIB: f64 = 1_073_741_824.0;

/// Puts three weeks of a metric of the database `orders`, a point every five minutes, by seconds
/// since the epoch.
async fn measure(moto: &Moto, name: &str, value: impl Fn(i64) -> f64) {
    let now = Timestamp::now();
    let points: Vec<(Timestamp, f64)> = (1..=DAYS * 288)
        .rev()
        .map(|back| now - SignedDuration::from_mins(5 * back))
        .map(|at| (at, value(at.as_second())))
        .collect();
    let metric = Metric {
        namespace: "AWS/RDS",
        name,
        unit: "None",
        dimensions: &[("DBInstanceIdentifier", "orders")],
    };
    moto.metric(REGION, metric, &points).await.unwrap();
}

async fn told(moto: &Moto, member: &str) -> String {
    let answer = moto
        .query(&RDS, REGION, "DescribeDBInstances", &[])
        .await
        .unwrap();
    texts(&answer, member)[0].to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn storage_grows_before_it_is_full_and_a_maintenance_window_moves() {
    let moto = Moto::start().await.unwrap();
    moto.database(REGION, "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let size: f64 = told(&moto, "AllocatedStorage").await.parse().unwrap();
    let end = Timestamp::now().as_second();
    // Two points of a hundred a day, to 92 % now.
    measure(&moto, "FreeStorageSpace", |at| {
        let days = (end - at) as f64 / 86_400.0;
        GIB * size * (0.08 + 0.02 * days)
    })
    .await;
    // Busy always, but for two hours of one day, half a week from now.
    let quiet = (end / 3600 + 84) % 168;
    measure(&moto, "CPUUtilization", |at| {
        let hour = at.div_euclid(3600) % 168;
        if (hour - quiet).rem_euclid(168) < 2 {
            2.0
        } else {
            60.0
        }
    })
    .await;

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "ops_intelligence", "name": "Operations", "mode": "safe_mode", "learning_period": "14d",
        "confidence_threshold": "50%", "auto_apply": { "enabled": false }, "reason": "three weeks are measured",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    let found = findings_of(&admin, &agent, PATIENCE).await;
    let planned = |name: &str| -> Value {
        let one = found
            .iter()
            .find(|one| one["plan"]["change"]["name"] == name);
        one.unwrap_or_else(|| panic!("{name}: {found:#?}")).clone()
    };

    // One database, changed twice.
    let mut guardrails = admin.get("intelligence/guardrails").await.expect(200).body;
    guardrails["cool_down"] = json!("0m");
    guardrails.as_object_mut().unwrap().remove("cool_down_s");
    let _ = admin
        .put("intelligence/guardrails", guardrails)
        .await
        .expect(200);

    let window = planned("move_database_maintenance");
    let before = told(&moto, "PreferredMaintenanceWindow").await;
    let action = applied(&admin, &window).await;
    let after = told(&moto, "PreferredMaintenanceWindow").await;
    assert_ne!(before, after);
    let undo = format!("intelligence/actions/{action}/rollback");
    let _ = admin.post(&undo, json!({})).await.expect(202);
    until("the window is back", PATIENCE, || async {
        (told(&moto, "PreferredMaintenanceWindow").await == before).then_some(())
    })
    .await;
    let path = format!("intelligence/actions/{action}");
    until("the rollback has ended", PATIENCE, || async {
        let action = admin.get(&path).await.expect(200).body;
        (action["status"] == "rolled_back").then_some(())
    })
    .await;

    let action = applied(&admin, &planned("grow_storage")).await;
    let grown: f64 = told(&moto, "AllocatedStorage").await.parse().unwrap();
    assert!(grown >= size * 1.25, "from {size} to {grown} GiB");
    // Storage does not shrink again.
    let undo = format!("intelligence/actions/{action}/rollback");
    let _ = admin.post(&undo, json!({})).await.expect(409);
}
