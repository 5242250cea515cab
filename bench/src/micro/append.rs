//! The ledger on a real disk: from drafts to receipts, and each receipt only after its frame is
//! synced.
//!
//! Nothing is sealed meanwhile, so these are the costs of sequencing, writing, syncing and signing
//! alone.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Draft;
use reeve_ledger::{
    Config, Ledger, SealedEntry, SegmentError, SegmentMeta, SegmentStore, StoredEntry,
};
use reeve_tlog::NoteSigner;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::measure::{ROUNDS, Row, measure};

/// Arrival of entries: this many writers, each of which waits for its receipts before it sends the
/// next submission.
struct Load {
    what: &'static str,
    writers: usize,
    submissions: usize,
    batch: usize,
}

const LOADS: [Load; 4] = [
    Load {
        what: "append, 1 writer, 1 entry a submission",
        writers: 1,
        submissions: 200,
        batch: 1,
    },
    Load {
        what: "append, 64 writers, 1 entry a submission",
        writers: 64,
        submissions: 40,
        batch: 1,
    },
    Load {
        what: "append, 1 writer, 1000 entries a submission",
        writers: 1,
        submissions: 5,
        batch: 1_000,
    },
    Load {
        what: "append, 4 writers, 1000 entries a submission",
        writers: 4,
        submissions: 5,
        batch: 1_000,
    },
];

/// Measures appending on the disk of `dir`, with the disk's own sync for comparison.
pub(crate) fn rows(dir: &Path) -> anyhow::Result<Vec<Row>> {
    std::fs::create_dir_all(dir).with_context(|| format!("creating {}", dir.display()))?;
    let home = tempfile::TempDir::new_in(dir)?;
    let runtime = Runtime::new()?;
    let mut rows = vec![sync_alone(home.path())?];

    for (number, load) in LOADS.iter().enumerate() {
        rows.push(appending(
            &runtime,
            &home.path().join(number.to_string()),
            load,
        )?);
    }

    Ok(rows)
}

/// Measures one write of an entry's size with its sync, without a ledger: the floor of a lone
/// writer.
fn sync_alone(dir: &Path) -> anyhow::Result<Row> {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(dir.join("floor"))?;
    measure(
        "write 1 KiB and sync, no ledger",
        "synced, each",
        200,
        || {
            for _ in 0..200 {
                file.write_all(&[0x5a; 1024])?;
                file.sync_data()?;
            }
            Ok(())
        },
    )
}

fn appending(runtime: &Runtime, dir: &Path, load: &Load) -> anyhow::Result<Row> {
    let ledger = runtime.block_on(open(dir))?;
    // Made before the clock starts; the first round only warms up.
    let sample: Vec<Vec<u8>> = super::sample::entries(load.batch)
        .iter()
        .map(|text| super::sample::unnamed(text))
        .collect();
    let mut rounds = (0..=ROUNDS)
        .map(|_| submissions(load, &sample))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let entries = load.writers * load.submissions * load.batch;
    let row = measure(load.what, "synced before each receipt", entries, || {
        let writers = rounds.pop().context("a round more than was prepared")?;
        runtime.block_on(round(&ledger, writers))
    })?;
    let expected = (entries * (ROUNDS + 1)) as u64;

    if ledger.size() != expected {
        return Err(anyhow!(
            "{}: {} entries in the log instead of {expected}",
            load.what,
            ledger.size()
        ));
    }

    runtime.block_on(ledger.close());
    Ok(row)
}

async fn open(dir: &Path) -> anyhow::Result<Ledger> {
    let mut config = Config::new(dir, "bench.reeve.local");
    config.seal_after_entries = usize::MAX;
    let signer = NoteSigner::from_seed("bench.reeve.local", &[7; 32])?;
    Ok(Ledger::open(config, signer, Arc::new(NothingSealed)).await?)
}

/// A writer's submissions of one round, by writer.
fn submissions(load: &Load, sample: &[Vec<u8>]) -> anyhow::Result<Vec<Vec<Vec<Draft>>>> {
    let batch = || {
        sample
            .iter()
            .map(|text| draft(text))
            .collect::<anyhow::Result<Vec<_>>>()
    };

    let writer = || {
        (0..load.submissions)
            .map(|_| batch())
            .collect::<anyhow::Result<Vec<_>>>()
    };

    (0..load.writers).map(|_| writer()).collect()
}

/// An entry of the sample under an identifier of its own.
fn draft(text: &[u8]) -> anyhow::Result<Draft> {
    Draft::from_bytes(text, Timestamp::now())
        .map_err(|errors| anyhow!("a sample was refused: {errors:?}"))
}

async fn round(ledger: &Ledger, writers: Vec<Vec<Vec<Draft>>>) -> anyhow::Result<()> {
    let mut running = JoinSet::new();
    for submissions in writers {
        let ledger = ledger.clone();
        running.spawn(async move {
            for drafts in submissions {
                ledger.append(drafts).await?;
            }
            Ok::<(), reeve_ledger::AppendError>(())
        });
    }

    while let Some(done) = running.join_next().await {
        done??;
    }

    Ok(())
}

/// Keeps no segments: the benchmark never seals, and says so if it should be asked to.
struct NothingSealed;

#[async_trait]
impl SegmentStore for NothingSealed {
    async fn write(
        &self,
        class: &str,
        _: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        Err(refusal(class))
    }

    async fn rewrite(
        &self,
        segment: &SegmentMeta,
        _: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        Err(refusal(&segment.path))
    }

    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError> {
        Err(refusal(&segment.path))
    }

    async fn remove(&self, segment: &SegmentMeta) -> Result<u64, SegmentError> {
        Err(refusal(&segment.path))
    }

    fn publish(&self, _: Arc<Vec<SegmentMeta>>) {}
}

fn refusal(path: &str) -> SegmentError {
    SegmentError::Io {
        path: path.to_owned(),
        message: "the benchmark does not seal".to_owned(),
    }
}
