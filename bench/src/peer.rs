//! The peer: PostgreSQL as a practitioner would set it up for an audit log, on the same entries,
//! with the same durability.

mod ask;
mod server;
mod store;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::bodies::Bodies;
use crate::generate::Generator;
use crate::machine;
use crate::results::{Results, System, say};
use crate::stage::ask::Totals;
pub(crate) use server::Server;

/// Bytes on the disk that an entry may take here, write-ahead log and slack included.
const BYTES_EACH: u64 = 3_500;

/// Task of the peer.
pub(crate) struct Task<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) entries: u64,
    /// Appending ends after this long, however many entries are there then.
    pub(crate) seconds: u64,
    pub(crate) queries: usize,
    pub(crate) single_seconds: u64,
    pub(crate) bodies: &'a Bodies,
    pub(crate) generator: &'a Generator,
    /// Totals of Reeve's answers, compared where both have the same entries.
    pub(crate) totals: &'a Totals,
}

/// Runs all of it.
pub(crate) fn run(task: &Task<'_>, results: &mut Results) -> Result<()> {
    let room = machine::free_bytes(task.dir) * 9 / 10 / BYTES_EACH;
    let wanted = task.entries.min(room);

    if wanted < task.entries {
        results.note(format!(
            "PostgreSQL: the disk has room for {wanted} entries at {BYTES_EACH} bytes each"
        ));
    }

    let server = Server::start(task.dir)?;
    results.note(format!(
        "PostgreSQL: {}, {}",
        machine::said(&server.program("postgres"), &["--version"]),
        server.settings()
    ));

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(store::create(&server))?;
    let lasts = Duration::from_secs(task.seconds);
    let stored = runtime.block_on(store::append(&server, wanted, lasts, results))?;

    if stored < task.entries {
        results.note(format!(
            "PostgreSQL: appending was ended after {} s with {stored} entries; everything below is measured on those, in its favour",
            task.seconds
        ));
    }

    results.save()?;
    let begun = Instant::now();
    runtime.block_on(store::settle(&server))?;
    say(&format!(
        "  vacuum and analyze took {:.0} s (not counted)",
        begun.elapsed().as_secs_f64()
    ));
    runtime.block_on(store::disk(
        &server,
        stored,
        task.bodies.mean_bytes(),
        results,
    ))?;

    let same = stored == task.bodies.entries;
    runtime.block_on(ask::search(&server, task, same, results))?;
    runtime.block_on(ask::counts(&server, stored, results))?;
    results.save()?;
    runtime.block_on(store::single(&server, task, results))?;
    let took = server.kill_and_start(|| runtime.block_on(ask::answers(&server)))?;
    let how = "immediate stop right after the load one at a time; from pg_ctl start until a query is answered";
    results.add(
        System::Postgres,
        "restart.ready",
        "start after an immediate stop",
        took.as_secs_f64(),
        "s",
        how,
    );

    drop(runtime);
    Ok(())
}
