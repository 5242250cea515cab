//! Streams out over the whole service: entries arrive at once and in order, a receiver that is down,
//! hangs or refuses loses nothing and holds nothing up, and people repair what failed.

#[path = "../../../connect/streams/tests/it/hec.rs"]
mod hec;

use std::time::{Duration, Instant};

use reeve_testkit::http::{Api, until};
use reeve_testkit::rsyslog::Rsyslog;
use reeve_testkit::service::{EMULATORS, Service};
use reeve_testkit::storage::{BUCKET, Kind, S3_KEY, Storage};
use serde_json::{Value, json};

use hec::{Behavior, Hec, TOKEN};

const PATIENCE: Duration = Duration::from_secs(60);
const STREAMS: &str = "audit-logs/integrations";

/// Appends entries, and returns their identifiers.
async fn append(api: &Api, from: usize, count: usize) -> Vec<String> {
    let ids: Vec<String> = (from..from + count)
        .map(|n| format!("streamed-{n:05}"))
        .collect();
    for ids in ids.chunks(500) {
        let entries: Vec<Value> = ids
            .iter()
            .map(|id| {
                json!({ "event_id": id, "event_type": "resource.modify", "timestamp": "2026-05-01T00:00:00Z",
                    "actor": { "type": "user", "id": "ann" }, "action": { "operation": "x", "status": "success", "method": "api" } })
            })
            .collect();
        let _ = api.post("audit-logs", json!(entries)).await.expect(201);
    }
    ids
}

fn splunk(name: &str, url: &str) -> Value {
    json!({ "name": name, "type": "splunk_hec", "query": "event_type:resource.modify", "secret": TOKEN,
        "settings": { "url": url, "source_type": "reeve:audit" } })
}

/// Adds a stream, and returns its path.
async fn add(admin: &Api, body: Value) -> String {
    let made = admin.post(STREAMS, body).await.expect(201);
    format!("{STREAMS}/{}", made.text_at("/id"))
}

/// Waits until the collector has exactly these entries, first occurrences in order.
async fn arrived(hec: &Hec, expected: &[String]) {
    until("the entries", PATIENCE, async || {
        let mut seen = Vec::new();
        for id in hec.event_ids() {
            if !seen.contains(&id) {
                seen.push(id);
            }
        }
        (seen == expected).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_entry_arrives_within_a_second_and_a_receiver_that_was_down_gets_everything_in_order() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let hec = Hec::start(Behavior {
        acknowledges: true,
        ..Behavior::default()
    })
    .await;
    let path = add(&admin, splunk("Splunk", &hec.url)).await;
    let tested = admin
        .post(&format!("{path}/test"), Value::Null)
        .await
        .expect(200);
    assert_eq!(tested.body["delivered"], true, "{tested:?}");
    hec.with(|collected| collected.events.clear());

    // One entry alone, once the runner is there.
    let mut expected = append(&admin, 0, 1).await;
    arrived(&hec, &expected).await;
    let begun = Instant::now();
    expected.extend(append(&admin, 1, 1).await);
    arrived(&hec, &expected).await;
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );

    // A collector that is busy gets everything once it is not.
    hec.with(|collected| collected.behavior.busy = 1);
    expected.extend(append(&admin, 2, 700).await);
    arrived(&hec, &expected).await;

    // The cursor moves once the collector has acknowledged.
    until("the confirmation", PATIENCE, async || {
        let status = admin.get(&format!("{path}/status")).await.expect(200);
        let is_done = status.body["sent_entries"] == 702 && status.body["health"] == "healthy";
        is_done.then_some(())
    })
    .await;

    // What the log says about it, and what it never says.
    let entries = admin
        .get("audit-logs?query=event_type:integration.create")
        .await
        .expect(200);
    assert_eq!(
        entries.body["items"][0]["changes"]["after"]["type"],
        "splunk_hec"
    );
    assert!(!entries.text.contains(TOKEN));
    let shown = admin.get(STREAMS).await.expect(200);
    assert!(!shown.text.contains(TOKEN) && shown.body["items"][0]["has_secret"] == true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_between_send_and_cursor_repeats_entries_and_loses_none() {
    let home = tempfile::tempdir().unwrap();
    let hec = Hec::start(Behavior::default()).await;
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let path = add(&service.admin(), splunk("Splunk", &hec.url)).await;
    let mut expected = append(&service.admin(), 0, 300).await;
    until("the first entries", PATIENCE, async || {
        (!hec.event_ids().is_empty()).then_some(())
    })
    .await;

    // Killed while it sends, then with a collector that hangs with a batch.
    expected.extend(append(&service.admin(), 300, 700).await);
    service.kill().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    arrived(&hec, &expected).await;
    hec.with(|collected| collected.behavior.hangs = true);
    expected.extend(append(&service.admin(), 1000, 50).await);
    service.kill().unwrap();

    hec.with(|collected| collected.behavior.hangs = false);
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    arrived(&hec, &expected).await;

    // From the beginning again: everything twice, by the same identifiers.
    let before = hec.event_ids().len();
    let replay = json!({ "sequence": 0 });
    let admin = service.admin();
    let _ = admin
        .post(&format!("{path}/replay"), replay)
        .await
        .expect(200);
    until("the replay", PATIENCE, async || {
        (hec.event_ids().len() >= before + expected.len()).then_some(())
    })
    .await;
    arrived(&hec, &expected).await;
    let beyond = json!({ "sequence": 1_000_000_000_u64 });
    let refused = admin
        .post(&format!("{path}/replay"), beyond)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "sequence");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_entry_is_a_dead_letter_that_people_send_again_or_drop() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let hec = Hec::start(Behavior {
        poison: Some("streamed-0001".to_owned()),
        hides_number: true,
        ..Behavior::default()
    })
    .await;
    let path = add(&admin, splunk("Splunk", &hec.url)).await;
    let ids = append(&admin, 0, 12).await;
    let good: Vec<String> = ids[..10].to_vec();
    arrived(&hec, &good).await;

    let letters = until("the dead letters", PATIENCE, async || {
        let letters = admin.get(&format!("{path}/dead-letters")).await.expect(200);
        (letters.body["total"] == 2).then_some(letters)
    })
    .await;
    let sequences: Vec<u64> = letters
        .items()
        .iter()
        .filter_map(|letter| letter["sequence"].as_u64())
        .collect();
    assert_eq!(letters.items()[0]["event_id"], ids[10].as_str());
    assert!(letters.text.contains("code 6"), "{letters:?}");
    let recorded = until("the entry about it", PATIENCE, async || {
        let found = admin
            .get("audit-logs?query=event_type:integration.stream")
            .await
            .expect(200);
        found.items().first().cloned()
    })
    .await;
    assert_eq!(recorded["action"]["operation"], "stream.dead_letter");

    // Refused again, then repaired; the other one is dropped.
    let again = format!("{path}/dead-letters/{}/replay", sequences[0]);
    let refused = admin.post(&again, Value::Null).await.expect(200);
    assert_eq!(refused.body["delivered"], false);
    hec.with(|collected| collected.behavior.poison = None);
    let taken = admin.post(&again, Value::Null).await.expect(200);
    assert_eq!(taken.body["delivered"], true, "{taken:?}");
    assert_eq!(hec.event_ids().last(), Some(&ids[10]));
    let other = format!("{path}/dead-letters/{}", sequences[1]);
    let _ = admin.delete(&other).await.expect(204);
    let _ = admin.delete(&other).await.problem(404, "not_found");
    let letters = admin.get(&format!("{path}/dead-letters")).await.expect(200);
    assert_eq!(letters.body["total"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hanging_receiver_holds_up_neither_the_log_nor_other_streams() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (hanging, sound) = (
        Hec::start(Behavior {
            hangs: true,
            ..Behavior::default()
        })
        .await,
        Hec::start(Behavior::default()).await,
    );
    let path = add(&admin, splunk("Hangs", &hanging.url)).await;
    let _ = add(&admin, splunk("Works", &sound.url)).await;
    let ids = append(&admin, 0, 200).await;
    arrived(&sound, &ids).await;

    // A pause ends the request that hangs; the stream then continues where it stands.
    let paused = admin
        .post(&format!("{path}/pause"), Value::Null)
        .await
        .expect(200);
    assert_eq!(paused.body["status"]["health"], "paused");
    assert!(
        paused.body["status"]["lag_entries"].as_u64().unwrap() >= 200,
        "{paused:?}"
    );
    hanging.with(|collected| collected.behavior.hangs = false);
    let more = append(&admin, 200, 5).await;
    arrived(&sound, &[ids.clone(), more.clone()].concat()).await;
    assert!(
        hanging.event_ids().is_empty(),
        "nothing is sent while it is paused"
    );
    let _ = admin
        .post(&format!("{path}/resume"), Value::Null)
        .await
        .expect(200);
    arrived(&hanging, &[ids, more].concat()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_settings_are_named_and_a_wrong_token_is_recorded_at_once() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    for (body, fields) in [
        (
            json!({ "name": "x", "type": "splunk_hec" }),
            vec!["settings.url"],
        ),
        (
            json!({ "name": "x", "type": "splunk_hec", "settings": { "url": "https://s.example" } }),
            vec!["secret"],
        ),
        (
            json!({ "name": "x", "type": "https", "settings": { "url": "https://10.0.0.1/" } }),
            vec!["settings.url"],
        ),
        (
            json!({ "name": "x", "type": "event_hub", "settings": { "host": "h" }, "secret": "k" }),
            vec!["settings.host", "settings.namespace", "settings.hub"],
        ),
        (
            json!({ "name": "", "type": "https", "settings": { "url": "https://a.example" } }),
            vec!["name"],
        ),
        (
            json!({ "name": "x", "type": "https", "settings": { "url": "https://a.example" }, "query": "a:(" }),
            vec!["query"],
        ),
        (
            json!({ "name": "x", "type": "https", "settings": { "url": "https://a.example" }, "format": "csv" }),
            vec!["format"],
        ),
    ] {
        let refused = admin.post(STREAMS, body.clone()).await;
        assert_eq!(refused.status, 422, "{body} {refused:?}");
        let errors = refused.body["errors"].as_array().unwrap();
        let named: Vec<&str> = errors
            .iter()
            .filter_map(|error| error["field"].as_str())
            .collect();
        assert_eq!(named, fields, "{body}");
    }

    let hec = Hec::start(Behavior::default()).await;
    let mut body = splunk("Splunk", &hec.url);
    body["secret"] = json!("a-wrong-token-1234");
    let path = add(&admin, body).await;
    let ids = append(&admin, 0, 3).await;
    let recorded = until("the entry about it", PATIENCE, async || {
        let query = "audit-logs?query=event_type:integration.stream%20severity:high";
        let found = admin.get(query).await.expect(200);
        found.items().first().cloned()
    })
    .await;
    assert_eq!(recorded["action"]["operation"], "stream.fail");
    assert_eq!(recorded["metadata"]["reason"], "code 4: Invalid token");
    let status = admin.get(&format!("{path}/status")).await.expect(200);
    assert_eq!(status.body["health"], "failing");
    assert_eq!(status.body["last_failure"]["needs_person"], true);

    // Another place needs the token again; the right token sends what waited, and the log says so.
    let elsewhere = json!({ "settings": { "url": "https://elsewhere.example" } });
    let refused = admin
        .patch(&path, elsewhere)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "secret");
    let _ = admin
        .patch(&path, json!({ "secret": TOKEN }))
        .await
        .expect(200);
    arrived(&hec, &ids).await;
    until("the entry about its end", PATIENCE, async || {
        let query = "audit-logs?query=operation:stream.recover";
        let found = admin.get(query).await.expect(200);
        found.items().first().cloned()
    })
    .await;

    // Whoever may not integrate sees nothing of it.
    let (_, analyst) = admin
        .person("analyst@example.com", &["security_analyst"], &[])
        .await;
    let _ = analyst.get(STREAMS).await.problem(403, "forbidden");
    let _ = admin.delete(&path).await.expect(204);
    let _ = admin.get(&path).await.problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_lists_tests_pauses_and_replays() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let hec = Hec::start(Behavior::default()).await;
    let file = home.path().join("stream.json");
    std::fs::write(&file, splunk("Splunk", &hec.url).to_string()).unwrap();
    let run = |arguments: &[&str]| {
        let mut all = vec!["audit", "streams"];
        all.extend(arguments);
        all.extend(["--url", service.url(), "--token", service.admin_token()]);
        let output = reeve_testkit::service::reeve(&all).unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (
            output.status.code(),
            text + &String::from_utf8_lossy(&output.stderr),
        )
    };

    let (code, made) = run(&["create", "-f", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{made}");
    let ids = append(&admin, 0, 3).await;
    arrived(&hec, &ids).await;
    let (_, listed) = run(&["list"]);
    assert!(
        listed.contains("Splunk") && listed.contains("healthy"),
        "{listed}"
    );
    assert_eq!(run(&["test", "Splunk"]).0, Some(0));
    let (code, paused) = run(&["pause", "Splunk"]);
    assert!(code == Some(0) && paused.contains("paused"), "{paused}");
    assert_eq!(run(&["resume", "Splunk"]).0, Some(0));
    assert_eq!(run(&["replay", "Splunk", "--from", "0"]).0, Some(0));
    until("the replay", PATIENCE, async || {
        (hec.event_ids().len() >= 6).then_some(())
    })
    .await;
    hec.with(|collected| collected.behavior.lies = true);
    let (code, failed) = run(&["test", "Splunk"]);
    assert!(
        code == Some(1) && failed.contains("Incorrect index"),
        "{failed}"
    );
    let (_, shown) = run(&["show", "Splunk", "--json"]);
    assert!(shown.contains("\"dead_letters\""), "{shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rsyslog_gets_every_entry_as_a_message() {
    let Some(_) = Rsyslog::program() else {
        println!("skipped: no rsyslogd");
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let mut rsyslog = Rsyslog::start().unwrap();
    let body = json!({ "name": "Syslog", "type": "syslog", "query": "event_type:resource.modify",
        "settings": { "host": "127.0.0.1", "port": rsyslog.port(), "tls": false, "hostname": "reeve-1" } });
    let made = admin.post(STREAMS, body).await.expect(201);
    assert_eq!(made.body["is_confirmed"], false);
    let ids = append(&admin, 0, 120).await;
    let messages = rsyslog.received(ids.len()).unwrap();
    for (message, id) in messages.iter().zip(&ids) {
        let text = message["msg"].as_str().unwrap_or_default();
        assert!(text.contains(id.as_str()), "{message}");
        assert_eq!(message["hostname"], "reeve-1", "{message}");
    }
}

/// Reads the files of a lake as another engine does: class, day of the partition, count, and whether
/// rows ascend by time.
const READ_LAKE: &str = r#"
import duckdb, json, sys
rows = duckdb.sql(f"""select class_uid, metadata.version as version, metadata.uid as uid, actor.user.uid as person,
    "time", region, "accountId" as account, "eventDay" as day, json_extract_string(unmapped, '$.integrity.hash') as hash
    from read_parquet('{sys.argv[1]}/**/*.parquet', hive_partitioning=true, union_by_name=true) order by metadata.sequence""").fetchall()
print(json.dumps([[str(value) for value in row] for row in rows]))
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_arrive_in_the_security_lake_by_class_and_day() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let storage = Storage::start(Kind::S3).await.unwrap();
    let endpoint = format!("http://127.0.0.1:{}", storage.port());
    let mut body = json!({ "name": "Lake", "type": "security_lake", "secret": S3_KEY.1,
        "settings": { "account_id": "123456789012", "region": "us-east-1", "bucket": BUCKET, "endpoint": endpoint } });
    let refused = admin
        .post(STREAMS, body.clone())
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "settings.access_key_id");
    body["settings"]["access_key_id"] = json!(S3_KEY.0);
    let path = add(&admin, body).await;
    let tested = admin
        .post(&format!("{path}/test"), Value::Null)
        .await
        .expect(200);
    assert_eq!(tested.body["delivered"], true, "{tested:?}");

    let files = storage.objects().await.unwrap();
    let day = jiff::Timestamp::now().strftime("%Y%m%d").to_string();
    let folder = "ext/reeve_api/region=us-east-1/accountId=123456789012/eventDay=";
    let name = files.keys().next().unwrap();
    assert!(
        name.starts_with(folder) && name.ends_with(".parquet"),
        "{name}"
    );

    let copies = tempfile::tempdir().unwrap();
    for (name, bytes) in &files {
        let file = copies.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    let Some(python) = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty()) else {
        println!("skipped: no Python with DuckDB");
        return;
    };
    let read = std::process::Command::new(python)
        .args(["-c", READ_LAKE])
        .arg(copies.path())
        .output()
        .unwrap();
    assert!(
        read.status.success(),
        "{}",
        String::from_utf8_lossy(&read.stderr)
    );
    let rows: Vec<Vec<String>> = serde_json::from_slice(&read.stdout).unwrap();
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    assert_eq!((row[0].as_str(), row[1].as_str()), ("6003", "1.3.0"));
    assert_eq!(
        (row[5].as_str(), row[6].as_str()),
        ("us-east-1", "123456789012")
    );
    assert!(row[7] <= day, "{row:?}");
}
