//! Probable causes over HTTP: a change of a shared security group is named as the likely cause of
//! what three machines behind it show at once, with the entry of the log for those who may see it;
//! a lone anomaly without a change is inconclusive. The map names the source of each dependency.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, pairs};

const PATIENCE: Duration = Duration::from_secs(300);
const REGION: &str = "us-east-1";
/// Age of the shift of the machines, and of the change before it, in minutes.
const SHIFTED: i64 = 40;
const CHANGED: i64 = 48;

/// Three weeks of CPU of a machine, which shifts once.
async fn measure(moto: &Moto, machine: &str, shifted_minutes: i64) {
    let now = Timestamp::now();
    let points: Vec<(Timestamp, f64)> = (1..=21 * 288)
        .rev()
        .map(|back| {
            let level = if 5 * back <= shifted_minutes {
                83.0
            } else {
                22.0
            };
            let at = now - SignedDuration::from_mins(5 * back);
            (at, level + (back % 7) as f64 / 3.0)
        })
        .collect();
    let metric = Metric {
        namespace: "AWS/EC2",
        name: "CPUUtilization",
        unit: "Percent",
        dimensions: &[("InstanceId", machine)],
    };
    moto.metric(REGION, metric, &points).await.unwrap();
}

/// The anomaly of a machine once its probable cause was judged.
async fn judged(reader: &Api, machine: &str) -> Value {
    let path = format!("intelligence/anomalies?type=performance&resource={machine}");
    until("the probable cause", PATIENCE, async || {
        let all = reader.get(&path).await.expect(200);
        let found = all.items().first()?.clone();
        found["investigation"]["probable_cause"]
            .is_object()
            .then_some(found)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_before_three_dependents_shift_is_named_and_a_lone_shift_is_inconclusive() {
    let moto = Moto::start().await.unwrap();
    let machines = moto
        .machines(REGION, "m5.large", 4, &[("Name", "web")])
        .await
        .unwrap();
    let (lone, behind) = machines.split_last().unwrap();
    let (network, _) = moto.network(REGION).await.unwrap();
    let shared = moto.security_group(REGION, &network, "shop").await.unwrap();
    let own = moto.security_group(REGION, &network, "own").await.unwrap();
    for machine in &machines {
        let group = if machine == lone { &own } else { &shared };
        let wanted = [
            ("InstanceId", machine.as_str()),
            ("GroupId.1", group.as_str()),
        ];
        moto.query(&EC2, REGION, "ModifyInstanceAttribute", &pairs(&wanted))
            .await
            .unwrap();
        let shifted = if machine == lone { 150 } else { SHIFTED };
        measure(&moto, machine, shifted).await;
    }
    let described = moto
        .query(
            &EC2,
            REGION,
            "DescribeInstances",
            &pairs(&[("InstanceId.1", behind[0].as_str())]),
        )
        .await
        .unwrap();
    assert!(
        texts(&described, "groupId").contains(&shared.as_str()),
        "{described}"
    );

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, operator) = admin.person("olga@example.com", &["operator"], &[]).await;
    let entry = json!({
        "event_type": "resource.update",
        "timestamp": (Timestamp::now() - SignedDuration::from_mins(CHANGED)).to_string(),
        "actor": { "type": "user", "id": "AIDA1", "email": "ann@example.com" },
        "resource": { "type": "security_group", "id": shared },
        "action": { "operation": "RevokeSecurityGroupEgress", "status": "success", "method": "console" },
    });
    let _ = admin.post("audit-logs", json!([entry])).await.expect(201);
    connect(&admin, moto.endpoint()).await;

    // The judgement of one machine may come before the others were judged, not before they were measured.
    let found = judged(&admin, &behind[0]).await;
    let cause = &found["investigation"]["probable_cause"];
    let first = &cause["candidates"][0];
    assert_eq!(
        (&cause["grade"], &first["resource_id"]),
        (&json!("likely"), &json!(shared)),
        "{cause:#}"
    );
    let change = &first["changes"][0];
    assert!(
        change["text"]
            .as_str()
            .unwrap()
            .starts_with("ann@example.com called RevokeSecurityGroupEgress on it at "),
        "{cause:#}"
    );
    assert!(change["event_id"].is_string(), "{change}");
    assert!(
        first["reasons"][0]
            .as_str()
            .unwrap()
            .starts_with("3 of 3 deviating resources depend on it"),
        "{cause:#}"
    );
    assert!(
        !cause["statement"].as_str().unwrap().contains('%'),
        "{cause:#}"
    );

    // Without the right to see the entry nothing tells of it.
    let path = format!("intelligence/anomalies/{}", found["id"].as_str().unwrap());
    let blind = operator.get(&path).await.expect(200);
    let hidden = &blind.body["investigation"]["probable_cause"];
    assert_eq!(hidden["grade"], "inconclusive", "{hidden:#}");
    assert!(
        !blind.text.contains("RevokeSecurityGroupEgress"),
        "{}",
        blind.text
    );

    // The record stays as it was judged.
    let again = admin.get(&path).await.expect(200);
    assert_eq!(again.body["investigation"]["probable_cause"], *cause);
    let logged = admin
        .get("audit-logs?query=operation:anomaly.investigate")
        .await
        .expect(200);
    assert!(
        logged.text.contains("\"probable_cause\""),
        "{}",
        logged.text
    );

    let alone = judged(&admin, lone).await;
    let cause = &alone["investigation"]["probable_cause"];
    assert_eq!(cause["grade"], "inconclusive", "{cause:#}");
    let candidates = cause["candidates"].as_array().unwrap();
    assert!(
        candidates.iter().all(|one| one["changes"] == json!([])),
        "{cause:#}"
    );

    map(&admin, &operator, (&behind[0], &shared)).await;
}

/// The map of a machine: its group is declared, and a bad request is refused by field.
async fn map(admin: &Api, operator: &Api, (machine, group): (&str, &str)) {
    let path = format!("intelligence/dependencies?resource={machine}");
    let found = operator.get(&path).await.expect(200);
    assert_eq!(found.body["center"], machine);
    let edges = found.body["edges"].as_array().unwrap();
    let own = edges
        .iter()
        .find(|edge| edge["dependent"] == machine && edge["dependency"] == group)
        .unwrap_or_else(|| panic!("{:#}", found.body));
    assert_eq!(own["standing"], "declared");
    assert_eq!(
        (&own["evidence"][0]["source"], &own["evidence"][0]["detail"]),
        (&json!("relation"), &json!("protected by"))
    );
    assert!(own["evidence"][0]["last_at"].is_string(), "{own:#}");

    for (query, field) in [
        ("", "resource"),
        ("resource=x&hops=4", "hops"),
        ("resource=x&limit=1", "limit"),
    ] {
        let refused = admin
            .get(&format!("intelligence/dependencies?{query}"))
            .await;
        assert_eq!(
            refused
                .problem(422, "invalid_fields")
                .text_at("/errors/0/field"),
            field
        );
    }
    let _ = admin
        .get("intelligence/dependencies?resource=i-none")
        .await
        .problem(404, "not_found");
}
