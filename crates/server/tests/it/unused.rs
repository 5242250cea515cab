//! Volumes, addresses, NAT gateways and load balancers that nothing uses, from the cloud's listings
//! and metrics to their removal: what a person signed, what the log says, and what is kept because
//! it came into use meanwhile.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Answer, Api, encoded, until};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{EC2, ELB, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, findings_of};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// Nine days of a metric that is always zero.
async fn silent(moto: &Moto, namespace: &str, name: &str, (dimension, id): (&str, &str)) {
    let now = Timestamp::now();
    let backs = (1..=9 * 288).rev();
    let points: Vec<(Timestamp, f64)> = backs
        .map(|back| (now - SignedDuration::from_mins(5 * back), 0.0))
        .collect();
    let metric = Metric {
        namespace,
        name,
        unit: "Count",
        dimensions: &[(dimension, id)],
    };

    moto.metric(REGION, metric, &points).await.unwrap();
}

/// Findings of a new agent of a type.
pub(crate) async fn found(admin: &Api, agent_type: &str) -> Vec<Value> {
    let agent = json!({
        "agent_type": agent_type, "name": "Costs", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": false }, "reason": "nine days are measured",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    findings_of(admin, &agent, PATIENCE).await
}

/// Asks for the execution of a finding.
async fn asked(admin: &Api, finding: &Value) -> Answer {
    let path = format!(
        "intelligence/recommendations/{}/execute",
        finding["id"].as_str().unwrap()
    );
    admin
        .post(&path, json!({ "plan_hash": finding["plan"]["hash"] }))
        .await
        .expect(202)
}

/// Signs the approval that an execution waits for; the approval as it is then.
async fn approve(signer: &Api, asked: &Answer) -> Answer {
    let path = format!(
        "intelligence/approvals/{}/approve",
        asked.text_at("/approval_id")
    );
    signer
        .post(&path, json!({ "comment": "agreed" }))
        .await
        .expect(200)
}

/// Asks for an execution, which waits for signatures, and has it signed by each person.
pub(crate) async fn signed(admin: &Api, signers: &[&Api], finding: &Value) {
    let asked = asked(admin, finding).await;
    assert_eq!(
        asked.body["status"], "pending_approval",
        "what is lost for good, or has a high risk, needs a signature: {}",
        asked.text
    );

    let (last, others) = signers.split_last().unwrap();
    for signer in others {
        let _ = approve(signer, &asked).await;
    }
    let signed = approve(last, &asked).await;
    assert_eq!(signed.body["status"], "approved", "{}", signed.text);
}

/// Executes a finding, with a manager's signature where its impact needs one.
pub(crate) async fn execute(admin: &Api, manager: &Api, finding: &Value) {
    let asked = asked(admin, finding).await;
    if asked.body["status"] == "pending_approval" {
        let _ = approve(manager, &asked).await;
    }
}

/// Asks for the rollback of an action and waits until it is done.
pub(crate) async fn rolled_back(admin: &Api, action: &Value, patience: Duration) {
    let path = format!("intelligence/actions/{}", action["id"].as_str().unwrap());
    let _ = admin
        .post(&format!("{path}/rollback"), json!({}))
        .await
        .expect(202);
    until("the action is rolled back", patience, || async {
        let now = admin.get(&path).await.expect(200).body;
        (now["status"] == "rolled_back").then_some(())
    })
    .await;
}

pub(crate) async fn ended(admin: &Api, finding: &Value) -> Value {
    until("the action ended", PATIENCE, || async {
        let actions = admin
            .get("intelligence/actions?limit=1000")
            .await
            .expect(200);
        let own = |action: &&Value| {
            action["recommendation_id"] == finding["id"] && action["purpose"] == "apply"
        };
        let action = actions.items().iter().find(own)?.clone();
        (action["status"] != "running").then_some(action)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nothing_uses_is_removed_once_it_is_signed() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let free = moto.address(REGION, "old-mail-relay").await.unwrap();
    let way_out = moto.address(REGION, "egress").await.unwrap();
    let (gateway, table) = moto.gateway(REGION, &way_out).await.unwrap();
    let balancer = moto
        .load_balancer(REGION, "campaign", &[], &[])
        .await
        .unwrap();
    let unmeasured = moto
        .load_balancer(REGION, "unmeasured", &[], &[])
        .await
        .unwrap();
    silent(
        &moto,
        "AWS/NATGateway",
        "BytesOutToDestination",
        ("NatGatewayId", &gateway),
    )
    .await;

    let name = balancer.split_once(":loadbalancer/").unwrap().1;
    silent(
        &moto,
        "AWS/ApplicationELB",
        "ConsumedLCUs",
        ("LoadBalancer", name),
    )
    .await;

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let all = found(&admin, "cost_optimizer").await;
    let of = |id: &str| all.iter().find(|one| one["resource"]["id"] == id).cloned();
    assert!(
        of(&unmeasured).is_none() && of(&way_out).is_none(),
        "not measured, and in use: {all:#?}"
    );

    for (id, change, saved) in [
        (&free, "release_address", 3.65),
        (&gateway, "delete_nat_gateway", 32.85),
        (&balancer, "delete_load_balancer", 16.43),
    ] {
        let finding = of(id).unwrap_or_else(|| panic!("{id}: {all:#?}"));
        assert_eq!(
            (
                &finding["plan"]["change"]["name"],
                &finding["plan"]["reversible"]
            ),
            (&json!(change), &json!(false))
        );
        assert_eq!(finding["savings"]["monthly"], saved, "{finding:#}");
        signed(&admin, &[&manager], &finding).await;
        let action = ended(&admin, &finding).await;
        assert_eq!(action["status"], "succeeded", "{action:#}");
        let undo = format!(
            "intelligence/actions/{}/rollback",
            action["id"].as_str().unwrap()
        );
        let undone = admin.post(&undo, json!({})).await;
        assert_eq!(undone.status, 409, "it is gone for good: {}", undone.text);
        let deletions =
            "event_type:resource.delete status:success submitted_by.type:reeve NOT tags:observed";
        let query = encoded(&format!("{deletions} resource.id:\"{id}\""));
        let deleted = admin
            .get(&format!("audit-logs?query={query}"))
            .await
            .expect(200);
        assert_eq!(
            deleted.items().len(),
            1,
            "a deletion by an agent is one: {}",
            deleted.text
        );
    }

    let addresses = moto
        .query(&EC2, REGION, "DescribeAddresses", &[])
        .await
        .unwrap();
    assert_eq!(
        texts(&addresses, "allocationId"),
        [way_out.as_str()],
        "the gateway's address stays with the account"
    );

    let gateways = moto
        .query(&EC2, REGION, "DescribeNatGateways", &[])
        .await
        .unwrap();
    assert!(
        !texts(&gateways, "state").contains(&"available"),
        "{gateways}"
    );

    let balancers = moto
        .query(&ELB, REGION, "DescribeLoadBalancers", &[])
        .await
        .unwrap();
    assert_eq!(texts(&balancers, "LoadBalancerArn"), [unmeasured.as_str()]);

    let story = admin
        .get(&format!("audit-logs?query=resource.id:{gateway}&limit=100"))
        .await
        .expect(200);
    let step = story
        .items()
        .iter()
        .find(|entry| entry["changes"]["after"]["state"] == "deleted");
    assert_eq!(
        step.unwrap()["changes"]["before"]["route_tables"],
        table,
        "{}",
        story.text
    );

    let left = admin.get("resources?limit=1000").await.expect(200);
    assert!(
        left.items().iter().all(|one| one["id"] != free.as_str()),
        "{}",
        left.text
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_came_into_use_before_the_signature_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "relay")])
        .await
        .unwrap()
        .remove(0);
    let address = moto.address(REGION, "relay").await.unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let all = found(&admin, "cost_optimizer").await;
    let finding = all
        .iter()
        .find(|one| one["resource"]["id"] == address.as_str())
        .unwrap()
        .clone();
    moto.associate(REGION, &address, &machine).await.unwrap();
    signed(&admin, &[&manager], &finding).await;
    let action = ended(&admin, &finding).await;
    assert_eq!(action["status"], "aborted", "{action:#}");
    assert!(
        action["reason"]
            .as_str()
            .unwrap()
            .contains("is available, not unattached"),
        "{action:#}"
    );

    let addresses = moto
        .query(&EC2, REGION, "DescribeAddresses", &[])
        .await
        .unwrap();
    assert_eq!(
        texts(&addresses, "instanceId"),
        [machine.as_str()],
        "{addresses}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unattached_volume_is_deleted_after_its_snapshot() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::aged(30).await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "reports")])
        .await
        .unwrap()
        .remove(0);

    let loose = moto
        .volume(REGION, "gp3", 500, None, &[("Name", "old-orders")])
        .await
        .unwrap();
    let taken = moto
        .volume(REGION, "gp3", 200, None, &[("Name", "spare")])
        .await
        .unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let all = found(&admin, "cost_optimizer").await;
    let of = |id: &str| {
        all.iter()
            .find(|one| one["resource"]["id"] == id)
            .unwrap_or_else(|| panic!("{id}: {all:#?}"))
    };
    let finding = of(&loose);

    assert_eq!(
        (
            &finding["plan"]["change"]["name"],
            &finding["plan"]["reversible"],
            &finding["savings"]["monthly"]
        ),
        (&json!("delete_volume"), &json!(false), &json!(15.0)),
        "500 GiB at $0.08 less at most $0.05 for the snapshot: {finding:#}"
    );

    moto.attach(REGION, &taken, &machine).await.unwrap();
    signed(&admin, &[&manager], of(&taken)).await;
    let kept = ended(&admin, of(&taken)).await;
    assert_eq!(
        kept["status"], "aborted",
        "somebody attached it before the signature: {kept:#}"
    );
    signed(&admin, &[&manager], finding).await;
    let action = ended(&admin, finding).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");

    let volumes = moto
        .query(&EC2, REGION, "DescribeVolumes", &[])
        .await
        .unwrap();
    let left = texts(&volumes, "volumeId");
    assert!(
        !left.contains(&loose.as_str()) && left.contains(&taken.as_str()),
        "{volumes}"
    );

    let own = [
        ("Filter.1.Name".to_owned(), "volume-id".to_owned()),
        ("Filter.1.Value.1".to_owned(), loose.clone()),
    ];
    let snapshots = moto
        .query(&EC2, REGION, "DescribeSnapshots", &own)
        .await
        .unwrap();
    let snapshot = texts(&snapshots, "snapshotId");
    assert_eq!(
        (snapshot.len(), texts(&snapshots, "volumeSize")),
        (1, vec!["500"]),
        "{snapshots}"
    );

    let story = admin
        .get(&format!("audit-logs?query=resource.id:{loose}&limit=100"))
        .await
        .expect(200);
    let noted = |name: &str, value: &str| {
        story
            .items()
            .iter()
            .position(|entry| entry["changes"]["after"][name] == value)
    };

    assert!(
        noted("snapshot", snapshot[0]).is_some() && noted("state", "deleted").is_some(),
        "{}",
        story.text
    );

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    assert_eq!(
        admin.post(&undo, json!({})).await.status,
        409,
        "it is gone for good"
    );
}
