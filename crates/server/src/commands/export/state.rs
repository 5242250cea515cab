//! State from which an interrupted export is resumed: `FILE.part.json`, written whenever what it
//! tells is on disk.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use reeve_audit::format::Format;

use super::file::{ExportFileSink, part, with_suffix};
use super::refuse;
use crate::cli::ExportArgs;
use crate::commands::reading::Checkpoint;

/// An export under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State {
    /// Request of the export.
    pub(super) wanted: Wanted,
    /// From this time on, distances from now made points in time.
    pub(super) from: Option<String>,
    /// Up to this time.
    pub(super) to: Option<String>,
    /// The log as it was at the beginning.
    pub(super) checkpoint: Checkpoint,
    pub(super) progress: Progress,
}

/// Settings that must be the same for an export to be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Wanted {
    /// Name of the format.
    pub(super) format: String,
    /// The format with all its options.
    options: String,
    query: String,
    from: Option<String>,
    to: Option<String>,
    /// Data directory or service.
    log: String,
}

/// Progress of an export, in whole records.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Cursor of the next page.
    pub(super) next: Option<String>,
    /// `true` if there is no next page.
    pub(super) ended: bool,
    /// Number of entries written so far.
    pub(super) entries: u64,
    /// Bytes they take in the file.
    pub(super) bytes: u64,
    /// Records that leave something out.
    pub(super) reduced: u64,
    /// Number of entries that were left out.
    pub(super) skipped: u64,
}

impl Wanted {
    pub(super) fn from_args(args: &ExportArgs, format: &Format) -> Self {
        let target = &args.target;
        Self {
            format: format.name().as_str().to_owned(),
            options: format!("{format:?}"),
            query: args.query.clone(),
            from: args.period.from.clone(),
            to: args.period.to.clone(),
            log: target.data_dir.as_ref().map_or_else(
                || target.service.url.clone(),
                |dir| dir.display().to_string(),
            ),
        }
    }
}

impl State {
    /// Notes it beside the file.
    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let (state, fresh) = (name(path), with_suffix(path, ".part.json.new"));
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&fresh)?;
            file.write_all(serde_json::to_string_pretty(self)?.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&fresh, &state)
        };

        write().with_context(|| format!("{} could not be written", state.display()))
    }
}

fn name(path: &Path) -> std::path::PathBuf {
    with_suffix(path, ".part.json")
}

/// Takes an interrupted export up.
pub(super) fn resume(args: &ExportArgs, wanted: &Wanted) -> Result<(ExportFileSink, State)> {
    let path = &args.output;
    if path.as_os_str() == "-" {
        return refuse("an export to standard output cannot be resumed; name a file with -o");
    }

    let state = name(path);
    let text = std::fs::read(&state).with_context(|| {
        format!(
            "the export cannot be resumed: only {} and {} are left of it",
            part(path).display(),
            state.display()
        )
    })?;
    let state: State = serde_json::from_slice(&text)
        .with_context(|| format!("{} cannot be read", state.display()))?;

    if state.wanted != *wanted {
        return refuse(format!(
            "{} is an export of something else: --resume takes the same format, options, times, query and log",
            part(path).display()
        ));
    }

    Ok((ExportFileSink::go_on(path, state.progress.bytes)?, state))
}

/// Removes the note of an export that is whole.
pub(super) fn forget(path: &Path) -> Result<()> {
    match std::fs::remove_file(name(path)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
