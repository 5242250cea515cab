//! `report.json`: that every entry a report cites is in the log, answers the queries it is listed
//! under, and is counted (`docs/formats/report.md`). The file is read as a stream; memory does not
//! grow with its entries.

mod cited;
mod configuration;
mod manifest;
mod questions;

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;

use reeve_tlog::{Checkpoint, EpochOpenError, Epochs, NoteError, SignedNote};
use serde::Deserializer as _;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::Value;

use crate::error::CannotVerify;
use crate::kept::TooFewWitnesses;

use cited::{Cited, Entries};
pub(crate) use manifest::FORMAT as MANIFEST;
pub(crate) use manifest::manifest_beside;
pub use manifest::verify_report_files;
use questions::Questions;

/// Result of verifying a report.
#[derive(Debug, Clone)]
pub struct ProvenReport {
    /// Name of the report.
    pub name: String,
    /// Identifier of its run.
    pub run_id: String,
    /// Entries that are listed, all of them in the tree.
    pub entries: u64,
    /// Of those, entries that answer a query of the report.
    pub listed: u64,
    /// Results of checks that the entries recorded as the report says.
    pub results: u64,
    /// Entries that the report counted.
    pub counted: u64,
    /// Queries that were asked again of each of them.
    pub questions: usize,
    /// The signed checkpoint of the tree that has them.
    pub checkpoint: Checkpoint,
    /// Checkpoint with its signatures.
    pub note: SignedNote,
}

/// Reason why a report proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum ReportFault {
    /// Malformed or incomplete report.
    #[error("{0}")]
    Form(String),
    /// The checkpoint cannot be read.
    #[error("the checkpoint of the report cannot be read")]
    Note(#[source] NoteError),
    /// The checkpoint has no signature by the key.
    #[error("the checkpoint of the report is refused")]
    Checkpoint(#[source] EpochOpenError),
    /// Too few witnesses cosigned the checkpoint.
    #[error(transparent)]
    Witnesses(#[from] TooFewWitnesses),
}

/// Returns `true` if a file begins as `report.json` does.
pub(crate) fn is_report(path: &Path) -> bool {
    let mut start = [0; 64];
    let read = File::open(path)
        .and_then(|mut file| file.read(&mut start))
        .unwrap_or_default();
    let start = String::from_utf8_lossy(&start[..read]);
    start
        .trim_start()
        .strip_prefix('{')
        .is_some_and(|rest| rest.trim_start().starts_with("\"reeve_report\""))
}

/// Verifies a report. The outer error says that nothing could be found out, the inner one that the
/// report does not hold.
///
/// # Errors
/// The file cannot be read.
pub fn verify_report(
    path: &Path,
    keys: &Epochs,
) -> Result<Result<ProvenReport, ReportFault>, CannotVerify> {
    let file = File::open(path).map_err(CannotVerify::unreadable(path))?;
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, file));
    let mut read = Reading {
        keys,
        head: None,
        fault: None,
    };

    let result = json
        .deserialize_map(&mut read)
        .and_then(|proven| json.end().map(|()| proven));
    Ok(match result {
        Ok(proven) => Ok(proven),
        Err(error)
            if error
                .io_error_kind()
                .is_some_and(|kind| kind != io::ErrorKind::UnexpectedEof) =>
        {
            return Err(CannotVerify::unreadable(path)(io::Error::other(error)));
        }
        Err(error) => Err(read
            .fault
            .take()
            .unwrap_or_else(|| ReportFault::Form(error.to_string()))),
    })
}

/// The parts before the entries.
struct Head {
    checkpoint: Checkpoint,
    note: SignedNote,
}

struct Reading<'a> {
    keys: &'a Epochs,
    head: Option<Head>,
    fault: Option<ReportFault>,
}

/// Newest version of the format that is read.
const VERSION: u64 = 3;

/// Keys of the document in their required order: data that entries are compared with comes before
/// the entries.
const KEYS: [&str; 6] = [
    "reeve_report",
    "report",
    "checkpoint",
    "summary",
    "entries",
    "hashes",
];

impl<'de> Visitor<'de> for &mut Reading<'_> {
    type Value = ProvenReport;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a report of Reeve's")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ProvenReport, A::Error> {
        key(&mut map, 0)?;
        let version: u64 = map.next_value()?;

        if !(1..=VERSION).contains(&version) {
            return Err(A::Error::custom(format!(
                "the report is of version {version}, and this program reads 1 to {VERSION}"
            )));
        }

        key(&mut map, 1)?;
        let report: Value = map.next_value()?;
        key(&mut map, 2)?;
        let note: String = map.next_value()?;
        let head = match self.checkpoint(&note) {
            Ok(head) => self.head.insert(head),
            Err(fault) => {
                self.fault = Some(fault);
                return Err(A::Error::custom("the checkpoint is invalid"));
            }
        };

        key(&mut map, 3)?;
        let summary: Value = map.next_value()?;
        let mut questions =
            Questions::read(version, &report, &summary).map_err(A::Error::custom)?;
        let mut cited =
            Cited::new(&mut questions, head.checkpoint.size).map_err(A::Error::custom)?;
        key(&mut map, 4)?;
        map.next_value_seed(Entries(&mut cited))?;
        key(&mut map, 5)?;
        let hashes: Vec<String> = map.next_value()?;

        if let Some(more) = map.next_key::<String>()? {
            return Err(A::Error::custom(format!(
                "{more:?} does not belong into a report"
            )));
        }

        let entries = cited
            .finish(&head.checkpoint.root, &hashes)
            .map_err(A::Error::custom)?;
        questions.finish().map_err(A::Error::custom)?;
        let text = |name: &str| report[name].as_str().unwrap_or_default().to_owned();

        Ok(ProvenReport {
            name: text("name"),
            run_id: text("run_id"),
            entries,
            listed: questions.listed(),
            results: questions.results(),
            counted: questions.counted(),
            questions: questions.len(),
            checkpoint: head.checkpoint.clone(),
            note: head.note.clone(),
        })
    }
}

impl Reading<'_> {
    fn checkpoint(&self, note: &str) -> Result<Head, ReportFault> {
        let note = SignedNote::parse(note.as_bytes()).map_err(ReportFault::Note)?;
        let checkpoint = self
            .keys
            .from_note(&note)
            .map_err(ReportFault::Checkpoint)?;
        Ok(Head { checkpoint, note })
    }
}

fn key<'de, A: MapAccess<'de>>(map: &mut A, at: usize) -> Result<(), A::Error> {
    match map.next_key::<String>()? {
        Some(found) if found == KEYS[at] => Ok(()),
        Some(found) => Err(A::Error::custom(format!(
            "expected {:?}, found {found:?}",
            KEYS[at]
        ))),
        None => Err(A::Error::custom(format!(
            "the report ends before {:?}",
            KEYS[at]
        ))),
    }
}
