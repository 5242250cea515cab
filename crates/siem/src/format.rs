//! Formats of alerts, and their reading into reports.
//!
//! A body becomes records: the members of a JSON array, single objects, or lines. One table for each
//! format ([`table`]) says which of a record's fields are read for which field of the report; CEF
//! lines become records first ([`cef`]). A record that cannot be read is refused by itself, with its
//! line and the field, and does not keep the others from being taken.

mod cef;
mod record;
mod table;
mod value;

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::AlertReport;

/// Alerts of one push at most.
pub const MAX_ALERTS: usize = 500;
/// Bytes of one alert at most.
const MAX_RECORD_BYTES: usize = 64 * 1024;

named!(
    /// Format of the alerts of a source.
    AlertFormat {
        /// OCSF findings.
        Ocsf => "ocsf",
        /// ArcSight Common Event Format, one alert a line.
        Cef => "cef",
        /// Alerts of Elastic Security.
        Elastic => "elastic",
        /// Notable events of Splunk Enterprise Security.
        Splunk => "splunk",
        /// Any other JSON, with a mapping of its fields.
        Json => "json",
    }
);

named!(
    /// Field of an alert that is read from the sender's fields.
    AlertField {
        Id => "id",
        Title => "title",
        Description => "description",
        Severity => "severity",
        Time => "time",
        Status => "status",
        Rule => "rule",
        Technique => "technique",
        Principal => "principal",
        Address => "address",
        Account => "account",
        Resource => "resource",
        Url => "url",
    }
);

/// Paths of fields in plain JSON, dotted, by field. A field without a path is read from the member
/// of its own name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FieldMapping(pub BTreeMap<AlertField, String>);

/// Alert of a push that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatRefusal {
    /// Line of the body, or number of the array's member; both count from 1.
    pub line: u64,
    /// Field of the sender that is wrong; `None` if the record as a whole is.
    pub field: Option<String>,
    pub message: String,
}

/// Reason why a record is not taken.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// Field of the sender that is wrong; `None` if the record as a whole is.
    field: Option<String>,
    message: String,
}

impl Fault {
    fn whole(message: impl Into<String>) -> Fault {
        Fault {
            field: None,
            message: message.into(),
        }
    }

    fn at(self, line: u64) -> FormatRefusal {
        FormatRefusal {
            line,
            field: self.field,
            message: self.message,
        }
    }
}

/// Reads a body. Returns the reports with their lines, and the refusals.
///
/// # Errors
/// The body as a whole cannot be read, or has too many alerts.
pub fn read(
    format: AlertFormat,
    mapping: &FieldMapping,
    body: &[u8],
    now: Timestamp,
) -> Result<(Vec<AlertReport>, Vec<FormatRefusal>), FormatRefusal> {
    let whole = |message: &str| Fault::whole(message).at(1);
    let text = std::str::from_utf8(body).map_err(|_| whole("must be text in UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}');

    let records = match format {
        AlertFormat::Cef => lines(text, cef::record),
        _ => json_records(text),
    };
    if records.is_empty() {
        return Err(whole("has no alert"));
    }
    if records.len() > MAX_ALERTS {
        let message = format!(
            "has {} alerts; send at most {MAX_ALERTS} at once",
            records.len()
        );
        return Err(whole(&message));
    }

    let (mut reports, mut refusals) = (Vec::new(), Vec::new());
    for (line, record) in records {
        match record.and_then(|value| record::report(format, mapping, value, now)) {
            Ok(report) => reports.push(report),
            Err(fault) => refusals.push(fault.at(line)),
        }
    }
    Ok((reports, refusals))
}

/// A record with its line, or the reason why it is none.
type Record = (u64, Result<Value, Fault>);

fn lines(text: &str, read: impl Fn(&str) -> Result<Value, Fault>) -> Vec<Record> {
    let numbered = text.lines().enumerate();
    let filled = numbered.filter(|(_, line)| !line.trim().is_empty());
    filled
        .map(|(index, line)| {
            let record = if line.len() > MAX_RECORD_BYTES {
                Err(too_long())
            } else {
                read(line.trim())
            };
            (index as u64 + 1, record)
        })
        .collect()
}

fn too_long() -> Fault {
    Fault::whole(format!("must have at most {MAX_RECORD_BYTES} bytes"))
}

fn json_records(text: &str) -> Vec<Record> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(members)) => members
            .into_iter()
            .enumerate()
            .map(|(index, member)| (index as u64 + 1, bounded(member)))
            .collect(),
        Ok(value) => vec![(1, bounded(value))],
        // Several objects, one a line (NDJSON). Of a single broken object the error is that of its
        // line.
        Err(_) => lines(text, |line| {
            let value = serde_json::from_str(line);
            value
                .map_err(|error| Fault::whole(format!("is no JSON: {error}")))
                .and_then(bounded)
        }),
    }
}

fn bounded(value: Value) -> Result<Value, Fault> {
    if !value.is_object() {
        return Err(Fault::whole("must be an object"));
    }
    if value.to_string().len() > MAX_RECORD_BYTES {
        return Err(too_long());
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
