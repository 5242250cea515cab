//! SFTP against a real OpenSSH server (keys) and asyncssh (passwords).
#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use reeve_connect_outbound::{Outbound, OutboundLimits, OutboundPolicy};
use reeve_connect_storage::sftp::{self, Server};
use reeve_connect_storage::{StorageError, client};
use reeve_testkit::line::Line;
use reeve_testkit::sshd::Sshd;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

fn local() -> Outbound {
    client(OutboundPolicy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        ..OutboundPolicy::default()
    })
}

fn server(sshd: &Sshd) -> Server {
    Server {
        host: "127.0.0.1".into(),
        port: sshd.port(),
        username: sshd.username().into(),
        host_key: Some(sshd.fingerprint().unwrap()),
    }
}

/// A file of so many bytes that do not repeat.
fn file(bytes: usize) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let content: Vec<u8> = (0..bytes)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 11) as u8)
        .collect();
    file.write_all(&content).unwrap();
    file
}

#[tokio::test]
async fn a_file_arrives_whole_under_its_name_and_is_replaced() {
    let sshd = Sshd::start().unwrap();
    let key = sshd.private_key().unwrap();

    for bytes in [5, 3_000_000, 0] {
        let sent = file(bytes);
        let address = sftp::put(
            &local(),
            &server(&sshd),
            &key,
            "audit/2026 logs",
            "one.jsonl",
            sent.path(),
        )
        .await;
        assert_eq!(
            address.unwrap(),
            format!("sftp://127.0.0.1:{}/audit/2026 logs/one.jsonl", sshd.port())
        );
        let folder = sshd.files().join("audit/2026 logs");
        assert_eq!(
            std::fs::read(folder.join("one.jsonl")).unwrap(),
            std::fs::read(sent.path()).unwrap()
        );
        assert_eq!(
            std::fs::read_dir(folder).unwrap().count(),
            1,
            "the other name is gone"
        );
    }

    let small = file(7);
    let _ = sftp::put(&local(), &server(&sshd), &key, "", "top.txt", small.path())
        .await
        .unwrap();
    assert!(
        sshd.files().join("top.txt").is_file(),
        "without a prefix it is the user's own folder"
    );
}

#[tokio::test]
async fn half_a_file_never_has_its_name() {
    let (sshd, line) = (Sshd::start().unwrap(), Line::open().await.unwrap());
    line.lead_to(sshd.port());
    let through = Server {
        port: line.port(),
        ..server(&sshd)
    };
    let (key, sent) = (sshd.private_key().unwrap(), file(4_000_000));
    line.cut_after(1_500_000);
    let cut = sftp::put(&local(), &through, &key, "audit", "one.jsonl", sent.path())
        .await
        .unwrap_err();
    assert!(!cut.is_permanent(), "{cut}");

    let folder = sshd.files().join("audit");
    let half = std::fs::metadata(folder.join(".one.jsonl.part"))
        .unwrap()
        .len();
    assert!((1..4_000_000).contains(&half), "{half}");
    assert!(!folder.join("one.jsonl").exists());

    let _ = sftp::put(&local(), &through, &key, "audit", "one.jsonl", sent.path())
        .await
        .unwrap();
    assert_eq!(
        std::fs::read(folder.join("one.jsonl")).unwrap(),
        std::fs::read(sent.path()).unwrap()
    );
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

#[tokio::test]
async fn an_unknown_host_key_is_refused_with_the_one_presented() {
    let sshd = Sshd::start().unwrap();
    let (key, presented, sent) = (
        sshd.private_key().unwrap(),
        sshd.fingerprint().unwrap(),
        file(5),
    );
    let other = format!("SHA256:{}", "A".repeat(43));

    for host_key in [None, Some(other)] {
        let strange = Server {
            host_key,
            ..server(&sshd)
        };
        let refused = sftp::put(&local(), &strange, &key, "", "one.txt", sent.path())
            .await
            .unwrap_err();
        assert!(
            matches!(refused, StorageError::HostKey(_)) && refused.is_permanent(),
            "{refused:?}"
        );
        assert!(refused.to_string().contains(&presented), "{refused}");
    }

    assert_eq!(std::fs::read_dir(sshd.files()).unwrap().count(), 0);
}

#[tokio::test]
async fn what_is_wrong_is_said_without_the_secret() {
    let sshd = Sshd::start().unwrap();
    let sent = file(5);
    let stranger = Sshd::start().unwrap().private_key().unwrap();
    let refused = sftp::put(
        &local(),
        &server(&sshd),
        &stranger,
        "",
        "one.txt",
        sent.path(),
    )
    .await
    .unwrap_err();
    assert!(matches!(refused, StorageError::SignIn(_)), "{refused:?}");

    let kind = "OPENSSH PRIVATE KEY";
    let broken = format!("-----BEGIN {kind}-----\nAAAA\n-----END {kind}-----");
    let refused = sftp::put(
        &local(),
        &server(&sshd),
        &broken,
        "",
        "one.txt",
        sent.path(),
    )
    .await
    .unwrap_err();

    assert!(
        refused.is_permanent() && !refused.to_string().contains("AAAA"),
        "{refused}"
    );
    assert!(!refused.to_string().contains("/tmp/"), "{refused}");

    let empty = sftp::put(&local(), &server(&sshd), " ", "", "one.txt", sent.path())
        .await
        .unwrap_err();
    assert!(
        empty.to_string().contains("password or a private key"),
        "{empty}"
    );

    std::fs::write(sshd.files().join("taken"), b"a file, no folder").unwrap();
    let key = sshd.private_key().unwrap();
    let refused = sftp::put(
        &local(),
        &server(&sshd),
        &key,
        "taken",
        "one.txt",
        sent.path(),
    )
    .await
    .unwrap_err();

    assert!(
        matches!(refused, StorageError::Ssh(_)) && refused.to_string().contains("taken"),
        "{refused}"
    );

    let closed = Server {
        port: 1,
        ..server(&sshd)
    };
    let refused = sftp::put(&local(), &closed, &key, "", "one.txt", sent.path())
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("port 1 does not answer"),
        "{refused}"
    );

    let guarded = Outbound::new(OutboundPolicy::default(), OutboundLimits::default());
    let refused = sftp::put(&guarded, &server(&sshd), &key, "", "one.txt", sent.path())
        .await
        .unwrap_err();
    assert!(
        matches!(refused, StorageError::Outbound(_)) && refused.is_permanent(),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_password_signs_in() {
    let home = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty());
    let python = python.map_or_else(|| here.join("../../../.venv/bin/python"), Into::into);
    let mut child = Command::new(&python)
        .arg(here.join("tests/sftp_server.py"))
        .arg(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{}: {error}; tools/setup test brings it", python.display())
        });
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();

    let announced = lines
        .next_line()
        .await
        .unwrap()
        .expect("the server ended: is asyncssh installed?");
    let announced: Value = serde_json::from_str(&announced).unwrap();
    let server = Server {
        host: "127.0.0.1".into(),
        port: u16::try_from(announced["port"].as_u64().unwrap()).unwrap(),
        username: "reeve".into(),
        host_key: announced["fingerprint"].as_str().map(str::to_owned),
    };

    let sent = file(100_000);
    for _ in 0..2 {
        let _ = sftp::put(
            &local(),
            &server,
            "hunter2",
            "audit",
            "one.txt",
            sent.path(),
        )
        .await
        .unwrap();
        assert_eq!(
            std::fs::read(home.path().join("audit/one.txt")).unwrap(),
            std::fs::read(sent.path()).unwrap()
        );
    }

    let wrong = "pa$$word '\"`id`";
    let refused = sftp::put(&local(), &server, wrong, "audit", "two.txt", sent.path())
        .await
        .unwrap_err();
    assert!(matches!(refused, StorageError::SignIn(_)), "{refused:?}");
    assert!(!refused.to_string().contains("pa$$"), "{refused}");
    assert!(!home.path().join("audit/two.txt").exists());
}
