//! Measures the rate at which the ledger takes entries while it seals them, their size on disk by
//! kind, and the time of a start.
//!
//! `reeve-bench generate 1000000 | cargo bench -p reeve-bench --bench ledger -- DIR` appends NDJSON
//! in batches of 500 from eight tasks, each acknowledged when durable; parsing is not timed apart.
//! Without entries on stdin it opens what is there. Afterwards both leave the log without closing
//! it, as a kill would.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
// Leaving the log as a kill would is the point.
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use jiff::Timestamp;
use reeve_audit::{Draft, Submitter, SubmitterType};
use reeve_bench::{Memory, memory};
use reeve_lake::EntrySegments;
use reeve_ledger::{AppendError, Config, Ledger};
use reeve_tlog::NoteSigner;
use tokio::sync::Mutex;
use tokio::sync::mpsc;

const BATCH: usize = 500;
const CONNECTIONS: usize = 8;

fn mib(bytes: u64) -> f64 {
    bytes as f64 / (1 << 20) as f64
}

fn own_memory() -> Memory {
    memory(std::process::id()).unwrap()
}

fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();

    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

fn bytes_below(path: &Path) -> u64 {
    let Ok(items) = std::fs::read_dir(path) else {
        return std::fs::metadata(path).map_or(0, |meta| meta.len());
    };
    items.map(|item| bytes_below(&item.unwrap().path())).sum()
}

async fn open(dir: &Path) -> Ledger {
    let began = Instant::now();
    let segments = Arc::new(EntrySegments::open(dir).await.unwrap());
    let signer = NoteSigner::from_seed("reeve.local/measure", &[1; 32]).unwrap();
    let ledger = Ledger::open(Config::new(dir, "reeve.local/measure"), signer, segments)
        .await
        .unwrap();
    println!(
        "opened {} entries, {} unsealed, in {:.2} s; {:.0} MiB",
        ledger.size(),
        ledger.tail().len(),
        began.elapsed().as_secs_f64(),
        mib(own_memory().resident)
    );

    ledger
}

/// A token's, as the service notes it; none where `NO_SUBMITTER` asks for entries without, as older
/// versions wrote them.
fn submitter() -> Option<Arc<Submitter>> {
    static TOKEN: LazyLock<Arc<Submitter>> = LazyLock::new(|| {
        Arc::new(Submitter {
            id: Some("019ab1c2-7d3e-7f00-8a5b-6c7d8e9f0a1b".into()),
            email: Some("ci@acme.example".into()),
            ip_address: "10.20.30.40".parse().ok(),
            token_id: Some("019ab1c2-7d3e-7f00-8a5b-6c7d8e9f0a1c".into()),
            token_name: Some("ci-import".into()),
            ..Submitter::new(SubmitterType::Token)
        })
    });
    std::env::var_os("NO_SUBMITTER")
        .is_none()
        .then(|| TOKEN.clone())
}

async fn send(
    ledger: Ledger,
    batches: Arc<Mutex<mpsc::Receiver<Vec<String>>>>,
    busy: Arc<AtomicU64>,
) {
    loop {
        let Some(lines) = batches.lock().await.recv().await else {
            return;
        };
        let received = Timestamp::now();
        let drafts: Vec<Draft> = lines
            .iter()
            .map(|line| Draft::from_bytes(line.as_bytes(), received).unwrap())
            .collect();
        let drafts = match submitter() {
            Some(by) => Draft::submitted_by(drafts, &by).unwrap(),
            None => drafts,
        };
        loop {
            match ledger.append(drafts.clone()).await {
                Ok(_) => break,
                Err(AppendError::Busy { .. }) => {
                    busy.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Appends what comes on standard input; gives back the number of bytes.
async fn append(ledger: &Ledger) -> u64 {
    let (sender, batches) = mpsc::channel::<Vec<String>>(32);
    let batches = Arc::new(Mutex::new(batches));
    let busy = Arc::new(AtomicU64::new(0));
    let senders: Vec<_> = (0..CONNECTIONS)
        .map(|_| tokio::spawn(send(ledger.clone(), batches.clone(), busy.clone())))
        .collect();
    let reader = tokio::task::spawn_blocking(move || {
        let mut total = 0;
        let mut lines = Vec::with_capacity(BATCH);
        for line in std::io::stdin().lock().lines() {
            let line = line.unwrap();
            total += line.len() as u64;
            lines.push(line);
            if lines.len() == BATCH {
                sender.blocking_send(std::mem::take(&mut lines)).unwrap();
            }
        }
        sender.blocking_send(lines).unwrap();
        total
    });
    let total = reader.await.unwrap();

    for sender in senders {
        sender.await.unwrap();
    }

    println!("refused as busy: {} batches", busy.load(Ordering::Relaxed));
    total
}

#[tokio::main]
async fn main() {
    let dir = PathBuf::from(
        std::env::args()
            .filter(|argument| argument != "--bench")
            .nth(1)
            .unwrap(),
    );
    let ledger = open(&dir).await;
    if std::io::stdin().is_terminal()
        || std::env::args()
            .filter(|argument| argument != "--bench")
            .nth(2)
            .is_some_and(|arg| arg == "open")
    {
        std::process::exit(0);
    }

    let sealer = ledger.clone();
    let (sealed, longest) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (count, tail) = (sealed.clone(), longest.clone());
    tokio::spawn(async move {
        loop {
            sealer.seal_due().await;
            let began = Instant::now();
            tail.fetch_max(sealer.tail().len() as u64, Ordering::Relaxed);
            let entries = sealer.seal().await.unwrap();
            count.fetch_add(entries as u64, Ordering::Relaxed);
            tail.fetch_max(
                sealer.tail().len() as u64 + entries as u64,
                Ordering::Relaxed,
            );
            if std::env::var_os("VERBOSE").is_some() {
                println!(
                    "sealed {entries} in {:?}, tail {}",
                    began.elapsed(),
                    sealer.tail().len()
                );
            }
        }
    });

    let (began, used, before) = (Instant::now(), processor_seconds(), ledger.size());
    let raw = append(&ledger).await;
    let (seconds, used) = (began.elapsed().as_secs_f64(), processor_seconds() - used);
    let entries = ledger.size() - before;
    println!(
        "{entries} entries of {} bytes: {:.0}/s",
        raw / entries.max(1),
        entries as f64 / seconds
    );

    println!(
        "{:.1} µs of processor an entry, parsing included",
        used * 1e6 / entries as f64
    );
    println!(
        "longest tail {}, peak memory {:.0} MiB",
        longest.load(Ordering::Relaxed),
        mib(own_memory().peak)
    );
    let size = ledger.view().tail.first_sequence();

    for kind in [
        "lake/entries",
        "lake/index",
        "ledger/commitments",
        "ledger/tree",
        "ledger/chain",
        "ledger/ids",
    ] {
        println!(
            "{:>8.1} bytes an entry: {kind}",
            bytes_below(&dir.join(kind)) as f64 / size.max(1) as f64
        );
    }

    std::process::exit(0);
}
