//! `reeve audit import`: files, folders and stdin into the log, a batch at a time.
//!
//! A record that cannot be an entry is named with its file and place, and the rest goes on; the exit code then is 1.
//! Importing again changes nothing: an entry's identifier comes from its record.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use jiff::Timestamp;

use reeve_audit::Draft;
use reeve_connect_cloudtrail as cloudtrail;
use reeve_ledger::AppendError;

use super::target::{LogAt, open};
use crate::cli::{ImportArgs, ImportFormat};

/// Entries appended at once.
const BATCH: usize = 500;
/// Bytes appended at once, about: a batch stays well under the interface's limit for a body.
const BATCH_BYTES: usize = 4 << 20;

/// What came of an import.
#[derive(Debug, Default)]
struct Tally {
    imported: u64,
    known: u64,
    refused: u64,
    files: u64,
}

/// Imports everything named.
pub(crate) async fn run(args: &ImportArgs) -> Result<ExitCode> {
    let files = files(&args.paths)?;
    let log = open(&args.target).await?;
    let bar = ProgressBar::new(files.iter().map(|(_, bytes)| bytes).sum());
    bar.set_style(ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} left  {msg}")?);
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut tally = Tally::default();
    let mut batch = Batch::default();
    for (path, bytes) in &files {
        let before = bar.position();
        let source = source(path, &bar)?;
        for item in read(args.format, source) {
            match item {
                Ok(draft) => {
                    if batch.push(draft) {
                        append(&log, &mut batch, &mut tally).await?;
                        bar.set_message(format!("{} entries", HumanCount(tally.imported)));
                    }
                }
                Err(message) => {
                    tally.refused += 1;
                    bar.suspend(|| eprintln!("{}: {message}", path.display()));
                }
            }
        }
        tally.files += 1;
        bar.set_position(before + bytes);
    }
    append(&log, &mut batch, &mut tally).await?;
    bar.finish_and_clear();
    if let LogAt::Here(log) = &log {
        log.ledger.close().await;
    }
    eprintln!(
        "{} entries imported from {} files, {} known already, {} refused",
        HumanCount(tally.imported),
        tally.files,
        HumanCount(tally.known),
        HumanCount(tally.refused)
    );
    Ok(if tally.refused > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The files that paths name, folders walked, with their sizes.
fn files(paths: &[PathBuf]) -> Result<Vec<(PathBuf, u64)>> {
    let mut files = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            files.push((path.clone(), 0));
            continue;
        }
        for found in walkdir::WalkDir::new(path).sort_by_file_name() {
            let found = found.with_context(|| format!("{} could not be read", path.display()))?;
            if found.file_type().is_file() && (found.depth() == 0 || looks_like_log(found.path())) {
                files.push((found.path().to_owned(), found.metadata()?.len()));
            }
        }
    }
    if files.is_empty() {
        bail!("no .json, .jsonl, .ndjson or .gz files there");
    }
    Ok(files)
}

fn looks_like_log(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    [".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz", ".gz"].iter().any(|end| name.ends_with(end))
}

fn source(path: &Path, bar: &ProgressBar) -> Result<Box<dyn Read>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
    Ok(Box::new(bar.wrap_read(file)))
}

/// The drafts of a source, one at a time; gzip is noticed by its first bytes.
fn read(format: ImportFormat, source: Box<dyn Read>) -> Box<dyn Iterator<Item = Result<Draft, String>>> {
    let now = Timestamp::now();
    match format {
        ImportFormat::Cloudtrail => Box::new(cloudtrail::read(source).map(move |item| {
            let entry = item.map_err(|error| error.to_string())?;
            Draft::from_entry(entry, now).map_err(|errors| words(&errors))
        })),
        ImportFormat::Jsonl => match cloudtrail::plain(source) {
            Err(error) => Box::new(std::iter::once(Err(error.to_string()))),
            Ok(plain) => Box::new(std::io::BufRead::split(BufReader::new(plain), b'\n').enumerate().filter_map(move |(at, line)| {
                let line = match line {
                    Ok(line) if line.iter().all(u8::is_ascii_whitespace) => return None,
                    Ok(line) => line,
                    Err(error) => return Some(Err(error.to_string())),
                };
                Some(Draft::from_bytes(&line, now).map_err(|errors| format!("line {}: {}", at + 1, words(&errors))))
            })),
        },
    }
}

fn words(errors: &[reeve_audit::FieldError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[derive(Default)]
struct Batch {
    drafts: Vec<Draft>,
    bytes: usize,
}

impl Batch {
    /// Adds one; whether the batch is full now.
    fn push(&mut self, draft: Draft) -> bool {
        self.bytes += draft.canonical.len();
        self.drafts.push(draft);
        self.drafts.len() >= BATCH || self.bytes >= BATCH_BYTES
    }
}

async fn append(log: &LogAt, batch: &mut Batch, tally: &mut Tally) -> Result<()> {
    let drafts = std::mem::take(&mut batch.drafts);
    batch.bytes = 0;
    if drafts.is_empty() {
        return Ok(());
    }
    match log {
        LogAt::Here(log) => loop {
            match log.ledger.append(drafts.clone()).await {
                Ok(receipts) => {
                    let known = receipts.iter().filter(|receipt| receipt.duplicate).count() as u64;
                    tally.known += known;
                    tally.imported += receipts.len() as u64 - known;
                    return Ok(());
                }
                Err(AppendError::Busy { retry_after_s }) => tokio::time::sleep(Duration::from_secs(retry_after_s)).await,
                Err(error) => bail!("{error}"),
            }
        },
        LogAt::There(remote) => loop {
            let lines: Vec<u8> = drafts.iter().flat_map(|draft| claim(draft).into_iter().chain([b'\n'])).collect();
            let request = remote.post("audit-logs").header("content-type", "application/x-ndjson").body(lines);
            match remote.send(request).await? {
                Ok(_) => {
                    tally.imported += drafts.len() as u64;
                    return Ok(());
                }
                Err(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            }
        },
    }
}

/// The claim as sent: without `recorded_at`, which the service sets itself.
fn claim(draft: &Draft) -> Vec<u8> {
    let mut value = serde_json::to_value(draft.entry.to_json(draft.recorded_at)).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        for derived in ["recorded_at", "category"] {
            members.remove(derived);
        }
    }
    value.to_string().into_bytes()
}
