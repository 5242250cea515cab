//! Checkpoints leave the house: to a file, a bucket (moto), a webhook and a strict witness; the key
//! changes meanwhile; an independent client in Go reads the served tree; and `reeve-verify` holds
//! the log against what was kept elsewhere.

#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{ADMIN_TOKEN, EMULATORS, Service, verify};
use reeve_testkit::witness::Witness;
use reeve_tlog::{Checkpoint, NoteVerifier, SignedNote};
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(60);

type Received = Arc<Mutex<Vec<(Option<String>, String)>>>;

/// A webhook that keeps what it is sent.
async fn webhook() -> (String, Received) {
    async fn take(State(received): State<Received>, headers: HeaderMap, body: String) {
        let token = headers
            .get("authorization")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        received.lock().unwrap().push((token, body));
    }

    let received = Received::default();
    let router = Router::new()
        .route("/hook", post(take))
        .with_state(received.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (url, received)
}

/// The verifier key of a data directory, made by a first start.
async fn first_key(home: &Path) -> NoteVerifier {
    Service::serve(home, &[]).unwrap().stop().unwrap();
    std::fs::read_to_string(home.join("ledger/log.vkey"))
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

async fn append(api: &Api, from: usize, count: usize) -> u64 {
    let batch: Vec<_> = (from..from + count)
        .map(|n| json!({ "event_id": format!("p-{n}"), "event_type": "test.deed", "metadata": { "n": n } }))
        .collect();
    let _ = api.post("audit-logs", json!(batch)).await.expect(201);
    api.size().await
}

fn size_of(note: &str) -> u64 {
    let note = SignedNote::parse(note.as_bytes()).unwrap();
    Checkpoint::parse(note.text()).unwrap().size
}

async fn arrives(path: &Path, size: u64) -> String {
    until("the file", PATIENCE, || async {
        std::fs::read_to_string(path)
            .ok()
            .filter(|note| size_of(note) >= size)
    })
    .await
}

async fn cosigned(api: &Api, size: u64) -> String {
    until("the cosigned checkpoint", PATIENCE, || async {
        let answer = api.get("audit-logs/checkpoint.cosigned").await;
        (answer.status == 200 && size_of(&answer.text) >= size).then_some(answer.text)
    })
    .await
}

async fn metric(api: &Api, line: &str) {
    until(line, PATIENCE, || async {
        api.get("/metrics").await.text.contains(line).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoints_are_published_cosigned_and_held_against_the_log() {
    let (home, other_disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = first_key(home.path()).await;
    let witness = Witness::start("witness.example/one", key.clone())
        .await
        .unwrap();
    let (hook, received) = webhook().await;
    let file = other_disk.path().join("checkpoint");
    let publish = format!(
        r#"{{ after_change_s = 1, file = "{}", webhook = {{ url = "{hook}", token = "hook-token" }} }}"#,
        file.display()
    );
    let cosign = format!(
        r#"{{ every_s = 1, witnesses = [{{ url = "{}", vkey = "{}" }}] }}"#,
        witness.url(),
        witness.key()
    );

    let settings = [
        ("REEVE_PUBLISH", publish.as_str()),
        ("REEVE_COSIGN", &cosign),
        ("REEVE_OUTBOUND", r#"{ allow = ["127.0.0.0/8"] }"#),
    ];
    let service = Service::serve(home.path(), &settings).unwrap();
    let api = service.admin();

    let size = append(&api, 0, 300).await;
    let early = arrives(&file, size).await;
    until("the webhook", PATIENCE, || async {
        let received = received.lock().unwrap();
        received
            .iter()
            .any(|(token, note)| {
                token.as_deref() == Some("Bearer hook-token") && size_of(note) >= size
            })
            .then_some(())
    })
    .await;

    let note = SignedNote::parse(cosigned(&api, size).await.as_bytes()).unwrap();
    assert!(witness.key().cosigned(&note).is_some());
    metric(
        &api,
        &format!("reeve_checkpoint_delivered_entries{{target=\"file\"}} {size}"),
    )
    .await;

    // A witness that is out of order holds up nothing, and goes on where it was.
    witness.break_with(Some(503));
    let size = append(&api, 300, 400).await;
    arrives(&file, size).await;
    until("a failure in the metrics", PATIENCE, || async {
        let text = api.get("/metrics").await.text;
        let line = text
            .lines()
            .find(|line| line.starts_with("reeve_checkpoint_failed_deliveries{target=\"witness"));
        line.is_some_and(|line| !line.ends_with(" 0")).then_some(())
    })
    .await;

    witness.break_with(None);
    cosigned(&api, size).await;

    // Nobody appends now, so the newest checkpoint itself is served with the cosignature.
    let served = api.get("audit-logs/checkpoint").await.expect(200);
    assert_eq!(served.headers["content-type"], "text/plain; charset=utf-8");
    assert!(
        served.text.contains("witness.example/one"),
        "{}",
        served.text
    );
    go_client(&service, home.path(), &key, &witness, &early).await;

    // The key changes: auditors with the first one follow, the witness says that it does not know
    // the new one.
    let rotated = api
        .post("audit-logs/keys/rotate", json!({}))
        .await
        .expect(201);
    assert_eq!(rotated.text_at("/old_key"), key.to_string());

    let size = append(&api, 700, 5).await;
    arrives(&file, size).await;
    let listed = api.get("audit-logs/keys").await.expect(200);
    assert_eq!(
        (
            listed.body["keys"].as_array().unwrap().len(),
            listed.body["records"].as_array().unwrap().len()
        ),
        (2, 1)
    );

    until("the witness's refusal", PATIENCE, || async {
        witness.answered().contains(&403).then_some(())
    })
    .await;
    let service_url = service.url().to_owned();
    let late = std::fs::read_to_string(&file).unwrap();
    std::fs::write(other_disk.path().join("early"), &early).unwrap();
    let (key_text, witness_text) = (key.to_string(), witness.key().to_string());
    let (early_path, file_path) = (other_disk.path().join("early"), file.clone());
    let kept = [
        "--checkpoint",
        early_path.to_str().unwrap(),
        "--checkpoint",
        file_path.to_str().unwrap(),
    ];

    assert_ne!(late, early);

    let remote = tokio::task::spawn_blocking({
        let (service_url, key_text) = (service_url.clone(), key_text.clone());
        let early = early_path.display().to_string();
        move || {
            let mut command = reeve_testkit::service::verify_command().unwrap();
            command
                .args([
                    &service_url,
                    "--public-key",
                    &key_text,
                    "--checkpoint",
                    &early,
                ])
                .env("REEVE_TOKEN", ADMIN_TOKEN);
            command.output().unwrap()
        }
    })
    .await
    .unwrap();

    assert!(
        remote.status.success(),
        "{}",
        String::from_utf8_lossy(&remote.stdout)
    );
    service.stop().unwrap();
    let dir = home.path().to_str().unwrap();
    let mut arguments = vec![dir, "--public-key", &key_text, "--witness", &witness_text];
    arguments.extend(kept);
    let (code, report) = verify(&arguments).unwrap();
    assert_eq!(code, Some(0), "{report}");
    assert!(
        report.contains("rotated 1 times") && report.contains("1 of 1 witnesses cosigned"),
        "{report}"
    );

    // The old key, once retired, speaks for nothing that came after it.
    let (code, report) =
        verify(&[dir, "--public-key", &key_text, "--witness", &stranger()]).unwrap();
    assert_eq!(code, Some(1), "{report}");
    another_log_is_found_out(&file, &key_text).await;
}

/// A witness that the service does not remember, that lies, and that remembers more than there is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_is_followed_checked_and_heard() {
    let home = tempfile::tempdir().unwrap();
    let key = first_key(home.path()).await;
    let witness = Witness::start("witness.example/two", key).await.unwrap();
    let cosign = format!(
        r#"{{ every_s = 1, witnesses = [{{ url = "{}", vkey = "{}" }}] }}"#,
        witness.url(),
        witness.key()
    );

    let settings = [
        ("REEVE_COSIGN", cosign.as_str()),
        ("REEVE_OUTBOUND", r#"{ allow = ["127.0.0.0/8"] }"#),
    ];
    let mut size = 0;

    for life in 0..2 {
        let service = Service::serve(home.path(), &settings).unwrap();
        size = append(&service.admin(), life * 50, 50).await;
        cosigned(&service.admin(), size).await;
        service.stop().unwrap();
    }

    assert!(
        witness.answered().contains(&409),
        "the second life does not know what the witness knows, and is told"
    );

    let service = Service::serve(home.path(), &settings).unwrap();
    let api = service.admin();

    // What the first life had cosigned is still there.
    assert!(size_of(&cosigned(&api, size).await) >= size);

    let failing = || async {
        let text = api.get("/metrics").await.text;
        let line = text
            .lines()
            .find(|line| line.starts_with("reeve_checkpoint_failed_deliveries{target=\"witness"));
        line.is_some_and(|line| !line.ends_with(" 0")).then_some(())
    };

    witness.lie(true);
    let grown = append(&api, 100, 50).await;
    until("a lie is found out", PATIENCE, failing).await;
    assert!(
        size_of(
            &api.get("audit-logs/checkpoint.cosigned")
                .await
                .expect(200)
                .text
        ) < grown
    );

    witness.lie(false);
    cosigned(&api, grown).await;

    witness.remember(1_000_000);
    append(&api, 150, 1).await;
    until("the alarm", PATIENCE, failing).await;
    assert!(
        service.said().contains("the end of the log was cut off"),
        "{}",
        service.said()
    );
    service.stop().unwrap();
}

fn stranger() -> String {
    reeve_tlog::Cosigner::from_seed("stranger.example", &[3; 32])
        .unwrap()
        .key()
        .to_string()
}

/// A log of another origin is refused by what was kept of the first, and does not overwrite it.
async fn another_log_is_found_out(file: &Path, key: &str) {
    let home = tempfile::tempdir().unwrap();
    let before = std::fs::read_to_string(file).unwrap();
    let publish = format!(r#"{{ after_change_s = 1, file = "{}" }}"#, file.display());
    let service = Service::serve(home.path(), &[("REEVE_PUBLISH", &publish)]).unwrap();
    append(&service.admin(), 0, 3).await;
    metric(
        &service.admin(),
        "reeve_checkpoint_failed_deliveries{target=\"file\"} ",
    )
    .await;

    let alarms = || async {
        let found = service
            .admin()
            .get("audit-logs?query=event_type:ledger.checkpoint_conflict")
            .await
            .expect(200);
        (found.body["total"] == 1 && found.body["items"][0]["severity"] == "critical").then_some(())
    };
    until("an entry about the conflict", PATIENCE, alarms).await;

    service.stop().unwrap();
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        before,
        "evidence was overwritten"
    );

    let kept = file.to_str().unwrap();
    let (code, report) = verify(&[home.path().to_str().unwrap(), "--checkpoint", kept]).unwrap();
    assert_eq!(code, Some(1), "{report}");
    assert!(
        report.contains("the checkpoint that was kept elsewhere is refused"),
        "{report}"
    );

    let (code, report) = verify(&[home.path().to_str().unwrap(), "--public-key", key]).unwrap();
    assert_eq!(code, Some(1), "{report}");
}

/// Runs the independent client against the service, where Go is there and can get its libraries.
async fn go_client(
    service: &Service,
    home: &Path,
    key: &NoteVerifier,
    witness: &Witness,
    early: &str,
) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/tlog");
    let program = home.join("tlog-client");
    let built = tokio::task::spawn_blocking({
        let program = program.clone();
        move || {
            Command::new("go")
                .current_dir(source)
                .args(["build", "-o"])
                .arg(program)
                .arg(".")
                .output()
        }
    });

    match built.await.unwrap() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            return println!(
                "skipped: the client in Go: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Err(error) => return println!("skipped: the client in Go: {error}"),
    }

    let (old, proof) = (home.join("early.checkpoint"), home.join("entry.tlog-proof"));
    std::fs::write(&old, early).unwrap();
    let of_an_entry = service
        .admin()
        .get("audit-logs/p-123/proof")
        .await
        .expect(200);
    std::fs::write(&proof, of_an_entry.text).unwrap();

    // Reading an entry wrote one: wait until the newest checkpoint is cosigned again.
    let api = service.admin();
    until("a cosigned newest checkpoint", PATIENCE, || async {
        api.get("audit-logs/checkpoint")
            .await
            .text
            .contains("witness.example")
            .then_some(())
    })
    .await;

    let arguments: Vec<PathBuf> = vec![
        format!("{}/api/v1/audit-logs", service.url()).into(),
        key.to_string().into(),
        witness.key().to_string().into(),
        old,
        proof,
    ];

    let ran = tokio::task::spawn_blocking(move || {
        Command::new(program)
            .args(arguments)
            .env("TLOG_TOKEN", ADMIN_TOKEN)
            .output()
            .unwrap()
    });
    let ran = ran.await.unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);

    assert!(
        ran.status.success() && said.starts_with("ok "),
        "the client in Go says: {said}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_keeps_each_checkpoint() {
    let moto = Moto::start().await.unwrap();
    let client = reqwest::Client::new();
    let scope = "AWS4-HMAC-SHA256 Credential=seed/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none";
    let object = |name: &str| format!("{}/log-checkpoints/{name}", moto.endpoint());
    let made = client
        .put(object("").trim_end_matches('/'))
        .header("authorization", scope)
        .send()
        .await
        .unwrap();
    assert!(made.status().is_success(), "{made:?}");

    let home = tempfile::tempdir().unwrap();
    let publish = format!(
        r#"{{ after_change_s = 1, s3 = {{ bucket = "log-checkpoints", region = "us-east-1", prefix = "reeve", endpoint = "{}" }} }}"#,
        moto.endpoint()
    );
    let settings = [
        ("REEVE_PUBLISH", publish.as_str()),
        ("AWS_ACCESS_KEY_ID", "seed"),
        ("AWS_SECRET_ACCESS_KEY", "seed"),
        EMULATORS,
    ];
    let service = Service::serve(home.path(), &settings).unwrap();
    let api = service.admin();
    let size = append(&api, 0, 10).await;

    let get = |name: String| {
        let request = client.get(object(&name)).header("authorization", scope);
        async move {
            let answer = request.send().await.unwrap();
            if answer.status().is_success() {
                Some(answer.text().await.unwrap())
            } else {
                None
            }
        }
    };

    let newest = until("the bucket", PATIENCE, || async {
        get("reeve/checkpoint".into())
            .await
            .filter(|note| size_of(note) >= size)
    })
    .await;

    assert_eq!(
        get(format!("reeve/checkpoints/{:020}", size_of(&newest))).await,
        Some(newest)
    );
    service.stop().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_rotates_the_key_of_a_closed_log() {
    let home = tempfile::tempdir().unwrap();
    let first = first_key(home.path()).await;
    let dir = home.path().to_str().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let refused = reeve_testkit::service::reeve(&["keys", "rotate", "--data-dir", dir]).unwrap();
    assert!(
        !refused.status.success(),
        "a running service's key is its own to rotate"
    );
    append(&service.admin(), 0, 20).await;
    service.stop().unwrap();
    let rotated = reeve_testkit::service::reeve(&["keys", "rotate", "--data-dir", dir]).unwrap();
    assert!(
        rotated.status.success(),
        "{}",
        String::from_utf8_lossy(&rotated.stderr)
    );

    let new = String::from_utf8(rotated.stdout).unwrap();
    assert_ne!(new.trim(), first.to_string());

    let service = Service::serve(home.path(), &[]).unwrap();
    append(&service.admin(), 20, 5).await;
    service.stop().unwrap();

    for key in [first.to_string(), new.trim().to_owned()] {
        let (code, report) = verify(&[dir, "--public-key", &key]).unwrap();
        assert_eq!(code, Some(0), "{report}");
    }
}
