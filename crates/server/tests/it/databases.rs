//! `cost_optimizer` on RDS, from what RDS itself reports to a class that fits: free memory becomes
//! used memory of the class, so that a finding can reach the default confidence, and the change is
//! executed and taken back. Databases of one name in two accounts stay two, and members of an Aurora
//! cluster are not stopped.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{Moto, RDS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, connect_account, findings_of};
use crate::unused::found;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const GIB: f64 = 1_073_741_824.0;

/// Metrics of a quiet db.m5.2xlarge, which has 32 GiB of memory, by name and level.
const QUIET: &[(&str, f64)] = &[
    ("CPUUtilization", 6.0),
    ("NetworkReceiveThroughput", 40_000.0),
    ("NetworkTransmitThroughput", 60_000.0),
    ("ReadThroughput", 20_000.0),
    ("WriteThroughput", 30_000.0),
    ("ReadIOPS", 5.0),
    ("WriteIOPS", 8.0),
    ("FreeableMemory", 27.0 * GIB),
];

/// Fifteen days of metrics about their levels.
async fn measure(moto: &Moto, database: &str, metrics: &[(&str, f64)]) {
    let now = Timestamp::now();
    for &(name, level) in metrics {
        let point = |back: i64| {
            (
                now - SignedDuration::from_mins(5 * back),
                level * (1.0 + 0.01 * (back % 5) as f64),
            )
        };
        let points: Vec<(Timestamp, f64)> = (1..=15 * 288).rev().map(point).collect();
        let dimensions = &[("DBInstanceIdentifier", database)];
        moto.metric(
            REGION,
            Metric {
                namespace: "AWS/RDS",
                name,
                unit: "None",
                dimensions,
            },
            &points,
        )
        .await
        .unwrap();
    }
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_whose_memory_is_known_reaches_the_default_confidence() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();

    for (id, metrics) in [("orders", QUIET), ("unknown", &QUIET[..1])] {
        moto.database(REGION, id, "db.m5.2xlarge", "postgres", &[])
            .await
            .unwrap();
        measure(&moto, id, metrics).await;
    }

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();

    // More than $500 a month at list price: two signatures.
    let (_, director) = admin.person("maria@acme.example", &["director"], &[]).await;
    let (_, security) = admin
        .person("sam@acme.example", &["security_analyst"], &[])
        .await;
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "cost_optimizer", "name": "Costs", "mode": "active", "learning_period": "14d",
        "auto_apply": { "enabled": false }, "reason": "fifteen days are measured",
    });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    assert_eq!(agent.body["confidence_threshold"], "85%", "{}", agent.text);

    let agent = agent.text_at("/id");
    let listed = findings_of(&admin, &agent, PATIENCE).await;

    let of = |id: &str| {
        listed
            .iter()
            .find(|one| one["resource"]["name"] == id)
            .unwrap()
            .clone()
    };
    let (known, unknown) = (of("orders"), of("unknown"));

    assert_eq!(
        (&known["type"], &known["resource"]["target_type"]),
        (&json!("right_size"), &json!("db.m5.xlarge"))
    );

    let (with, without) = (
        known["confidence"].as_f64().unwrap(),
        unknown["confidence"].as_f64().unwrap(),
    );
    assert!(
        with >= 85.0 && without <= 80.0,
        "{with} with memory, {without} without"
    );

    let path = format!(
        "intelligence/recommendations/{}",
        known["id"].as_str().unwrap()
    );
    // The change and its way back may take ninety minutes, more than the budget of 99.9 % has in a
    // month.
    let refused = admin
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": known["plan"]["hash"] }),
        )
        .await;

    assert!(
        refused.status == 409 && refused.text.contains("availability.min_uptime"),
        "{}",
        refused.text
    );

    let mut guardrails = admin.get("intelligence/guardrails").await.expect(200).body;
    guardrails["availability"]["min_uptime"] = json!("99.5%");
    let _ = admin
        .put("intelligence/guardrails", guardrails)
        .await
        .expect(200);
    let asked = admin
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": known["plan"]["hash"] }),
        )
        .await
        .expect(202);
    let approval = format!("intelligence/approvals/{}", asked.text_at("/approval_id"));

    for signer in [&director, &security] {
        let _ = signer
            .post(&format!("{approval}/approve"), json!({}))
            .await
            .expect(200);
    }

    let action = ended(&admin, "succeeded").await;
    assert_eq!(class_of_orders(&moto).await, "db.m5.xlarge");

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    assert!(admin.post(&undo, json!({})).await.status < 300);
    ended(&admin, "rolled_back").await;
    assert_eq!(class_of_orders(&moto).await, "db.m5.2xlarge");
}

/// Class of the database `orders` of an account.
async fn class_of_orders(moto: &Moto) -> String {
    let by_id = [("DBInstanceIdentifier".to_owned(), "orders".to_owned())];
    let described = moto
        .query(&RDS, REGION, "DescribeDBInstances", &by_id)
        .await
        .unwrap();
    texts(&described, "DBInstanceClass")[0].to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn databases_of_one_name_in_two_accounts_are_judged_and_changed_apart() {
    let home = tempfile::tempdir().unwrap();
    let quiet = Moto::start().await.unwrap();
    let busy = quiet.account("210987654321").unwrap();
    let work = [("CPUUtilization", 78.0), ("FreeableMemory", 3.0 * GIB)];

    for (account, metrics) in [(&quiet, QUIET), (&busy, &work[..])] {
        account
            .database(REGION, "orders", "db.m5.2xlarge", "postgres", &[])
            .await
            .unwrap();
        measure(account, "orders", metrics).await;
    }

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, director) = admin.person("maria@acme.example", &["director"], &[]).await;
    let (_, security) = admin
        .person("sam@acme.example", &["security_analyst"], &[])
        .await;
    let _ = connect(&admin, quiet.endpoint()).await;
    let _ = connect_account(&admin, quiet.endpoint(), "210987654321").await;

    let listed = admin
        .get("resources?type=database&limit=100")
        .await
        .expect(200);
    let mut ids: Vec<_> = listed
        .items()
        .iter()
        .map(|one| {
            (
                one["account"].as_str().unwrap(),
                one["id"].as_str().unwrap(),
            )
        })
        .collect();
    ids.sort_unstable();
    let arn = |account| format!("arn:aws:rds:{REGION}:{account}:db:orders");
    assert_eq!(
        ids,
        [
            ("123456789012", arn("123456789012").as_str()),
            ("210987654321", arn("210987654321").as_str()),
        ]
    );

    let findings = found(&admin, "cost_optimizer").await;
    let smaller: Vec<&Value> = findings
        .iter()
        .filter(|finding| finding["type"] == "right_size")
        .collect();
    assert!(
        smaller.len() == 1 && smaller[0]["resource"]["id"] == arn("123456789012"),
        "only the quiet one becomes smaller: {smaller:?}"
    );

    let mut guardrails = admin.get("intelligence/guardrails").await.expect(200).body;
    guardrails["availability"]["min_uptime"] = json!("99.5%");
    let _ = admin
        .put("intelligence/guardrails", guardrails)
        .await
        .expect(200);
    let path = format!(
        "intelligence/recommendations/{}/execute",
        smaller[0]["id"].as_str().unwrap()
    );
    let asked = admin
        .post(&path, json!({ "plan_hash": smaller[0]["plan"]["hash"] }))
        .await
        .expect(202);
    for signer in [&director, &security] {
        let approval = format!(
            "intelligence/approvals/{}/approve",
            asked.text_at("/approval_id")
        );
        let _ = signer.post(&approval, json!({})).await.expect(200);
    }

    let _ = ended(&admin, "succeeded").await;
    assert_eq!(class_of_orders(&quiet).await, "db.m5.xlarge");
    assert_eq!(class_of_orders(&busy).await, "db.m5.2xlarge");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_member_of_aurora_is_not_stopped_where_a_database_of_its_own_is() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let parameter = |name: &str, value: &str| (name.to_owned(), value.to_owned());

    let cluster = [
        parameter("DBClusterIdentifier", "shop"),
        parameter("Engine", "aurora-postgresql"),
        parameter("MasterUsername", "keeper"),
        parameter("MasterUserPassword", "not-a-secret"),
    ];
    moto.query(&RDS, REGION, "CreateDBCluster", &cluster)
        .await
        .unwrap();
    let reader = [
        parameter("DBInstanceIdentifier", "shop-reader"),
        parameter("DBInstanceClass", "db.r5.large"),
        parameter("Engine", "aurora-postgresql"),
        parameter("DBClusterIdentifier", "shop"),
    ];
    moto.query(&RDS, REGION, "CreateDBInstance", &reader)
        .await
        .unwrap();
    moto.database(REGION, "leftover", "db.r5.large", "postgres", &[])
        .await
        .unwrap();
    let idle = [("CPUUtilization", 1.5), ("DatabaseConnections", 0.0)];
    for database in ["shop-reader", "leftover"] {
        measure(&moto, database, &idle).await;
    }

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;

    let findings = found(&admin, "cost_optimizer").await;
    let stopped: Vec<_> = findings
        .iter()
        .filter(|finding| finding["plan"]["change"]["name"] == "stop_database")
        .map(|finding| finding["resource"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(stopped, ["leftover"], "{findings:?}");
    assert!(
        findings
            .iter()
            .all(|finding| finding["resource"]["name"] != "shop-reader"),
        "no standby is added to it either: its cluster replicates"
    );

    let listed = admin
        .get("resources?type=database&limit=100")
        .await
        .expect(200);
    let reader = listed
        .items()
        .iter()
        .find(|one| one["name"] == "shop-reader")
        .unwrap();
    assert_eq!(
        reader["protections"][0]["code"], "cluster_member",
        "{reader}"
    );
}
