//! Many entries in one submission: an object, an array, or one entry a line. All are taken or none.

use jiff::Timestamp;
use memchr::memchr;

use crate::door;
use crate::draft::Draft;
use crate::field_error::{FieldCode, FieldError};
use crate::json::{self, Json, JsonStep, MAX_DEPTH, Numbers};

/// A submission may have this many entries.
pub const MAX_BATCH: usize = 10_000;

/// Room for the canonical bytes of one entry at first.
const SCRATCH: usize = 2_048;

/// Layout of a submission's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchContent {
    /// One entry: a JSON object.
    One,
    /// A JSON array of entries.
    Array,
    /// One entry a line (`application/x-ndjson`); blank lines are skipped.
    Ndjson,
}

impl BatchContent {
    /// Returns the layout of an `application/json` body: an array if its first byte after white
    /// space is `[`, else one entry.
    pub fn of_json(bytes: &[u8]) -> Self {
        match bytes.iter().find(|b| !b.is_ascii_whitespace()) {
            Some(b'[') => Self::Array,
            _ => Self::One,
        }
    }
}

/// A refused submission: which entry, counted from 0, and everything wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {index}: {}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct BatchError {
    /// Position of the entry in the submission, from 0.
    pub index: usize,
    /// Faults of the entry; their paths start inside the entry.
    pub errors: Vec<FieldError>,
}

/// Reads a submission. Stops at the first invalid entry and returns all of its faults.
pub fn parse_batch(
    bytes: &[u8],
    content: BatchContent,
    recorded_at: Timestamp,
    max_entries: usize,
) -> Result<Vec<Draft>, BatchError> {
    // Once for the whole: what is not UTF-8 is looked at entry by entry, to say where.
    let text = std::str::from_utf8(bytes).ok();
    let drafts = match content {
        BatchContent::One => vec![
            Draft::from_bytes(bytes, recorded_at)
                .map_err(|errors| BatchError { index: 0, errors })?,
        ],
        BatchContent::Array => {
            match text.and_then(|text| quick_array(text, recorded_at, max_entries)) {
                Some(drafts) => drafts,
                None => array(bytes, recorded_at, max_entries)?,
            }
        }
        BatchContent::Ndjson => lines(bytes, text, recorded_at, max_entries)?,
    };

    if drafts.is_empty() {
        return Err(BatchError {
            index: 0,
            errors: vec![FieldError::new(
                "",
                FieldCode::EmptyBatch,
                "there is no entry in the submission",
            )],
        });
    }

    Ok(drafts)
}

fn too_many(index: usize, max_entries: usize) -> BatchError {
    let message = format!("a submission may have at most {max_entries} entries");
    BatchError {
        index,
        errors: vec![FieldError::new("", FieldCode::BatchTooLarge, message)],
    }
}

/// The drafts of an array in which everything is as it should be.
fn quick_array(text: &str, recorded_at: Timestamp, max_entries: usize) -> Option<Vec<Draft>> {
    let mut scratch = Vec::with_capacity(SCRATCH);
    door::sent_array(text, recorded_at, max_entries, |claim| {
        Draft::of_claim(claim, recorded_at, &mut scratch).ok()
    })
}

fn array(
    bytes: &[u8],
    recorded_at: Timestamp,
    max_entries: usize,
) -> Result<Vec<Draft>, BatchError> {
    let options = json::ParseOptions {
        max_depth: MAX_DEPTH + 1,
        numbers: Numbers::Strict,
    };
    let items = match json::parse_with(bytes, &options).map(|parsed| parsed.value) {
        Ok(Json::Array(items)) => items,
        Ok(one) => vec![one],
        Err(mut e) => {
            let index = match e.path.0.first() {
                Some(JsonStep::Index(index)) => *index,
                _ => 0,
            };
            e.path.0.drain(..1.min(e.path.0.len()));
            return Err(BatchError {
                index,
                errors: vec![e.into()],
            });
        }
    };

    if items.len() > max_entries {
        return Err(too_many(max_entries, max_entries));
    }

    let read = |(index, item)| {
        Draft::from_json(item, recorded_at).map_err(|errors| BatchError { index, errors })
    };

    items.into_iter().enumerate().map(read).collect()
}

fn lines(
    bytes: &[u8],
    text: Option<&str>,
    recorded_at: Timestamp,
    max_entries: usize,
) -> Result<Vec<Draft>, BatchError> {
    let mut drafts = Vec::new();
    let mut scratch = Vec::with_capacity(SCRATCH);
    let mut start = 0;

    while start < bytes.len() {
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
        let line = &bytes[start..end];
        if !line.iter().all(u8::is_ascii_whitespace) {
            let index = drafts.len();
            if index == max_entries {
                return Err(too_many(index, max_entries));
            }
            let draft = match text.and_then(|text| text.get(start..end)) {
                Some(line) => Draft::from_text(line, recorded_at, &mut scratch),
                None => Draft::from_bytes_slowly(line, recorded_at),
            };
            drafts.push(draft.map_err(|errors| BatchError {
                index,
                errors: moved(errors, start),
            })?);
        }
        start = end + 1;
    }

    Ok(drafts)
}

/// Makes offsets within a line offsets within the submission.
fn moved(mut errors: Vec<FieldError>, start: usize) -> Vec<FieldError> {
    for error in &mut errors {
        if let Some(offset) = &mut error.offset {
            *offset += start;
        }
    }
    errors
}
