//! An entry's canonical bytes, held against RFC 8785 and taken apart for comparison with what else
//! is said about the entry. Layout: `docs/formats/entry.md`.

mod scan;

use reeve_audit::json::{self, Json, JsonError, Numbers, ParseOptions, write_canonical};
use reeve_audit::query::QueryColumn;
use reeve_audit::{EventType, RetentionClass, parse_instant};

/// The values of an entry that columns repeat, as bytes of UTF-8.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClaimFields<'a> {
    values: [Option<&'a [u8]>; QueryColumn::ALL.len()],
    submitter: Option<&'a [u8]>,
}

/// Members that every entry has.
const REQUIRED: [QueryColumn; 5] = [
    QueryColumn::EventId,
    QueryColumn::EventType,
    QueryColumn::Severity,
    QueryColumn::Timestamp,
    QueryColumn::RecordedAt,
];

impl<'a> ClaimFields<'a> {
    #[inline]
    fn set(&mut self, column: QueryColumn, text: &'a [u8]) {
        self.values[column as usize] = Some(text);
    }

    /// The text in a column.
    #[inline]
    pub(crate) fn text(&self, column: QueryColumn) -> Option<&'a [u8]> {
        if column == QueryColumn::Category {
            return self.values[QueryColumn::EventType as usize]?
                .split(|byte| *byte == b'.')
                .next();
        }
        self.values[column as usize]
    }

    /// The point in time in a column of time, milliseconds since the epoch.
    #[inline]
    pub(crate) fn millis(&self, column: QueryColumn) -> Option<i64> {
        let text = std::str::from_utf8(self.text(column)?).ok()?;
        parse_instant(text)
            .ok()
            .map(|instant| instant.as_millisecond())
    }

    /// The type of the entry's submitter, if it names one.
    pub(crate) fn submitter(&self) -> Option<&'a [u8]> {
        self.submitter
    }

    pub(crate) fn event_id(&self) -> Option<&'a str> {
        std::str::from_utf8(self.text(QueryColumn::EventId)?).ok()
    }

    fn lacks(&self) -> Option<QueryColumn> {
        REQUIRED
            .into_iter()
            .find(|column| self.text(*column).is_none())
    }
}

/// The retention class of an event type.
pub(crate) fn class_of(event_type: &[u8]) -> Option<&'static str> {
    let event_type = EventType::new(std::str::from_utf8(event_type).ok()?).ok()?;
    Some(RetentionClass::for_event_type(&event_type).id())
}

/// Reason why committed bytes are not an entry in canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// They are not JSON by the strict rules.
    #[error("the payload is not an entry")]
    Json(#[source] JsonError),
    /// They are JSON in another spelling than RFC 8785's.
    #[error("the payload is not in canonical form (RFC 8785) from its byte {at} on")]
    Spelling {
        /// First byte that differs, counted from 0.
        at: usize,
    },
    /// They lack a member that every entry has.
    #[error("the payload is not an entry: it has no {0}")]
    NoMember(&'static str),
}

/// An entry as its canonical bytes tell it. One at a time, on the stack: a box would be an
/// allocation an entry.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Claim<'a> {
    /// Recognised in one pass.
    Quick(ClaimFields<'a>),
    /// Read by the strict reader.
    Read(Json),
}

impl<'a> Claim<'a> {
    /// Reads canonical bytes. `scratch` is overwritten. Refuses what is not JSON by the strict
    /// rules, what is JSON in another spelling than RFC 8785's, and what lacks a member that every
    /// entry has.
    pub(crate) fn read(
        canonical: &'a [u8],
        scratch: &mut Vec<u8>,
    ) -> Result<Claim<'a>, EntryFault> {
        match scan::scan(canonical).filter(|fields| fields.lacks().is_none()) {
            Some(fields) => Ok(Claim::Quick(fields)),
            None => Claim::strictly(canonical, scratch),
        }
    }

    fn strictly(canonical: &[u8], scratch: &mut Vec<u8>) -> Result<Claim<'static>, EntryFault> {
        let options = ParseOptions {
            numbers: Numbers::Stored,
            ..ParseOptions::default()
        };
        let parsed = json::parse_with(canonical, &options).map_err(EntryFault::Json)?;
        scratch.clear();
        write_canonical(&parsed.value, scratch);

        if scratch != canonical {
            let at = scratch
                .iter()
                .zip(canonical)
                .take_while(|(a, b)| a == b)
                .count();
            return Err(EntryFault::Spelling { at });
        }

        let claim = Claim::Read(parsed.value);
        match claim.fields().lacks() {
            Some(column) => Err(EntryFault::NoMember(column.field_name())),
            None => Ok(claim),
        }
    }

    /// The values that columns repeat.
    #[inline]
    pub(crate) fn fields(&self) -> ClaimFields<'_> {
        match self {
            Claim::Quick(fields) => *fields,
            Claim::Read(members) => {
                let mut fields = ClaimFields::default();
                for column in QueryColumn::ALL {
                    if let Some(text) = member(members, column) {
                        fields.set(column, text.as_bytes());
                    }
                }
                let submitter = members
                    .get("submitted_by")
                    .and_then(|submitter| submitter.get("type"));
                fields.submitter = submitter.and_then(Json::as_str).map(str::as_bytes);
                fields
            }
        }
    }
}

fn member(members: &Json, column: QueryColumn) -> Option<&str> {
    let value = match column.field_name().split_once('.') {
        Some((object, name)) => members.get(object)?.get(name),
        None => members.get(column.field_name()),
    };
    value?.as_str()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::error::with_causes;

    const ENTRY: &str = r#"{"actor":{"id":"alice"},"event_id":"evt-1","event_type":"resource.view","metadata":{"api_version":"v1","n":100000000000000000},"recorded_at":"2026-11-20T10:00:05.250Z","severity":"info","timestamp":"2026-11-20T10:00:00.000Z"}"#;

    #[test]
    fn columns_come_from_the_bytes() {
        for entry in [ENTRY.to_owned(), ENTRY.replace("100000000000000000", "7")] {
            let claim = Claim::read(entry.as_bytes(), &mut Vec::new()).unwrap();
            let fields = claim.fields();
            assert_eq!(fields.text(QueryColumn::Category), Some(&b"resource"[..]));
            assert_eq!(fields.text(QueryColumn::ActorId), Some(&b"alice"[..]));
            assert_eq!(fields.text(QueryColumn::RequestId), None);
            assert_eq!(
                fields.millis(QueryColumn::RecordedAt),
                Some(1_795_168_805_250)
            );
            assert_eq!(
                (class_of(b"resource.view"), fields.event_id()),
                (Some("view"), Some("evt-1"))
            );
            assert_eq!(matches!(claim, Claim::Quick(_)), entry != ENTRY);
        }
    }

    /// Texts that differ from canonical ones in a byte or two: the quick way may leave them to the
    /// strict reader, and must never take what that refuses, or read something else.
    #[test]
    fn the_quick_way_takes_nothing_the_strict_reader_refuses() {
        let texts = [
            r#"{"action":{"method":"api","operation":"Stop","status":"success"},"actor":{"email":"a@b.c","id":"alice","ip_address":"10.0.0.7","session_id":"s1","type":"user"},"changes":{"after":"curl \"7\"\\\n","before":{"n":-120,"z":[true,false,[],{}]}},"event_id":"evt-1","event_type":"resource.view","metadata":{"request_id":"r1","t":"\u0001é\u001f","u":0},"recorded_at":"2026-11-20T10:00:05.250Z","resource":{"account_id":"1","cloud_provider":"aws","id":"i-1","region":"eu","tags":{"A":"b","a":"c"},"type":"vm"},"severity":"info","timestamp":"2026-11-20T10:00:00.000Z"}"#,
            r#"{"actor":{"id":null},"event_id":"e","event_type":"a.b","metadata":{"a":[1,2,3],"b":"\b\f\r\t"},"recorded_at":"2026-11-20T10:00:05.250Z","severity":"low","timestamp":"2026-11-20T10:00:00.000Z"}"#,
            r#"{"action":{"method":"api"},"actor":{"id":"alice","type":"user"},"changes":{"after":[1,{"on":true}]},"event_id":"e","event_type":"a.b","metadata":{},"recorded_at":"2026-11-20T10:00:05.250Z","severity":"low","submitted_by":{"id":"u-1","type":"token"},"timestamp":"2026-11-20T10:00:00.000Z"}"#,
        ];
        let other = b"\"\\{}[],:0123456789abfnrtuez-+.E \x00\x1f\x20\x7f\x80\xc3\xff";
        let (mut quick, mut refused) = (0, 0);

        for text in texts {
            for at in 0..text.len() {
                for byte in other {
                    let mut replaced = text.as_bytes().to_vec();
                    replaced[at] = *byte;
                    let mut inserted = text.as_bytes().to_vec();
                    inserted.insert(at, *byte);
                    let mut removed = text.as_bytes().to_vec();
                    removed.remove(at);
                    for bytes in [replaced, inserted, removed] {
                        let strict = Claim::strictly(&bytes, &mut Vec::new());
                        refused += usize::from(strict.is_err());
                        let Some(fields) =
                            scan::scan(&bytes).filter(|fields| fields.lacks().is_none())
                        else {
                            continue;
                        };
                        quick += 1;
                        let strict = strict.unwrap_or_else(|error| {
                            panic!("{error}: {}", String::from_utf8_lossy(&bytes))
                        });
                        let strict = strict.fields();
                        assert_eq!(
                            fields.values,
                            strict.values,
                            "{}",
                            String::from_utf8_lossy(&bytes)
                        );
                        assert_eq!(
                            fields.submitter,
                            strict.submitter,
                            "{}",
                            String::from_utf8_lossy(&bytes)
                        );
                    }
                }
            }
            assert!(scan::scan(text.as_bytes()).is_some(), "{text}");
        }

        assert!(quick > 20_000 && refused > 40_000, "{quick} {refused}");
    }

    #[test]
    fn other_spellings_are_refused() {
        for (from, to, message) in [
            (
                "\"evt-1\"",
                "\"evt\\u002d1\"",
                "canonical form (RFC 8785) from its byte",
            ),
            (
                "{\"actor\"",
                "{ \"actor\"",
                "canonical form (RFC 8785) from its byte 1 on",
            ),
            ("100000000000000000", "1e17", "canonical form"),
            ("\"severity\":\"info\",", "", "it has no severity"),
            (
                "\"severity\":\"info\"",
                "\"severity\":\"info\",\"severity\":\"low\"",
                "not an entry",
            ),
        ] {
            let error =
                Claim::read(ENTRY.replacen(from, to, 1).as_bytes(), &mut Vec::new()).unwrap_err();
            let error = with_causes(&error);
            assert!(error.contains(message), "{error}");
        }
    }
}
