//! Tests of shutdown: it completes within ten seconds, whatever its clients do. Killed: `kill.rs`.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use reeve_testkit::service::{ADMIN_TOKEN, Service};

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
    let head = format!("POST /api/v1/audit-logs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ADMIN_TOKEN}\r\n");
    let body = format!("{head}content-type: application/json\r\ncontent-length: 500\r\n\r\n{{\"event_type\":");
    let clients = [open(String::new()), open(head), open(body)];
    // Answered on a connection made after theirs: theirs are known by now.
    assert_eq!(service.nobody().get("/healthz").await.status, 200);
    let (status, took) = service.stop().unwrap();
    assert!(status.success() && took < Duration::from_secs(10), "{status} after {took:?}");
    drop(clients);
    let again = Service::serve(home.path(), &[]).unwrap();
    // The calls of its client, its end and the next start are recorded.
    assert_eq!(again.admin().size().await, size + 3, "half an entry is none");
}
