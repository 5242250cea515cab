//! The program: exit codes, and what goes where.

use std::fs;
use std::process::{Command, Output};

use crate::log::{Log, frame_offsets};

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_reeve-verify"))
        .args(arguments)
        .env_remove("REEVE_TOKEN")
        .output()
        .unwrap();
    (
        status.code(),
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exit_codes_tell_the_verdict() {
    let mut log = Log::new().await;
    log.append(4, 25).await;
    log.seal().await;
    log.append(1, 2).await;
    let ledger = log.ledger.clone().unwrap();
    let stored = ledger.tail().get(101).unwrap().clone();
    fs::write(
        log.path("one.tlog-proof"),
        ledger.proof(&stored).await.unwrap(),
    )
    .unwrap();
    drop(ledger);
    log.close().await;
    let (dir, key) = (
        log.dir().to_str().unwrap().to_owned(),
        log.key().to_string(),
    );
    let path = |name: &str| log.path(name).to_str().unwrap().to_owned();

    let (code, out, err) = run(&[&dir]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(
        out.starts_with("intact: reeve.local/verify-test") && out.contains("102 of 102"),
        "{out}"
    );
    assert_eq!(
        run(&[&dir, "--quiet"]),
        (Some(0), String::new(), String::new())
    );

    let (code, out, _) = run(&[&dir, "--json", "--public-key", &path("ledger/log.vkey")]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &json["intact"], &json["key"]["source"]),
        (Some(0), &true.into(), &"pinned".into())
    );

    let submitted = serde_json::json!({"by_reeve": 34, "by_others": 34, "unknown": 34, "reserved_by_others": 0});
    assert_eq!(json["submitted"], submitted);

    let submitters = "submitted    34 entries by Reeve itself, 34 by others, 34 recorded before submitters were noted";
    assert!(out_text(&dir).contains(submitters));

    let (code, out, _) = run(&[&path("one.tlog-proof"), "--public-key", &key]);
    assert_eq!(code, Some(0), "{out}");
    assert!(
        out.starts_with("intact: this is entry 101 of")
            && out.contains("\"event_id\": \"evt-101\""),
        "{out}"
    );

    let (code, _, err) = run(&[&path("one.tlog-proof")]);
    assert!(
        code == Some(2) && err.contains("--public-key") && err.contains("log.vkey"),
        "{err}"
    );
    fs::write(log.path("bad.tlog-proof"), "c2sp.org/tlog-proof@v1\n").unwrap();
    let (code, out, _) = run(&[&path("bad.tlog-proof"), "--public-key", &key]);
    assert!(code == Some(1) && out.starts_with("BROKEN: "), "{out}");

    let wal = fs::read(log.path(&log.wal())).unwrap();
    fs::write(log.path(&log.wal()), &wal[..frame_offsets(&wal)[0]]).unwrap();
    let (code, out, err) = run(&[&dir, "--quiet"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(
        out.contains("anchor/head, byte") && out.contains("cut off"),
        "{out}"
    );
}

fn out_text(dir: &str) -> String {
    run(&[dir]).1
}

#[test]
fn runs_that_cannot_start_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    fs::create_dir(folder.path().join("log")).unwrap();
    fs::create_dir_all(folder.path().join("keyless/ledger")).unwrap();
    let at = |name: &str| format!("{dir}/{name}");

    for (arguments, message) in [
        (vec![], "Usage"),
        (vec![at("log"), "--nonsense".into()], "--nonsense"),
        (vec![at("nowhere")], "no such file"),
        (vec![at("log")], "not a data directory"),
        (vec![at("keyless")], "--public-key"),
        (
            vec![at("keyless"), "--public-key".into(), "nonsense".into()],
            "not a verifier key",
        ),
        (
            vec![at("keyless"), "--anchor".into(), at("nowhere")],
            "nowhere: there is no such file",
        ),
        (vec!["http://127.0.0.1:1".into()], "--public-key"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, out, err) = run(&arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(message), "{arguments:?}: {err}");
    }
}
