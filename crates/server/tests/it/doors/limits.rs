//! Limits of what is held for clients that nobody knows yet.

use std::time::{Duration, Instant};

use reeve_testkit::http::until;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

/// Clients of the flood.
const CLIENTS: usize = 200;

/// Announced bytes of each client's body.
const ANNOUNCED: usize = 30 << 20;

/// Memory that the flood may add. Each client's body alone has 30 MiB.
const MOST_MEMORY: u64 = 256 << 20;

/// Sends a sign-in with an address of 30 MiB, as far as the service takes it, and returns the
/// answer.
async fn flood(address: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address).await else {
        return String::new();
    };

    let head = format!(
        "POST /api/v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {ANNOUNCED}\r\n\r\n"
    );
    let (mut reader, mut writer) = stream.split();
    let sending = async {
        writer.write_all(head.as_bytes()).await?;
        writer.write_all(b"{\"email\":\"").await?;
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..ANNOUNCED >> 20 {
            writer.write_all(&piece).await?;
        }
        std::io::Result::Ok(())
    };

    let mut answer = Vec::new();
    let reading = async { while let Ok(1..) = reader.read_buf(&mut answer).await {} };

    // The service answers and closes before it was sent everything.
    tokio::select! { _ = sending => {}, () = reading => {} }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Prints what a flood of sign-ins costs, for `docs/operate/configuration.md`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_ins_with_huge_bodies_take_neither_memory_nor_the_log() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let (admin, address) = (
        service.admin(),
        service.url().trim_start_matches("http://").to_owned(),
    );
    let _ = admin
        .post("audit-logs", json!({ "event_type": "test.deed" }))
        .await
        .expect(201);
    let before = service.resident_bytes().unwrap();

    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..CLIENTS {
        let address = address.clone();
        clients.spawn(async move { flood(&address).await });
    }

    let (mut highest, mut slowest, mut appended) = (before, Duration::ZERO, 0);
    while !clients.is_empty() {
        let begun = Instant::now();
        let _ = admin
            .post("audit-logs", json!({ "event_type": "test.deed" }))
            .await
            .expect(201);
        (slowest, appended) = (slowest.max(begun.elapsed()), appended + 1);
        highest = highest.max(service.resident_bytes().unwrap());
        while let Some(answer) = clients.try_join_next() {
            let answer = answer.unwrap();
            assert!(
                answer.is_empty() || answer.starts_with("HTTP/1.1 413"),
                "{answer}"
            );
        }
    }

    eprintln!(
        "{CLIENTS} sign-ins of 30 MiB: resident {} -> {} MiB, {appended} appends, the slowest {} ms",
        before >> 20,
        highest >> 20,
        slowest.as_millis()
    );

    assert!(highest - before < MOST_MEMORY, "{before} -> {highest}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sign_ins_at_once_take_the_memory_of_a_few_hashes() {
    let home = tempfile::tempdir().unwrap();
    let service =
        Service::serve(home.path(), &[("REEVE_TRUSTED_PROXIES", "[\"127.0.0.1\"]")]).unwrap();
    let (admin, nobody) = (service.admin(), service.nobody());
    let before = service.resident_bytes().unwrap();
    let mut attempts = tokio::task::JoinSet::new();

    for n in 0..100 {
        let nobody = nobody.clone();
        attempts.spawn(async move {
            let network = format!("198.51.{}.{}", n / 200, n % 200 + 1);
            sign_in(
                &nobody,
                &[&network],
                &format!("u{n}@x.example"),
                "a wrong password",
            )
            .await
        });
    }

    let (mut highest, mut slowest) = (before, Duration::ZERO);
    while !attempts.is_empty() {
        let begun = Instant::now();
        let _ = admin
            .post("audit-logs", json!({ "event_type": "test.deed" }))
            .await
            .expect(201);
        slowest = slowest.max(begun.elapsed());
        highest = highest.max(service.resident_bytes().unwrap());
        while let Some(answer) = attempts.try_join_next() {
            let answer = answer.unwrap();
            assert!([401, 429].contains(&answer.status), "{}", answer.text);
            assert_eq!(
                answer.status == 429,
                answer.headers.contains_key("retry-after")
            );
        }
    }

    eprintln!(
        "100 sign-ins at once: resident {} -> {} MiB, the slowest append {} ms",
        before >> 20,
        highest >> 20,
        slowest.as_millis()
    );

    // A hash has 19 MiB; a hundred at once would have 1,900.
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    assert!(
        highest - before < (cores * 19 + 150) << 20,
        "{before} -> {highest}"
    );
}

#[tokio::test]
async fn long_texts_are_refused_before_anything_is_kept_of_them() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let nobody = service.nobody();

    for (field, body) in [
        (
            "email",
            json!({ "email": "x".repeat(255), "password": "p" }),
        ),
        (
            "password",
            json!({ "email": "a@b.example", "password": "x".repeat(1025) }),
        ),
        ("token", json!({ "token": "x".repeat(257) })),
    ] {
        // More often than a network may try.
        for _ in 0..12 {
            let refused = nobody
                .post("sessions", body.clone())
                .await
                .problem(422, "invalid_fields");
            assert_eq!(
                (
                    refused.text_at("/errors/0/field"),
                    refused.text_at("/errors/0/code")
                ),
                (field.into(), "too_long".into())
            );
        }
    }

    let _ = nobody
        .post("sessions", json!({ "email": "x".repeat(17 << 10) }))
        .await
        .problem(413, "body_too_large");
    let _ = sign_in(&nobody, &[], "a@b.example", "guess")
        .await
        .problem(401, "wrong_credentials");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_and_bodies_are_bounded() {
    /// Fewest connections that find no room: 40 are opened where 20 may be open.
    const REFUSED: usize = 15;

    let home = tempfile::tempdir().unwrap();
    let variables = [
        ("REEVE_MAX_CONNECTIONS", "20"),
        ("REEVE_MAX_BODY_BYTES", "1048576"),
        ("REEVE_BODIES_LIMIT_BYTES", "2097152"),
    ];
    let service = Service::serve(home.path(), &variables).unwrap();
    let (admin, address) = (
        service.admin(),
        service.url().trim_start_matches("http://").to_owned(),
    );

    // Large bodies of somebody who may append, none of them whole.
    let token = service.admin_token().to_owned();
    let mut half_sent = Vec::new();

    for _ in 0..3 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let head = format!(
            "POST /api/v1/audit-logs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; 999_000]).await.unwrap();
        half_sent.push(stream);
    }

    // One of them finds no room and is told so.
    let refused = until("a refusal", PATIENCE, || async {
        for stream in &half_sent {
            let mut answer = [0; 64];
            if let Ok(1..) = stream.try_read(&mut answer) {
                return Some(String::from_utf8_lossy(&answer).into_owned());
            }
        }
        None
    })
    .await;
    assert!(refused.starts_with("HTTP/1.1 429"), "{refused}");

    let _ = admin
        .post("audit-logs", json!({ "event_type": "test.deed" }))
        .await
        .expect(201);
    drop(half_sent);

    let mut idle = Vec::new();
    for _ in 0..40 {
        idle.extend(TcpStream::connect(&address).await);
    }

    // All that are too many are refused before the others end and make room for them.
    until("connections that are closed", PATIENCE, || async {
        (idle.iter().filter(|stream| is_closed(stream)).count() >= REFUSED).then_some(())
    })
    .await;
    drop(idle);
    let counted = until("the count", PATIENCE, || async {
        let answer = admin
            .attempt("GET", "/metrics", &[], None, Vec::new())
            .await
            .ok()?;
        answer.text.lines().find_map(|line| {
            line.strip_prefix("reeve_connections_refused ")?
                .parse::<usize>()
                .ok()
        })
    })
    .await;

    assert!(counted >= REFUSED, "{counted}");
}

/// A service that began with fewer open files than it allows connections took no entry any more
/// once they were used up.
#[tokio::test]
async fn more_connections_are_open_than_the_limit_at_start_allows() {
    const LIMIT: usize = 200;

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve_with_open_files(home.path(), LIMIT).unwrap();
    let address = service.url().trim_start_matches("http://").to_owned();
    let mut open = Vec::new();
    for _ in 0..LIMIT * 2 {
        open.push(TcpStream::connect(&address).await.unwrap());
    }

    let _ = service
        .admin()
        .post("audit-logs", json!({ "event_type": "test.deed" }))
        .await
        .expect(201);
    assert_eq!(open.iter().filter(|stream| is_closed(stream)).count(), 0);
}

/// Returns `true` if the other side has closed a connection.
fn is_closed(stream: &TcpStream) -> bool {
    match stream.try_read(&mut [0; 8]) {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}
