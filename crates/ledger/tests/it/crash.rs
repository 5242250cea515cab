//! Cuts the power before every step the disk takes in a life with appends, seals and restarts, and
//! looks what is there after.
//!
//! Whatever the step: the log opens, every acknowledged entry is in its place, sequence, chain and
//! root fit, what was sent without an answer is there as a whole or not at all, and the log goes
//! on.

use std::path::Path;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_audit::Draft;
use reeve_ledger::{Config, Ledger, Receipt};

use crate::faulty_disk::{Faults, FaultyDisk};
use crate::log::{check_receipts, check_whole, config, draft, open_on};
use crate::segments::MemorySegments;

/// A log and what was said about it.
struct Life {
    disk: FaultyDisk,
    segments: Arc<MemorySegments>,
    ledger: Option<Ledger>,
    acknowledged: Vec<(Draft, Receipt)>,
    /// Submissions without an answer.
    doubtful: Vec<Vec<Draft>>,
    random: StdRng,
    sent: usize,
}

fn small(disk: &FaultyDisk) -> (Arc<FaultyDisk>, Config) {
    (
        Arc::new(disk.clone()),
        Config {
            seal_after_entries: 200,
            ..config(Path::new("/data"))
        },
    )
}

impl Life {
    fn new(seed: u64) -> Life {
        Life {
            disk: FaultyDisk::default(),
            segments: MemorySegments::new(),
            ledger: None,
            acknowledged: Vec::new(),
            doubtful: Vec::new(),
            random: StdRng::seed_from_u64(seed),
            sent: 0,
        }
    }

    /// Opens the log; false when the power went.
    async fn open(&mut self) -> bool {
        let gate = self.disk.clone();
        self.segments
            .gate(move || gate.step().map_err(|error| error.to_string()));
        let (disk, config) = small(&self.disk);
        match open_on(disk, config, &self.segments).await {
            Ok(ledger) => self.ledger = Some(ledger),
            Err(error) => assert!(self.disk.crashed(), "{error}"),
        }
        self.ledger.is_some()
    }

    fn submission(&mut self) -> Vec<Draft> {
        let count = if self.random.random_bool(0.2) {
            130
        } else {
            self.random.random_range(1..6)
        };

        let mut drafts = Vec::new();
        for _ in 0..count {
            if !self.acknowledged.is_empty() && self.random.random_bool(0.1) {
                let again = self.random.random_range(0..self.acknowledged.len());
                drafts.push(self.acknowledged[again].0.clone());
            } else {
                self.sent += 1;
                drafts.push(draft(
                    &format!("e{}", self.sent),
                    &"x".repeat(self.random.random_range(0..40)),
                ));
            }
        }

        drafts
    }

    /// Lives for some steps; false when the power went.
    async fn live(&mut self, steps: usize) -> bool {
        if !self.open().await {
            return false;
        }

        for _ in 0..steps {
            let choice = self.random.random_range(0..10);
            let Some(ledger) = self.ledger.clone() else {
                return false;
            };
            let went_well = match choice {
                0 => {
                    drop(ledger);
                    if let Some(ledger) = self.ledger.take() {
                        ledger.close().await;
                    }
                    !self.disk.crashed() && self.open().await
                }
                1 | 2 => ledger.seal().await.is_ok(),
                _ => {
                    let drafts = self.submission();
                    match ledger.append(drafts.clone()).await {
                        Ok(receipts) => {
                            self.acknowledged.extend(drafts.into_iter().zip(receipts));
                            true
                        }
                        Err(_) => {
                            self.doubtful.push(drafts);
                            false
                        }
                    }
                }
            };
            if !went_well {
                assert!(self.disk.crashed());
                return false;
            }
        }

        true
    }

    /// Cuts the power, looks at what is there, and makes that the disk of a life to come.
    async fn power_cut(&mut self, seed: u64) {
        self.ledger = None;
        self.disk = self.disk.after_power_cut(seed);
        assert!(self.open().await);

        let Some(ledger) = self.ledger.clone() else {
            return;
        };

        let entries = check_whole(&ledger, &self.segments).await;
        let receipts: Vec<_> = self
            .acknowledged
            .iter()
            .map(|(_, receipt)| receipt.clone())
            .collect();
        check_receipts(&entries, &receipts);
        let held = |draft: &Draft| {
            entries
                .iter()
                .any(|entry| entry.entry.event_id == draft.entry.event_id)
        };

        let known = |draft: &Draft| {
            self.acknowledged
                .iter()
                .any(|(old, _)| old.entry.event_id == draft.entry.event_id)
        };

        for drafts in &self.doubtful {
            let fresh: Vec<_> = drafts
                .iter()
                .filter(|draft| !known(draft))
                .map(held)
                .collect();
            assert!(
                fresh.iter().all(|held| *held) || fresh.iter().all(|held| !held),
                "half a submission is in the log"
            );
        }

        assert!(entries.len() >= known_entries(&self.acknowledged));
        for (draft, receipt) in self.acknowledged.iter().step_by(17) {
            let again = ledger.append(vec![draft.clone()]).await.unwrap();
            assert_eq!(
                (again[0].sequence, again[0].hash, again[0].duplicate),
                (receipt.sequence, receipt.hash, true)
            );
        }

        for drafts in std::mem::take(&mut self.doubtful) {
            let receipts = ledger.append(drafts.clone()).await.unwrap();
            self.acknowledged.extend(drafts.into_iter().zip(receipts));
        }

        ledger.seal().await.unwrap();
        check_whole(&ledger, &self.segments).await;
        drop(ledger);
        self.ledger = None;
    }
}

/// Entries that were acknowledged as new.
fn known_entries(acknowledged: &[(Draft, Receipt)]) -> usize {
    acknowledged
        .iter()
        .filter(|(_, receipt)| !receipt.duplicate)
        .count()
}

#[tokio::test]
async fn the_power_goes_before_every_step() {
    let mut whole = Life::new(1);
    assert!(whole.live(14).await);
    whole.ledger = None;
    let steps = whole.disk.steps();
    assert!(steps > 60, "only {steps} steps");

    for step in 0..steps {
        let mut life = Life::new(1);
        life.disk.set(Faults {
            crash_at: Some(step),
            ..Faults::default()
        });
        life.live(14).await;
        life.power_cut(step).await;
    }
}

#[tokio::test]
async fn lives_with_several_power_cuts() {
    for seed in 0..30 {
        let mut life = Life::new(seed);
        for cut in 0..4 {
            let step = life.random.random_range(0..150);
            life.disk.set(Faults {
                crash_at: Some(step),
                ..Faults::default()
            });
            life.live(12).await;
            life.power_cut(seed * 10 + cut).await;
        }
    }
}
