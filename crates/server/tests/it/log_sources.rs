//! Sources of entries over real HTTP and a real queue: tokens that append through their source and do
//! nothing else, answers for each event, quarantine, and files that survive a crash.

use std::io::Write as _;

use reeve_testkit::http::{Answer, Api, until};
use reeve_testkit::moto::{Moto, SQS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{PATIENCE, connect, pairs};

const SOURCES: &str = "audit-logs/sources";
const INTEGRATIONS: &str = "audit-logs/integrations";
const REGION: &str = "us-east-1";
const KUBERNETES: &str = r#"{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"level":"Request","auditID":"a-1",
"stage":"ResponseComplete","verb":"delete","user":{"username":"ann"},"objectRef":{"resource":"secrets","namespace":"shop","name":"db"},
"responseStatus":{"code":200},"stageTimestamp":"2026-11-28T10:00:00.012345Z"},{"level":"Request","stage":"Panic"}]}"#;

/// Adds a source. Returns a client with its token.
async fn source(admin: &Api, service: &Service, body: Value) -> Api {
    let made = admin.post(SOURCES, body).await.expect(201);
    service.nobody().with_token(&made.text_at("/token"))
}

fn incoming(name: &str) -> String {
    format!("audit-logs/incoming/{name}")
}

async fn push(tool: &Api, name: &str, body: &str) -> Answer {
    let kind = Some("application/json");
    tool.send("POST", &incoming(name), kind, body.into()).await
}

fn statuses(answer: &Answer) -> Vec<&str> {
    let items = answer.items().iter();
    items.map(|item| item["status"].as_str().unwrap()).collect()
}

/// Entries that a source appended.
async fn entries(admin: &Api, name: &str) -> Vec<Value> {
    let query =
        format!("audit-logs?query=submitted_by.type:source%20submitted_by.id:{name}&limit=100");
    admin.get(&query).await.expect(200).items().to_vec()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_appends_with_its_token_and_does_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();

    let cluster = source(
        &admin,
        &service,
        json!({ "name": "cluster", "kind": "kubernetes" }),
    )
    .await;
    let _ = cluster.get("resources").await.problem(403, "forbidden");
    let _ = cluster
        .post("audit-logs", json!({ "event_type": "a.b" }))
        .await
        .problem(403, "forbidden");
    let _ = push(&admin, "cluster", KUBERNETES).await.expect(403);
    let wrong = service.nobody().with_token("rvl_wrong");
    let _ = push(&wrong, "cluster", KUBERNETES).await.expect(401);
    let _ = push(&cluster, "other", KUBERNETES).await.expect(403);
    let (_, viewer) = admin
        .person("vera@acme.example", &["regular_user"], &[])
        .await;
    let _ = viewer.get(SOURCES).await.expect(403);

    let first = push(&cluster, "cluster", KUBERNETES).await.expect(200);
    assert_eq!(statuses(&first), ["accepted", "rejected"], "{}", first.text);
    assert_eq!(
        first.text_at("/items/0/event_id"),
        "source/cluster/a-1/ResponseComplete"
    );
    assert_eq!(first.text_at("/items/1/rejection/field"), "auditID");
    let packed = [("content-encoding", "gzip")];
    let kind = Some("application/json");
    let again = cluster
        .send_with(
            "POST",
            &incoming("cluster"),
            &packed,
            kind,
            gzip(KUBERNETES),
        )
        .await
        .expect(200);
    assert_eq!(statuses(&again), ["duplicate", "rejected"]);

    let found = entries(&admin, "cluster").await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["event_type"], "resource.delete");
    assert_eq!(found[0]["resource"]["id"], "shop/db");
    // Nobody else may write in the space of the source, so nothing keeps its entries out.
    let squat = json!({ "event_type": "a.b", "event_id": "source/cluster/a-2/ResponseComplete" });
    let refused = admin.post("audit-logs", squat).await.expect(422);
    assert_eq!(refused.text_at("/errors/0/field"), "event_id");

    let state = admin
        .get(&format!("{SOURCES}/cluster/status"))
        .await
        .expect(200);
    assert_eq!(
        (
            &state.body["accepted"],
            &state.body["duplicates"],
            &state.body["rejected"],
            &state.body["health"]
        ),
        (&json!(1), &json!(1), &json!(2), &json!("degraded")),
        "{}",
        state.text
    );

    // It is an integration as well, of the other direction than a stream.
    let listed = admin
        .get(&format!("{INTEGRATIONS}?direction=in"))
        .await
        .expect(200);
    let id = listed.text_at("/items/0/id");
    assert_eq!(listed.body["total"], 1, "{}", listed.text);
    let out = format!("{INTEGRATIONS}?direction=out");
    assert_eq!(admin.get(&out).await.expect(200).body["total"], 0);
    let status = admin.get(&format!("{INTEGRATIONS}/{id}/status")).await;
    assert_eq!(status.expect(200).body["rejected"], 2);
    let paused = admin
        .post(&format!("{INTEGRATIONS}/{id}/pause"), json!({}))
        .await
        .expect(200);
    assert_eq!(paused.text_at("/direction"), "in");
    let _ = push(&cluster, "cluster", KUBERNETES)
        .await
        .problem(429, "too_many_requests");
    let _ = admin
        .post(&format!("{SOURCES}/cluster/resume"), json!({}))
        .await
        .expect(200);
    let _ = admin
        .delete(&format!("{SOURCES}/cluster"))
        .await
        .expect(204);
    let _ = push(&cluster, "cluster", KUBERNETES).await.expect(401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_event_is_retried_when_its_mapping_is_mended() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let broken = json!({ "fields": { "event_type": { "template": "{area}.{what}" },
        "actor.email": { "paths": ["who"] }, "event_id": { "paths": ["id"] } } });
    let mended = json!({ "fields": { "event_type": { "template": "{area}.{what}" },
        "actor.id": { "paths": ["who"] }, "event_id": { "paths": ["id"] } } });
    let body = r#"{"id":"7","area":"door","what":"open","who":"ann","floor":3}"#;

    let missing = admin
        .post(SOURCES, json!({ "name": "doors", "kind": "json" }))
        .await
        .expect(422);
    assert_eq!(missing.text_at("/errors/0/field"), "mapping");
    let made =
        json!({ "name": "doors", "kind": "json", "mapping": broken, "event_types": ["door.*"] });
    let doors = source(&admin, &service, made).await;
    let first = push(&doors, "doors", body).await.expect(200);
    assert_eq!(statuses(&first), ["rejected"]);
    assert_eq!(first.text_at("/items/0/rejection/field"), "actor.email");

    let preview = json!({ "kind": "json", "mapping": mended, "sample": body });
    let shown = admin
        .post(&format!("{SOURCES}/preview"), preview)
        .await
        .expect(200);
    assert_eq!(shown.body["items"][0]["entry"]["actor"]["id"], "ann");
    assert_eq!(shown.body["items"][0]["left_over"], json!(["floor"]));

    let path = format!("{SOURCES}/doors");
    let kept = admin.get(&format!("{path}/quarantine")).await.expect(200);
    let id = kept.text_at("/items/0/id");
    assert_eq!(kept.text_at("/items/0/sample"), body);
    let retry = format!("{path}/quarantine/{id}/retry");
    let still = admin.post(&retry, json!({})).await.expect(200);
    assert_eq!(still.text_at("/status"), "rejected");
    let _ = admin
        .patch(&path, json!({ "mapping": mended }))
        .await
        .expect(200);
    let taken = admin.post(&retry, json!({})).await.expect(200);
    assert_eq!(taken.text_at("/event_id"), "source/doors/7");
    let left = admin.get(&format!("{path}/quarantine")).await.expect(200);
    assert_eq!(left.body["total"], 0);
    let known = push(&doors, "doors", body).await.expect(200);
    assert_eq!(statuses(&known), ["duplicate"]);

    // Its event types bind it, and Reeve's own types are beyond every source.
    for area in ["gate", "audit"] {
        let other = body.replace("door", area);
        let refused = push(&doors, "doors", &other).await.expect(200);
        assert_eq!(
            refused.text_at("/items/0/rejection/field"),
            "event_type",
            "{area}"
        );
    }
    let recorded = admin
        .get("audit-logs?query=event_type:integration.quarantine")
        .await
        .expect(200);
    assert_eq!(recorded.items()[0]["metadata"]["source"], "doors");
}

async fn send(moto: &Moto, queue: &str, body: &str) {
    let message = pairs(&[("QueueUrl", queue), ("MessageBody", body)]);
    moto.query(&SQS, REGION, "SendMessage", &message)
        .await
        .unwrap();
}

/// Number of messages that a queue has, those that are being read included.
async fn waiting(moto: &Moto, queue: &str) -> u64 {
    let asked = pairs(&[("QueueUrl", queue), ("AttributeName.1", "All")]);
    let answer = moto
        .query(&SQS, REGION, "GetQueueAttributes", &asked)
        .await
        .unwrap();
    let (names, values) = (texts(&answer, "Name"), texts(&answer, "Value"));
    let counts = names
        .iter()
        .zip(values)
        .filter(|(name, _)| name.starts_with("ApproximateNumberOfMessages"));
    counts.map(|(_, value)| value.parse::<u64>().unwrap()).sum()
}

async fn put(moto: &Moto, key: &str, body: Vec<u8>) {
    moto.object(REGION, &format!("trail/{key}"), body)
        .await
        .unwrap();
}

fn notice(key: &str) -> String {
    json!({ "Records": [{ "eventName": "ObjectCreated:Put", "awsRegion": REGION,
        "s3": { "bucket": { "name": "trail" }, "object": { "key": key } } }] })
    .to_string()
}

fn trail(id: &str) -> String {
    json!({ "Records": [{ "eventVersion": "1.08", "eventID": id, "eventTime": "2026-11-28T10:00:00Z",
        "eventName": "RunInstances", "eventSource": "ec2.amazonaws.com", "awsRegion": REGION,
        "userIdentity": { "type": "IAMUser", "userName": "ann" } }] })
    .to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_a_trail_are_read_from_a_queue_and_a_crash_repeats_nothing() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let answer = moto
        .query(
            &SQS,
            REGION,
            "CreateQueue",
            &pairs(&[("QueueName", "trail")]),
        )
        .await
        .unwrap();
    let queue = texts(&answer, "QueueUrl")[0].to_owned();
    moto.bucket(REGION, "trail", &[]).await.unwrap();
    put(&moto, "AWSLogs/a%20b.json.gz", gzip(&trail("e-1"))).await;

    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let connection = connect(&admin, moto.endpoint()).await;
    let made = json!({ "name": "trail", "kind": "cloudtrail", "queue": { "connection": connection, "url": queue } });
    let _ = admin.post(SOURCES, made).await.expect(201);

    // S3 itself, SNS around it, the test of a new subscription, a file that is gone, and no notice.
    send(
        &moto,
        &queue,
        &json!({ "Event": "s3:TestEvent" }).to_string(),
    )
    .await;
    send(&moto, &queue, &notice("AWSLogs/a+b.json.gz")).await;
    let topic = json!({ "Type": "Notification", "Message": notice("AWSLogs/a%20b.json.gz") });
    send(&moto, &queue, &topic.to_string()).await;
    send(&moto, &queue, &notice("AWSLogs/gone.json.gz")).await;
    send(&moto, &queue, "hello").await;
    until("the queue is empty", PATIENCE, async || {
        let state = admin.get(&format!("{SOURCES}/trail")).await.expect(200);
        let is_read = state.body["quarantined"] == 2 && state.body["accepted"] == 1;
        (is_read && waiting(&moto, &queue).await == 0).then_some(())
    })
    .await;
    let found = entries(&admin, "trail").await;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["event_id"], "source/trail/e-1");
    assert_eq!(found[0]["action"]["operation"], "RunInstances");

    // The service ends between the append and the deletion: the message comes again, and is known.
    service.kill().unwrap();
    put(&moto, "AWSLogs/c.json", trail("e-2").into_bytes()).await;
    for key in ["AWSLogs/a+b.json.gz", "AWSLogs/c.json", "AWSLogs/c.json"] {
        send(&moto, &queue, &notice(key)).await;
    }
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    until("all messages were read", PATIENCE, async || {
        let state = admin.get(&format!("{SOURCES}/trail")).await.expect(200);
        (state.body["accepted"] == 2 && waiting(&moto, &queue).await == 0).then_some(())
    })
    .await;
    assert_eq!(entries(&admin, "trail").await.len(), 2);
}

fn logger(port: u16, arguments: &[&str]) {
    let done = std::process::Command::new("logger")
        .args(["--server", "127.0.0.1", "--port", &port.to_string()])
        .args(arguments)
        .status()
        .unwrap();
    assert!(done.success());
}

/// Ports that are free now: one for datagrams and one for connections.
fn free_ports() -> (u16, u16) {
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let connections = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = datagrams.local_addr().unwrap().port();
    (udp, connections.local_addr().unwrap().port())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_of_a_real_sender_arrive_over_udp_and_tcp_and_each_counts() {
    let home = tempfile::tempdir().unwrap();
    let (udp, tcp) = free_ports();
    let section =
        format!("[{{ source = \"gate\", udp = \"127.0.0.1:{udp}\", tcp = \"127.0.0.1:{tcp}\" }}]");
    let settings = [EMULATORS, ("REEVE_SYSLOG", section.as_str())];
    let service = Service::serve(home.path(), &settings).unwrap();
    let admin = service.admin();

    // It answers once every listener is open; a datagram before that would be lost.
    let _ = admin.get(SOURCES).await.expect(200);

    // What arrives before its source is there waits for it.
    let tag = ["--tag", "door", "--priority", "auth.err"];
    logger(
        udp,
        &[&tag[..], &["--udp", "--rfc3164", "odd one"]].concat(),
    );
    let _ = admin
        .post(SOURCES, json!({ "name": "gate", "kind": "syslog" }))
        .await
        .expect(201);
    for _ in 0..2 {
        logger(
            tcp,
            &[
                &tag[..],
                &["--tcp", "--octet-count", "--msgid", "OPEN", "same line"],
            ]
            .concat(),
        );
    }
    logger(tcp, &[&tag[..], &["--tcp", "plain line"]].concat());

    let found = until("all lines", PATIENCE, async || {
        let found = entries(&admin, "gate").await;
        (found.len() == 4).then_some(found)
    })
    .await;
    let said: Vec<&str> = found
        .iter()
        .map(|entry| entry["metadata"]["syslog"]["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        said.iter()
            .filter(|message| **message == "same line")
            .count(),
        2,
        "{said:?}"
    );
    for entry in &found {
        assert_eq!(entry["event_type"], "authentication.message", "{entry:#}");
        assert_eq!(
            (&entry["severity"], &entry["actor"]["id"]),
            (&json!("high"), &json!("door"))
        );
        assert_eq!(entry["submitted_by"]["ip_address"], "127.0.0.1");
    }
}
