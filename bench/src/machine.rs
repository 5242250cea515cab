//! The machine that measured: processor, memory, disk, kernel, versions.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use crate::latency::Latencies;

/// Number of syncs that are measured.
const SYNCS: usize = 300;

/// Returns the description of the machine, in order.
pub(crate) fn facts(dir: &Path) -> Result<Vec<(String, String)>> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or(": unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: u64 = meminfo
        .split_whitespace()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    let syncs = syncs(dir)?;
    let mut facts = vec![
        (
            "processor",
            format!(
                "{} cores of {}",
                cores,
                model.trim_start_matches([' ', '\t', ':'])
            ),
        ),
        (
            "memory",
            format!("{:.1} GiB", kib as f64 / (1 << 20) as f64),
        ),
        (
            "kernel",
            fs::read_to_string("/proc/sys/kernel/osrelease")
                .unwrap_or_default()
                .trim()
                .to_owned(),
        ),
        ("file system", mount(dir)),
        (
            "one write of 4 KiB and fdatasync, alone",
            format!(
                "p50 {:.2} ms, p99 {:.2} ms",
                syncs.quantile(0.5),
                syncs.quantile(0.99)
            ),
        ),
        (
            "commit",
            said("git", &["describe", "--always", "--dirty", "--abbrev=12"]),
        ),
        ("compiler", said("rustc", &["--version"])),
    ];

    if let Ok(commit) = std::env::var("BENCH_COMMIT") {
        facts.retain(|(name, _)| *name != "commit");
        facts.push(("commit", commit));
    }

    facts.push((
        "measured",
        jiff::Zoned::now().strftime("%Y-%m-%d").to_string(),
    ));
    facts.push((
        "load before",
        fs::read_to_string("/proc/loadavg")
            .unwrap_or_default()
            .trim()
            .to_owned(),
    ));

    Ok(facts
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect())
}

/// The file system that holds `dir`, and its disk.
fn mount(dir: &Path) -> String {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mounted = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|fields| fields.len() > 3);
    let best = mounted
        .filter(|fields| dir.starts_with(fields[1]))
        .max_by_key(|fields| fields[1].len());

    best.map_or_else(
        || "unknown".to_owned(),
        |fields| format!("{} on {} ({})", fields[2], fields[0], fields[3]),
    )
}

/// Measures the disk's own time for a synced write.
fn syncs(dir: &Path) -> Result<Latencies> {
    let path = dir.join("sync.tmp");
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)?;
    let mut times = Latencies::default();

    for _ in 0..SYNCS {
        let begun = Instant::now();
        file.write_all(&[0x5a; 4_096])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }

    fs::remove_file(path)?;
    Ok(times)
}

/// The first line a program prints.
pub(crate) fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

/// Bytes free on the file system of `dir`.
pub(crate) fn free_bytes(dir: &Path) -> u64 {
    let path = dir.to_string_lossy();
    let output = Command::new("df")
        .args(["--output=avail", "-B1", &path])
        .output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();

    text.lines()
        .nth(1)
        .and_then(|line| line.trim().parse().ok())
        .unwrap_or(u64::MAX)
}

/// Empties the page cache if permitted; returns `true` if it was.
pub(crate) fn drop_caches() -> bool {
    let _ = Command::new("sync").status();
    fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}
