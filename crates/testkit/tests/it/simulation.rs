//! Seeded simulation of the log's life: appends, seals, restarts and faults on a disk that does
//! only what POSIX promises.
//!
//! After each life it is asked of what is found: every acknowledged entry is there once, with the
//! receipt that was given; a submission without an answer is there as a whole or not at all; what
//! was refused is not there; what is sent again gives the first receipt; the log opens, or refuses
//! naming a file where somebody altered what was durable; the auditor finds nothing wrong, and any
//! flipped byte, but in files that are disposable and then harmless.
//!
//! `REEVE_SIM_RUNS=100000` runs that many lives, `REEVE_SIM_SEED=7` begins with that seed; a
//! failure tells the seed and the last steps of the disk. A seed repeats schedule and faults; salts
//! and the moments of threads differ. See `docs/operate/faults.md`.

mod checks;
mod clock;
mod damage;
mod disk;
mod life;
mod segments;
mod sessions;

use life::{Keep, Life};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// Counts over all simulated lives.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) lives: u64,
    pub(crate) crashes: u64,
    pub(crate) kills: u64,
    pub(crate) failed_steps: u64,
    pub(crate) removed: u64,
    pub(crate) refusals: u64,
    pub(crate) acknowledged: u64,
    pub(crate) seals: u64,
    pub(crate) rotations: u64,
    pub(crate) verified: u64,
    pub(crate) flips: u64,
    pub(crate) harmless: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.lives += 1;
        self.crashes += other.crashes;
        self.kills += other.kills;
        self.failed_steps += other.failed_steps;
        self.removed += other.removed;
        self.refusals += other.refusals;
        self.acknowledged += other.acknowledged;
        self.seals += other.seals;
        self.rotations += other.rotations;
        self.verified += other.verified;
        self.flips += other.flips;
        self.harmless += other.harmless;
    }
}

/// Lives of several sessions with faults anywhere; every eighth with real segments, the auditor and
/// flipped bytes.
#[tokio::test]
async fn lives_with_faults() {
    let (first, runs) = (setting("REEVE_SIM_SEED", 0), setting("REEVE_SIM_RUNS", 240));
    let mut all = Tally::default();

    for seed in first..first + runs {
        let keep = if seed % 8 == 7 {
            Keep::Parquet
        } else {
            Keep::Memory
        };
        let mut life = Life::new(seed, keep).await;
        life.live().await;
        if keep == Keep::Parquet {
            life.flip_some(12).await;
        }
        all.add(&life.tally());
        if all.lives % 1000 == 0 {
            eprintln!("after seed {seed}: {all:?}");
        }
    }

    eprintln!("{all:?}");
    assert!(
        runs < 100
            || (all.crashes > 20 && all.kills > 20 && all.failed_steps > 20 && all.seals > 50),
        "{all:?}"
    );
}

/// The power goes, or the process is killed, at every step of a short life; what is found is looked
/// at several times over.
#[tokio::test]
async fn a_crash_at_every_step() {
    let lives = setting("REEVE_SIM_RUNS", 240).div_ceil(240);
    let mut all = Tally::default();

    for seed in (0..lives).map(|n| setting("REEVE_SIM_SEED", 0) + n) {
        let steps = Life::new(seed, Keep::Memory).await.undisturbed().await;
        assert!(steps > 60, "only {steps} steps");
        for step in 0..steps {
            let mut life = Life::new(
                seed,
                if step % 16 == 5 {
                    Keep::Parquet
                } else {
                    Keep::Memory
                },
            )
            .await;
            life.crash_at(step).await;
            all.add(&life.tally());
        }
    }

    eprintln!("{all:?}");
}

/// Every byte of every file of a small log.
#[tokio::test]
async fn every_byte_of_a_small_log() {
    let mut life = Life::new(3, Keep::Parquet).await;
    life.small().await;
    let stride = if std::env::var_os("REEVE_SIM_RUNS").is_some() {
        1
    } else {
        13
    };
    life.flip_every(stride, &mut StdRng::seed_from_u64(3)).await;

    eprintln!("{:?}", life.tally());
    assert!(life.tally().flips > 300);
}

/// A number in a range, or none.
fn perhaps(random: &mut StdRng, chance: f64, range: std::ops::Range<u64>) -> Option<u64> {
    random
        .random_bool(chance)
        .then(|| random.random_range(range))
}
