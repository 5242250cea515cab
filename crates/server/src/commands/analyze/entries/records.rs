//! Records out of a file of any shape: CloudTrail log files, arrays, a record a line; Reeve's own
//! entries as they are sent, stored or exported. Compressed or not.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use reeve_audit::json::{self, Numbers, ParseOptions};
use reeve_audit::{Draft, Entry, Json, Obstacle};
use reeve_connect_cloudtrail::{CloudtrailRecord, MapError, Texts, map_record};

use crate::cli::EntriesFormat;

/// A line may be this long, as a record in an array may.
const LONGEST_LINE: u64 = 16 << 20;

/// The reason why a record without a time is not judged.
const TIMELESS: &str = "it is needed to compare hours, rates and earlier events";

/// A record's text and where it begins, or why it could not be read.
type Text = Result<(Where, Vec<u8>), Obstacle>;

/// Entries of one input; what could not be read comes as a message that says where and why.
pub(super) struct EntryRecords {
    texts: Box<dyn Iterator<Item = Text>>,
    format: Option<EntriesFormat>,
}

/// Place in a file at which a record begins.
enum Where {
    Line(u64),
    Byte(u64),
}

impl std::fmt::Display for Where {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

impl EntryRecords {
    /// Reads an input, unpacking it where it begins as gzip does.
    pub(super) fn open(
        mut input: impl Read + 'static,
        format: Option<EntriesFormat>,
    ) -> io::Result<Self> {
        let mut start = Vec::new();
        input.by_ref().take(2).read_to_end(&mut start)?;
        let gzip = start == [0x1f, 0x8b];
        let whole = Cursor::new(start).chain(input);
        let mut input: Box<dyn BufRead> = if gzip {
            Box::new(BufReader::new(MultiGzDecoder::new(whole)))
        } else {
            Box::new(BufReader::new(whole))
        };

        let mut first = Vec::new();
        let mut blank = 0;

        loop {
            first.clear();
            let read = input
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut first)?;
            if read == 0 || !first.iter().all(u8::is_ascii_whitespace) {
                break;
            }
            blank += 1;
        }

        let lines = is_line(&first);
        let whole = Cursor::new(first).chain(input);
        let texts: Box<dyn Iterator<Item = _>> = if lines {
            Box::new(Lines {
                input: Box::new(whole),
                line: blank,
                ended: false,
            })
        } else {
            Box::new(Texts::new(whole).map(|text| match text {
                Ok((offset, text)) => Ok((Where::Byte(offset), text)),
                Err(error) => Err(Obstacle::of(error)),
            }))
        };

        Ok(Self { texts, format })
    }
}

impl Iterator for EntryRecords {
    type Item = Result<Entry, Obstacle>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (place, text) = match self.texts.next()? {
                Ok(text) => text,
                Err(message) => return Some(Err(message)),
            };
            match entry(&text, self.format) {
                Ok(Some(entry)) => return Some(Ok(entry)),
                Ok(None) => {}
                Err(reason) => return Some(Err(format!("{place}: {reason}").into())),
            }
        }
    }
}

/// Returns `true` if a file's first line is a record of its own, or at least no piece of a larger
/// whole, so that one bad line does not hide the next.
fn is_line(first: &[u8]) -> bool {
    let text = first
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(first)
        .trim_ascii();
    match json::parse_with(
        text,
        &ParseOptions {
            numbers: Numbers::KeepAsText,
            ..ParseOptions::default()
        },
    ) {
        Ok(parsed) => {
            let holds = |name| {
                parsed
                    .value
                    .get(name)
                    .is_some_and(|value| value.as_array().is_some())
            };
            parsed.value.as_object().is_some() && !holds("Records") && !holds("Events")
        }
        Err(_) => {
            let count =
                |brackets: [u8; 2]| text.iter().filter(|byte| brackets.contains(byte)).count();
            let balanced = count([b'{', b'[']) == count([b'}', b']']);
            !text.starts_with(b"[") && (balanced && text.len() > 1 || !text.starts_with(b"{"))
        }
    }
}

struct Lines {
    input: Box<dyn BufRead>,
    line: u64,
    ended: bool,
}

impl Iterator for Lines {
    type Item = Result<(Where, Vec<u8>), Obstacle>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let mut text = Vec::new();
            self.line += 1;
            match self
                .input
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut text)
            {
                Ok(0) => self.ended = true,
                Ok(_) if text.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) if text.len() as u64 == LONGEST_LINE && !text.ends_with(b"\n") => {
                    self.ended = true;
                    return Some(Err(Obstacle::from(format!(
                        "line {} is longer than {LONGEST_LINE} bytes; nothing after it is read",
                        self.line
                    ))));
                }
                Ok(_) => return Some(Ok((Where::Line(self.line), text))),
                Err(error) => {
                    self.ended = true;
                    return Some(Err(format!("line {}: {error}", self.line).into()));
                }
            }
        }
        None
    }
}

/// The entry that a text is, or is a record of; nothing for a digest, which holds no records.
fn entry(text: &[u8], format: Option<EntriesFormat>) -> Result<Option<Entry>, Obstacle> {
    let text = text
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(text)
        .trim_ascii();
    let options = ParseOptions {
        numbers: Numbers::KeepAsText,
        ..ParseOptions::default()
    };
    let value = json::parse_with(text, &options)
        .map_err(Obstacle::of)?
        .value;
    let own = value
        .get("event_type")
        .is_some_and(|kind| kind.as_str().is_some());

    match format {
        Some(EntriesFormat::Cloudtrail) => cloudtrail(value),
        Some(EntriesFormat::Jsonl) => reeve(value).map(Some),
        None if own => reeve(value).map(Some),
        None => cloudtrail(value).map_err(|error| {
            format!("{error}; nor an entry of Reeve's: it has no event_type").into()
        }),
    }
}

fn cloudtrail(value: Json) -> Result<Option<Entry>, Obstacle> {
    match CloudtrailRecord::from_json(value) {
        Ok(record) => {
            let entry = map_record(record);
            // The mapping keeps a record without a time under 1970.
            if entry.timestamp == Timestamp::UNIX_EPOCH {
                return Err(format!("eventTime: is missing or not a time; {TIMELESS}").into());
            }
            Ok(Some(entry))
        }
        Err(MapError::Digest) => Ok(None),
        Err(error) => Err(Obstacle::of(error)),
    }
}

/// An entry as it was sent, or as it is exported, with what Reeve put beside it.
fn reeve(mut value: Json) -> Result<Entry, Obstacle> {
    if let Json::Object(members) = &mut value {
        for beside in ["recorded_at", "submitted_by", "category", "integrity"] {
            members.remove(beside);
        }
    }

    // The time of receipt stands only for a time that is missing; a score must not depend on the
    // day it is computed.
    let draft = Draft::from_json(value, Timestamp::UNIX_EPOCH).map_err(|errors| {
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    })?;

    if draft.timestamp_defaulted {
        return Err(format!("timestamp: is missing; {TIMELESS}").into());
    }

    Ok(draft.entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str =
        r#"{"eventID":"a","eventName":"GetObject","eventTime":"2026-01-05T10:00:00Z"}"#;
    const ENTRY: &str =
        r#"{"event_id":"b","event_type":"resource.view","timestamp":"2026-01-05T10:00:00.000Z"}"#;

    /// Identifiers of what was read, and `!` for what was not.
    fn read(text: &str, format: Option<EntriesFormat>) -> String {
        let records = EntryRecords::open(Cursor::new(text.to_owned().into_bytes()), format);
        let each = |record: Result<Entry, Obstacle>| {
            record.map_or_else(
                |_| "!".to_owned(),
                |entry| entry.event_id.as_str().to_owned(),
            )
        };

        records.map_or_else(
            |error| error.to_string(),
            |records| records.map(each).collect::<Vec<_>>().join(" "),
        )
    }

    #[test]
    fn every_shape_of_file() {
        for (text, expect) in [
            (format!("{{\"Records\":[{RECORD},{RECORD}]}}"), "a a"),
            (format!("[{RECORD},{ENTRY}]"), "a b"),
            (format!("[\n  {RECORD},\n  {ENTRY}\n]"), "a b"),
            (format!("{RECORD}\n{ENTRY}\n"), "a b"),
            (
                format!("\n{ENTRY}\nnonsense\n{{\"x\":1}}\n{ENTRY}"),
                "b ! ! b",
            ),
            (format!("{{\"detail\":{RECORD}}}\n{RECORD}"), "a a"),
            (RECORD.replace(',', ",\n"), "a"),
            (format!("nonsense\n{ENTRY}"), "! b"),
            (String::new(), ""),
        ] {
            assert_eq!(read(&text, None), expect, "{text}");
        }
    }

    #[test]
    fn a_format_that_is_named_is_held_to() {
        assert_eq!(read(ENTRY, Some(EntriesFormat::Cloudtrail)), "!");
        assert_eq!(read(RECORD, Some(EntriesFormat::Jsonl)), "!");
    }

    #[test]
    fn what_reeve_put_beside_an_entry_is_passed_over() {
        let exported = ENTRY.replace("{\"event_id\"", "{\"recorded_at\":\"2026-01-05T10:00:00.000Z\",\"category\":\"resource\",\"submitted_by\":{\"type\":\"reeve\"},\"integrity\":{\"sequence\":1},\"event_id\"");
        assert_eq!(read(&exported, None), "b");
    }

    #[test]
    fn a_record_without_a_time_is_refused() {
        assert_eq!(
            read(r#"{"event_id":"c","event_type":"resource.view"}"#, None),
            "!"
        );
        assert_eq!(
            read(r#"{"eventID":"a","eventName":"GetObject"}"#, None),
            "!"
        );
        assert_eq!(
            read(&RECORD.replace("2026-01-05T10:00:00Z", "yesterday"), None),
            "!"
        );
    }
}
