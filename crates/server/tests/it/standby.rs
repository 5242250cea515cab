//! Two servers on one data directory: the standby forwards, takes over when the active server is
//! killed or frozen, and what was acknowledged by either is in the log once. An action in progress
//! is finished and done once. A database serves one log.
//!
//! `REEVE_TAKEOVERS=50` replaces the active server that often (2 without it: one kill, one freeze).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reeve_testkit::http::{Api, until};
use reeve_testkit::postgres::Postgres;
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve, verify};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

mod actions;
mod fencing;

const WRITERS: usize = 4;
const PATIENCE: Duration = Duration::from_secs(60);

/// Addresses of the two servers, and what was acknowledged.
struct Load {
    urls: Mutex<[String; 2]>,
    /// Sequence by `event_id`.
    acknowledged: Mutex<BTreeMap<String, u64>>,
    stop: AtomicBool,
}

/// Appends one entry after the other, by either server in turn, and sends each again until it is
/// acknowledged.
async fn write(load: Arc<Load>, name: usize) {
    for number in 0.. {
        let id = format!("{name}-{number}");
        let body = json!({ "event_id": id, "event_type": "test.event" }).to_string();
        let mut attempt = number;
        loop {
            if load.stop.load(Ordering::SeqCst) {
                return;
            }
            attempt += 1;
            let api = Api::new(&load.urls.lock()[attempt % 2].clone()).with_token(ADMIN_TOKEN);
            let sending = api.attempt(
                "POST",
                "audit-logs",
                &[],
                Some("application/json"),
                body.clone().into_bytes(),
            );
            // A frozen server does not refuse: who waits for it turns to the other one.
            match tokio::time::timeout(Duration::from_secs(5), sending).await {
                Ok(Ok(answer)) if answer.status == 201 => {
                    let sequence = answer.body["sequence"].as_u64().unwrap();
                    load.acknowledged.lock().insert(id, sequence);
                    break;
                }
                Ok(Ok(answer)) => assert!([429, 503].contains(&answer.status), "{answer:?}"),
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }
}

/// Returns the part that a server plays; `None` while it changes.
async fn is_standby(url: &str) -> Option<bool> {
    let answer = Api::new(url)
        .attempt("GET", "/healthz", &[], None, Vec::new())
        .await
        .ok()?;
    Some(answer.text.contains("standby"))
}

/// Number of times that the active server is replaced.
fn takeovers() -> usize {
    std::env::var("REEVE_TAKEOVERS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(2)
}

/// Replaces the active server again and again under load.
async fn take_over(data: &Path, variables: &[(&str, &str)]) {
    let rounds = takeovers();
    let mut active = Service::serve(data, variables).unwrap();
    let mut standby = Service::serve(data, variables).unwrap();
    let load = Arc::new(Load {
        urls: Mutex::new([active.url().to_owned(), standby.url().to_owned()]),
        acknowledged: Mutex::default(),
        stop: AtomicBool::new(false),
    });

    let writers: Vec<_> = (0..WRITERS)
        .map(|name| tokio::spawn(write(load.clone(), name)))
        .collect();
    let mut longest = Duration::ZERO;

    for round in 0..rounds {
        let before = load.acknowledged.lock().len();
        until("entries by both servers", PATIENCE, || async {
            (load.acknowledged.lock().len() >= before + 20).then_some(())
        })
        .await;
        assert_eq!(
            (
                is_standby(standby.url()).await,
                is_standby(active.url()).await
            ),
            (Some(true), Some(false))
        );
        assert_eq!(
            standby
                .admin()
                .get("audit-logs?limit=1")
                .await
                .expect(200)
                .items()
                .len(),
            1,
            "a standby serves reads"
        );
        let begun = Instant::now();
        if round % 2 == 0 {
            active.kill().unwrap();
        } else {
            active.freeze().unwrap();
            while !active.has_ended().unwrap() {
                assert!(
                    begun.elapsed() < PATIENCE,
                    "the frozen server was not ended"
                );
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        until("the takeover", PATIENCE, || async {
            (is_standby(standby.url()).await == Some(false)).then_some(())
        })
        .await;
        let _ = standby
            .admin()
            .post("audit-logs", json!({ "event_type": "test.after" }))
            .await
            .expect(201);
        longest = longest.max(begun.elapsed());
        active = standby;
        standby = Service::serve(data, variables).unwrap();
        *load.urls.lock() = [active.url().to_owned(), standby.url().to_owned()];
    }

    load.stop.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }

    eprintln!(
        "{rounds} takeovers, the longest took {longest:?}; {} entries",
        load.acknowledged.lock().len()
    );
    let acknowledged = load.acknowledged.lock().clone();
    once(&standby.admin(), &acknowledged, rounds).await;
    assert!(
        standby.stop().unwrap().0.success(),
        "a standby ends in order"
    );
    assert!(active.stop().unwrap().0.success());

    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
}

/// Every acknowledged entry is in the log once, where its receipt says, and each takeover has its
/// entry.
async fn once(api: &Api, acknowledged: &BTreeMap<String, u64>, rounds: usize) {
    let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut cursor = String::new();

    loop {
        let page = api
            .get(&format!(
                "audit-logs?limit=1000&query=event_type:test.event{cursor}"
            ))
            .await
            .expect(200);
        for entry in page.items() {
            let id = entry["event_id"].as_str().unwrap().to_owned();
            found
                .entry(id)
                .or_default()
                .push(entry["integrity"]["sequence"].as_u64().unwrap());
        }
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }

    for (id, sequence) in acknowledged {
        assert_eq!(found.get(id), Some(&vec![*sequence]), "{id}");
    }

    assert!(
        found.values().all(|sequences| sequences.len() == 1),
        "an entry is there twice"
    );

    let takeovers = api
        .get("audit-logs?limit=1000&query=event_type:system.takeover")
        .await
        .expect(200);
    let of = |field: &str| -> Vec<Value> {
        takeovers
            .items()
            .iter()
            .rev()
            .map(|entry| entry["metadata"][field].clone())
            .collect()
    };

    let causes: Vec<Value> = (0..rounds)
        .map(|round| json!(["ended", "not_responding"][round % 2]))
        .collect();
    assert_eq!(of("cause"), causes);
    assert_eq!(
        of("epoch"),
        (0..rounds)
            .map(|round| json!(round + 2))
            .collect::<Vec<_>>()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_takes_over_from_a_server_that_ends_or_hangs() {
    let home = tempfile::tempdir().unwrap();
    take_over(&home.path().join("data"), &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_takes_over_with_its_state_in_postgresql() {
    let Some(server) = Postgres::shared().unwrap() else {
        return;
    };
    let url = server.database().await.unwrap();
    let home = tempfile::tempdir().unwrap();
    take_over(&home.path().join("data"), &[("REEVE_STATE_URL", &url)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forwarded_request_keeps_its_client_and_only_a_standby_may_name_one() {
    let home = tempfile::tempdir().unwrap();
    let active = Service::serve(&home.path().join("data"), &[]).unwrap();
    let standby = Service::serve(&home.path().join("data"), &[]).unwrap();
    sign_in_from("127.0.0.2", active.url(), "direct").await;
    sign_in_from("127.0.0.3", standby.url(), "forwarded").await;

    for (name, address) in [("direct", "127.0.0.2"), ("forwarded", "127.0.0.3")] {
        let path =
            format!("audit-logs?query=event_type:authentication.login actor.user_agent:{name}")
                .replace(' ', "%20");
        let entries = until(name, PATIENCE, || async {
            let entries = active.admin().get(&path).await.expect(200).items().to_vec();
            (!entries.is_empty()).then_some(entries)
        })
        .await;
        assert_eq!(entries[0]["actor"]["ip_address"], address, "{}", entries[0]);
    }
}

/// Tries to sign in from an address of this machine, with headers that name another client.
async fn sign_in_from(address: &str, url: &str, user_agent: &str) {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(SocketAddr::new(address.parse().unwrap(), 0))
        .unwrap();
    let mut stream = socket
        .connect(url.trim_start_matches("http://").parse().unwrap())
        .await
        .unwrap();
    let body = json!({ "email": "nobody@example.com", "password": "wrong" }).to_string();
    let request = format!(
        "POST /api/v1/sessions HTTP/1.1\r\nHost: reeve\r\nUser-Agent: {user_agent}\r\nContent-Type: application/json\r\n\
         X-Forwarded-For: 203.0.113.9\r\nReeve-Standby-Key: guessed\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_serves_one_log_and_no_older_copy_of_it() {
    let home = tempfile::tempdir().unwrap();
    let (first, second, copy) = (
        home.path().join("first"),
        home.path().join("second"),
        home.path().join("copy"),
    );
    let state = format!("sqlite://{}/state.db", home.path().display());
    let variables = [("REEVE_STATE_URL", state.as_str())];
    assert!(
        Service::serve(&first, &variables)
            .unwrap()
            .stop()
            .unwrap()
            .0
            .success()
    );

    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(&first)
        .arg(&copy)
        .status()
        .unwrap();
    assert!(copied.success());

    assert!(
        Service::serve(&first, &variables)
            .unwrap()
            .stop()
            .unwrap()
            .0
            .success()
    );

    // Secrets in the database are sealed by the key of its directory, which a second log is given
    // here.
    std::fs::create_dir_all(second.join("keys")).unwrap();
    std::fs::copy(
        first.join("keys/secrets.key"),
        second.join("keys/secrets.key"),
    )
    .unwrap();
    let refused = Service::serve(&second, &variables).unwrap_err().to_string();
    assert!(
        refused.contains("the state store belongs to the log"),
        "{refused}"
    );

    let refused = Service::serve(&copy, &variables).unwrap_err().to_string();
    assert!(refused.contains("it is an older copy"), "{refused}");

    // As many entries, and more, make the copy no successor.
    let more: String = (0..60)
        .map(|n| format!("{{\"event_id\":\"fork-{n}\",\"event_type\":\"test.fork\"}}\n"))
        .collect();
    let file = home.path().join("more.jsonl");
    std::fs::write(&file, more).unwrap();
    let imported = reeve(&[
        "audit",
        "import",
        "--format",
        "jsonl",
        "--data-dir",
        copy.to_str().unwrap(),
        file.to_str().unwrap(),
    ])
    .unwrap();

    assert!(
        imported.status.success(),
        "{}",
        String::from_utf8_lossy(&imported.stderr)
    );

    let refused = Service::serve(&copy, &variables).unwrap_err().to_string();
    assert!(
        refused.contains("is a copy that went its own way"),
        "{refused}"
    );

    let service = Service::serve(&first, &variables).unwrap();
    assert!(
        service.admin().size().await > 0,
        "the log that it belongs to"
    );
}
