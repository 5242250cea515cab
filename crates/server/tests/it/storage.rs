//! `storage_optimizer` from the cloud's metrics to a volume of another type, with what the log says
//! of it.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::findings_of;

const REGION: &str = "us-east-1";

/// Fifteen days of a volume's CloudWatch metrics: sums over five minutes.
async fn measure(moto: &Moto, volume: &str, operations_per_s: f64) {
    let now = Timestamp::now();
    let sums = |per_second: f64| -> Vec<(Timestamp, f64)> {
        let backs = (1..=15 * 288).rev();
        backs
            .map(|back| {
                (
                    now - SignedDuration::from_mins(5 * back),
                    per_second * 300.0,
                )
            })
            .collect()
    };

    let bytes = operations_per_s * 16_384.0;
    for (name, unit, per_second) in [
        ("VolumeReadOps", "Count", operations_per_s * 0.4),
        ("VolumeWriteOps", "Count", operations_per_s * 0.6),
        ("VolumeReadBytes", "Bytes", bytes * 0.4),
        ("VolumeWriteBytes", "Bytes", bytes * 0.6),
    ] {
        let metric = Metric {
            namespace: "AWS/EBS",
            name,
            unit,
            dimensions: &[("VolumeId", volume)],
        };
        moto.metric(REGION, metric, &sums(per_second))
            .await
            .unwrap();
    }
}

async fn connect(admin: &Api, endpoint: &str) {
    let made = admin
        .post(
            "connections",
            json!({
                "name": "acme-production", "provider": "aws", "regions": [REGION], "endpoint": endpoint,
                "allow_actions": true,
                "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG" },
            }),
        )
        .await
        .expect(201);
    let path = format!("connections/{}", made.text_at("/id"));
    let begun = admin.post(&format!("{path}/sync"), json!({})).await;
    assert!(matches!(begun.status, 202 | 409), "{}", begun.text);

    until(
        "the connection is ready",
        Duration::from_secs(120),
        || async {
            let now = admin.get(&path).await.expect(200).body;
            (now["status"] == "ready" && now["last_sync"].is_object()).then_some(())
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gp2_volume_becomes_gp3_while_it_is_in_use() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "reports")])
        .await
        .unwrap()
        .remove(0);

    let old = moto
        .volume(
            REGION,
            "gp2",
            500,
            Some(&machine),
            &[("Name", "reports-data")],
        )
        .await
        .unwrap();

    let busy = moto
        .volume(
            REGION,
            "gp2",
            500,
            Some(&machine),
            &[("Name", "no-metrics")],
        )
        .await
        .unwrap();

    measure(&moto, &old, 250.0).await;

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "storage_optimizer", "name": "Storage", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": false }, "reason": "fifteen days are measured",
        "settings": { "analyze_use": { "headroom": "50%" } },
    });

    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    let found = findings_of(&admin, &agent, Duration::from_secs(60)).await;
    let [one] = found.as_slice() else {
        panic!("{found:#?}")
    };

    assert_eq!(
        (&one["type"], &one["rule"]),
        (&json!("storage_optimization"), &json!("convert_gp2"))
    );
    assert_eq!(
        one["resource"]["id"],
        old.as_str(),
        "{busy} was not measured"
    );
    assert_eq!(one["savings"]["monthly"], 10.0, "500 GiB at $0.02 less");
    assert_eq!(one["plan"]["reversible"], false);
    assert!(one["confidence"].as_f64().unwrap() >= 80.0, "{one:#}");

    let id = one["id"].as_str().unwrap();
    let path = format!("intelligence/recommendations/{id}");
    let asked = admin
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": one["plan"]["hash"] }),
        )
        .await
        .expect(202);

    assert_ne!(
        asked.body["status"], "pending_approval",
        "a low impact needs nobody's signature: {}",
        asked.text
    );

    let action = until("the action ended", Duration::from_secs(120), || async {
        let actions = admin
            .get("intelligence/actions?limit=1000")
            .await
            .expect(200);
        let own =
            |action: &&Value| action["recommendation_id"] == id && action["purpose"] == "apply";
        let action = actions.items().iter().find(own)?.clone();
        let status = action["status"].as_str().unwrap();
        assert!(matches!(status, "running" | "succeeded"), "{action:#}");
        (status == "succeeded").then_some(action)
    })
    .await;

    assert!(
        action["steps"]
            .as_array()
            .unwrap()
            .iter()
            .all(|step| step["ok"] == true),
        "{action:#}"
    );

    let by_id = [("VolumeId.1".to_owned(), old.clone())];
    let seen = moto
        .query(&EC2, REGION, "DescribeVolumes", &by_id)
        .await
        .unwrap();
    assert_eq!(
        (texts(&seen, "volumeType"), texts(&seen, "iops")),
        (vec!["gp3"], vec!["3000"]),
        "{seen}"
    );

    let story = admin
        .get(&format!("audit-logs?query=resource.id:{old}&limit=100"))
        .await
        .expect(200);
    let changed = story
        .items()
        .iter()
        .find(|entry| entry["changes"]["after"]["volume"] == "gp3, 3000 IOPS, 125 MiB/s");
    assert!(changed.is_some(), "{}", story.text);

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    let undone = admin.post(&undo, json!({})).await;
    assert_eq!(
        undone.status, 409,
        "EBS takes no other change for six hours: {}",
        undone.text
    );
}
