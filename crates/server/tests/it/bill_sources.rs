//! Bills in a bucket: read once, read again where a month is restated, dropped with their objects,
//! and named where they cannot be read.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{ADMIN_TOKEN, EMULATORS, Service, reeve};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
const REGION: &str = "us-east-1";
const HEADER: &str = "BilledCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ProviderName,ServiceName,SubAccountId,ResourceId";
/// Three days of one machine at $20.25, as DuckDB writes Parquet: doubles, decimals, times with and
/// without zones, a map of tags.
const PARQUET: &[u8] = include_bytes!("../fixtures/focus.parquet");

fn bill(day: &str, cost: &str) -> Vec<u8> {
    format!("{HEADER}\n{cost},USD,{day}T00:00:00Z,{day}T23:00:00Z,Usage,AWS,Amazon EC2,111122223333,i-1\n").into_bytes()
}

/// Adds a connection and a source; the path of the source.
async fn source(admin: &Api, endpoint: &str, bucket: &str) -> String {
    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": endpoint,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG" },
    });
    let connection = admin
        .post("connections", connection)
        .await
        .expect(201)
        .text_at("/id");
    let source = json!({ "name": "focus", "connection_id": connection, "bucket": bucket, "prefix": "exports/" });

    format!(
        "bills/sources/{}",
        admin
            .post("bills/sources", source)
            .await
            .expect(201)
            .text_at("/id")
    )
}

/// Reads the bucket and waits for it.
async fn synced(admin: &Api, path: &str) -> Value {
    let last = admin.get(path).await.expect(200).body["last_sync"]["finished_at"].clone();
    // One may be running, which began before what the test has just done.
    until("a sync begins", PATIENCE, || async {
        (admin.post(&format!("{path}/sync"), json!({})).await.status == 202).then_some(())
    })
    .await;
    until("the sync ended", PATIENCE, || async {
        let sync = admin.get(path).await.expect(200).body["last_sync"].clone();
        (sync.is_object() && sync["finished_at"] != last).then_some(sync)
    })
    .await
}

/// Content of the files of the folder that agents read bills from, sorted.
fn files(home: &std::path::Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(home.join("charges"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut all: Vec<Vec<u8>> = entries.map(|path| std::fs::read(path).unwrap()).collect();
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_is_mirrored_and_a_restated_month_replaced() {
    let moto = Moto::start().await.unwrap();
    moto.bucket(REGION, "acme-bills", &[]).await.unwrap();
    let october = "exports/2026-10/part-0.snappy.parquet";
    moto.object(REGION, &format!("acme-bills/{october}"), PARQUET.to_vec())
        .await
        .unwrap();
    moto.object(
        REGION,
        "acme-bills/exports/2026-11/part-0.csv",
        bill("2026-11-01", "10"),
    )
    .await
    .unwrap();

    moto.object(REGION, "acme-bills/exports/Manifest.json", b"{}".to_vec())
        .await
        .unwrap();
    moto.object(
        REGION,
        "acme-bills/elsewhere.csv",
        bill("2026-11-02", "1000"),
    )
    .await
    .unwrap();

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let path = source(&admin, moto.endpoint(), "acme-bills").await;
    let first = until("the first sync", PATIENCE, || async {
        let sync = admin.get(&path).await.expect(200).body["last_sync"].clone();
        sync.is_object().then_some(sync)
    })
    .await;

    assert_eq!(
        (&first["bills"], &first["read"], &first["problems"]),
        (&json!(2), &json!(2), &json!([])),
        "{first:#}"
    );

    assert_eq!(
        files(home.path()),
        [bill("2026-11-01", "10"), PARQUET.to_vec()]
    );
    for file in std::fs::read_dir(home.path().join("charges")).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(
            mode & 0o777,
            0o600,
            "bills are for the service's account alone"
        );
    }

    let again = synced(&admin, &path).await;
    assert_eq!(
        (&again["bills"], &again["read"], &again["dropped"]),
        (&json!(2), &json!(0), &json!(0)),
        "{again:#}"
    );

    // November is restated under its name and grows a part; October is gone.
    moto.object(
        REGION,
        "acme-bills/exports/2026-11/part-0.csv",
        bill("2026-11-01", "12"),
    )
    .await
    .unwrap();

    moto.object(
        REGION,
        "acme-bills/exports/2026-11/part-1.csv",
        bill("2026-11-03", "7"),
    )
    .await
    .unwrap();

    moto.remove_object(REGION, &format!("acme-bills/{october}"))
        .await
        .unwrap();
    let restated = synced(&admin, &path).await;
    assert_eq!(
        (&restated["bills"], &restated["read"], &restated["dropped"]),
        (&json!(2), &json!(2), &json!(2)),
        "{restated:#}"
    );

    assert_eq!(
        files(home.path()),
        [bill("2026-11-01", "12"), bill("2026-11-03", "7")]
    );

    let entries = admin
        .get("audit-logs?query=resource.type:bill_source action.operation:sync")
        .await
        .expect(200);
    assert!(
        entries.body["total"].as_u64().unwrap() >= 3,
        "{}",
        entries.text
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_missing_is_named_and_wrong_fields_are_refused() {
    let moto = Moto::start().await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let path = source(&admin, moto.endpoint(), "no-such-bucket").await;
    let failed = until("the sync failed", PATIENCE, || async {
        let sync = admin.get(&path).await.expect(200).body["last_sync"].clone();
        sync.is_object().then_some(sync)
    })
    .await;

    assert!(
        failed["problems"][0]
            .as_str()
            .unwrap()
            .contains("NoSuchBucket"),
        "{failed:#}"
    );

    let connection = admin.get(&path).await.expect(200).text_at("/connection_id");
    for (field, body) in [
        (
            "bucket",
            json!({ "name": "x", "connection_id": connection, "bucket": "No Bucket" }),
        ),
        (
            "name",
            json!({ "name": "", "connection_id": connection, "bucket": "bucket" }),
        ),
        (
            "region",
            json!({ "name": "x", "connection_id": connection, "bucket": "bucket", "region": "US" }),
        ),
        (
            "connection_id",
            json!({ "name": "x", "connection_id": "c", "bucket": "bucket" }),
        ),
    ] {
        let answer = admin
            .post("bills/sources", body)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(answer.body["errors"][0]["field"], field, "{}", answer.text);
    }

    let taken = json!({ "name": "focus", "connection_id": connection, "bucket": "bucket" });
    let _ = admin
        .post("bills/sources", taken)
        .await
        .problem(409, "conflict");

    // Files of a source that is gone are dropped.
    let folder = home.path().join("charges");
    std::fs::create_dir_all(&folder).unwrap();
    let id = path.rsplit('/').next().unwrap();
    let file = folder.join(format!("s3-{id}-0.csv"));
    std::fs::write(&file, bill("2026-11-01", "1")).unwrap();
    let _ = admin.delete(&path).await.expect(204);
    until("its file is dropped", PATIENCE, || async {
        (!file.exists()).then_some(())
    })
    .await;
}

/// Runs `reeve bills` against a service; its exit code and output.
fn bills(service: &Service, arguments: &[&str]) -> (Option<i32>, String) {
    let all = [
        &["bills"],
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
async fn the_command_line_manages_sources() {
    let moto = Moto::start().await.unwrap();
    moto.bucket(REGION, "acme-bills", &[]).await.unwrap();
    moto.object(
        REGION,
        "acme-bills/exports/2026-11/part-0.csv",
        bill("2026-11-01", "10"),
    )
    .await
    .unwrap();

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    assert_eq!(bills(&service, &["list"]), (Some(0), String::new()));

    let first = source(&admin, moto.endpoint(), "acme-bills").await;
    let connection = admin
        .get(&first)
        .await
        .expect(200)
        .text_at("/connection_id");
    let file = home.path().join("sources.json");
    let more = json!([{ "name": "second", "connection_id": connection, "bucket": "acme-bills", "prefix": "elsewhere/" }]);
    std::fs::write(&file, more.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let (code, made) = bills(&service, &["create", "-f", file]);
    assert!(
        code == Some(0) && made.contains("s3://acme-bills/elsewhere/"),
        "{made}"
    );

    let (code, refused) = bills(&service, &["create", "-f", file]);
    assert!(
        code == Some(2) && refused.contains("exists already"),
        "{refused}"
    );

    let last = until("the first is read", PATIENCE, || async {
        let (_, shown) = bills(&service, &["show", "focus"]);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        shown["last_sync"]
            .is_object()
            .then(|| shown["last_sync"].clone())
    })
    .await;

    assert_eq!(
        (&last["bills"], &last["read"]),
        (&json!(1), &json!(1)),
        "{last}"
    );

    // The first one may not have ended yet, which is a conflict.
    until("a sync begins", PATIENCE, || async {
        (bills(&service, &["sync", "focus"]).0 == Some(0)).then_some(())
    })
    .await;
    let (code, listed) = bills(&service, &["list"]);
    assert!(
        code == Some(0) && listed.lines().count() == 2 && listed.contains("1 files, "),
        "{listed}"
    );
    assert_eq!(
        bills(&service, &["delete", "second"]),
        (Some(0), String::new())
    );

    let (code, refused) = bills(&service, &["delete", "second"]);
    assert!(
        code == Some(2) && refused.contains("there is no bill source \"second\""),
        "{refused}"
    );

    let (_, listed) = bills(&service, &["list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
}
