//! Tests of shutdown: it completes within five seconds, whatever its clients and receivers do.
//! Killed: `kill.rs`.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use reeve_testkit::http::until;
use reeve_testkit::service::{ADMIN_TOKEN, EMULATORS, Service, verify};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_finishes_does_not_hold_up_the_end() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let address = service.url().strip_prefix("http://").unwrap().to_owned();
    let size = service.admin().size().await;

    // One that says nothing, one in the middle of its headers, one in the middle of its body.
    let open = |text: String| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };

    let head = format!(
        "POST /api/v1/audit-logs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ADMIN_TOKEN}\r\n"
    );
    let body = format!(
        "{head}content-type: application/json\r\ncontent-length: 500\r\n\r\n{{\"event_type\":"
    );
    let clients = [open(String::new()), open(head), open(body)];

    // Answered on a connection made after theirs: theirs are known by now.
    assert_eq!(service.nobody().get("/healthz").await.status, 200);

    let (status, took) = service.stop().unwrap();
    assert!(
        status.success() && took < Duration::from_secs(5),
        "{status} after {took:?}"
    );
    drop(clients);
    let again = Service::serve(home.path(), &[]).unwrap();

    // The calls of its client, its end and the next start are recorded.
    assert_eq!(
        again.admin().size().await,
        size + 3,
        "half an entry is none"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_does_a_receiver_that_never_answers_nor_load() {
    let home = tempfile::tempdir().unwrap();
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let publish = format!(
        r#"{{ after_change_s = 1, webhook = {{ url = "http://{}/", token = "t" }} }}"#,
        silent.local_addr().unwrap()
    );

    // Seals all the time, and a delivery that waits for an answer for a minute.
    let variables = [
        ("REEVE_PUBLISH", publish.as_str()),
        EMULATORS,
        ("REEVE_SEAL_AFTER_ENTRIES", "200"),
    ];
    let service = Service::serve(home.path(), &variables).unwrap();
    let (_held, _) = tokio::time::timeout(Duration::from_secs(60), silent.accept())
        .await
        .unwrap()
        .unwrap();
    let batch: Vec<_> = (0..100)
        .map(|n| json!({ "event_type": "test.event", "metadata": { "n": n } }))
        .collect();
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let (api, batch) = (service.admin(), json!(batch).to_string().into_bytes());
            tokio::spawn(async move {
                let json = Some("application/json");
                while api
                    .attempt("POST", "audit-logs", &[], json, batch.clone())
                    .await
                    .is_ok_and(|answer| answer.status == 201)
                {}
            })
        })
        .collect();

    let admin = service.admin();
    until("entries under load", Duration::from_secs(60), || async {
        (admin.size().await > 2_000).then_some(())
    })
    .await;
    let (status, took) = service.stop().unwrap();
    assert!(
        status.success() && took < Duration::from_secs(5),
        "{status} after {took:?}"
    );
    for writer in writers {
        writer.await.unwrap();
    }

    let (code, said) = verify(&[home.path().to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
}
