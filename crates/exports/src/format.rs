//! Formats of exports and their choices.

use reeve_audit::format::{
    CefOptions, CsvOptions, Format, Framing, Hostname, Limit, Oversize, SyslogOptions,
};
use reeve_audit::{FieldCode, FieldError};
use serde::{Deserialize, Serialize};

use crate::name::names;

names!(
    /// Format of an export.
    ExportFormat {
        /// JSON lines: the lossless format.
        Json => "json",
        /// Comma-separated values (RFC 4180).
        Csv => "csv",
        /// Syslog messages (RFC 5424).
        Syslog => "syslog",
        /// ArcSight Common Event Format.
        Cef => "cef",
        /// Parquet files with the columns of a segment.
        Parquet => "parquet",
    }
);

impl ExportFormat {
    /// Returns the suffix of files.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            ExportFormat::Json => "jsonl",
            ExportFormat::Csv => "csv",
            ExportFormat::Syslog => "log",
            ExportFormat::Cef => "cef",
            ExportFormat::Parquet => "parquet",
        }
    }

    /// Returns the media type of files.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            ExportFormat::Json => "application/x-ndjson",
            ExportFormat::Csv => "text/csv; charset=utf-8; header=present",
            ExportFormat::Syslog | ExportFormat::Cef => "text/plain; charset=utf-8",
            ExportFormat::Parquet => "application/vnd.apache.parquet",
        }
    }
}

/// Choices of a format. Those of other formats are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FormatOptions {
    /// CSV: values as they are, without the apostrophe before formulas.
    pub raw: bool,
    /// Syslog: `newline` (default) or `octet_counting`.
    pub framing: Option<String>,
    /// Syslog: HOSTNAME of the header; `-` unless given.
    pub hostname: Option<String>,
    /// Syslog and CEF: longest record, bytes; 8192 unless given, 0 for no limit.
    pub max_bytes: Option<u64>,
    /// Syslog and CEF: `reduce` (default) or `skip` longer records.
    pub oversize: Option<String>,
}

impl FormatOptions {
    /// Returns the writer of a text format; `None` for Parquet.
    ///
    /// # Errors
    /// The option that is wrong.
    pub fn text_format(&self, format: ExportFormat) -> Result<Option<Format>, FieldError> {
        let wrong = |field: &str, message: &str| {
            FieldError::new(format!("options.{field}"), FieldCode::InvalidValue, message)
        };

        let oversize = match self.oversize.as_deref() {
            None | Some("reduce") => Oversize::Reduce,
            Some("skip") => Oversize::Refuse,
            Some(_) => return Err(wrong("oversize", "must be reduce or skip")),
        };

        let framing = match self.framing.as_deref() {
            None | Some("newline") => Framing::Newline,
            Some("octet_counting") => Framing::OctetCounting,
            Some(_) => return Err(wrong("framing", "must be newline or octet_counting")),
        };

        let hostname: Hostname = match self.hostname.as_deref() {
            None => Hostname::default(),
            Some(text) => text.parse().map_err(|_| {
                wrong(
                    "hostname",
                    "must have 1 to 255 printable ASCII characters and no space",
                )
            })?,
        };

        let bytes = match self.max_bytes {
            None => Some(Limit::USUAL_BYTES),
            Some(0) => None,
            Some(512..=67_108_864) => self.max_bytes.map(|bytes| bytes as usize),
            Some(_) => return Err(wrong("max_bytes", "must be 0, or 512 to 67108864")),
        };
        let limit = Limit { bytes, oversize };

        Ok(match format {
            ExportFormat::Json => Some(Format::Json),
            ExportFormat::Csv => Some(Format::Csv(CsvOptions { raw: self.raw })),
            ExportFormat::Syslog => Some(Format::Syslog(SyslogOptions {
                hostname,
                framing,
                limit,
                ..SyslogOptions::default()
            })),
            ExportFormat::Cef => Some(Format::Cef(CefOptions { limit })),
            ExportFormat::Parquet => None,
        })
    }
}
