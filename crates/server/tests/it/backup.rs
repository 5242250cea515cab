//! Backups: made while entries are appended, checked byte by byte, restored into a new directory
//! that continues; on both databases. And what a restore refuses: a broken or changed backup, a
//! directory in use, a log that is known to have been longer.

mod forged;
mod refused;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::postgres::Postgres;
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve_command, verify};
use serde_json::{Value, json};

/// Runs `reeve backup`, with an administrator's token and nothing else of the environment.
fn backup(arguments: &[&str]) -> Output {
    let mut command = reeve_command().unwrap();
    command
        .arg("backup")
        .args(arguments)
        .env("REEVE_TOKEN", ADMIN_TOKEN);
    command.output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Standard output and error of a command that ended with this code.
fn ended(output: &Output, code: i32) -> String {
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

async fn append(api: &Api, from: u64, count: u64) {
    let batch: Vec<Value> = (from..from + count)
        .map(|n| json!({ "event_id": format!("b-{n}"), "event_type": "test.deed", "metadata": { "n": n } }))
        .collect();
    let _ = api.post("audit-logs", json!(batch)).await.expect(201);
}

/// A data directory with some entries, and a backup of it with its keys.
async fn made(home: &Path, entries: u64) -> (PathBuf, PathBuf) {
    let (data, file) = (home.join("data"), home.join("one.backup"));
    let service = Service::serve(&data, &[]).unwrap();
    append(&service.admin(), 0, entries).await;
    service.stop().unwrap();
    ended(
        &backup(&["create", text(&file), "--data-dir", text(&data)]),
        0,
    );
    (data, file)
}

/// The story on one database; `state` is the address of another one for the restored service.
async fn under_load_and_on(home: &Path, state: [Option<String>; 2]) {
    let (data, file, new) = (
        home.join("data"),
        home.join("load.backup"),
        home.join("new"),
    );
    let [first, second] = state;
    let variables = |url: &Option<String>| {
        url.iter()
            .map(|url| ("REEVE_STATE_URL".to_owned(), url.clone()))
            .collect::<Vec<_>>()
    };
    let (mut first, second) = (variables(&first), variables(&second));

    // So that the backup holds segments, hashes of the tree and a write-ahead log.
    first.push(("REEVE_SEAL_AFTER_ENTRIES".to_owned(), "100".to_owned()));
    fn pairs(variables: &[(String, String)]) -> Vec<(&str, &str)> {
        variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    let service = Service::serve(&data, &pairs(&first)).unwrap();
    let admin = service.admin();
    append(&admin, 0, 300).await;
    let _ = admin
        .post(
            "users",
            json!({ "email": "kept@example.com", "name": "Kept", "roles": ["manager"] }),
        )
        .await
        .expect(201);

    // Somebody appends while the backup is made.
    let (stop, acknowledged) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(300)),
    );
    let writer = {
        let (stop, acknowledged, admin) = (stop.clone(), acknowledged.clone(), service.admin());
        tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let from = acknowledged.load(Ordering::Relaxed);
                append(&admin, from, 20).await;
                acknowledged.store(from + 20, Ordering::Relaxed);
            }
        })
    };

    let before = acknowledged.load(Ordering::Relaxed);
    let (url, into, from) = (service.url().to_owned(), file.clone(), data.clone());
    let said = tokio::task::spawn_blocking(move || {
        ended(
            &backup(&[
                "create",
                text(&into),
                "--url",
                &url,
                "--data-dir",
                text(&from),
            ]),
            0,
        )
    });
    let said = said.await.unwrap();

    assert!(
        said.contains("private key"),
        "what lies open is said: {said}"
    );
    stop.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    assert!(
        acknowledged.load(Ordering::Relaxed) > before,
        "nothing was appended meanwhile"
    );

    // The outcome is recorded once the last byte is on its way.
    let states = until(
        "the outcome of the backup",
        Duration::from_secs(60),
        async || {
            let query = json!({ "query": "event_type:system.backup" });
            let recorded = admin.post("audit-logs/search", query).await.expect(200);
            let states: Vec<String> = recorded
                .items()
                .iter()
                .filter_map(|entry| Some(entry["action"]["status"].as_str()?.to_owned()))
                .collect();
            (states.len() == 2).then_some(states)
        },
    )
    .await;
    assert_eq!(states, ["success", "pending"]);

    service.stop().unwrap();

    let report: Value =
        serde_json::from_slice(&backup(&["verify", text(&file), "--json"]).stdout).unwrap();
    assert_eq!(report["intact"], true, "{report:#}");

    let size = report["size"].as_u64().unwrap();

    let mut command = reeve_command().unwrap();
    command
        .args(["backup", "restore", text(&file), "--data-dir", text(&new)])
        .envs(second.iter().cloned());
    let said = ended(&command.output().unwrap(), 0);
    assert!(said.contains("under a new key"), "{said}");

    // Everything that was acknowledged when the backup began is there, and the log goes on.
    let service = Service::serve(&new, &pairs(&second)).unwrap();
    let admin = service.admin();
    for n in [0, 150, before - 1] {
        let _ = admin.get(&format!("audit-logs/b-{n}")).await.expect(200);
    }

    let users = admin.get("users").await.expect(200);
    assert!(
        users
            .items()
            .iter()
            .any(|user| user["email"] == "kept@example.com"),
        "{users:?}"
    );

    let recorded = admin
        .post(
            "audit-logs/search",
            json!({ "query": "event_type:system.restore" }),
        )
        .await
        .expect(200);

    let [recorded] = recorded.items() else {
        panic!("{recorded:?}")
    };

    assert_eq!(recorded["metadata"]["size"], json!(size));
    assert_eq!(
        recorded["integrity"]["sequence"],
        json!(size),
        "it is the first entry after those of the backup"
    );
    append(&admin, 1_000_000, 50).await;
    service.stop().unwrap();

    // An auditor who holds the old key follows to the new one; both directories hold.
    let key = data.join("ledger/log.vkey");
    for dir in [&new, &data] {
        let (code, said) = verify(&[text(dir), "--public-key", text(&key)]).unwrap();
        assert_eq!(code, Some(0), "{said}");
    }

    // What the old key signed after the backup is not a checkpoint of the restored log, and is told
    // so.
    let (code, said) = verify(&[
        text(&new),
        "--checkpoint",
        text(&data.join("ledger/checkpoint")),
    ])
    .unwrap();

    assert_eq!(code, Some(1), "{said}");

    let lines = |dir: &Path| std::fs::read_to_string(dir.join("ledger/log.vkey")).unwrap();
    assert_ne!(lines(&new), lines(&data), "no key signs two histories");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_is_restored_and_goes_on() {
    let home = tempfile::tempdir().unwrap();
    under_load_and_on(home.path(), [None, None]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_from_one_postgresql_into_another() {
    let Some(server) = Postgres::shared().unwrap() else {
        return;
    };

    let home = tempfile::tempdir().unwrap();
    let (first, second) = (
        server.database().await.unwrap(),
        server.database().await.unwrap(),
    );
    under_load_and_on(home.path(), [Some(first), Some(second)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_sealed_left_out_or_given_back() {
    let home = tempfile::tempdir().unwrap();
    let (data, _) = made(home.path(), 10).await;
    let secret = home.path().join("passphrase");
    std::fs::write(&secret, "correct horse battery staple\n").unwrap();
    let (sealed, bare) = (
        home.path().join("sealed.backup"),
        home.path().join("bare.backup"),
    );
    ended(
        &backup(&[
            "create",
            text(&sealed),
            "--data-dir",
            text(&data),
            "--passphrase-file",
            text(&secret),
        ]),
        0,
    );

    ended(
        &backup(&[
            "create",
            text(&bare),
            "--data-dir",
            text(&data),
            "--without-keys",
        ]),
        0,
    );

    let private = std::fs::read_to_string(data.join("keys/log.key")).unwrap();
    for file in [&sealed, &bare] {
        let plain = zstd_plain(file);
        let key = private.lines().next().unwrap();
        assert!(
            !plain.windows(key.len()).any(|part| part == key.as_bytes()),
            "{}",
            file.display()
        );
        let said = ended(
            &backup(&[
                "restore",
                text(file),
                "--data-dir",
                text(&home.path().join("none")),
            ]),
            2,
        );
        assert!(said.contains("--keys"), "{said}");
        assert!(!home.path().join("none").exists());
    }

    let wrong = home.path().join("wrong");
    std::fs::write(&wrong, "incorrect horse battery\n").unwrap();
    let new = home.path().join("new");
    ended(
        &backup(&[
            "restore",
            text(&sealed),
            "--data-dir",
            text(&new),
            "--passphrase-file",
            text(&wrong),
        ]),
        2,
    );

    ended(
        &backup(&[
            "restore",
            text(&sealed),
            "--data-dir",
            text(&new),
            "--passphrase-file",
            text(&secret),
        ]),
        0,
    );

    let other = home.path().join("other");
    ended(
        &backup(&[
            "restore",
            text(&bare),
            "--data-dir",
            text(&other),
            "--keys",
            text(&data.join("keys")),
        ]),
        0,
    );

    for dir in [&new, &other] {
        Service::serve(dir, &[]).unwrap().stop().unwrap();
        assert_eq!(verify(&[text(dir)]).unwrap().0, Some(0));
    }

    // Without keys the log is read and verified, and a start says what is missing.
    let read_only = home.path().join("read-only");
    ended(
        &backup(&[
            "restore",
            text(&bare),
            "--data-dir",
            text(&read_only),
            "--without-keys",
        ]),
        0,
    );

    assert_eq!(verify(&[text(&read_only)]).unwrap().0, Some(0));

    let refused = Service::serve(&read_only, &[]).unwrap_err().to_string();
    assert!(refused.contains("log.key is missing"), "{refused}");

    // Once the key is there, its first act is to hand over: what the original signed meanwhile
    // stays the original's.
    std::fs::create_dir(read_only.join("keys")).unwrap();
    std::fs::copy(data.join("keys/log.key"), read_only.join("keys/log.key")).unwrap();
    Service::serve(&read_only, &[]).unwrap().stop().unwrap();
    assert!(read_only.join("ledger/epochs/1").exists());

    let (code, said) = verify(&[
        text(&read_only),
        "--public-key",
        text(&data.join("ledger/log.vkey")),
    ])
    .unwrap();

    assert_eq!(code, Some(0), "{said}");
}

/// The archive without its compression.
fn zstd_plain(file: &Path) -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(file).unwrap()).unwrap()
}
