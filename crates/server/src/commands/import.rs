//! `reeve audit import`: files, folders and stdin into the log, a batch at a time.
//!
//! A record that cannot be an entry is named with its file and place, and the rest continues; the
//! exit code then is 1. Importing again changes nothing: an entry's identifier comes from its
//! record.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use reeve_audit::{
    ActionMethod, ActionStatus, Draft, Entry, EventId, Json, Obstacle, ResourceRef, Submitter,
    events,
};
use reeve_connect_cloudtrail as cloudtrail;
use reeve_ledger::AppendError;

use super::target::{LogAt, Reply, open};
use crate::account::Account;
use crate::cli::{ImportArgs, ImportFormat};

/// Entries appended at once.
const BATCH: usize = 500;
/// Bytes appended at once, about: a batch stays well under the interface's limit for a body.
const BATCH_BYTES: usize = 4 << 20;

/// Result of an import.
#[derive(Debug, Default)]
struct Tally {
    imported: u64,
    known: u64,
    refused: u64,
    files: u64,
    /// Of the identifiers of all entries, in order.
    identifiers: Sha256,
}

/// Imports all files that the arguments name.
pub(crate) async fn run(args: &ImportArgs) -> Result<ExitCode> {
    let files = files(&args.paths)?;
    let log = open(&args.target).await?;
    let bar = ProgressBar::new(files.iter().map(|(_, bytes)| bytes).sum());

    // Nobody knows how much standard input has.
    let template = match bar.length() {
        Some(1..) => "{bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left  {msg}",
        _ => "{spinner} {bytes}  {bytes_per_sec}  {msg}",
    };
    bar.set_style(ProgressStyle::with_template(template)?);
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut tally = Tally::default();
    let mut batch = Batch::default();

    for (path, bytes) in &files {
        let before = bar.position();
        let source = source(path, &bar)?;
        for item in read(args.format, source)? {
            match item {
                Ok(draft) => {
                    tally.identifiers.update(draft.entry.event_id.as_str());
                    tally.identifiers.update([0]);
                    if batch.push(draft) {
                        append(&log, args.format, &mut batch, &mut tally).await?;
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
        if *bytes > 0 {
            bar.set_position(before + bytes);
        }
    }

    append(&log, args.format, &mut batch, &mut tally).await?;
    bar.finish_and_clear();
    if tally.imported > 0 {
        record(&log, args.format, &tally).await?;
    }
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

    Ok(if tally.refused > 0 {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// Records the import: in a data directory as Reeve's own entry, in a service as one of the token's
/// user.
async fn record(log: &LogAt, format: ImportFormat, tally: &Tally) -> Result<()> {
    let format = match format {
        ImportFormat::Cloudtrail => "cloudtrail",
        ImportFormat::Jsonl => "jsonl",
    };
    let entry = Entry::for_event(&events::IMPORT)
        .by(Account::current().actor())
        .on(ResourceRef::new("audit_log", "audit-logs"))
        .with_action("import_entries", ActionStatus::Success, ActionMethod::Cli)
        .with_metadata("format", format)
        .with_metadata("entries", Json::from(tally.imported))
        .with_metadata("known", Json::from(tally.known))
        .with_metadata("refused", Json::from(tally.refused))
        .with_metadata("files", Json::from(tally.files));

    // Importing the same again changes nothing, and is not recorded again either.
    let id = format!(
        "import-{}",
        hex::encode(tally.identifiers.clone().finalize())
    );
    let id = match log {
        LogAt::Here(_) => EventId::derived(&id)?,
        // A service takes the entry as one of the token's user, who may not write Reeve's own
        // identifiers.
        LogAt::There(_) => EventId::new(id)?,
    };
    let (entry, now) = (entry.with_id(id), Timestamp::now());

    let draft = match log {
        LogAt::Here(_) => {
            Draft::by_reeve(entry, now).map_err(|errors| anyhow::anyhow!(words(&errors)))?
        }
        LogAt::There(_) => {
            let draft =
                Draft::from_entry(entry, now).map_err(|errors| anyhow::anyhow!(words(&errors)))?;
            submitted(draft).map_err(|error| anyhow::anyhow!(error))?
        }
    };

    match offer(log, &[draft]).await? {
        Answer::Taken(_) | Answer::TakenId(_) => Ok(()),
        Answer::Busy(_) => {
            bail!("the entries were imported, and the log took no entry about that")
        }
    }
}

/// The files that paths name, folders walked, with their sizes. Standard input is `-`.
fn files(paths: &[PathBuf]) -> Result<Vec<(PathBuf, u64)>> {
    let mut files = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            files.push((path.clone(), 0));
            continue;
        }
        for file in cloudtrail::log_files(path)
            .with_context(|| format!("{} could not be read", path.display()))?
        {
            let bytes = file
                .metadata()
                .with_context(|| format!("{} could not be read", file.display()))?
                .len();
            files.push((file, bytes));
        }
    }

    if files.is_empty() {
        bail!("no .json, .jsonl, .ndjson or .gz files there");
    }

    Ok(files)
}

fn source(path: &Path, bar: &ProgressBar) -> Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(bar.wrap_read(std::io::stdin())));
    }
    let file =
        File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
    Ok(Box::new(bar.wrap_read(file)))
}

type Drafts = Box<dyn Iterator<Item = Result<Draft, Obstacle>>>;

/// The drafts of a source, one at a time; gzip is noticed by its first bytes.
fn read(format: ImportFormat, source: Box<dyn Read + Send>) -> Result<Drafts> {
    let now = Timestamp::now();
    Ok(match format {
        ImportFormat::Cloudtrail => Box::new(
            cloudtrail::RecordReader::new(source)?
                .entries()
                .filter_map(move |item| match item {
                    Ok(entry) => Some(
                        Draft::from_entry(entry, now)
                            .map_err(|errors| Obstacle::from(words(&errors)))
                            .and_then(submitted),
                    ),
                    Err(error) if error.is_digest() => None,
                    Err(error) => Some(Err(Obstacle::of(error))),
                }),
        ),
        ImportFormat::Jsonl => Box::new(
            BufReader::new(plain(source)?)
                .split(b'\n')
                .enumerate()
                .filter_map(move |(at, line)| {
                    let line = match line {
                        Ok(line) if line.iter().all(u8::is_ascii_whitespace) => return None,
                        Ok(line) => line,
                        Err(error) => return Some(Err(Obstacle::of(error))),
                    };
                    let draft = Draft::from_bytes(&line, now)
                        .map_err(|errors| Obstacle::from(words(&errors)))
                        .and_then(submitted);
                    Some(draft.map_err(|reason| format!("line {}: {reason}", at + 1).into()))
                }),
        ),
    })
}

/// The account of the operating system that runs this program, where the system tells (Linux).
static ACCOUNT: LazyLock<Arc<Submitter>> =
    LazyLock::new(|| Arc::new(Submitter::local(Account::current().id)));

/// Notes where an entry comes from. A service that it is sent to notes that itself.
fn submitted(draft: Draft) -> Result<Draft, Obstacle> {
    let mut drafts =
        Draft::submitted_by(vec![draft], &ACCOUNT).map_err(|(_, error)| Obstacle::of(error))?;
    drafts.pop().ok_or_else(|| "there is no entry".into())
}

/// A source without its gzip, where it has one.
fn plain(mut source: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    let mut start = Vec::new();
    source.by_ref().take(2).read_to_end(&mut start)?;
    let gzip = start == [0x1f, 0x8b];
    let whole = std::io::Cursor::new(start).chain(source);
    Ok(if gzip {
        Box::new(flate2::read::MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
}

fn words(errors: &[reeve_audit::FieldError]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
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

/// Answer of a log to a batch.
enum Answer {
    /// All of it is there; so many were there before.
    Taken(u64),
    /// The entry at this place has the identifier of another one.
    TakenId(usize),
    /// Too much waits already: again after so many seconds.
    Busy(u64),
}

/// Appends a batch. An entry whose identifier another entry has is given one of its own where its
/// format allows that (real CloudTrail folders hold the same `eventID` with different content),
/// else it is refused alone.
async fn append(
    log: &LogAt,
    format: ImportFormat,
    batch: &mut Batch,
    tally: &mut Tally,
) -> Result<()> {
    let mut drafts = std::mem::take(&mut batch.drafts);
    batch.bytes = 0;

    while !drafts.is_empty() {
        match offer(log, &drafts).await? {
            Answer::Taken(known) => {
                tally.known += known;
                tally.imported += drafts.len() as u64 - known;
                return Ok(());
            }
            Answer::Busy(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            Answer::TakenId(index) => {
                let draft = drafts.remove(index);
                let id = draft.entry.event_id.as_str().to_owned();
                let renamed = (format == ImportFormat::Cloudtrail
                    && !id.starts_with("cloudtrail-"))
                .then(|| {
                    Draft::from_entry(cloudtrail::with_distinct_id(draft.entry), draft.recorded_at)
                        .ok()
                })
                .flatten()
                .and_then(|draft| submitted(draft).ok());
                match renamed {
                    Some(renamed) => drafts.insert(index, renamed),
                    None => {
                        tally.refused += 1;
                        eprintln!("event_id {id}: another entry in the log has it; left out");
                    }
                }
            }
        }
    }

    Ok(())
}

async fn offer(log: &LogAt, drafts: &[Draft]) -> Result<Answer> {
    match log {
        LogAt::Here(log) => match log.ledger.append(drafts.to_vec()).await {
            Ok(receipts) => Ok(Answer::Taken(
                receipts.iter().filter(|receipt| receipt.duplicate).count() as u64,
            )),
            Err(AppendError::Conflict { index, .. }) => Ok(Answer::TakenId(index)),
            Err(AppendError::Busy { retry_after_s }) => Ok(Answer::Busy(retry_after_s)),
            Err(error) => bail!("{error}"),
        },
        LogAt::There(remote) => {
            let lines: Vec<u8> = drafts
                .iter()
                .flat_map(|draft| claim(draft).into_iter().chain([b'\n']))
                .collect();
            let request = remote
                .post("audit-logs")
                .header("content-type", "application/x-ndjson")
                .body(lines);
            match remote.send(request).await? {
                Reply::Done(_) => Ok(Answer::Taken(0)),
                Reply::Busy(seconds) => Ok(Answer::Busy(seconds)),
                Reply::Refused(problem) if problem["code"] == "event_id_conflict" => {
                    let index = problem.pointer("/errors/0/index").and_then(Value::as_u64);
                    let index = index
                        .and_then(|index| usize::try_from(index).ok())
                        .filter(|index| *index < drafts.len());
                    index
                        .map(Answer::TakenId)
                        .with_context(|| remote.words(&problem))
                }
                Reply::Refused(problem) | Reply::Failed(problem) => bail!(remote.words(&problem)),
                Reply::TooMuch => bail!("the answer is too long"),
            }
        }
    }
}

/// The claim as sent: without what the service sets itself.
fn claim(draft: &Draft) -> Vec<u8> {
    let mut value =
        serde_json::to_value(draft.entry.to_json(draft.recorded_at)).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        for derived in ["recorded_at", "submitted_by", "category"] {
            members.remove(derived);
        }
    }
    value.to_string().into_bytes()
}
