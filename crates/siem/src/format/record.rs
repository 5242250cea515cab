//! One record as a report.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Severity;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::value::{at_path, is_technique, leaves, text, time};
use super::{AlertField, AlertFormat, Fault, FieldMapping, table};
use crate::report::AlertReport;

/// Longest texts that are kept, in characters.
const MAX_TITLE: usize = 300;
const MAX_DESCRIPTION: usize = 4_000;
const MAX_NAME: usize = 300;
const MAX_URL: usize = 2_000;
/// Longest identifier of a sender, in characters.
const MAX_ID: usize = 300;
const MAX_TECHNIQUES: usize = 10;
/// Time by which the clock of a sender may be ahead.
const MAX_AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// Reads a record into a report. `now` is its time where the sender gives none.
pub(super) fn report(
    format: AlertFormat,
    mapping: &FieldMapping,
    record: Value,
    now: Timestamp,
) -> Result<AlertReport, Fault> {
    let hash = hex::encode(Sha256::digest(record.to_string()));
    let record = unwrapped(format, record);
    let mut fields = Fields {
        format,
        mapping,
        record: &record,
        used: BTreeSet::new(),
    };

    let sender_id = fields.text(AlertField::Id, usize::MAX);
    if let Some(id) = &sender_id
        && (id.chars().count() > MAX_ID || id.contains(char::is_control))
    {
        let message = format!("must have at most {MAX_ID} characters, and no control characters");
        return Err(fields.fault(AlertField::Id, &message));
    }
    let title = fields
        .text(AlertField::Title, MAX_TITLE)
        .ok_or_else(|| fields.fault(AlertField::Title, "is missing or empty"))?;
    let severity = fields.severity()?;
    let at = fields.time(now)?;

    let mut report = AlertReport {
        has_sender_id: sender_id.is_some(),
        sender_id: sender_id.unwrap_or(hash),
        title,
        description: fields.text(AlertField::Description, MAX_DESCRIPTION),
        severity: severity.unwrap_or(Severity::Medium),
        names_severity: severity.is_some(),
        at,
        is_closed: fields.is_closed(),
        rule: fields.text(AlertField::Rule, MAX_NAME),
        techniques: fields.techniques(),
        principal: fields.text(AlertField::Principal, MAX_NAME),
        address: fields.address(),
        account: fields.text(AlertField::Account, MAX_NAME),
        resource: fields.text(AlertField::Resource, MAX_NAME),
        url: fields.url(),
        further: std::collections::BTreeMap::new(),
    };

    let used = fields.used;
    report.further = leaves(record);
    report.further.retain(|path, _| !used.contains(path));
    Ok(report)
}

/// Takes the alert out of the envelope in which its tool sends it.
fn unwrapped(format: AlertFormat, record: Value) -> Value {
    let member = match format {
        AlertFormat::Elastic => "_source",
        AlertFormat::Splunk => "result",
        _ => return record,
    };
    let Value::Object(mut members) = record else {
        return record;
    };
    if let Some(Value::Object(inner)) = members.remove(member) {
        for (name, value) in inner {
            members.insert(name, value);
        }
    }
    Value::Object(members)
}

/// A record, and the leaves that were read of it.
struct Fields<'r> {
    format: AlertFormat,
    mapping: &'r FieldMapping,
    record: &'r Value,
    used: BTreeSet<String>,
}

impl Fields<'_> {
    fn paths(&self, field: AlertField) -> Vec<String> {
        if self.format == AlertFormat::Json {
            let mapped = self.mapping.0.get(&field).cloned();
            return vec![mapped.unwrap_or_else(|| field.as_str().to_owned())];
        }
        let paths = table::paths(self.format, field).iter();
        paths.map(|path| (*path).to_owned()).collect()
    }

    /// Names the field by the path that the sender should use.
    fn fault(&self, field: AlertField, message: &str) -> Fault {
        Fault {
            field: self.paths(field).into_iter().next(),
            message: message.to_owned(),
        }
    }

    /// Marks a leaf as read. Arrays are kept: the members that were not read would be lost.
    fn mark(&mut self, path: &str) {
        self.used.insert(path.to_owned());
    }

    /// Returns the first value that a reader accepts, with its path.
    fn first<T>(
        &mut self,
        field: AlertField,
        read: impl Fn(&str, &Value) -> Option<T>,
    ) -> Option<T> {
        for path in self.paths(field) {
            let values = at_path(self.record, &path);
            if let Some(found) = values.into_iter().find_map(|value| read(&path, value)) {
                self.mark(&path);
                return Some(found);
            }
        }
        None
    }

    fn text(&mut self, field: AlertField, most: usize) -> Option<String> {
        self.first(field, |_, value| Some(cut(&text(value)?, most)))
    }

    fn severity(&mut self) -> Result<Option<Severity>, Fault> {
        let format = self.format;
        let found = self.first(AlertField::Severity, |path, value| {
            table::severity(format, path, value)
        });
        if found.is_some() {
            return Ok(found);
        }

        // OCSF says with 0 that it does not know the severity.
        let unknown = |value: &Value| {
            format == AlertFormat::Ocsf
                && text(value)
                    .is_some_and(|word| word == "0" || word.eq_ignore_ascii_case("unknown"))
        };
        for path in self.paths(AlertField::Severity) {
            let given = at_path(self.record, &path);
            if let Some(value) = given
                .into_iter()
                .find(|value| !value.is_null() && !unknown(value))
            {
                return Err(Fault {
                    message: format!("{value} is no severity of this format"),
                    field: Some(path),
                });
            }
        }
        Ok(None)
    }

    fn time(&mut self, now: Timestamp) -> Result<Timestamp, Fault> {
        if let Some(at) = self.first(AlertField::Time, |_, value| time(value)) {
            if at.duration_since(now) > MAX_AHEAD {
                let message = format!("{at} lies more than a day ahead");
                return Err(self.fault(AlertField::Time, &message));
            }
            return Ok(at);
        }
        for path in self.paths(AlertField::Time) {
            if let Some(value) = at_path(self.record, &path).first() {
                return Err(Fault {
                    message: format!("{value} is no time"),
                    field: Some(path),
                });
            }
        }
        Ok(now)
    }

    fn is_closed(&mut self) -> bool {
        let format = self.format;
        let mut closed = false;
        for path in self.paths(AlertField::Status) {
            let words: Vec<String> = at_path(self.record, &path)
                .into_iter()
                .filter_map(text)
                .collect();
            if !words.is_empty() {
                self.mark(&path);
            }
            closed |= words
                .iter()
                .any(|word| table::is_closed(format, &path, word));
        }
        closed
    }

    fn techniques(&mut self) -> Vec<String> {
        for path in self.paths(AlertField::Technique) {
            let mut found: Vec<String> = at_path(self.record, &path)
                .into_iter()
                .filter_map(text)
                .flat_map(|words| {
                    words
                        .split([',', ' '])
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                })
                .filter(|word| is_technique(word))
                .collect();
            found.sort();
            found.dedup();
            found.truncate(MAX_TECHNIQUES);
            if !found.is_empty() {
                self.mark(&path);
                return found;
            }
        }
        Vec::new()
    }

    fn address(&mut self) -> Option<std::net::IpAddr> {
        self.first(AlertField::Address, |_, value| {
            reeve_audit::parse_address(text(value)?.as_str()).map(|address| address.to_canonical())
        })
    }

    /// Only addresses of pages: a dashboard makes links of them.
    fn url(&mut self) -> Option<String> {
        self.first(AlertField::Url, |_, value| {
            let url = text(value)?;
            let is_page = url.starts_with("https://") || url.starts_with("http://");
            (is_page && url.len() <= MAX_URL && !url.contains(char::is_whitespace)).then_some(url)
        })
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
