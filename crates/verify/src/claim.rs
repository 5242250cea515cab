//! An entry's canonical bytes, held against RFC 8785 and taken apart for comparison with what else is said about the entry.
//! Layout: `docs/formats/entry.md`.

use reeve_audit::json::{self, Json, Numbers, Options, write_canonical};
use reeve_audit::query::Column;
use reeve_audit::{EventType, RetentionClass, parse_instant};

/// An entry as its canonical bytes tell it.
#[derive(Debug)]
pub(crate) struct Claim {
    members: Json,
}

impl Claim {
    /// Reads canonical bytes. `scratch` is overwritten. Refuses what is not JSON by the strict rules, what is JSON in another
    /// spelling than RFC 8785's, and what lacks a member that every entry has.
    pub(crate) fn read(canonical: &[u8], scratch: &mut Vec<u8>) -> Result<Claim, String> {
        let options = Options { numbers: Numbers::Stored, ..Options::default() };
        let parsed =
            json::parse_with(canonical, &options).map_err(|error| format!("the payload is not an entry: {error}"))?;
        scratch.clear();
        write_canonical(&parsed.value, scratch);
        if scratch != canonical {
            let at = scratch.iter().zip(canonical).take_while(|(a, b)| a == b).count();
            return Err(format!("the payload is not in canonical form (RFC 8785) from its byte {at} on"));
        }
        let claim = Claim { members: parsed.value };
        for column in [Column::EventId, Column::EventType, Column::Severity, Column::Timestamp, Column::RecordedAt] {
            if claim.member(column).is_none() {
                return Err(format!("the payload is not an entry: it has no {}", column.field_name()));
            }
        }
        Ok(claim)
    }

    /// The entry's identifier.
    pub(crate) fn event_id(&self) -> Option<&str> {
        self.member(Column::EventId)
    }

    /// The text in a column of text.
    pub(crate) fn text(&self, column: Column) -> Option<&str> {
        match column {
            Column::Category => self.member(Column::EventType)?.split('.').next(),
            other => self.member(other),
        }
    }

    /// The point in time in a column of time, milliseconds since the epoch.
    pub(crate) fn millis(&self, column: Column) -> Option<i64> {
        parse_instant(self.member(column)?).ok().map(|instant| instant.as_millisecond())
    }

    /// The retention class by the event type.
    pub(crate) fn class(&self) -> Option<&'static str> {
        let event_type = EventType::new(self.member(Column::EventType)?).ok()?;
        Some(RetentionClass::of(&event_type).id())
    }

    fn member(&self, column: Column) -> Option<&str> {
        let value = match column.field_name().split_once('.') {
            Some((object, name)) => self.members.get(object)?.get(name),
            None => self.members.get(column.field_name()),
        };
        value?.as_str()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ENTRY: &str = r#"{"actor":{"id":"alice"},"event_id":"evt-1","event_type":"resource.view","metadata":{"api_version":"v1","n":100000000000000000},"recorded_at":"2026-11-20T10:00:05.250Z","severity":"info","timestamp":"2026-11-20T10:00:00.000Z"}"#;

    #[test]
    fn columns_come_from_the_bytes() {
        let claim = Claim::read(ENTRY.as_bytes(), &mut Vec::new()).unwrap();
        assert_eq!(claim.text(Column::Category), Some("resource"));
        assert_eq!(claim.text(Column::ActorId), Some("alice"));
        assert_eq!(claim.text(Column::RequestId), None);
        assert_eq!(claim.millis(Column::RecordedAt), Some(1_795_168_805_250));
        assert_eq!((claim.class(), claim.event_id()), (Some("view"), Some("evt-1")));
    }

    #[test]
    fn other_spellings_are_refused() {
        for (from, to, message) in [
            ("\"evt-1\"", "\"evt\\u002d1\"", "canonical form (RFC 8785) from its byte"),
            ("{\"actor\"", "{ \"actor\"", "canonical form (RFC 8785) from its byte 1 on"),
            ("100000000000000000", "1e17", "canonical form"),
            ("\"severity\":\"info\",", "", "it has no severity"),
            ("\"severity\":\"info\"", "\"severity\":\"info\",\"severity\":\"low\"", "not an entry"),
        ] {
            let error = Claim::read(ENTRY.replacen(from, to, 1).as_bytes(), &mut Vec::new()).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
