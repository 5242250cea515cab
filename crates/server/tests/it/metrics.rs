//! Metrics of a real Prometheus server: pushed to Reeve, and queried by it, up to the
//! recommendation that rests on them.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::prometheus::{Past, Prometheus};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::findings_of;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const GIB: f64 = 1_073_741_824.0;

/// Ready rules of node_exporter.
async fn node_exporter(admin: &Api) -> Value {
    let mappings = admin.get("metrics/mappings").await.expect(200);
    let ready = mappings
        .items()
        .iter()
        .find(|mapping| mapping["name"] == "node_exporter");
    ready.unwrap()["rules"].clone()
}

/// Private address of a machine.
async fn address(moto: &Moto, machine: &str) -> String {
    let parameters = [("InstanceId.1".to_owned(), machine.to_owned())];
    let described = moto
        .query(&EC2, REGION, "DescribeInstances", &parameters)
        .await
        .unwrap();
    texts(&described, "privateIpAddress")[0].to_owned()
}

async fn connect(admin: &Api, endpoint: &str) {
    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": endpoint, "allow_actions": true,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG" },
    });
    let path = format!(
        "connections/{}",
        admin
            .post("connections", connection)
            .await
            .expect(201)
            .text_at("/id")
    );

    until("the connection is ready", PATIENCE, || async {
        let now = admin.get(&path).await.expect(200).body;
        (now["status"] == "ready" && now["last_sync"].is_object()).then_some(())
    })
    .await;
}

/// Points of a metric of a resource.
async fn points(admin: &Api, resource: &str, metric: &str) -> Vec<Value> {
    let path = format!("resources/{}/samples?metrics={metric}", encoded(resource));
    let answer = admin.get(&path).await.expect(200).body;
    let series = answer["series"].as_array().unwrap();
    series
        .iter()
        .flat_map(|one| one["points"].as_array().cloned().unwrap_or_default())
        .collect()
}

/// An exporter with the memory of a machine: 6 of 8 GiB are available.
async fn exporter() -> String {
    let text = format!(
        "node_memory_MemAvailable_bytes {}\nnode_memory_MemTotal_bytes {}\nnode_boot_time_seconds 1\n",
        6.0 * GIB,
        8.0 * GIB
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let app = Router::new().route("/metrics", get(move || async move { text }));
    tokio::spawn(async move { axum::serve(listener, app).await });

    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prometheus_pushes_into_the_receiver() {
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "web")])
        .await
        .unwrap()
        .remove(0);
    let (host, target) = (address(&moto, &machine).await, exporter().await);
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    connect(&admin, moto.endpoint()).await;
    let source =
        json!({ "name": "push", "kind": "remote_write", "rules": node_exporter(&admin).await });
    let made = admin.post("metrics/sources", source).await.expect(201);
    let (token, path) = (
        made.text_at("/token"),
        format!("metrics/sources/{}", made.text_at("/id")),
    );

    // The token opens the receiver alone, and no other token opens it.
    let pushing = service.nobody().with_token(&token);
    let _ = pushing
        .get("connections")
        .await
        .problem(401, "unauthenticated");
    let _ = pushing
        .post("audit-logs", json!({}))
        .await
        .problem(401, "unauthenticated");
    let _ = admin
        .send(
            "POST",
            "metrics/write",
            Some("application/x-protobuf"),
            Vec::new(),
        )
        .await
        .problem(403, "forbidden");

    let configuration = format!(
        "global: {{ scrape_interval: 1s }}\n\
         scrape_configs:\n  - job_name: node\n    static_configs:\n      - targets: ['{target}']\n        labels: {{ host: '{host}' }}\n    \
         relabel_configs:\n      - source_labels: [host]\n        target_label: instance\n        replacement: '$1:9100'\n\
         remote_write:\n  - url: {}/api/v1/metrics/write\n    authorization: {{ credentials: {token} }}\n",
        service.url(),
    );
    let prometheus = Prometheus::start(&configuration, &[]).unwrap();

    let found = until("memory arrives", PATIENCE, || async {
        let points = points(&admin, &machine, "memory_utilization").await;
        (!points.is_empty()).then_some(points)
    })
    .await;

    assert!(
        found.iter().all(|point| point.to_string().contains("25")),
        "2 of 8 GiB are in use: {found:?}"
    );

    let source = admin.get(&path).await.expect(200).body;
    let pushed = &source["pushed"];
    assert!(
        pushed["pushes"].as_u64().unwrap() > 0 && pushed["mapped"].as_u64().unwrap() > 0,
        "{pushed}"
    );
    assert_eq!(
        (&pushed["refused"], &pushed["unmatched"]),
        (&json!(0), &json!(0)),
        "{}",
        prometheus.said().unwrap()
    );

    let preview = admin
        .post(&format!("{path}/preview"), json!({}))
        .await
        .expect(200)
        .body;
    let memory = &preview["rules"][0];
    assert_eq!(
        (&memory["series"], &memory["resources"]),
        (&json!(1), &json!(1)),
        "{preview:#}"
    );

    assert_eq!(
        (
            &memory["matches"][0]["resource_id"],
            &memory["matches"][0]["value"]
        ),
        (&json!(machine), &json!(25.0))
    );

    let unselected = preview["unselected"].as_array().unwrap();
    assert!(
        unselected
            .iter()
            .any(|metric| metric["name"] == "node_boot_time_seconds"),
        "{unselected:?}"
    );

    // Rules that are not stored yet say why nothing matches.
    let mut by_tag = source["rules"][0].clone();
    by_tag["locate_by"] = json!("tag");
    by_tag["tag"] = json!("host");
    let tried = admin
        .post(&format!("{path}/preview"), json!({ "rules": [by_tag] }))
        .await
        .expect(200)
        .body;
    assert_eq!(tried["rules"][0]["mapped"], 0);

    let reason = tried["rules"][0]["matches"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, format!("no resource has the tag host={host}:9100"));

    // With a new token the old one opens nothing any more, and neither does one of a source that is
    // gone.
    let rotated = admin
        .post(&format!("{path}/rotate-token"), json!({}))
        .await
        .expect(200)
        .text_at("/token");

    let knock = async |token: &str| {
        let api = service.nobody().with_token(token);
        api.send_with(
            "POST",
            "metrics/write",
            &[("content-encoding", "snappy")],
            Some("application/x-protobuf"),
            vec![0],
        )
        .await
    };
    let _ = knock(&token).await.problem(401, "unauthenticated");

    assert_eq!(knock(&rotated).await.status, 204, "an empty push");

    let _ = admin.delete(&path).await.expect(204);
    let _ = knock(&rotated).await.problem(401, "unauthenticated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_pushes_are_refused_for_good_and_named() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let source = json!({ "name": "push", "kind": "remote_write", "rules": [] });
    let made = admin.post("metrics/sources", source).await.expect(201);
    let path = format!("metrics/sources/{}", made.text_at("/id"));
    let api = service.nobody().with_token(&made.text_at("/token"));
    let push = async |kind: &str, encoding: &[(&str, &str)], body: Vec<u8>| {
        api.send_with("POST", "metrics/write", encoding, Some(kind), body)
            .await
    };
    let snappy: &[(&str, &str)] = &[("content-encoding", "snappy")];
    let v1 = "application/x-protobuf;proto=prometheus.WriteRequest";
    assert_eq!(push(v1, snappy, vec![0]).await.status, 204);

    let v2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
    for (kind, encoding) in [
        (v2, snappy),
        ("application/json", snappy),
        (v1, &[]),
        (v1, &[("content-encoding", "gzip")]),
    ] {
        let _ = push(kind, encoding, vec![0])
            .await
            .problem(415, "unsupported_media_type");
    }

    let answer = push(v1, snappy, b"no snappy".to_vec())
        .await
        .problem(400, "bad_request");
    assert!(answer.text.contains("snappy"), "{}", answer.text);

    // Snappy of the five bytes of a series that is cut off.
    let answer = push(v1, snappy, vec![3, 8, 0x0a, 9, 1])
        .await
        .problem(400, "bad_request");
    assert!(answer.text.contains("series 0"), "{}", answer.text);

    let _ = push(v1, snappy, vec![0; (8 << 20) + 1])
        .await
        .problem(413, "body_too_large");
    // The length in the header alone: 64 MiB.
    let _ = push(v1, snappy, vec![0x80, 0x80, 0x80, 0x20, 0])
        .await
        .problem(413, "body_too_large");
    let pushed = admin.get(&path).await.expect(200).body["pushed"].clone();
    assert_eq!(
        (&pushed["pushes"], &pushed["stored"]),
        (&json!(1), &json!(0)),
        "{pushed}"
    );

    let _ = admin
        .patch(&path, json!({ "enabled": false }))
        .await
        .expect(200);
    let _ = push(v1, snappy, vec![0]).await.problem(403, "forbidden");

    for (body, field) in [
        (json!({ "name": "x", "kind": "pull" }), "kind"),
        (json!({ "name": " ", "kind": "remote_write" }), "name"),
        (json!({ "name": "x", "kind": "query" }), "url"),
        (
            json!({ "name": "x", "kind": "query", "url": "http://127.0.0.1:9090" }),
            "url",
        ),
        (
            json!({ "name": "x", "kind": "query", "url": "https://p.example", "credentials": { "username": "u" } }),
            "credentials.password",
        ),
        (
            json!({ "name": "x", "kind": "remote_write", "rules": [{ "metric": "memory_utilization", "series": "{}", "locate_by": "id" }] }),
            "rules[0].series",
        ),
    ] {
        let answer = admin
            .post("metrics/sources", body)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(answer.body["errors"][0]["field"], field, "{}", answer.text);
    }

    let _ = admin
        .post(
            "metrics/sources",
            json!({ "name": "push", "kind": "remote_write" }),
        )
        .await
        .problem(409, "conflict");
}

/// Sixteen days of a machine that does little.
async fn measure(moto: &Moto, machine: &str) {
    let now = Timestamp::now();
    let points = |value: f64| -> Vec<(Timestamp, f64)> {
        let backs = (1..=16 * 288).rev();
        backs
            .map(|back| {
                (
                    now - SignedDuration::from_mins(5 * back),
                    value + (back % 7) as f64 * value / 100.0,
                )
            })
            .collect()
    };

    for (name, unit, value) in [
        ("CPUUtilization", "Percent", 6.0),
        ("NetworkIn", "Bytes", 600_000.0),
        ("NetworkOut", "Bytes", 600_000.0),
        ("EBSReadBytes", "Bytes", 600_000.0),
        ("EBSWriteBytes", "Bytes", 600_000.0),
        ("EBSReadOps", "Count", 300.0),
        ("EBSWriteOps", "Count", 300.0),
    ] {
        let metric = Metric {
            namespace: "AWS/EC2",
            name,
            unit,
            dimensions: &[("InstanceId", machine)],
        };
        moto.metric(REGION, metric, &points(value)).await.unwrap();
    }
}

/// Sixteen days of node_exporter on a machine of 16 GiB.
fn memory(host: &str, used_gib: f64) -> Vec<Past> {
    let now = Timestamp::now().as_second();
    let series = |name: &str, value: f64| {
        let points = (1..=16 * 1440)
            .rev()
            .map(|back| (now - 60 * back, value))
            .collect();
        (
            format!("{name}{{instance=\"{host}:9100\",job=\"node\"}}"),
            points,
        )
    };

    vec![
        series("node_memory_MemAvailable_bytes", (16.0 - used_gib) * GIB),
        series("node_memory_MemTotal_bytes", 16.0 * GIB),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_of_a_queried_prometheus_decides_about_sizes() {
    let moto = Moto::start().await.unwrap();
    let machines = moto
        .machines(REGION, "m5.xlarge", 2, &[("Name", "web")])
        .await
        .unwrap();
    let [roomy, full] = machines.as_slice() else {
        panic!("{machines:?}")
    };

    let mut past = memory(&address(&moto, roomy).await, 2.0);
    past.extend(memory(&address(&moto, full).await, 13.0));
    for machine in &machines {
        measure(&moto, machine).await;
    }

    let prometheus = Prometheus::start("global: {}\n", &past).unwrap();
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "cost_optimizer", "name": "Sizes", "mode": "learning", "learning_period": "14d",
        "confidence_threshold": "50%", "reason": "sixteen days are measured",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    let of = |found: &[Value], machine: &str| {
        found
            .iter()
            .find(|one| one["resource"]["id"] == machine && one["type"] == "right_size")
            .cloned()
    };

    let blind = findings_of(&admin, &agent, PATIENCE).await;
    let unmeasured = of(&blind, full).unwrap_or_else(|| panic!("{blind:#?}"));
    assert!(
        unmeasured["not_measured"].to_string().contains("memory"),
        "{unmeasured:#}"
    );

    let rules = node_exporter(&admin).await;
    let source =
        json!({ "name": "past", "kind": "query", "url": prometheus.url(), "rules": rules });
    let path = format!(
        "metrics/sources/{}",
        admin
            .post("metrics/sources", source)
            .await
            .expect(201)
            .text_at("/id")
    );

    let synced = until("the past is read", PATIENCE, || async {
        let source = admin.get(&path).await.expect(200).body;
        source["read_until"].is_string().then_some(source)
    })
    .await;
    let last = &synced["last_sync"];
    assert_eq!(
        (&last["problems"], &last["mapped"], &last["unmapped"]),
        (&json!([]), &json!(2), &json!(0)),
        "{last:#}"
    );

    assert!(
        last["samples"].as_u64().unwrap() >= 2 * 15 * 288,
        "{last:#}"
    );

    let preview = admin
        .post(&format!("{path}/preview"), json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(preview["rules"][0]["resources"], 2, "{preview:#}");

    let seeing = findings_of(&admin, &agent, PATIENCE).await;
    let withdrawn = of(&seeing, full).unwrap();
    assert_eq!(
        withdrawn["status"], "expired",
        "13 GiB in use do not fit into 8: {withdrawn:#}"
    );
    assert!(
        withdrawn["status_reason"]
            .as_str()
            .unwrap()
            .contains("memory_bound"),
        "{withdrawn:#}"
    );

    let smaller = of(&seeing, roomy).unwrap_or_else(|| panic!("{seeing:#?}"));
    assert_ne!(smaller["status"], "expired", "{smaller:#}");
    assert!(
        !smaller["not_measured"].to_string().contains("memory"),
        "{smaller:#}"
    );
}
