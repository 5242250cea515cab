//! Requests for exports: from what was sent to what can be run. Every failing field is named.

use jiff::Timestamp;
use reeve_audit::query::{Query, point_in_time, time_range};
use reeve_audit::{FieldCode, FieldError};

use crate::format::{ExportFormat, FormatOptions};

/// Longest query that is kept, bytes.
const MAX_QUERY: usize = 8192;

/// Request for an export as sent, before it is checked.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// `json`, `csv`, `syslog`, `cef` or `parquet`.
    pub format: String,
    /// First instant, RFC 3339 or relative to now; empty for the beginning of the log.
    pub start_time: Option<String>,
    /// End, excluded, RFC 3339 or relative to now; empty for now.
    pub end_time: Option<String>,
    /// Query; empty for every entry.
    pub query: Option<String>,
    /// Choices of the format.
    pub options: FormatOptions,
}

/// Entries that an export is about, and their format.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    pub format: ExportFormat,
    /// Choices of the format.
    pub options: FormatOptions,
    /// Query as written; empty for every entry.
    pub query: String,
    /// First instant of `timestamp`; `None` for the beginning of the log.
    pub start: Option<Timestamp>,
    /// End of `timestamp`, itself excluded; `None` for none.
    pub end: Option<Timestamp>,
}

impl Selection {
    /// Checks a request.
    ///
    /// # Errors
    /// Every failing field with a code and a reason.
    pub fn read(draft: &Draft, now: Timestamp) -> Result<Selection, Vec<FieldError>> {
        let mut errors = Vec::new();
        let format = ExportFormat::parse(&draft.format.trim().to_ascii_lowercase());

        if format.is_none() {
            let names: Vec<_> = ExportFormat::ALL
                .iter()
                .map(|format| format.as_str())
                .collect();
            let message = format!("must be one of {}", names.join(", "));
            let code = if draft.format.is_empty() {
                FieldCode::MissingField
            } else {
                FieldCode::InvalidValue
            };
            errors.push(FieldError::new("format", code, message));
        }

        let mut instant = |field: &str, text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty())?;
            let found = point_in_time(text, now);
            if found.is_none() {
                let message = format!(
                    "{text:?} is neither an RFC 3339 time such as 2026-11-20T10:00:00Z nor now or now-24h"
                );
                errors.push(FieldError::new(field, FieldCode::InvalidTime, message));
            }
            found
        };
        let start = instant("start_time", &draft.start_time);

        let end = instant("end_time", &draft.end_time);
        if let (Some(start), Some(end)) = (start, end)
            && start >= end
        {
            errors.push(FieldError::new(
                "start_time",
                FieldCode::OutOfRange,
                "must lie before end_time",
            ));
        }

        let query = draft.query.clone().unwrap_or_default();
        if query.len() > MAX_QUERY {
            errors.push(FieldError::new(
                "query",
                FieldCode::TooLong,
                format!("must have at most {MAX_QUERY} bytes"),
            ));
        } else if let Err(error) = parse(&query) {
            errors.push(error);
        }

        if let Some(format) = format
            && let Err(error) = draft.options.text_format(format)
        {
            errors.push(error);
        }

        let (Some(format), true) = (format, errors.is_empty()) else {
            return Err(errors);
        };

        Ok(Selection {
            format,
            options: draft.options.clone(),
            query,
            start,
            end,
        })
    }

    /// Returns the whole predicate, its times resolved, and an operation in both of its spellings,
    /// as the search finds it.
    ///
    /// # Errors
    /// A stored query that can no longer be read.
    pub fn predicate(&self, now: Timestamp) -> Result<Query, FieldError> {
        Ok(parse(&self.query)?
            .any_spelling()
            .and(time_range(self.start, self.end))
            .resolve(now))
    }
}

fn parse(query: &str) -> Result<Query, FieldError> {
    if query.trim().is_empty() {
        return Ok(Query::all());
    }
    Query::parse(query).map_err(|error| {
        FieldError::new(
            "query",
            FieldCode::InvalidQuery,
            format!("at character {}: {}", error.position, error.message),
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn now() -> Timestamp {
        "2026-11-22T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn the_documents_request_is_read() {
        let draft = Draft {
            format: "json".into(),
            start_time: Some("2026-11-01T00:00:00.000Z".into()),
            end_time: Some("now".into()),
            ..Draft::default()
        };
        let selection = Selection::read(&draft, now()).unwrap();

        assert_eq!(
            (selection.format, selection.end),
            (ExportFormat::Json, Some(now()))
        );
        assert!(selection.predicate(now()).is_ok());

        for printed in ["JSON", "CSV", "Syslog", "CEF"] {
            let draft = Draft {
                format: printed.into(),
                ..Draft::default()
            };
            assert!(Selection::read(&draft, now()).is_ok(), "{printed}");
        }
    }

    #[test]
    fn every_wrong_field_is_named() {
        let draft = Draft {
            format: "xml".into(),
            start_time: Some("yesterday evening".into()),
            end_time: Some("later".into()),
            query: Some("event_type:".into()),
            options: FormatOptions::default(),
        };
        let errors = Selection::read(&draft, now()).unwrap_err();
        let fields: Vec<_> = errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(fields, ["format", "start_time", "end_time", "query"]);

        let turned = Draft {
            format: "csv".into(),
            start_time: Some("now".into()),
            end_time: Some("now-1h".into()),
            ..Draft::default()
        };

        assert_eq!(
            Selection::read(&turned, now()).unwrap_err()[0].path,
            "start_time"
        );

        let options = FormatOptions {
            framing: Some("udp".into()),
            ..FormatOptions::default()
        };
        let framed = Draft {
            format: "syslog".into(),
            options,
            ..Draft::default()
        };

        assert_eq!(
            Selection::read(&framed, now()).unwrap_err()[0].path,
            "options.framing"
        );
    }
}
