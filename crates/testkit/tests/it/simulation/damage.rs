//! The auditor over what a life left behind, as it is and with bytes flipped.

use std::fs;
use std::path::{Path, PathBuf};

use rand::RngExt;
use rand::rngs::StdRng;
use reeve_verify::{CannotVerify, DirectoryOptions, Progress, Report, verify_directory};

use super::life::{Keep, Life};

/// Files that hold nothing of their own: rebuilt where they are missing or wrong, or overwritten at
/// the next start.
const DISPOSABLE: [&str; 8] = [
    "ledger/chain",
    "ledger/chain.attested",
    "ledger/ids/",
    "ledger/lock",
    "ledger/checkpoint",
    "ledger/log.vkey",
    "lake/index/",
    "ledger/checkpoint.cosigned",
];

/// Returns `true` if losing a file, relative to the data directory, loses no data.
pub(crate) fn disposable(name: &str) -> bool {
    name.ends_with(".tmp")
        || DISPOSABLE.iter().any(|part| {
            if part.ends_with('/') {
                name.starts_with(part)
            } else {
                name == *part
            }
        })
}

impl Life {
    /// Writes the simulated files out, where the auditor and the lake find them.
    fn export(&self) {
        for part in ["ledger", "anchor"] {
            fs::remove_dir_all(self.home().join(part)).ok();
        }
        for (path, bytes) in self.disk.files() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }

    fn audit(&self) -> Result<Report, CannotVerify> {
        verify_directory(
            &self.home(),
            &DirectoryOptions::default(),
            &Progress::hidden(),
        )
    }

    /// The auditor finds nothing wrong. Without real segments there is nothing for it to read.
    pub(crate) fn verify(&mut self) {
        if self.keep == Keep::Memory {
            return;
        }

        self.export();
        let report = self.audit().unwrap();
        assert!(report.is_intact(), "{report}");
        assert!(report.size >= self.model.order.len() as u64, "{report}");
        self.tally.verified += 1;
    }

    /// The files an intruder could reach, relative to the data directory.
    fn exposed(&self) -> Vec<String> {
        let (home, mut files) = (self.home(), Vec::new());
        let mut folders: Vec<PathBuf> = ["ledger", "anchor", "lake"]
            .iter()
            .map(|part| home.join(part))
            .collect();

        while let Some(folder) = folders.pop() {
            for item in fs::read_dir(&folder).into_iter().flatten() {
                let path = item.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if fs::metadata(&path).unwrap().len() > 0 {
                    files.push(
                        path.strip_prefix(&home)
                            .unwrap()
                            .to_string_lossy()
                            .into_owned(),
                    );
                }
            }
        }

        files.sort();
        files
    }

    /// Returns `true` for files that a crash left behind and the manifest does not count: segments,
    /// files of the log, ends of append-only files.
    fn leftover(&self, name: &str, at: usize) -> bool {
        let text =
            fs::read_to_string(self.home().join("ledger/manifest.journal")).unwrap_or_default();
        let last = text
            .lines()
            .rev()
            .find_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let sealed = last
            .and_then(|record| record["sealed_size"].as_u64())
            .unwrap_or(0);
        let beyond = |counted: u64| at as u64 >= counted * 32;

        if name.starts_with("lake/entries/") {
            !text.contains(name)
        } else if let Some(level) = name.strip_prefix("ledger/tree/") {
            level
                .parse()
                .is_ok_and(|level| beyond(sealed / 256u64.pow(level)))
        } else {
            name == "ledger/commitments" && beyond(sealed)
        }
    }

    /// Flips bits at random places; call it on a log that is closed.
    pub(crate) async fn flip_some(&mut self, times: usize) {
        if self.model.altered {
            return;
        }

        self.export();
        let files = self.exposed();

        for _ in 0..times {
            let name = files[self.random.random_range(0..files.len())].clone();
            let length = fs::metadata(self.home().join(&name)).unwrap().len() as usize;
            let (at, bit) = (
                self.random.random_range(0..length),
                self.random.random_range(0..8),
            );
            self.flip(&name, at, bit).await;
        }
    }

    /// Flips a bit of every byte (of one in `stride`) of every file.
    pub(crate) async fn flip_every(&mut self, stride: usize, random: &mut StdRng) {
        self.verify();
        let begin = random.random_range(0..stride);

        for name in self.exposed() {
            let length = fs::metadata(self.home().join(&name)).unwrap().len() as usize;
            for at in (begin..length).step_by(stride) {
                self.flip(&name, at, random.random_range(0..8)).await;
            }
        }
        assert!(self.audit().unwrap().is_intact());
    }

    /// One bit: the auditor rejects it, or the file is disposable, and then the log opens with
    /// everything in it.
    async fn flip(&mut self, name: &str, at: usize, bit: u32) {
        let path = self.home().join(name);
        let original = fs::read(&path).unwrap();
        let mut changed = original.clone();
        changed[at] ^= 1 << bit;
        fs::write(&path, &changed).unwrap();
        let case = format!("{name}, byte {at} of {}, bit {bit}", original.len());
        let passed = match self.audit() {
            Ok(report) => report.is_intact(),
            Err(
                CannotVerify::Version { .. } | CannotVerify::Key { .. } | CannotVerify::NoKey(_),
            ) => false,
            Err(error) => panic!("{case}: {error}"),
        };

        if passed {
            assert!(
                disposable(name) || self.leftover(name, at),
                "{case}: passed"
            );
            self.harmless(&path, &changed, &case).await;
        }

        fs::write(&path, original).unwrap();
        self.tally.flips += 1;
    }

    /// The log opens over the changed file, and all is there.
    async fn harmless(&mut self, path: &Path, changed: &[u8], case: &str) {
        let disk = self.disk.altered(path, changed);
        let ledger = self
            .open_on(disk)
            .await
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        self.check(&ledger).await;
        ledger.close().await;
        self.export();
        self.tally.harmless += 1;
    }
}
