//! Files of a run: written beside their place while the log is read, and moved there whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::tasks::context::TaskContext;
use anyhow::{Context as _, Result};
use reeve_audit::Entry;
use reeve_exports::{Finished, digest};
use reeve_reports::document::{self, Heading, Proven};
use reeve_reports::{ReportFindings, ReportPlan, RunFile, RunFiles, RunId};

/// Folder of a run.
pub(super) fn folder(context: &TaskContext, run: &RunId) -> PathBuf {
    context.settings.reports_dir.join(&run.0)
}

/// Removes the folder of a run, if there is one.
pub(super) async fn remove(context: &TaskContext, run: &RunId) -> Result<()> {
    match tokio::fs::remove_dir_all(folder(context, run)).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).context("the files of a run stay")
        }
        _ => Ok(()),
    }
}

/// Writes the manifest of a run beside its files, and returns its length.
pub(super) async fn write_manifest(
    context: &TaskContext,
    run: &RunId,
    text: String,
) -> Result<u64> {
    let dir = folder(context, run);
    let written = tokio::task::spawn_blocking(move || -> Result<u64> {
        let beside = dir.join("report.manifest.json.part");
        let mut file = create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, dir.join("report.manifest.json"))?;
        Ok(text.len() as u64)
    });

    written
        .await
        .context("the manifest of a report was not written")?
}

/// The cited entries, on their way into files.
pub(super) struct Spool {
    dir: PathBuf,
    json: BufWriter<File>,
    csv: BufWriter<File>,
    empty: bool,
}

/// Beginnings of the files.
pub(super) struct Heads<'a> {
    pub(super) heading: &'a Heading,
    pub(super) checkpoint: &'a str,
    pub(super) summary: &'a serde_json::Value,
    pub(super) plan: &'a ReportPlan,
    pub(super) findings: &'a ReportFindings,
    pub(super) pdf: &'a [u8],
    /// Hashes behind the last cited entry.
    pub(super) hashes: &'a [String],
}

fn create(path: &Path) -> Result<File> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path);
    file.with_context(|| format!("{} could not be made", path.display()))
}

impl Spool {
    /// Begins in an empty folder: what an earlier try left there is removed.
    pub(super) fn new(dir: PathBuf) -> Result<Spool> {
        match fs::remove_dir_all(&dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }

        let made = DirBuilder::new().recursive(true).mode(0o700).create(&dir);
        made.with_context(|| format!("{} could not be made", dir.display()))?;
        let json = BufWriter::new(create(&dir.join("entries.json.part"))?);
        let csv = BufWriter::new(create(&dir.join("entries.csv.part"))?);

        Ok(Spool {
            dir,
            json,
            csv,
            empty: true,
        })
    }

    /// Adds a cited entry.
    pub(super) fn add(
        &mut self,
        proven: &Proven<'_>,
        entry: &Entry,
        plan: &ReportPlan,
        answered: &[usize],
    ) -> Result<()> {
        document::json_entry(&mut self.json, self.empty, proven, plan, answered)?;
        document::csv_entry(&mut self.csv, proven.sequence, entry, plan, answered)?;
        self.empty = false;
        Ok(())
    }

    /// Writes the files: heads, then the entries, then the ends; each is synced before it takes its
    /// place.
    pub(super) fn finish(mut self, heads: &Heads<'_>) -> Result<RunFiles> {
        self.json.flush()?;
        self.csv.flush()?;
        let json = self.whole("report.json", |out, entries| {
            document::json_head(out, heads.heading, heads.checkpoint, heads.summary)?;
            io::copy(&mut part(entries, "entries.json.part")?, out)?;
            document::json_end(out, heads.hashes)
        })?;

        let csv = self.whole("report.csv", |out, entries| {
            document::csv_head(out, heads.plan, heads.findings)?;
            io::copy(&mut part(entries, "entries.csv.part")?, out).map(|_| ())
        })?;
        let pdf = self.whole("report.pdf", |out, _| out.write_all(heads.pdf))?;
        for name in ["entries.json.part", "entries.csv.part"] {
            fs::remove_file(self.dir.join(name))?;
        }

        Ok(RunFiles {
            json,
            csv,
            pdf,
            manifest_bytes: 0,
        })
    }

    fn whole(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>, &Path) -> io::Result<()>,
    ) -> Result<RunFile> {
        let beside = self.dir.join(format!("{name}.part"));
        let mut out = BufWriter::new(create(&beside)?);
        write(&mut out, &self.dir)
            .with_context(|| format!("{} could not be written", beside.display()))?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let Finished { bytes, sha256 } = digest(&beside)?;
        fs::rename(&beside, self.dir.join(name))?;
        Ok(RunFile { bytes, sha256 })
    }
}

fn part(dir: &Path, name: &str) -> io::Result<BufReader<File>> {
    File::open(dir.join(name)).map(BufReader::new)
}
