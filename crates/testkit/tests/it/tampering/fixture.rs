//! A data directory to tamper with: two seals, a rotated key, unsealed entries; and everything one
//! can ask of its log.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::Draft;
use reeve_audit::query::{Query, QueryColumn};
use reeve_lake::{EntrySearch, EntrySegments};
use reeve_ledger::{Aggregation, Config, EntryReader, GroupBy, Ledger, Order, SearchRequest, keys};
use reeve_verify::{
    CannotVerify, DirectoryOptions, KeptCheckpoint, Progress, Report, verify_directory,
};

pub(super) const ORIGIN: &str = "reeve.local/tampering";
/// Entries of a seal, and those after the last one.
pub(super) const SEALED: usize = 300;
const UNSEALED: usize = 20;

/// Answers of the log: event ids with their hashes, totals of queries, receipts of repeated
/// entries, a proof.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answers {
    entries: Vec<(String, String)>,
    totals: Vec<(String, Option<u64>)>,
    counts: BTreeMap<String, u64>,
    receipts: Vec<(u64, bool, String, String)>,
    proven: String,
}

pub(super) struct LogFixture {
    folder: tempfile::TempDir,
    /// Files as they were before the last entries came.
    pub(super) earlier: BTreeMap<&'static str, Vec<u8>>,
}

const KEPT: [&str; 3] = [
    "anchor/head",
    "ledger/checkpoint",
    "ledger/manifest.journal",
];

/// A log that was opened.
pub(super) struct Opened {
    pub(super) ledger: Ledger,
    pub(super) search: EntrySearch,
}

/// The draft with a number; the same again for the same number.
pub(super) fn draft(number: usize) -> Draft {
    let kind = [
        "user.login",
        "resource.delete",
        "resource.view",
        "policy.modify",
    ][number % 4];

    let actor = ["alice", "bob", "carol"][number % 3];
    let text = format!(
        r#"{{"event_id":"evt-{number}","event_type":"{kind}","timestamp":"2026-11-20T10:00:00Z","actor":{{"type":"user","id":"{actor}"}},"metadata":{{"note":"number {number} of many"}}}}"#
    );
    Draft::from_bytes(
        text.as_bytes(),
        Timestamp::from_second(1_795_170_000).unwrap(),
    )
    .unwrap()
}

impl LogFixture {
    pub(super) async fn build() -> LogFixture {
        let mut fixture = LogFixture {
            folder: tempfile::tempdir().unwrap(),
            earlier: BTreeMap::new(),
        };
        let opened = fixture.open().await.unwrap();

        for seal in 0..2 {
            let drafts = (seal * SEALED..(seal + 1) * SEALED).map(draft).collect();
            opened.ledger.append(drafts).await.unwrap();
            opened.ledger.seal().await.unwrap();
            if seal == 0 {
                let entry = |planned: &reeve_ledger::Planned| {
                    let text = format!(
                        r#"{{"event_id":"rotation","event_type":"ledger.key_rotate","metadata":{{"new":"{}"}}}}"#,
                        planned.new
                    );
                    Draft::from_bytes(text.as_bytes(), Timestamp::now())
                        .map_err(|error| format!("{error:?}").into())
                };
                opened.ledger.rotate_key(entry).await.unwrap();
                fixture.earlier = KEPT
                    .iter()
                    .map(|name| (*name, fixture.read(name)))
                    .collect();
            }
        }

        for frame in 0..4 {
            let first = 2 * SEALED + frame * UNSEALED / 4;
            opened
                .ledger
                .append((first..first + UNSEALED / 4).map(draft).collect())
                .await
                .unwrap();
        }

        opened.close().await;
        fixture
    }

    pub(super) fn copy(&self) -> LogFixture {
        let copy = LogFixture {
            folder: tempfile::tempdir().unwrap(),
            earlier: self.earlier.clone(),
        };
        for name in self.files() {
            let target = copy.path(&name);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(self.path(&name), target).unwrap();
        }

        copy
    }

    pub(super) fn dir(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub(super) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(super) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    /// All files, by name.
    pub(super) fn files(&self) -> Vec<String> {
        let (mut names, mut folders) = (Vec::new(), vec![self.dir().to_path_buf()]);
        while let Some(folder) = folders.pop() {
            for item in fs::read_dir(folder).unwrap() {
                let path = item.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    names.push(
                        path.strip_prefix(self.dir())
                            .unwrap()
                            .to_string_lossy()
                            .into_owned(),
                    );
                }
            }
        }

        names.sort();
        names
    }

    /// The files whose names begin so.
    pub(super) fn below(&self, folder: &str) -> Vec<String> {
        self.files()
            .into_iter()
            .filter(|name| name.starts_with(folder))
            .collect()
    }

    /// Opens the log as a start of the service does.
    pub(super) async fn open(&self) -> Result<Opened, String> {
        let segments = Arc::new(
            EntrySegments::open(self.dir())
                .await
                .map_err(|error| error.to_string())?,
        );
        let signer =
            keys::load_or_create(self.dir(), Some(ORIGIN)).map_err(|error| error.to_string())?;
        let opened = Ledger::open(Config::new(self.dir(), ORIGIN), signer, segments.clone()).await;
        let ledger = opened.map_err(|error| error.to_string())?;
        let search = EntrySearch::new(segments, Arc::new(ledger.clone()));

        Ok(Opened { ledger, search })
    }

    /// Answers before anything was changed.
    pub(super) async fn pristine(&self) -> Answers {
        let copy = self.copy();
        assert!(!copy.auditor_finds(), "{}", copy.report(&[]).unwrap());
        let opened = copy.open().await.unwrap();
        let answers = opened.answers().await.unwrap();
        opened.close().await;
        assert_eq!(answers.entries.len(), 2 * SEALED + 1 + UNSEALED);
        answers
    }

    /// The report of the auditor, given checkpoints from elsewhere.
    pub(super) fn report(&self, checkpoints: &[Vec<u8>]) -> Result<Report, CannotVerify> {
        let kept = |bytes: &Vec<u8>| KeptCheckpoint {
            name: "kept".into(),
            bytes: bytes.clone(),
        };

        let options = DirectoryOptions {
            checkpoints: checkpoints.iter().map(kept).collect(),
            ..DirectoryOptions::default()
        };
        verify_directory(self.dir(), &options, &Progress::hidden())
    }

    /// Returns `true` if the auditor does not call the directory intact.
    pub(super) fn auditor_finds(&self) -> bool {
        self.report(&[]).map_or(true, |report| !report.is_intact())
    }
}

pub(super) fn request(query: &str, limit: usize) -> SearchRequest {
    SearchRequest {
        query: query.parse().unwrap(),
        limit,
        offset: 0,
        order: Order::NewestFirst,
        sort: None,
        cursor: None,
        count_total: true,
        aggregations: Vec::new(),
        now: Timestamp::from_second(1_795_180_000).unwrap(),
    }
}

impl Opened {
    /// Returns all answers of the log, or the error of the first one that it refuses.
    pub(super) async fn answers(&self) -> Result<Answers, String> {
        let failed = |error: reeve_ledger::TrailError| error.to_string();
        let mut totals = Vec::new();

        // Twice: the first search may be the one that notices an index, and the second the one that
        // believes what was rebuilt.
        for query in [
            "event_type:resource.delete",
            "actor.id:alice",
            "\"number 17 of\"",
            "event_type:resource.delete",
        ] {
            let page = self
                .search
                .search(&request(query, 3))
                .await
                .map_err(failed)?;
            totals.push((query.to_owned(), page.total));
        }

        let mut all = SearchRequest {
            query: Query::all(),
            ..request("evt", 2_000)
        };
        all.aggregations = vec![Aggregation {
            by: GroupBy::Column(QueryColumn::EventType),
            limit: 100,
        }];
        let page = self.search.search(&all).await.map_err(failed)?;
        let counts = page
            .aggregations
            .iter()
            .flat_map(|counts| counts.values.clone())
            .collect();

        let entries = page.entries.iter().map(|entry| {
            (
                entry.entry.event_id.as_str().to_owned(),
                entry.hash.to_string(),
            )
        });
        let entries: Vec<_> = entries.collect();

        let mut receipts = Vec::new();
        for number in (0..2 * SEALED).step_by(37) {
            let again = self
                .ledger
                .append(vec![draft(number)])
                .await
                .map_err(|error| error.to_string())?;
            receipts.extend(again.iter().map(|receipt| {
                (
                    receipt.sequence,
                    receipt.duplicate,
                    receipt.previous_hash.to_string(),
                    receipt.hash.to_string(),
                )
            }));
        }

        let shown = self
            .search
            .by_event_id("evt-5")
            .await
            .map_err(failed)?
            .ok_or("evt-5 is not found")?;

        let proof = self
            .ledger
            .proof(&shown)
            .await
            .map_err(|error| error.to_string())?;
        let proven = proof.lines().next().unwrap_or_default().to_owned();
        Ok(Answers {
            entries,
            totals,
            counts,
            receipts,
            proven,
        })
    }

    pub(super) async fn append(&self, count: usize) {
        let first = 2 * SEALED + UNSEALED;
        self.ledger
            .append((first..first + count).map(draft).collect())
            .await
            .unwrap();
    }

    pub(super) async fn close(self) {
        self.ledger.close().await;
    }
}
