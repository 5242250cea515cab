//! One life of a log: what was sent, what was answered, and the disk it happens on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_audit::Draft;
use reeve_ledger::clock::Clock as _;
use reeve_ledger::{AppendError, Config, Ledger, Receipt, keys};
use reeve_tlog::NoteSigner;

use super::Tally;
use super::clock::SimulatedClock;
use super::disk::SimulatedDisk;
use super::segments::{Rows, Segments};

pub(crate) const ORIGIN: &str = "log.example/simulation";

/// Storage of sealed entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Memory,
    Parquet,
}

/// Model of the log: entries acknowledged, their order, and submissions without an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    /// Text and first receipt, by `event_id`.
    pub(crate) acknowledged: HashMap<String, (String, Receipt)>,
    /// The identifiers in the order they were acknowledged.
    pub(crate) order: Vec<String>,
    /// Submissions that were neither taken nor refused.
    pub(crate) doubtful: Vec<Vec<String>>,
    /// Identifiers of entries that were refused for a conflict in their submission.
    pub(crate) refused: Vec<String>,
    /// `true` once data that matters was altered.
    pub(crate) altered: bool,
    pub(crate) sent: usize,
}

pub(crate) struct Life {
    pub(crate) seed: u64,
    pub(crate) random: StdRng,
    pub(crate) keep: Keep,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) disk: SimulatedDisk,
    pub(crate) rows: Rows,
    pub(crate) clock: Arc<SimulatedClock>,
    pub(crate) ledger: Option<Ledger>,
    pub(crate) segments: Option<Arc<Segments>>,
    pub(crate) model: Model,
    pub(crate) tally: Tally,
}

/// The `event_id` of a text.
pub(crate) fn id_of(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    value["event_id"].as_str().unwrap().to_owned()
}

/// A folder in memory where there is one.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap()
}

impl Life {
    pub(crate) async fn new(seed: u64, keep: Keep) -> Life {
        Life {
            seed,
            random: StdRng::seed_from_u64(seed),
            keep,
            folder: folder(),
            disk: SimulatedDisk::new(seed),
            rows: Rows::default(),
            clock: Arc::default(),
            ledger: None,
            segments: None,
            model: Model::default(),
            tally: Tally::default(),
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub(crate) fn tally(&self) -> Tally {
        Tally {
            acknowledged: self.model.order.len() as u64,
            ..self.tally
        }
    }

    /// The key in charge by the records on a disk. Private keys are kept in real files, which no
    /// simulated crash touches.
    fn signer(&self, disk: &SimulatedDisk) -> Result<NoteSigner, keys::KeyFileError> {
        let ledger = self.home().join("ledger");
        std::fs::remove_dir_all(&ledger).ok();

        for (path, bytes) in disk.files() {
            if path.starts_with(ledger.join("epochs")) || path == ledger.join("log.vkey") {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
        }

        let signer = keys::load_or_create(&self.home(), Some(ORIGIN))?;
        self.take_over_public_key(disk);
        Ok(signer)
    }

    /// Copies the public key, which a rotation writes beside the simulated disk.
    pub(crate) fn take_over_public_key(&self, disk: &SimulatedDisk) {
        let path = self.home().join("ledger/log.vkey");
        if let Ok(bytes) = std::fs::read(&path) {
            disk.put(&path, bytes);
        }
    }

    pub(crate) async fn open_on(&mut self, disk: SimulatedDisk) -> Result<Ledger, String> {
        let signer = self.signer(&disk).map_err(|error| error.to_string())?;
        let segments = match self.keep {
            Keep::Memory => Segments::in_memory(&disk, &self.home(), &self.rows),
            Keep::Parquet => Segments::in_lake(&disk, &self.home()).await,
        };
        let config = Config {
            seal_after_entries: 200,
            queue_capacity_bytes: 4 << 20,
            clock: self.clock.clone(),
            ..Config::new(self.home(), ORIGIN)
        };
        let ledger = Ledger::open_on(Arc::new(disk), config, signer, segments.clone()).await;
        let ledger = ledger.map_err(|error| error.to_string())?;

        self.segments = Some(segments);
        Ok(ledger)
    }

    /// Texts for a submission: mostly new entries, some of them late or early, some sent before.
    pub(crate) fn submission(&mut self) -> Vec<String> {
        let count = match self.random.random_range(0..10) {
            0 => 130,
            1 => 40,
            _ => self.random.random_range(1..6),
        };
        (0..count)
            .map(|_| {
                if self.random.random_bool(0.12) {
                    self.again()
                } else {
                    self.fresh()
                }
            })
            .collect()
    }

    fn again(&mut self) -> String {
        match self.model.order.len() {
            0 => self.fresh(),
            known => self.model.acknowledged[&self.model.order[self.random.random_range(0..known)]]
                .0
                .clone(),
        }
    }

    pub(crate) fn fresh(&mut self) -> String {
        self.model.sent += 1;
        let kinds = [
            "user.login",
            "authentication.login",
            "resource.view",
            "resource.delete",
            "policy.modify",
        ];
        let kind = kinds[self.random.random_range(0..kinds.len())];

        let time = match self.random.random_range(0..6) {
            0 => String::new(),
            1 => r#","timestamp":"2001-02-03T04:05:06.789Z""#.into(),
            2 => r#","timestamp":"2090-01-01T00:00:00+02:00""#.into(),
            _ => format!(
                r#","timestamp":"2026-11-20T10:{:02}:00Z""#,
                self.model.sent % 60
            ),
        };

        let note = "x".repeat(self.random.random_range(0..40));
        format!(
            r#"{{"event_id":"e{}","event_type":"{kind}"{time},"metadata":{{"note":"{note}"}}}}"#,
            self.model.sent
        )
    }

    pub(crate) fn drafts(&self, texts: &[String]) -> Vec<Draft> {
        let now: Timestamp = self.clock.now();
        texts
            .iter()
            .map(|text| Draft::from_bytes(text.as_bytes(), now).unwrap())
            .collect()
    }

    /// Notes what was answered; panics where the answer is wrong.
    pub(crate) fn answered(
        &mut self,
        texts: Vec<String>,
        answer: Result<Vec<Receipt>, AppendError>,
    ) {
        let receipts = match answer {
            Ok(receipts) => receipts,
            Err(AppendError::Conflict { event_id, .. }) => {
                panic!("{event_id} was never sent otherwise")
            }
            Err(error) => {
                let excused = self.disk.crashed() || self.disk.failed() > 0 || self.model.altered;
                assert!(excused, "refused without a reason: {error}");
                return self.model.doubtful.push(texts);
            }
        };
        assert_eq!(receipts.len(), texts.len());

        for (text, receipt) in texts.into_iter().zip(receipts) {
            let id = id_of(&text);
            assert_eq!(receipt.event_id, id);
            let doubted = self
                .model
                .doubtful
                .iter()
                .flatten()
                .any(|text| id_of(text) == id);
            match self.model.acknowledged.get(&id) {
                Some((_, first)) => {
                    let plain = |receipt: &Receipt| Receipt {
                        duplicate: false,
                        ..receipt.clone()
                    };
                    assert_eq!(
                        plain(&receipt),
                        plain(first),
                        "another receipt than the first"
                    );
                }
                None => {
                    assert!(!receipt.duplicate || doubted, "{id} was never sent before");
                    self.model.order.push(id.clone());
                    self.model.acknowledged.insert(id, (text, receipt));
                }
            }
        }
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.disk.release();
            eprintln!("the disk did:\n{}", self.disk.story());
            eprintln!(
                "replay: REEVE_SIM_SEED={} REEVE_SIM_RUNS=1 ({:?})",
                self.seed, self.keep
            );
        }
    }
}
