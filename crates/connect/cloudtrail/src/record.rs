//! One CloudTrail record out of its text, and out of the envelopes that other tools put around it.

use reeve_audit::Json;
use reeve_audit::json::{self, JsonError, MAX_DEPTH, Numbers, Object, ParseOptions};

/// One record and what must be remembered beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct CloudtrailRecord {
    /// Members of the record.
    pub members: Object,
    /// RFC 6901 pointers to numbers that a double would change; they are stored as strings of their
    /// digits.
    pub numbers_as_text: Vec<String>,
    /// Members of an envelope that stood around the record, with `null` in the record's place.
    pub envelope: Option<Object>,
}

/// Reason why a text is not a record, or a record not an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// The text is not JSON that can be kept.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// A JSON value without any member that makes it a CloudTrail record.
    #[error(
        "not a CloudTrail record: it has none of eventName, eventSource, eventTime and eventID"
    )]
    NotARecord,
    /// A digest file, which proves log files and holds no records.
    #[error("a CloudTrail digest, which holds no records")]
    Digest,
}

/// Members under which other tools put the record: EventBridge, labelled collections.
const ENVELOPES: [&str; 2] = ["detail", "event"];
/// Members that make an object a record, whatever their case.
const MARKS: [&str; 4] = ["eventname", "eventsource", "eventtime", "eventid"];

impl CloudtrailRecord {
    /// Reads one record. Numbers that a double would change become text, noted in
    /// `numbers_as_text`.
    pub fn parse(text: &[u8]) -> Result<Self, MapError> {
        // Two levels are kept for `metadata.cloudtrail`, in which the record will stand.
        let options = ParseOptions {
            max_depth: MAX_DEPTH - 2,
            numbers: Numbers::KeepAsText,
        };
        let parsed = json::parse_with(text, &options)?;
        let numbers = parsed
            .kept_as_text
            .iter()
            .map(json::Path::to_pointer)
            .collect();

        Self::unwrap(parsed.value, numbers)
    }

    /// Takes a JSON value that is a record or holds one.
    pub fn from_json(value: Json) -> Result<Self, MapError> {
        Self::unwrap(value, Vec::new())
    }

    fn unwrap(value: Json, numbers_as_text: Vec<String>) -> Result<Self, MapError> {
        let Json::Object(mut members) = value else {
            return Err(MapError::NotARecord);
        };

        if members.contains_key("digestS3Object") {
            return Err(MapError::Digest);
        }

        // `aws cloudtrail lookup-events` gives the record as text inside its summary.
        if let Some(text) = members.get("CloudTrailEvent").and_then(Json::as_str) {
            let inner = Self::parse(text.as_bytes())?;
            members.insert("CloudTrailEvent", Json::Null);
            return Ok(Self {
                envelope: Some(members),
                ..inner
            });
        }

        if is_record(&members) {
            return Ok(Self {
                members,
                numbers_as_text,
                envelope: None,
            });
        }

        for name in ENVELOPES {
            if members
                .get(name)
                .and_then(Json::as_object)
                .is_some_and(is_record)
            {
                let Some(Json::Object(record)) = members.insert(name, Json::Null) else {
                    return Err(MapError::NotARecord);
                };
                let start = format!("/{name}");
                let numbers_as_text = numbers_as_text
                    .iter()
                    .filter_map(|at| Some(at.strip_prefix(&start)?.to_owned()))
                    .collect();
                return Ok(Self {
                    members: record,
                    numbers_as_text,
                    envelope: Some(members),
                });
            }
        }

        Err(MapError::NotARecord)
    }

    /// A member by its name, whatever its case.
    pub(crate) fn member(&self, name: &str) -> Option<&Json> {
        self.members.get(name).or_else(|| {
            self.members
                .iter()
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
        })
    }

    /// A member that is a string with something in it.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.member(name)
            .and_then(Json::as_str)
            .filter(|text| !text.is_empty())
    }
}

fn is_record(members: &Object) -> bool {
    members.iter().any(|(name, value)| {
        value.as_str().is_some() && MARKS.iter().any(|mark| name.eq_ignore_ascii_case(mark))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn records_come_out_of_envelopes() {
        let plain =
            CloudtrailRecord::parse(br#"{"eventName":"X","n":12345678901234567890}"#).unwrap();
        assert_eq!(
            (plain.numbers_as_text, plain.envelope),
            (vec!["/n".to_owned()], None)
        );

        let bridged =
            CloudtrailRecord::parse(br#"{"detail-type":"AWS API Call","detail":{"eventName":"X","n":12345678901234567890}}"#)
                .unwrap();
        assert_eq!(bridged.numbers_as_text, ["/n"]);
        assert_eq!(
            Json::Object(bridged.envelope.unwrap()).to_string(),
            r#"{"detail":null,"detail-type":"AWS API Call"}"#
        );

        let looked_up = CloudtrailRecord::parse(
            br#"{"Username":"a","CloudTrailEvent":"{\"eventName\":\"X\"}"}"#,
        )
        .unwrap();
        assert_eq!(
            Json::Object(looked_up.members).to_string(),
            r#"{"eventName":"X"}"#
        );
    }

    #[test]
    fn other_values_are_refused() {
        for text in [
            "[]",
            "1",
            "{}",
            r#"{"detail":{"x":1}}"#,
            r#"{"eventName":1}"#,
        ] {
            assert_eq!(
                CloudtrailRecord::parse(text.as_bytes()),
                Err(MapError::NotARecord),
                "{text}"
            );
        }

        assert_eq!(
            CloudtrailRecord::parse(br#"{"awsAccountId":"1","digestS3Object":"x"}"#),
            Err(MapError::Digest)
        );
        assert!(matches!(
            CloudtrailRecord::parse(br#"{"eventName":"a","eventName":"b"}"#),
            Err(MapError::Json(_))
        ));
    }
}
