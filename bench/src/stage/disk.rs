//! Disk use of an entry, hot, with its index, once everything is sealed.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::results::{Results, System};
use crate::service::{Service, sealed_size};

/// Longest time for sealing the rest.
const PATIENCE: Duration = Duration::from_secs(300);

/// Starts the service so that it seals at once, waits until all is sealed, ends it.
pub(crate) fn seal_all(programs: &Path, data: &Path) -> Result<()> {
    let service = Service::start(programs, data, &[("REEVE_SEAL_AFTER_S", "1")])?;
    let begun = Instant::now();
    let size = service.size()?;

    while sealed_size(data) < size {
        if begun.elapsed() > PATIENCE {
            bail!(
                "{} of {size} entries are sealed after {PATIENCE:?}",
                sealed_size(data)
            );
        }
        crate::process::pause(Duration::from_millis(200));
    }

    service.stop()
}

/// Adds up the files by kind. `mean_bytes` is what an entry's raw JSON takes.
pub(crate) fn run(data: &Path, mean_bytes: f64, results: &mut Results) -> Result<()> {
    let mut kinds = BTreeMap::new();
    add_up(data, data, &mut kinds)?;
    let entries = sealed_size(data);
    let each = |bytes: u64| bytes as f64 / entries.max(1) as f64;
    let how = format!(
        "allocated blocks over {entries} entries, all sealed; raw JSON is {mean_bytes:.1} bytes an entry"
    );
    let mut counted = 0;

    for (kind, bytes) in &kinds {
        if *kind != "state" {
            counted += bytes;
        }
        results.add(
            System::Reeve,
            &format!("disk.{kind}"),
            &format!("disk: {kind}"),
            each(*bytes),
            "bytes/entry",
            &how,
        );
    }

    results.add(
        System::Reeve,
        "disk.entry",
        "disk: all of the log",
        each(counted),
        "bytes/entry",
        &how,
    );

    results.add(
        System::Reeve,
        "disk.ratio",
        "disk against raw JSON",
        each(counted) / mean_bytes,
        "",
        &how,
    );

    Ok(())
}

fn add_up(root: &Path, dir: &Path, kinds: &mut BTreeMap<&'static str, u64>) -> Result<()> {
    for item in std::fs::read_dir(dir)? {
        let item = item?;
        let (path, meta) = (item.path(), item.metadata()?);
        if meta.is_dir() {
            add_up(root, &path, kinds)?;
        } else {
            let kind = kind(path.strip_prefix(root)?);
            *kinds.entry(kind).or_default() += meta.blocks() * 512;
        }
    }
    Ok(())
}

fn kind(path: &Path) -> &'static str {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    match parts.as_slice() {
        ["lake", "entries", ..] => "segments",
        ["lake", "index", ..] => "index",
        ["ledger", "commitments"] | ["ledger", "tree" | "tile", ..] => "hashes of the tree",
        ["ledger", "ids", ..] => "identifiers",
        ["ledger", "wal", ..] => "write-ahead log",
        ["ledger", ..] => "ledger, other",
        ["state", ..] => "state",
        _ => "other",
    }
}
