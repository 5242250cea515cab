//! A service, as far as the auditor sees one: a real log behind a few lines of HTTP.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use reeve_ledger::Ledger;
use reeve_verify::{CannotVerify, Progress, Remote, Report, Witnesses, verify_remote};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::log::{Log, assert_names};

/// Forged answers by path; `None` for 404.
type Lies = Arc<Mutex<BTreeMap<String, Option<Vec<u8>>>>>;

async fn serve(ledger: Ledger, lies: Lies) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, ledger.clone(), lies.clone()));
        }
    });
    format!("http://{address}")
}

async fn answer(stream: TcpStream, ledger: Ledger, lies: Lies) {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next_line().await.unwrap().unwrap_or_default();
    let mut authorised = false;

    while let Ok(Some(line)) = lines.next_line().await {
        authorised |= line.eq_ignore_ascii_case("authorization: Bearer secret");
        if line.is_empty() {
            break;
        }
    }

    let path = request
        .split(' ')
        .nth(1)
        .and_then(|path| path.strip_prefix("/api/v1/audit-logs/"))
        .unwrap_or_default();
    let lie = lies.lock().unwrap().get(path).cloned();
    let body = match lie {
        Some(lie) => lie,
        None if path == "checkpoint" => Some(ledger.checkpoint().into_bytes()),
        None => ledger.tile(path).await.unwrap(),
    };

    let (status, body) = match body {
        _ if !authorised => ("401 Unauthorized", Vec::new()),
        Some(body) => ("200 OK", body),
        None => ("404 Not Found", Vec::new()),
    };

    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = lines.into_inner();
    let _ = stream.write_all(&[head.into_bytes(), body].concat()).await;
}

async fn verify(remote: &Remote) -> Result<Report, CannotVerify> {
    verify_remote(remote, &Progress::hidden()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_is_held_to_its_tree() {
    let mut log = Log::new().await;
    log.append(3, 100).await;
    log.seal().await;
    log.append(3, 100).await;
    let ledger = log.ledger.clone().unwrap();
    let lies = Lies::default();
    let url = serve(ledger.clone(), lies.clone()).await;
    let token = Some("secret".to_owned());
    let mut remote = Remote {
        url: url.clone(),
        token,
        key: log.key(),
        anchor: Some(log.path("anchor/head")),
        checkpoints: Vec::new(),
        witnesses: Witnesses::default(),
    };

    for prefix in ["", "/", "/api/v1/audit-logs"] {
        remote.url = format!("{url}{prefix}");
        let report = verify(&remote).await.unwrap();
        assert!(report.is_intact(), "{report}");
        assert_eq!(
            (report.size, report.counts.bundles, report.counts.tiles),
            (600, 3, 4)
        );
        assert!(report.not_checked[0].contains("payloads"));
    }

    let bundle = ledger.tile("tile/entries/001").await.unwrap().unwrap();
    let mut changed = bundle.clone();
    changed[40] ^= 1;

    for (path, lie, named) in [
        (
            "tile/entries/001",
            Some(changed),
            "checkpoint: the entry bundles do not give the signed root",
        ),
        (
            "tile/entries/001",
            Some(bundle[..340].to_vec()),
            "tile/entries/001, entries 256 to 511: it is not",
        ),
        (
            "tile/entries/001",
            None,
            "tile/entries/001, entries 256 to 511: the entry bundle is missing",
        ),
        (
            "tile/0/000",
            Some(vec![0; 8192]),
            "tile/0/000, entries 0 to 255: the hashes of the tile",
        ),
        (
            "tile/1/000.p/2",
            None,
            "tile/1/000.p/2, entries 0 to 511: the tile is missing",
        ),
        (
            "checkpoint",
            Some(b"reeve.local/verify-test\n".to_vec()),
            "checkpoint: the checkpoint is refused",
        ),
    ] {
        lies.lock().unwrap().insert(path.to_owned(), lie);
        assert_names(&verify(&remote).await.unwrap(), named, path);
        lies.lock().unwrap().clear();
    }

    let early = ledger.checkpoint();
    log.append(1, 1).await;
    lies.lock()
        .unwrap()
        .insert("checkpoint".into(), Some(early.into_bytes()));
    assert_names(
        &verify(&remote).await.unwrap(),
        "anchor has more entries than the log",
        "an old checkpoint",
    );
    remote.anchor = None;

    // The service has only the full tile and longer bundle left of what the old checkpoint needs.
    let report = verify(&remote).await.unwrap();
    assert!(
        report.is_intact() && report.not_checked[0].contains("--anchor"),
        "{report}"
    );

    remote.token = None;
    let error = verify(&remote).await.unwrap_err().to_string();
    assert!(
        error.contains("401") && error.contains("REEVE_TOKEN"),
        "{error}"
    );
    remote.url = "http://127.0.0.1:1".into();
    assert!(matches!(
        verify(&remote).await,
        Err(CannotVerify::Remote { .. })
    ));
    log.close().await;
}
