//! The catalogue of Iceberg tables in a real service, read by DuckDB and PyIceberg: what is in a
//! table, who gets it, and what an expiry and an erasure leave of it.

// Says that the engines are not there.
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use reeve_testkit::http::{Api, encoded};
use reeve_testkit::service::{EMULATORS, Service};
use reeve_testkit::storage::{BUCKET, Kind, S3_KEY, Storage};
use serde_json::{Value, json};

use crate::erasures::{approved, approvers, ended};
use crate::retention::seed;
use crate::tiers::folders;

const CATALOGUE: &str = "audit-logs/iceberg/v1";
const TABLES: &str = "audit-logs/iceberg/v1/namespaces/audit/tables";

/// Reads a table with both engines: identifier, sequence, time and user of each entry, and how many
/// entries are not older than a time.
const READ_TABLE: &str = r#"
import datetime, glob, importlib.util, json, sys
import duckdb
from pyiceberg.catalog.rest import RestCatalog

uri, token, name, since, endpoint, key, secret = sys.argv[1:8]
columns = ("event_id", "sequence", "timestamp", "actor_id")

engine = duckdb.connect()
for extension in ("avro", "httpfs", "iceberg"):
    [folder] = importlib.util.find_spec(f"duckdb_extension_{extension}").submodule_search_locations
    [file] = glob.glob(f"{folder}/extensions/*/{extension}.duckdb_extension")
    engine.load_extension(file)
engine.sql("SET TimeZone = 'UTC'")
if endpoint:
    engine.sql(f"CREATE SECRET (TYPE s3, KEY_ID '{key}', SECRET '{secret}', ENDPOINT '{endpoint}', USE_SSL false, URL_STYLE 'path', REGION 'us-east-1')")
engine.sql(f"ATTACH 'reeve' AS reeve (TYPE iceberg, ENDPOINT '{uri}', TOKEN '{token}')")
by_duckdb = engine.sql(f"SELECT {', '.join(columns)} FROM reeve.audit.{name} ORDER BY sequence").fetchall()
recent = engine.sql(f"SELECT count(*) FROM reeve.audit.{name} WHERE timestamp >= TIMESTAMPTZ '{since}'").fetchone()

s3 = {"s3.endpoint": f"http://{endpoint}", "s3.access-key-id": key, "s3.secret-access-key": secret, "s3.region": "us-east-1"}
catalog = RestCatalog("reeve", uri=uri, token=token, **(s3 if endpoint else {}))
table = catalog.load_table(("audit", name))
rows = table.scan(selected_fields=columns).to_arrow().sort_by("sequence").to_pylist()
by_pyiceberg = [[row[column] for column in columns] for row in rows]
same = table.scan(row_filter=f"timestamp >= '{since}'").count()
names = [[list(space), [name for _, name in catalog.list_tables(space)]] for space in catalog.list_namespaces()]

shown = lambda rows: [[value.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if isinstance(value, datetime.datetime) else value for value in row] for row in rows]
print(json.dumps({"names": names, "recent": [recent[0], same], "duckdb": shown(by_duckdb), "pyiceberg": shown(by_pyiceberg)}))
"#;

/// Entries of a table, which both engines read alike: identifier, sequence, time, user. `None` where
/// there is no Python with the engines.
fn read(service: &Service, table: &str, since: &str, s3: [&str; 3]) -> Option<Value> {
    let Some(python) = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty()) else {
        println!("skipped: no Python with DuckDB and PyIceberg");
        return None;
    };
    let uri = format!("{}/api/v1/audit-logs/iceberg", service.url());
    let output = Command::new(python)
        .args(["-c", READ_TABLE, &uri, service.admin_token(), table, since])
        .args(s3)
        .output()
        .unwrap();
    let fault = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{fault}");
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read["duckdb"], read["pyiceberg"]);
    Some(read)
}

/// Sealed entries as the log lists them, in the form of [`read`].
async fn listed(admin: &Api, query: &str) -> Value {
    let path = format!("audit-logs?limit=100&query={}", encoded(query));
    let items = admin.get(&path).await.expect(200).body["items"].clone();
    let mut rows: Vec<Value> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let time = entry["timestamp"].as_str().unwrap().replace('Z', "000Z");
            json!([
                entry["event_id"],
                entry["integrity"]["sequence"],
                time,
                entry["actor"]["id"]
            ])
        })
        .collect();
    rows.sort_by_key(|row| row[1].as_u64());
    Value::Array(rows)
}

async fn load(api: &Api, table: &str) -> Value {
    api.get(&format!("{TABLES}/{table}")).await.expect(200).body
}

/// Files of the metadata below a folder.
fn metadata(root: &Path, table: &str) -> BTreeSet<PathBuf> {
    let folder = root.join("lake/iceberg").join(table).join("metadata");
    let files = std::fs::read_dir(folder).into_iter().flatten();
    files.map(|file| file.unwrap().path()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_engines_read_the_sealed_entries() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 10).await;
    let service = Service::serve(&data, &[]).unwrap();
    let admin = service.admin();

    // Both engines read what the log lists, but the entries that are not sealed yet.
    let expected = listed(&admin, "actor.id:(alice OR bob)").await;
    assert_eq!(expected.as_array().unwrap().len(), 80);
    let since = expected[79][2].as_str().unwrap().replace('Z', "+00:00");
    if let Some(read) = read(&service, "entries", &since, [""; 3]) {
        assert_eq!(read["duckdb"], expected);
        assert_eq!(read["names"], json!([[["audit"], ["entries"]]]));
        assert_eq!(read["recent"], json!([4, 4]));
    }

    // A namespace has no children, or a client would follow it for ever.
    let children = admin
        .get(&format!("{CATALOGUE}/namespaces?parent=audit"))
        .await
        .expect(200);
    assert_eq!(children.body, json!({ "namespaces": [] }));
    for path in ["namespaces/other", "namespaces/audit/tables/entries_warm"] {
        let _ = admin
            .get(&format!("{CATALOGUE}/{path}"))
            .await
            .problem(404, "not_found");
    }

    // The same segments are the same snapshot, and each answer is an entry.
    let first = load(&admin, "entries").await;
    assert_eq!(load(&admin, "entries").await, first);
    assert_eq!(first["metadata"]["snapshots"].as_array().unwrap().len(), 1);
    let uses = "audit-logs?query=event_type:audit.lake.read";
    let uses = admin.get(uses).await.expect(200).body;
    let newest = &uses["items"][0];
    assert_eq!(newest["metadata"]["found"], json!(80), "{newest}");
    assert_eq!(newest["metadata"]["request"]["table"], "entries");

    // Whoever sees the whole log may not have it read elsewhere for that reason.
    let (_, analyst) = admin
        .person("ana@acme.example", &["security_analyst"], &[])
        .await;
    for path in ["config", "namespaces", "namespaces/audit/tables/entries"] {
        let _ = analyst
            .get(&format!("{CATALOGUE}/{path}"))
            .await
            .problem(403, "forbidden");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_erased_or_has_expired_is_in_no_snapshot() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 10).await;
    let service = Service::serve(&data, &[]).unwrap();
    let admin = service.admin();
    let [berta, carl] = approvers(&admin).await;
    let before = load(&admin, "entries").await;
    let published = metadata(&data, "entries");
    assert_eq!(published.len(), 3);

    // An erasure takes the metadata away that names the old files, though nobody asks for it.
    let request = approved(&admin, json!({ "actor_id": "alice" }), [&berta, &carl]).await;
    let _ = ended(&admin, &request, "completed").await;
    assert_eq!(metadata(&data, "entries"), BTreeSet::new());
    let after = load(&admin, "entries").await;
    let snapshot = "current-snapshot-id";
    assert_ne!(after["metadata"][snapshot], before["metadata"][snapshot]);
    let expected = listed(&admin, "actor.id:bob").await;
    if let Some(read) = read(&service, "entries", "2001-01-01T00:00:00+00:00", [""; 3]) {
        assert_eq!(read["duckdb"], expected);
        assert_eq!(read["recent"], json!([40, 40]));
    }

    // So does an expiry. From the change of the policies on, no answer has what is past its period.
    let policies = json!([
        { "name": "views", "event_types": ["resource.view"], "hot_days": 1, "warm_days": 0, "cold_years": 0 },
        { "name": "rest", "event_types": ["*"], "hot_days": 90, "warm_days": 365, "cold_years": 7 }
    ]);
    let saved = json!({ "policies": policies, "version": 0 });
    let _ = admin.put("audit-logs/retention", saved).await.expect(200);
    let hidden = load(&admin, "entries").await;
    let total = "/metadata/snapshots/0/summary/total-records";
    assert_eq!(hidden.pointer(total), Some(&json!("20")), "{hidden}");
    let _ = load(&admin, "entries").await;
    let run = admin.post("audit-logs/retention/run", json!({})).await;
    assert_eq!(run.expect(200).body["failures"], json!([]));
    assert_eq!(load(&admin, "entries").await, hidden);
    assert_eq!(metadata(&data, "entries").len(), 3);
    let expected = listed(&admin, "actor.id:bob").await;
    if let Some(read) = read(&service, "entries", "2001-01-01T00:00:00+00:00", [""; 3]) {
        assert_eq!(read["duckdb"], expected);
        assert_eq!(expected.as_array().unwrap().len(), 20);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn warm_entries_are_read_from_their_bucket() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 1_000).await;
    let storage = Storage::start(Kind::S3).await.unwrap();
    let endpoint = format!("127.0.0.1:{}", storage.port());
    let tiers = format!(
        "{{ warm = {{ bucket = '{BUCKET}', region = 'us-east-1', prefix = 'log', endpoint = 'http://{endpoint}', access_key_id = '{}', secret_access_key = '{}' }} }}",
        S3_KEY.0, S3_KEY.1
    );
    let variables = [("REEVE_TIERS", tiers.as_str()), EMULATORS];
    let service = Service::serve(&data, &variables).unwrap();
    let admin = service.admin();
    let s3 = [endpoint.as_str(), S3_KEY.0, S3_KEY.1];
    let ever = "2001-01-01T00:00:00+00:00";

    // Without warm segments the table is there and empty.
    if let Some(read) = read(&service, "entries_warm", ever, s3) {
        assert_eq!(read["duckdb"], json!([]));
    }

    let policies = json!([
        { "name": "view", "event_types": ["resource.view"], "hot_days": 1, "warm_days": 36_000, "cold_years": 0 },
        { "name": "rest", "event_types": ["*"], "hot_days": 36_000, "warm_days": 1, "cold_years": 0 }
    ]);
    let saved = json!({ "policies": policies, "version": 0 });
    let _ = admin.put("audit-logs/retention", saved).await.expect(200);
    let run = admin.post("audit-logs/retention/run", json!({})).await;
    assert_eq!(run.expect(200).body["moved_entries"], json!(40));
    let views = listed(&admin, "event_type:resource.view").await;
    let all = listed(&admin, "actor.id:(alice OR bob)").await;
    for (table, expected) in [("entries_warm", &views), ("entries", &all)] {
        if let Some(read) = read(&service, table, ever, s3) {
            assert_eq!(read["duckdb"], *expected, "{table}");
        }
    }

    // The bucket has the metadata of the present snapshot alone.
    let _ = load(&admin, "entries_warm").await;
    let objects = storage.objects().await.unwrap();
    let published = objects
        .keys()
        .filter(|name| name.starts_with("log/lake/iceberg/entries_warm/"));
    assert_eq!(published.count(), 3, "{:?}", objects.keys());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_of_the_warm_tier_is_published_too() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 10).await;
    let tiers = folders(home.path());
    let service = Service::serve(&data, &[("REEVE_TIERS", tiers.as_str())]).unwrap();
    let admin = service.admin();
    let table = load(&admin, "entries_warm").await;
    let location = format!("file://{}", home.path().join("warm").display());
    let metadata_location = table["metadata-location"].as_str().unwrap();
    assert!(metadata_location.starts_with(&location), "{table}");
    assert_eq!(metadata(&home.path().join("warm"), "entries_warm").len(), 3);
}
