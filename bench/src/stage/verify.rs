//! `reeve-verify` of everything: every entry, hash, tile and signature, by the program that
//! auditors use.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::append::gib;
use crate::process::{self, Watch};
use crate::results::{Results, System};

/// Runs `reeve-verify` on `data` and records its time.
pub(crate) fn run(programs: &Path, data: &Path, results: &mut Results) -> Result<()> {
    let before = process::children_cpu()?;
    let begun = Instant::now();
    let mut command = Command::new(programs.join("reeve-verify"));
    let child = command
        .arg("--json")
        .arg(data)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let watch = Watch::start(child.id(), Duration::from_millis(20));

    let output = child.wait_with_output()?;
    let took = begun.elapsed().as_secs_f64();
    let (cpu, seen) = (process::children_cpu()?.since(before), watch.seen());
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("reeve-verify printed no report")?;
    if !output.status.success() || report["intact"] != true {
        bail!("reeve-verify found the log broken: {report:#}");
    }

    let entries = report["checked"]["entries"].as_u64().unwrap_or_default() as f64;
    let peak = seen
        .iter()
        .map(|(_, memory)| memory.peak)
        .max()
        .unwrap_or_default();

    let how = format!(
        "{entries} entries, all of their hashes, columns, tiles and signatures; page cache as the run left it"
    );
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Reeve, key, what, value, unit, &how)
    };

    add(
        "verify.rate",
        "`reeve-verify`, wall time",
        entries / took,
        "entries/s",
    );

    add(
        "verify.per_core",
        "`reeve-verify`, a second of processor time",
        entries / cpu.total(),
        "entries/s",
    );

    add("verify.cores", "cores it used", cpu.total() / took, "");
    add(
        "verify.memory",
        "`reeve-verify`, peak resident",
        gib(peak),
        "GiB",
    );

    Ok(())
}
