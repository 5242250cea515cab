//! How it ends: asked to, it ends within ten seconds whatever its clients do; killed, it keeps everything it acknowledged.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{ADMIN_TOKEN, Service, verify};
use serde_json::{Value, json};

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
    assert_eq!(again.admin().size().await, size, "half an entry is none");
}

/// Appends one batch after another until there is no answer; what was acknowledged is kept.
async fn write(api: Api, writer: usize, acknowledged: Arc<Mutex<Vec<Value>>>) {
    for round in 0.. {
        let batch: Vec<Value> =
            (0..5).map(|n| json!({ "event_id": format!("{writer}-{round}-{n}"), "event_type": "test.deed" })).collect();
        let body = json!(batch).to_string().into_bytes();
        // No answer is no acknowledgement: the service is gone.
        let Ok(answer) = api.attempt("POST", "audit-logs", &[], Some("application/json"), body).await else { return };
        if answer.status != 201 {
            return;
        }
        acknowledged.lock().unwrap().extend(answer.items().iter().cloned());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let settings = [("REEVE_SEAL_AFTER_ENTRIES", "300")];
    let acknowledged: Arc<Mutex<Vec<Value>>> = Arc::default();
    for life in 0..3 {
        let service = Service::serve(home.path(), &settings).unwrap();
        let before = acknowledged.lock().unwrap().len();
        let writers: Vec<_> =
            (0..4).map(|n| tokio::spawn(write(service.admin(), life * 10 + n, Arc::clone(&acknowledged)))).collect();
        until("five hundred more entries", Duration::from_secs(60), || async {
            (acknowledged.lock().unwrap().len() >= before + 500).then_some(())
        })
        .await;
        service.kill().unwrap();
        for writer in writers {
            writer.await.unwrap();
        }
    }
    let service = Service::serve(home.path(), &settings).unwrap();
    let admin = service.admin();
    let receipts = acknowledged.lock().unwrap().clone();
    let size = admin.size().await;
    assert!(size >= receipts.len() as u64);
    // Asked for one by one where the lives end, and all of them by what they were given.
    let mut found = std::collections::HashMap::new();
    let mut cursor = String::new();
    loop {
        let page = admin.get(&format!("audit-logs?query=event_type:test.deed&limit=1000{cursor}")).await.expect(200);
        for entry in page.items() {
            found.insert(entry["event_id"].as_str().unwrap().to_owned(), entry["integrity"].clone());
        }
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    for receipt in &receipts {
        let kept = found.get(receipt["event_id"].as_str().unwrap()).unwrap_or_else(|| panic!("lost: {receipt}"));
        for field in ["sequence", "leaf_hash", "hash", "previous_hash"] {
            assert_eq!(kept[field], receipt[field], "{receipt}");
        }
    }
    // A batch whose answer was cut off is there whole or not at all.
    let mut batches = std::collections::HashMap::<&str, usize>::new();
    for id in found.keys() {
        *batches.entry(id.rsplit_once('-').unwrap().0).or_default() += 1;
    }
    assert!(batches.values().all(|count| *count == 5), "half a batch: {batches:?}");
    assert!(service.stop().unwrap().0.success());
    let (code, said) = verify(&[home.path().to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
}
