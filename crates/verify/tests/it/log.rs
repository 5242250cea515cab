//! A log to test with, written by the real writer, and what to do to its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{Draft, Submitter};
use reeve_lake::EntrySegments;
use reeve_ledger::{Attestor, Config, Ledger, keys};
use reeve_tlog::{Epochs, NoteSigner, NoteVerifier};
use reeve_verify::{CannotVerify, DirectoryOptions, Progress, Report, verify_directory};
use sha2::{Digest as _, Sha256};

pub(crate) const ORIGIN: &str = "reeve.local/verify-test";

/// A data directory with a log.
pub(crate) struct Log {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) ledger: Option<Ledger>,
    written: usize,
}

pub(crate) async fn open(folder: &Path) -> Ledger {
    let segments = Arc::new(EntrySegments::open(folder).await.unwrap());
    let signer = keys::load_or_create(folder, Some(ORIGIN)).unwrap();
    Ledger::open(Config::new(folder, ORIGIN), signer, segments)
        .await
        .unwrap()
}

/// The entry with a number: of every class, with and without members, small and large.
pub(crate) fn draft(number: usize) -> Draft {
    let kinds = [
        "user.login",
        "authentication.login",
        "resource.view",
        "resource.delete",
        "policy.modify",
    ];
    let kind = kinds[number % kinds.len()];

    let more = match number % 4 {
        0 => String::new(),
        1 => r#","severity":"high","actor":{"type":"user","id":"alice","email":"alice@example.com","ip_address":"10.0.0.7","user_agent":"curl","session_id":"s1"}"#.into(),
        2 => format!(r#","resource":{{"type":"vm","id":"i-{number}","cloud_provider":"aws","account_id":"1","region":"eu-west-1","tags":{{"env":"prod"}}}},"action":{{"operation":"Stop","status":"success","method":"api"}}"#),
        _ => format!(r#","changes":{{"before":{{"n":{number}}},"after":null}},"metadata":{{"request_id":"r{number}","text":"{}"}}"#, "é\\n".repeat(number % 90)),
    };

    let (hour, minute) = (number / 60 % 24, number % 60);
    let text = format!(
        r#"{{"event_id":"evt-{number}","event_type":"{kind}","timestamp":"2026-11-20T{hour:02}:{minute:02}:00.5Z"{more}}}"#
    );
    submitted(
        Draft::from_bytes(text.as_bytes(), Timestamp::now()).unwrap(),
        number,
    )
}

/// By turns of a time when submitters were not noted, by Reeve, and by others.
fn submitted(draft: Draft, number: usize) -> Draft {
    match number % 3 {
        0 => draft,
        1 => Draft::by_reeve(draft.entry, draft.recorded_at).unwrap(),
        _ => Draft::submitted_by(vec![draft], &Arc::new(Submitter::local("uid 7")))
            .unwrap()
            .remove(0),
    }
}

impl Log {
    pub(crate) async fn new() -> Log {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Some(open(folder.path()).await);
        Log {
            folder,
            ledger,
            written: 0,
        }
    }

    /// 600 sealed entries (two full bundles and an edge) in two seals, and 50 in five frames that
    /// are not sealed; closed.
    pub(crate) async fn mixed() -> Log {
        let mut log = Log::new().await;
        log.append(3, 100).await;
        log.seal().await;
        log.append(3, 100).await;
        log.seal().await;
        log.append(5, 10).await;
        log.close().await;
        log
    }

    /// Appends so many frames of so many entries.
    pub(crate) async fn append(&mut self, frames: usize, entries: usize) {
        for _ in 0..frames {
            let drafts = (self.written..self.written + entries).map(draft).collect();
            self.ledger.as_ref().unwrap().append(drafts).await.unwrap();
            self.written += entries;
        }
    }

    pub(crate) async fn seal(&self) {
        self.ledger.as_ref().unwrap().seal().await.unwrap();
    }

    pub(crate) async fn close(&mut self) {
        self.ledger.take().unwrap().close().await;
    }

    pub(crate) async fn reopen(&mut self) {
        self.ledger = Some(open(self.folder.path()).await);
    }

    pub(crate) fn dir(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    /// The private key as the file has it.
    pub(crate) fn signer(&self) -> NoteSigner {
        let text = fs::read_to_string(self.path("keys/log.key")).unwrap();
        NoteSigner::from_skey(text.lines().next().unwrap()).unwrap()
    }

    pub(crate) fn key(&self) -> NoteVerifier {
        fs::read_to_string(self.path("ledger/log.vkey"))
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    }

    pub(crate) fn keys(&self) -> Epochs {
        Epochs::single(self.key())
    }

    pub(crate) fn try_verify(&self) -> Result<Report, CannotVerify> {
        verify_directory(
            self.dir(),
            &DirectoryOptions::default(),
            &Progress::hidden(),
        )
    }

    pub(crate) fn verify(&self) -> Report {
        self.try_verify().unwrap()
    }

    pub(crate) fn pinned(&self, key: NoteVerifier) -> Report {
        let options = DirectoryOptions {
            public_key: Some(key),
            ..DirectoryOptions::default()
        };
        verify_directory(self.dir(), &options, &Progress::hidden()).unwrap()
    }

    /// The one file whose name begins so.
    pub(crate) fn files(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path(folder))
            .unwrap()
            .map(|item| format!("{folder}/{}", item.unwrap().file_name().to_str().unwrap()))
            .collect();
        names.sort();
        names
    }

    /// The newest file of the write-ahead log.
    pub(crate) fn wal(&self) -> String {
        self.files("ledger/wal").pop().unwrap()
    }

    /// Changes the text of the manifest and attests it anew, as whoever has the log's key could.
    pub(crate) fn edit_manifest(&self, change: impl Fn(String) -> String) {
        let attestor = Attestor::new(Arc::new(self.signer()), None);
        let path = self.path("ledger/manifest.journal");
        let text = change(fs::read_to_string(&path).unwrap());
        let digest = |before: &[u8], bytes: &[u8]| {
            Sha256::new()
                .chain_update(before)
                .chain_update(bytes)
                .finalize()
        };

        let (mut before, mut lines) = (vec![0; 32], String::new());
        for line in text.lines() {
            let body = line.rsplit_once(",\"attestation\":").unwrap().0;
            let row: serde_json::Value = serde_json::from_str(&format!("{body}}}")).unwrap();
            let size = row["sealed_size"].as_u64().unwrap();
            let note = attestor
                .attest(
                    "ledger/manifest.journal",
                    size,
                    digest(&before, body.as_bytes()).into(),
                )
                .unwrap();
            let line = format!(
                "{body},\"attestation\":{}}}",
                serde_json::to_string(&note).unwrap()
            );
            before = digest(&before, line.as_bytes()).to_vec();
            lines.push_str(&line);
            lines.push('\n');
        }

        fs::write(path, lines).unwrap();
    }

    pub(crate) fn segment(&self, class: &str) -> String {
        self.files(&format!("lake/entries/{class}")).remove(0)
    }
}

/// Runs something on changed bytes of a file, and puts the file back.
pub(crate) fn with_bytes<T>(path: &Path, changed: &[u8], run: impl FnOnce() -> T) -> T {
    let original = fs::read(path).unwrap();
    fs::write(path, changed).unwrap();
    let answer = run();
    fs::write(path, original).unwrap();
    answer
}

/// Asserts that a report is broken and that a finding names a file.
pub(crate) fn assert_names(report: &Report, file: &str, case: &str) {
    assert!(!report.is_intact(), "{case}: passed");
    let named = report
        .findings
        .iter()
        .any(|finding| finding.to_string().contains(file));
    assert!(named, "{case}: {file} is not named in\n{report}");
}

/// The offsets where frames of a write-ahead file begin, and its length.
pub(crate) fn frame_offsets(bytes: &[u8]) -> Vec<usize> {
    let mut offsets = vec![64];
    while *offsets.last().unwrap() < bytes.len() {
        let at = *offsets.last().unwrap();
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        offsets.push(at + 8 + length as usize);
    }
    offsets
}
