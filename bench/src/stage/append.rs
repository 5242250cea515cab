//! Appending everything: batches of 500 over eight connections, each batch acknowledged after it is
//! durable, until all is stored.

use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::probe::{Marks, Probe};
use crate::bodies::{BATCH, Bodies};
use crate::process::{self, Watch};
use crate::results::{Results, System, say};
use crate::service::{Service, sealed_size};
use crate::wire::{Connection, number_after};

/// Number of connections that append at once.
pub(crate) const CONNECTIONS: usize = 8;
const HOW: &str = "each batch is answered after fdatasync; load generator on the same cores";

/// State shared by the connections.
struct Shared<'a> {
    bodies: &'a Bodies,
    next: AtomicU64,
    acknowledged: AtomicU64,
    retried: AtomicU64,
    marks: Marks,
    stop: AtomicBool,
}

/// Sends all of `bodies`; the figures go to `results`.
pub(crate) fn run(
    service: &Service,
    data: &Path,
    bodies: &Bodies,
    results: &mut Results,
) -> Result<()> {
    let shared = Shared {
        bodies,
        next: AtomicU64::new(0),
        acknowledged: AtomicU64::new(0),
        retried: AtomicU64::new(0),
        marks: Marks::default(),
        stop: AtomicBool::new(false),
    };

    let (own_before, before) = (process::own_cpu()?, process::cpu(service.pid())?);
    let watch = Watch::start(service.pid(), Duration::from_secs(1));
    let begun = Instant::now();
    let (times, probe) = std::thread::scope(|scope| {
        let probe = scope.spawn(|| Probe::run(service, data, &shared.marks, &shared.stop));
        let reporter = scope.spawn(|| report_progress(&shared, service.pid(), begun));
        let connections: Vec<_> = (0..CONNECTIONS)
            .map(|_| scope.spawn(|| connection(service, &shared)))
            .collect();
        let mut times = Vec::new();
        let mut failed = None;
        for connection in connections {
            match connection
                .join()
                .map_err(|_| anyhow::anyhow!("a connection's thread panicked"))
                .flatten()
            {
                Ok(mut own) => times.append(&mut own),
                Err(error) => failed = Some(error),
            }
        }
        shared.stop.store(true, Ordering::Relaxed);
        let _ = reporter.join();
        let probe = probe
            .join()
            .map_err(|_| anyhow::anyhow!("the probe panicked"))?;
        failed.map_or(Ok((times, probe)), Err)
    })?;

    let took = begun.elapsed().as_secs_f64();
    let (cpu, own) = (
        process::cpu(service.pid())?.since(before),
        process::own_cpu()?.since(own_before),
    );
    let (size, sealed) = (service.size()?, sealed_size(data));

    if size < bodies.entries {
        bail!(
            "{} entries were acknowledged and the log has {size}",
            bodies.entries
        );
    }

    rates(times, begun, took, bodies.entries, results);
    let each = |seconds: f64| seconds * 1e6 / bodies.entries as f64;
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Reeve, key, what, value, unit, HOW)
    };

    add(
        "append.cpu",
        "processor time of the service an entry",
        each(cpu.total()),
        "us",
    );

    add(
        "append.cpu.system",
        "of that in the kernel",
        each(cpu.system),
        "us",
    );

    add(
        "append.cpu.client",
        "processor time of the load generator an entry",
        each(own.total()),
        "us",
    );

    let seen = watch.seen();
    let peak = seen
        .iter()
        .map(|(_, memory)| memory.peak)
        .max()
        .unwrap_or_default();

    let anonymous = seen
        .iter()
        .map(|(_, memory)| memory.anonymous)
        .max()
        .unwrap_or_default();

    add(
        "append.memory",
        "memory while appending, peak resident",
        gib(peak),
        "GiB",
    );

    add(
        "append.memory.anonymous",
        "of that not pages of files, at most",
        gib(anonymous),
        "GiB",
    );

    let series: Vec<String> = (0..10)
        .filter_map(|tenth| seen.get(seen.len() * tenth / 10))
        .map(|(at, memory)| format!("{at:.0} s {:.2}", gib(memory.resident)))
        .collect();
    results.note(format!(
        "append: resident GiB over time: {}",
        series.join(", ")
    ));
    results.note(format!(
        "append: {} of {size} entries were sealed when the last was acknowledged; {} requests were answered 429 or failed and were sent again",
        sealed,
        shared.retried.load(Ordering::Relaxed)
    ));

    probe
        .context("the probe failed")
        .map(|probe| probe.report(results))
}

/// First million, last million, all: each by the times its batches were acknowledged.
fn rates(mut times: Vec<Instant>, begun: Instant, took: f64, entries: u64, results: &mut Results) {
    times.sort_unstable();
    let part = (entries / 10).clamp(BATCH, 1_000_000) / BATCH;
    let at = |batch: usize| {
        times
            .get(batch)
            .map_or(0.0, |time| time.duration_since(begun).as_secs_f64())
    };

    let (first, last) = (
        at(part as usize - 1),
        took - at(times.len().saturating_sub(part as usize + 1)),
    );
    let part = part * BATCH;
    let mut add = |key: &str, what: &str, value: f64| {
        results.add(System::Reeve, key, what, value, "entries/s", HOW)
    };

    add(
        "append.rate",
        &format!("append, batches of {BATCH}, {CONNECTIONS} connections, all"),
        entries as f64 / took,
    );

    add(
        "append.rate.first",
        &format!("the first {part} of them"),
        part as f64 / first.max(1e-9),
    );

    add(
        "append.rate.last",
        &format!("the last {part} of them"),
        part as f64 / last.max(1e-9),
    );
}

/// One connection: takes the next batch until there is none; when each was acknowledged.
fn connection(service: &Service, shared: &Shared<'_>) -> Result<Vec<Instant>> {
    let mut file = File::open(&shared.bodies.path)?;
    let mut connection = Connection::open(service.address)?;
    let mut times = Vec::new();

    loop {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(&(at, length)) = shared.bodies.places.get(index as usize) else {
            return Ok(times);
        };
        let expected = BATCH.min(shared.bodies.entries - index * BATCH);
        loop {
            file.seek(SeekFrom::Start(at))?;
            let (head, body) = connection.send_file(&file, length)?;
            if head.status == 201 {
                let acknowledged = Instant::now();
                let receipts = memchr::memmem::find_iter(body, b"\"leaf_hash\":").count() as u64;
                if receipts != expected
                    || number_after(&body[body.len().saturating_sub(64)..], "\"total\":")
                        .is_some_and(|total| total != expected)
                {
                    bail!("{receipts} receipts for {expected} entries");
                }
                shared.marks.offer(body, acknowledged);
                times.push(acknowledged);
                shared.acknowledged.fetch_add(expected, Ordering::Relaxed);
                break;
            }
            if head.status != 429 && head.status != 503 {
                bail!(
                    "answered {}: {}",
                    head.status,
                    String::from_utf8_lossy(body)
                );
            }
            shared.retried.fetch_add(1, Ordering::Relaxed);
            crate::process::pause(Duration::from_secs(head.retry_after.unwrap_or(1)));
        }
    }
}

/// Prints how far it is, every five seconds.
fn report_progress(shared: &Shared<'_>, pid: u32, begun: Instant) {
    let mut before = 0;
    let mut next = Duration::from_secs(5);

    while !shared.stop.load(Ordering::Relaxed) {
        crate::process::pause(Duration::from_millis(100));
        if begun.elapsed() < next {
            continue;
        }
        next += Duration::from_secs(5);
        let done = shared.acknowledged.load(Ordering::Relaxed);
        let rate = (done - before) / 5;
        before = done;
        let left = (shared.bodies.entries - done) as f64
            / (done as f64 / begun.elapsed().as_secs_f64()).max(1.0);
        let resident = process::memory(pid)
            .map(|memory| gib(memory.resident))
            .unwrap_or_default();
        say(&format!(
            "  {done} acknowledged, {rate}/s, {resident:.2} GiB resident, {left:.0} s left"
        ));
    }
}

/// Converts bytes to GiB.
pub(crate) fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}
