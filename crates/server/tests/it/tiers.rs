//! Tiers of a real service: segments in a bucket of versitygw and in folders, searched, left out,
//! restored, verified, exported and deleted there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::service::{EMULATORS, Service, verify};
use reeve_testkit::storage::{BUCKET, Kind, S3_KEY, Storage};
use serde_json::{Value, json};

use super::erasures::{approved, approvers, backup_with, ended as ended_erasure};
use super::exports::{PATH, ended};
use super::retention::seed;

const VIEWS: &str = "event_type:resource.view";
const DEEDS: &str = "event_type:test.deed";

/// Folders for both tiers below a home, as the variable `REEVE_TIERS` names them.
pub(crate) fn folders(home: &Path) -> String {
    let [warm, cold] = ["warm", "cold"].map(|name| {
        let folder = home.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        format!("{name} = {{ folder = '{}' }}", folder.display())
    });
    format!("{{ {warm}, {cold} }}")
}

/// A bucket for the warm tier and a folder for the cold one.
fn bucket_and_folder(storage: &Storage, cold: &Path) -> String {
    format!(
        "{{ warm = {{ bucket = '{BUCKET}', region = 'us-east-1', prefix = 'log', endpoint = 'http://127.0.0.1:{}', access_key_id = '{}', secret_access_key = '{}' }}, cold = {{ folder = '{}' }} }}",
        storage.port(),
        S3_KEY.0,
        S3_KEY.1,
        cold.display()
    )
}

/// Views are due in the warm tier, everything else in the cold one.
fn policies(views_warm: u32, rest_cold: u32) -> Value {
    json!([
        { "name": "view", "event_types": ["resource.view"], "hot_days": 1, "warm_days": views_warm, "cold_years": 0 },
        { "name": "rest", "event_types": ["*"], "hot_days": 1, "warm_days": 1, "cold_years": rest_cold }
    ])
}

async fn save(admin: &Api, policies: Value, version: u64) {
    let body = json!({ "policies": policies, "version": version });
    let _ = admin.put("audit-logs/retention", body).await.expect(200);
}

async fn run(admin: &Api) -> Value {
    let run = admin
        .post("audit-logs/retention/run", json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(run["failures"], json!([]), "{run}");
    run
}

async fn search(admin: &Api, query: &str) -> Value {
    let path = format!("audit-logs?limit=100&query={}", encoded(query));
    admin.get(&path).await.expect(200).body
}

/// Segments of two classes that lie below a folder.
fn segments(root: &Path) -> Vec<PathBuf> {
    let classes = ["view", "default"].map(|class| root.join("lake/entries").join(class));
    let files = classes
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
    files.map(|file| file.unwrap().path()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn segments_go_to_a_bucket_and_a_folder_and_come_back() {
    let home = tempfile::tempdir().unwrap();
    let (data, cold) = (home.path().join("data"), home.path().join("cold"));
    std::fs::create_dir_all(&cold).unwrap();
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 1_000).await;
    let storage = Storage::start(Kind::S3).await.unwrap();
    let tiers = bucket_and_folder(&storage, &cold);
    let variables = [("REEVE_TIERS", tiers.as_str()), EMULATORS];
    let service = Service::serve(&data, &variables).unwrap();
    let admin = service.admin();

    // Nothing moves by the presets; then each class goes to its tier, and the next run lets go of
    // the local files.
    assert_eq!(run(&admin).await["moved_segments"], json!(0));
    save(&admin, policies(36_000, 100), 0).await;
    let moved = run(&admin).await;
    assert_eq!(
        (&moved["moved_segments"], &moved["moved_entries"]),
        (&json!(4), &json!(80))
    );
    assert_eq!(segments(&data).len(), 4);
    run(&admin).await;
    assert_eq!((segments(&data).len(), segments(&cold).len()), (0, 2));
    let objects = storage.objects().await.unwrap();
    assert_eq!(objects.len(), 2, "{:?}", objects.keys());
    assert!(
        objects
            .keys()
            .all(|name| name.starts_with("log/lake/entries/view/"))
    );
    let stored = admin.get("audit-logs/retention").await.expect(200).body;
    assert_eq!(stored["tiers"][1]["place"], "s3://archive/log");
    assert_eq!(
        (
            &stored["tiers"][1]["entries"],
            &stored["tiers"][2]["entries"]
        ),
        (&json!(40), &json!(40))
    );

    // Warm is searched and proved; cold is left out, and the answer says so.
    let views = search(&admin, VIEWS).await;
    assert_eq!(
        (&views["total"], views["items"].as_array().unwrap().len()),
        (&json!(40), 40)
    );
    let proof = "audit-logs/alice-resource.view-3/proof";
    assert_eq!(admin.get(proof).await.status, 200);
    let deeds = search(&admin, DEEDS).await;
    assert_eq!(
        (&deeds["total"], &deeds["left_out"]),
        (&json!(0), &json!({ "segments": 2, "entries": 40 }))
    );
    let recent = search(&admin, "timestamp:>now-2d").await;
    assert_eq!(recent["left_out"], Value::Null);
    let _ = admin
        .get("audit-logs/alice-test.deed-3")
        .await
        .problem(409, "conflict");
    let day = Timestamp::now() - SignedDuration::from_hours(24 * 1_000);
    let hour = SignedDuration::from_hours(1);
    let asked = json!({ "format": "json", "query": DEEDS, "start_time": day - hour, "end_time": day + hour });
    let export = admin.post(PATH, asked).await.expect(202).text_at("/id");
    let export = ended(&admin, &export).await;
    assert_eq!(export["failure"]["code"], "log_away", "{export}");

    // A restore brings the cold ones back until it ends, also over a start.
    let period = |days: u32| json!({ "start_time": "2001-01-01T00:00:00Z", "end_time": "2101-01-01T00:00:00Z", "days": days });
    let _ = admin
        .post("audit-logs/restores", period(0))
        .await
        .problem(422, "invalid_fields");
    let restore = admin
        .post("audit-logs/restores", period(3))
        .await
        .expect(201)
        .text_at("/id");
    let path = format!("audit-logs/restores/{restore}");
    let ready = |admin: Api| {
        let path = path.clone();
        async move {
            until("the restore", Duration::from_secs(30), || async {
                let found = admin.get(&path).await.expect(200).body;
                (found["state"] == "ready").then_some(found)
            })
            .await
        }
    };
    let found = ready(service.admin()).await;
    assert_eq!(
        (
            &found["segments"],
            &found["restored_segments"],
            &found["entries"]
        ),
        (&json!(2), &json!(2), &json!(40))
    );
    let deeds = search(&admin, DEEDS).await;
    assert_eq!(
        (&deeds["total"], &deeds["left_out"]),
        (&json!(40), &Value::Null)
    );
    service.stop().unwrap();
    let service = Service::serve(&data, &variables).unwrap();
    let admin = service.admin();
    until("the restored entries", Duration::from_secs(30), || async {
        (search(&admin, DEEDS).await["total"] == 40).then_some(())
    })
    .await;
    assert_eq!(admin.delete(&path).await.expect(200).body["state"], "ended");
    let _ = admin.delete(&path).await.problem(409, "conflict");
    until(
        "the end of the restore",
        Duration::from_secs(30),
        || async { (search(&admin, DEEDS).await["total"] == 0).then_some(()) },
    )
    .await;

    // Expiry reaches the bucket and the folder.
    save(&admin, policies(0, 0), 1).await;
    assert_eq!(run(&admin).await["entries"], json!(80));
    assert!(storage.objects().await.unwrap().is_empty());
    assert!(segments(&cold).is_empty());
    service.stop().unwrap();
    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tier_that_is_away_is_named_and_the_verifier_reads_folders() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 1_000).await;
    let tiers = folders(home.path());
    let service = Service::serve(&data, &[("REEVE_TIERS", tiers.as_str())]).unwrap();
    let admin = service.admin();
    save(&admin, policies(36_000, 100), 0).await;
    run(&admin).await;
    run(&admin).await;
    let (warm, away) = (home.path().join("warm"), home.path().join("away"));
    std::fs::rename(&warm, &away).unwrap();
    let path = format!("audit-logs?limit=5&query={}", encoded(VIEWS));
    let problem = admin.get(&path).await.problem(503, "log_away");
    assert!(
        problem.text.contains(warm.to_str().unwrap()),
        "{}",
        problem.text
    );
    std::fs::rename(&away, &warm).unwrap();
    assert_eq!(search(&admin, VIEWS).await["total"], json!(40));
    service.stop().unwrap();

    // The verifier says what it did not read, reads it where it is given, and misses what is gone.
    std::fs::remove_dir_all(data.join("lake/fetched")).unwrap();
    let directory = data.to_str().unwrap();
    let (code, said) = verify(&[directory]).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("80 entries in 4 segments of the warm and cold tiers"),
        "{said}"
    );
    let given =
        ["warm", "cold"].map(|tier| format!("--tier={tier}={}", home.path().join(tier).display()));
    let (code, said) = verify(&[directory, &given[0], &given[1]]).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("of the warm and cold tiers"), "{said}");
    std::fs::remove_file(&segments(&warm)[0]).unwrap();
    let (code, said) = verify(&[directory, &given[0], &given[1]]).unwrap();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the segment is missing"), "{said}");
}

/// Alice's entries without the two that keep her segments from being empty.
fn most_of_alice() -> Value {
    let query = "NOT (event_id:alice-resource.view-7 OR event_id:alice-test.deed-7)";
    json!({ "actor_id": "alice", "query": query })
}

async fn total(admin: &Api, query: &str) -> Value {
    search(admin, query).await["total"].clone()
}

/// Names of files that were written anew once, of all.
fn rewritten<'f>(names: impl Iterator<Item = &'f str>) -> (usize, usize) {
    let names: Vec<&str> = names.collect();
    let again = names.iter().filter(|name| name.ends_with(".1.parquet"));
    (again.count(), names.len())
}

/// Names of all files below a folder, without their last ending.
fn stems(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        match path.is_dir() {
            true => found.extend(stems(&path)),
            false => found.push(path.file_stem().unwrap().to_str().unwrap().to_owned()),
        }
    }
    found
}

fn names(files: &[PathBuf]) -> (usize, usize) {
    rewritten(files.iter().map(|file| file.to_str().unwrap()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_reaches_the_bucket_and_after_a_restore_the_cold_folder() {
    let home = tempfile::tempdir().unwrap();
    let (data, cold) = (home.path().join("data"), home.path().join("cold"));
    std::fs::create_dir_all(&cold).unwrap();
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 1_000).await;
    let storage = Storage::start(Kind::S3).await.unwrap();
    let tiers = bucket_and_folder(&storage, &cold);
    let variables = [("REEVE_TIERS", tiers.as_str()), EMULATORS];
    let service = Service::serve(&data, &variables).unwrap();
    let admin = service.admin();
    let [berta, carl] = approvers(&admin).await;
    save(&admin, policies(36_000, 100), 0).await;
    // The local files are still there: the erasure ends the moves of what it writes anew.
    run(&admin).await;
    let in_bucket = async || {
        let objects = storage.objects().await.unwrap();
        rewritten(objects.keys().map(String::as_str))
    };
    assert_eq!((in_bucket().await, segments(&data).len()), ((0, 2), 4));
    let of_alice = [(0, 19), (20, 39)].map(|(first, last)| format!("{first:020}-{last:020}"));
    let there = stems(home.path());
    assert!(
        of_alice.iter().all(|name| there.contains(name)),
        "{there:?}"
    );

    // The warm tier is included at once; the cold one needs a restore, which both answers name.
    let preview = admin
        .post("audit-logs/erasures/preview", most_of_alice())
        .await
        .expect(200)
        .body;
    assert_eq!(
        (&preview["entries"], &preview["needed_restore"]["segments"]),
        (&json!(19), &json!(2))
    );
    let request = approved(&admin, most_of_alice(), [&berta, &carl]).await;
    let waiting = ended_erasure(&admin, &request, "waiting").await;
    assert_eq!(
        (&waiting["erased"], &waiting["unsealed"]),
        (&json!(19), &json!(0))
    );
    let needed = waiting["needed_restore"].clone();
    assert_eq!(
        (&needed["segments"], &needed["entries"]),
        (&json!(2), &json!(40))
    );
    assert_eq!(
        total(&admin, "event_type:resource.view actor.id:alice").await,
        json!(1)
    );
    assert_eq!(in_bucket().await, (0, 1));
    let gone = admin.get("audit-logs/alice-resource.view-3").await;
    let _ = gone.problem(410, "erased");

    // The new file goes where the old one was.
    run(&admin).await;
    run(&admin).await;
    assert_eq!((in_bucket().await, segments(&data).len()), ((1, 2), 0));
    assert_eq!(total(&admin, VIEWS).await, json!(21));

    let period =
        json!({ "start_time": needed["start_time"], "end_time": needed["end_time"], "days": 1 });
    let restore = admin.post("audit-logs/restores", period).await.expect(201);
    let restore = format!("audit-logs/restores/{}", restore.text_at("/id"));
    until("the restore", Duration::from_secs(30), || async {
        let found = admin.get(&restore).await.expect(200).body;
        (found["state"] == "ready").then_some(())
    })
    .await;
    // A further request lets every one that waits go on.
    let nobody = json!({ "actor_id": "nobody" });
    let _ = approved(&admin, nobody, [&berta, &carl]).await;
    let done = ended_erasure(&admin, &request, "completed").await;
    assert_eq!(
        (&done["erased"], &done["needed_restore"]),
        (&json!(38), &Value::Null)
    );
    assert_eq!(names(&segments(&cold)), (0, 1));
    assert_eq!(names(&segments(&data)), (1, 1));
    // Neither a copy that was fetched or restored, nor an index.
    let kept = stems(home.path());
    assert!(of_alice.iter().all(|name| !kept.contains(name)), "{kept:?}");
    assert_eq!(total(&admin, "actor.id:alice").await, json!(2));

    run(&admin).await;
    run(&admin).await;
    assert_eq!(names(&segments(&cold)), (1, 2));
    service.stop().unwrap();
    let given = format!("--tier=cold={}", cold.display());
    let (code, said) = verify(&[data.to_str().unwrap(), &given]).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("by request"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_backup_forgets_what_was_erased_from_the_warm_tier_since() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (data, file, proofs) = (path("data"), path("one.backup"), path("tombstones"));
    std::fs::create_dir_all(&data).unwrap();
    seed(data.as_ref(), 1_000).await;
    let tiers = folders(home.path());
    let variables = [("REEVE_TIERS", tiers.as_str())];
    let service = Service::serve(data.as_ref(), &variables).unwrap();
    let admin = service.admin();
    let [berta, carl] = approvers(&admin).await;
    let views = json!([
        { "name": "view", "event_types": ["resource.view"], "hot_days": 1, "warm_days": 36_000, "cold_years": 0 },
        { "name": "rest", "event_types": ["*"], "hot_days": 36_000, "warm_days": 0, "cold_years": 0 }
    ]);
    save(&admin, views, 0).await;
    run(&admin).await;
    run(&admin).await;
    let warm = home.path().join("warm");
    assert_eq!(names(&segments(&warm)), (0, 2));
    backup_with(
        &["create", &file, "--data-dir", &data, "--url", service.url()],
        &[],
    );

    let done = approved(&admin, most_of_alice(), [&berta, &carl]).await;
    let done = ended_erasure(&admin, &done, "completed").await;
    assert_eq!(done["erased"], json!(38), "{done}");
    run(&admin).await;
    run(&admin).await;
    assert_eq!(names(&segments(&warm)), (1, 2));
    backup_with(&["tombstones", &proofs, "--url", service.url()], &[]);
    assert!(service.stop().unwrap().0.success());

    // The backup names a file that is gone; what is left of it is in the one that replaced it.
    let restore = |name: &str| {
        let new = path(name);
        let restored = backup_with(
            &[
                "restore",
                &file,
                "--data-dir",
                &new,
                "--tombstones",
                &proofs,
            ],
            &variables,
        );
        (new, restored)
    };
    let (new, said) = restore("new");
    assert!(
        said.contains("38 entries") && !said.contains("replaced it by"),
        "{said}"
    );
    let service = Service::serve(new.as_ref(), &variables).unwrap();
    let admin = service.admin();
    assert_eq!(total(&admin, "actor.id:alice").await, json!(2));
    assert_eq!(total(&admin, VIEWS).await, json!(21));
    let kept = admin.get("audit-logs/alice-resource.view-7").await;
    let _ = kept.expect(200);
    run(&admin).await;
    run(&admin).await;
    assert_eq!(names(&segments(&warm)), (1, 2));
    assert!(service.stop().unwrap().0.success());
    let given = format!("--tier=warm={}", warm.display());
    let (code, said) = verify(&[&new, &given]).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("by request"), "{said}");

    // Where that file is gone too, the restore says so.
    for file in segments(&warm) {
        std::fs::remove_file(file).unwrap();
    }
    let (_, said) = restore("other");
    assert!(
        said.contains("19 entries") && said.contains("replaced it by"),
        "{said}"
    );
}
