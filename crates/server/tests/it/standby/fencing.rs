//! A server that was paused for longer than its lease is valid, while another one took over on a
//! copy of its data directory: it writes nothing more, acknowledges nothing, and ends. So does one
//! whose database is away.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reeve_testkit::http::{Api, until};
use reeve_testkit::postgres::Postgres;
use reeve_testkit::service::{ADMIN_TOKEN, Service, verify};
use serde_json::{Value, json};

use super::PATIENCE;

/// Exit code of a server that was replaced.
const REPLACED: i32 = 75;

/// What a server says whose lease is over.
const NO_LEASE: &str = "this server does not act until its lease is renewed";

/// Content of the files that make up the log.
fn files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut folders) = (
        BTreeMap::new(),
        vec![data.join("ledger"), data.join("anchor"), data.join("lake")],
    );
    while let Some(folder) = folders.pop() {
        // Nothing may be sealed yet.
        let Ok(items) = std::fs::read_dir(folder) else {
            continue;
        };
        for item in items {
            let path = item.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }

    files
}

fn entry(id: &str) -> Vec<u8> {
    json!({ "event_id": id, "event_type": "test.event" })
        .to_string()
        .into_bytes()
}

/// Sends an entry; the status and code of the answer, `None` without one.
async fn send(url: String, id: String) -> Option<(u16, Value)> {
    let api = Api::new(&url).with_token(ADMIN_TOKEN);
    let answer = api
        .attempt(
            "POST",
            "audit-logs",
            &[],
            Some("application/json"),
            entry(&id),
        )
        .await
        .ok()?;

    Some((answer.status, answer.body["code"].clone()))
}

/// The entries of the test in a log, by their sequence.
async fn found(api: &Api) -> Vec<String> {
    let page = api
        .get("audit-logs?limit=1000&query=event_type:test.event")
        .await
        .expect(200);
    page.items()
        .iter()
        .map(|entry| entry["event_id"].as_str().unwrap().to_owned())
        .collect()
}

/// Pauses a server, lets another one take over on a copy, and lets it go on; `is_away`: while its
/// database is away.
async fn replaced_while_paused(is_away: bool) {
    let Some(database) = Postgres::start().unwrap() else {
        return;
    };

    let url = database.database().await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let (data, copy) = (home.path().join("data"), home.path().join("copy"));
    let variables = [("REEVE_STATE_URL", url.as_str())];
    let mut paused = Service::serve(&data, &variables).unwrap();
    assert_eq!(
        send(paused.url().to_owned(), "before".to_owned())
            .await
            .unwrap()
            .0,
        201
    );

    paused.freeze().unwrap();
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(&data)
        .arg(&copy)
        .status()
        .unwrap();
    assert!(copied.success());

    let before = files(&data);

    // Requests wait in the sockets of the paused server while the next one takes over.
    let ids: Vec<String> = (0..20).map(|n| format!("queued-{n}")).collect();
    let queued: Vec<_> = ids
        .iter()
        .map(|id| tokio::spawn(send(paused.url().to_owned(), id.clone())))
        .collect();
    let next = Service::serve(&copy, &variables).unwrap();
    assert_eq!(
        send(next.url().to_owned(), "after".to_owned())
            .await
            .unwrap()
            .0,
        201
    );

    if is_away {
        database.stop().unwrap();
    }

    paused.thaw().unwrap();
    for answer in queued {
        let answer = tokio::time::timeout(PATIENCE, answer)
            .await
            .expect("an answer or an end")
            .unwrap();
        assert!(
            answer.as_ref().is_none_or(|(status, _)| *status == 503),
            "{answer:?}"
        );
    }

    if is_away {
        assert_eq!(
            paused.exit_code().unwrap(),
            None,
            "it cannot know, and does not act"
        );
        database.resume().unwrap();
    }

    let code = until("the end of the replaced server", PATIENCE, || {
        let code = paused.exit_code().unwrap();
        async move { code }
    })
    .await;
    assert_eq!(code, REPLACED);
    assert!(
        paused
            .said()
            .contains("another server has taken over from this one"),
        "{}",
        paused.said()
    );

    assert_eq!(files(&data), before, "a byte of the replaced server");

    // What was not acknowledged is sent again, and is in the log once.
    for id in &ids {
        until("the next server takes it", PATIENCE, || async {
            (send(next.url().to_owned(), id.clone()).await?.0 == 201).then_some(())
        })
        .await;
    }

    let mut in_log = found(&next.admin()).await;
    in_log.sort();
    let mut expected = [&["after".to_owned(), "before".to_owned()], ids.as_slice()].concat();
    expected.sort();
    assert_eq!(in_log, expected);
    assert!(next.stop().unwrap().0.success());

    for dir in [&data, &copy] {
        let (code, said) = verify(&[dir.to_str().unwrap()]).unwrap();
        assert_eq!(code, Some(0), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_paused_and_replaced_writes_and_acknowledges_nothing() {
    replaced_while_paused(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nor_does_it_when_its_database_is_away_as_well() {
    replaced_while_paused(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_is_away_requests_are_refused_soon_and_the_server_goes_on_afterwards() {
    let Some(database) = Postgres::start().unwrap() else {
        return;
    };

    let url = database.database().await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let service = Service::serve(&data, &[("REEVE_STATE_URL", &url)]).unwrap();
    assert_eq!(
        send(service.url().to_owned(), "before".to_owned())
            .await
            .unwrap()
            .0,
        201
    );

    database.stop().unwrap();
    let attempt = async |name: String| {
        let begun = Instant::now();
        let (status, code) = send(service.url().to_owned(), name).await.unwrap();
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{:?}",
            begun.elapsed()
        );
        assert!(
            status == 201 || (status == 503 && code == "database_unavailable"),
            "{status} {code}"
        );
        status
    };

    // A token that was looked up just before is good for a moment.
    until("a refusal", PATIENCE, || async {
        (attempt("first".to_owned()).await == 503).then_some(())
    })
    .await;
    until("the end of its lease", PATIENCE, || async {
        service.said().contains(NO_LEASE).then_some(())
    })
    .await;
    let written = files(&data);
    for n in 0..3 {
        assert_eq!(attempt(format!("away-{n}")).await, 503);
    }

    assert_eq!(files(&data), written, "written without a lease");
    database.resume().unwrap();
    until("the server goes on", PATIENCE, || async {
        (send(service.url().to_owned(), "later".to_owned()).await?.0 == 201).then_some(())
    })
    .await;
    let found = found(&service.admin()).await;
    assert_eq!(found.iter().filter(|id| *id == "later").count(), 1);
    assert!(service.stop().unwrap().0.success());

    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
}

/// The end of a server is what lets another one have its locks: it must come by itself, and write
/// nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_database_stays_away_ends_by_itself() {
    let Some(database) = Postgres::start().unwrap() else {
        return;
    };

    let url = database.database().await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let mut service = Service::serve(&data, &[("REEVE_STATE_URL", &url)]).unwrap();
    let sent = send(service.url().to_owned(), "before".to_owned()).await;
    assert_eq!(sent.unwrap().0, 201);

    database.stop().unwrap();
    let begun = Instant::now();
    until("the end of its lease", PATIENCE, || async {
        service.said().contains(NO_LEASE).then_some(())
    })
    .await;
    let written = files(&data);

    let service = std::sync::Mutex::new(&mut service);
    let code = until("its end", PATIENCE, || async {
        service.lock().unwrap().exit_code().unwrap()
    })
    .await;
    assert_eq!(code, REPLACED);
    assert!(
        begun.elapsed() > Duration::from_secs(25),
        "it gave up after {:?}",
        begun.elapsed()
    );
    assert_eq!(files(&data), written, "written at its end");

    // The same directory goes on once the database answers.
    database.resume().unwrap();
    let again = Service::serve(&data, &[("REEVE_STATE_URL", &url)]).unwrap();
    assert!(found(&again.admin()).await.contains(&"before".to_owned()));
}
