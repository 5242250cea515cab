//! Price files: imported, in force at once for syncs and judgements, kept over a restart, removed,
//! and refused with line and field.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::moto::seed::Metric;
use reeve_testkit::service::{ADMIN_TOKEN, EMULATORS, Service, reeve};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const MACHINES: &str = "# provider: aws\n# kind: machines\n# source: Acme's agreement\n# date: 2026-11-01\n\
    region,name,linux/on_demand\nus-east-1,m5.2xlarge,1\nus-east-1,m5.xlarge,0.5\nus-east-1,m5.large,0.25\n";

async fn import(admin: &Api, kind: &str, body: &[u8]) -> reeve_testkit::http::Answer {
    admin
        .send("POST", "prices", Some(kind), body.to_vec())
        .await
}

async fn tables(admin: &Api) -> Vec<Value> {
    admin.get("prices").await.expect(200).items().to_vec()
}

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_imported_price_is_in_force_at_once_for_syncs_and_judgements() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let bundled = tables(&admin).await;
    assert!(
        bundled
            .iter()
            .all(|table| table["origin"] == "bundled" && table["import"].is_null()),
        "{bundled:#?}"
    );

    assert_eq!(
        import(&admin, "text/csv", MACHINES.as_bytes())
            .await
            .expect(201)
            .body["prices"],
        3
    );

    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines(REGION, "m5.2xlarge", 1, &[("Name", "reports")])
        .await
        .unwrap()
        .remove(0);
    let dimensions = [("InstanceId", id.as_str())];
    let cpu = Metric {
        namespace: "AWS/EC2",
        name: "CPUUtilization",
        unit: "Percent",
        dimensions: &dimensions,
    };
    moto.metric(REGION, cpu, &quiet()).await.unwrap();

    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": moto.endpoint(),
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

    // The inventory is written before the samples are, and an agent that ran in between would
    // abstain.
    until("the end of the sync", PATIENCE, || async {
        admin.get(&connection).await.expect(200).body["last_sync"]["finished_at"]
            .is_string()
            .then_some(())
    })
    .await;

    let machine = admin.get(&format!("resources/{id}")).await.expect(200).body;
    assert_eq!(machine["monthly_cost"], json!(730.0), "{machine:#}");

    let agent = json!({
        "agent_type": "cost_optimizer", "name": "Costs", "mode": "active", "confidence_threshold": "50%",
        "reason": "the account has fourteen days of history",
    });
    let _ = admin.post("intelligence/agents", agent).await.expect(201);
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
    let to = found["resource"].to_string() + &found["title"].to_string();

    let expected = if to.contains("m5.xlarge") {
        365.0
    } else {
        547.5
    };
    assert_eq!(found["savings"]["monthly"], json!(expected), "{found:#}");

    let factors = found["explanation"]["explanation"]["factors"].to_string();
    assert!(
        factors.contains("Acme's agreement of 2026-11-01"),
        "{factors}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_kept_over_a_restart_recorded_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let packed = zstd::encode_all(MACHINES.as_bytes(), 3).unwrap();
    let table = import(&admin, "application/zstd", &packed)
        .await
        .expect(201)
        .body;
    assert_eq!(
        (&table["source"], &table["import"]["bytes"]),
        (&json!("Acme's agreement"), &json!(packed.len()))
    );

    let first = tables(&admin).await.remove(0);
    assert_eq!(first, table, "it goes before the bundled ones");

    let sha256 = table["import"]["sha256"].as_str().unwrap().to_owned();
    service.stop().unwrap();

    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    assert_eq!(tables(&admin).await[0]["import"]["sha256"], json!(sha256));

    let replaced = MACHINES.replace("2026-11-01", "2020-01");
    let old = import(&admin, "text/csv", replaced.as_bytes())
        .await
        .expect(201)
        .body;
    assert_eq!(old["outdated"], true, "{old}");
    assert_eq!(
        tables(&admin)
            .await
            .iter()
            .filter(|table| table["origin"] == "imported")
            .count(),
        1,
        "one of a kind"
    );

    let _ = admin.delete("prices/aws/machines").await.expect(204);
    let _ = admin
        .delete("prices/aws/machines")
        .await
        .problem(404, "not_found");
    let _ = admin
        .delete("prices/sky/machines")
        .await
        .problem(404, "not_found");
    assert!(
        tables(&admin)
            .await
            .iter()
            .all(|table| table["origin"] == "bundled")
    );

    let entries = admin
        .get("audit-logs?query=event_type:price_file.*%20status:success")
        .await
        .expect(200);
    let kinds: Vec<_> = entries
        .items()
        .iter()
        .map(|entry| entry["event_type"].clone())
        .collect();

    assert_eq!(
        kinds,
        [
            json!("price_file.delete"),
            json!("price_file.import"),
            json!("price_file.import")
        ]
    );

    assert_eq!(
        entries.items()[2]["changes"]["after"]["sha256"],
        json!(sha256),
        "{}",
        entries.text
    );

    assert_eq!(
        entries.items()[1]["changes"]["before"]["sha256"],
        json!(sha256),
        "{}",
        entries.text
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_defect_is_named_and_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let _ = import(&admin, "text/csv", MACHINES.as_bytes())
        .await
        .expect(201);
    let before = tables(&admin).await;
    let refused = import(
        &admin,
        "text/csv",
        MACHINES.replace("0.25", "free").as_bytes(),
    )
    .await;
    let refused = refused.problem(422, "invalid_fields");

    assert_eq!(
        refused.body["errors"][0]["field"], "linux/on_demand",
        "{}",
        refused.text
    );

    assert!(
        refused
            .text_at("/errors/0/message")
            .starts_with("line 8: \"free\" is not a price"),
        "{}",
        refused.text
    );

    let _ = import(&admin, "application/json", b"{}")
        .await
        .problem(415, "unsupported_media_type");
    let _ = import(&admin, "text/csv", &vec![b'#'; (32 << 20) + 1])
        .await
        .problem(413, "body_too_large");
    let _ = import(&admin, "text/csv", b"")
        .await
        .problem(422, "invalid_fields");
    let (_, auditor) = admin
        .person("viewer@acme.example", &["compliance_officer"], &[])
        .await;
    let _ = import(&auditor, "text/csv", MACHINES.as_bytes())
        .await
        .problem(403, "forbidden");
    assert_eq!(tables(&admin).await, before);
}

/// Runs `reeve prices` against a service.
fn prices(service: &Service, arguments: &[&str]) -> (Option<i32>, String) {
    let all = [
        &["prices"],
        arguments,
        &["--url", service.url(), "--token", ADMIN_TOKEN],
    ]
    .concat();
    let output = reeve(&all).unwrap();

    (
        output.status.code(),
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_shows_imports_and_removes_prices() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let file = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };

    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (code, shown) = prices(&service, &["import", &text(&file("prices.csv", MACHINES))]);
    assert!(
        code == Some(0) && shown.contains("3 prices in 1 region "),
        "{shown}"
    );

    let (code, shown) = prices(&service, &["show"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(
        code == Some(0)
            && lines[0].contains("imported")
            && lines[0].contains("Acme's agreement of 2026-11-01")
    );

    let old = lines
        .iter()
        .find(|line| line.contains("AWS price list of 2025-05-28"))
        .unwrap();
    assert!(
        old.starts_with("aws") && old.contains("days old, outdated"),
        "{old}"
    );

    let (code, shown) = prices(&service, &["show", "--json"]);
    let list: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (code, &list["items"][0]["kind"]),
        (Some(0), &json!("machines"))
    );

    let (code, refused) = prices(
        &service,
        &[
            "import",
            &text(&file("bad.csv", &MACHINES.replace("aws", "sky"))),
        ],
    );

    assert_eq!(code, Some(2), "{refused}");
    assert!(
        refused.contains("provider: line 1: must be aws, azure or gcp"),
        "{refused}"
    );
    assert_eq!(
        prices(&service, &["remove", "aws", "machines"]),
        (Some(0), String::new())
    );

    let (code, refused) = prices(&service, &["remove", "aws", "machines"]);
    assert!(
        code == Some(2) && refused.contains("price file aws/machines does not exist"),
        "{refused}"
    );
}
