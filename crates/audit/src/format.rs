//! Entries as other programs read them: JSON lines, CSV, syslog and CEF. `docs/formats/export.md`
//! describes every byte.
//!
//! Pure and streaming: one entry goes in, its bytes come out, nothing is kept. What an entry holds
//! was written by strangers, so each format escapes whatever its readers could take for structure:
//! separators, brackets, newlines, control characters, and on request what a spreadsheet takes for
//! a formula. An entry that is longer than a reader takes is reduced in steps and says so, or is
//! refused; it is never cut in silence.

mod cef;
mod csv;
mod json;
mod read;
mod reduce;
mod syslog;
mod text;

use std::io::{self, Write};
use std::str::FromStr;

use jiff::Timestamp;

pub use cef::CefOptions;
pub use csv::{COLUMNS, CsvOptions, push_csv_cell, write_csv_row};
pub use read::Exported;
pub use reduce::{Limit, Oversize};
pub use syslog::{Framing, Hostname, HostnameError, SyslogOptions};

use crate::entry::Entry;

/// An entry and what Reeve put beside it, as a format sees it.
#[derive(Debug, Clone, Copy)]
pub struct EntryView<'a> {
    /// Entry as it was submitted.
    pub entry: &'a Entry,
    /// Time at which Reeve received the entry.
    pub recorded_at: Timestamp,
    /// Position and hashes that prove the entry.
    pub integrity: &'a Integrity,
}

/// Proof data of an entry: its position in the log and its hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integrity {
    /// Position in the log, from 0.
    pub sequence: u64,
    /// SHA-256 of domain, salt and canonical bytes.
    pub commitment: [u8; 32],
    /// RFC 6962 leaf hash of the commitment.
    pub leaf_hash: [u8; 32],
    /// Chain hash of the entry before.
    pub previous_hash: [u8; 32],
    /// Hash of the chain that ends with this entry.
    pub hash: [u8; 32],
    /// Salt of the commitment, if the reader may recompute the commitment: in exports. JSON lines
    /// and the message of syslog have it.
    pub salt: Option<[u8; 16]>,
}

/// A format with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line, in the shape of the HTTP interface.
    Json,
    /// Comma-separated values (RFC 4180), a header first.
    Csv(CsvOptions),
    /// Syslog messages (RFC 5424) with structured data.
    Syslog(SyslogOptions),
    /// ArcSight Common Event Format, version 0.
    Cef(CefOptions),
}

/// Names of the formats, without their options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormatName {
    Json,
    Csv,
    Syslog,
    Cef,
}

impl FormatName {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Json, Self::Csv, Self::Syslog, Self::Cef];

    /// Name of the format in requests: `json`, `csv`, `syslog` or `cef`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Syslog => "syslog",
            Self::Cef => "cef",
        }
    }

    /// The format with its usual options.
    pub fn usual(self) -> Format {
        match self {
            Self::Json => Format::Json,
            Self::Csv => Format::Csv(CsvOptions::default()),
            Self::Syslog => Format::Syslog(SyslogOptions::default()),
            Self::Cef => Format::Cef(CefOptions::default()),
        }
    }
}

impl FromStr for FormatName {
    type Err = crate::entry::UnknownName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|name| name.as_str() == text)
            .ok_or_else(|| crate::entry::UnknownName {
                given: text.to_owned(),
                allowed: &["json", "csv", "syslog", "cef"],
            })
    }
}

/// Completeness of a written record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The complete record.
    Whole,
    /// Less, as the limit asks for; the record names what is missing.
    Reduced,
}

/// Reason why an entry was not written. Nothing of it was.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The writer failed; some bytes may have gone out.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The record is longer than the limit.
    #[error("the record of entry {sequence} has {bytes} bytes, and the limit is {limit}")]
    Oversize {
        /// Position of the entry in the log.
        sequence: u64,
        /// Size that the record would have.
        bytes: usize,
        limit: usize,
    },
}

impl Format {
    /// Returns the format's name without its options.
    pub fn name(&self) -> FormatName {
        match self {
            Self::Json => FormatName::Json,
            Self::Csv(_) => FormatName::Csv,
            Self::Syslog(_) => FormatName::Syslog,
            Self::Cef(_) => FormatName::Cef,
        }
    }

    /// Returns the media type.
    pub const fn media_type(&self) -> &'static str {
        match self {
            Self::Json => "application/x-ndjson",
            Self::Csv(_) => "text/csv; charset=utf-8; header=present",
            Self::Syslog(_) | Self::Cef(_) => "text/plain; charset=utf-8",
        }
    }

    /// Writes the header of CSV; nothing for the other formats.
    pub fn write_header(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Csv(_) => csv::write_header(out),
            Self::Json | Self::Syslog(_) | Self::Cef(_) => Ok(()),
        }
    }

    /// Writes one entry. A record goes out in one `write_all`.
    ///
    /// # Errors
    /// The writer failed, or the record is longer than the format's limit and may not be reduced.
    pub fn write_entry(
        &self,
        out: &mut impl Write,
        view: &EntryView<'_>,
    ) -> Result<Written, FormatError> {
        match self {
            Self::Json => json::write_entry(out, view),
            Self::Csv(options) => csv::write_entry(out, view, *options),
            Self::Syslog(options) => syslog::write_entry(out, view, options),
            Self::Cef(options) => cef::write_entry(out, view, options),
        }
    }
}

#[cfg(test)]
mod tests;
