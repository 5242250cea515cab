//! A cloud account in a real peer: connecting and syncing it, what syncs see, what agents judge and
//! do.

use std::time::Duration;

use jiff::Timestamp;
use reeve_audit::{EventKind, Severity, events};
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{EC2, Moto, SQS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::json;

use super::{Emitted, PATIENCE, by_reeve, by_user, verify};

const REGION: &str = "us-east-1";
/// An action goes through a stop, a change and a start of a machine.
const LONG: Duration = Duration::from_secs(180);

/// A step of a change that an agent recommended.
const fn by_agent(kind: &'static EventKind) -> Emitted {
    Emitted {
        actor: "agent",
        ..by_reeve(kind, "automation", "virtual_machine")
    }
}

/// A change that a sync saw.
const fn observed(kind: &'static EventKind) -> Emitted {
    by_reeve(kind, "scheduled", "virtual_machine")
        .when("tags:observed resource.type:virtual_machine")
}

pub(super) const EMITTED: &[Emitted] = &[
    by_user(&events::INTEGRATION_CREATE, "connection").when("resource.type:connection"),
    by_user(&events::INTEGRATION_MODIFY, "connection").when("resource.type:connection"),
    by_user(&events::INTEGRATION_TEST, "connection").when("resource.type:connection"),
    by_user(&events::INTEGRATION_DELETE, "connection").when("resource.type:connection"),
    by_user(&events::DATA_EXPORT, "inventory"),
    by_reeve(&events::SOURCE_UNPROVEN, "system", "log_source"),
    by_reeve(&events::INTEGRATION_SYNC, "scheduled", "connection").when("actor.type:system"),
    observed(&events::RESOURCE_CREATE),
    observed(&events::RESOURCE_TAG),
    observed(&events::RESOURCE_STATE),
    observed(&events::RESOURCE_DELETE),
    by_agent(&events::RESOURCE_MODIFY).when("operation:modify NOT tags:observed"),
    by_agent(&events::RESOURCE_SNAPSHOT),
    by_agent(&events::RECOMMENDATION).when("operation:recommendation.create"),
    by_agent(&events::ACTION).when("operation:action.succeed"),
    by_agent(&events::CHECK).when("operation:verify"),
    by_user(&events::APPROVAL, "virtual_machine").when("operation:approval.sign"),
    by_user(&events::ROLLOUT, "rollout").when("operation:rollout.create"),
    by_user(&events::INCIDENT, "incident")
        .when("operation:incident.note")
        .severity(Severity::Medium),
    by_reeve(&events::RUNBOOK_OUTCOME, "scheduled", "queue")
        .when("metadata.outcome:ineffective")
        .severity(Severity::Medium),
    by_reeve(&events::RUNBOOK_BREAKER, "scheduled", "runbook")
        .when("operation:runbook.breaker_open")
        .severity(Severity::High),
    by_user(&events::PLAYBOOK_RUN, "incident").when("operation:playbook.start"),
    by_user(&events::BASELINE_PIN, "baseline"),
    by_user(&events::BASELINE_REMOVE, "baseline"),
    by_reeve(&events::DRIFT_DETECT, "scheduled", "security_group"),
    by_user(&events::DRIFT_ACCEPT, "security_group"),
    by_user(&events::DRIFT_REOPEN, "security_group"),
    by_user(&events::DRIFT_RESOLVE, "security_group"),
    by_reeve(
        &events::RESOURCE_INTERRUPT_NOTICE,
        "system",
        "virtual_machine",
    )
    .when("operation:rebalance")
    .severity(Severity::Medium),
    by_reeve(&events::AGENT_RUN, "scheduled", "agent"),
    by_user(&events::PREDICTION, "predictive_rule"),
    by_reeve(&events::ANOMALY, "scheduled", "address")
        .when("operation:anomaly.detect")
        .severity(Severity::High),
];

/// Fourteen days at two percent.
fn quiet() -> Vec<(Timestamp, f64)> {
    let now = Timestamp::now().as_second() / 300 * 300;
    let point = |n: i64| {
        (
            Timestamp::from_second(now - n * 300).unwrap(),
            2.0 + (n % 12) as f64 / 10.0,
        )
    };

    (1..=14 * 288_i64).rev().map(point).collect()
}

async fn machine(moto: &Moto, name: &str, size: &str) -> String {
    moto.machines(REGION, size, 1, &[("Name", name)])
        .await
        .unwrap()
        .remove(0)
}

/// Begins a sync once none is under way, and waits for its end.
async fn sync(admin: &Api, connection: &str) {
    let finished =
        async || admin.get(connection).await.expect(200).body["last_sync"]["finished_at"].clone();
    let before = until("the beginning of the sync", PATIENCE, || async {
        let before = finished().await;
        let begun = admin.post(&format!("{connection}/sync"), json!({})).await;
        assert!(matches!(begun.status, 202 | 409), "{}", begun.text);
        (begun.status == 202).then_some(before)
    })
    .await;

    until("the end of the sync", PATIENCE, || async {
        (finished().await != before).then_some(())
    })
    .await;
}

/// Changes that others make in the account between two syncs.
async fn changes(moto: &Moto, stopped: &str, removed: &str) {
    machine(moto, "new", "m5.large").await;
    let group = [("GroupName", "new"), ("GroupDescription", "new")];
    let group = group.map(|(name, value)| (name.to_owned(), value.to_owned()));
    moto.query(&EC2, REGION, "CreateSecurityGroup", &group)
        .await
        .unwrap();
    moto.tag(REGION, stopped, "team", "shop").await.unwrap();

    for (operation, id) in [("StopInstances", stopped), ("TerminateInstances", removed)] {
        moto.query(
            &EC2,
            REGION,
            operation,
            &[("InstanceId.1".to_owned(), id.to_owned())],
        )
        .await
        .unwrap();
    }
}

/// Begins a rollout of the recommendation and takes it back; then has the change approved and made.
async fn carry_out(admin: &Api, agent: &str) {
    let (_, operator) = admin
        .person("operator@acme.example", &["operator"], &[])
        .await;
    let (_, manager) = admin
        .person("manager@acme.example", &["manager"], &[])
        .await;
    let found = until("the recommendation", PATIENCE, || async {
        admin
            .get("intelligence/recommendations?type=right_size")
            .await
            .expect(200)
            .items()
            .first()
            .cloned()
    })
    .await;

    let wanted =
        json!({ "agent_id": agent, "type": "right_size", "settings": { "min_confidence": 50 } });
    let rollout = admin
        .post("intelligence/rollouts", wanted)
        .await
        .expect(201)
        .text_at("/id");
    let abort = json!({ "reason": "one at a time" });
    let _ = admin
        .post(&format!("intelligence/rollouts/{rollout}/abort"), abort)
        .await
        .expect(200);

    let path = format!(
        "intelligence/recommendations/{}",
        found["id"].as_str().unwrap()
    );
    let asked = until("the request", PATIENCE, || async {
        let now = admin.get(&path).await.expect(200).body;
        let asked = operator
            .post(
                &format!("{path}/execute"),
                json!({ "plan_hash": now["plan"]["hash"] }),
            )
            .await;
        (asked.status == 202).then_some(asked)
    })
    .await;
    assert_eq!(asked.body["status"], "pending_approval", "{}", asked.text);

    let approve = format!(
        "intelligence/approvals/{}/approve",
        asked.text_at("/approval_id")
    );
    let _ = manager.post(&approve, json!({})).await.expect(200);
    until("the change", LONG, || async {
        let now = admin.get(&path).await.expect(200).body;
        assert_ne!(now["status"], "failed", "{now:#}");
        (now["status"] == "succeeded").then_some(())
    })
    .await;
}

/// Pins the security groups; the baseline's path.
async fn baseline(admin: &Api) -> String {
    let groups = json!({ "name": "Reviewed", "scope": { "kinds": ["security_group"] } });
    let made = admin.post("intelligence/baselines", groups).await;
    format!("intelligence/baselines/{}", made.expect(201).text_at("/id"))
}

/// Accepts the drift of a new group, takes that back, and pins the group; then nobody needs the
/// baseline any more.
async fn drift(admin: &Api, baseline: &str) {
    let found = admin.get("intelligence/drift").await.expect(200);
    let path = format!(
        "intelligence/drift/{}",
        found.items()[0]["id"].as_str().unwrap()
    );
    let end = Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let accept = json!({ "reason": "until the review of Monday", "ends_at": end.to_string() });
    let _ = admin
        .post(&format!("{path}/accept"), accept)
        .await
        .expect(200);
    let _ = admin
        .post(&format!("{path}/reopen"), json!({}))
        .await
        .expect(200);
    let _ = admin
        .post(&format!("{baseline}/pin"), json!({}))
        .await
        .expect(200);
    let _ = admin.delete(baseline).await.expect(204);
}

/// Opens an incident, writes a note, and runs a playbook that changes nothing.
async fn incident(admin: &Api) {
    let opened = json!({ "title": "A laptop was lost", "severity": "medium" });
    let incident = admin
        .post("intelligence/incidents", opened)
        .await
        .expect(201)
        .text_at("/id");
    let incident = format!("intelligence/incidents/{incident}");
    let _ = admin
        .post(
            &format!("{incident}/notes"),
            json!({ "text": "it is encrypted" }),
        )
        .await
        .expect(200);
    let _ = admin
        .post(
            &format!("{incident}/runs"),
            json!({ "playbook": "answer-password-spray" }),
        )
        .await
        .expect(201);
}

async fn foresight(admin: &Api) {
    let rules = "intelligence/predictive-rules";
    let rule = until("the rules that come with Reeve", PATIENCE, || async {
        admin.get(rules).await.expect(200).items().first().cloned()
    })
    .await;
    let evaluate = format!("{rules}/{}/evaluate", rule["id"].as_str().unwrap());
    let _ = admin.post(&evaluate, json!({})).await.expect(200);
    let list = json!({ "indicators": "203.0.113.0/24, Scanners\n" });
    let _ = admin
        .put("intelligence/threat-lists/scanners", list)
        .await
        .expect(200);
    let entry = json!({
        "event_type": "api.call",
        "actor": { "type": "user", "id": "mallory", "email": "mallory@example.com", "ip_address": "203.0.113.77" },
        "action": { "operation": "ListBuckets", "status": "success", "method": "api" },
    });
    let _ = admin.post("audit-logs", entry).await.expect(201);
}

/// A rebalance recommendation about a machine arrives in the queue of the connection.
async fn spot_notice(admin: &Api, moto: &Moto, connection: &str, machine: &str) {
    let named = [("QueueName".to_owned(), "reeve-spot".to_owned())];
    let answer = moto
        .query(&SQS, REGION, "CreateQueue", &named)
        .await
        .unwrap();
    let queue = texts(&answer, "QueueUrl")[0].to_owned();
    let event = json!({
        "id": "e-1", "detail-type": "EC2 Instance Rebalance Recommendation", "source": "aws.ec2",
        "time": Timestamp::now().to_string(), "detail": { "instance-id": machine },
    });
    let message = [
        ("QueueUrl".to_owned(), queue.clone()),
        ("MessageBody".to_owned(), event.to_string()),
    ];
    moto.query(&SQS, REGION, "SendMessage", &message)
        .await
        .unwrap();

    let path = format!("{connection}/spot-notices");
    let _ = admin
        .put(&path, json!({ "queue_url": queue }))
        .await
        .expect(200);
    until("the notice is read", PATIENCE, async || {
        let now = admin.get(&path).await.expect(200).body;
        (now["notices"] == 1).then_some(())
    })
    .await;
}

/// A digest of a trail that proves nothing.
async fn unproven(admin: &Api, moto: &Moto, connection: &str) {
    let name = [("QueueName".to_owned(), "reeve-trail".to_owned())];
    let answer = moto
        .query(&SQS, REGION, "CreateQueue", &name)
        .await
        .unwrap();
    let queue = texts(&answer, "QueueUrl")[0].to_owned();
    let source = json!({ "name": "trail", "kind": "cloudtrail",
        "queue": { "connection": connection.trim_start_matches("connections/"), "url": queue, "digests": true } });
    let _ = admin.post("audit-logs/sources", source).await.expect(201);

    let key = "AWSLogs/1/CloudTrail-Digest/us-east-1/d.json";
    moto.bucket(REGION, "trail", &[]).await.unwrap();
    moto.object(REGION, &format!("trail/{key}"), b"{}".to_vec())
        .await
        .unwrap();
    let notice = json!({ "Records": [{ "eventName": "ObjectCreated:Put", "awsRegion": REGION,
        "s3": { "bucket": { "name": "trail" }, "object": { "key": key } } }] });
    let message = [
        ("QueueUrl".to_owned(), queue),
        ("MessageBody".to_owned(), notice.to_string()),
    ];
    moto.query(&SQS, REGION, "SendMessage", &message)
        .await
        .unwrap();
    until("the digest is read", PATIENCE, async || {
        let now = admin.get("audit-logs/sources/trail").await.expect(200).body;
        now["last_error"].is_string().then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_to_the_estate_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    let oversized = machine(&moto, "reports", "m5.2xlarge").await;
    let (stopped, removed) = (
        machine(&moto, "old", "m5.large").await,
        machine(&moto, "older", "m5.large").await,
    );
    let dimensions = [("InstanceId", oversized.as_str())];
    let cpu = Metric {
        namespace: "AWS/EC2",
        name: "CPUUtilization",
        unit: "Percent",
        dimensions: &dimensions,
    };
    moto.metric(REGION, cpu, &quiet()).await.unwrap();

    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": moto.endpoint(), "allow_actions": true,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });

    let connection = format!(
        "connections/{}",
        admin
            .post("connections", connection)
            .await
            .expect(201)
            .text_at("/id")
    );

    let _ = admin
        .post(&format!("{connection}/test"), json!({}))
        .await
        .expect(200);
    let _ = admin
        .patch(&connection, json!({ "name": "acme-production" }))
        .await
        .expect(200);
    let inventory = admin
        .send(
            "GET",
            "resources.csv?type=virtual_machine",
            None,
            Vec::new(),
        )
        .await;
    assert_eq!(inventory.status, 200);

    sync(&admin, &connection).await;
    let baseline = baseline(&admin).await;
    changes(&moto, &stopped, &removed).await;
    sync(&admin, &connection).await;
    drift(&admin, &baseline).await;

    spot_notice(&admin, &moto, &connection, &oversized).await;
    sync(&admin, &connection).await;
    let operations = crate::runbooks::agent(&admin).await;
    crate::runbooks::does_not_help(&admin, &connection, &operations, "30").await;
    unproven(&admin, &moto, &connection).await;
    let agent = json!({
        "agent_type": "cost_optimizer", "name": "Costs", "mode": "active", "confidence_threshold": "50%",
        "reason": "the account has fourteen days of history",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    carry_out(&admin, &agent).await;
    foresight(&admin).await;
    incident(&admin).await;
    let _ = admin.delete(&connection).await.expect(204);
    verify(&admin, "estate", EMITTED).await;
}
