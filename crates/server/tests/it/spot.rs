//! Spot capacity over a real peer: a notice in a queue becomes an on-demand successor in the same
//! target group, once; a successor returns to spot capacity, and a group gets its policy. Each is
//! rolled back.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::{AUTOSCALING, EC2, ELB, Moto, SQS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{PATIENCE, connect, findings_of, pairs};
use crate::unused::{ended, execute, rolled_back};

const REGION: &str = "us-east-1";

/// An event as EventBridge delivers it.
fn event(id: &str, kind: &str, machine: &str) -> String {
    json!({
        "version": "0", "id": id, "detail-type": kind, "source": "aws.ec2", "account": "123456789012",
        "time": Timestamp::now().to_string(), "region": REGION, "resources": [],
        "detail": { "instance-id": machine, "instance-action": "terminate" },
    })
    .to_string()
}

async fn send(moto: &Moto, queue: &str, body: &str) {
    let message = pairs(&[("QueueUrl", queue), ("MessageBody", body)]);
    moto.query(&SQS, REGION, "SendMessage", &message)
        .await
        .unwrap();
}

/// Runs a machine with further parameters; its identifier.
async fn machine(moto: &Moto, size: &str, further: &[(&str, &str)]) -> String {
    let mut parameters = pairs(&[
        ("ImageId", "ami-12c6146b"),
        ("InstanceType", size),
        ("MinCount", "1"),
        ("MaxCount", "1"),
        ("TagSpecification.1.ResourceType", "instance"),
        ("TagSpecification.1.Tag.1.Key", "team"),
        ("TagSpecification.1.Tag.1.Value", "search"),
    ]);
    parameters.extend(pairs(further));
    let answer = moto
        .query(&EC2, REGION, "RunInstances", &parameters)
        .await
        .unwrap();
    texts(&answer, "instanceId")[0].to_owned()
}

/// Makes a target group with machines; its ARN.
async fn target_group(moto: &Moto, machines: &[&str]) -> String {
    let (network, _) = moto.network(REGION).await.unwrap();
    let group = pairs(&[
        ("Name", "front"),
        ("Protocol", "HTTP"),
        ("Port", "80"),
        ("VpcId", &network),
        ("TargetType", "instance"),
    ]);
    let answer = moto
        .query(&ELB, REGION, "CreateTargetGroup", &group)
        .await
        .unwrap();
    let arn = texts(&answer, "TargetGroupArn")[0].to_owned();
    for id in machines {
        let target = pairs(&[("TargetGroupArn", &arn), ("Targets.member.1.Id", id)]);
        moto.query(&ELB, REGION, "RegisterTargets", &target)
            .await
            .unwrap();
    }
    arn
}

async fn targets(moto: &Moto, group: &str) -> Vec<String> {
    let named = pairs(&[("TargetGroupArn", group)]);
    let answer = moto
        .query(&ELB, REGION, "DescribeTargetHealth", &named)
        .await
        .unwrap();
    let mut found: Vec<String> = texts(&answer, "Id")
        .into_iter()
        .map(str::to_owned)
        .collect();
    found.sort();
    found
}

/// The machine that was launched in the place of another, with its state.
async fn successor(moto: &Moto, of: &str) -> Option<(String, String)> {
    let filter = pairs(&[
        ("Filter.1.Name", "tag:reeve:replaces"),
        ("Filter.1.Value.1", of),
    ]);
    let answer = moto
        .query(&EC2, REGION, "DescribeInstances", &filter)
        .await
        .unwrap();
    let state = answer.split("<instanceState>").nth(1)?;
    Some((
        texts(&answer, "instanceId").last()?.to_string(),
        texts(state, "name").first()?.to_string(),
    ))
}

/// An agent that acts, and may do so in the emergency lane.
async fn agent(admin: &Api) -> String {
    let agent = json!({
        "agent_type": "spot_optimizer", "name": "Spot", "mode": "active", "reason": "a test",
        "confidence_threshold": "70%", "auto_apply": { "enabled": true, "max_impact": "low" },
        "settings": {
            "workload_classification": { "enabled": false },
            "predict_interruptions": { "lost_at_once": "100%" },
            "emergency": { "share_of_group": "100%" },
        },
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    let until = (Timestamp::now() + SignedDuration::from_hours(24)).to_string();
    let approval = json!({ "rule": "auto_fallback", "until": until, "reason": "two minutes" });
    let given = admin
        .post(
            &format!("intelligence/agents/{agent}/standing-approvals"),
            approval,
        )
        .await
        .expect(201);
    assert_eq!(
        given.body["approvals"][0]["state"], "in_force",
        "{}",
        given.text
    );
    agent
}

/// Actions of the emergency lane of an agent.
async fn actions(admin: &Api, agent: &str) -> Vec<Value> {
    let lane = format!("intelligence/agents/{agent}/emergencies");
    let lane = admin.get(&lane).await.expect(200).body;
    lane["actions"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_becomes_a_successor_and_a_group_gets_its_policy() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::spot_market().await.unwrap();
    let spot = machine(
        &moto,
        "m5.large",
        &[("InstanceMarketOptions.MarketType", "spot")],
    )
    .await;
    // What an earlier fallback left: nothing of its pool was lost since.
    let fallen = machine(
        &moto,
        "c5.large",
        &[
            ("TagSpecification.1.Tag.2.Key", "reeve:replaces"),
            ("TagSpecification.1.Tag.2.Value", "i-0123456789abcdef0"),
        ],
    )
    .await;
    let group = target_group(&moto, &[&spot, &fallen]).await;
    moto.scaling_group(REGION, "workers", "m5.large", 2)
        .await
        .unwrap();
    moto.group_version(REGION, "workers", "1").await.unwrap();
    let answer = moto
        .query(
            &SQS,
            REGION,
            "CreateQueue",
            &pairs(&[("QueueName", "reeve-spot")]),
        )
        .await
        .unwrap();
    let queue = texts(&answer, "QueueUrl")[0].to_owned();

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let connection = connect(&admin, moto.endpoint()).await;
    let agent = agent(&admin).await;

    // The page of the connection says how to connect notices, and refuses what is no queue.
    let notices = format!("connections/{connection}/spot-notices");
    let none = admin.get(&notices).await.expect(200).body;
    assert_eq!(none["queue_url"], Value::Null);
    assert!(none["setup"][2].as_str().unwrap().contains("put-rule"));
    let wrong = admin
        .put(&notices, json!({ "queue_url": "https://example.com" }))
        .await
        .expect(422);
    assert_eq!(wrong.body["errors"][0]["field"], "queue_url");
    let _ = admin
        .put(&notices, json!({ "queue_url": queue }))
        .await
        .expect(200);

    // The same event twice, one of another kind, and a message that is none.
    let notice = event("e-1", "EC2 Spot Instance Interruption Warning", &spot);
    let other = event("e-2", "EBS Volume Notification", &spot);
    for body in [notice.as_str(), &notice, &other, "hello"] {
        send(&moto, &queue, body).await;
    }
    let action = until("the successor serves", Duration::from_secs(120), || async {
        let all = actions(&admin, &agent).await;
        all.into_iter().find(|one| one["status"] == "succeeded")
    })
    .await;
    let (new, state) = successor(&moto, &spot).await.unwrap();
    assert_eq!(state, "running");
    let mut expected = vec![spot.clone(), fallen.clone(), new.clone()];
    expected.sort();
    assert_eq!(
        targets(&moto, &group).await,
        expected,
        "launch before detach"
    );

    let read = until("the queue was read", PATIENCE, || async {
        let now = admin.get(&notices).await.expect(200).body;
        (now["unreadable"] == 1).then_some(now)
    })
    .await;
    assert_eq!(
        (&read["notices"], &read["failure"]),
        (&json!(1), &json!("")),
        "{read:#}"
    );
    assert_eq!(read["other_events"]["EBS Volume Notification"], 1);
    assert!(read["newest_at"].is_string());

    // The event is delivered again: it is known, and nothing more is done.
    send(&moto, &queue, &notice).await;
    let query = format!("audit-logs?query=resource.id:%22{spot}%22&limit=100");
    let story = admin.get(&query).await.expect(200);
    let told = |entry: &&Value| entry["event_type"] == "resource.interrupt_notice";
    assert_eq!(
        story.items().iter().filter(told).count(),
        1,
        "{}",
        story.text
    );
    assert_eq!(actions(&admin, &agent).await.len(), 1);

    // The machine was not ended after all: its successor goes.
    rolled_back(&admin, &action, Duration::from_secs(120)).await;
    let (_, state) = successor(&moto, &spot).await.unwrap();
    assert_eq!(state, "terminated");
    let mut before = vec![spot.clone(), fallen.clone()];
    before.sort();
    assert_eq!(targets(&moto, &group).await, before);

    // Standing findings: the way back, and the policy of the group.
    let all = findings_of(&admin, &agent, PATIENCE).await;
    let about = |aspect: &str| {
        let of = |one: &&Value| one["resource"]["aspect"] == aspect && one["status"] == "open";
        let found = all.iter().find(of);
        found
            .unwrap_or_else(|| panic!("{aspect}: {all:#?}"))
            .clone()
    };
    let back = about("return");
    execute(&admin, &manager, &back).await;
    let action = ended(&admin, &back).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");
    let (new, _) = successor(&moto, &fallen).await.unwrap();
    let served = targets(&moto, &group).await;
    assert!(
        served.contains(&new) && !served.contains(&fallen),
        "{served:?}"
    );
    rolled_back(&admin, &action, Duration::from_secs(120)).await;
    let served = targets(&moto, &group).await;
    assert!(
        served.contains(&fallen) && !served.contains(&new),
        "{served:?}"
    );

    // The market was read, so that the group's own zones price it.
    let read = until("the market is read", PATIENCE, || async {
        let now = admin.get(&notices).await.expect(200).body;
        now["markets"].as_array()?.first().cloned()
    })
    .await;
    assert_eq!(
        (&read["price_failure"], &read["score_failure"]),
        (&json!(""), &json!("")),
        "{read:#}"
    );
    assert!(read["pools"].as_u64().unwrap() > 3, "{read:#}");
    assert_eq!(read["lowest_score"], 7, "{read:#}");
    let all = findings_of(&admin, &agent, PATIENCE).await;
    let of = |one: &&Value| one["resource"]["aspect"] == "eligible" && one["status"] == "open";
    let eligible = all.iter().find(of).unwrap().clone();
    assert_eq!(eligible["plan"]["change"]["name"], "use_mixed_instances");
    let words = eligible.to_string();
    assert!(
        words.contains("on spot capacity of its zones"),
        "{eligible:#}"
    );
    assert!(words.contains("us-east-1a 9"), "{eligible:#}");
    execute(&admin, &manager, &eligible).await;
    let action = ended(&admin, &eligible).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");
    let named = pairs(&[("AutoScalingGroupNames.member.1", "workers")]);
    let described = || moto.query(&AUTOSCALING, REGION, "DescribeAutoScalingGroups", &named);
    let answer = described().await.unwrap();
    assert_eq!(texts(&answer, "OnDemandBaseCapacity"), ["1"]);
    assert_eq!(
        texts(&answer, "SpotAllocationStrategy"),
        ["price-capacity-optimized"]
    );
    rolled_back(&admin, &action, Duration::from_secs(120)).await;
    let answer = described().await.unwrap();
    assert!(
        texts(&answer, "OnDemandBaseCapacity").is_empty(),
        "{answer}"
    );
}
