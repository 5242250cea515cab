//! Public addresses of machines, from the cloud's listing to what a plan says is lost: an assigned
//! one goes back to the cloud at a stop, an Elastic IP stays.

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::moto::Moto;
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::unused::found;

const REGION: &str = "us-east-1";

/// Fifteen days of an idle machine.
async fn idle(moto: &Moto, machine: &str) {
    let now = Timestamp::now();
    let metrics = [
        ("CPUUtilization", 0.2),
        ("NetworkIn", 200.0),
        ("NetworkOut", 150.0),
    ];

    for (name, level) in metrics {
        let points: Vec<(Timestamp, f64)> = (1..=15 * 288)
            .rev()
            .map(|back| (now - SignedDuration::from_mins(5 * back), level))
            .collect();
        let metric = Metric {
            namespace: "AWS/EC2",
            name,
            unit: "None",
            dimensions: &[("InstanceId", machine)],
        };
        moto.metric(REGION, metric, &points).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_names_the_address_that_it_loses_and_counts_it_as_high_impact() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::addressed().await.unwrap();
    let machines = moto.machines(REGION, "m5.large", 2, &[]).await.unwrap();
    let [assigned, kept] = machines.as_slice() else {
        panic!("two machines were started: {machines:?}")
    };
    let elastic = moto.address(REGION, "kept").await.unwrap();
    moto.associate(REGION, &elastic, kept).await.unwrap();
    for machine in [assigned, kept] {
        idle(&moto, machine).await;
    }

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let findings = found(&admin, "cost_optimizer").await;
    let stop = |machine: &str| -> &Value {
        findings
            .iter()
            .find(|finding| finding["resource"]["id"] == machine)
            .unwrap_or_else(|| panic!("{machine} is idle: {findings:?}"))
    };
    let losses = |finding: &Value| -> Vec<String> {
        finding["plan"]["losses"]
            .as_array()
            .unwrap()
            .iter()
            .map(|loss| loss["kind"].as_str().unwrap().to_owned())
            .collect()
    };

    let (loses, keeps) = (stop(assigned), stop(kept));
    assert_eq!(loses["plan"]["change"]["name"], "stop_machine", "{loses}");
    assert!(losses(loses).contains(&"address".to_owned()), "{loses}");
    assert_eq!(loses["impact_level"], json!("high"), "{loses}");

    assert_eq!(keeps["plan"]["change"]["name"], "stop_machine", "{keeps}");
    assert!(!losses(keeps).contains(&"address".to_owned()), "{keeps}");
    assert_ne!(keeps["impact_level"], json!("high"), "{keeps}");
}
